//! The first question about a new project is answered at once, from its files, and says so.

use std::time::{Duration, Instant};

use claudevil_tests::binaries;
use claudevil_tests::home::Home;
use claudevil_tests::questions::Questions;
use claudevil_tests::tree::Tree;
use libtest_mimic::Trial;
use serde_json::json;

use super::{paths, put, repository, search};
use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "search_answers_about_a_new_project_at_once",
            Needs::Nothing,
            small,
        ),
        proof(
            "search_answers_about_a_large_new_project_in_time",
            Needs::Nothing,
            large,
        ),
    ]
}

/// Compares answers before anything is indexed with those from the index.
async fn small() {
    let home = Home::new();
    let tree = Tree::new(&home.scratch().join("user/engine"), 3, 100);
    put(
        &tree.root,
        "docs/walrus.md",
        b"# Walrus\n\nThe walrus ferries the harbour.\n",
    );
    put(
        &tree.root,
        "src/walrus.rs",
        b"/// The walrus.\npub fn walrus_of_the_harbour() {}\n",
    );
    put(&tree.root, ".env", b"WALRUS=harbour\n");
    let mut questions = Questions::start(&home, &tree.root).await;
    let mut partial = 0;
    for (mode, query) in [
        ("auto", "walrus harbour"),
        ("literal", "walrus"),
        ("keyword", "walrus AND harbour"),
        ("keyword", "walrus -lang:rust"),
        ("regex", "(?i)walrus"),
        ("semantic", "walrus harbour"),
    ] {
        let answer = search(&mut questions, json!({ "query": query, "mode": mode })).await;
        let found = paths(&answer);
        let is_partial = !answer["freshness"]["partial"].is_null();
        partial += usize::from(is_partial);
        assert!(
            found.contains(&"docs/walrus.md".to_owned()),
            "{mode} {query}: {answer}"
        );
        assert!(!found.contains(&".env".to_owned()), "{mode}: {answer}");
        if query == "walrus -lang:rust" {
            assert!(
                !found.contains(&"src/walrus.rs".to_owned()),
                "{mode} {query}: {answer}"
            );
        }
    }
    assert!(partial > 0, "the first answer came before the index");
    questions.settled().await;
    for (mode, query) in [
        ("auto", "walrus harbour"),
        ("literal", "walrus"),
        ("keyword", "walrus AND harbour"),
    ] {
        let answer = search(&mut questions, json!({ "query": query, "mode": mode })).await;
        assert!(answer["freshness"]["partial"].is_null(), "{mode}: {answer}");
        assert!(
            !answer["freshness"]["note"]
                .as_str()
                .unwrap_or_default()
                .contains("new"),
            "{mode}: {answer}"
        );
        let found = paths(&answer);
        assert!(
            found.contains(&"docs/walrus.md".to_owned()),
            "{mode} {query}: {answer}"
        );
    }
}

async fn large() {
    let home = Home::new();
    let tree = Tree::new(&home.scratch().join("user/engine"), 4, 6000);
    let other = repository(&home, "other", &[("a.rs", "pub fn a() {}\n")]);
    // The daemon is already running.
    let mut questions = Questions::start(&home, &other).await;
    questions.settled().await;
    let bound = if binaries::are_debug_builds() {
        Duration::from_secs(3)
    } else {
        Duration::from_millis(300)
    };
    let name = tree
        .visible()
        .next()
        .and_then(|(_, names)| names.first())
        .expect("a name")
        .clone();
    let started = Instant::now();
    let answer = search(&mut questions, json!({ "query": name, "root": tree.root })).await;
    let took = started.elapsed();
    assert!(took < bound, "it took {took:?}: {}", answer["freshness"]);
    assert!(!answer["freshness"]["partial"].is_null(), "{answer}");
    assert!(
        !answer["results"].as_array().expect("a list").is_empty(),
        "{answer}"
    );
    measured(&format!("the first answer about 6,000 files took {took:?}"));
    // An empty answer is not given before all files are indexed.
    let nothing = json!({ "query": "nothing_of_this_name", "root": tree.root });
    match questions.ask("search", nothing).await {
        Err(error) => assert!(
            error.starts_with("indexing: nothing found so far"),
            "{error}"
        ),
        Ok(answer) => assert!(
            answer["freshness"]["partial"]["phase"] != "extracting",
            "{answer}"
        ),
    }
}
