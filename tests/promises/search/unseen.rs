//! A project that nobody has asked about before is answered at once, out of its files, and says so.

use std::time::{Duration, Instant};

use claudevil_tests::binaries;
use claudevil_tests::home::Home;
use claudevil_tests::questions::Questions;
use claudevil_tests::tree::Tree;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::{all, path, put, repository, search};
use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof("search_answers_about_a_new_project_at_once", Needs::Nothing, small),
        proof("search_answers_about_a_large_new_project_in_time", Needs::Nothing, large),
    ]
}

/// Answers while nothing is indexed yet, and then those of the index.
async fn small() {
    let home = Home::new();
    let tree = Tree::new(&home.scratch().join("user/engine"), 3, 100);
    put(&tree.root, "docs/walrus.md", b"# Walrus\n\nThe walrus ferries the harbour.\n");
    put(&tree.root, "src/walrus.rs", b"/// The walrus.\npub fn walrus_of_the_harbour() {}\n");
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
        let found: Vec<String> = answer["results"].as_array().expect("a list").iter().map(path).collect();
        let is_partial = !answer["freshness"]["partial"].is_null();
        partial += usize::from(is_partial);
        let is_cut = answer["freshness"]["note"].as_str().is_some_and(|note| note.contains("in time"))
            || answer["coverage"]["unsearched"].as_u64().is_some_and(|files| files > 0);
        assert!(is_cut || found.contains(&"docs/walrus.md".to_owned()), "{mode} {query}: {answer}");
        assert!(!found.contains(&".env".to_owned()), "{mode}: {answer}");
        if query == "walrus -lang:rust" {
            assert!(!found.contains(&"src/walrus.rs".to_owned()), "{mode} {query}: {answer}");
        }
    }
    assert!(partial > 0, "the first answer came before the index");
    questions.settled().await;
    for (mode, query) in [("auto", "walrus harbour"), ("literal", "walrus"), ("keyword", "walrus AND harbour")] {
        let answer = search(&mut questions, json!({ "query": query, "mode": mode })).await;
        assert!(answer["freshness"]["partial"].is_null(), "{mode}: {answer}");
        assert!(!answer["freshness"]["note"].as_str().unwrap_or_default().contains("new"), "{mode}: {answer}");
        let found: Vec<String> = answer["results"].as_array().expect("a list").iter().map(path).collect();
        assert!(found.contains(&"docs/walrus.md".to_owned()), "{mode} {query}: {answer}");
    }
}

async fn large() {
    let home = Home::new();
    let tree = Tree::new(&home.scratch().join("user/engine"), 4, 6000);
    let other = repository(&home, "other", &[("a.rs", "pub fn a() {}\n")]);
    // The daemon runs already.
    let mut questions = Questions::start(&home, &other).await;
    questions.settled().await;
    let bound = if binaries::are_debug_builds() { Duration::from_secs(3) } else { Duration::from_millis(300) };
    let name = tree.visible().next().and_then(|(_, names)| names.first()).expect("a name").clone();
    let mut longest = Duration::ZERO;
    for (mode, query) in [("auto", name.as_str()), ("literal", name.as_str()), ("auto", "looks at a value")] {
        let started = Instant::now();
        let answer = search(&mut questions, json!({ "query": query, "mode": mode, "root": tree.root })).await;
        let took = started.elapsed();
        longest = longest.max(took);
        assert!(took < bound, "{mode} {query} took {took:?}: {}", answer["freshness"]);
        assert!(!answer["freshness"]["partial"].is_null(), "{mode} {query}: {answer}");
        let results = answer["results"].as_array().expect("a list");
        let is_whole = !says_cut(&answer);
        assert!(!results.is_empty() || !is_whole, "{mode} {query}: {answer}");
    }
    measured(&format!("the longest of three first answers about 6,000 files took {longest:?}"));
    // Pages of such an answer are the whole of it, too.
    let found = all(&mut questions, json!({ "query": "nothing_of_this_name", "root": tree.root })).await;
    assert!(found.is_empty(), "{found:?}");
}

fn says_cut(answer: &Value) -> bool {
    answer["freshness"]["note"].as_str().is_some_and(|note| note.contains("in time"))
        || answer["coverage"]["unsearched"].as_u64().is_some_and(|files| files > 0)
}
