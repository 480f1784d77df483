//! Shortages of the system: disk space, watches. Each inside a namespace of its own, so that no setting of the machine is
//! touched.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use claudevil_tests::home::Home;
use claudevil_tests::questions::{PATIENCE, Questions};
use libtest_mimic::Trial;
use serde_json::json;
use tokio::process::Command;

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "10_without_watches_polling_is_declared",
            Needs::Namespaces,
            || watch_limit(30),
        ),
        proof(
            "10_without_any_watch_the_daemon_serves",
            Needs::Namespaces,
            || watch_limit(0),
        ),
        proof(
            "12_a_full_disk_keeps_old_answers_and_heals",
            Needs::Namespaces,
            full_disk,
        ),
        proof(
            "12_a_limit_of_file_sizes_keeps_old_answers_and_heals",
            Needs::Program("prlimit", "needs prlimit"),
            limited_files,
        ),
    ]
}

async fn watch_limit(most: u32) {
    let script = format!("echo {most} > /proc/sys/user/max_inotify_watches && exec \"$@\"");
    let home = Home::new().run_by([
        "unshare",
        "--user",
        "--map-root-user",
        "sh",
        "-c",
        &script,
        "sh",
    ]);
    let project = home.project("engine");
    for folder in 0..60 {
        fs::create_dir_all(project.join(format!("src/folder_{folder}"))).expect("made");
        let text = format!("pub fn in_folder_{folder}() {{}}\n");
        fs::write(project.join(format!("src/folder_{folder}/mod.rs")), text).expect("written");
    }
    let mut questions = Questions::start(&home, &project).await;
    let status = questions.settled().await;
    assert_eq!(status["watch"], "polling", "{status}");
    let why = status["watch_reason"].as_str().expect("a reason");
    assert!(why.contains("no more watches"), "{why}");
    questions
        .until_found("in_folder_59", &["src/folder_59/mod.rs"])
        .await;
    // Edits, new folders and removals are seen, by the very next question if it may wait that long.
    for round in 0..5 {
        let name = format!("edited_{round}");
        fs::write(
            project.join("src/folder_7/mod.rs"),
            format!("pub fn {name}() {{}}\n"),
        )
        .expect("written");
        fs::create_dir_all(project.join(format!("new/deep_{round}"))).expect("made");
        fs::write(
            project.join(format!("new/deep_{round}/it.rs")),
            format!("fn fresh_{round}() {{}}\n"),
        )
        .expect("written");
        let asked = Instant::now();
        questions.until_found(&name, &["src/folder_7/mod.rs"]).await;
        questions
            .until_found(
                &format!("fresh_{round}"),
                &[&format!("new/deep_{round}/it.rs")],
            )
            .await;
        crate::measured(&format!(
            "an edit was seen after {:?} of polling",
            asked.elapsed()
        ));
    }
    fs::remove_dir_all(project.join("new")).expect("removed");
    questions.until_found("fresh_4", &[]).await;
}

async fn full_disk() {
    let home = Home::new();
    let data = home.paths().data().to_owned();
    fs::create_dir_all(&data).expect("made");
    let script = "mount -t tmpfs -o size=16m,mode=700 none \"$0\" && exec \"$@\"";
    let data_word = data.to_str().expect("UTF-8").to_owned();
    let home = home.run_by([
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        script,
        &data_word,
    ]);
    let project = home.project("engine");
    let mut questions = Questions::start(&home, &project).await;
    questions.settled().await;
    questions.until_found("answer", &["src/lib.rs"]).await;

    let daemon = home.daemon().expect("a daemon");
    let inside = PathBuf::from(format!("/proc/{daemon}/root{data_word}"));
    assert!(
        inside.join("index.redb").exists(),
        "{} shows the daemon's disk",
        inside.display()
    );
    let filler = inside.join("filler");
    fill(&filler);

    has_no_room(&home, &project, &mut questions).await;
    assert_eq!(home.daemon(), Some(daemon), "it lives on");

    fs::remove_file(&filler).expect("removed");
    let freed = Instant::now();
    questions
        .until_found("later_199_39", &["src/later_199.rs"])
        .await;
    let status = questions.settled().await;
    assert_eq!(status["index"]["files"], 204, "{status}");
    crate::measured(&format!(
        "everything was indexed {:?} after there was room",
        freed.elapsed()
    ));
    assert_eq!(home.daemon(), Some(daemon), "by itself");
    assert!(freed.elapsed() < PATIENCE);
}

/// Checks a daemon that cannot store the changes of a project.
async fn has_no_room(home: &Home, project: &Path, questions: &mut Questions) {
    put_more(project);
    let status = questions
        .until("trouble", |status| !status["trouble"].is_null())
        .await;
    let trouble = status["trouble"].as_str().expect("words");
    assert!(trouble.contains("no room left on the disk"), "{trouble}");
    // Old answers are still given, and say that they may be out of date.
    for _ in 0..5 {
        let found = questions
            .ask("find_symbol", json!({ "name": "answer", "match": "exact" }))
            .await
            .expect("found");
        assert_eq!(found["symbols"][0]["path"], "src/lib.rs", "{found}");
        assert!(
            found["freshness"]["note"]
                .as_str()
                .is_some_and(|note| note.contains("out of date")),
            "{found}"
        );
    }
    // A new root cannot be recorded: the error has a code.
    let other = home.project("other");
    match questions
        .ask("manage_roots", json!({ "action": "add", "path": other }))
        .await
    {
        Err(words) => assert!(words.starts_with("disk_full: "), "{words}"),
        Ok(added) => crate::measured(&format!("a root was still added: {}", added["roots"])),
    }
}

/// The system kills a process that writes beyond such a limit, unless it handles the signal.
async fn limited_files() {
    let home = Home::new();
    let project = home.project("engine");
    let mut questions = Questions::start(&home, &project).await;
    questions.settled().await;
    questions.until_found("answer", &["src/lib.rs"]).await;
    let daemon = home.daemon().expect("a daemon");
    limit_files(daemon, "65536").await;

    has_no_room(&home, &project, &mut questions).await;
    assert_eq!(home.daemon(), Some(daemon), "it lives on");

    limit_files(daemon, "unlimited").await;
    questions
        .until_found("later_199_39", &["src/later_199.rs"])
        .await;
    let status = questions.settled().await;
    assert_eq!(status["index"]["files"], 204, "{status}");
    assert_eq!(home.daemon(), Some(daemon), "by itself");
}

/// Limits the size of files that a process writes from here on; its hard limit stays unlimited.
async fn limit_files(pid: u32, bytes: &str) {
    let limit = format!("--fsize={bytes}:unlimited");
    let run = Command::new("prlimit")
        .args(["--pid", &pid.to_string(), &limit])
        .status()
        .await
        .expect("it runs");
    assert!(run.success());
}

/// Writes more than there will be room for.
fn put_more(project: &Path) {
    for part in 0..200 {
        let functions = (0..40)
            .map(|place| format!("pub fn later_{part}_{place}() -> usize {{\n    {place}\n}}\n"));
        fs::write(
            project.join(format!("src/later_{part}.rs")),
            functions.collect::<String>(),
        )
        .expect("written");
    }
}

/// Fills the disk.
fn fill(filler: &Path) {
    let mut file = fs::File::create(filler).expect("made");
    let mut block = vec![1_u8; 64 << 10];
    while !block.is_empty() {
        if file.write_all(&block).is_err() {
            block.truncate(block.len() / 2);
        }
    }
}
