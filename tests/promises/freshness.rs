//! A question sees every save made before it, whatever the times of the file say.

use std::fs;
use std::time::{Duration, Instant, SystemTime};

use claudevil_tests::asking::{Asker, Trust, assert_like_fresh, expected};
use claudevil_tests::binaries;
use claudevil_tests::home::{BOUND, Home, signal};
use claudevil_tests::questions::Questions;
use claudevil_tests::tree::{Kind, Tree, set_modified};
use libtest_mimic::Trial;
use rustix::process::Signal;
use serde_json::Value;

use crate::{Needs, measured, percentile, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "08_a_question_sees_every_save_of_two_hundred",
            Needs::Nothing,
            || read_your_writes(200),
        ),
        proof(
            "08_a_question_sees_every_save_of_two_thousand",
            Needs::Patience,
            || read_your_writes(2000),
        ),
        proof(
            "08_edits_while_a_tree_is_indexed_are_kept",
            Needs::Nothing,
            edits_while_indexing,
        ),
        proof(
            "08_what_is_seen_of_an_edit_has_its_vectors",
            Needs::Nothing,
            vectors_with_the_edit,
        ),
        proof(
            "14_content_decides_not_times",
            Needs::Nothing,
            content_decides,
        ),
    ]
}

/// Number of rounds before the share of marked answers counts: a machine that is busy for a while says nothing about the
/// daemon. Answers without a mark always count.
pub const ROUNDS: usize = 3;

async fn read_your_writes(edits: usize) {
    let home = Home::new();
    let mut tree = Tree::new(&home.scratch().join("user/engine"), 8, 150);
    let mut asker = Asker::start(&home, &tree).await;
    asker.ready().await;
    for round in 1..=ROUNDS {
        let (marked, questions) = save_and_ask(&mut asker, &mut tree, edits).await;
        // One in a hundred may be marked. A debug build parses and walks some ten times slower than a release build.
        let most = if binaries::are_debug_builds() {
            questions / 20
        } else {
            questions / 100
        };
        if marked.len() <= most {
            break;
        }
        assert!(
            round < ROUNDS,
            "{} of {questions} answers were marked: {marked:#?}",
            marked.len()
        );
    }
    assert_like_fresh(&home, &tree).await;
}

/// Returns the marked answers, and the number of questions.
async fn save_and_ask(
    asker: &mut Asker,
    tree: &mut Tree,
    edits: usize,
) -> (Vec<(usize, Kind, String)>, usize) {
    let (mut marked, mut took) = (vec![], vec![]);
    for number in 0..edits {
        let edit = tree.edit();
        let (first, last) = (edit.names.first().cloned(), edit.names.last().cloned());
        for name in first.into_iter().chain(last) {
            let started = Instant::now();
            let told = asker.symbol(&name).await;
            took.push(started.elapsed());
            match told.trust {
                Trust::Whole => assert_eq!(
                    told.found,
                    expected(tree, &name),
                    "edit {number}, {name}: {edit:?}"
                ),
                Trust::Marked(words) => marked.push((number, edit.kind, words)),
            }
        }
    }
    measured(&format!(
        "{} questions after {edits} edits: {} marked, p50 {:?}, p95 {:?}, longest {:?}",
        took.len(),
        marked.len(),
        percentile(&took, 50),
        percentile(&took, 95),
        percentile(&took, 100)
    ));
    (marked, took.len())
}

/// A question about meaning sees the same edits as one about names: a status that counts an edit's symbols counts its vectors.
async fn vectors_with_the_edit() {
    let home = Home::new();
    let project = home.project("engine");
    let mut questions = Questions::start(&home, &project).await;
    let symbols = |status: &Value| status["index"]["symbols"].as_u64().unwrap_or_default();
    let before = symbols(&questions.embedded().await);
    for number in 1..=20 {
        let functions = (0..number).map(|place| {
            format!("/// Counts to {place}.\npub fn counted_{place}(input: &str) -> usize {{\n    input.len() + {place}\n}}\n")
        });
        fs::write(project.join("src/edited.rs"), functions.collect::<String>()).expect("written");
        let status = questions
            .until("the edit is seen", |status| {
                symbols(status) == before + number
            })
            .await;
        assert_eq!(
            status["index"]["vectors"], status["index"]["chunks"],
            "edit {number}: {status}"
        );
    }
    // Nothing is left of a removed file, and a file that comes back has vectors again.
    fs::remove_file(project.join("src/edited.rs")).expect("deleted");
    let status = questions
        .until("the removal is seen", |status| symbols(status) == before)
        .await;
    assert_eq!(status["index"]["vectors"], status["index"]["chunks"]);
    assert!(home.claudevil(&["daemon", "stop"]).await.status.success());
    questions.embedded().await;
}

/// Content that was read before an edit must not be stored over the edit that a question saw.
async fn edits_while_indexing() {
    let home = Home::new();
    let mut tree = Tree::new(&home.scratch().join("user/engine"), 80, 1000);
    let mut asker = Asker::start(&home, &tree).await;
    let started = Instant::now();
    let mut edits = 0;
    while asker.status().await["state"] != "ready" {
        for kind in [Kind::Write, Kind::Delete, Kind::Rename, Kind::Create] {
            let edit = tree.edit_as(kind).expect("there are files");
            let name = edit.names.first().expect("a name");
            let told = asker.symbol(name).await;
            assert!(
                told.trust != Trust::Whole || told.found == expected(&tree, name),
                "{edit:?}: {told:?}"
            );
        }
        edits += 4;
        assert!(started.elapsed() < BOUND, "indexed after {BOUND:?}");
    }
    assert!(edits > 0, "there was time for edits");
    assert_like_fresh(&home, &tree).await;
}

/// The state of the daemon while an edit is made.
#[derive(Clone, Copy, Debug)]
enum DaemonState {
    Watched,
    Stopped,
    Killed,
}

async fn content_decides() {
    let home = Home::new();
    let mut tree = Tree::new(&home.scratch().join("user/engine"), 14, 40);
    let mut asker = Asker::start(&home, &tree).await;
    asker.ready().await;
    let hour = Duration::from_secs(3600);
    let now = SystemTime::now();
    for (words, time) in [
        ("back in 1970", SystemTime::UNIX_EPOCH),
        ("an hour ago", now - hour),
        ("ahead", now + hour),
    ] {
        for state in [
            DaemonState::Watched,
            DaemonState::Stopped,
            DaemonState::Killed,
        ] {
            let daemon = home.daemon().expect("a daemon");
            match state {
                DaemonState::Watched => {}
                DaemonState::Stopped => signal(daemon, Signal::STOP),
                DaemonState::Killed => home.kill_daemon().await,
            }
            let mut names = vec![];
            for kind in [Kind::WriteUnnoticed, Kind::Write, Kind::SaveAtomically] {
                let edit = tree.edit_as(kind).expect("there are files");
                if kind != Kind::WriteUnnoticed {
                    set_modified(&tree.root.join(&edit.path), time);
                }
                names.extend(edit.names);
            }
            match state {
                DaemonState::Watched => {}
                DaemonState::Stopped => signal(daemon, Signal::CONT),
                // The next question starts another.
                DaemonState::Killed => drop(asker.ready().await),
            }
            for name in names {
                let told = asker.symbol(&name).await;
                if told.trust == Trust::Whole {
                    assert_eq!(
                        told.found,
                        expected(&tree, &name),
                        "{name}, {words}, {state:?}"
                    );
                } else {
                    asker.converges(&tree, &name, BOUND).await;
                }
            }
        }
    }
    assert_like_fresh(&home, &tree).await;
}
