//! Starts that fail: one clear error, and no repeated attempts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use claudevil_protocol::lock;
use claudevil_tests::home::Home;
use claudevil_tests::mcp::Session;
use libtest_mimic::Trial;
use serde_json::json;
use tokio::process::Command;

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "06_a_read_only_home_is_one_clear_error",
            Needs::Namespaces,
            read_only_home,
        ),
        proof(
            "06_a_daemon_that_dies_is_not_started_over_and_over",
            Needs::Nothing,
            no_storm,
        ),
        proof(
            "06_a_broken_configuration_is_named",
            Needs::Nothing,
            broken_configuration,
        ),
        proof(
            "06_a_missing_daemon_is_named",
            Needs::Nothing,
            missing_daemon,
        ),
        proof(
            "06_a_home_that_is_no_absolute_path_is_refused",
            Needs::Nothing,
            relative_home,
        ),
        proof(
            "06_a_lock_that_nobody_serves_is_reported",
            Needs::Nothing,
            refused_lock,
        ),
        proof(
            "a_silent_socket_does_not_hang_a_call",
            Needs::Nothing,
            silent_socket,
        ),
        proof(
            "a_service_adopts_its_socket",
            Needs::Nothing,
            adopted_socket,
        ),
    ]
}

async fn read_only_home() {
    let home = Home::new();
    fs::create_dir_all(home.claudevil_home()).expect("made");
    let shim = claudevil_tests::binaries::path("claudevil");
    let script =
        "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && shift && exec \"$@\"";
    for (code, arguments) in [(4, &["status"][..]), (1, &["setup", "cursor", "--yes"])] {
        let started = Instant::now();
        let output = Command::new("unshare")
            .args([
                "--user",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                script,
                "sh",
            ])
            .args([
                home.claudevil_home().as_path(),
                shim.as_path(),
                Path::new("--json"),
            ])
            .args(arguments)
            .env("CLAUDEVIL_HOME", home.claudevil_home())
            .env("HOME", home.scratch().join("user"))
            .output()
            .await
            .expect("it runs");
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert!(started.elapsed() < Duration::from_secs(5));
        let error: serde_json::Value = serde_json::from_slice(&output.stdout).expect("json");
        assert_eq!(
            error["error"]["code"],
            if code == 4 {
                "daemon_unreachable"
            } else {
                "internal"
            }
        );
        let message = error["error"]["message"].as_str().expect("words");
        let place = format!("{}/", home.claudevil_home().display());
        assert!(
            message.contains("Read-only file system") && message.contains(&place),
            "{error}"
        );
        assert!(
            error["error"]["hint"]
                .as_str()
                .expect("words")
                .contains("claudevil doctor"),
            "{error}"
        );
    }
    assert!(
        !home.scratch().join("user/.cursor").exists(),
        "nothing was changed"
    );
}

async fn no_storm() {
    let home = Home::new();
    let project = home.project("engine");
    let (daemon, tally) = (home.scratch().join("dies"), home.scratch().join("tally"));
    script(
        &daemon,
        &format!(
            "echo start >> {}\necho it hurts here >&2\nexit 3\n",
            tally.display()
        ),
    );
    let home = home.with("CLAUDEVIL_DAEMON", daemon.as_os_str());
    let mut session = Session::start(&home, &project, &[]).await;
    for _ in 0..6 {
        let (text, is_error) = session.call("list_files", json!({})).await;
        assert!(
            is_error && text.starts_with("daemon_unreachable: "),
            "{text}"
        );
        assert!(
            text.contains("it hurts here") && text.contains("claudevil doctor"),
            "{text}"
        );
    }
    let output = home.claudevil(&["files"]).await;
    assert_eq!(output.status.code(), Some(4));
    let starts = fs::read_to_string(&tally).expect("a tally").lines().count();
    assert_eq!(starts, 3, "three starts a minute, of all clients together");
    // A person may insist.
    home.claudevil(&["daemon", "start"]).await;
    assert_eq!(
        fs::read_to_string(&tally).expect("a tally").lines().count(),
        4
    );
}

async fn broken_configuration() {
    let home = Home::new();
    let config = home.paths().config_file();
    fs::create_dir_all(config.parent().expect("a folder")).expect("made");
    fs::write(&config, "max_calls = \"many\"\n").expect("written");
    let error = home.json(&["status"]).await;
    let message = error["error"]["message"].as_str().expect("words");
    assert!(
        message.contains("max_calls = many") && message.contains("expected 1 to 1000"),
        "{message}"
    );
    let doctor = home.claudevil(&["doctor"]).await;
    assert_eq!(doctor.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&doctor.stdout).contains("max_calls = many"));
    fs::write(&config, "max_calls = 8\n").expect("written");
    let status = home.json(&["status", "--detailed"]).await;
    let settings = status["details"]["settings"].as_array().expect("settings");
    let setting = settings
        .iter()
        .find(|setting| setting["key"] == "max_calls")
        .expect("the setting");
    assert_eq!(
        (setting["value"].as_str(), setting["source"].as_str()),
        (Some("8"), config.to_str())
    );
}

async fn missing_daemon() {
    let home = Home::new().with("CLAUDEVIL_DAEMON", "/nowhere/claudevild");
    let error = home.json(&["status"]).await;
    let message = error["error"]["message"].as_str().expect("words");
    assert!(
        message.contains("/nowhere/claudevild cannot be run"),
        "{message}"
    );
}

async fn relative_home() {
    let home = Home::new();
    let project = home.project("engine");
    for binary in ["claudevil", "claudevild"] {
        let mut command = home.command(binary);
        command
            .env_remove("CLAUDEVIL_HOME")
            .env("HOME", "relative")
            .current_dir(&project);
        let output = command
            .arg(if binary == "claudevil" {
                "files"
            } else {
                "run"
            })
            .output()
            .await
            .expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && said.contains("relative, is not an absolute path"),
            "{output:?}"
        );
    }
    assert!(!project.join("relative").exists(), "nothing was written");
}

async fn refused_lock() {
    let home = Home::new();
    let run = home.paths().run().to_owned();
    fs::create_dir_all(&run).expect("made");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o700)).expect("private");
    let _held = lock::try_lock(&home.paths().daemon_lock())
        .expect("a lock")
        .expect("free");
    let started = Instant::now();
    let error = home.json(&["status"]).await;
    let message = error["error"]["message"].as_str().expect("words");
    assert!(
        message.contains("holds the daemon's lock and accepts no connections"),
        "{message}"
    );
    assert!(started.elapsed() < Duration::from_secs(15));
}

async fn silent_socket() {
    let home = Home::new();
    let run = home.paths().run().to_owned();
    fs::create_dir_all(&run).expect("made");
    let _silent = std::os::unix::net::UnixListener::bind(run.join("daemon.sock")).expect("bound");
    let started = Instant::now();
    let error = home.json(&["status"]).await;
    assert_eq!(error["error"]["code"], "daemon_unreachable", "{error}");
    assert!(
        error["error"]["message"]
            .as_str()
            .expect("words")
            .contains("no answer within"),
        "{error}"
    );
    assert!(started.elapsed() < Duration::from_secs(15));
}

/// Does what systemd does for a socket unit: binds, listens, and passes the descriptor as number three.
async fn adopted_socket() {
    let home = Home::new();
    let project = home.project("engine");
    let run = home.paths().run().to_owned();
    fs::create_dir_all(&run).expect("made");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o700)).expect("private");
    let socket = run.join("daemon.sock");
    let program = "import os, socket, sys\n\
                   s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(8)\n\
                   os.dup2(s.fileno(), 3); os.set_inheritable(3, True)\n\
                   os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid()))\n\
                   os.execv(sys.argv[2], [sys.argv[2], 'run', '--service'])\n";
    let mut service = Command::new("python3")
        .args(["-c", program])
        .args([&socket, &claudevil_tests::binaries::path("claudevild")])
        .env("CLAUDEVIL_HOME", home.claudevil_home())
        .env("CLAUDEVIL_IDLE_EXIT_SECONDS", "1")
        .kill_on_drop(true)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut words = tokio::io::BufReader::new(service.stderr.take().expect("standard error"));
    let mut line = String::new();
    tokio::io::AsyncBufReadExt::read_line(&mut words, &mut line)
        .await
        .expect("words");
    assert!(line.contains("claudevild is ready"), "{line}");
    let files = home
        .json(&["files", "--root", project.to_str().expect("UTF-8")])
        .await;
    assert_eq!(files["total"], 4, "{files}");
    assert_eq!(home.daemon(), service.id());
    let stays = tokio::time::timeout(Duration::from_millis(1500), service.wait())
        .await
        .is_err();
    assert!(stays, "a service does not leave for idleness");
    assert!(home.claudevil(&["daemon", "stop"]).await.status.success());
    assert!(service.wait().await.expect("it ends").success());
    assert!(socket.exists(), "an inherited socket is never unlinked");
}

fn script(path: &Path, body: &str) {
    fs::write(path, format!("#!/bin/sh\n{body}")).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).expect("executable");
}
