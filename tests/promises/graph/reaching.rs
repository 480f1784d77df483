//! `impact_analysis` lists a test only if it reaches the symbol, says by which path, and counts tests by file; it lists
//! overrides and changed signatures. `find_callers` lists production code before tests.

use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::diffs::committed;
use super::{asking, home, put, repository};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    let git = || Needs::Program("git", "needs git");
    vec![
        proof(
            "impact_lists_only_tests_that_reach_the_symbol",
            Needs::Nothing,
            colliding_names,
        ),
        proof(
            "impact_counts_tests_with_titles_and_not_their_lines",
            Needs::Nothing,
            titles,
        ),
        proof(
            "impact_of_an_abstract_method_lists_its_overrides",
            Needs::Nothing,
            overrides,
        ),
        proof(
            "impact_of_a_diff_says_which_signatures_changed",
            git(),
            signatures,
        ),
        proof(
            "impact_of_a_diff_says_what_was_not_compared",
            git(),
            not_compared,
        ),
        proof(
            "callers_in_production_code_come_before_tests",
            Needs::Nothing,
            callers,
        ),
    ]
}

async fn impact(questions: &mut Questions, symbol: &str) -> Value {
    let asked = json!({ "symbol": symbol, "max_tokens": 10000 });
    questions
        .ask("impact_analysis", asked)
        .await
        .unwrap_or_else(|error| panic!("{symbol}: {error}"))
}

/// Returns `name via function` for each test.
fn tests(answer: &Value) -> Vec<String> {
    let test = |test: &Value| {
        let via = test["via"]
            .as_str()
            .map(|via| format!(" via {via}"))
            .unwrap_or_default();
        format!("{}{via}", test["qualified"].as_str().expect("a name"))
    };
    answer["tests"]
        .as_array()
        .expect("a list")
        .iter()
        .map(test)
        .collect()
}

const DICT: &str = r#"#include "dict.h"
#include "assert.h"

static int resize(dict *d, unsigned long size) {
    d->size = size;
    return 0;
}

int dictExpand(dict *d, unsigned long size) {
    return resize(d, size);
}

int dictAdd(dict *d, int key) {
    assert(key > 0);
    return dictExpand(d, d->size * 2);
}
"#;

/// As in a large C program: everything asserts, the reporter of a failed assertion uses nearly everything, and several
/// programs have a `main` and functions of the same names.
async fn colliding_names() {
    let home = home();
    let files = [
        (
            "src/dict.h",
            "typedef struct dict { unsigned long size; } dict;\nint dictExpand(dict *d, unsigned long size);\nint dictAdd(dict *d, int key);\n",
        ),
        ("src/dict.c", DICT),
        (
            "src/assert.h",
            "void reportFailure(const char *text);\n#define assert(e) ((e) ? (void)0 : reportFailure(#e))\n",
        ),
        (
            "src/debug.c",
            "#include \"dict.h\"\n#include \"assert.h\"\n\nvoid reportFailure(const char *text) {\n    dict d = {1};\n    dictAdd(&d, 1);\n}\n",
        ),
        (
            "src/server.c",
            "#include \"dict.h\"\n\nvoid usage(void) {\n    dict d = {1};\n    dictAdd(&d, 1);\n}\n\nint main(void) {\n    usage();\n    return 0;\n}\n",
        ),
        (
            "src/benchmark.c",
            "void usage(void) {\n}\n\nint main(void) {\n    usage();\n    return 0;\n}\n",
        ),
        (
            "tests/list.c",
            "#include \"../src/assert.h\"\n\nvoid testList(void) {\n    assert(1 + 1 == 2);\n}\n",
        ),
        (
            "tests/tool.c",
            "void usage(void);\n\nvoid testTool(void) {\n    usage();\n}\n",
        ),
        (
            "tests/dict.c",
            "#include \"../src/dict.h\"\n#include \"../src/assert.h\"\n\nstatic dict filled(void) {\n    dict d = {1};\n    dictAdd(&d, 1);\n    return d;\n}\n\nvoid testAdd(void) {\n    dict d = filled();\n    assert(d.size);\n}\n\nvoid testExpand(void) {\n    dict d = {1};\n    assert(dictExpand(&d, 4) == 0);\n    assert(dictExpand(&d, 8) == 0);\n}\n\nint main(void) {\n    testAdd();\n    testExpand();\n    return 0;\n}\n",
        ),
    ];
    let root = repository(&home, "store", &files);
    let mut questions = asking(&home, &root).await;
    let answer = impact(&mut questions, "dictExpand").await;
    let mut found = tests(&answer);
    found.sort();
    assert_eq!(found, ["testAdd via filled", "testExpand"], "{answer}");
    assert_eq!(
        answer["test_files"],
        json!([{ "path": "tests/dict.c", "total": 2 }]),
        "{answer}"
    );
    assert_eq!(answer["total_tests"], 2, "{answer}");
    let (text, _) = questions
        .session()
        .call("impact_analysis", json!({ "symbol": "dictExpand" }))
        .await;
    let wanted = "tests that reach it (2 in 1 file)\n  tests/dict.c (2)\n    testExpand:15\n    via filled: testAdd:10\n";
    assert!(text.contains(wanted), "{text}");
    let answer = impact(&mut questions, "reportFailure").await;
    assert_eq!(
        (tests(&answer).len(), &answer["total_tests"]),
        (0, &json!(0)),
        "{answer}"
    );
}

async fn titles() {
    let home = home();
    let suite = r#"import { expect, test, describe } from "vitest";
import { parse } from "../src/parse";

test("numbers are parsed", () => {
  expect(parse("1")).toBe(1);
  expect(parse("2")).toBe(2);
  expect(() => {
    parse("x");
  }).toThrow();
});

describe("words", () => {
  test("are refused", async () => {
    const result = parse("word");
    expect(result).toBe(0);
    expect(parse("other")).toBe(0);
  });
});

test("nothing is parsed", () => {
  expect(1).toBe(1);
});
"#;
    let files = [
        (
            "src/parse.ts",
            "export function parse(text: string): number {\n  return Number(text);\n}\n",
        ),
        ("tests/parse.test.ts", suite),
    ];
    let root = repository(&home, "numbers", &files);
    let mut questions = asking(&home, &root).await;
    let answer = impact(&mut questions, "parse").await;
    assert_eq!(
        tests(&answer),
        ["numbers are parsed", "are refused"],
        "{answer}"
    );
    assert_eq!(answer["total_tests"], 2, "{answer}");
    let (shown, _) = questions
        .session()
        .call("impact_analysis", json!({ "symbol": "parse" }))
        .await;
    assert!(
        shown.contains("    \"numbers are parsed\":4, \"are refused\":13\n"),
        "{shown}"
    );
}

async fn overrides() {
    let home = home();
    let python = "from abc import ABC, abstractmethod\n\n\nclass Shape(ABC):\n    @abstractmethod\n    def area(self):\n        ...\n\n\nclass Square(Shape):\n    def area(self):\n        return 1\n\n\nclass Circle(Shape):\n    def area(self):\n        return 3\n\n\nclass Field:\n    def area(self):\n        return 5\n";
    let rust = "pub trait Store {\n    fn open(&self) -> u8;\n}\n\npub struct Disk;\n\nimpl Store for Disk {\n    fn open(&self) -> u8 {\n        1\n    }\n}\n";
    let java = "package a;\n\npublic interface Job {\n    void start();\n}\n";
    let copy = "package a;\n\npublic class Copy implements Job {\n    public void start() {}\n}\n";
    let files = [
        ("shapes.py", python),
        ("src/store.rs", rust),
        ("a/Job.java", java),
        ("a/Copy.java", copy),
        (
            "Cargo.toml",
            "[package]\nname = \"a\"\nversion = \"0.1.0\"\n",
        ),
    ];
    let root = repository(&home, "shapes", &files);
    let mut questions = asking(&home, &root).await;
    let listed = |answer: &Value| -> Vec<String> {
        let all = answer["overrides"].as_array().expect("a list").iter();
        all.map(|one| format!("{}:{}", one["path"].as_str().expect("a path"), one["line"]))
            .collect()
    };
    for (symbol, expected) in [
        ("Shape.area", vec!["shapes.py:11", "shapes.py:16"]),
        ("Store::open", vec!["src/store.rs:8"]),
        ("Job.start", vec!["a/Copy.java:4"]),
        ("Square.area", vec![]),
    ] {
        let answer = impact(&mut questions, symbol).await;
        assert_eq!(listed(&answer), expected, "{symbol}: {answer}");
        assert_eq!(answer["total_overrides"], expected.len(), "{symbol}");
    }
    let (text, _) = questions
        .session()
        .call("impact_analysis", json!({ "symbol": "Shape.area" }))
        .await;
    assert!(
        text.contains("overridden or implemented by (2)\n  shapes.py:11-12  "),
        "{text}"
    );
}

async fn signatures() {
    let home = home();
    let before = "pub fn kept(a: u8) -> u8 {\n    a\n}\n\npub fn longer(\n    a: u8,\n) -> u8 {\n    a\n}\n\npub fn inner(a: u8) -> u8 {\n    a\n}\n\npub fn gone() {}\n";
    let after = "pub fn kept(a: u8) -> u8 {\n    a\n}\n\npub fn longer(\n    a: u8,\n    b: u8,\n) -> u8 {\n    a\n}\n\npub fn inner(a: u8) -> u8 {\n    a + 1\n}\n\npub fn fresh() {}\n";
    let manifest = "[package]\nname = \"a\"\nversion = \"0.1.0\"\n";
    let user = "use crate::lib::longer;\n\npub fn user() -> u8 {\n    longer(1)\n}\n";
    let root = committed(
        &home,
        "signatures",
        &[
            ("Cargo.toml", manifest),
            ("src/lib.rs", before),
            ("src/user.rs", user),
        ],
    );
    put(&root, "src/lib.rs", after.as_bytes());
    let mut questions = asking(&home, &root).await;
    let answer = questions
        .ask("impact_analysis", json!({ "diff": "working" }))
        .await
        .expect("an answer");
    let changed: Vec<(&str, &str, Option<&str>)> = answer["changed"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            let word = |field: &str| one[field].as_str().expect("a word");
            (
                word("qualified"),
                word("change"),
                one["old_signature"].as_str(),
            )
        })
        .collect();
    let (longer, rest) = changed.split_first().expect("some");
    assert_eq!((longer.0, longer.1), ("longer", "modified"), "{changed:?}");
    let old = longer
        .2
        .expect("an old signature")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(old.contains("a: u8") && !old.contains("b: u8"), "{old}");
    let mut rest: Vec<_> = rest.to_vec();
    rest.sort_unstable();
    assert_eq!(
        rest,
        [
            ("fresh", "added", None),
            ("gone", "removed", None),
            ("inner", "modified", None)
        ],
        "{answer}"
    );
    assert_eq!(answer["total_signatures"], 1, "{answer}");
    let (text, _) = questions
        .session()
        .call("impact_analysis", json!({ "diff": "working" }))
        .await;
    assert!(
        text.contains("function longer  modified, signature changed\n    - pub fn longer("),
        "{text}"
    );
    assert!(text.contains("1 signature changed"), "{text}");
}

async fn not_compared() {
    let home = home();
    let root = committed(
        &home,
        "bounds",
        &[
            ("a.py", "def a():\n    return 1\n"),
            ("data.bin", "\0\u{1}"),
        ],
    );
    put(&root, "a.py", b"def a():\n    return 2\n");
    put(&root, "data.bin", b"\0\x02");
    put(
        &root,
        "large.txt",
        "a line that is repeated\n".repeat(200_000).as_bytes(),
    );
    let git = std::process::Command::new("git")
        .args(["add", "large.txt"])
        .current_dir(&root)
        .output();
    assert!(git.is_ok_and(|output| output.status.success()));
    let mut questions = asking(&home, &root).await;
    let answer = questions
        .ask("impact_analysis", json!({ "diff": "working" }))
        .await
        .expect("an answer");
    assert_eq!(
        (
            &answer["not_compared"]["binary"],
            &answer["not_compared"]["large"]
        ),
        (&json!(1), &json!(1)),
        "{answer}"
    );
    let (text, _) = questions
        .session()
        .call("impact_analysis", json!({ "diff": "working" }))
        .await;
    assert!(
        text.contains("not compared: 2 files (1 binary, 1 too large)"),
        "{text}"
    );
}

async fn callers() {
    let home = home();
    let files = [
        (
            "a_tests/test_base.py",
            "from lib.base import base\n\n\ndef test_base():\n    base()\n",
        ),
        ("lib/base.py", "def base():\n    return 1\n"),
        (
            "zoo/user.py",
            "from lib.base import base\n\n\ndef user():\n    base()\n",
        ),
        (
            "tests/test_more.py",
            "from lib.base import base\n\n\ndef test_more():\n    base()\n",
        ),
    ];
    let root = repository(&home, "zoo", &files);
    let mut questions = asking(&home, &root).await;
    let answer = questions
        .ask("find_callers", json!({ "symbol": "base" }))
        .await
        .expect("an answer");
    let names: Vec<_> = answer["callers"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["name"].clone())
        .collect();
    assert_eq!(names, ["user", "test_base", "test_more"], "{answer}");
}
