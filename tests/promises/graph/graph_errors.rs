//! Every wrong question about the graph is answered with an error that has a stable code and says what to do. If a language has
//! no facts, text search stands in for them.

use std::path::PathBuf;

use claudevil_tests::home::Home;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::diffs::committed;
use super::{asking, home, repository};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "12_the_graph_answers_bad_input_with_stable_codes",
            Needs::Nothing,
            bad_input,
        ),
        proof(
            "12_impact_of_a_diff_refuses_what_is_no_range",
            Needs::Program("git", "needs git"),
            diffs,
        ),
        proof(
            "without_facts_text_stands_in_for_the_graph",
            Needs::Nothing,
            without_facts,
        ),
        proof(
            "a_picture_that_cannot_be_written_is_named",
            Needs::Nothing,
            no_picture,
        ),
    ]
}

/// Tools that take a symbol.
const OF_A_SYMBOL: [&str; 8] = [
    "find_references",
    "find_callers",
    "find_callees",
    "get_call_graph",
    "find_implementations",
    "deep_dive",
    "impact_analysis",
    "rename_symbol",
];

fn engine(home: &Home) -> PathBuf {
    let files = [
        (
            "one.py",
            "def feed():\n    return 1\n\n\ndef meadow():\n    return feed()\n\n\nclass Cow:\n    pass\n",
        ),
        ("two.py", "def feed():\n    return 2\n"),
        ("blob.bin", "\0\0\0"),
    ];
    repository(home, "engine", &files)
}

async fn bad_input() {
    let home = home();
    let root = engine(&home);
    let mut questions = asking(&home, &root).await;
    let mut cases: Vec<(&str, Value, &str)> = vec![];
    for tool in OF_A_SYMBOL {
        for (given, code) in [
            (json!({ "symbol": "meadov" }), "symbol_not_found"),
            (json!({ "symbol": "feed" }), "ambiguous_symbol"),
            (
                json!({ "path": "../../etc/passwd", "line": 1 }),
                "path_outside_root",
            ),
            (
                json!({ "path": "/etc/passwd", "line": 1 }),
                "path_outside_root",
            ),
            (json!({ "path": "gone.py", "line": 1 }), "file_not_found"),
            (json!({ "path": "one.py", "line": 0 }), "invalid_argument"),
            (
                json!({ "path": "one.py", "line": 4000 }),
                "symbol_not_found",
            ),
            (json!({ "symbol": "" }), "invalid_argument"),
            (json!({ "symbol": "x".repeat(201) }), "invalid_argument"),
            (json!({ "line": 3 }), "invalid_argument"),
            (json!({}), "invalid_argument"),
            (
                json!({ "symbol": "meadow", "root": "/nowhere" }),
                "root_not_found",
            ),
            (json!({ "symbol": "meadow", "root": "/" }), "root_refused"),
            (
                json!({ "symbol": "meadow", "max_tokens": 10001 }),
                "invalid_argument",
            ),
        ] {
            cases.push((tool, given, code));
        }
    }
    for tool in [
        "find_callers",
        "find_callees",
        "get_call_graph",
        "impact_analysis",
    ] {
        for depth in [json!(0), json!(9), json!(-1), json!("deep")] {
            cases.push((
                tool,
                json!({ "symbol": "meadow", "depth": depth }),
                "invalid_argument",
            ));
        }
    }
    for (tool, given) in [
        ("find_callers", json!({ "symbol": "meadow", "limit": 201 })),
        ("find_references", json!({ "symbol": "meadow", "limit": 0 })),
        (
            "find_references",
            json!({ "symbol": "meadow", "role": "colour" }),
        ),
        (
            "find_references",
            json!({ "symbol": "meadow", "context_lines": 101 }),
        ),
        (
            "find_references",
            json!({ "symbol": "meadow", "cursor": "nonsense" }),
        ),
        (
            "get_call_graph",
            json!({ "symbol": "meadow", "direction": "up" }),
        ),
        (
            "deep_dive",
            json!({ "symbol": "meadow", "depth": "deepest" }),
        ),
        (
            "impact_analysis",
            json!({ "symbol": "meadow", "diff": "working" }),
        ),
        ("impact_analysis", json!({ "diff": "HEAD" })),
        ("impact_analysis", json!({ "diff": "" })),
        ("rename_symbol", json!({ "symbol": "meadow" })),
        (
            "rename_symbol",
            json!({ "symbol": "meadow", "new_name": "" }),
        ),
        (
            "rename_symbol",
            json!({ "symbol": "meadow", "new_name": "a(b)" }),
        ),
        (
            "call_path",
            json!({ "from": "meadow", "to": "Cow", "max_depth": 21 }),
        ),
        ("call_path", json!({ "from": "meadow", "to": "one.py:0" })),
        ("call_path", json!({ "from": "meadow" })),
        ("get_dependencies", json!({})),
        (
            "get_dependencies",
            json!({ "path": "one.py", "direction": "up" }),
        ),
        ("explore", json!({ "question": "" })),
        ("explore", json!({ "question": "x".repeat(32_001) })),
        (
            "find_callers",
            json!({ "symbol": "meadow", "colour": "red" }),
        ),
    ] {
        cases.push((tool, given, "invalid_argument"));
    }
    for (given, code) in [
        (json!({ "from": "meadov", "to": "Cow" }), "symbol_not_found"),
        (
            json!({ "from": "meadow", "to": "feed" }),
            "ambiguous_symbol",
        ),
        (
            json!({ "from": "meadow", "to": "../x.py:1" }),
            "path_outside_root",
        ),
    ] {
        cases.push(("call_path", given, code));
    }
    for tool in ["get_dependencies", "analyze_complexity"] {
        cases.push((
            tool,
            json!({ "path": "../../etc/passwd" }),
            "path_outside_root",
        ));
        cases.push((tool, json!({ "path": "gone.py" }), "file_not_found"));
    }
    let mut wrong = vec![];
    for (tool, mut given, code) in cases {
        if tool == "rename_symbol" && given.get("new_name").is_none() && code != "invalid_argument"
        {
            given["new_name"] = json!("pasture");
        }
        let (text, is_error) = questions.session().call(tool, given.clone()).await;
        if !is_error || !text.starts_with(&format!("{code}: ")) {
            wrong.push(format!(
                "{tool} {given}: not {code} but {}",
                text.lines().next().unwrap_or_default()
            ));
        }
        let helps = match code {
            "symbol_not_found" if given["symbol"] == "meadov" => text.contains("meadow"),
            // The hint names the parameters of the tool itself.
            "ambiguous_symbol" => {
                let next = if tool == "call_path" {
                    "give `to` as one of their locations"
                } else {
                    "give `path` and `line`"
                };
                text.contains("one.py:1") && text.contains("two.py:1") && text.contains(next)
            }
            "invalid_argument" if tool == "impact_analysis" && given == json!({}) => {
                text.contains("`diff`")
            }
            _ => true,
        };
        if is_error && !helps {
            wrong.push(format!("{tool} {given}: no candidates in {text}"));
        }
    }
    // The daemon is still there, and works.
    let answer = questions
        .ask(
            "find_callers",
            json!({ "symbol": "feed", "path": "one.py", "line": 1 }),
        )
        .await;
    assert_eq!(answer.expect("an answer")["callers"][0]["name"], "meadow");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn diffs() {
    let home = home();
    let bare = home.scratch().join("user/plain");
    super::put(&bare, "one.py", b"def meadow():\n    return 1\n");
    let mut questions = asking(&home, &bare).await;
    let mut wrong = vec![];
    for diff in ["working", "a..b"] {
        let (text, is_error) = questions
            .session()
            .call("impact_analysis", json!({ "diff": diff }))
            .await;
        if !is_error || !text.starts_with("invalid_argument: ") {
            wrong.push(format!("{diff} where no repository is: {text}"));
        }
    }
    let root = committed(
        &home,
        "engine",
        &[("one.py", "def meadow():\n    return 1\n")],
    );
    let mut questions = asking(&home, &root).await;
    for diff in [
        "nothing..HEAD",
        "HEAD..nothing",
        "HEAD~9..HEAD",
        "--help..HEAD",
        "HEAD...",
        "..",
        ":..:",
    ] {
        let (text, is_error) = questions
            .session()
            .call("impact_analysis", json!({ "diff": diff }))
            .await;
        // Git takes a missing side as HEAD.
        let is_valid = matches!(diff, "HEAD..." | "..");
        if !is_valid && (!is_error || !text.starts_with("invalid_argument: ")) {
            wrong.push(format!("{diff}: {text}"));
        }
        if is_error && !text.starts_with("invalid_argument: ") {
            wrong.push(format!("{diff}: {text}"));
        }
    }
    super::put(&root, "one.py", b"def meadow():\n    return 2\n");
    let answer = questions
        .ask("impact_analysis", json!({ "diff": "working" }))
        .await
        .expect("an answer");
    assert_eq!(answer["changed"][0]["name"], "meadow", "{answer}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn without_facts() {
    let home = home();
    let files = [
        ("field.pl", "sub meadow {\n    return 1;\n}\n"),
        ("walk.pl", "sub walk {\n    return meadow() + 1;\n}\n"),
    ];
    let root = repository(&home, "scripts", &files);
    let mut questions = asking(&home, &root).await;
    let mut wrong = vec![];
    let (text, is_error) = questions
        .session()
        .call("find_references", json!({ "symbol": "meadow" }))
        .await;
    // The answer is by text, and says so.
    if is_error || !text.contains("2: return meadow()") || !text.contains("lines of text") {
        wrong.push(format!("find_references: {text}"));
    }
    // Tools that follow calls have nothing to follow, and say so.
    for tool in OF_A_SYMBOL
        .into_iter()
        .filter(|tool| *tool != "find_references")
    {
        let (text, is_error) = questions
            .session()
            .call(tool, json!({ "symbol": "meadow", "new_name": "hay" }))
            .await;
        if !is_error || !(text.contains("symbol_not_found") || text.contains("invalid_argument")) {
            wrong.push(format!("{tool}: {text}"));
        }
    }
    let (text, is_error) = questions
        .session()
        .call("explore", json!({ "question": "where is the meadow" }))
        .await;
    if is_error || !text.contains("field.pl") {
        wrong.push(format!("explore: {text}"));
    }
    // Nothing is ever changed by text alone.
    let (text, is_error) = questions
        .session()
        .call(
            "rename_symbol",
            json!({ "symbol": "meadow", "new_name": "pasture", "dry_run": false }),
        )
        .await;
    if !is_error {
        wrong.push(format!("rename_symbol: {text}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn no_picture() {
    let home = home();
    let root = engine(&home);
    let root = root.to_str().expect("UTF-8");
    let output = home
        .claudevil(&[
            "graph",
            "meadow",
            "--root",
            root,
            "--svg",
            "/nonexistent/g.svg",
        ])
        .await;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(1) && said.contains("/nonexistent/g.svg: No such file"),
        "{output:?}"
    );
}
