//! The effects of `reindex`, and its report of them.

use std::fs;

use claudevil_tests::home::{Home, put, repository};
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof("reindex_counts_what_it_did", Needs::Nothing, counts),
        proof("reindex_of_a_part_is_of_that_part", Needs::Nothing, parts),
    ]
}

/// Three in `src`, two elsewhere.
const FILES: &[(&str, &str)] = &[
    ("src/a.rs", "pub fn a() {}\n"),
    ("src/b.rs", "pub fn b() {}\n"),
    ("src/c.rs", "pub fn c() {}\n"),
    ("docs/d.txt", "some words\n"),
    ("e.md", "# E\n"),
];

async fn reindex(questions: &mut Questions, mut arguments: Value) -> Value {
    arguments["wait"] = json!(true);
    let job = questions.ask("reindex", arguments).await.expect("a job");
    assert_eq!(job["state"], "done", "{job}");
    job
}

fn numbers(job: &Value) -> [u64; 3] {
    ["changed", "removed", "unchanged"].map(|key| job[key].as_u64().expect("a number"))
}

async fn counts() {
    let home = Home::new();
    let root = repository(&home, "engine", FILES);
    let mut questions = Questions::start(&home, &root).await;
    // A question about a new root indexes all of it.
    let job = reindex(&mut questions, json!({})).await;
    assert_eq!(numbers(&job), [5, 0, 0], "{job}");
    let job = reindex(&mut questions, json!({})).await;
    assert_eq!(numbers(&job), [0, 0, 5], "{job}");
    // All files are cut into chunks again.
    let job = reindex(&mut questions, json!({ "chunk_size": 500 })).await;
    assert_eq!(
        job["settings"],
        json!([{ "key": "chunk_size", "from": "default", "to": "500" }]),
        "{job}"
    );
    assert_eq!(numbers(&job), [5, 0, 0], "{job}");
    let job = reindex(&mut questions, json!({ "force": true })).await;
    assert_eq!(numbers(&job), [5, 0, 0], "{job}");
    // The watcher may already have taken up the change; no other file counts as changed in any case.
    put(&root, "src/a.rs", b"pub fn a_changed() {}\n");
    let job = reindex(&mut questions, json!({})).await;
    let [changed, removed, unchanged] = numbers(&job);
    assert!(
        changed <= 1 && removed == 0 && changed + unchanged == 5,
        "{job}"
    );
    questions.until_found("a_changed", &["src/a.rs"]).await;
}

async fn parts() {
    let home = Home::new();
    let root = repository(&home, "engine", FILES);
    let mut questions = Questions::start(&home, &root).await;
    questions.settled().await;
    let absolute = root.join("src");
    let table = [
        (json!({ "path": "src" }), [0, 0, 3]),
        (json!({ "path": absolute }), [0, 0, 3]),
        (json!({ "root": absolute }), [0, 0, 3]),
        (json!({ "path": "src/b.rs" }), [0, 0, 1]),
        (json!({ "path": "src", "force": true }), [3, 0, 0]),
        (json!({ "path": "src/b.rs", "force": true }), [1, 0, 0]),
        (json!({ "path": "." }), [0, 0, 5]),
    ];
    for (arguments, expected) in table {
        let job = reindex(&mut questions, arguments.clone()).await;
        assert_eq!(numbers(&job), expected, "{arguments}: {job}");
    }
    for path in ["nowhere", "src/nowhere.rs"] {
        let error = questions
            .ask("reindex", json!({ "path": path }))
            .await
            .expect_err("there is no such path");
        assert!(error.starts_with("file_not_found: "), "{path}: {error}");
    }
    let error = questions
        .ask("reindex", json!({ "path": "../elsewhere" }))
        .await
        .expect_err("it is outside");
    assert!(error.starts_with("path_outside_root: "), "{error}");
    fs::remove_file(root.join("src/c.rs")).expect("removed");
    let job = reindex(&mut questions, json!({ "path": "src" })).await;
    let [changed, removed, unchanged] = numbers(&job);
    assert!(changed == 0 && removed <= 1 && unchanged == 2, "{job}");
}
