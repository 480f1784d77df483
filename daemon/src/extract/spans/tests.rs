//! Strings over several lines, and what belongs to a symbol above it.

use super::*;
use crate::lang;

fn read(language: &str, text: &str) -> FileSpans {
    spans(lang::by_name(language).expect("a language"), text)
}

fn find<'a>(found: &'a FileSpans, name: &str) -> &'a SymbolSpan {
    let mut symbols = found.symbols.iter();
    symbols.find(|one| *one.name == *name).expect("a symbol")
}

/// Returns the text from a byte to the end of its line.
fn line_from(text: &str, at: u32) -> &str {
    text[at as usize..].lines().next().unwrap_or_default()
}

#[test]
fn lines_inside_strings_are_found_and_those_of_docstrings_are_not() {
    // Lines that begin inside a string contain `inside`, and no others do.
    for (language, text) in [
        ("bash", "f() {\n  a 'x\n inside'\n  b \"x\n inside\"\n}\n"),
        (
            "csharp",
            "class A {\n  string b = @\"x\n inside\";\n  int c;\n}\n",
        ),
        (
            "python",
            "def a():\n    \"\"\"One.\n\n    Two.\n    \"\"\"\n    return f(\n        \"\"\"x\n inside\"\"\")\n",
        ),
    ] {
        let strings = read(language, text).strings;
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let is_around = |span: &ByteSpan| span.0 as usize <= start && start < span.1 as usize;
            let is_inside = strings.iter().any(is_around);
            assert_eq!(
                is_inside,
                line.contains("inside"),
                "{language}: {line:?} in {text}"
            );
            start += line.len();
        }
    }
}

#[test]
fn words_before_a_definition_belong_to_it_and_heads_of_blocks_do_not() {
    for (language, text, name, expected) in [
        (
            "haskell",
            "instance Show A where\n    show a = \"\"\n",
            "show",
            "show a = \"\"",
        ),
        (
            "typescript",
            "@A()\nexport default class B {}\n",
            "B",
            "@A()",
        ),
        (
            "cpp",
            "class B {\n    friend\n    void a() {}\n};\n",
            "a",
            "void a() {}",
        ),
        ("ruby", "private def a\n  1\nend\n", "a", "private def a"),
    ] {
        let found = read(language, text);
        let symbol = find(&found, name);
        assert_eq!(line_from(text, symbol.whole.0), expected, "{language}");
    }
}

#[test]
fn comments_above_the_first_statement_belong_to_the_body() {
    for (language, text, name, expected) in [
        (
            "ocaml",
            "let a b =\n  (* One.\n     Two. *)\n  (* Three. *)\n  b + 1\n",
            "a",
            "(* One.",
        ),
        (
            "python",
            "def a():\n    # One.\n\n    return 1\n",
            "a",
            "# One.",
        ),
        (
            "python",
            "def a():  # One.\n    return 1\n",
            "a",
            "return 1",
        ),
    ] {
        let found = read(language, text);
        let symbol = find(&found, name);
        assert_eq!(
            line_from(text, symbol.body_comments),
            expected,
            "{language}"
        );
    }
}

#[test]
fn a_preprocessor_does_not_part_a_symbol_from_its_comments() {
    for (language, text, expected) in [
        (
            "csharp",
            "class C {\n    /// One.\n#pragma warning disable 1\n    void A() {}\n}\n",
            "/// One.",
        ),
        (
            "cpp",
            "int b;\n\n// One.\n#ifdef X\nint A() { return 1; }\n#endif\n",
            "// One.",
        ),
        (
            "cpp",
            "#ifdef X\n// One.\n#endif\n#include <a>\nint A() { return 1; }\n",
            "int A() { return 1; }",
        ),
        (
            "cpp",
            "#ifdef X\nint b;\n// One.\n#endif\nint A() { return 1; }\n",
            "int A() { return 1; }",
        ),
        (
            "cpp",
            "// One.\n#else\nint A() { return 1; }\n",
            "int A() { return 1; }",
        ),
        (
            "python",
            "# One.\n\n# if two\ndef A():\n    pass\n",
            "# if two",
        ),
    ] {
        let found = read(language, text);
        let symbol = find(&found, "A");
        assert_eq!(line_from(text, symbol.above), expected, "{text}");
    }
}
