//! Hostile files: each costs little, is listed with its reason, and keeps nothing else from being indexed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use claudevil_tests::asking::{Asker, assert_like_fresh};
use claudevil_tests::binaries;
use claudevil_tests::home::{Home, signal};
use claudevil_tests::processes;
use claudevil_tests::questions::{Questions, skipped};
use claudevil_tests::tree::Tree;
use libtest_mimic::Trial;
use rustix::process::Signal;
use serde_json::json;

use crate::{Needs, proof};

const PARENTHESES: usize = 200_000;
/// Maximum cost of a file. The system counts processor time in ticks, so one is added.
const MAX_CPU: Duration = Duration::from_millis(2_100);
/// The same for debug builds, which have a higher limit.
const MAX_CPU_OF_DEBUG_BUILDS: Duration = Duration::from_millis(9_500);
const MAX_MEMORY_KB: u64 = 256 << 10;
/// Milliseconds after which a silent worker is killed; the default is a minute.
const SHORT_SILENCE: &str = "1500";

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "17_hostile_texts_cost_little_and_are_listed",
            Needs::Nothing,
            || hostile_texts(FEW),
        ),
        proof(
            "17_hostile_texts_in_every_language",
            Needs::Patience,
            || hostile_texts(MANY),
        ),
        proof(
            "17_a_dying_worker_costs_its_file_only",
            Needs::DebugBuilds,
            dying_workers,
        ),
        proof(
            "17_a_worker_that_somebody_kills_costs_nothing",
            Needs::Nothing,
            killed_workers,
        ),
        proof(
            "17_a_worker_that_somebody_stops_costs_nothing",
            Needs::DebugBuilds,
            stopped_workers,
        ),
        proof("17_what_is_no_text_is_skipped", Needs::Nothing, no_texts),
        proof(
            "17_a_file_that_grows_while_it_is_read",
            Needs::Nothing,
            growing_file,
        ),
    ]
}

const FEW: &[&str] = &["rs", "py", "js", "json", "ml", "ex"];
const MANY: &[&str] = &[
    "rs", "go", "py", "js", "ts", "tsx", "java", "kt", "scala", "c", "cpp", "cs", "swift", "php",
    "rb", "ex", "hs", "lua", "zig", "sh", "dart", "ml", "mli", "sql", "html", "css", "md", "json",
    "yaml", "toml", "xml", "tf", "proto", "graphql", "nix", "svelte", "vue", "m", "r", "jl", "pl",
    "sol", "gleam", "erl", "clj", "fs", "ps1", "cmake", "scss", "less",
];

async fn hostile_texts(endings: &[&str]) {
    let home = Home::new().with("CLAUDEVIL_WORKERS", "2");
    let project = home.project("engine");
    for ending in endings {
        fs::write(
            project.join(format!("open.{ending}")),
            "(".repeat(PARENTHESES),
        )
        .expect("written");
    }
    let deep = 100_000;
    for (name, text) in [
        ("comments.ml", "(*".repeat(40_000)),
        (
            "lists.json",
            format!("{}{}", "[".repeat(deep), "]".repeat(deep)),
        ),
        (
            "objects.json",
            format!("{}1{}", "{\"a\":".repeat(deep), "}".repeat(deep)),
        ),
        (
            "lists.js",
            format!("x={}{}", "[".repeat(deep), "]".repeat(deep)),
        ),
        (
            "lists.py",
            format!("x={}{}", "[".repeat(deep), "]".repeat(deep)),
        ),
        (
            "functions.js",
            format!(
                "{}{}",
                "function f(){".repeat(deep / 4),
                "}".repeat(deep / 4)
            ),
        ),
        (
            "blocks.py",
            (0..1200).fold(String::new(), |mut text, depth| {
                let _ = writeln!(text, "{:depth$}if x:", "");
                text
            }),
        ),
    ] {
        fs::write(project.join(name), text).expect("written");
    }
    let watch = Costs::watch(&home);
    let mut questions = Questions::start(&home, &project).await;
    let status = questions.settled().await;
    let costs = watch.end();
    let given = 7 + endings.len() as u64 + 4;
    let (indexed, left_out) = (&status["index"]["files"], &status["index"]["skipped"]);
    let sum = indexed.as_u64().expect("a number") + left_out["total"].as_u64().expect("a number");
    assert_eq!(sum, given, "every file is indexed or listed: {status}");
    let reasons = left_out["reasons"].as_array().expect("a list");
    let may_be = [
        "parser_too_slow",
        "parser_memory",
        "parser_crashed",
        "minified",
    ];
    assert!(
        reasons
            .iter()
            .all(|one| may_be.iter().any(|reason| one["reason"] == *reason)),
        "{left_out}"
    );
    assert!(costs.workers > 0, "no worker was seen");
    assert!(
        costs.memory_kb <= MAX_MEMORY_KB,
        "a worker took {} KB",
        costs.memory_kb
    );
    questions.until_found("answer", &["src/lib.rs"]).await;
    crate::measured(&format!(
        "{} hostile files: {costs:?}; skipped {}",
        given - 4,
        left_out["reasons"]
    ));
}

/// A worker that a person or the out-of-memory killer kills: the file that it was working on is not to blame.
async fn killed_workers() {
    let home = Home::new().with("CLAUDEVIL_WORKERS", "1");
    let tree = Tree::new(&home.scratch().join("user/engine"), 17, 400);
    let mut asker = Asker::start(&home, &tree).await;
    let mut killed = BTreeSet::new();
    while asker.status().await["state"] != "ready" {
        let daemon = home.daemon().expect("a daemon");
        for worker in workers(daemon) {
            if killed.len() < 3 && killed.insert(worker) {
                signal(worker, Signal::KILL);
            }
        }
    }
    assert!(!killed.is_empty(), "there was a worker to kill");
    assert_eq!(deaths(&home), 0, "no file is to blame");
    assert_like_fresh(&home, &tree).await;
}

async fn dying_workers() {
    // With one worker, each file certainly comes after those that kill it.
    let home = Home::new()
        .with("CLAUDEVIL_WORKERS", "1")
        .with("CLAUDEVIL_TEST_SILENCE", SHORT_SILENCE);
    let project = home.project("engine");
    let cases = [
        ("abort.txt", "claudevil-test: abort\n", "parser_crashed"),
        ("spin.txt", "claudevil-test: spin\n", "parser_too_slow"),
        ("hoard.txt", "claudevil-test: hoard\n", "parser_memory"),
        ("hang.txt", "claudevil-test: hang\n", "parser_too_slow"),
    ];
    for (name, text, _) in cases {
        fs::write(project.join(name), text).expect("written");
    }
    let watch = Costs::watch(&home);
    let mut questions = Questions::start(&home, &project).await;
    let status = questions.settled().await;
    let daemon = home.daemon().expect("a daemon");
    let costs = watch.end();
    for (name, _, reason) in cases {
        assert_eq!(skipped(&status, name), Some(reason), "{name}: {status}");
    }
    questions.until_found("answer", &["src/lib.rs"]).await;
    assert_eq!(deaths(&home), 4, "each killed one worker");
    let most = if binaries::are_debug_builds() {
        MAX_CPU_OF_DEBUG_BUILDS
    } else {
        MAX_CPU
    };
    assert!(costs.cpu <= most, "{costs:?}");
    assert!(
        costs.cpu >= Duration::from_millis(900),
        "the worker that spins was not seen: {costs:?}"
    );
    assert!(
        costs.memory_kb <= MAX_MEMORY_KB && costs.memory_kb > 128 << 10,
        "{costs:?}"
    );
    crate::measured(&format!("spin and hoard: {costs:?}"));

    // The same content, saved again, is not tried again, not even by a successor.
    for (name, text, _) in cases {
        fs::write(project.join(name), text).expect("written");
    }
    questions
        .ask("reindex", json!({ "wait": true }))
        .await
        .expect("done");
    assert_eq!((deaths(&home), home.daemon()), (4, Some(daemon)));
    home.kill_daemon().await;
    let status = questions.settled().await;
    assert_eq!(
        skipped(&status, "spin.txt"),
        Some("parser_too_slow"),
        "{status}"
    );
    assert_eq!(deaths(&home), 4);
    // Different content is tried.
    fs::write(project.join("spin.txt"), "harmless\n").expect("written");
    fs::write(project.join("abort.txt"), "claudevil-test: abort, again\n").expect("written");
    let status = questions
        .until("the harmless file", |status| {
            skipped(status, "spin.txt").is_none()
        })
        .await;
    assert_eq!(
        skipped(&status, "abort.txt"),
        Some("parser_crashed"),
        "{status}"
    );
    questions.settled().await;
    assert_eq!(deaths(&home), 5);
    // The same content is tried again under other rules, as by another build: three files are still hostile.
    questions
        .ask("manage_roots", json!({ "action": "add", "overlap": 10 }))
        .await
        .expect("changed");
    questions
        .ask("reindex", json!({ "wait": true }))
        .await
        .expect("done");
    let status = questions.settled().await;
    assert_eq!(
        skipped(&status, "hang.txt"),
        Some("parser_too_slow"),
        "{status}"
    );
    assert_eq!(deaths(&home), 8);
}

/// A worker that a debugger or a person has stopped is killed like any silent one, and its file is tried again.
async fn stopped_workers() {
    let home = Home::new()
        .with("CLAUDEVIL_WORKERS", "1")
        .with("CLAUDEVIL_TEST_SILENCE", SHORT_SILENCE);
    let tree = Tree::new(&home.scratch().join("user/engine"), 17, 400);
    let mut asker = Asker::start(&home, &tree).await;
    let mut stopped = None;
    while asker.status().await["state"] != "ready" {
        let daemon = home.daemon().expect("a daemon");
        if stopped.is_none()
            && let Some(worker) = workers(daemon).first()
        {
            signal(*worker, Signal::STOP);
            stopped = Some(*worker);
        }
    }
    assert!(stopped.is_some(), "there was a worker to stop");
    assert_eq!(deaths(&home), 0, "no file is to blame");
    assert_like_fresh(&home, &tree).await;
}

async fn no_texts() {
    let home = Home::new();
    let project = home.project("engine");
    fs::File::create(project.join("sparse.rs"))
        .and_then(|file| file.set_len(1 << 30))
        .expect("sparse");
    fs::write(project.join("one_line.js"), "x".repeat(5 << 20)).expect("written");
    fs::write(project.join("latin1.py"), b"def caf\xe9():\n    pass\n").expect("written");
    fs::write(project.join("zero.c"), b"int x;\0\0\0").expect("written");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        project.join("pipe.rs"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .expect("a pipe");
    symlink("loop.rs", project.join("loop.rs")).expect("a link");
    symlink("..", project.join("src/up")).expect("a link");
    symlink("/etc", project.join("out")).expect("a link");
    let mut questions = Questions::start(&home, &project).await;
    let status = questions.settled().await;
    for (name, reason) in [
        ("sparse.rs", "too_large"),
        ("one_line.js", "too_large"),
        ("latin1.py", "not_utf8"),
        ("zero.c", "binary"),
    ] {
        assert_eq!(skipped(&status, name), Some(reason), "{name}: {status}");
    }
    assert_eq!(
        status["index"]["files"], 4,
        "what is no file is passed over: {status}"
    );
    questions.until_found("answer", &["src/lib.rs"]).await;
    // No file of a gigabyte was ever read into memory.
    let peak = memory_peak_kb(home.daemon().expect("a daemon")).expect("there");
    assert!(peak < 512 << 10, "the daemon took {peak} KB");
}

async fn growing_file() {
    let home = Home::new().with("CLAUDEVIL_MAX_FILE_KB", "256");
    let project = home.project("engine");
    let path = project.join("src/grows.rs");
    fs::write(&path, "pub fn first() {}\n").expect("written");
    let mut questions = Questions::start(&home, &project).await;
    let is_done = Arc::new(AtomicBool::new(false));
    let writer = std::thread::spawn({
        let (is_done, path) = (Arc::clone(&is_done), path.clone());
        move || {
            let mut file = fs::File::options().append(true).open(path).expect("there");
            let mut written = 0;
            while !is_done.load(Ordering::Relaxed) && written < 100_000 {
                written += 1;
                writeln!(file, "pub fn grown_{written}() {{}}").expect("written");
            }
        }
    });
    for _ in 0..20 {
        let found = questions.places("answer").await;
        assert!(found.is_empty() || found == ["src/lib.rs"], "{found:?}");
    }
    // Above the limit the file is listed as too large; below it, its last content is found.
    is_done.store(true, Ordering::Relaxed);
    writer.join().expect("it writes");
    fs::write(&path, "pub fn last() {}\n").expect("written");
    questions.until_found("last", &["src/grows.rs"]).await;
    assert_eq!(questions.places("first").await, Vec::<String>::new());
    fs::write(&path, "pub fn large() {}\n".repeat(20_000)).expect("written");
    let status = questions
        .until("too large", |status| {
            skipped(status, "src/grows.rs").is_some()
        })
        .await;
    assert_eq!(skipped(&status, "src/grows.rs"), Some("too_large"));
    assert_eq!(questions.places("last").await, Vec::<String>::new());
}

/// Returns the number of workers that a file killed, by the log.
fn deaths(home: &Home) -> usize {
    home.log().matches("a worker died of a file").count()
}

/// The peaks of any one worker that were seen.
#[derive(Debug, Default)]
struct WorkerPeaks {
    workers: usize,
    cpu: Duration,
    memory_kb: u64,
}

/// Samples the workers of a home continuously.
struct Costs {
    thread: std::thread::JoinHandle<WorkerPeaks>,
    is_done: Arc<AtomicBool>,
}

impl Costs {
    fn watch(home: &Home) -> Self {
        let is_done = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&is_done);
        let lock = home.paths().daemon_lock();
        let read_lock = move || {
            let mut seen: BTreeMap<u32, (Duration, u64)> = BTreeMap::new();
            while !asked.load(Ordering::Relaxed) {
                let daemon = claudevil_protocol::lock::holder::<
                    claudevil_protocol::start::LockHolder,
                >(&lock);
                for worker in daemon
                    .map(|daemon| processes::children(daemon.pid))
                    .unwrap_or_default()
                {
                    let (cpu, memory) = seen.entry(worker).or_default();
                    *cpu = (*cpu).max(processes::processor_time(worker));
                    *memory = (*memory).max(memory_peak_kb(worker).unwrap_or_default());
                }
                std::thread::park_timeout(Duration::from_millis(5));
            }
            WorkerPeaks {
                workers: seen.len(),
                cpu: seen.values().map(|(cpu, _)| *cpu).max().unwrap_or_default(),
                memory_kb: seen
                    .values()
                    .map(|(_, memory)| *memory)
                    .max()
                    .unwrap_or_default(),
            }
        };
        Self {
            thread: std::thread::spawn(read_lock),
            is_done,
        }
    }

    fn end(self) -> WorkerPeaks {
        self.is_done.store(true, Ordering::Relaxed);
        self.thread.join().expect("it looks")
    }
}

fn workers(daemon: u32) -> Vec<u32> {
    let is_worker = |pid: &u32| {
        fs::read(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|line| line.split(|byte| *byte == 0).any(|word| word == b"worker"))
    };
    processes::children(daemon)
        .into_iter()
        .filter(is_worker)
        .collect()
}

/// Returns the peak memory of a process, without the pages of its program: all its processes share these, and the system maps
/// as many as it likes.
pub fn memory_peak_kb(pid: u32) -> Option<u64> {
    let status =
        fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status")).ok()?;
    let value = |name: &str| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    };
    Some(value("VmHWM:")?.saturating_sub(value("RssFile:")?))
}
