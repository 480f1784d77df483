//! Concurrent sessions that write, people who edit meanwhile, and a daemon that is killed in between.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use claudevil_tests::chance::Chance;
use claudevil_tests::home::Home;
use libtest_mimic::Trial;
use serde_json::json;

use super::{NOTES, PLANS, ask, everything, files, next_answer, recalled, session};
use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "memory_sessions_that_write_at_once_lose_nothing",
            Needs::Nothing,
            notes,
        ),
        proof(
            "memory_one_plan_is_active_whoever_activates_at_once",
            Needs::Nothing,
            plans,
        ),
        proof(
            "memory_an_edit_by_hand_survives_a_save",
            Needs::Nothing,
            edits,
        ),
        proof(
            "memory_what_was_said_to_be_kept_survives_kills",
            Needs::Nothing,
            kills,
        ),
    ]
}

const WRITERS: usize = 2;
/// Together nearly as many calls as a daemon runs at once.
const NOTES_EACH: usize = 30;

async fn notes() {
    let home = Home::new();
    let project = home.project("engine");
    let mut sessions = vec![];
    for _ in 0..WRITERS {
        sessions.push(session(&home, &project).await);
    }
    // All calls are under way before the first answer is read.
    for number in 0..NOTES_EACH {
        for (writer, session) in sessions.iter_mut().enumerate() {
            // The same words, so that the names of the files are as similar as possible.
            let text = format!("The same words\nfrom {writer}, number {number}.");
            let arguments = json!({ "text": text, "tags": ["race"] });
            session.send_call("checkpoint", arguments).await;
        }
    }
    for session in &mut sessions {
        for _ in 0..NOTES_EACH {
            let (_, text, is_error) = next_answer(session).await;
            assert!(
                !is_error && text.starts_with("saved in engine: .claudevil/memories/"),
                "{text}"
            );
        }
    }
    let kept = files(&project.join(NOTES));
    assert_eq!(kept.len(), WRITERS * NOTES_EACH, "{kept:?}");
    let texts: Vec<_> = kept
        .iter()
        .map(|path| fs::read_to_string(path).expect("text"))
        .collect();
    for writer in 0..WRITERS {
        for number in 0..NOTES_EACH {
            let line = format!("from {writer}, number {number}.\n");
            assert_eq!(
                texts.iter().filter(|text| text.ends_with(&line)).count(),
                1,
                "{line}"
            );
        }
    }
    let answer = ask(
        &mut sessions[0],
        "recall",
        json!({ "query": "same words", "tags": ["RACE"] }),
    )
    .await
    .expect("notes");
    assert_eq!(answer["total"], WRITERS * NOTES_EACH, "{answer}");
    let one = recalled(&mut sessions[1], json!({ "query": "from 1, number 17" })).await;
    assert_eq!(
        one.first().map(String::as_str),
        Some("The same words\nfrom 1, number 17.")
    );
}

async fn plans() {
    let home = Home::new();
    let project = home.project("engine");
    let mut sessions = vec![
        session(&home, &project).await,
        session(&home, &project).await,
    ];
    for number in 0..12 {
        for (writer, session) in sessions.iter_mut().enumerate() {
            let title = format!("Plan {writer} {number}");
            for arguments in [
                json!({ "action": "save", "title": title, "text": "- [ ] a" }),
                json!({ "action": "activate", "title": title }),
            ] {
                session.send_call("plan", arguments).await;
            }
        }
    }
    let mut early = 0;
    for session in &mut sessions {
        for _ in 0..24 {
            let (_, text, is_error) = next_answer(session).await;
            // Calls of one session run concurrently: a plan may be asked for before it exists.
            assert!(!is_error || text.contains("no plan is called"), "{text}");
            early += usize::from(is_error);
        }
    }
    let listed = ask(
        &mut sessions[0],
        "plan",
        json!({ "action": "list", "max_tokens": 10_000 }),
    )
    .await
    .expect("plans");
    assert_eq!(listed["total"], 24, "{listed}");
    let says_active = |path: &std::path::PathBuf| {
        fs::read_to_string(path)
            .expect("text")
            .contains("status: active")
    };
    let kept = files(&project.join(PLANS));
    assert_eq!(kept.len(), 24, "{kept:?}");
    assert_eq!(
        kept.iter().filter(|path| says_active(path)).count(),
        1,
        "the files say so themselves"
    );
    let active = listed["plans"]
        .as_array()
        .expect("plans")
        .iter()
        .filter(|plan| plan["status"] == "active")
        .count();
    assert_eq!(active, 1, "{listed}");
    measured(&format!(
        "24 plans of two sessions, {early} activations too early, one active"
    ));
}

/// A person who edits a plan while a session saves it finds the edit again: in the plan, or in the copy of its earlier text.
async fn edits() {
    let home = Home::new();
    let project = home.project("engine");
    let mut writer = session(&home, &project).await;
    ask(
        &mut writer,
        "plan",
        json!({ "action": "save", "title": "Docs", "text": "- [ ] begin" }),
    )
    .await
    .expect("saved");
    let path = project.join(PLANS).join("docs.md");
    let (mut replaced, mut chance) = (0, Chance::new(7));
    for round in 0..15 {
        let arguments =
            json!({ "action": "save", "title": "Docs", "text": format!("- [ ] step {round}") });
        let call = writer.send_call("plan", arguments).await;
        for _ in 0..chance.below(2000) {
            tokio::task::yield_now().await;
        }
        // As editors save: a new file replaces the old one.
        let mark = format!("edited by hand {round}.");
        let text = fs::read_to_string(&path).expect("a plan is always there");
        let aside = project.join(PLANS).join("docs.md.swp");
        fs::write(&aside, format!("{text}{mark}\n")).expect("written");
        fs::rename(&aside, &path).expect("put in place");
        let (text, is_error) = writer.tool_answer(call).await;
        assert!(!is_error, "{text}");
        replaced += usize::from(text.contains("the former text is kept in"));
        let kept = everything(&project.join(PLANS));
        let has = |path: &std::path::PathBuf| {
            fs::read_to_string(path).is_ok_and(|text| text.contains(&mark))
        };
        assert!(
            kept.iter().any(has),
            "round {round}: the edit is lost; {kept:?}"
        );
    }
    let shown = ask(&mut writer, "plan", json!({ "action": "show" }))
        .await
        .expect("shown");
    assert_eq!(shown["plan"]["status"], "active", "{shown}");
    assert!(replaced > 0, "nothing was ever replaced");
}

async fn kills() {
    let home = Home::new();
    let project = home.project("engine");
    let mut chance = Chance::new(11);
    let (mut said, mut unsure) = (BTreeSet::new(), 0);
    for round in 0..6 {
        let mut writer = session(&home, &project).await;
        let mut calls = BTreeMap::new();
        for number in 0..12 {
            let line = format!("kept in round {round} as number {number}.");
            let arguments = json!({ "text": format!("{}\n{line}", "many words ".repeat(200)) });
            calls.insert(writer.send_call("checkpoint", arguments).await, line);
        }
        // Some calls are answered, some are under way, some have not begun.
        let answered = chance.below(calls.len());
        for number in 0..calls.len() {
            if number == answered {
                home.kill_daemon().await;
            }
            let (call, text, is_error) = next_answer(&mut writer).await;
            let line = calls.get(&call).expect("a call").clone();
            if is_error {
                unsure += 1;
            } else {
                assert!(said.insert(line), "{text}");
            }
        }
        writer.close().await;
    }
    let texts: Vec<_> = files(&project.join(NOTES))
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .map(|path| fs::read_to_string(path).expect("text"))
        .collect();
    for text in &texts {
        assert!(
            text.starts_with("---\ncreated: ") && text.ends_with(".\n"),
            "a half of a note: {text}"
        );
    }
    for line in &said {
        assert_eq!(
            texts
                .iter()
                .filter(|text| text.contains(line.as_str()))
                .count(),
            1,
            "{line}"
        );
    }
    let mut reader = session(&home, &project).await;
    let answer = ask(&mut reader, "recall", json!({})).await.expect("notes");
    assert_eq!(answer["stored"], texts.len(), "{answer}");
    assert_eq!(answer["skipped_total"], 0, "{answer}");
    assert!(said.len() > 10, "{} were kept", said.len());
    measured(&format!(
        "{} notes said to be kept and all there, {unsure} calls cut off by 6 kills",
        said.len()
    ));
}
