//! The grammars that are linked in, by the names that definitions use.

use tree_sitter::Language;

pub fn by_name(name: &str) -> Option<Language> {
    let grammar = match name {
        "bash" => tree_sitter_bash::LANGUAGE,
        "c" => tree_sitter_c::LANGUAGE,
        "c-sharp" => tree_sitter_c_sharp::LANGUAGE,
        "cpp" => tree_sitter_cpp::LANGUAGE,
        "dart" => tree_sitter_dart_orchard::LANGUAGE,
        "elixir" => tree_sitter_elixir::LANGUAGE,
        "go" => tree_sitter_go::LANGUAGE,
        "haskell" => tree_sitter_haskell::LANGUAGE,
        "java" => tree_sitter_java::LANGUAGE,
        "javascript" => tree_sitter_javascript::LANGUAGE,
        "kotlin" => tree_sitter_kotlin_ng::LANGUAGE,
        "lua" => tree_sitter_lua::LANGUAGE,
        "ocaml" => tree_sitter_ocaml::LANGUAGE_OCAML,
        "ocaml-interface" => tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE,
        "php" => tree_sitter_php::LANGUAGE_PHP,
        "python" => tree_sitter_python::LANGUAGE,
        "ruby" => tree_sitter_ruby::LANGUAGE,
        "rust" => tree_sitter_rust::LANGUAGE,
        "scala" => tree_sitter_scala::LANGUAGE,
        "swift" => tree_sitter_swift::LANGUAGE,
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX,
        "typescript" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        "zig" => tree_sitter_zig::LANGUAGE,
        _ => return None,
    };
    Some(grammar.into())
}
