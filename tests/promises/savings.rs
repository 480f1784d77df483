//! Savings are counted for each project, kept across restarts, and shown by the status.

use std::time::Instant;

use claudevil_tests::home::{BOUND, Home, put, repository};
use claudevil_tests::mcp::Session;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof("savings_are_counted_and_kept", Needs::Nothing, kept),
        proof(
            "savings_survive_a_kill_and_go_with_their_root",
            Needs::Nothing,
            lost_with_the_root,
        ),
    ]
}

/// Returns the text of a long file with names that are easy to find.
fn long_file(number: usize) -> String {
    let filler = (0..400)
        .map(|line| format!("// line {line} says nothing of interest about anything at all\n"));
    format!(
        "pub fn walrus_{number}() {{}}\n{}",
        filler.collect::<String>()
    )
}

async fn savings(home: &Home, name: &str) -> Option<Value> {
    let status = home.json(&["status"]).await;
    let roots = status["roots"].as_array().expect("roots").clone();
    roots
        .iter()
        .find(|root| root["name"] == name)
        .and_then(|root| root.get("savings").cloned())
}

/// Waits for the savings: they are counted after the answer, at low priority.
async fn savings_after(home: &Home, name: &str, calls: u64) -> Value {
    let started = Instant::now();
    loop {
        let found = savings(home, name).await;
        if let Some(found) = found.filter(|found| figures(found)[0] >= calls) {
            return found;
        }
        assert!(started.elapsed() < BOUND, "{calls} calls are counted");
        claudevil_tests::pause().await;
    }
}

fn figures(savings: &Value) -> [u64; 3] {
    ["calls", "tokens", "whole_tokens"].map(|key| {
        savings[key]
            .as_u64()
            .unwrap_or_else(|| panic!("{key}: {savings}"))
    })
}

async fn kept() {
    let home = Home::new();
    let root = repository(&home, "zoo", &[]);
    for number in 0..3 {
        put(
            &root,
            &format!("src/walrus{number}.rs"),
            long_file(number).as_bytes(),
        );
    }
    let other = home.project("other");
    let mut session = Session::start(&home, &root, &["--toolsets", "all"]).await;
    session.call("reindex", json!({ "wait": true })).await;
    // Tools that only list files or manage the index are not counted.
    session.call("list_files", json!({})).await;
    assert_eq!(
        savings(&home, "zoo").await,
        None,
        "nothing was asked about contents"
    );

    let (text, is_error) = session
        .call(
            "find_symbol",
            json!({ "name": "walrus_1", "match": "exact" }),
        )
        .await;
    assert!(!is_error && text.contains("src/walrus1.rs"), "{text}");
    let first = savings_after(&home, "zoo", 1).await;
    let [calls, tokens, whole] = figures(&first);
    assert_eq!(calls, 1);
    // The answer is short, and the file is not: 400 lines of ten words and more.
    assert!((10..500).contains(&tokens), "{first}");
    assert!((4_000..12_000).contains(&whole), "{first}");
    assert_eq!(savings(&home, "other").await, None, "{}", other.display());

    let (text, _) = session
        .call(
            "search",
            json!({ "query": "pub fn walrus_", "mode": "literal" }),
        )
        .await;
    let second = savings_after(&home, "zoo", 2).await;
    let [calls, more_tokens, more_whole] = figures(&second);
    assert_eq!(calls, 2, "{text}");
    assert!(
        more_tokens > tokens && more_whole >= whole * 39 / 10,
        "three files more: {second}"
    );
    // A question that finds nothing has a cost too.
    session
        .call(
            "search",
            json!({ "query": "no such words", "mode": "literal" }),
        )
        .await;
    let third = savings_after(&home, "zoo", 3).await;
    assert_eq!(figures(&third)[0], 3);
    assert_eq!(figures(&third)[2], more_whole);

    let shown = String::from_utf8(home.claudevil(&["status"]).await.stdout).expect("UTF-8");
    assert!(
        shown.contains("answered 3 questions in ") && shown.contains(" with about "),
        "{shown}"
    );
    assert!(shown.contains("% less)"), "{shown}");
    let rows: Vec<Vec<_>> = shown
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    for (tool, answers) in [("search", "2"), ("find_symbol", "1")] {
        let row = rows.iter().find(|row| row.first() == Some(&tool));
        let row = row.unwrap_or_else(|| panic!("no costs of {tool}: {shown}"));
        assert_eq!((row.len(), row[3]), (4, answers), "{row:?}");
    }
    let (told, _) = session.call("index_status", json!({})).await;
    assert!(told.contains("answered 3 questions"), "{told}");

    drop(session);
    assert!(home.claudevil(&["daemon", "stop"]).await.status.success());
    home.gone().await;
    let after = savings(&home, "zoo")
        .await
        .expect("kept by the next daemon");
    assert_eq!(
        (figures(&after), after["since"].as_i64()),
        (figures(&third), third["since"].as_i64())
    );
}

async fn lost_with_the_root() {
    let home = Home::new();
    let root = home.project("engine");
    let folder = root.to_str().expect("UTF-8");
    let read = async || {
        assert!(
            home.claudevil(&["read", "--root", folder, "src/main.rs"])
                .await
                .status
                .success()
        );
    };
    read().await;
    read().await;
    assert!(home.claudevil(&["daemon", "stop"]).await.status.success());
    home.gone().await;
    read().await;
    assert_eq!(
        figures(&savings(&home, "engine").await.expect("counted"))[0],
        3
    );
    // Counts that were not yet written are lost with the daemon, others are kept.
    home.kill_daemon().await;
    let calls = figures(&savings(&home, "engine").await.expect("kept"))[0];
    assert!((2..=3).contains(&calls), "{calls}");
    assert!(
        home.claudevil(&["roots", "remove", "engine", "--yes"])
            .await
            .status
            .success()
    );
    read().await;
    assert_eq!(
        figures(&savings(&home, "engine").await.expect("counted again"))[0],
        1
    );
}
