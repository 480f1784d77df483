//! Characters that reorder text or cannot be seen, in names and in code: shown, never obeyed.

use std::path::PathBuf;

use claudevil_tests::home::{Home, repository};
use claudevil_tests::mcp::Session;
use claudevil_tests::questions::Questions;
use claudevil_tests::window::{Window, WindowKind};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "names_that_deceive_are_escaped_for_agents",
            Needs::Nothing,
            for_agents,
        ),
        proof(
            "names_and_code_that_deceive_are_escaped_in_a_window",
            Needs::Program("script", "needs script"),
            in_a_window,
        ),
    ]
}

/// In a terminal it looks like `src/sr.lib.rs`.
const NAME: &str = "src/\u{202e}sr.bil.rs";
const SHOWN: &str = "src/\\u{202e}sr.bil.rs";
const FOLDER: &str = "do\u{200b}cs/gui\u{2066}de.md";
const CODE: &str = "pub fn moor_ferry() {} // \u{202e}} redis rof gnihton\u{2069}\npub fn main() {\n    moor_ferry();\n}\n";

fn project(home: &Home) -> PathBuf {
    let guide = "# How to moor\u{202e} a ferry\n\nThe ferry is moored by `moor_ferry`.\n";
    repository(
        home,
        "port",
        &[
            (NAME, CODE),
            (FOLDER, guide),
            ("src/plain.rs", "pub fn row_boat() {}\n"),
        ],
    )
}

fn is_deceptive(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the lines outside fences, which hold the lines of files.
fn outside_of_fences(text: &str) -> String {
    let mut is_inside = false;
    let mut lines = vec![];
    for line in text.lines() {
        if line.starts_with("```") {
            is_inside = !is_inside;
        } else if !is_inside {
            lines.push(line);
        }
    }
    lines.join("\n")
}

async fn for_agents() {
    let home = Home::new();
    let root = project(&home);
    Questions::start(&home, &root).await.settled().await;
    let mut session = Session::start(&home, &root, &["--toolsets", "all"]).await;
    let calls = [
        ("list_files", json!({})),
        ("list_files", json!({ "limit": 1 })),
        ("map_code", json!({})),
        ("search", json!({ "query": "moor_ferry" })),
        (
            "search",
            json!({ "query": "moor_ferry", "mode": "literal" }),
        ),
        ("find_symbol", json!({ "name": "moor_ferry" })),
        ("find_callers", json!({ "symbol": "moor_ferry" })),
        ("find_references", json!({ "symbol": "moor_ferry" })),
        ("explore", json!({ "question": "how is a ferry moored" })),
        ("deep_dive", json!({ "symbol": "moor_ferry" })),
        ("impact_analysis", json!({ "symbol": "moor_ferry" })),
        ("get_call_graph", json!({ "symbol": "main" })),
        (
            "rename_symbol",
            json!({ "symbol": "moor_ferry", "new_name": "tie_ferry", "dry_run": true }),
        ),
        (
            "edit_symbol",
            json!({ "symbol": "moor_ferry", "action": "insert_after", "text": "fn row() {}" }),
        ),
        ("read_file", json!({ "path": NAME })),
        ("read_file", json!({ "path": FOLDER })),
    ];
    let mut shown = String::new();
    for (tool, arguments) in calls {
        let (text, is_error) = session.call(tool, arguments.clone()).await;
        assert!(!is_error, "{tool} {arguments}: {text}");
        let ours = outside_of_fences(&text);
        assert!(!ours.contains(is_deceptive), "{tool} {arguments}: {ours:?}");
        shown += &ours;
    }
    assert!(
        shown.contains(SHOWN) && shown.contains("\\u{200b}"),
        "{shown}"
    );
    // Names that only an error mentions are escaped too.
    let (text, is_error) = session
        .call("read_file", json!({ "path": "no\u{202e}sr.rs" }))
        .await;
    assert!(
        is_error && text.contains("no\\u{202e}sr.rs") && !text.contains(is_deceptive),
        "{text:?}"
    );
    // JSON has the true value, and lines of a file are unchanged, byte for byte.
    let (text, _) = session
        .call("list_files", json!({ "format": "json" }))
        .await;
    let files: Value = serde_json::from_str(&text).expect("json");
    assert!(
        files["files"]
            .as_array()
            .expect("files")
            .iter()
            .any(|file| file["path"] == NAME),
        "{text}"
    );
    let (text, _) = session.call("read_file", json!({ "path": NAME })).await;
    assert!(
        text.contains(CODE.lines().next().expect("a line")),
        "{text}"
    );
}

async fn in_a_window() {
    let home = Home::new();
    let root = project(&home);
    Questions::start(&home, &root).await.settled().await;
    let kind = WindowKind {
        rows: 60,
        columns: 120,
        term: "xterm",
    };
    for line in [
        "claudevil files",
        "claudevil search moor_ferry",
        "claudevil search -F moor_ferry",
        "claudevil symbol moor_ferry",
        "claudevil refs moor_ferry",
        "claudevil explore 'how is a ferry moored'",
        "claudevil map",
        "claudevil status",
        "claudevil read src/*bil.rs",
        "claudevil read no\u{202e}sr.rs",
    ] {
        let (shown, _) = Window::open(&home, &root, kind, line).end().await;
        assert!(!shown.contains(is_deceptive), "{line}: {shown:?}");
        assert!(
            line.ends_with("status") || shown.contains("\\u{202e}"),
            "{line}: {shown:?}"
        );
    }
    // In a pipe names and lines are data, byte for byte.
    let read = home
        .shell("claudevil read src/*bil.rs")
        .current_dir(&root)
        .output()
        .await
        .expect("it runs");
    assert_eq!(String::from_utf8_lossy(&read.stdout), CODE);
    let files = home
        .shell("claudevil files")
        .current_dir(&root)
        .output()
        .await
        .expect("it runs");
    assert!(
        String::from_utf8_lossy(&files.stdout)
            .lines()
            .any(|file| file == NAME),
        "{files:?}"
    );
}
