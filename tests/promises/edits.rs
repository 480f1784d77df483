//! Edits of symbols: what they change, what they refuse, and that a call makes all of its edits or none.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use claudevil_tests::chance::Chance;
use claudevil_tests::home::{Home, put, repository};
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof("edit_fits_the_text_to_its_file", Needs::Nothing, fits),
        proof(
            "edit_keeps_comments_and_attributes",
            Needs::Nothing,
            keeps_annotations,
        ),
        proof(
            "edit_refuses_what_does_not_parse_or_reaches_further",
            Needs::Nothing,
            refuses,
        ),
        proof(
            "edit_deletes_only_what_nothing_uses",
            Needs::Nothing,
            deletes,
        ),
        proof(
            "edit_deletes_what_may_be_used_only_if_told_to",
            Needs::Nothing,
            possible_uses,
        ),
        proof(
            "edit_changes_several_symbols_or_none",
            Needs::Nothing,
            several,
        ),
        proof("edit_of_a_changed_file_is_stale", Needs::Nothing, stale),
        proof(
            "renames_and_deletions_need_every_edit_to_be_indexed",
            Needs::DebugBuilds,
            not_indexed_yet,
        ),
        proof(
            "undo_restores_the_files_unless_they_have_changed",
            Needs::Nothing,
            undo,
        ),
        proof(
            "an_edit_that_is_killed_is_whole_or_not_at_all",
            Needs::Nothing,
            killed,
        ),
    ]
}

fn home() -> Home {
    Home::new().with("CLAUDEVIL_EMBEDDER", "none")
}

/// Makes a project with these files, and a session that asks about it.
async fn project(home: &Home, files: &[(&str, &str)]) -> (PathBuf, Questions) {
    let root = repository(home, "engine", &[]);
    for (path, text) in files {
        put(&root, path, text.as_bytes());
    }
    let mut questions = Questions::start(home, &root).await;
    questions.settled().await;
    (root, questions)
}

async fn apply(questions: &mut Questions, arguments: Value) -> Result<Value, String> {
    questions.change("edit_symbol", arguments).await
}

fn read(root: &Path, path: &str) -> String {
    fs::read_to_string(root.join(path)).expect("a text")
}

/// A file, its text, the edit, and the text afterwards.
type Case = (
    &'static str,
    &'static str,
    (&'static str, &'static str, &'static str),
    &'static str,
);

const FITS: &[Case] = &[
    (
        "a.rs",
        "struct A;\n\nimpl A {\n    fn one(&self) -> u8 {\n        1\n    }\n}\n",
        ("A::one", "replace_body", "let x = 2;\nx"),
        "struct A;\n\nimpl A {\n    fn one(&self) -> u8 {\n        let x = 2;\n        x\n    }\n}\n",
    ),
    (
        "a.py",
        "class A:\n    def one(self):\n        \"\"\"The first.\"\"\"\n        return 1\n\n    def two(self):\n        return 2\n",
        ("A.one", "replace_body", "x = 1\nreturn x"),
        "class A:\n    def one(self):\n        \"\"\"The first.\"\"\"\n        x = 1\n        return x\n\n    def two(self):\n        return 2\n",
    ),
    (
        "a.py",
        "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n",
        ("A.one", "insert_after", "def new(self):\n    return 3"),
        "class A:\n    def one(self):\n        return 1\n\n    def new(self):\n        return 3\n\n    def two(self):\n        return 2\n",
    ),
    (
        "a.go",
        "package a\r\n\r\nfunc One() int {\r\n\treturn 1\r\n}\r\n",
        (
            "One",
            "replace",
            "func One() int {\n    if true {\n        return 2\n    }\n    return 3\n}",
        ),
        "package a\r\n\r\nfunc One() int {\r\n\tif true {\r\n\t\treturn 2\r\n\t}\r\n\treturn 3\r\n}\r\n",
    ),
    (
        "a.ts",
        "export function one() {\n  return 1;\n}",
        ("one", "insert_after", "export const two = () => 2;"),
        "export function one() {\n  return 1;\n}\n\nexport const two = () => 2;",
    ),
    (
        "a.ts",
        "export function one() {\n  return 1;\n}\n\nexport function two() {\n  return 2;\n}\n",
        ("two", "delete", ""),
        "export function one() {\n  return 1;\n}\n",
    ),
    (
        "A.java",
        "class A {\n    int one() { return 1; }\n\n    int two() { return 2; }\n}\n",
        (
            "A.two",
            "insert_before",
            "/** The new one. */\nint three() {\n    return 3;\n}",
        ),
        "class A {\n    int one() { return 1; }\n\n    /** The new one. */\n    int three() {\n        return 3;\n    }\n\n    int two() { return 2; }\n}\n",
    ),
    (
        "a.js",
        "const a = {\n  one() {\n    return 1;\n  },\n  two() {},\n};\n",
        ("one", "replace", "  one() {\n    return 2;\n  },"),
        "const a = {\n  one() {\n    return 2;\n  },\n  two() {},\n};\n",
    ),
    (
        "a.tsx",
        "const a = {\n  one: (b: number) =>\n    b,\n}\n",
        ("one", "replace_body", "    b + 1,"),
        "const a = {\n  one: (b: number) =>\n    b + 1,\n}\n",
    ),
    (
        "a.h",
        "#ifndef A_H\n#define A_H\n#define ONE 1\n#endif\n",
        ("ONE", "insert_after", "#define TWO 2"),
        "#ifndef A_H\n#define A_H\n#define ONE 1\n#define TWO 2\n#endif\n",
    ),
    (
        "a.lua",
        "local size = 1 -- in bytes\n",
        ("size", "replace", "local size = 2 -- in words"),
        "local size = 2 -- in words\n",
    ),
    (
        "a.py",
        "class A:\n    def __init__(self):\n        self.size = 0\n",
        ("A.size", "replace", "self.size = 1"),
        "class A:\n    def __init__(self):\n        self.size = 1\n",
    ),
    (
        "a.py",
        "async def one(a):\n    # The first.\n\n    async with a:\n        return 1\n",
        ("one", "replace_body", "# The second.\nreturn 2"),
        "async def one(a):\n    # The second.\n    return 2\n",
    ),
    (
        "A.hs",
        "a :: [Int]\na =\n  [ 1\n  ]\n",
        ("a", "replace", "a :: [Int]\na =\n  [ 1\n  , 2\n  ]"),
        "a :: [Int]\na =\n  [ 1\n  , 2\n  ]\n",
    ),
    (
        "a.rb",
        "class A\n  def one\n    1\n  end\nend\n",
        ("one", "replace_body", "x = 2\nx"),
        "class A\n  def one\n    x = 2\n    x\n  end\nend\n",
    ),
    // Lines of strings stay as they are, whatever the indentation around them.
    (
        "A.cs",
        "class A {\n    string One() {\n        return null;\n    }\n}\n",
        (
            "A.One",
            "replace_body",
            "{\n    var a = @\"select\n  one\";\n    return a;\n}",
        ),
        "class A {\n    string One() {\n        var a = @\"select\n  one\";\n        return a;\n    }\n}\n",
    ),
    (
        "a.py",
        "class A:\n    def one(self):\n        return 1\n",
        (
            "A.one",
            "replace",
            "def one(self):\n    \"\"\"The first.\n\n    More.\n    \"\"\"\n    return f(\n        \"\"\"a\n        b\"\"\")",
        ),
        "class A:\n    def one(self):\n        \"\"\"The first.\n\n        More.\n        \"\"\"\n        return f(\n            \"\"\"a\n        b\"\"\")\n",
    ),
    (
        "a.sh",
        "one() {\n    echo 1\n}\n",
        ("one", "replace_body", "    cat <<END\n  a\nEND\n    echo 2"),
        "one() {\n    cat <<END\n  a\nEND\n    echo 2\n}\n",
    ),
    (
        "a.sh",
        "one() {\n  cat <<END\na\nEND\n}\n",
        ("one", "insert_after", "two() {\n  cat <<END\n  b\nEND\n}"),
        "one() {\n  cat <<END\na\nEND\n}\n\ntwo() {\n  cat <<END\n  b\nEND\n}\n",
    ),
    (
        "a.rb",
        "module A\n  ONE = <<~END\n    a\n  END\n\n  TWO = 2\nend\n",
        ("ONE", "insert_after", "THREE = 3"),
        "module A\n  ONE = <<~END\n    a\n  END\n\n  THREE = 3\n\n  TWO = 2\nend\n",
    ),
    (
        "a.rb",
        "module A\n  ONE = <<~END\n    a\n  END\n\n  TWO = 2\nend\n",
        ("ONE", "delete", ""),
        "module A\n  TWO = 2\nend\n",
    ),
    (
        "a.ml",
        "let one a =\n  (* The first. *)\n  a + 1\n",
        ("one", "replace_body", "(* The second. *)\na + 2"),
        "let one a =\n  (* The second. *)\n  a + 2\n",
    ),
];

async fn fits() {
    for (path, before, edit, after) in FITS {
        check_case(path, before, *edit, after).await;
    }
}

/// Makes one edit of one file, and compares every byte.
async fn check_case(
    path: &str,
    before: &str,
    (symbol, action, text): (&str, &str, &str),
    after: &str,
) {
    let home = home();
    let (root, mut questions) = project(&home, &[(path, before)]).await;
    let mut asked = json!({ "symbol": symbol, "action": action });
    if !text.is_empty() {
        asked["text"] = json!(text);
    }
    let shown = questions
        .ask_until_current("edit_symbol", asked.clone())
        .await;
    let shown = shown.unwrap_or_else(|error| panic!("{path} {asked}: {error}"));
    assert_eq!(read(&root, path), before, "a dry run changes nothing");
    asked["preview"] = shown["preview"].clone();
    let applied = apply(&mut questions, asked.clone()).await.expect("applied");
    assert_eq!(applied["applied"], true, "{applied}");
    assert_eq!(
        applied["files"], shown["files"],
        "what was shown is what was done"
    );
    assert_eq!(read(&root, path), after, "{path} {asked}");
}

const ANNOTATED: &[Case] = &[
    // Comments beside and below an annotation are no documentation.
    (
        "A.java",
        "/** Counts. */\n@Deprecated\n// A class.\nclass A {\n}\n",
        (
            "A",
            "replace",
            "@Deprecated\n// A class.\nclass A {\n    int one;\n}",
        ),
        "/** Counts. */\n@Deprecated\n// A class.\nclass A {\n    int one;\n}\n",
    ),
    (
        "A.java",
        "/** Counts. */\n@Deprecated // since 2.0\nclass A {\n}\n",
        (
            "A",
            "replace",
            "@Deprecated // since 2.0\nclass A {\n    int one;\n}",
        ),
        "/** Counts. */\n@Deprecated // since 2.0\nclass A {\n    int one;\n}\n",
    ),
    (
        "a.rs",
        "/// Counts.\n#[inline]\nfn one() -> u8 {\n    1\n}\n",
        ("one", "replace", "fn one() -> u16 {\n    2\n}"),
        "/// Counts.\n#[inline]\nfn one() -> u16 {\n    2\n}\n",
    ),
    (
        "a.rs",
        "/// Counts.\n#[inline]\nfn one() -> u8 {\n    1\n}\n",
        (
            "one",
            "replace",
            "/// Counts better.\nfn one() -> u8 {\n    2\n}",
        ),
        "/// Counts better.\n#[inline]\nfn one() -> u8 {\n    2\n}\n",
    ),
    (
        "a.py",
        "class A:\n    # Cached.\n    @property\n    def one(self):\n        return 1\n",
        ("A.one", "replace", "def one(self):\n    return 2"),
        "class A:\n    # Cached.\n    @property\n    def one(self):\n        return 2\n",
    ),
    (
        "A.java",
        "class A {\n    /** Says it. */\n    @Override\n    public String toString() {\n        return \"a\";\n    }\n}\n",
        (
            "A.toString",
            "replace",
            "public String toString() {\n    return \"b\";\n}",
        ),
        "class A {\n    /** Says it. */\n    @Override\n    public String toString() {\n        return \"b\";\n    }\n}\n",
    ),
    // The code keeps its indentation, whatever the indentation of the comment above it.
    (
        "A.java",
        "class A {\n   /** Counts. */\n    int one()\n    {\n        return 1;\n    }\n}\n",
        (
            "A.one",
            "replace",
            "    int one()\n    {\n        return 2;\n    }",
        ),
        "class A {\n   /** Counts. */\n    int one()\n    {\n        return 2;\n    }\n}\n",
    ),
    (
        "a.rs",
        "fn a() {}\n\n/// Counts.\n#[inline]\nfn one() -> u8 {\n    1\n}\n\nfn b() {}\n",
        ("one", "delete", ""),
        "fn a() {}\n\nfn b() {}\n",
    ),
    (
        "a.rs",
        "fn a() {}\n\n/// Counts.\n#[inline]\nfn one() -> u8 {\n    1\n}\n",
        ("one", "insert_before", "fn two() {}"),
        "fn a() {}\n\nfn two() {}\n\n/// Counts.\n#[inline]\nfn one() -> u8 {\n    1\n}\n",
    ),
    (
        "A.cs",
        "class A {\n    int b;\n\n    /// Counts.\n#pragma warning disable 1\n    int One() { return 1; }\n}\n",
        ("A.One", "insert_before", "int Two() { return 2; }"),
        "class A {\n    int b;\n\n    int Two() { return 2; }\n\n    /// Counts.\n#pragma warning disable 1\n    int One() { return 1; }\n}\n",
    ),
    (
        "a.ex",
        "defmodule A do\n  @doc false\n  @deprecated \"Use B\"\n  def one(a) do\n    a\n  end\nend\n",
        ("A.one", "insert_before", "def two(a) do\n  a\nend"),
        "defmodule A do\n  def two(a) do\n    a\n  end\n\n  @doc false\n  @deprecated \"Use B\"\n  def one(a) do\n    a\n  end\nend\n",
    ),
];

async fn keeps_annotations() {
    for (path, before, edit, after) in ANNOTATED {
        check_case(path, before, *edit, after).await;
    }
}

async fn refuses() {
    let text = "fn one() {\n    two();\n}\n\nfn two() {}\n\nstruct A;\nstruct B;\n\nimpl A {\n    fn run() {}\n}\n\nimpl B {\n    fn run() {}\n}\n";
    let home = home();
    let ruby = "class A\n  attr_reader :site, :dir\nend\n";
    let scala = "object A {\n  val b = new C { def part(c: Int): Int = c }\n}\n";
    let haskell = "module A where\n\ninstance B C where same = D\n";
    let files = [
        ("a.rs", text),
        ("notes.md", "# One\n"),
        ("a.rb", ruby),
        ("A.scala", scala),
        ("A.hs", haskell),
    ];
    let (root, mut questions) = project(&home, &files).await;
    for (asked, expected) in [
        (
            json!({ "symbol": "one", "action": "replace", "text": "fn one() { let = ; }" }),
            "does not parse",
        ),
        (
            json!({ "symbol": "one", "action": "replace", "text": "fn one() {\n}\nmod more {\n" }),
            "does not parse",
        ),
        (
            json!({ "symbol": "one", "action": "replace_body", "text": "}\nfn more() {" }),
            "outside the edit",
        ),
        (
            json!({ "symbol": "run", "action": "replace_body", "text": "1" }),
            "ambiguous_symbol",
        ),
        (
            json!({ "path": "notes.md", "line": 1, "action": "replace", "text": "# Two" }),
            "cannot be edited",
        ),
        (
            json!({ "symbol": "dir", "action": "replace", "text": "attr_reader :folder" }),
            "only a part of its line",
        ),
        (
            json!({ "symbol": "dir", "action": "replace", "text": ":folder, more()" }),
            "only a part of its line",
        ),
        (
            json!({ "symbol": "part", "action": "replace", "text": "val b = new C { def part(c: Int): Int = c }" }),
            "only a part of its line",
        ),
        (
            json!({ "symbol": "same", "action": "replace", "text": "instance B C where same = D" }),
            "only a part of its line",
        ),
        (
            json!({ "symbol": "nowhere", "action": "delete" }),
            "symbol_not_found",
        ),
        (
            json!({ "symbol": "one", "action": "delete", "text": "x" }),
            "takes no",
        ),
        (json!({ "symbol": "one", "action": "replace" }), "missing"),
    ] {
        let error = apply(&mut questions, asked.clone())
            .await
            .expect_err("refused");
        assert!(error.contains(expected), "{asked}: {error}");
        assert_eq!(read(&root, "a.rs"), text, "{asked}");
    }
}

async fn deletes() {
    let lib = "def used():\n    pass\n\n\ndef unused():\n    pass\n";
    let main = "from lib import used\n\n\ndef main():\n    used()\n";
    let home = home();
    let (root, mut questions) = project(&home, &[("lib.py", lib), ("main.py", main)]).await;
    let asked = json!({ "symbol": "used", "action": "delete" });
    let error = apply(&mut questions, asked).await.expect_err("it is used");
    assert!(error.contains("main.py:5"), "{error}");
    assert_eq!(read(&root, "lib.py"), lib);
    let alone = "class Alone:\n    def only(self):\n        pass\n";
    put(&root, "alone.py", alone.as_bytes());
    questions.settled().await;
    let asked = json!({ "symbol": "Alone.only", "action": "delete" });
    let error = apply(&mut questions, asked).await.expect_err("all of it");
    assert!(error.contains("all that its block has"), "{error}");
    assert_eq!(read(&root, "alone.py"), alone);
    let asked = json!({ "symbol": "unused", "action": "delete" });
    apply(&mut questions, asked).await.expect("nothing uses it");
    assert_eq!(read(&root, "lib.py"), "def used():\n    pass\n");
}

/// A file that is not indexed, and a call of a method whose receiver has no type, may use what is deleted.
async fn possible_uses() {
    let home = home();
    let helper = "package p\n\nfunc Helper() {}\n\nfunc Other() {}\n";
    let generated =
        "// Code generated by gen. DO NOT EDIT.\n\npackage p\n\nfunc G() { Helper() }\n";
    let job = "class Job:\n    def run(self):\n        pass\n\n    def stop(self):\n        pass\n";
    let files = [
        ("a.go", helper),
        ("gen.go", generated),
        ("job.py", job),
        ("go.py", "def go(j):\n    j.run()\n"),
    ];
    let (root, mut questions) = project(&home, &files).await;
    for (symbol, path, place) in [
        ("Helper", "a.go", "gen.go (generated)"),
        ("Job.run", "job.py", "go.py:2"),
    ] {
        let before = read(&root, path);
        let mut asked = json!({ "symbol": symbol, "action": "delete" });
        let shown = questions
            .ask_until_current("edit_symbol", asked.clone())
            .await;
        let shown = shown.expect("shown");
        let note = &shown["edits"][0]["notes"][0];
        assert!(
            note.as_str().is_some_and(|note| note.contains(place)),
            "{shown}"
        );
        let error = apply(&mut questions, asked.clone())
            .await
            .expect_err("it may be used");
        assert!(
            error.contains(place) && error.contains("allow_possible_uses"),
            "{error}"
        );
        assert_eq!(read(&root, path), before);
        asked["allow_possible_uses"] = true.into();
        apply(&mut questions, asked).await.expect("deleted");
        assert!(!read(&root, path).contains(symbol.rsplit('.').next().expect("a name")));
    }
}

async fn several() {
    let (one, two) = (
        "def first():\n    return second()\n",
        "def second():\n    return 2\n",
    );
    let home = home();
    let (root, mut questions) = project(
        &home,
        &[
            ("one.py", &format!("from two import second\n\n\n{one}")),
            ("two.py", &format!("{two}\n\ndef third():\n    return 3\n")),
        ],
    )
    .await;
    let edits = |text: &str| {
        json!({ "edits": [
            { "symbol": "first", "action": "replace_body", "text": text },
            { "symbol": "third", "action": "delete" },
        ] })
    };
    let before = (read(&root, "one.py"), read(&root, "two.py"));
    let error = apply(&mut questions, edits("return ("))
        .await
        .expect_err("no code");
    assert!(
        error.contains("one.py") && error.contains("does not parse"),
        "{error}"
    );
    assert_eq!(
        (read(&root, "one.py"), read(&root, "two.py")),
        before,
        "neither"
    );
    let made = apply(&mut questions, edits("return 1"))
        .await
        .expect("both");
    assert_eq!(made["total_files"], 2, "{made}");
    assert!(read(&root, "one.py").ends_with("def first():\n    return 1\n"));
    assert_eq!(read(&root, "two.py"), two);
    let overlapping = json!({ "edits": [
        { "symbol": "first", "action": "replace_body", "text": "return 4" },
        { "symbol": "first", "action": "replace", "text": "def first():\n    return 5" },
    ] });
    let error = apply(&mut questions, overlapping)
        .await
        .expect_err("which one?");
    assert!(error.contains("overlap"), "{error}");
}

/// While a worker hangs, a new file with a use is not indexed: the use would be left behind.
async fn not_indexed_yet() {
    let home = home()
        .with("CLAUDEVIL_WORKERS", "1")
        .with("CLAUDEVIL_TEST_SILENCE", "60000");
    let library = "pub fn answer() -> u32 {\n    42\n}\n";
    let (root, mut first) = project(&home, &[("src/lib.rs", library)]).await;
    let mut second = Questions::start(&home, &root).await;
    second.settled().await;
    put(&root, "src/hang.txt", b"claudevil-test: hang\n");
    put(
        &root,
        "src/user.rs",
        b"pub fn user() -> u32 {\n    crate::answer()\n}\n",
    );
    let rename = json!({ "symbol": "answer", "new_name": "reply", "dry_run": false });
    let delete = json!({ "symbol": "answer", "action": "delete", "dry_run": false });
    let (renamed, deleted) = tokio::join!(
        first.ask("rename_symbol", rename),
        second.ask("edit_symbol", delete)
    );
    for refused in [renamed, deleted] {
        let error = refused.expect_err("a use is not indexed");
        assert!(error.starts_with("stale: "), "{error}");
    }
    assert_eq!(read(&root, "src/lib.rs"), library);
}

/// Two sessions have read the same file: the first to write wins, and the other is refused as stale.
async fn stale() {
    let home = home();
    let text = "fn one() {\n    1;\n}\n\nfn two() {\n    2;\n}\n";
    let (root, mut first) = project(&home, &[("a.rs", text)]).await;
    let mut second = Questions::start(&home, &root).await;
    let edit = |symbol: &str| json!({ "symbol": symbol, "action": "replace_body", "text": "3;" });
    let shown = [
        first
            .ask_until_current("edit_symbol", edit("one"))
            .await
            .expect("shown"),
        second
            .ask_until_current("edit_symbol", edit("two"))
            .await
            .expect("shown"),
    ];
    let with_preview = |symbol: &str, shown: &Value| {
        let mut asked = edit(symbol);
        asked["preview"] = shown["preview"].clone();
        asked
    };
    apply(&mut first, with_preview("one", &shown[0]))
        .await
        .expect("the first");
    let changed = read(&root, "a.rs");
    let error = apply(&mut second, with_preview("two", &shown[1]))
        .await
        .expect_err("the second");
    assert!(error.starts_with("stale: "), "{error}");
    assert_eq!(read(&root, "a.rs"), changed);
    // At the same moment: each edit is made as a whole, or refused as late. No body is that of a round before it.
    for round in 10..20 {
        first.caught_up().await;
        let text = format!("{round};");
        let asked = |symbol: &str| json!({ "symbol": symbol, "action": "replace_body", "text": text, "dry_run": false });
        let made = tokio::join!(
            first.ask("edit_symbol", asked("one")),
            second.ask("edit_symbol", asked("two"))
        );
        for (answer, symbol) in [(&made.0, "one"), (&made.1, "two")] {
            let is_made =
                read(&root, "a.rs").contains(&format!("fn {symbol}() {{\n    {round};\n}}"));
            match answer {
                Ok(_) => assert!(is_made, "{symbol} in round {round}"),
                Err(error) => {
                    assert!(error.starts_with("stale: "), "{error}");
                    assert!(!is_made, "{symbol} in round {round}");
                }
            }
        }
        assert!(
            made.0.is_ok() || made.1.is_ok(),
            "one of them wins: {made:?}"
        );
    }
}

async fn undo() {
    let text = "fn one() {\n    1;\n}\n";
    let home = home();
    let (root, mut questions) = project(&home, &[("a.rs", text)]).await;
    let nothing = questions
        .ask("undo", json!({}))
        .await
        .expect_err("nothing yet");
    assert!(nothing.contains("no change to undo"), "{nothing}");
    let edit = |text: &str| json!({ "symbol": "one", "action": "replace_body", "text": text });
    apply(&mut questions, edit("2;")).await.expect("applied");
    let second = read(&root, "a.rs");
    apply(&mut questions, edit("3;")).await.expect("applied");
    let third = read(&root, "a.rs");
    let shown = questions
        .ask("undo", json!({ "dry_run": true }))
        .await
        .expect("shown");
    assert_eq!(
        (&shown["applied"], read(&root, "a.rs")),
        (&json!(false), third.clone())
    );
    put(&root, "a.rs", format!("{third}// By hand.\n").as_bytes());
    let error = questions
        .ask("undo", json!({}))
        .await
        .expect_err("edited by hand");
    assert!(error.starts_with("stale: "), "{error}");
    put(&root, "a.rs", third.as_bytes());
    questions
        .ask("undo", json!({}))
        .await
        .expect("as it was left");
    assert_eq!(read(&root, "a.rs"), second);
    questions
        .ask("undo", json!({}))
        .await
        .expect("the one before");
    assert_eq!(read(&root, "a.rs"), text);
    assert!(questions.ask("undo", json!({})).await.is_err());
    // A rename is undone with the move of its file.
    put(&root, "Money.java", b"public class Money {\n}\n");
    questions.until_found("Money", &["Money.java"]).await;
    let rename = json!({ "symbol": "Money", "new_name": "Amount" });
    questions
        .change("rename_symbol", rename)
        .await
        .expect("renamed");
    assert!(root.join("Amount.java").exists() && !root.join("Money.java").exists());
    questions.ask("undo", json!({})).await.expect("taken back");
    assert_eq!(read(&root, "Money.java"), "public class Money {\n}\n");
    assert!(!root.join("Amount.java").exists());
}

const FILES: usize = 20;
const ROUNDS: usize = 10;

async fn killed() {
    let home = home();
    let text = |value: usize| format!("pub fn grow() -> usize {{\n    {value}\n}}\n");
    let names: Vec<String> = (0..FILES)
        .map(|number| format!("src/part{number}.rs"))
        .collect();
    let first = text(0);
    let files: Vec<(&str, &str)> = names
        .iter()
        .map(|name| (name.as_str(), first.as_str()))
        .collect();
    let (root, mut questions) = project(&home, &files).await;
    let journal = home.paths().data().join("changes");
    let is_under_way = || fs::read_dir(&journal).is_ok_and(|mut entries| entries.next().is_some());
    let mut chance = Chance::new(23);
    let mut value = 0;
    let (mut cut, mut done) = (0, 0);
    for round in 1..=ROUNDS {
        questions.settled().await;
        let edits: Vec<Value> = names
            .iter()
            .map(|path| json!({ "path": path, "line": 1, "action": "replace_body", "text": round.to_string() }))
            .collect();
        let asked =
            json!({ "name": "edit_symbol", "arguments": { "edits": edits, "dry_run": false } });
        questions.session().send("tools/call", asked).await;
        let began = Instant::now();
        while !is_under_way() && began.elapsed() < Duration::from_secs(20) {
            tokio::task::yield_now().await;
        }
        // Not a wait for an event: the kill comes at another moment each time.
        tokio::time::sleep(Duration::from_micros(chance.below(20_000) as u64)).await;
        home.kill_daemon().await;
        cut += usize::from(is_under_way());
        drop(questions);
        questions = Questions::start(&home, &root).await;
        questions.settled().await;
        assert!(!is_under_way(), "round {round}: nothing is left to do");
        let texts: Vec<String> = names.iter().map(|path| read(&root, path)).collect();
        let is_new = texts[0] == text(round);
        let expected = if is_new { text(round) } else { text(value) };
        assert!(
            texts.iter().all(|one| *one == expected),
            "round {round}: {texts:?}"
        );
        if is_new {
            done += 1;
            value = round;
        }
    }
    measured(&format!(
        "{ROUNDS} kills: {cut} in the middle of it; {done} were finished, {} not made",
        ROUNDS - done
    ));
    assert!(cut >= 1, "no kill came while files were written");
}
