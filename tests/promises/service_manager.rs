//! `service install` changes nothing where no service manager can be reached.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use claudevil_tests::home::{BOUND, Home};
use libtest_mimic::Trial;
use serde_json::Value;

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    if !cfg!(target_os = "linux") {
        return vec![];
    }
    vec![
        proof(
            "service_install_without_a_manager_changes_nothing",
            Needs::Nothing,
            unreachable,
        ),
        proof(
            "service_install_tells_its_manager_and_starts",
            Needs::Nothing,
            reachable,
        ),
    ]
}

/// Makes a folder with a `systemctl` that records its arguments and runs these lines.
fn systemctl(home: &Home, lines: &str) -> PathBuf {
    let folder = home.scratch().join("manager");
    fs::create_dir_all(&folder).expect("made");
    let file = folder.join("systemctl");
    let calls = folder.join("calls");
    fs::write(
        &file,
        format!("#!/bin/sh\necho \"$@\" >> '{}'\n{lines}\n", calls.display()),
    )
    .expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("set");
    folder
}

/// Runs `claudevil` with the directories that a service uses, and a search path.
async fn claudevil(home: &Home, path: &str, arguments: &[&str]) -> Output {
    let mut command = home.command("claudevil");
    command
        .env_remove("CLAUDEVIL_HOME")
        .env("PATH", path)
        .args(arguments);
    tokio::time::timeout(BOUND, command.output())
        .await
        .expect("it ends")
        .expect("it runs")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn has_units(home: &Home) -> bool {
    home.scratch().join("user/.config").exists()
}

async fn unreachable() {
    let home = Home::new();
    let usual = "/usr/bin:/bin";
    let started = json(&claudevil(&home, usual, &["--json", "daemon", "start"]).await);
    let pid = started["pid"].as_u64().expect("a process");
    let broken = systemctl(
        &home,
        "echo 'Failed to connect to bus: No medium found' >&2\nexit 1",
    );
    let nothing = home.scratch().join("nothing");
    for (manager, why) in [
        (broken.as_path(), "No medium found"),
        (Path::new(&nothing), "systemctl"),
    ] {
        let path = manager.to_str().expect("UTF-8");
        let output = claudevil(&home, path, &["--json", "service", "install"]).await;
        assert!(!output.status.success(), "{output:?}");
        let error = &json(&output)["error"];
        assert_eq!(error["code"], "manager_unreachable", "{error}");
        let (message, hint) = (error["message"].to_string(), error["hint"].to_string());
        assert!(
            message.contains("systemd's user manager is not reachable") && message.contains(why),
            "{message}"
        );
        assert!(
            message.contains("nothing was changed") && hint.contains("login session"),
            "{message} {hint}"
        );
        assert!(!has_units(&home), "no file is written");
        let status = json(&claudevil(&home, usual, &["--json", "daemon", "status"]).await);
        assert_eq!(
            (&status["running"], status["pid"].as_u64()),
            (&Value::Bool(true), Some(pid)),
            "{status}"
        );
        // As text.
        let output = claudevil(&home, path, &["service", "install"]).await;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            said.contains("is not reachable") && !said.contains("internal"),
            "{said}"
        );
    }
    // Without a manager, only the files can be written.
    let output = claudevil(
        &home,
        nothing.to_str().expect("UTF-8"),
        &["service", "install", "--no-start"],
    )
    .await;
    assert!(output.status.success() && has_units(&home), "{output:?}");
    assert!(
        claudevil(&home, usual, &["daemon", "stop"])
            .await
            .status
            .success()
    );
}

async fn reachable() {
    let home = Home::new();
    let manager = systemctl(&home, "exit 0");
    let output = claudevil(
        &home,
        manager.to_str().expect("UTF-8"),
        &["service", "install"],
    )
    .await;
    assert!(output.status.success() && has_units(&home), "{output:?}");
    let calls = fs::read_to_string(manager.join("calls")).expect("it was called");
    let calls: Vec<&str> = calls.lines().collect();
    assert!(
        calls
            .first()
            .is_some_and(|call| call.starts_with("--user show")),
        "asked first: {calls:?}"
    );
    assert!(
        calls.contains(&"--user enable --now claudevil.service"),
        "{calls:?}"
    );
}
