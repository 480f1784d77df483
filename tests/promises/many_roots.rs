//! Many roots: what they need together, and which of them stay in memory.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use claudevil_tests::home::Home;
use claudevil_tests::questions::{PATIENCE, Questions};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::hostile::memory_peak_kb;
use crate::{Needs, proof};

const DESCRIPTORS: usize = 512;
const MAX_MEMORY_KB: u64 = 1536 << 10;

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "25_two_hundred_roots_within_bounds",
            Needs::Patience,
            || many_roots(200),
        ),
        proof("25_idle_roots_are_unloaded", Needs::Nothing, idle_roots),
        proof(
            "25_the_least_recently_used_are_unloaded_first",
            Needs::Nothing,
            least_recently_used,
        ),
    ]
}

/// Keeps all roots warm at once.
async fn many_roots(count: usize) {
    let script = format!("ulimit -n {DESCRIPTORS} && exec \"$@\"");
    let home = Home::new().run_by(["sh", "-c", &script, "sh"]);
    let roots: Vec<PathBuf> = (0..count).map(|number| root(&home, number, 50)).collect();
    let mut questions = Questions::start(&home, &roots[0]).await;
    let mut descriptors = 0;
    for round in 0..2 {
        for (number, root) in roots.iter().enumerate() {
            until_answered(&mut questions, root, number).await;
            descriptors = descriptors.max(open_files(&home));
        }
        let warm = indexers(&home);
        assert_eq!(warm, count, "all of them are in memory");
        let peak = memory_peak_kb(home.daemon().expect("a daemon")).expect("there");
        crate::measured(&format!(
            "round {round}: {warm} of {count} warm, {peak} KB, {descriptors} descriptors"
        ));
        assert!(peak <= MAX_MEMORY_KB, "{peak} KB");
        assert!(descriptors <= DESCRIPTORS, "{descriptors} descriptors");
    }
    // An edit anywhere is still seen.
    for number in [0, count / 2, count - 1] {
        fs::write(
            roots[number].join("edited.rs"),
            format!("pub fn edited_{number}() {{}}\n"),
        )
        .expect("written");
        until_found(
            &mut questions,
            &roots[number],
            &format!("edited_{number}"),
            "edited.rs",
        )
        .await;
    }
}

async fn idle_roots() {
    let home = Home::new().with("CLAUDEVIL_UNLOAD_SECONDS", "1");
    let roots: Vec<PathBuf> = (0..8).map(|number| root(&home, number, 5)).collect();
    let mut questions = Questions::start(&home, &roots[0]).await;
    for (number, root) in roots.iter().enumerate() {
        until_answered(&mut questions, root, number).await;
    }
    // The session's own root is asked about all the time, and stays loaded.
    let started = Instant::now();
    let states = loop {
        let states = states(&mut questions).await;
        // On a slow machine it may be unloaded between two questions, and is loaded again.
        let is_own = |(name, state): &(String, String)| name == "root-0" && state == "ready";
        if states
            .iter()
            .filter(|(_, state)| state == "unloaded")
            .count()
            == 7
            && states.iter().any(is_own)
        {
            break states;
        }
        assert!(started.elapsed() < PATIENCE, "{states:?}");
        claudevil_tests::pause().await;
    };
    let warm: Vec<&str> = states
        .iter()
        .filter(|(_, state)| state == "ready")
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(warm, ["root-0"]);
    for (number, root) in roots.iter().enumerate() {
        until_answered(&mut questions, root, number).await;
    }
}

async fn least_recently_used() {
    // Six roots, of which two fit into memory.
    let home = Home::new().with("CLAUDEVIL_MEMORY_MB", "1");
    let roots: Vec<PathBuf> = (0..6).map(|number| root(&home, number, 1_500)).collect();
    let mut questions = Questions::start(&home, &roots[0]).await;
    for (number, root) in roots.iter().enumerate() {
        until_answered(&mut questions, root, number).await;
    }
    // Used again in another order: root 5 is now the least recently used.
    let order = [5, 3, 1, 2, 4, 0];
    for number in order {
        until_answered(&mut questions, &roots[number], number).await;
    }
    // A status uses only the session's root, which was used last. A busy root is unloaded a moment later, so the order of use
    // decides in the end.
    let started = Instant::now();
    loop {
        let states = states(&mut questions).await;
        let is_unloaded =
            |number: &usize| states.contains(&(format!("root-{number}"), "unloaded".to_owned()));
        let unloaded = order.iter().filter(|number| is_unloaded(number)).count();
        if unloaded > 1 && order[..unloaded].iter().all(is_unloaded) {
            assert!(unloaded < order.len() - 1, "what fits stays: {states:?}");
            crate::measured(&format!(
                "{unloaded} of {} unloaded, those used longest ago",
                order.len()
            ));
            return;
        }
        assert!(
            started.elapsed() < PATIENCE,
            "not in the order of their use: {states:?}"
        );
        claudevil_tests::pause().await;
    }
}

/// Makes a root with one function of a unique name, and others.
fn root(home: &Home, number: usize, functions: usize) -> PathBuf {
    let root = home.project(&format!("root-{number}"));
    let mut text = format!("pub fn only_in_{number}() {{}}\n");
    for function in 0..functions {
        let _ = writeln!(
            text,
            "pub fn function_{number}_{function}() -> usize {{ {function} }}"
        );
        if text.len() > 20_000 {
            fs::write(
                root.join(format!("src/more_{function}.rs")),
                std::mem::take(&mut text),
            )
            .expect("written");
        }
    }
    fs::write(root.join("src/own.rs"), text).expect("written");
    root
}

async fn until_answered(questions: &mut Questions, root: &Path, number: usize) {
    let name = format!("only_in_{number}");
    // Indexed completely: its weight counts in full.
    let is_whole = |found: &Value| found["freshness"]["partial"].is_null();
    until(questions, root, &name, is_whole).await;
}

async fn until_found(questions: &mut Questions, root: &Path, name: &str, file: &str) {
    let is_in_file = |found: &Value| found["symbols"][0]["path"] == file;
    until(questions, root, name, is_in_file).await;
}

/// Looks for a symbol until the answer is as expected.
async fn until(
    questions: &mut Questions,
    root: &Path,
    name: &str,
    is_expected: impl Fn(&Value) -> bool,
) {
    let started = Instant::now();
    loop {
        let found = questions
            .ask(
                "find_symbol",
                json!({ "name": name, "match": "exact", "root": root }),
            )
            .await;
        if found.as_ref().is_ok_and(&is_expected) {
            return;
        }
        assert!(started.elapsed() < PATIENCE, "{name}: {found:?}");
        claudevil_tests::pause().await;
    }
}

/// Returns name and state of every root.
async fn states(questions: &mut Questions) -> Vec<(String, String)> {
    let status = questions
        .ask("index_status", json!({ "max_tokens": 10000 }))
        .await
        .expect("a status");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    status["roots"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|root| (text(&root["name"]), text(&root["state"])))
        .collect()
}

/// Returns the number of warm roots: each has a thread, named by its number.
fn indexers(home: &Home) -> usize {
    let daemon = home.daemon().expect("a daemon");
    let threads = fs::read_dir(format!("/proc/{daemon}/task"))
        .expect("readable")
        .flatten();
    let names = threads.filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok());
    names
        .filter(|name| {
            name.trim()
                .strip_prefix("claudevild-")
                .is_some_and(|rest| rest.parse::<u64>().is_ok())
        })
        .count()
}

fn open_files(home: &Home) -> usize {
    let daemon = home.daemon().expect("a daemon");
    fs::read_dir(format!("/proc/{daemon}/fd"))
        .expect("readable")
        .count()
}
