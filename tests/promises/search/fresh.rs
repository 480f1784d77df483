//! A search sees every change made before it: new text, removed text, renamed files.

use std::fs;
use std::time::{Duration, Instant};

use claudevil_tests::binaries;
use claudevil_tests::home::Home;
use claudevil_tests::questions::Questions;
use claudevil_tests::tree::Tree;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::{asking, put, search};
use crate::freshness::ROUNDS;
use crate::{Needs, measured, percentile, proof};

pub fn trials() -> Vec<Trial> {
    vec![proof("08_a_search_sees_every_save", Needs::Nothing, saves)]
}

const MODES: [&str; 4] = ["auto", "keyword", "literal", "regex"];

/// Returns the files in which a word is found now, and whether the answer is marked as current.
async fn places(questions: &mut Questions, word: &str, mode: &str) -> (Vec<String>, bool) {
    let question = json!({ "query": word, "mode": mode, "limit": 100, "max_tokens": 10000 });
    let answer = search(questions, question).await;
    let freshness = &answer["freshness"];
    let is_marked = !freshness["partial"].is_null()
        || freshness["stale_total"] != 0
        || freshness["note"].as_str().is_some_and(is_doubt);
    let is_whole =
        !is_marked && (answer["coverage"].is_null() || answer["coverage"]["unsearched"] == 0);
    let mut found: Vec<String> = answer["results"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|one| shows(one, word))
        .map(super::path)
        .collect();
    found.sort_unstable();
    found.dedup();
    (found, is_whole)
}

/// Returns whether a note expresses doubt. A note that no file has a word of the question shows that all were searched.
fn is_doubt(note: &str) -> bool {
    !note.starts_with("no match for: ")
}

fn shows(result: &Value, word: &str) -> bool {
    result["snippet"]
        .as_str()
        .is_some_and(|text| text.contains(word))
}

async fn saves() {
    let home = Home::new();
    let tree = Tree::new(&home.scratch().join("user/engine"), 31, 60);
    let mut questions = asking(&home, &tree.root).await;
    for round in 1..=ROUNDS {
        let (marked, took) = save_and_search(&mut questions, &tree).await;
        // One in a hundred may be marked. A debug build on a busy machine is often late, but an unmarked answer must be right
        // all the same.
        let most = if binaries::are_debug_builds() {
            took.len() / 3
        } else {
            took.len() / 100
        };
        if marked.len() <= most && percentile(&took, 95) < Duration::from_secs(2) {
            return;
        }
        let late = percentile(&took, 95);
        assert!(
            round < ROUNDS,
            "p95 {late:?}; {} of {} were marked: {marked:?}",
            marked.len(),
            took.len()
        );
    }
}

type MarkedAnswers = Vec<(&'static str, &'static str)>;

/// Returns the modes and steps of marked answers, and the time that each answer took.
async fn save_and_search(questions: &mut Questions, tree: &Tree) -> (MarkedAnswers, Vec<Duration>) {
    let (mut marked, mut took) = (vec![], vec![]);
    for number in 0..8 {
        let word = format!("walrus{number}word");
        let (first, second) = (
            format!("src/new{number}.rs"),
            format!("moved/to{number}.rs"),
        );
        fs::create_dir_all(tree.root.join("moved")).expect("made");
        for step in ["written", "written again", "renamed", "removed"] {
            let expected: &[&str] = match step {
                "written" => {
                    put(
                        &tree.root,
                        &first,
                        format!("pub fn {word}() {{}}\n").as_bytes(),
                    );
                    &[&first]
                }
                "written again" => {
                    let text =
                        format!("// One more line.\npub fn other() -> u32 {{\n    {word}()\n}}\n");
                    put(&tree.root, &first, text.as_bytes());
                    &[&first]
                }
                "renamed" => {
                    fs::rename(tree.root.join(&first), tree.root.join(&second)).expect("renamed");
                    &[&second]
                }
                _ => {
                    fs::remove_file(tree.root.join(&second)).expect("removed");
                    &[]
                }
            };
            // Each mode is the first to ask in its turn.
            for turn in 0..MODES.len() {
                let mode = MODES[(number + turn) % MODES.len()];
                let started = Instant::now();
                let (found, is_whole) = places(questions, &word, mode).await;
                took.push(started.elapsed());
                if is_whole {
                    assert_eq!(found, expected, "{mode} after {word} was {step}");
                } else {
                    marked.push((mode, step));
                }
            }
        }
    }
    measured(&format!(
        "{} searches after 32 edits: {} marked, p50 {:?}, longest {:?}",
        took.len(),
        marked.len(),
        percentile(&took, 50),
        percentile(&took, 100)
    ));
    (marked, took)
}
