//! Edits of one file, from its text to the new text or the refusal.

mod code_around;

use std::sync::Arc;

use super::file_plan::{FileEdit, FilePlan};
use super::*;
use crate::extract::spans::{FileSpans, spans};
use crate::lang::{self, Language};

/// A symbol, the action on it, and the text.
type Edit = (&'static str, EditAction, &'static str);

use EditAction::{Delete, InsertAfter, InsertBefore, Replace, ReplaceBody};

/// Parses as a worker does, which always has a result here.
#[expect(
    clippy::unnecessary_wraps,
    reason = "a worker may fail, so what is called returns an option"
)]
fn parse(language: &'static Language, text: &str) -> Option<Arc<FileSpans>> {
    Some(Arc::new(spans(language, text)))
}

/// Returns the text of a file after its edits, and the notes; or the refusal.
fn edit(language: &str, text: &str, edits: &[Edit]) -> Result<(String, Vec<String>), String> {
    let language = lang::by_name(language).expect("a language");
    let file = EditedFile {
        path: "file".to_owned(),
        text: text.to_owned(),
        language,
        spans: Arc::new(spans(language, text)),
    };
    let edits: Vec<FileEdit<'_>> = edits
        .iter()
        .enumerate()
        .map(|(place, (name, action, text))| {
            let symbol = file
                .spans
                .symbols
                .iter()
                .position(|one| *one.name == **name);
            FileEdit {
                at: SymbolId { file: 0, symbol: 0 },
                place,
                symbol: symbol.unwrap_or_else(|| panic!("no `{name}` in {:?}", file.text)),
                action: *action,
                text,
            }
        })
        .collect();
    let checked = FilePlan::new(&parse, file, &edits).and_then(|plan| {
        let checked = plan.file.check(&parse, &plan.splices)?;
        let notes = plan.edits.into_iter().flat_map(|edit| edit.notes);
        Ok((checked.text, notes.collect()))
    });
    checked.map_err(|error| error.to_string())
}

/// Compares the text after one edit of each case; a refusal is `refused: ` and a part of it.
fn check(cases: &[(&str, &str, Edit, &str)]) {
    let mut wrong = vec![];
    for (language, before, (name, action, text), expected) in cases {
        let found = edit(language, before, &[(name, *action, text)]);
        let is_right = match (&found, expected.strip_prefix("refused: ")) {
            (Ok((after, _)), None) => after == expected,
            (Err(error), Some(part)) => error.contains(part),
            _ => false,
        };
        if !is_right {
            wrong.push(format!(
                "{language} {before:?}: {} {name} {text:?}\n   expected {expected:?}\n      found {found:?}",
                action.as_str()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_edit_of_one_name_does_not_remove_those_declared_with_it() {
    let together = "refused: declared together with";
    check(&[
        (
            "java",
            "class A {\n    int x, y;\n}\n",
            ("x", Delete, ""),
            "refused: `x` is declared together with `y`",
        ),
        (
            "java",
            "class A {\n    int x, y;\n}\n",
            ("y", Replace, "long y;"),
            "refused: `y` is declared together with `x`",
        ),
        (
            "java",
            "class A {\n    int x, y;\n}\n",
            ("y", Replace, "long y, x;"),
            "class A {\n    long y, x;\n}\n",
        ),
        (
            "go",
            "package a\n\nvar x, y = 1, 2\n",
            ("x", Delete, ""),
            together,
        ),
        (
            "go",
            "package a\n\nconst X, Y = 1, 2\n",
            ("Y", Delete, ""),
            together,
        ),
        (
            "go",
            "package a\n\ntype T struct {\n\ta, b int\n\tc int\n}\n",
            ("a", Delete, ""),
            together,
        ),
        (
            "c",
            "struct s {\n    int a, b;\n    int c;\n};\n",
            ("a", Delete, ""),
            together,
        ),
        ("c", "int a, b;\n", ("b", Delete, ""), together),
        (
            "c",
            "typedef int a_t, *b_t;\n",
            ("a_t", Delete, ""),
            together,
        ),
        (
            "cpp",
            "class A {\n    int a, b;\n    int c;\n};\n",
            ("a", Delete, ""),
            together,
        ),
        (
            "csharp",
            "class A {\n    int x, y;\n    int z;\n}\n",
            ("x", Delete, ""),
            together,
        ),
        (
            "php",
            "<?php\nclass A {\n    public $a, $b;\n    public $c;\n}\n",
            ("a", Delete, ""),
            together,
        ),
        (
            "scala",
            "object A {\n  val a, b = 1\n  val c = 2\n}\n",
            ("a", Delete, ""),
            together,
        ),
        ("python", "x = y = 3\nz = 1\n", ("x", Delete, ""), together),
        (
            "python",
            "v, w = 1, 2\nz = 1\n",
            ("v", Delete, ""),
            together,
        ),
        (
            "python",
            "class A:\n    def __init__(self, a, b):\n        self.a, self.b = a, b\n        self.c = 1\n",
            ("a", Delete, ""),
            together,
        ),
        (
            "ocaml",
            "let v, w = 1, 2\nlet z = 1\n",
            ("v", Delete, ""),
            together,
        ),
        (
            "kotlin",
            "class A {\n    val (v, w) = f()\n    val z = 1\n}\n",
            ("z", Delete, ""),
            "class A {\n    val (v, w) = f()\n}\n",
        ),
        (
            "kotlin",
            "val (v, w) = f()\nval z = 1\n",
            ("v", Delete, ""),
            together,
        ),
        (
            "javascript",
            "const { v, w } = f();\nconst z = 1;\n",
            ("z", Delete, ""),
            "const { v, w } = f();\n",
        ),
        (
            "haskell",
            "module A where\n\nf, g :: Int\nf = 1\ng = 2\n",
            ("f", Delete, ""),
            together,
        ),
        (
            "haskell",
            "module A where\n\nf, g :: Int\nf = 1\ng = 2\n",
            ("f", Replace, "f :: Int\nf = 2"),
            together,
        ),
        (
            "ruby",
            "class A\n  attr_reader :a, :b\nend\n",
            ("a", Delete, ""),
            "class A\n  attr_reader :b\nend\n",
        ),
        (
            "ruby",
            "class A\n  attr_reader :a, :b\nend\n",
            ("b", Delete, ""),
            "class A\n  attr_reader :a\nend\n",
        ),
        (
            "javascript",
            "let a = 1, b = 2;\n",
            ("b", Delete, ""),
            "let a = 1;\n",
        ),
    ]);
    // A text with all of the names may replace them.
    check(&[(
        "go",
        "package a\n\nvar x, y = 1, 2\n",
        ("x", Replace, "var x, y = 3, 4"),
        "package a\n\nvar x, y = 3, 4\n",
    )]);
    let both = edit(
        "java",
        "class A {\n    int x, y;\n    int z;\n}\n",
        &[("x", Delete, ""), ("y", Delete, "")],
    );
    assert_eq!(both, Ok(("class A {\n    int z;\n}\n".to_owned(), vec![])));
}

#[test]
fn a_replacement_declares_something() {
    check(&[
        (
            "go",
            "package a\n\nvar x = 1\n",
            ("x", Replace, "x = 7"),
            "refused: does not declare `x`",
        ),
        (
            "go",
            "package a\n\nvar x = 1\n",
            ("x", Replace, "const x = 7"),
            "package a\n\nconst x = 7\n",
        ),
        (
            "javascript",
            "const a = 1;\n",
            ("a", Replace, "// Nothing."),
            "refused: does not declare `a`",
        ),
        (
            "javascript",
            "const a = 1;\n",
            ("a", Replace, "const a = require('./a');"),
            "const a = require('./a');\n",
        ),
        ("python", "x = 1\n", ("x", Replace, "x = 7"), "x = 7\n"),
    ]);
}

#[test]
fn lines_that_are_indented_as_in_the_file_stay_where_they_are() {
    let class = "class A:\n    def one(self):\n        return 1\n\n    @staticmethod\n    def loads(x):\n        return 1\n";
    check(&[
        (
            "python",
            class,
            ("one", ReplaceBody, "x = 5\n        return x"),
            "class A:\n    def one(self):\n        x = 5\n        return x\n\n    @staticmethod\n    def loads(x):\n        return 1\n",
        ),
        (
            "python",
            class,
            (
                "loads",
                Replace,
                "@staticmethod\n    def loads(x):\n        return 2",
            ),
            "class A:\n    def one(self):\n        return 1\n\n    @staticmethod\n    def loads(x):\n        return 2\n",
        ),
        (
            "python",
            class,
            ("loads", Replace, "def loads(x):\n    return 2"),
            "class A:\n    def one(self):\n        return 1\n\n    @staticmethod\n    def loads(x):\n        return 2\n",
        ),
        (
            "python",
            class,
            (
                "loads",
                InsertAfter,
                "@property\n    def two(self):\n        return 2",
            ),
            "class A:\n    def one(self):\n        return 1\n\n    @staticmethod\n    def loads(x):\n        return 1\n\n    @property\n    def two(self):\n        return 2\n",
        ),
        (
            "python",
            "class A:\n    def one(self):\n        return 1\n",
            (
                "one",
                InsertAfter,
                "def two(self):\n        return 2\n\n    def three(self):\n        return 3",
            ),
            "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n\n    def three(self):\n        return 3\n",
        ),
        (
            "python",
            "class A:\n    def one(self):\n        return 1\n",
            (
                "one",
                Replace,
                "def one(self):\n    if a:\n        return 2",
            ),
            "class A:\n    def one(self):\n        if a:\n            return 2\n",
        ),
        (
            "python",
            "def one():\n    x = 1\n    return x\n",
            ("one", ReplaceBody, "    x = 2\n  return x"),
            "refused: does not parse",
        ),
    ]);
}

#[test]
fn an_expression_stays_an_expression() {
    check(&[
        (
            "python",
            "lam = lambda q: q\n",
            ("lam", ReplaceBody, "3"),
            "lam = lambda q: 3\n",
        ),
        (
            "python",
            "lam = lambda q: {1: q}\n",
            ("lam", ReplaceBody, "3"),
            "lam = lambda q: 3\n",
        ),
        (
            "python",
            "lam = lambda q: q\n",
            ("lam", ReplaceBody, "return 3"),
            "refused: is an expression",
        ),
        (
            "python",
            "lam = lambda q: q\n",
            ("lam", ReplaceBody, "x = 1\nx"),
            "refused: is an expression",
        ),
        (
            "python",
            "def f(): pass\n",
            ("f", ReplaceBody, "return 1"),
            "def f():\n    return 1\n",
        ),
        (
            "typescript",
            "const f = (x: number) => ({ a: x });\n",
            ("f", ReplaceBody, "{ b: x }"),
            "const f = (x: number) => ({ b: x });\n",
        ),
        (
            "typescript",
            "const f = (x: number) => ({ a: x });\n",
            ("f", ReplaceBody, "{ return x; }"),
            "const f = (x: number) => { return x; };\n",
        ),
        (
            "javascript",
            "const f = (x) => x;\n",
            ("f", ReplaceBody, "x + 1"),
            "const f = (x) => x + 1;\n",
        ),
        (
            "csharp",
            "class A {\n    int F(int a) => a;\n}\n",
            ("F", ReplaceBody, "{ return a; }"),
            "class A {\n    int F(int a) { return a; }\n}\n",
        ),
        (
            "csharp",
            "class A {\n    int F(int a) => a;\n}\n",
            ("F", ReplaceBody, "=> a + 1"),
            "class A {\n    int F(int a) => a + 1;\n}\n",
        ),
    ]);
}

#[test]
fn a_body_between_braces_keeps_what_is_behind_them() {
    check(&[
        (
            "javascript",
            "function f() {\n    a();\n} // f\nb();\n",
            ("f", ReplaceBody, "c();"),
            "function f() {\n    c();\n} // f\nb();\n",
        ),
        (
            "cpp",
            "class A {\n  void f() { a(); };\n};\n",
            ("f", ReplaceBody, "b();"),
            "class A {\n  void f() {\n    b();\n  };\n};\n",
        ),
        (
            "javascript",
            "const f = () => {\n    a();\n};\n",
            ("f", ReplaceBody, "b();"),
            "const f = () => {\n    b();\n};\n",
        ),
    ]);
}

#[test]
fn a_deletion_leaves_code_that_still_means_the_same() {
    let clauses = "defmodule A do\n  @doc \"Sizes.\"\n  @spec size(list) :: integer\n  def size([]), do: 0\n  def size([_ | rest]), do: 1 + size(rest)\n\n  @doc \"Other.\"\n  def size(a, b), do: a + b\nend\n";
    let go = "package a\n\nconst (\n\tA = iota\n\tB\n\tC\n)\n";
    check(&[
        (
            "javascript",
            "items.forEach(function each(x) {\n  f(x);\n});\n",
            ("each", Delete, ""),
            "refused: an argument",
        ),
        (
            "python",
            "class Alone:  # of its kind\n    def only(\n        self,\n    ): ...\nx = 1\n",
            ("only", Delete, ""),
            "refused: `only` is all that its block has",
        ),
        (
            "go",
            go,
            ("A", Delete, ""),
            "refused: `B` has no value of its own",
        ),
        (
            "go",
            go,
            ("B", Delete, ""),
            "refused: `C` has no value of its own",
        ),
        (
            "go",
            go,
            ("C", Delete, ""),
            "package a\n\nconst (\n\tA = iota\n\tB\n)\n",
        ),
        (
            "elixir",
            clauses,
            ("size", Delete, ""),
            "defmodule A do\n  @doc \"Sizes.\"\n  @spec size(list) :: integer\n  def size([_ | rest]), do: 1 + size(rest)\n\n  @doc \"Other.\"\n  def size(a, b), do: a + b\nend\n",
        ),
        (
            "python",
            "z: int = 1; w: int = 2\n",
            ("z", Delete, ""),
            "w: int = 2\n",
        ),
        (
            "dart",
            "/// Most.\nconst int limit = 10;\n\nint f() => limit;\n",
            ("limit", Delete, ""),
            "int f() => limit;\n",
        ),
        (
            "dart",
            "const int a = 1, b = 2;\n",
            ("b", Delete, ""),
            "const int a = 1;\n",
        ),
    ]);
    let text = "fn a() {}\n\nfn b() {}\n\nfn c() {}\n\nfn d() {}\n";
    for (edits, expected) in [
        (
            [("b", Delete, ""), ("c", Delete, "")],
            "fn a() {}\n\nfn d() {}\n",
        ),
        (
            [("d", Delete, ""), ("c", Delete, "")],
            "fn a() {}\n\nfn b() {}\n",
        ),
        (
            [("a", Delete, ""), ("b", Delete, "")],
            "fn c() {}\n\nfn d() {}\n",
        ),
    ] {
        assert_eq!(
            edit("rust", text, &edits),
            Ok((expected.to_owned(), vec![]))
        );
    }
    let edits = [("A", Delete, ""), ("B", Delete, ""), ("C", Delete, "")];
    let text = "package a\n\nconst (\n\tA = iota\n\tB\n\tC\n\tD = 1\n)\n";
    let after = "package a\n\nconst (\n\tD = 1\n)\n";
    assert_eq!(edit("go", text, &edits), Ok((after.to_owned(), vec![])));
}

#[test]
fn words_around_a_definition_are_part_of_its_replacement() {
    check(&[
        (
            "dart",
            "const int limit = 10;\n",
            ("limit", Replace, "const int limit = 20;"),
            "const int limit = 20;\n",
        ),
        (
            "typescript",
            "export default class A {}\n",
            ("A", Replace, "class A { b = 1; }"),
            "export default class A { b = 1; }\n",
        ),
        (
            "typescript",
            "export default class A {}\n",
            ("A", Replace, "export class A {}"),
            "export class A {}\n",
        ),
        (
            "typescript",
            "/** One. */\nexport function a() {}\n",
            ("a", Replace, "/** Two. */\nfunction a() { b(); }"),
            "/** Two. */\nexport function a() { b(); }\n",
        ),
        (
            "ruby",
            "class A\n  private def a\n    1\n  end\nend\n",
            ("a", Replace, "def a\n  2\nend"),
            "class A\n  private def a\n    2\n  end\nend\n",
        ),
        (
            "typescript",
            "export function a() {\n  return 1;\n}\n",
            (
                "a",
                Replace,
                "// function a() {\nfunction a() {\n  return 2;\n}",
            ),
            "// function a() {\nexport function a() {\n  return 2;\n}\n",
        ),
    ]);
    let kept = edit(
        "typescript",
        "export function a() {}\n",
        &[("a", Replace, "function a() { b(); }")],
    );
    let notes = vec!["`export` before `a` is kept".to_owned()];
    assert_eq!(
        kept,
        Ok(("export function a() { b(); }\n".to_owned(), notes))
    );
}

#[test]
fn words_that_the_text_replaces_are_named() {
    let found = edit(
        "typescript",
        "export const a = 1, b = 2;\n",
        &[("a", Replace, "a = 3")],
    );
    assert_eq!(
        found,
        Ok(("export const a = 3, b = 2;\n".to_owned(), vec![]))
    );
    let found = edit(
        "dart",
        "const int a = 1;\n",
        &[("a", Replace, "final int a = 2;")],
    );
    let notes = vec!["`const` before `a` is gone: the text does not have it".to_owned()];
    assert_eq!(found, Ok(("final int a = 2;\n".to_owned(), notes)));
}

#[test]
fn comments_and_attributes_are_inserted_right_above_the_symbol() {
    check(&[
        (
            "go",
            "package a\n\nfunc A() {}\n\nfunc B() {}\n",
            ("B", InsertBefore, "// B does that."),
            "package a\n\nfunc A() {}\n\n// B does that.\nfunc B() {}\n",
        ),
        (
            "rust",
            "fn a() {}\n\n/// Counts.\nfn b() {}\n",
            ("b", InsertBefore, "#[inline]\n"),
            "fn a() {}\n\n#[inline]\n/// Counts.\nfn b() {}\n",
        ),
        (
            "go",
            "package a\n\nfunc A() {}\n\nfunc B() {}\n",
            ("B", InsertBefore, "// C does that.\nfunc C() {}"),
            "package a\n\nfunc A() {}\n\n// C does that.\nfunc C() {}\n\nfunc B() {}\n",
        ),
    ]);
}

#[test]
fn several_attributes_on_one_line_belong_to_the_symbol_below() {
    check(&[
        (
            "typescript",
            "class K {\n  @A() @B()\n  one() {}\n\n  two() {}\n}\n",
            ("one", Delete, ""),
            "class K {\n  two() {}\n}\n",
        ),
        (
            "typescript",
            "class K {\n  @A() @B()\n  one() {}\n}\n",
            ("one", InsertBefore, "zero() {}"),
            "class K {\n  zero() {}\n\n  @A() @B()\n  one() {}\n}\n",
        ),
        (
            "rust",
            "#[a] #[b]\nfn one() {}\n\nfn two() {}\n",
            ("one", Delete, ""),
            "fn two() {}\n",
        ),
        (
            "dart",
            "class K {\n  @A() @B()\n  int one() => 1;\n\n  int two() => 2;\n}\n",
            ("one", Delete, ""),
            "class K {\n  int two() => 2;\n}\n",
        ),
        (
            "ruby",
            "class K\n  # doc\n  sig { void }\n  def one\n    1\n  end\n\n  def two\n    2\n  end\nend\n",
            ("one", Delete, ""),
            "class K\n  def two\n    2\n  end\nend\n",
        ),
        (
            "cpp",
            "template <typename T>\ntemplate <class U>\nU G<T>::m(U u) {\n  return u;\n}\nint after;\n",
            ("m", Delete, ""),
            "int after;\n",
        ),
    ]);
}

#[test]
fn the_last_of_a_list_goes_with_the_sign_before_it() {
    check(&[
        (
            "java",
            "enum C {\n    RED(1),\n    BLUE(3);\n\n    int v;\n}\n",
            ("BLUE", Delete, ""),
            "enum C {\n    RED(1);\n\n    int v;\n}\n",
        ),
        (
            "kotlin",
            "enum class E(val v: Int) {\n    AA(1),\n    CC(3);\n    fun x() {}\n}\n",
            ("CC", Delete, ""),
            "enum class E(val v: Int) {\n    AA(1);\n    fun x() {}\n}\n",
        ),
        (
            "dart",
            "enum F {\n  aa(1),\n  bb(2);\n  const F(this.v);\n  final int v;\n}\n",
            ("bb", Delete, ""),
            "enum F {\n  aa(1);\n  const F(this.v);\n  final int v;\n}\n",
        ),
        (
            "ruby",
            "class A\n  attr_accessor :t\n  def f\n  end\nend\n",
            ("t", Delete, ""),
            "class A\n  def f\n  end\nend\n",
        ),
        (
            "python",
            "class A:\n    a = 1; b = 2\n",
            ("b", Delete, ""),
            "class A:\n    a = 1;\n",
        ),
        (
            "java",
            "class A {\n    void f() {} void g() {}\n}\n",
            ("f", Delete, ""),
            "class A {\n    void g() {}\n}\n",
        ),
    ]);
    let last = [("B", Delete, ""), ("C", Delete, "")];
    for (language, text, expected) in [
        ("typescript", "enum E { A, B, C }\n", "enum E { A }\n"),
        ("java", "enum E { A, B, C }\n", "enum E { A }\n"),
        (
            "typescript",
            "const A = 1, B = 2, C = 3;\n",
            "const A = 1;\n",
        ),
    ] {
        let (after, _) = edit(language, text, &last).expect("edits");
        assert_eq!(after, expected);
    }
}

#[test]
fn a_refusal_names_only_the_symbols_of_the_block() {
    let text = "class A:\n    def one(self):\n        pass\n\n\ndef four():\n    pass\n";
    let error = edit("python", text, &[("one", Delete, ""), ("four", Delete, "")]);
    let error = error.expect_err("refused");
    assert!(error.contains(": `one` is all"), "{error}");
}
