//! Tests multi-line strings, and the text above and after a symbol that belongs to it.

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
    // All lines that begin inside a string contain `inside` or end a heredoc, and no others do.
    for (language, text) in [
        ("bash", "f() {\n  a 'x\n inside'\n  b \"x\n inside\"\n}\n"),
        (
            "bash",
            "f() {\n  a <<END | b\n inside\ninside\nEND\n  b\n}\n",
        ),
        (
            "ruby",
            "def f\n  a(<<END, 1)\n inside\ninside\nEND\n  b\nend\n",
        ),
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
                line.contains("inside") || line.starts_with("END"),
                "{language}: {line:?} in {text}"
            );
            start += line.len();
        }
    }
}

#[test]
fn a_semicolon_before_the_next_statement_does_not_belong_to_a_symbol() {
    for (text, expected) in [
        (
            "export const a = () => {\n}\n;(b as C)[0] = a\n",
            "export const a = () => {\n}",
        ),
        (
            "export const a = () => {\n};\n",
            "export const a = () => {\n};",
        ),
    ] {
        let found = read("typescript", text);
        let (start, end) = find(&found, "a").whole;
        assert_eq!(&text[start as usize..end as usize], expected);
    }
}

#[test]
fn the_lines_of_a_symbol_end_with_its_code() {
    for (language, text, name, last) in [
        (
            "tsx",
            "const a = async () => {\n}\n\n;({ b } = await a())\n",
            "a",
            2,
        ),
        ("tsx", "const a = 1\n;\nconst b = 2\n", "a", 2),
        (
            "scala",
            "class A {\n  def a: B =\n    \"c\" |\n      d(\"e\")\n\n  @Test\n  def f: B = g\n}\n",
            "a",
            4,
        ),
    ] {
        let language = lang::by_name(language).expect("a language");
        let symbols =
            crate::extract::extract(Some(language), text, crate::extract::ChunkSizes::default())
                .outline
                .symbols;
        let symbol = symbols.iter().find(|symbol| *symbol.name == *name);
        assert_eq!(symbol.map(|symbol| symbol.end_line), Some(last), "{text}");
    }
}

#[test]
fn a_member_of_a_field_is_no_field() {
    let text = "class A:\n    def __init__(self):\n        self.b = C()\n        self.b.d = 1\n        self.b[0] = 2\n        self.e, self.f = 1, 2\n";
    let found = read("python", text);
    let names: Vec<&str> = found.symbols.iter().map(|one| &*one.name).collect();
    assert_eq!(names, ["A", "__init__", "b", "e", "f"]);
}

#[test]
fn the_text_of_a_heredoc_belongs_to_the_symbol_before_it() {
    for (language, text, name, expected) in [
        ("ruby", "A = <<~X\n  a\nX\nB = 1\n", "A", "A = <<~X\n  a\nX"),
        (
            "ruby",
            "A = [<<~X, <<~Y].freeze\n  a\nX\n  b\nY\nB = 1\n",
            "A",
            "A = [<<~X, <<~Y].freeze\n  a\nX\n  b\nY",
        ),
        ("ruby", "A = 1\nB = <<~X\n  a\nX\n", "A", "A = 1"),
        (
            "bash",
            "f() {\n  cat <<X\na\nX\n}\ng() { :; }\n",
            "f",
            "f() {\n  cat <<X\na\nX\n}",
        ),
        (
            "php",
            "<?php\nconst A = <<<X\n  a\nX;\nconst B = 1;\n",
            "A",
            "const A = <<<X\n  a\nX;",
        ),
    ] {
        let found = read(language, text);
        let (start, end) = find(&found, name).whole;
        assert_eq!(&text[start as usize..end as usize], expected, "{language}");
    }
}

#[test]
fn the_text_of_a_heredoc_is_code() {
    let text = "A = <<~X # one\n  a\nX\n# two\n";
    let found = read("ruby", text);
    let shown = |(start, end): ByteSpan| &text[start as usize..end as usize];
    let comments: Vec<&str> = found.comments.iter().map(|one| shown(*one)).collect();
    assert_eq!(comments, ["# one", "# two"]);
    let tokens: Vec<&str> = found.tokens.iter().map(|one| shown(one.span)).collect();
    assert_eq!(tokens, ["A", "=", "<<~X", "a", "X"]);
}

#[test]
fn words_before_a_definition_belong_to_it_and_heads_of_blocks_do_not() {
    for (language, text, name, expected) in [
        (
            "elixir",
            "f(fn ->\n  defmodule A do\n    def b, do: 1\n  end\nend)\n",
            "A",
            "defmodule A do",
        ),
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

#[test]
fn statements_that_are_indented_unlike_their_block_and_empty_blocks_are_errors() {
    for text in [
        "def a():\n    b = 1\n        return b\n",
        "def a():\n        b = 1\n    return b\n",
        "class A:\n    @b\n        def c(self):\n            pass\n",
        "a = 1\n    b = 2\n",
        "if a:\n\n\nb()\n",
        "class A:\nb = 1\n",
        "def a(b):\n    for c in b:\n        # d\n",
        "if a:\n    b()\nelse:  # c\nd()\n",
    ] {
        assert!(!read("python", text).errors.is_empty(), "{text}");
    }
    for text in [
        "def a():\n    \"\"\"B.\n  c\n\"\"\"\n    if b: c; d\n    # e\n  # f\n    return g(\n  1,\n     2)\n",
        "if a:\n    b\nelif c:\n        d\nelse:\n  e\n",
        "with a as b, \\\n        c as d:\n    e = (f\n      .g()\n    .h())\n",
        "@a\n@b\nclass A:\n  c = \"d\" \\\n      \"e\"\n\n  def f(self): pass\n",
        "match a:\n    case 1: b\n    case 2:\n        c\ntry:\n  d\nfinally:\n    e\n",
        "class A: b = c[1:]\nd = lambda: {e: f\"{g:>2}\"}\nh: int\n",
    ] {
        assert_eq!(read("python", text).errors, [], "{text}");
    }
    assert_eq!(read("haskell", "a = b\n  where\n    b = 1\n").errors, []);
}
