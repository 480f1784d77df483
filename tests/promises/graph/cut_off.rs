//! A daemon that is killed during a rename leaves all files changed or none, once its successor runs.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use claudevil_tests::chance::Chance;
use libtest_mimic::Trial;
use serde_json::json;

use super::toolchains::files;
use super::{asking, home, put, repository};
use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "a_rename_that_is_killed_is_whole_or_not_at_all",
            Needs::Nothing,
            killed,
        ),
        proof(
            "a_rename_of_a_class_that_is_killed_moves_its_file_or_not",
            Needs::Nothing,
            killed_while_moving,
        ),
    ]
}

const FILES: usize = 40;
const ROUNDS: usize = 20;

fn text(number: usize, name: &str) -> String {
    let before = "// What lies before it.\n".repeat(number % 7);
    if number == 0 {
        format!("{before}pub fn {name}(value: u64) -> u64 {{\n    value + 1\n}}\n")
    } else {
        format!(
            "{before}use crate::part0::{name};\n\npub fn user{number}() -> u64 {{\n    {name}({number}) + {name}(1)\n}}\n"
        )
    }
}

/// Counts the files with each name; every file must have the same name throughout.
fn named(root: &Path, names: [&str; 2]) -> [usize; 2] {
    let mut counts = [0, 0];
    for number in 0..FILES {
        let found =
            fs::read_to_string(root.join(format!("src/part{number}.rs"))).expect("never away");
        let which = names.iter().position(|name| found == text(number, name));
        counts[which.unwrap_or_else(|| panic!("part{number}.rs is neither: {found}"))] += 1;
    }
    counts
}

async fn killed() {
    let home = home();
    let root = repository(
        &home,
        "engine",
        &[(
            "Cargo.toml",
            "[package]\nname = \"engine\"\nversion = \"0.1.0\"\n",
        )],
    );
    let modules: String = (0..FILES)
        .map(|number| format!("pub mod part{number};\n"))
        .collect();
    put(&root, "src/lib.rs", modules.as_bytes());
    for number in 0..FILES {
        put(
            &root,
            &format!("src/part{number}.rs"),
            text(number, "grow0").as_bytes(),
        );
    }
    let mut questions = asking(&home, &root).await;
    let journal = home.paths().data().join("changes");
    let is_under_way = || fs::read_dir(&journal).is_ok_and(|mut entries| entries.next().is_some());
    let asked = |from: &str, to: &str| json!({ "name": "rename_symbol", "arguments": { "symbol": from, "new_name": to, "dry_run": false } });
    // The first rename is not disturbed, to measure how long the writing takes.
    let id = questions
        .session()
        .send("tools/call", asked("grow0", "grow1"))
        .await;
    let began = Instant::now();
    while !is_under_way()
        && named(&root, ["grow0", "grow1"])[1] == 0
        && began.elapsed() < Duration::from_secs(20)
    {
        tokio::task::yield_now().await;
    }
    let writing = Instant::now();
    let (answer, is_error) = questions.session().tool_answer(id).await;
    assert!(!is_error, "{answer}");
    let length = writing.elapsed();
    assert_eq!(named(&root, ["grow0", "grow1"]), [0, FILES], "{answer}");
    let mut name = "grow1".to_owned();
    let mut chance = Chance::new(41);
    let (mut cut, mut done, mut undone) = (0, 0, 0);
    for round in 0..ROUNDS {
        let new_name = format!("grow{}", round + 2);
        questions.settled().await;
        questions
            .session()
            .send("tools/call", asked(&name, &new_name))
            .await;
        let began = Instant::now();
        while !is_under_way() && began.elapsed() < Duration::from_secs(20) {
            tokio::task::yield_now().await;
        }
        // Not a wait for an event: the kill comes at another moment each time. The other half of the time is that of
        // the answer on its way.
        let share = u32::try_from(chance.below(1000)).expect("small");
        tokio::time::sleep(length * share / 2000).await;
        home.kill_daemon().await;
        cut += usize::from(is_under_way());
        // The next question starts the next daemon, which completes or reverts the change before it answers.
        drop(questions);
        questions = asking(&home, &root).await;
        let counts = named(&root, [&name, &new_name]);
        assert!(
            counts.contains(&FILES),
            "round {round}: {counts:?} of {name} and {new_name}; log:\n{}",
            home.log()
        );
        assert!(!is_under_way(), "round {round}: nothing is left to do");
        assert_eq!(
            files(&root, "").len(),
            FILES + 2,
            "round {round}: nothing lies beside: {:?}",
            files(&root, "")
        );
        if counts[1] == FILES {
            done += 1;
            name = new_name;
        } else {
            undone += 1;
        }
        let (places, expected) = (questions.places(&name).await, ["src/part0.rs"]);
        assert_eq!(
            places, expected,
            "round {round}: the index has what the files have"
        );
    }
    measured(&format!(
        "{ROUNDS} kills, writing takes {length:?}: {cut} in the middle of it; {done} were finished, {undone} taken back"
    ));
    assert!(
        cut >= 3,
        "only {cut} of {ROUNDS} kills came while files were written"
    );
}

const USERS: usize = 30;

fn class(name: &str) -> String {
    format!("package com.acme;\n\npublic class {name} {{\n    public {name}() {{}}\n}}\n")
}

fn user(number: usize, name: &str) -> String {
    format!("package com.acme;\n\nclass User{number} {{\n    {name} made = new {name}();\n}}\n")
}

/// Returns whether everything has the second name. Otherwise everything, names of files included, must have the first.
fn has_moved(root: &Path, names: [&str; 2]) -> bool {
    let read = |path: String| fs::read_to_string(root.join(path)).ok();
    let has = |name: &str, other: &str| {
        read(format!("src/com/acme/{name}.java")) == Some(class(name))
            && read(format!("src/com/acme/{other}.java")).is_none()
            && (0..USERS).all(|number| {
                read(format!("src/com/acme/User{number}.java")) == Some(user(number, name))
            })
    };
    let states = (has(names[0], names[1]), has(names[1], names[0]));
    assert!(
        states.0 != states.1,
        "neither {names:?}: {:?}",
        files(root, ".java")
    );
    states.1
}

async fn killed_while_moving() {
    let home = home();
    let root = repository(&home, "bank", &[]);
    put(
        &root,
        "src/com/acme/Account0.java",
        class("Account0").as_bytes(),
    );
    for number in 0..USERS {
        put(
            &root,
            &format!("src/com/acme/User{number}.java"),
            user(number, "Account0").as_bytes(),
        );
    }
    let mut questions = asking(&home, &root).await;
    let journal = home.paths().data().join("changes");
    let is_under_way = || fs::read_dir(&journal).is_ok_and(|mut entries| entries.next().is_some());
    let mut name = "Account0".to_owned();
    let mut chance = Chance::new(17);
    let (mut cut, mut done) = (0, 0);
    for round in 1..=ROUNDS {
        let new_name = format!("Account{round}");
        questions.settled().await;
        let asked = json!({ "name": "rename_symbol", "arguments": { "symbol": name, "new_name": new_name, "dry_run": false } });
        questions.session().send("tools/call", asked).await;
        let began = Instant::now();
        while !is_under_way() && began.elapsed() < Duration::from_secs(20) {
            tokio::task::yield_now().await;
        }
        // Not a wait for an event: the kill comes at another moment each time.
        tokio::time::sleep(Duration::from_micros(chance.below(30_000) as u64)).await;
        home.kill_daemon().await;
        cut += usize::from(is_under_way());
        drop(questions);
        questions = asking(&home, &root).await;
        assert!(!is_under_way(), "round {round}: nothing is left to do");
        assert_eq!(
            files(&root, "").len(),
            USERS + 1,
            "round {round}: nothing lies beside: {:?}",
            files(&root, "")
        );
        if has_moved(&root, [&name, &new_name]) {
            done += 1;
            name = new_name;
        }
        // The class, and its constructor.
        let mut places = questions.places(&name).await;
        places.dedup();
        assert_eq!(
            places,
            [format!("src/com/acme/{name}.java")],
            "round {round}"
        );
    }
    measured(&format!(
        "{ROUNDS} kills: {cut} in the middle of it; {done} were finished, {} not made",
        ROUNDS - done
    ));
    assert!(
        cut >= 3,
        "only {cut} of {ROUNDS} kills came while files were written"
    );
}
