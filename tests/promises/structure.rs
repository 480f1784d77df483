//! Patterns of code: what they find, what they replace, and what is said of bad ones.

use std::fs;

use claudevil_tests::home::{Home, put, repository};
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof("structure_is_found_with_its_holes", Needs::Nothing, found),
        proof("structure_is_paged_without_gaps", Needs::Nothing, paged),
        proof(
            "structure_that_is_no_code_is_explained",
            Needs::Nothing,
            bad,
        ),
        proof(
            "structure_that_is_everywhere_is_bounded",
            Needs::Nothing,
            bounded,
        ),
        proof(
            "rewrite_changes_every_match_or_nothing",
            Needs::Nothing,
            rewritten,
        ),
    ]
}

const RUST: &str = "fn one() {\n    // a.unwrap()\n    a.unwrap();\n    b(1).unwrap();\n}\n\nfn two() {\n    loop {\n        c.unwrap();\n    }\n}\n";

async fn project(home: &Home, files: &[(&str, &str)]) -> (std::path::PathBuf, Questions) {
    let root = repository(home, "engine", &[]);
    for (path, text) in files {
        put(&root, path, text.as_bytes());
    }
    let mut questions = Questions::start(home, &root).await;
    questions.settled().await;
    (root, questions)
}

fn home() -> Home {
    Home::new().with("CLAUDEVIL_EMBEDDER", "none")
}

fn lines(answer: &Value) -> Vec<String> {
    let hits = answer["hits"].as_array().expect("hits").iter();
    hits.map(|hit| {
        let path = hit["path"].as_str().expect("a path");
        format!(
            "{path}:{} {}",
            hit["start_line"],
            hit["symbol"].as_str().unwrap_or("-")
        )
    })
    .collect()
}

async fn found() {
    let home = home();
    let python = "def f(a):\n    return a.unwrap()\n";
    let (_, mut questions) = project(
        &home,
        &[
            ("a.rs", RUST),
            ("b.py", python),
            ("c.rs", "fn three() {}\n"),
        ],
    )
    .await;
    let all = questions
        .ask_until_current("search_structure", json!({ "pattern": "$X.unwrap()" }))
        .await;
    let all = all.expect("found");
    assert_eq!(
        lines(&all),
        ["a.rs:3 one", "a.rs:4 one", "a.rs:9 two", "b.py:2 f"],
        "{all}"
    );
    assert_eq!(
        all["hits"][1]["holes"],
        json!([{ "name": "X", "text": "b(1)" }]),
        "{all}"
    );
    assert_eq!(all["parsed_files"], 2, "c.rs has no such word: {all}");
    for (narrowed, expected) in [
        (json!({ "language": "python" }), vec!["b.py:2 f"]),
        (json!({ "path": "*.py" }), vec!["b.py:2 f"]),
        (json!({ "inside": "loop { $$$ }" }), vec!["a.rs:9 two"]),
        (
            json!({ "language": "rust", "not_inside": "loop { $$$ }" }),
            vec!["a.rs:3 one", "a.rs:4 one"],
        ),
    ] {
        let mut asked = narrowed.clone();
        asked["pattern"] = json!("$X.unwrap()");
        let answer = questions
            .ask("search_structure", asked)
            .await
            .expect("found");
        assert_eq!(lines(&answer), expected, "{narrowed}");
    }
    let query = json!({ "pattern": "(function_item name: (identifier) @name)", "is_query": true, "language": "rust" });
    let answer = questions
        .ask("search_structure", query)
        .await
        .expect("found");
    assert_eq!(answer["hits"].as_array().map(Vec::len), Some(3), "{answer}");
}

async fn paged() {
    let home = home();
    let many: String = (0..25).map(|number| format!("call({number})\n")).collect();
    let (_, mut questions) = project(&home, &[("a.py", &many), ("b.py", &many)]).await;
    let mut seen = vec![];
    let mut cursor = Value::Null;
    loop {
        let mut asked = json!({ "pattern": "call($X)", "limit": 7 });
        if !cursor.is_null() {
            asked["cursor"] = cursor;
        }
        let page = questions
            .ask_until_current("search_structure", asked)
            .await
            .expect("a page");
        seen.extend(lines(&page));
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    let expected = ["a.py", "b.py"]
        .iter()
        .flat_map(|path| (1..=25).map(move |line| format!("{path}:{line} -")));
    assert_eq!(seen, expected.collect::<Vec<_>>());
}

async fn bad() {
    let home = home();
    let (_, mut questions) = project(&home, &[("a.rs", RUST)]).await;
    for (language, pattern, is_query, expected) in [
        ("go", "$X.unwrap(", false, "(character 11, at its end)"),
        ("rust", "$X.unwrap(", false, "a `)` is missing"),
        ("rust", "f($X, ])", false, "a `]` closes nothing"),
        ("rust", "f(, $X)", false, "(character "),
        ("go", "$x.unwrap()", false, "holes are in capitals: `$X`"),
        ("rust", "$X", false, "matches everything"),
        ("rust", "a(); b();", false, "more than one"),
        (
            "rust",
            "(nonsense) @x",
            true,
            "(character 2, at `nonsense) @x`)",
        ),
        ("rust", "(call_expression", true, "(call_expression) @match"),
        ("rust", "(call_expression)", true, "captures nothing"),
    ] {
        let asked = json!({ "pattern": pattern, "is_query": is_query, "language": language });
        let error = questions
            .ask_until_current("search_structure", asked)
            .await
            .expect_err("refused");
        assert!(
            error.starts_with("invalid_query: ") && error.contains(expected),
            "{pattern}: {error}"
        );
    }
}

async fn bounded() {
    let home = home();
    let many: String = (0..2100)
        .map(|number| format!("call({number})\n"))
        .collect();
    let (_, mut questions) = project(&home, &[("a.py", &many), ("b.py", "call(1)\n")]).await;
    for (pattern, is_query) in [("$F($$$)", false), ("(_) @x", true)] {
        let asked =
            json!({ "pattern": pattern, "is_query": is_query, "language": "python", "limit": 200 });
        let answer = questions
            .ask_until_current("search_structure", asked)
            .await
            .expect("found");
        let hits = answer["hits"].as_array().map_or(0, Vec::len);
        assert!((1..=200).contains(&hits), "{pattern}: {hits}");
        assert_eq!(answer["is_cut"], json!(true), "{pattern}");
        assert!(answer["cursor"].is_string(), "{pattern}");
    }
}

async fn rewritten() {
    let home = home();
    let other = "fn three() {\r\n    d.unwrap();\r\n}\r\n";
    let (root, mut questions) = project(&home, &[("a.rs", RUST), ("b.rs", other)]).await;
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("a text");
    let asked = |replacement: &str, dry_run: bool| json!({ "pattern": "$X.unwrap()", "replacement": replacement, "dry_run": dry_run });
    let shown = questions
        .ask_until_current("rewrite", asked("$X?", true))
        .await
        .expect("shown");
    assert_eq!(
        (&shown["total_edits"], &shown["total_files"]),
        (&json!(4), &json!(2)),
        "{shown}"
    );
    assert_eq!(read("a.rs"), RUST);
    for (replacement, words) in [("$X.(", "does not parse"), ("$Y?", "not in the pattern")] {
        let error = questions
            .ask("rewrite", asked(replacement, false))
            .await
            .expect_err("refused");
        assert!(error.contains(words), "{error}");
        assert_eq!(
            (read("a.rs"), read("b.rs")),
            (RUST.to_owned(), other.to_owned())
        );
    }
    let mut few = asked("$X?", false);
    few["max_files"] = json!(1);
    let error = questions.ask("rewrite", few).await.expect_err("too many");
    assert!(error.contains("2 files match"), "{error}");
    questions
        .ask("rewrite", asked("$X?", false))
        .await
        .expect("applied");
    assert_eq!(read("b.rs"), "fn three() {\r\n    d?;\r\n}\r\n");
    assert!(
        read("a.rs").contains("// a.unwrap()\n    a?;\n    b(1)?;\n"),
        "{}",
        read("a.rs")
    );
    questions.ask("undo", json!({})).await.expect("taken back");
    assert_eq!(
        (read("a.rs"), read("b.rs")),
        (RUST.to_owned(), other.to_owned())
    );
}
