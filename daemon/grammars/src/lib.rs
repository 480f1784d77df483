//! The grammars that are linked in, by the names that definitions of languages use.

use tree_sitter::Language;
use tree_sitter_language::LanguageFn;

/// Sorted by name, for binary search.
const GRAMMARS: &[(&str, LanguageFn)] = &[
    ("bash", tree_sitter_bash::LANGUAGE),
    ("c", tree_sitter_c::LANGUAGE),
    ("c-sharp", tree_sitter_c_sharp::LANGUAGE),
    ("cpp", tree_sitter_cpp::LANGUAGE),
    ("dart", tree_sitter_dart_orchard::LANGUAGE),
    ("elixir", tree_sitter_elixir::LANGUAGE),
    ("go", tree_sitter_go::LANGUAGE),
    ("haskell", tree_sitter_haskell::LANGUAGE),
    ("java", tree_sitter_java::LANGUAGE),
    ("javascript", tree_sitter_javascript::LANGUAGE),
    ("kotlin", tree_sitter_kotlin_ng::LANGUAGE),
    ("lua", tree_sitter_lua::LANGUAGE),
    ("ocaml", tree_sitter_ocaml::LANGUAGE_OCAML),
    (
        "ocaml-interface",
        tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE,
    ),
    ("php", tree_sitter_php::LANGUAGE_PHP),
    ("python", tree_sitter_python::LANGUAGE),
    ("ruby", tree_sitter_ruby::LANGUAGE),
    ("rust", tree_sitter_rust::LANGUAGE),
    ("scala", tree_sitter_scala::LANGUAGE),
    ("swift", tree_sitter_swift::LANGUAGE),
    ("tsx", tree_sitter_typescript::LANGUAGE_TSX),
    ("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
    ("zig", tree_sitter_zig::LANGUAGE),
];

pub fn by_name(name: &str) -> Option<Language> {
    let place = GRAMMARS.binary_search_by(|(own, _)| own.cmp(&name)).ok()?;
    Some(GRAMMARS[place].1.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grammar_is_found_by_its_name_with_its_tables() {
        for (name, _) in GRAMMARS {
            let language = by_name(name).expect("a grammar");
            // A state has a successor only if its tables are there.
            let states =
                0..u16::try_from(language.parse_state_count()).expect("a number of states");
            let symbols =
                1..u16::try_from(language.node_kind_count()).expect("a number of symbols");
            let goes_on = states.clone().any(|state| {
                symbols
                    .clone()
                    .any(|symbol| language.next_state(state, symbol) != 0)
            });
            assert!(goes_on, "{name}");
        }
        assert!(by_name("nothing").is_none());
    }
}
