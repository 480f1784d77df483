//! No query, however strange, does more than fail by itself; and one whose caller is gone costs nothing.

use std::fs;
use std::time::{Duration, Instant};

use claudevil_tests::binaries;
use claudevil_tests::chance::Chance;
use claudevil_tests::home::{BOUND, Home, calls_in_flight};
use claudevil_tests::processes;
use claudevil_tests::questions::Questions;
use claudevil_tests::tree::Tree;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::{asking, put, repository};
use crate::{Needs, measured, percentile, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "search_survives_hundreds_of_strange_queries",
            Needs::Nothing,
            || strange_queries(200),
        ),
        proof(
            "search_survives_twenty_thousand_strange_queries",
            Needs::Patience,
            || strange_queries(20_000),
        ),
        proof(
            "search_answers_strange_queries_about_many_files_in_time",
            Needs::Patience,
            || many_files(4_000),
        ),
        proof(
            "19_dropped_searches_leave_the_processor_idle",
            Needs::Nothing,
            dropped_searches,
        ),
    ]
}

const MODES: [&str; 5] = ["auto", "semantic", "keyword", "literal", "regex"];

const PIECES: &[&str] = &[
    "AND",
    "OR",
    "NOT",
    "and",
    "(",
    ")",
    "\"",
    "'",
    "-",
    "+",
    ":",
    "::",
    "->",
    "symbol:",
    "lang:",
    "lang:rust",
    "kind:",
    "kind:function",
    "path:",
    "file_path:src",
    "content:",
    "name:(",
    "*",
    "?",
    "+?",
    "{2,}",
    "{1000}",
    "[",
    "]",
    "[^",
    "\\",
    "\\b",
    "\\p{L}",
    "\\d+",
    "(?i)",
    "(?P<x>",
    "(?:",
    "|",
    "^",
    "$",
    ".",
    ".*",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "\u{7}",
    "\u{1b}[31m",
    "\u{feff}",
    "\u{202e}",
    "ü",
    "東京",
    "😀",
    "e\u{301}",
    "ﬁ",
    "İ",
    "ß",
    "ſ",
    "walrus",
    "Walrus",
    "fn",
    "value",
    "self",
    "x",
    "0",
    "42",
    " ",
    "  ",
    "/",
    "/users/{id}",
    "a:b:c",
    "http://x/y",
    "`",
    "```",
    "%",
    "#",
    "~",
    "\u{10ffff}",
    "_",
    "__",
    "walrusWalrusWALRUS",
    ";",
    ",",
    "=",
    "!=",
    "&&",
];

fn query(chance: &mut Chance) -> String {
    let longest = *chance.one_of(&[1, 3, 12, 60, 500]);
    let length = 1 + chance.below(longest);
    let mut query = String::new();
    while query.chars().count() < length {
        match chance.below(12) {
            0 => query.extend(char::from_u32(
                u32::try_from(chance.below(0x3000)).expect("small"),
            )),
            1 => query.push(' '),
            _ => {
                let piece: &&str = chance.one_of(PIECES);
                query.push_str(piece);
            }
        }
    }
    query.chars().take(length).collect()
}

fn question(chance: &mut Chance, mode: &str) -> Value {
    let mut question =
        json!({ "query": query(chance), "mode": mode, "limit": 1 + chance.below(100) });
    if chance.below(4) == 0 {
        question["context_lines"] = json!(chance.below(101));
    }
    if chance.below(8) == 0 {
        let cursors = [
            "1:1:src/walrus1.rs",
            "99999999:1:",
            "0:0:/",
            "18446744073709551615:4294967295:x",
        ];
        question["cursor"] = json!(chance.one_of(&cursors));
    }
    if chance.below(8) == 0 {
        question["target"] = json!(chance.one_of(&["code", "definitions", "docs"]));
    }
    if chance.below(8) == 0 {
        question["kind"] = json!(chance.one_of(&["method", "struct", "section"]));
    }
    question
}

async fn strange_queries(count: usize) {
    let home = Home::new();
    let root = repository(&home, "strange", &[]);
    for number in 0..40 {
        let text = format!(
            "//! Walrus {number}, größer als 東京.\n\npub struct Walrus{number};\n\nimpl Walrus{number} {{\n    pub fn value(&self) -> u64 {{\n        // a:b:c http://x/y /users/{{id}} \"quoted\" \\d+ [x] ({number})\n        {number}\n    }}\n}}\n"
        );
        put(&root, &format!("src/walrus{number}.rs"), text.as_bytes());
    }
    put(
        &root,
        "docs/long.md",
        "walrus value self x 42 ".repeat(3000).as_bytes(),
    );
    let questions = asking(&home, &root).await;
    ask_strangely(&home, questions, count, Duration::from_secs(5)).await;
}

/// No query over as many files as a large project has takes noticeably long. Debug builds are many times slower, and only show
/// that it ends.
async fn many_files(count: usize) {
    const FILES: usize = 5_605;
    let home = Home::new();
    let tree = Tree::new(&home.scratch().join("user/many"), 18, FILES);
    let mut questions = asking(&home, &tree.root).await;
    let status = questions.settled().await;
    assert!(
        status["index"]["files"].as_u64() >= Some(FILES as u64),
        "{status}"
    );
    let bound = if binaries::are_debug_builds() {
        Duration::from_secs(5)
    } else {
        Duration::from_millis(200)
    };
    ask_strangely(&home, questions, count, bound).await;
}

/// Asks at random: every answer must hold, or be a refusal with its reason, and come in time.
async fn ask_strangely(home: &Home, mut questions: Questions, count: usize, bound: Duration) {
    let daemon = home.daemon();
    let mut chance = Chance::new(77);
    let mut took = vec![];
    let (mut answered, mut refused) = (0, 0);
    for number in 0..count {
        let mode = MODES[number % MODES.len()];
        let question = question(&mut chance, mode);
        // A search for every line goes through all files that may have one.
        let bound = if matches!(mode, "literal" | "regex") {
            bound * 5
        } else {
            bound
        };
        let mut quickest = Duration::MAX;
        // A query that is slow because the machine is busy is not slow each time.
        for _ in 0..3 {
            let started = Instant::now();
            let answer = questions.ask("search", question.clone()).await;
            quickest = quickest.min(started.elapsed());
            if quickest < bound {
                match answer {
                    Ok(answer) => {
                        check(&question, &answer);
                        answered += 1;
                    }
                    Err(error) => {
                        // The last one is for an expression that is too expensive for some of the lines.
                        let known = [
                            "invalid_query: ",
                            "invalid_argument: ",
                            "cancelled: nothing found in the ",
                        ];
                        assert!(
                            known.iter().any(|start| error.starts_with(start)),
                            "{question}: {error}"
                        );
                        refused += 1;
                    }
                }
                break;
            }
        }
        assert!(
            quickest < bound,
            "{question} took {quickest:?}, three times"
        );
        took.push(quickest);
    }
    assert_eq!(home.daemon(), daemon, "the daemon is the one that it was");
    assert!(
        answered > count / 3 && refused > count / 50,
        "{answered} answered, {refused} refused"
    );
    measured(&format!(
        "{answered} answered, {refused} refused; p50 {:?}, p99 {:?}, longest {:?}",
        percentile(&took, 50),
        percentile(&took, 99),
        percentile(&took, 100)
    ));
}

/// Checks the properties of every answer.
fn check(question: &Value, answer: &Value) {
    let results = answer["results"].as_array().expect("a list");
    let number = |name: &str| answer[name].as_u64().expect("a number");
    let shown = results.len() as u64;
    assert!(
        shown <= question["limit"].as_u64().expect("a limit"),
        "{question}"
    );
    assert_eq!(answer["truncated"], number("remaining") > 0, "{question}");
    assert!(
        number("offset") + shown + number("remaining")
            >= number("total").min(number("offset") + shown),
        "{question}"
    );
    for one in results {
        let (start, end) = (one["start_line"].as_u64(), one["end_line"].as_u64());
        assert!(start >= Some(1) && end >= start, "{question}: {one}");
        let score = one["score"].as_f64().expect("a score");
        assert!((0.0..=1.0).contains(&score), "{question}: {one}");
        let lines: Vec<u64> = one["snippet_lines"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(Value::as_u64)
            .collect();
        assert!(
            lines.is_sorted()
                && lines.len() == one["snippet"].as_str().expect("a text").split('\n').count(),
            "{question}: {one}"
        );
    }
}

/// All work for callers that are gone ends within a moment: no thread of the daemon runs any more.
async fn dropped_searches() {
    let home = Home::new().with("CLAUDEVIL_MAX_CALLS", "200");
    let root = repository(&home, "heavy", &[]);
    let mut chance = Chance::new(9);
    for number in 0..8 {
        let mut text = String::new();
        while text.len() < 200_000 {
            text += &format!(
                "value {} walrus {} self\n",
                chance.below(100_000),
                chance.below(1000)
            );
        }
        put(&root, &format!("data/part{number}.txt"), text.as_bytes());
    }
    let mut questions = asking(&home, &root).await;
    let daemon = home.daemon().expect("a daemon");
    let long = "walrus AND value AND self OR \"walrus 7\" OR \"value 99\" ".repeat(8);
    let heavy = [
        json!({ "query": "(?:[a-z0-9]+ )+[0-9]{4}x", "mode": "regex" }),
        json!({ "query": "(?i)(walrus|value|self).*(1|2|3).*(walrus|value|self)", "mode": "regex", "limit": 100, "context_lines": 100 }),
        json!({ "query": long.trim_end().trim_end_matches("OR").trim_end(), "mode": "keyword", "limit": 100 }),
        json!({ "query": "walrus value self 1 2 3 4 5 6 7 8 9", "mode": "auto", "limit": 100 }),
    ];
    let session = questions.session();
    let mut dropped = vec![];
    for number in 0..100 {
        let arguments = heavy[number % heavy.len()].clone();
        dropped.push(session.send_call("search", arguments).await);
    }
    let client = home.client();
    let started = Instant::now();
    while calls_in_flight(&client).await == 0 {
        assert!(started.elapsed() < BOUND, "no search was ever under way");
    }
    assert!(
        running(daemon) > 0 || calls_in_flight(&client).await > 0,
        "it works for them"
    );
    for id in dropped {
        session.cancel(id).await;
    }
    let (gone, spent) = (Instant::now(), processes::processor_time(daemon));
    // Idle, many times in a row: a thread that only waits for a page of memory is not done.
    let (mut looks, mut idle_since, mut spent_until) = (0, gone, spent);
    while looks < 200 {
        if running(daemon) == 0 {
            looks += 1;
        } else {
            (looks, idle_since, spent_until) =
                (0, Instant::now(), processes::processor_time(daemon));
        }
        assert!(gone.elapsed() < BOUND, "it never falls idle");
    }
    let (took, spent) = (idle_since - gone, spent_until.saturating_sub(spent));
    measured(&format!(
        "idle {took:?} after the last of 100 searches was dropped, with {spent:?} of processor time"
    ));
    // Processor time, because on a shared machine wall-clock time measures how busy others are.
    let cores =
        u32::try_from(std::thread::available_parallelism().map_or(1, usize::from)).unwrap_or(1);
    let bound = if binaries::are_debug_builds() {
        Duration::from_secs(1)
    } else {
        Duration::from_millis(200)
    };
    assert!(
        spent < bound * cores,
        "idle only after {spent:?} of processor time"
    );
    let (_, is_error) = session.call("search", json!({ "query": "walrus" })).await;
    assert!(!is_error);
}

/// Returns the number of threads of a process that run right now.
fn running(pid: u32) -> usize {
    let threads = fs::read_dir(format!("/proc/{pid}/task"))
        .expect("the daemon lives")
        .flatten();
    let stats = threads.filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok());
    // The state follows the name, which may contain anything.
    stats
        .filter(|stat| {
            stat.rsplit(')')
                .next()
                .is_some_and(|rest| rest.trim_start().starts_with(['R', 'D']))
        })
        .count()
}
