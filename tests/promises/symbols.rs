//! Symbols by their names: in new projects, in all projects at once, in files that are gone; and the text of a whole symbol.

use std::fs;

use claudevil_tests::home::{Home, repository};
use claudevil_tests::questions::Questions;
use claudevil_tests::tree::Tree;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "symbols_of_files_that_are_gone_are_not_shown",
            Needs::Nothing,
            gone_files,
        ),
        proof(
            "symbols_are_found_in_all_projects",
            Needs::Nothing,
            all_projects,
        ),
        proof(
            "symbols_of_a_new_project_are_waited_for",
            Needs::Nothing,
            new_projects,
        ),
        proof("globs_may_be_absolute", Needs::Nothing, absolute_globs),
        proof(
            "read_file_shows_the_whole_of_a_symbol",
            Needs::Nothing,
            whole_symbols,
        ),
    ]
}

/// Files removed while the daemon does not run; the first questions come while the tree is still being compared.
async fn gone_files() {
    let home = Home::new();
    let tree = Tree::new(&home.scratch().join("user/engine"), 21, 500);
    let mut questions = Questions::start(&home, &tree.root).await;
    questions.settled().await;
    let stopped = home.claudevil(&["daemon", "stop"]).await;
    assert!(stopped.status.success(), "{stopped:?}");
    home.gone().await;
    let all: Vec<(String, String)> = tree
        .visible()
        .map(|(path, names)| (path.to_owned(), names[0].clone()))
        .step_by(16)
        .collect();
    for (path, _) in &all {
        fs::remove_file(tree.root.join(path)).expect("removed");
    }
    for (path, name) in &all {
        let answer = questions
            .ask("find_symbol", json!({ "name": name, "match": "exact" }))
            .await;
        if let Ok(answer) = answer {
            let symbols = answer["symbols"].as_array().expect("a list");
            assert!(
                symbols.iter().all(|symbol| symbol["path"] != path.as_str()),
                "{name}: {answer}"
            );
        }
    }
}

async fn all_projects() {
    let home = Home::new();
    let port = repository(
        &home,
        "port",
        &[("src/a.rs", "pub fn moor() {}\npub fn only_here() {}\n")],
    );
    let quay = repository(
        &home,
        "quay",
        &[
            ("src/a.rs", "pub fn moor() {}\n"),
            ("b.rs", "pub fn moor() {}\n"),
        ],
    );
    let mut questions = Questions::start(&home, &quay).await;
    questions.settled().await;
    let mut questions = Questions::start(&home, &port).await;
    questions.settled().await;
    let places = |answer: &Value| -> Vec<String> {
        let symbols = answer["symbols"].as_array().expect("a list").iter();
        let text = |symbol: &Value, key: &str| symbol[key].as_str().unwrap_or_default().to_owned();
        symbols
            .map(|symbol| format!("{} {}", text(symbol, "root"), text(symbol, "path")))
            .collect()
    };
    let answer = questions
        .ask("find_symbol", json!({ "name": "moor", "root": "*" }))
        .await
        .expect("found");
    assert_eq!(
        (&answer["root"], &answer["total"]),
        (&json!("*"), &json!(3)),
        "{answer}"
    );
    assert_eq!(
        places(&answer),
        ["port src/a.rs", "quay b.rs", "quay src/a.rs"]
    );
    // Page by page.
    let mut paged = vec![];
    let mut question = json!({ "name": "moor", "root": "*", "limit": 1 });
    loop {
        let answer = questions
            .ask("find_symbol", question.clone())
            .await
            .expect("found");
        paged.extend(places(&answer));
        if answer["cursor"].is_null() {
            break;
        }
        question["cursor"] = answer["cursor"].clone();
    }
    assert_eq!(paged, ["port src/a.rs", "quay b.rs", "quay src/a.rs"]);
    let (text, _) = questions
        .session()
        .call("find_symbol", json!({ "name": "only_here", "root": "*" }))
        .await;
    assert!(text.contains("[port] src/a.rs:2"), "{text}");
    let error = questions
        .ask(
            "find_symbol",
            json!({ "name": "only_hree", "match": "exact", "root": "*" }),
        )
        .await;
    assert!(
        error.is_err_and(
            |error| error.starts_with("symbol_not_found: ") && error.contains("only_here")
        )
    );
    let shown = home
        .claudevil(&["symbol", "only_here", "--all-roots"])
        .await;
    assert!(
        shown.status.success() && String::from_utf8_lossy(&shown.stdout).contains("[port]"),
        "{shown:?}"
    );
    // A project that is gone is left out, and named.
    fs::remove_dir_all(&quay).expect("removed");
    let answer = questions
        .ask("find_symbol", json!({ "name": "moor", "root": "*" }))
        .await
        .expect("found");
    assert_eq!(places(&answer), ["port src/a.rs"], "{answer}");
}

/// Half of an index is never shown as the whole, whatever is asked first.
async fn new_projects() {
    for verb in [
        &["map"][..],
        &["complexity"],
        &["symbol"],
        &["read", "--symbol"],
    ] {
        let home = Home::new();
        let tree = Tree::new(&home.scratch().join("user/engine"), 22, 300);
        let (_, names) = tree.visible().last().expect("a file");
        let mut arguments = verb.to_vec();
        if verb.last().is_some_and(|last| last.contains("symbol")) {
            arguments.push(&names[0]);
        }
        let root = tree.root.display().to_string();
        arguments.extend(["--root", &root]);
        let output = home.claudevil(&arguments).await;
        let (shown, noted) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        assert!(output.status.success(), "{verb:?}: {output:?}");
        match verb {
            ["map"] => assert!(noted.contains("301 files"), "{noted}"),
            ["complexity"] => assert!(shown.contains("301 files"), "{shown}"),
            _ => assert!(shown.contains(names[0].as_str()), "{verb:?}: {shown}"),
        }
    }
}

async fn absolute_globs() {
    let home = Home::new();
    let root = repository(
        &home,
        "port",
        &[
            ("src/a.rs", "pub fn moor() {}\n"),
            ("docs/a.rs", "pub fn moor() {}\n"),
        ],
    );
    let other = repository(&home, "quay", &[("src/a.rs", "pub fn moor() {}\n")]);
    Questions::start(&home, &other).await.settled().await;
    let mut questions = Questions::start(&home, &root).await;
    questions.settled().await;
    let glob = format!("{}/src/**", root.display());
    for mode in ["auto", "keyword", "literal"] {
        for everywhere in [false, true] {
            let mut question = json!({ "query": "moor", "mode": mode, "path": glob });
            if everywhere {
                question["root"] = json!("*");
            }
            let answer = questions.ask("search", question).await.expect("an answer");
            let results = answer["results"].as_array().expect("a list");
            assert!(
                !results.is_empty() && results.iter().all(|one| one["path"] == "src/a.rs"),
                "{mode}: {answer}"
            );
            assert!(
                !everywhere || results.iter().all(|one| one["root"] == "port"),
                "{mode}: {answer}"
            );
        }
    }
    let answer = questions
        .ask("find_symbol", json!({ "name": "moor", "path": glob }))
        .await
        .expect("found");
    assert_eq!(
        (&answer["total"], &answer["symbols"][0]["path"]),
        (&json!(1), &json!("src/a.rs")),
        "{answer}"
    );
    for from in [root.clone(), root.join("src")] {
        let question = json!({ "pattern": glob, "root": from });
        let answer = questions.ask("list_files", question).await.expect("a list");
        assert_eq!(
            (&answer["total"], &answer["files"][0]["path"]),
            (&json!(1), &json!("src/a.rs")),
            "{answer}"
        );
    }
}

async fn whole_symbols() {
    let files: &[(&str, &str)] = &[
        (
            "a/engine.h",
            "class Engine {\n public:\n  int Run(int speed,\n          int load);\n};\n",
        ),
        (
            "a/engine.cc",
            "#include \"engine.h\"\n\nint Engine::Run(int speed, int load) {\n  if (speed) {\n    return 1;\n  }\n  return load;\n}\n",
        ),
        (
            "b/over.ts",
            "export function pick(a: string): string;\nexport function pick(a: number): number;\nexport function pick(a: any): any {\n  return a;\n}\n",
        ),
        (
            "c/prop.py",
            "class Boat:\n    @property\n    def depth(self):\n        return self._depth\n\n    @depth.setter\n    def depth(self, value):\n        self._depth = value\n",
        ),
        (
            "d/clauses.ex",
            "defmodule Clauses do\n  def fold([]), do: 0\n\n  def fold([head | tail]) do\n    head + fold(tail)\n  end\nend\n",
        ),
        (
            "e/twice.rs",
            "pub struct One;\npub struct Two;\n\nimpl One {\n    pub fn twice(&self) {}\n}\n\nimpl Two {\n    pub fn twice(&self) {}\n}\n",
        ),
    ];
    let home = Home::new();
    let root = repository(&home, "boats", files);
    let mut questions = Questions::start(&home, &root).await;
    questions.settled().await;
    // The definition, together with adjacent parts of the same entity.
    for (question, path, lines) in [
        (json!({ "symbol": "Engine::Run" }), "a/engine.cc", 3..=8),
        (
            json!({ "symbol": "Run", "path": "a/engine.h" }),
            "a/engine.h",
            3..=4,
        ),
        (json!({ "symbol": "pick" }), "b/over.ts", 1..=5),
        (json!({ "symbol": "depth" }), "c/prop.py", 2..=8),
        (json!({ "symbol": "fold" }), "d/clauses.ex", 2..=6),
        (json!({ "symbol": "One::twice" }), "e/twice.rs", 5..=5),
    ] {
        let read = questions
            .ask("read_file", question.clone())
            .await
            .unwrap_or_else(|error| panic!("{question}: {error}"));
        assert_eq!(read["path"], path, "{question}: {read}");
        let shown = (read["start_line"].as_u64(), read["end_line"].as_u64());
        assert_eq!(
            shown,
            (Some(*lines.start()), Some(*lines.end())),
            "{question}: {read}"
        );
    }
    // Two entities with one name are reported, with a call that reads one of them.
    for question in [
        json!({ "symbol": "twice" }),
        json!({ "symbol": "twice", "path": "e/twice.rs" }),
    ] {
        let error = questions
            .ask("read_file", question.clone())
            .await
            .expect_err("there are two");
        assert!(error.starts_with("ambiguous_symbol: "), "{error}");
        assert!(
            error.contains("\"start_line\":5") && error.contains("e/twice.rs:9"),
            "{error}"
        );
    }
}
