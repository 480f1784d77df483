//! Many notes, and large ones: `recall` takes little memory for them, reads each once, and stops when its caller is gone.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use claudevil_tests::chance::Chance;
use claudevil_tests::home::{BOUND, Home, put};
use claudevil_tests::mcp::Session;
use claudevil_tests::processes;
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::json;

use super::{NOTES, ask, recalled, session};
use crate::hostile::memory_peak_kb;
use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "memory_recall_of_large_notes_takes_little_memory",
            Needs::Nothing,
            large_notes,
        ),
        proof(
            "memory_recall_reads_unchanged_notes_once",
            Needs::Nothing,
            unchanged_notes,
        ),
        proof(
            "memory_recall_stops_when_it_is_cancelled",
            Needs::Nothing,
            cancelled,
        ),
        proof(
            "memory_recall_says_what_it_has_not_compared",
            Needs::Nothing,
            long_note,
        ),
    ]
}

/// Nearly the largest size of a note.
const LARGE: usize = 250_000;
const MAX_GROWTH_KB: u64 = 100 << 10;

/// Makes a project whose notes are not indexed: `recall` finds them all the same, and all memory is its own.
fn project(home: &Home) -> PathBuf {
    let project = home.project("engine");
    put(&project, ".claudevilignore", b".claudevil/\n");
    project
}

/// Writes notes of words from a vocabulary as large as that of English prose. Each has a word of its own, see [`own_word`].
fn write_notes(project: &Path, count: usize, bytes: usize) {
    let mut chance = Chance::new(13);
    let vocabulary: Vec<String> = (0..8000).map(|_| word(&mut chance)).collect();
    for number in 0..count {
        let mut text = format!("---\ntags: [many]\n---\n# About {}\n", own_word(number));
        while text.len() < bytes {
            for _ in 0..12 {
                // Few words are frequent, as in prose.
                let most = 1 + chance.below(vocabulary.len());
                text.push_str(&vocabulary[chance.below(most)]);
                text.push(' ');
            }
            text.push('\n');
        }
        put(project, &format!("{NOTES}/{number:05}.md"), text.as_bytes());
    }
}

/// Returns `qadq` for 3: letters alone, since a name of several parts is also found by each of them.
fn own_word(number: usize) -> String {
    let letter = |number: usize| char::from(b'a' + u8::try_from(number % 26).expect("below 26"));
    format!("q{}{}q", letter(number / 26), letter(number))
}

fn word(chance: &mut Chance) -> String {
    let syllables = [
        "ba", "den", "fi", "gor", "ha", "lim", "nu", "pre", "ro", "sta", "ti", "ver",
    ];
    (0..2 + chance.below(3))
        .map(|_| *chance.one_of(&syllables))
        .collect()
}

async fn settled(home: &Home, project: &Path) -> (Session, u32) {
    let mut questions = Questions::start(home, project).await;
    questions.settled().await;
    let mut session = session(home, project).await;
    ask(&mut session, "recall", json!({ "query": "anything" }))
        .await
        .expect("an answer");
    (session, home.daemon().expect("a daemon"))
}

async fn large_notes() {
    let home = Home::new();
    let project = project(&home);
    let (mut session, daemon) = settled(&home, &project).await;
    write_notes(&project, 160, LARGE);
    fs::write(format!("/proc/{daemon}/clear_refs"), "5").expect("the peak is reset");
    let before = memory_peak_kb(daemon).expect("there");
    let mut calls = vec![];
    for number in 0..8 {
        let arguments = json!({ "query": own_word(number), "format": "json", "limit": 3 });
        calls.push(session.send_call("recall", arguments).await);
    }
    let mut answers = std::collections::BTreeMap::new();
    let started = Instant::now();
    while answers.len() < calls.len() {
        // Sampled during the calls: the peak must not be exceeded at any time.
        let peak = memory_peak_kb(daemon)
            .expect("there")
            .saturating_sub(before);
        assert!(peak < MAX_GROWTH_KB, "eight at once took {peak} KB");
        assert!(started.elapsed() < 2 * BOUND, "no answer");
        if let Ok((call, text, is_error)) =
            tokio::time::timeout(Duration::from_millis(20), super::next_answer(&mut session)).await
        {
            assert!(!is_error, "{text}");
            answers.insert(call, text);
        }
    }
    for (number, call) in calls.iter().enumerate() {
        let answer: serde_json::Value = serde_json::from_str(&answers[call]).expect("JSON");
        assert_eq!(answer["stored"], 160, "{answer}");
        let path = format!("{NOTES}/{number:05}.md");
        assert_eq!(answer["notes"][0]["path"], path.as_str(), "{answer}");
    }
    let peak = memory_peak_kb(daemon)
        .expect("there")
        .saturating_sub(before);
    assert!(peak < MAX_GROWTH_KB, "eight at once took {peak} KB");
    measured(&format!(
        "160 notes of 250 KB, eight recalls at once: {peak} KB in {:?}",
        started.elapsed()
    ));
}

async fn unchanged_notes() {
    let home = Home::new();
    let project = project(&home);
    let (mut session, daemon) = settled(&home, &project).await;
    write_notes(&project, 200, 20_000);
    let mut read: Vec<u64> = vec![];
    let began = Instant::now();
    // A note that is a moment old may still change unnoticed, so it is read again.
    while read.last().is_none_or(|last| last * 5 > read[0]) {
        assert!(began.elapsed() < BOUND, "{read:?}");
        let before = processes::bytes_read(daemon);
        let found = recalled(&mut session, json!({ "query": own_word(17) })).await;
        assert!(
            found.len() == 1 && found[0].starts_with(&format!("# About {}\n", own_word(17))),
            "{}",
            found.len()
        );
        read.push(processes::bytes_read(daemon) - before);
    }
    measured(&format!(
        "200 notes of 20 KB: {read:?} bytes read, the first time and then"
    ));
    assert!(read[0] > 200 * 20_000, "{read:?}");

    // An edit is visible at once, even if the file keeps its size.
    let path = project.join(NOTES).join("00017.md");
    let text = fs::read_to_string(&path).expect("text");
    fs::write(&path, text.replace(&own_word(17), "zebu")).expect("written");
    assert!(
        recalled(&mut session, json!({ "query": own_word(17) }))
            .await
            .is_empty()
    );
    assert_eq!(
        recalled(&mut session, json!({ "query": "zebu" }))
            .await
            .len(),
        1
    );
    fs::remove_file(&path).expect("removed");
    assert!(
        recalled(&mut session, json!({ "query": "zebu" }))
            .await
            .is_empty()
    );
    ask(
        &mut session,
        "checkpoint",
        json!({ "text": "The zebrafinch sings." }),
    )
    .await
    .expect("kept");
    assert_eq!(
        recalled(&mut session, json!({ "query": "zebrafinch" })).await,
        ["The zebrafinch sings."]
    );
}

async fn cancelled() {
    let home = Home::new();
    let project = project(&home);
    let (mut session, daemon) = settled(&home, &project).await;
    write_notes(&project, 300, LARGE);
    let cpu = || processes::processor_time(daemon);
    let before = cpu();
    let arguments = json!({ "query": own_word(17) });
    let call = session.send_call("recall", arguments).await;
    let started = Instant::now();
    while cpu() < before + Duration::from_millis(100) {
        assert!(started.elapsed() < BOUND, "it never begins");
        tokio::task::yield_now().await;
    }
    session.cancel(call).await;
    let (gone, at_cancel) = (Instant::now(), cpu());
    // Done once the processor time has stood still long enough that any thread would have been scheduled.
    let (mut last, mut since) = (at_cancel, Instant::now());
    while since.elapsed() < Duration::from_secs(1) {
        assert!(gone.elapsed() < 2 * BOUND, "it never falls idle");
        if cpu() > last {
            (last, since) = (cpu(), Instant::now());
        }
        tokio::task::yield_now().await;
    }
    let spent = last.saturating_sub(at_cancel);
    measured(&format!(
        "a cancelled recall used {spent:?} of processor time more"
    ));
    let bound = crate::slack(Duration::from_millis(200));
    assert!(spent <= bound, "it went on for {spent:?}");
    assert_eq!(home.daemon(), Some(daemon), "the daemon lives");
}

async fn long_note() {
    let home = Home::new();
    let project = project(&home);
    let mut session = session(&home, &project).await;
    let text = format!(
        "The quagga is at the beginning.\n{}\nThe okapi is at the end.\n",
        "a line\n".repeat(20_000)
    );
    put(&project, &format!("{NOTES}/long.md"), text.as_bytes());
    put(
        &project,
        &format!("{NOTES}/short.md"),
        b"The quagga sleeps.\n",
    );
    let says = "1 note is longer than 32 KB: only the first 32 KB were compared with the query";
    for (query, found) in [("quagga", 2), ("okapi", 0)] {
        let (text, is_error) = session.call("recall", json!({ "query": query })).await;
        assert!(
            !is_error && text.starts_with(&format!("{found} notes about `{query}`")),
            "{text}"
        );
        assert!(text.lines().any(|line| line.starts_with(says)), "{text}");
    }
    let answer = ask(&mut session, "recall", json!({ "query": "okapi" }))
        .await
        .expect("an answer");
    assert_eq!(
        (&answer["partly_compared"], &answer["compared_kb"]),
        (&json!(1), &json!(32)),
        "{answer}"
    );
    let (text, _) = session.call("recall", json!({})).await;
    assert!(!text.contains("compared with the query"), "{text}");
}
