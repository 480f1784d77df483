//! What setup writes is taken back whole: by itself, by uninstall, and whoever else is at it meanwhile.

use std::fs;
use std::path::Path;

use claudevil_tests::home::Home;
use claudevil_tests::window::{Looks, Window};
use libtest_mimic::Trial;
use tokio::process::Command;

use crate::{Needs, proof};

const CLIENTS: &[&str] = &[
    "claude-code",
    "claude-desktop",
    "cursor",
    "vscode",
    "windsurf",
    "zed",
    "codex",
    "gemini",
    "opencode",
    "jetbrains",
];

pub fn trials() -> Vec<Trial> {
    vec![
        proof("setup_and_uninstall_leave_an_empty_home_empty", Needs::Nothing, empty_home),
        proof("setup_of_two_at_once_is_remembered_of_both", Needs::Program("script", "needs script"), two_at_once),
    ]
}

async fn done(mut command: Command, arguments: &[&str]) {
    let output = command.args(arguments).output().await.expect("it runs");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

fn is_empty(folder: &Path) {
    let left: Vec<_> = fs::read_dir(folder).expect("readable").flatten().map(|entry| entry.path()).collect();
    assert!(left.is_empty(), "left behind: {left:?}");
}

async fn empty_home() {
    let all: &[&str] = &[&["setup", "--yes"], CLIENTS].concat();
    let service: &[&str] = &["service", "install", "--no-start"];
    let uninstall: &[&str] = &["uninstall", "--yes"];
    // Whoever makes a folder first, it goes with whoever is the last in it.
    let ways: [&[&[&str]]; 4] = [
        &[all, uninstall],
        &[all, service, uninstall],
        &[service, all, uninstall],
        &[service, &["service", "uninstall"]],
    ];
    for way in ways {
        if !cfg!(target_os = "linux") && way.contains(&service) {
            continue;
        }
        let home = Home::new();
        for arguments in way {
            let mut command = home.command("claudevil");
            // No service manager is told of it.
            command.env_remove("CLAUDEVIL_HOME").env("PATH", home.scratch());
            done(command, arguments).await;
        }
        // The service's log has a folder, which only uninstall removes.
        let user = home.scratch().join("user");
        if way.contains(&uninstall) {
            is_empty(&user);
        } else {
            assert!(!user.join(".config").exists(), "{:?}", fs::read_dir(user.join(".config")));
        }
    }
    // Kept elsewhere than in the home.
    let home = Home::new();
    for arguments in [all, uninstall] {
        done(home.command("claudevil"), arguments).await;
    }
    is_empty(&home.scratch().join("user"));
    assert!(!home.claudevil_home().exists());
}

async fn two_at_once() {
    let home = Home::new();
    let looks = Looks { rows: 24, columns: 80, term: "xterm" };
    let mut window = Window::open(&home, home.scratch(), looks, "claudevil setup cursor");
    window.shows(0, "[Y/n]").await;
    done(home.command("claudevil"), &["setup", "zed", "--yes"]).await;
    window.press("y\n").await;
    let (shown, code) = window.end().await;
    assert_eq!(code, Some(0), "{shown:?}");
    let record = fs::read_to_string(home.paths().state().join("setup/record.json")).expect("a record");
    assert!(record.contains("\"cursor\"") && record.contains("\"zed\""), "{record}");
    done(home.command("claudevil"), &["setup", "--remove", "--yes"]).await;
    is_empty(&home.scratch().join("user"));
}
