//! The same tree gives the same index, whatever else the machine does and whichever worker gets which file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command};

use claudevil_tests::asking::stop_and_dump;
use claudevil_tests::home::{Home, put};
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;

use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "same_index_on_a_busy_machine",
            Needs::Patience,
            busy_machine,
        ),
        proof(
            "same_index_though_a_worker_hangs_beside_others",
            Needs::DebugBuilds,
            hanging,
        ),
    ]
}

/// Milliseconds after which a silent worker is killed; the default is a minute.
const SHORT_SILENCE: &str = "1500";

/// Files that take nearly all memory that a worker may have: each fits alone, and hardly after another one.
const HEAVY: [(&str, &str, &str, &str, usize); 3] = [
    (
        "php",
        "<?php\nreturn [\n",
        "[[[],[],[]],[[],[],[]]],\n",
        "];\n",
        15_000,
    ),
    ("c", "int x[] = {\n", "{{1},{1},{1},{1}},\n", "};\n", 60_000),
    ("rb", "x = [\n", "[[],[],[],[],[],[]],\n", "]\n", 25_000),
];

/// Writes a tree in which heavy files, one of them beyond the limit, lie between small ones in many languages.
fn write_tree(root: &Path) {
    put(root, ".git/HEAD", b"ref: refs/heads/main\n");
    for (ending, begin, line, end, lines) in HEAVY {
        put(
            root,
            &format!("src/heavy.{ending}"),
            format!("{begin}{}{end}", line.repeat(lines)).as_bytes(),
        );
    }
    let (_, begin, line, end, lines) = HEAVY[0];
    put(
        root,
        "src/too_much.php",
        format!("{begin}{}{end}", line.repeat(2 * lines)).as_bytes(),
    );
    for (name, text) in [
        ("a.rs", "pub fn answer() -> u32 { 42 }\n"),
        ("b.go", "package b\nfunc Answer() int { return 42 }\n"),
        ("c.swift", "func answer() -> Int { 42 }\n"),
        ("d.cs", "class D { int Answer() { return 42; } }\n"),
        ("y.kt", "fun answer() = 42\n"),
        ("z.hs", "answer = 42\n"),
    ] {
        put(root, &format!("src/{name}"), text.as_bytes());
    }
}

/// Processes that do nothing but take the processors from workers, at the same priority.
struct BusyLoops(Vec<Child>);

impl BusyLoops {
    fn start(count: usize) -> Self {
        let start = |_| {
            Command::new("nice")
                .args(["-n", "10", "sh", "-c", "while :; do :; done"])
                .spawn()
                .expect("a shell")
        };
        Self((0..count).map(start).collect())
    }
}

impl Drop for BusyLoops {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Returns what an index of the tree stores for each file.
async fn index(root: &Path, workers: usize) -> BTreeMap<String, String> {
    let home = Home::new().with("CLAUDEVIL_WORKERS", workers.to_string());
    let mut questions = Questions::start(&home, root).await;
    questions.settled().await;
    drop(questions);
    let dump = stop_and_dump(&home).await;
    let files = dump
        .lines()
        .filter(|line| !line.starts_with("root "))
        .filter_map(|line| line.split_once(' '));
    files
        .map(|(path, stored)| (path.to_owned(), stored.to_owned()))
        .collect()
}

async fn busy_machine() {
    let place = Home::new();
    let root = place.scratch().join("user/engine");
    write_tree(&root);
    let alone = index(&root, 1).await;
    let skipped: Vec<_> = alone
        .iter()
        .filter(|(_, stored)| stored.contains(" skipped "))
        .collect();
    assert!(
        matches!(&skipped[..], [(path, stored)] if *path == "src/too_much.php" && stored.contains("ParserMemory")),
        "only what does not fit alone is skipped: {skipped:?}"
    );
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let _busy = BusyLoops::start(cores);
    for workers in [2, 3] {
        let contended = index(&root, workers).await;
        let differing: Vec<_> = alone
            .iter()
            .filter(|(path, stored)| contended.get(*path) != Some(*stored))
            .collect();
        assert!(
            differing.is_empty() && contended.len() == alone.len(),
            "{workers} workers: {differing:#?}"
        );
    }
    measured(&format!(
        "{} files, {} skipped, three times the same",
        alone.len(),
        skipped.len()
    ));
}

/// A worker that hangs is killed, and its file is tried again alone: only then can it be the file's own fault.
async fn hanging() {
    let home = Home::new()
        .with("CLAUDEVIL_WORKERS", "1")
        .with("CLAUDEVIL_TEST_SILENCE", SHORT_SILENCE);
    let project = home.project("engine");
    // The worker hangs only if it has parsed another file before.
    fs::write(
        project.join("src/hang.txt"),
        "claudevil-test: hang beside others\n",
    )
    .expect("written");
    fs::write(
        project.join("src/leak.txt"),
        "claudevil-test: abort beside others\n",
    )
    .expect("written");
    let mut questions = Questions::start(&home, &project).await;
    let status = questions.settled().await;
    assert_eq!(status["index"]["skipped"]["total"], 0, "{status}");
    assert!(home.log().contains("tried again alone"));
}
