//! Rewrites of small texts, with what is left as it is.

use super::*;
use crate::extract::code_pattern::{PatternSpec, PreparedPattern, read_back};
use crate::extract::spans::spans;
use crate::lang;
use crate::query::shared::edited_file::EditedFile;

struct FileReader(EditedFile);

impl TextReader for FileReader {
    fn read(&mut self, text: &str, rewritten: &RewrittenText) -> Result<ReadBack, ToolError> {
        Ok(read_back(self.0.language, text, rewritten).expect("a tree"))
    }

    fn strings(&mut self, text: &str) -> Result<Vec<ByteSpan>, ToolError> {
        Ok(spans(self.0.language, text).strings)
    }

    fn accepts(&mut self, splices: &Splices) -> Result<bool, ToolError> {
        let parse = |language, text: &str| Some(spans(language, text).into());
        Ok(self.0.check(&parse, splices).is_ok())
    }
}

/// Rewrites a text, and returns it with the plan.
fn rewrite(language: &str, pattern: &str, replacement: &str, text: &str) -> (String, FilePlan) {
    let language = lang::by_name(language).expect("a language");
    let spec = PatternSpec {
        pattern: pattern.to_owned(),
        most: 99,
        ..PatternSpec::default()
    };
    let prepared = PreparedPattern::new(language, &spec);
    let prepared = prepared.unwrap_or_else(|problem| panic!("{problem:?}"));
    let file = SourceFile {
        text,
        language,
        strings: &[],
    };
    let matches = prepared.find(text).matches;
    assert_ne!(matches, [], "{pattern} in {text}");
    let mut reader = FileReader(EditedFile {
        path: "a".to_owned(),
        text: text.to_owned(),
        language,
        spans: spans(language, text).into(),
    });
    let plan = plan(&file, &matches, &[], replacement, &mut reader);
    let plan = plan.expect("a plan");
    (plan.splices.apply(text), plan)
}

fn reasons(plan: &FilePlan) -> Vec<KeptReason> {
    plan.kept.iter().map(|(_, reason)| *reason).collect()
}

#[test]
fn parentheses_are_added_where_operators_would_bind_a_part() {
    for (language, pattern, replacement, text, expected) in [
        (
            "python",
            "h($A, $B)",
            "$A + $B",
            "h(1, c) ** 2\n",
            "(1 + c) ** 2\n",
        ),
        (
            "python",
            "h($A, $B)",
            "$A + $B",
            "x = h(1, c)\n",
            "x = 1 + c\n",
        ),
        (
            "python",
            "h($A, $B)",
            "$A < $B",
            "x < h(1, c)\n",
            "x < (1 < c)\n",
        ),
        (
            "python",
            "$X + $Y",
            "$X * $Y",
            "(a, b + c)\n",
            "(a, b * c)\n",
        ),
        (
            "javascript",
            "$X + $Y",
            "$X * $Y",
            "a + b + c;",
            "(a + b) * c;",
        ),
        (
            "javascript",
            "h($X)",
            "$X => $X",
            "h(a) + 1;",
            "(a => a) + 1;",
        ),
        (
            "python",
            "ident($X)",
            "$X",
            "x = ident(a\n    + b)\n",
            "x = (a\n    + b)\n",
        ),
        (
            "rust",
            "assert_eq!($A, $B)",
            "assert!($A == $B)",
            "fn f() { assert_eq!(a.b, c || d); assert_eq!(a, b); }",
            "fn f() { assert!((a.b) == (c || d)); assert!(a == b); }",
        ),
        (
            "rust",
            "h($A, $B)",
            "assert_eq!($A, $B)",
            "fn f() { h(a + b, c); }",
            "fn f() { assert_eq!(a + b, c); }",
        ),
        (
            "go",
            "h($X)",
            "\"$X\"",
            "package a\nvar b = h(c)\n",
            "package a\nvar b = \"c\"\n",
        ),
    ] {
        let (found, plan) = rewrite(language, pattern, replacement, text);
        assert_eq!((found.as_str(), plan.kept), (expected, vec![]), "{text}");
    }
}

#[test]
fn a_match_that_would_be_read_differently_stays() {
    for (language, pattern, replacement, text) in [
        ("javascript", "h($X);", "$X", "h(x);\n(function () {})()\n"),
        ("python", "h($X)", "a($X)\nb($X)", "if c: h(1)\n"),
        ("javascript", "h($X);", "a($X); b($X);", "if (c) h(1);"),
        (
            "javascript",
            "h($X);",
            "if (b) $X;",
            "if (a) h(c); else d();",
        ),
        ("bash", "f $X", "g $X; h $X", "f a | b\n"),
    ] {
        let (found, plan) = rewrite(language, pattern, replacement, text);
        let kept = reasons(&plan);
        assert_eq!(
            (found.as_str(), kept),
            (text, vec![KeptReason::ReadDifferently])
        );
    }
    let text = "f(h(1));\nif (c) h(1);\nh(2);\n";
    let (found, plan) = rewrite("javascript", "h($X);", "a($X); b($X);", text);
    assert_eq!(found, "f(h(1));\nif (c) h(1);\na(2); b(2);\n");
    assert_eq!((plan.edits, plan.kept.len()), (1, 1));
}

#[test]
fn a_match_that_breaks_the_syntax_does_not_keep_others_from_being_rewritten() {
    let text = "x = h('it`s');\ny = h(b);\nz = h(c) + 1;\n";
    let (found, plan) = rewrite("javascript", "h($X)", "`$X`", text);
    assert_eq!(found, "x = h('it`s');\ny = `b`;\nz = `c` + 1;\n");
    assert_eq!(reasons(&plan), [KeptReason::ReadDifferently]);
}

#[test]
fn a_match_with_more_than_the_pattern_stays() {
    for (language, pattern, text) in [
        ("python", "yield $X", "def f():\n    yield from x\n"),
        ("javascript", "yield $X", "function* f() { yield* x }"),
        (
            "python",
            "def $F($$$A):\n    $$$B",
            "async def f(a):\n    b()\n",
        ),
        ("cpp", "delete $X", "void f() { delete[] p; }"),
        ("rust", "|| $X", "fn f() { g(move || a); }"),
        (
            "typescript",
            "import { $$$A } from $B",
            "import type { a } from \"b\"",
        ),
        ("swift", "try $X", "let a = try? b()"),
        ("ocaml", "let $X = $Y", "let rec a = b"),
        (
            "javascript",
            "for ($A of $B) { $$$C }",
            "for await (const a of b) { c() }",
        ),
    ] {
        let (found, plan) = rewrite(language, pattern, "x", text);
        let kept = reasons(&plan);
        assert_eq!(
            (found.as_str(), kept),
            (text, vec![KeptReason::MoreThanPattern])
        );
    }
    let (_, plan) = rewrite("python", "g($A, $B)", "g($B, $A)", "g(a, # b\n  c,)\n");
    assert_eq!(reasons(&plan), [KeptReason::Comment]);
    let (found, _) = rewrite("python", "g($$$A)", "h($$$A)", "g(a, # b\n  c,)\n");
    assert_eq!(found, "h(a, # b\n  c)\n");
}

#[test]
fn matches_inside_rewritten_ones_are_counted() {
    let (found, plan) = rewrite("python", "f($X)", "g($X)", "f(f(f(1)))\n");
    assert_eq!(
        (found.as_str(), plan.edits, plan.nested),
        ("g(f(f(1)))\n", 1, 2)
    );
    let (_, plan) = rewrite("python", "f($X)", "g()", "f(f(f(1)))\n");
    assert_eq!((plan.edits, plan.nested), (1, 0));
    // An outer match that stays does not keep the inner one from being rewritten.
    let text = "async def f():\n    def g():\n        pass\n";
    let (found, _) = rewrite(
        "python",
        "def $F():\n    $$$B",
        "def $F(a):\n    $$$B",
        text,
    );
    assert_eq!(found, text.replace("g()", "g(a)"));
}

#[test]
fn code_that_does_not_parse_is_reported() {
    let text = "fn f() { a.unwrap(); }";
    let (_, plan) = rewrite("rust", "$X.unwrap()", "$X.(", text);
    assert!(plan.edits == 0 && plan.broken.is_some());
}

#[test]
fn removed_statements_leave_the_code_around_them_as_it_was() {
    for (language, pattern, text, expected, kept) in [
        (
            "typescript",
            "log($X);",
            "if (x)\n  log(1);\ny();\nlog(2);\nz();\n",
            "if (x)\n  log(1);\ny();\nz();\n",
            1,
        ),
        (
            "javascript",
            "log($X)",
            "if (a) b(); else log(1)\nc()\nconst d = e || log(2)\nlog(3); f()\n",
            "if (a) b(); else log(1)\nc()\nconst d = e || log(2)\nf()\n",
            2,
        ),
        (
            "c",
            "log($X)",
            "void f() {\n  log(1);\n  for (log(2); a; b) c();\n  d(); log(3);\n}\n",
            "void f() {\n  for (log(2); a; b) c();\n  d();\n}\n",
            1,
        ),
        (
            "kotlin",
            "log($X)",
            "fun f() {\n  while (x)\n    log(1)\n  a()\n  log(2)\n}\n",
            "fun f() {\n  while (x)\n    log(1)\n  a()\n}\n",
            1,
        ),
        (
            "go",
            "log($X)",
            "package a\n\nfunc f() {\n\tlog(1)\n\tx()\n}\n",
            "package a\n\nfunc f() {\n\tx()\n}\n",
            0,
        ),
        (
            "python",
            "log($X)",
            "def f(x):\n    log(1)\n    y = (log(2))\n    if y:\n        log(3)\n    log(4); return y\n",
            "def f(x):\n    y = (log(2))\n    if y:\n        log(3)\n    return y\n",
            2,
        ),
        (
            "ruby",
            "log($X)",
            "log(1) if x\na = b || log(2)\nlog(3)\nc\n",
            "log(1) if x\na = b || log(2)\nc\n",
            2,
        ),
        (
            "rust",
            "log($X)",
            "fn f() {\n    log(1);\n    match a { 1 => log(2), _ => {} }\n    if x { log(3) }\n}\n",
            "fn f() {\n    match a { 1 => log(2), _ => {} }\n    if x { log(3) }\n}\n",
            2,
        ),
        (
            "elixir",
            "log($X)",
            "def f(x) do\n  log(1)\n  x |> log(2)\n  case x do\n    _ -> log(3)\n  end\nend\n",
            "def f(x) do\n  x |> log(2)\n  case x do\n    _ -> log(3)\n  end\nend\n",
            2,
        ),
    ] {
        let (found, plan) = rewrite(language, pattern, "", text);
        assert_eq!(
            (found.as_str(), plan.kept.len()),
            (expected, kept),
            "{text}"
        );
    }
}

#[test]
fn compound_replacements_get_parentheses_beside_operators() {
    for (language, replacement, text, expected) in [
        (
            "csharp",
            "$X ?? D",
            "x = h(k)?.Name;",
            "x = (k ?? D)?.Name;",
        ),
        (
            "csharp",
            "await $X",
            "x = h(k).Name;",
            "x = (await k).Name;",
        ),
        ("csharp", "$X", "x = (T) h(-1);", "x = (T) (-1);"),
        (
            "csharp",
            "$X",
            "x = $\"{h(a ? 1 : 2)}\";",
            "x = $\"{(a ? 1 : 2)}\";",
        ),
        ("csharp", "$X + 1", "x = h(a);", "x = a + 1;"),
        (
            "typescript",
            "k ?? $X",
            "x = h(a).name;",
            "x = (k ?? a).name;",
        ),
        (
            "typescript",
            "$X as T",
            "x = h(a)?.name;",
            "x = (a as T)?.name;",
        ),
        ("javascript", "$X", "x = h(-1) ** 2;", "x = (-1) ** 2;"),
        (
            "javascript",
            "$X",
            "x = h(a || b) ?? c;",
            "x = (a || b) ?? c;",
        ),
        (
            "javascript",
            "$X",
            "x = h(a && b) || c;",
            "x = a && b || c;",
        ),
        ("javascript", "$X", "h(() => {})();", "(() => {})();"),
        (
            "javascript",
            "$X",
            "h(function () {});",
            "(function () {});",
        ),
        (
            "javascript",
            "$X",
            "f = x => h({ a: 1 });",
            "f = x => ({ a: 1 });",
        ),
        ("kotlin", "$X", "val x = h(-1).abs()", "val x = (-1).abs()"),
        (
            "kotlin",
            "$X as T",
            "val x = h(k)?.name",
            "val x = (k as T)?.name",
        ),
        ("swift", "k ?? $X", "let x = h(a).b", "let x = (k ?? a).b"),
        ("swift", "$X + 1", "let x = h(k)!", "let x = (k + 1)!"),
        (
            "php",
            "$X",
            "<?php $x = h(-2) ** 2;",
            "<?php $x = (-2) ** 2;",
        ),
        (
            "php",
            "$X ? 1 : 2",
            "<?php $x = h($a) ? 3 : 4;",
            "<?php $x = ($a ? 1 : 2) ? 3 : 4;",
        ),
        ("ruby", "$X", "bar h({a: 1})", "bar ({a: 1})"),
        (
            "rust",
            "$X as usize",
            "fn f() { h(a) < 3; }",
            "fn f() { (a as usize) < 3; }",
        ),
        (
            "rust",
            "$X",
            "fn f() { if h(S { a: 1 }) == b {} }",
            "fn f() { if (S { a: 1 }) == b {} }",
        ),
        (
            "go",
            "$X",
            "package a\nfunc f() {\n\tif v := h(T{1}); v {\n\t}\n}\n",
            "package a\nfunc f() {\n\tif v := (T{1}); v {\n\t}\n}\n",
        ),
        (
            "go",
            "$X",
            "package a\nvar x = -h(-a)\n",
            "package a\nvar x = -(-a)\n",
        ),
        ("python", "$X", "y = h(n := 1)\n", "y = (n := 1)\n"),
        (
            "python",
            "$X",
            "y = p if h(a if b else c) else q\n",
            "y = p if (a if b else c) else q\n",
        ),
    ] {
        let text = match language {
            "csharp" => format!("class A {{ void F() {{ {text} }} }}"),
            _ => text.to_owned(),
        };
        let (found, plan) = rewrite(language, "h($X)", replacement, &text);
        assert!(
            found.contains(expected),
            "{language} {replacement}: {found}"
        );
        assert_eq!(plan.kept, [], "{text}");
    }
}

#[test]
fn statements_and_comparisons_need_no_parentheses() {
    for (language, pattern, replacement, text, expected) in [
        (
            "javascript",
            "const $X = $Y",
            "let $X = $Y",
            "export const a = 1;",
            "export let a = 1;",
        ),
        (
            "javascript",
            "h($X);",
            "if (a) { b($X); }",
            "for (;;) h(1);",
            "for (;;) if (a) { b(1); }",
        ),
        (
            "typescript",
            "$A == $B",
            "$A === $B",
            "if (a + 1 == b && !c) {}",
            "if (a + 1 === b && !c) {}",
        ),
    ] {
        let (found, plan) = rewrite(language, pattern, replacement, text);
        assert_eq!((found.as_str(), plan.kept), (expected, vec![]));
    }
}

#[test]
fn a_match_that_the_grammar_reads_against_the_language_stays() {
    for (language, pattern, replacement, text) in [
        (
            "kotlin",
            "!$X",
            "$X.not()",
            "fun f() { if (!foo(2)) return }",
        ),
        ("swift", "!$X", "$X == false", "if !foo(2) { return }"),
    ] {
        let (found, plan) = rewrite(language, pattern, replacement, text);
        assert_eq!((found.as_str(), plan.kept.len()), (text, 1));
    }
}

#[test]
fn a_match_that_the_checks_refuse_does_not_keep_others_from_being_rewritten() {
    let text = "def f():\n    h(1)\n    x = h(2)\n    if x:\n        h(3)\n";
    let (found, plan) = rewrite("python", "h($X)", "def g():\n    return $X", text);
    let expected = text.replace("    h(1)\n", "    def g():\n        return 1\n");
    let expected = expected.replace("        h(3)\n", "        def g():\n            return 3\n");
    assert_eq!((found, plan.kept.len()), (expected, 1));
}
