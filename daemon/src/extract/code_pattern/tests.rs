//! Tests patterns in many languages on small texts.

use super::*;
use crate::lang;

/// Lines of a sample that patterns are made of.
const LINES_PER_SAMPLE: usize = 8;

fn find_matches(
    language: &'static Language,
    spec: &PatternSpec,
    text: &str,
) -> Result<FileMatches, PatternProblem> {
    Ok(PreparedPattern::new(language, spec)?.find(text))
}

fn find(language: &str, pattern: &str, text: &str) -> Vec<String> {
    find_in(language, pattern, (None, None), text)
}

fn find_in(
    language: &str,
    pattern: &str,
    (inside, not_inside): (Option<&str>, Option<&str>),
    text: &str,
) -> Vec<String> {
    let spec = PatternSpec {
        pattern: pattern.to_owned(),
        inside: inside.map(str::to_owned),
        not_inside: not_inside.map(str::to_owned),
        most: 100,
        ..PatternSpec::default()
    };
    let language = lang::by_name(language).expect("a language");
    let found = find_matches(language, &spec, text).unwrap_or_else(|error| panic!("{error:?}"));
    let slice = |span: ByteSpan| &text[span.0 as usize..span.1 as usize];
    let found = found.matches.iter().map(|one| {
        let holes = one
            .holes
            .iter()
            .map(|hole| format!(" {}={}", hole.name, slice(hole.span)));
        format!("{}{}", slice(one.span), holes.collect::<String>())
    });
    found.collect()
}

#[test]
fn holes_stand_for_nodes() {
    let text = "fn f() { a.unwrap(); b.c().unwrap(); unwrap(); d.expect(\"x\"); }";
    let expected = ["a.unwrap() X=a", "b.c().unwrap() X=b.c()"];
    assert_eq!(find("rust", "$X.unwrap()", text), expected);
    assert_eq!(find("rust", "$X.expect($_)", text), ["d.expect(\"x\") X=d"]);
    let text = "f(1)\nf(1, 2)\ng(1)\nf()\n";
    let expected = ["f(1) ARGS=1", "f(1, 2) ARGS=1, 2", "f() ARGS="];
    assert_eq!(find("python", "f($$$ARGS)", text), expected);
    assert_eq!(find("python", "f($A, $B)", text), ["f(1, 2) A=1 B=2"]);
}

#[test]
fn a_hole_of_one_name_stands_for_one_text() {
    let text = "x = a == a\ny = a == b\n";
    assert_eq!(find("python", "$A == $A", text), ["a == a A=a"]);
}

#[test]
fn statements_match_with_their_bodies() {
    let text = "function f(a) { if (a) { return 1; } if (a) { b(); return 2; } }";
    let found = find("javascript", "if ($C) { return $X; }", text);
    assert_eq!(found, ["if (a) { return 1; } C=a X=1"]);
    let found = find("javascript", "if ($C) { $$$BODY }", text);
    assert_eq!(found.len(), 2, "{found:?}");
    let text = "class A { void f() { if (x == null) { return; } } }";
    assert_eq!(find("java", "if ($X == null) { $$$ }", text).len(), 1);
    let text = "func f() error {\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n";
    assert_eq!(find("go", "if err != nil { return $X }", text).len(), 1);
    let text = "fn f(a: u8) { match a { 0 => {} _ => g() } b == b; }";
    let found = find("rust", "match $X { $$$ARMS }", text);
    assert_eq!(
        found,
        ["match a { 0 => {} _ => g() } X=a ARMS=0 => {} _ => g()"]
    );
    assert_eq!(find("rust", "$A == $A", text), ["b == b A=b"]);
    let text = "class A { a() {} b() {} }";
    assert_eq!(find("javascript", "class $A { $$$ }", text).len(), 1);
    let text = "class A { bool F() { return x == null; } }";
    assert_eq!(find("csharp", "$X == null", text), ["x == null X=x"]);
    assert_eq!(find("java", "$X == null", text), ["x == null X=x"]);
    let text = "package a\n\nfunc f() {\n\tfmt.Errorf(\"a\", b)\n}\n";
    assert_eq!(find("go", "fmt.Errorf($$$)", text).len(), 1);
    let text = "void f(void) { free(a); }";
    assert_eq!(find("c", "free($X)", text), ["free(a) X=a"]);
    let text = "void f() { g(std::move(a)); }";
    assert_eq!(find("cpp", "std::move($X)", text).len(), 1);
    let text = "<p><?php\nfunction f($a) { return $a; }\n";
    assert_eq!(find("php", "return $X;", text), ["return $a; X=$a"]);
}

#[test]
fn a_node_with_more_behind_it_is_another_one() {
    let text = "function f(a) { if (a) { b(); } else { c(); } }";
    assert!(find("javascript", "if ($C) { $$$ }", text).is_empty());
    assert!(find("python", "raise $E($$$)", "raise A(1) from b\n").is_empty());
}

#[test]
fn the_code_around_a_match_can_be_asked_for() {
    let text = "fn f() { a.unwrap(); }\n#[test]\nfn g() { loop { a.unwrap(); } }\n";
    let around = |inside, not_inside| find_in("rust", "$X.unwrap()", (inside, not_inside), text);
    assert_eq!(around(Some("loop { $$$ }"), None), ["a.unwrap() X=a"]);
    assert_eq!(around(Some("fn f() { $$$ }"), None).len(), 1);
    assert_eq!(around(None, Some("loop { $$$ }")).len(), 1);
}

#[test]
fn a_pattern_that_is_no_code_says_where() {
    let rust = lang::by_name("rust").expect("a language");
    let problem = |pattern: &str| {
        let spec = PatternSpec {
            pattern: pattern.to_owned(),
            most: 1,
            ..PatternSpec::default()
        };
        find_matches(rust, &spec, "fn f() {}").expect_err("no pattern")
    };
    assert!(problem("$X.unwrap(").offset > 0);
    assert!(problem("$X").message.contains("everything"));
    assert!(problem("a(); b();").message.contains("several statements"));
    let spec = PatternSpec {
        pattern: "(function_item name: (nothing) @x)".to_owned(),
        syntax: PatternSyntax::Query,
        most: 1,
        ..PatternSpec::default()
    };
    assert!(find_matches(rust, &spec, "").is_err());
}

#[test]
fn a_definition_is_enough_unless_a_match_may_have_it_as_a_part() {
    let needs_file = |language: &str, pattern: &str, text: &str| {
        let spec = PatternSpec {
            pattern: pattern.to_owned(),
            most: 1,
            scope: TextScope::Definition,
            ..PatternSpec::default()
        };
        let language = lang::by_name(language).expect("a language");
        let found = find_matches(language, &spec, text).expect("a pattern");
        assert_ne!(found.needs_file, !found.matches.is_empty(), "{text}");
        found.needs_file
    };
    let text = "func a() error {\n\tif err != nil {\n\t\treturn err\n\t}\n}\n";
    assert!(!needs_file("go", "if err != nil { return $X }", text));
    assert!(!needs_file("go", "func $A() error { $$$ }", text));
    let text = "def a():\n    return b(1)\n";
    assert!(!needs_file("python", "b($X)", text));
    let pattern = "@$D\ndef $A():\n    return b($X)";
    assert!(needs_file("python", pattern, text));
    assert!(needs_file("javascript", "b($X)", "a = () => { b(1); }"));
    assert!(needs_file(
        "javascript",
        "b($X)",
        "function a() { b(1); } c();"
    ));
}

#[test]
fn clauses_and_parameters_are_no_part_of_a_block() {
    for (language, pattern, with_clause, plain) in [
        (
            "ruby",
            "if $C\n  $$$B\nend",
            "if c\n  a\nelse\n  d\nend",
            "if c\n  a\n  b\nend",
        ),
        (
            "ruby",
            "if $C\n  $$$B\nend",
            "if c\n  a\nelsif b\n  d\nend",
            "if c\nend",
        ),
        (
            "ruby",
            "def $F\n  $$$B\nend",
            "def f(a)\n  b\nend",
            "def f\n  a\n  b\nend",
        ),
        (
            "ruby",
            "def $F\n  $$$B\nend",
            "def f\n  b\nensure\n  c\nend",
            "def f\nend",
        ),
        (
            "elixir",
            "if $C do\n $$$B\nend",
            "if c do\n a\nelse\n d\nend",
            "if c do\n a\n b\nend",
        ),
        (
            "swift",
            "if $C { $$$B }",
            "if c { a() } else { d() }",
            "if c {\n a()\n b()\n}",
        ),
        (
            "bash",
            "if $C; then $$$B; fi",
            "if [ c ]; then\n a\nelse\n d\nfi",
            "if [ c ]; then\n a\n b\nfi",
        ),
        (
            "python",
            "for $I in $X:\n    $$$B",
            "for a in b:\n    c()\nelse:\n    d()\n",
            "for a in b:\n    c()\n    d()",
        ),
        (
            "lua",
            "if $C then $$$B end",
            "if c then a() else d() end",
            "if c then a() b() end",
        ),
    ] {
        assert_eq!(
            find(language, pattern, with_clause).len(),
            0,
            "{with_clause}"
        );
        assert_eq!(find(language, pattern, plain).len(), 1, "{plain}");
    }
    let text = "if c:\n    f(1)\nelse:\n    f(2)\nif c:\n    f(3)\n";
    let found = find_in("python", "f($X)", (Some("if $C:\n    $$$"), None), text);
    assert_eq!(found, ["f(3) X=3 C=c"]);
    let text = "fun f() { when (x) { 1 -> a()\n else -> b() } }";
    assert_eq!(find("kotlin", "when ($X) { $$$A }", text).len(), 1);
}

#[test]
fn holes_stand_where_a_name_alone_is_no_code() {
    for (language, pattern, text) in [
        ("dart", "foo($X)", "void main() { foo(1); }"),
        (
            "dart",
            "if ($C) { $$$B }",
            "void main() { if (a) { b(); } }",
        ),
        (
            "dart",
            "void $F($$$A) { $$$B }",
            "void main(int a) { b(); }",
        ),
        (
            "rust",
            "impl $T for $X { $$$B }",
            "impl A for B { fn f() {} }",
        ),
        ("kotlin", "fun $F($$$A) { $$$B }", "fun f(a: Int) { b() }"),
        ("swift", "func $F($$$A) { $$$B }", "func f(a: Int) { b() }"),
        ("scala", "def $F($$$A) = $B", "def f(a: Int) = b"),
        (
            "php",
            "function $F($$$A) { $$$B }",
            "<?php function f($a, $b) { b(); }",
        ),
        (
            "java",
            "void $F($$$A) { $$$B }",
            "class A { void f(int a) { b(); } }",
        ),
        (
            "csharp",
            "if ($C) { $$$ }",
            "class A { void f() { if (a) { b(); } } }",
        ),
        ("lua", "if $C then $$$B end", "if a then b() end"),
        ("bash", "if $C; then $$$B; fi", "if [ a ]\nthen\n  b\nfi"),
        (
            "typescript",
            "import { $$$A } from $B",
            "import { a, b } from \"c\"",
        ),
        ("php", "$_POST[$X]", "<?php f($_POST['a'], $_GET['b']);"),
    ] {
        assert_eq!(
            find(language, pattern, text).len(),
            1,
            "{language} {pattern}"
        );
    }
}

#[test]
fn holes_among_tokens_stand_for_whole_arguments() {
    let text = "fn f() { assert_eq!(a.b, c - 1); assert_eq!(a, b, \"c\"); assert!(!a); }";
    let found = find("rust", "assert_eq!($A, $B)", text);
    assert_eq!(found, ["assert_eq!(a.b, c - 1) A=a.b B=c - 1"]);
    assert_eq!(find("rust", "assert!($A)", text), ["assert!(!a) A=!a"]);
}

#[test]
fn a_match_ends_before_its_white_space() {
    let found = find("c", "#define $A $B", "#define A 1\n#define B 2\n");
    assert_eq!(found, ["#define A 1 A=A B=1", "#define B 2 A=B B=2"]);
}

#[test]
fn comments_at_the_ends_of_a_block_are_in_its_hole() {
    let text = "if c:\n    # a\n    b()\n    # d\n";
    let found = find("python", "if $C:\n    $$$B", text);
    assert_eq!(
        found,
        ["if c:\n    # a\n    b()\n    # d C=c B=# a\n    b()\n    # d"]
    );
}

#[test]
fn the_text_of_a_string_is_compared() {
    for (language, text) in [
        ("dart", "void a() { f('b'); f('c'); }"),
        ("javascript", "f('b'); f('c');"),
        ("lua", "f('b') f('c')"),
        ("scala", "def a = { f(\"b\"); f(\"c\") }"),
    ] {
        let quote = if language == "scala" { '"' } else { '\'' };
        let pattern = format!("f({quote}b{quote})");
        assert_eq!(find(language, &pattern, text), [pattern], "{language}");
    }
}

#[test]
fn queries_are_found_with_their_captures() {
    let rust = lang::by_name("rust").expect("a language");
    let spec = PatternSpec {
        pattern: "(function_item name: (identifier) @name) @match".to_owned(),
        syntax: PatternSyntax::Query,
        most: 10,
        ..PatternSpec::default()
    };
    let found = find_matches(rust, &spec, "fn f() {}\nfn g() {}\n").expect("a query");
    assert_eq!(found.matches.len(), 2);
    assert_eq!(found.matches[1].span, (10, 19));
    assert_eq!(&*found.matches[1].holes[0].name, "name");
}

#[test]
fn a_block_behind_the_parentheses_is_another_argument() {
    for (language, text) in [
        ("kotlin", "fun f() { foo(1) { it }\n foo(2) }"),
        ("scala", "object A { foo(1) { a }\n foo(2) }"),
        ("swift", "foo(1) { 2 }\nfoo(2)"),
    ] {
        assert_eq!(
            find(language, "foo($X)", text),
            ["foo(2) X=2"],
            "{language}"
        );
    }
    let text = "func f() {\n\tif foo(1) {\n\t}\n}\n";
    assert_eq!(find("go", "foo($X)", text), ["foo(1) X=1"]);
}

/// Patterns are made of lines of the samples of all languages.
#[test]
fn a_search_that_passes_over_nodes_finds_what_one_of_all_nodes_finds() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lang/defs");
    let mut matched = std::collections::BTreeSet::new();
    for (language, _, text) in crate::extract::engine_tests::samples(&folder) {
        let compiled = compiled(language).expect("a grammar");
        let tree = parse(compiled, text.as_bytes(), &[], &mut ParseBudget::default());
        let tree = tree.expect("a tree");
        let step = (text.lines().count() / LINES_PER_SAMPLE).max(1);
        for line in text.lines().step_by(step) {
            let line = line.trim().trim_end_matches(['{', ':']).trim_end();
            let words = line.split(|sign: char| !sign.is_alphanumeric());
            let word = words.max_by_key(|word| word.len()).unwrap_or_default();
            let with_hole = (!word.is_empty()).then(|| line.replace(word, "$X"));
            for source in with_hole.into_iter().chain([line.to_owned()]) {
                let Ok(pattern) = PatternNode::parse(language, &source) else {
                    continue;
                };
                let Some(required) = longest_token(&pattern) else {
                    continue;
                };
                let places = TextPlaces::find(&text, required);
                let run = |required: Option<&TextPlaces>| {
                    let mut search = Search::new(&text, 1000, (None, None));
                    search.run_pattern(&pattern, required, &tree);
                    search.found
                };
                let found = run(Some(&places));
                assert_eq!(found, run(None), "{}: {source}", language.id);
                if !found.matches.is_empty() {
                    matched.insert(language.id);
                }
            }
        }
    }
    assert!(matched.len() > 15, "{matched:?}");
}
