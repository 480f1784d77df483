//! A project's own metadata never leads to files of other projects.

use std::fs;

use claudevil_tests::git::git;
use claudevil_tests::home::{Home, put};
use claudevil_tests::mcp::Session;
use libtest_mimic::Trial;
use serde_json::json;

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    let needs_git = || Needs::Program("git", "needs git");
    vec![
        proof(
            "commondir_does_not_lead_into_another_repository",
            needs_git(),
            commondir,
        ),
        proof("a_shared_clone_is_compared", needs_git(), shared_clone),
        proof("pseudo_file_systems_are_no_roots", Needs::Nothing, pseudo),
    ]
}

async fn commondir() {
    let home = Home::new();
    let (project, other) = (
        home.scratch().join("user/engine"),
        home.scratch().join("user/other"),
    );
    for (folder, path) in [(&project, "src/own.rs"), (&other, "src/private_plan.rs")] {
        put(folder, path, b"pub fn meadow() {}\n");
        git(folder, &["init", "-q"]).await;
        git(folder, &["add", "."]).await;
        git(folder, &["commit", "-q", "-m", "first"]).await;
    }
    put(
        &project,
        "src/own.rs",
        b"pub fn meadow() {}\npub fn orchard() {}\n",
    );
    let mut session = Session::start(&home, &project, &["--toolsets", "all"]).await;
    let (text, is_error) = session
        .call("impact_analysis", json!({ "diff": "working" }))
        .await;
    assert!(!is_error && text.contains("orchard"), "{text}");
    let elsewhere = other.join(".git").display().to_string();
    put(&project, ".git/commondir", elsewhere.as_bytes());
    let (text, is_error) = session
        .call("impact_analysis", json!({ "diff": "working" }))
        .await;
    assert!(is_error && !text.contains("private_plan"), "{text}");
    assert!(text.contains("commondir"), "{text}");
    // A worktree that git made itself is accepted.
    fs::remove_file(project.join(".git/commondir")).expect("removed");
    git(&project, &["worktree", "add", "-q", "../topic"]).await;
    let topic = home.scratch().join("user/topic");
    put(
        &topic,
        "src/own.rs",
        b"pub fn meadow() {}\npub fn garden() {}\n",
    );
    let (text, is_error) = session
        .call(
            "impact_analysis",
            json!({ "diff": "working", "root": topic }),
        )
        .await;
    assert!(!is_error && text.contains("garden"), "{text}");
    put(
        &project,
        ".git/worktrees/topic/commondir",
        elsewhere.as_bytes(),
    );
    let (text, is_error) = session
        .call(
            "impact_analysis",
            json!({ "diff": "working", "root": topic }),
        )
        .await;
    assert!(is_error && !text.contains("private_plan"), "{text}");
}

async fn shared_clone() {
    let home = Home::new();
    let origin = home.scratch().join("user/origin");
    put(&origin, "src/own.rs", b"pub fn meadow() {}\n");
    git(&origin, &["init", "-q"]).await;
    git(&origin, &["add", "."]).await;
    git(&origin, &["commit", "-q", "-m", "first"]).await;
    let user = home.scratch().join("user");
    git(&user, &["clone", "-q", "--shared", "origin", "clone"]).await;
    git(&user, &["clone", "-q", "--shared", "clone", "second"]).await;
    for name in ["clone", "second"] {
        let clone = user.join(name);
        put(
            &clone,
            "src/own.rs",
            b"pub fn meadow() {}\npub fn orchard() {}\n",
        );
        let mut session = Session::start(&home, &clone, &["--toolsets", "all"]).await;
        let (text, is_error) = session
            .call("impact_analysis", json!({ "diff": "working" }))
            .await;
        assert!(!is_error && text.contains("orchard"), "{text}");
    }
    // Borrowed objects that are gone are reported, with what to do.
    fs::rename(&origin, user.join("moved")).expect("moved");
    let mut session = Session::start(&home, &user.join("clone"), &["--toolsets", "all"]).await;
    let (text, is_error) = session
        .call("impact_analysis", json!({ "diff": "working" }))
        .await;
    assert!(
        is_error && text.contains("borrows objects from") && text.contains("git repack -a -d"),
        "{text}"
    );
}

async fn pseudo() {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    for root in [
        "/proc",
        "/proc/self",
        "/sys",
        "/sys/kernel",
        "/dev",
        "/dev/pts",
    ] {
        let (text, is_error) = session.call("list_files", json!({ "root": root })).await;
        assert!(
            is_error && text.starts_with("root_refused: "),
            "{root}: {text}"
        );
        assert!(text.contains("pseudo file system"), "{root}: {text}");
    }
    let output = home.claudevil(&["roots", "add", "/sys"]).await;
    assert!(!output.status.success(), "{output:?}");
    let (text, _) = session
        .call("manage_roots", json!({ "action": "list" }))
        .await;
    assert!(!text.contains("/proc") && !text.contains("/sys"), "{text}");
}
