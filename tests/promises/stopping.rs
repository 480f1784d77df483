//! `daemon stop` and `restart` under sessions that go on asking, and a lock file that names a foreign process.

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use claudevil_protocol::lock;
use claudevil_protocol::process::Fingerprint;
use claudevil_protocol::start::LockHolder;
use claudevil_tests::home::{BOUND, Home, signal};
use claudevil_tests::mcp::Session;
use claudevil_tests::processes;
use libtest_mimic::Trial;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::lifecycle::under_way;
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "04_stop_is_judged_by_the_daemon_that_was_asked",
            Needs::DebugBuilds,
            a_successor_is_there,
        ),
        proof(
            "04_stop_and_restart_succeed_under_busy_sessions",
            Needs::Nothing,
            busy_sessions,
        ),
        proof(
            "a_process_that_is_not_the_daemon_is_never_signalled",
            Needs::Nothing,
            bystanders,
        ),
        proof(
            "stop_with_force_ends_a_daemon_that_hangs",
            Needs::Nothing,
            a_daemon_that_hangs,
        ),
    ]
}

/// The command is suspended from the moment the daemon begins to leave until its successor is there, so that it never sees the
/// lock free.
async fn a_successor_is_there() {
    let home = Home::new()
        .with("CLAUDEVIL_TEST_FAULT", "list_files:hang")
        .with("CLAUDEVIL_DRAIN_SECONDS", "3");
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("index_status", json!({})).await;
    let asked = home.daemon().expect("a daemon");
    let call = session.send_call("list_files", json!({})).await;
    under_way(&home).await;
    let stop = home
        .command("claudevil")
        .args(["--json", "daemon", "stop"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let is_leaving = || {
        lock::holder::<LockHolder>(&home.paths().daemon_lock()).is_some_and(|holder| holder.leaving)
    };
    let started = Instant::now();
    while !is_leaving() {
        assert!(started.elapsed() < BOUND, "the daemon was asked to leave");
        tokio::task::yield_now().await;
    }
    signal(stop.id().expect("it runs"), Signal::STOP);
    session.tool_answer(call).await;
    home.gone().await;
    session.call("index_status", json!({})).await;
    let successor = home.daemon().expect("a successor");
    assert_ne!(asked, successor);

    let resumed = Instant::now();
    signal(stop.id().expect("it runs"), Signal::CONT);
    let output = stop.wait_with_output().await.expect("it ends");
    assert!(
        output.status.success(),
        "{output:?} after {:?}",
        resumed.elapsed()
    );
    let said: Value = serde_json::from_slice(&output.stdout).expect("json");
    assert_eq!(
        said,
        json!({ "running": true, "outcome": "stopped", "successor": successor })
    );
    assert_eq!(home.daemon(), Some(successor), "nobody asked it to leave");
}

async fn busy_sessions() {
    let home = Home::new();
    let project = home.project("engine");
    let is_over = Arc::new(AtomicBool::new(false));
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let mut session = Session::start(&home, &project, &[]).await;
        let is_over = Arc::clone(&is_over);
        asking.spawn(async move {
            let mut answered = 0;
            while !is_over.load(Ordering::Relaxed) {
                let (_, is_error) = session.call("list_files", json!({})).await;
                answered += usize::from(!is_error);
            }
            answered
        });
    }
    for round in 0..40 {
        let before = home.daemon();
        let verb = if round % 2 == 0 { "stop" } else { "restart" };
        let started = Instant::now();
        let output = home.claudevil(&["daemon", verb]).await;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success(),
            "round {round}: {verb}: {said} after {:?}",
            started.elapsed()
        );
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "round {round}: {verb} took {:?}",
            started.elapsed()
        );
        // Checks the process instead of the lock: a successor may hold it without having written its own number yet.
        if let Some(before) = before {
            assert!(
                processes::ends(before, Duration::from_secs(5)).await,
                "round {round}: {verb}: the same daemon is still there"
            );
        }
    }
    is_over.store(true, Ordering::Relaxed);
    for answered in asking.join_all().await {
        assert!(answered > 0, "every session goes on");
    }
}

/// The lock is held, as by a daemon on another machine that shares the folder, and its file names a process on this machine.
async fn bystanders() {
    let home = Home::new();
    assert!(
        !home.claudevil(&["daemon", "status"]).await.status.success(),
        "this makes no daemon"
    );
    let mut bystander = tokio::process::Command::new("cat")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("it runs");
    let pid = bystander.id().expect("a process");
    let path = home.paths().daemon_lock();
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    let mut held = lock::try_lock(&path).expect("a lock").expect("free");
    let own = Fingerprint::own();
    let elsewhere = Fingerprint {
        host: "another machine".to_owned(),
        ..own.clone()
    };
    for process in [json!(null), json!(own), json!(elsewhere)] {
        held.describe(&json!({ "pid": pid, "build": "1", "leaving": false, "process": process }))
            .expect("written");
        for force in [
            &["daemon", "stop", "--force"][..],
            &["daemon", "restart", "--force"],
            &["daemon", "stop"],
        ] {
            let output = home.claudevil(force).await;
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                bystander.try_wait().expect("a status").is_none(),
                "{process}: the bystander was signalled"
            );
            assert!(
                !output.status.success() && said.contains("cannot be ended from here"),
                "{process}: {said}"
            );
            assert!(said.contains(&format!("process {pid}")), "{said}");
        }
    }
}

async fn a_daemon_that_hangs() {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("index_status", json!({})).await;
    let daemon = home.daemon().expect("a daemon");
    signal(daemon, Signal::STOP);
    let output = home.claudevil(&["daemon", "stop", "--force"]).await;
    assert!(output.status.success(), "{output:?}");
    assert_eq!(home.daemon(), None);
}
