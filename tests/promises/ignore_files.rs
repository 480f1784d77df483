//! Ignore files: whatever they are, the project is indexed, and exactly the files that valid rules name are left out.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use claudevil_tests::git::git;
use claudevil_tests::home::{BOUND, Home, put};
use claudevil_tests::mcp::Session;
use libtest_mimic::Trial;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::hostile::memory_peak_kb;
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "a_linked_ignore_file_does_not_empty_the_project",
            Needs::Nothing,
            linked,
        ),
        proof(
            "an_oversized_ignore_file_does_not_freeze_the_project",
            Needs::Nothing,
            oversized,
        ),
        proof(
            "a_pipe_swapped_for_an_ignore_file_blocks_nothing",
            Needs::Nothing,
            swapped,
        ),
        proof("many_ignore_rules_cost_little", Needs::Nothing, many),
        proof(
            "tracked_files_obey_claudevilignore_in_subfolders",
            Needs::Program("git", "needs git"),
            tracked,
        ),
    ]
}

async fn linked() {
    let home = Home::new();
    let project = home.project("engine");
    put(&project, "rules/gitignore", b"*.rs\n");
    put(&project, "rules/exclude", b"README.md\n");
    fs::remove_file(project.join(".gitignore")).expect("removed");
    symlink("rules/gitignore", project.join(".gitignore")).expect("linked");
    fs::create_dir_all(project.join(".git/info")).expect("made");
    symlink("../../rules/exclude", project.join(".git/info/exclude")).expect("linked");
    let mut session = Session::start(&home, &project, &[]).await;
    let unused = ".gitignore (a symbolic link, which is not followed, as in git)";
    let (text, is_error) = session.call("list_files", json!({})).await;
    assert!(
        !is_error && text.contains("src/main.rs") && text.contains("ignored.txt"),
        "{text}"
    );
    assert!(
        !text.contains("README.md"),
        "a linked exclude file is followed: {text}"
    );
    assert!(text.contains(unused), "{text}");
    let (text, _) = session
        .call("search", json!({ "query": "println", "mode": "literal" }))
        .await;
    assert!(
        text.contains("src/main.rs") && text.contains(unused),
        "{text}"
    );
    let (text, _) = session.call("index_status", json!({})).await;
    assert!(
        text.contains(&format!(
            "1 ignore file is not used, so files that it names are not ignored: {unused}"
        )),
        "{text}"
    );
    let root = project.to_str().expect("UTF-8");
    let output = home.claudevil(&["status", root]).await;
    let shown = String::from_utf8_lossy(&output.stdout)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(shown.contains(unused), "{shown}");
    // An ignore file that is valid again is used, and the remark disappears.
    fs::remove_file(project.join(".gitignore")).expect("removed");
    put(&project, ".gitignore", b"ignored.txt\n");
    let (text, _) = session.call("list_files", json!({})).await;
    assert!(
        !text.contains("not used") && !text.contains("ignored.txt") && text.contains("src/lib.rs"),
        "{text}"
    );
}

async fn oversized() {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    let (text, _) = session.call("list_files", json!({})).await;
    assert!(!text.contains("ignored.txt"), "{text}");
    put(
        &project,
        ".gitignore",
        "ignored.txt\n".repeat(100_000).as_bytes(),
    );
    put(&project, "src/later.rs", b"pub fn added_later() {}\n");
    let text = finds_later(&mut session).await;
    assert!(text.contains(".gitignore (larger than 1 MB)"), "{text}");
    let (text, _) = session.call("list_files", json!({})).await;
    assert!(
        text.contains("ignored.txt") && text.contains("src/main.rs"),
        "{text}"
    );
}

/// The file is a pipe about half of the times that the daemon reads it.
async fn swapped() {
    const SWAPS: usize = 1000;
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("list_files", json!({})).await;
    let swapped = project.clone();
    let swapping = tokio::task::spawn_blocking(move || {
        let (pipe, file) = (swapped.join("pipe"), swapped.join("file"));
        let rules = swapped.join("src/.gitignore");
        for _ in 0..SWAPS {
            fs::write(&file, "*.log\n").expect("written");
            fs::rename(&file, &rules).expect("renamed");
            mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
            fs::rename(&pipe, &rules).expect("renamed");
        }
        fs::write(&file, "*.log\n").expect("written");
        fs::rename(&file, &rules).expect("renamed");
    });
    while !swapping.is_finished() {
        call(&mut session, "list_files", json!({})).await;
    }
    swapping.await.expect("swapped");
    put(&project, "src/later.rs", b"pub fn added_later() {}\n");
    let text = finds_later(&mut session).await;
    assert!(!text.contains("not used"), "{text}");
}

/// Asks for the added file until it is found: on a busy machine an answer may say that it is behind.
async fn finds_later(session: &mut Session) -> String {
    let started = Instant::now();
    loop {
        let text = call(
            session,
            "search",
            json!({ "query": "added_later", "mode": "literal" }),
        )
        .await;
        if text.contains("src/later.rs") {
            return text;
        }
        assert!(
            text.contains("may be missing") && started.elapsed() < BOUND,
            "{text}"
        );
        claudevil_tests::pause().await;
    }
}

async fn call(session: &mut Session, tool: &str, arguments: Value) -> String {
    tokio::time::timeout(BOUND, session.call(tool, arguments))
        .await
        .expect("an answer")
        .0
}

async fn many() {
    let home = Home::new();
    let small = home.project("small");
    let project = home.project("engine");
    let globs: String = (0..32_000)
        .map(|number| format!("dir{number}/*/gen[0-9]_{number}?.rs\n"))
        .collect();
    let names: String = (0..2000)
        .map(|number| format!("some_name_of_{number}/of/a/*/thing\n"))
        .collect();
    put(&project, ".gitignore", globs.as_bytes());
    for folder in 0..200 {
        put(
            &project,
            &format!("part{folder}/.gitignore"),
            names.as_bytes(),
        );
        put(
            &project,
            &format!("part{folder}/a.rs"),
            b"pub fn part() {}\n",
        );
    }
    let mut session = Session::start(&home, &small, &[]).await;
    call(&mut session, "list_files", json!({})).await;
    let daemon = home.daemon().expect("a daemon");
    let before = memory_peak_kb(daemon).expect("a peak");
    let started = Instant::now();
    let arguments = json!({ "root": project, "pattern": "part*/a.rs" });
    let text = call(&mut session, "list_files", arguments).await;
    let took = started.elapsed();
    let grown = memory_peak_kb(daemon)
        .expect("a peak")
        .saturating_sub(before);
    crate::measured(&format!("11 MB of ignore rules: {took:?}, {grown} kB"));
    assert!(text.starts_with("200 files match"), "{text}");
    assert!(
        text.contains("more than 2,048 patterns with wildcards"),
        "{text}"
    );
    assert!(took < crate::slack(Duration::from_secs(5)), "{took:?}");
    assert!(grown < 200_000, "{grown} kB");
}

async fn tracked() {
    let home = Home::new();
    let project = home.scratch().join("user/engine");
    for (path, text) in [
        (".gitignore", "*.log\n"),
        ("kept.log", "tracked although a rule of git's names it\n"),
        ("sub/.claudevilignore", "huge.rs\n"),
        ("sub/huge.rs", "pub fn huge() {}\n"),
        ("sub/small.rs", "pub fn small() {}\n"),
        ("other/.ignore", "data/\n"),
        ("other/data/table.rs", "pub fn table() {}\n"),
    ] {
        put(&project, path, text.as_bytes());
    }
    git(&project, &["init", "-q"]).await;
    git(&project, &["add", "-f", "."]).await;
    let mut session = Session::start(&home, &project, &[]).await;
    let (text, _) = session.call("list_files", json!({})).await;
    assert!(
        text.contains("kept.log") && text.contains("sub/small.rs"),
        "{text}"
    );
    assert!(
        !text.contains("sub/huge.rs") && !text.contains("table.rs"),
        "{text}"
    );
    // The same holds after an edit of one of them.
    put(&project, "sub/huge.rs", b"pub fn huge_again() {}\n");
    let (text, _) = session
        .call(
            "search",
            json!({ "query": "huge_again", "mode": "literal" }),
        )
        .await;
    assert!(!text.contains("sub/huge.rs"), "{text}");
}
