//! One daemon, however many clients start it; shims that outlive it; calls that survive its death.

use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use claudevil_protocol::endpoint::Endpoint;
use claudevil_tests::home::{Home, calls_in_flight, signal};
use claudevil_tests::mcp::Session;
use futures::future::join_all;
use libtest_mimic::Trial;
use rustix::process::Signal;
use serde_json::json;

use crate::{Needs, percentile, proof, slack};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "01_sixty_four_shims_start_one_daemon",
            Needs::Nothing,
            || sixty_four_shims_start_one_daemon(1),
        ),
        proof("01_sixty_four_shims_twenty_rounds", Needs::Patience, || {
            sixty_four_shims_start_one_daemon(20)
        }),
        proof(
            "02_a_second_daemon_loses_and_touches_nothing",
            Needs::Nothing,
            a_second_daemon_loses,
        ),
        proof("03_calls_survive_ten_kills", Needs::Nothing, || {
            calls_survive_kills(10)
        }),
        proof(
            "03_calls_survive_two_hundred_kills",
            Needs::Patience,
            || calls_survive_kills(200),
        ),
        proof(
            "04_shims_outlive_restarts",
            Needs::Nothing,
            shims_outlive_restarts,
        ),
        proof(
            "04_a_shim_ends_with_its_input",
            Needs::Nothing,
            a_shim_ends_with_its_input,
        ),
        proof(
            "04_a_shim_ends_during_a_call",
            Needs::DebugBuilds,
            a_shim_ends_during_a_call,
        ),
        proof(
            "04_stop_holds_until_a_question",
            Needs::Nothing,
            stop_holds_until_a_question,
        ),
        proof(
            "04_stop_holds_when_a_call_is_cut_off",
            Needs::DebugBuilds,
            stop_holds_when_a_call_is_cut_off,
        ),
        proof(
            "a_removed_socket_heals",
            Needs::Nothing,
            a_removed_socket_heals,
        ),
        proof(
            "the_daemon_survives_its_clients_process_group",
            Needs::Nothing,
            survives_the_group,
        ),
        proof(
            "sigterm_lets_calls_finish",
            Needs::DebugBuilds,
            sigterm_lets_calls_finish,
        ),
        proof(
            "an_idle_daemon_leaves",
            Needs::Nothing,
            an_idle_daemon_leaves,
        ),
        proof(
            "roots_asked_about_at_once_are_all_kept",
            Needs::Nothing,
            roots_asked_about_at_once,
        ),
        proof(
            "a_slow_call_does_not_cost_the_registry",
            Needs::DebugBuilds,
            registry_outlives_a_hasty_exit,
        ),
        proof(
            "a_cancelled_start_does_not_hurt_the_next_call",
            Needs::Nothing,
            cancelled_start,
        ),
        proof(
            "roots_survive_restarts",
            Needs::Nothing,
            roots_survive_restarts,
        ),
    ]
}

async fn sixty_four_shims_start_one_daemon(rounds: usize) {
    for _ in 0..rounds {
        let home = Home::new();
        let project = home.project("engine");
        let mut sessions = join_all((0..64).map(|_| Session::start(&home, &project, &[]))).await;
        assert_eq!(home.daemon(), None, "a handshake must not start a daemon");
        let started = Instant::now();
        let answers = join_all(
            sessions
                .iter_mut()
                .map(|session| session.call("list_files", json!({}))),
        )
        .await;
        let took = started.elapsed();
        for (text, is_error) in &answers {
            assert!(!is_error && text.contains("src/main.rs"), "{text}");
        }
        assert_eq!(home.daemons().len(), 1);
        assert!(
            took < Duration::from_secs(5),
            "64 cold shims were served after {took:?}"
        );
        assert_eq!(
            home.log().matches(" ready ").count(),
            1,
            "exactly one daemon ever came up"
        );
    }
}

async fn a_second_daemon_loses() {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("index_status", json!({})).await;
    let socket = Endpoint::new(&home.paths());
    let inode = || std::fs::metadata(socket.address()).expect("a socket").ino();
    let (before, pid) = (inode(), home.daemon());

    let load = async {
        for _ in 0..50 {
            let (_, is_error) = session.call("list_files", json!({})).await;
            assert!(!is_error);
        }
    };
    let mut second = home.command("claudevild");
    let (second, ()) = tokio::join!(second.arg("run").output(), load);
    let second = second.expect("it runs");
    assert_eq!(second.status.code(), Some(75));
    let words = String::from_utf8_lossy(&second.stderr);
    assert!(
        words.contains(&format!(
            "another claudevild is running (pid {})",
            pid.expect("a daemon")
        )),
        "{words}"
    );
    assert_eq!((inode(), home.daemon()), (before, pid));
    let (_, is_error) = session.call("list_files", json!({})).await;
    assert!(!is_error);
}

async fn calls_survive_kills(kills: u64) {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("list_files", json!({})).await;
    let mut took = vec![];
    for round in 0..kills {
        // Killed at another moment of the call each time.
        let call = session.send_call("list_files", json!({})).await;
        let pause = Duration::from_micros(round * 397 % 4000);
        let started = Instant::now();
        while started.elapsed() < pause {
            tokio::task::yield_now().await;
        }
        home.kill_daemon().await;
        let killed = Instant::now();
        let (text, is_error) = session.tool_answer(call).await;
        assert!(
            !is_error && text.contains("src/main.rs"),
            "round {round}: {text}"
        );
        let (text, is_error) = session.call("list_files", json!({})).await;
        assert!(
            !is_error && text.contains("src/main.rs"),
            "round {round}: {text}"
        );
        took.push(killed.elapsed());
        assert_eq!(home.daemons().len(), 1, "round {round}");
    }
    assert!(percentile(&took, 50) < Duration::from_secs(2), "{took:?}");
    let (text, _) = session.call("index_status", json!({})).await;
    assert!(text.contains("healthy; 1 root"), "{text}");
}

async fn shims_outlive_restarts() {
    let home = Home::new();
    let project = home.project("engine");
    let mut sessions = join_all((0..8).map(|_| Session::start(&home, &project, &[]))).await;
    for round in 0..4 {
        let answers = join_all(
            sessions
                .iter_mut()
                .map(|session| session.call("list_files", json!({}))),
        )
        .await;
        assert!(
            answers
                .iter()
                .all(|(text, is_error)| !is_error && text.contains("src/lib.rs")),
            "{answers:?}"
        );
        assert_eq!(home.daemons().len(), 1);
        if round % 2 == 0 {
            home.kill_daemon().await;
        } else {
            assert!(
                home.claudevil(&["daemon", "restart"])
                    .await
                    .status
                    .success()
            );
        }
    }
    assert_eq!(home.processes("claudevil-mcp").len(), 8);
    for session in sessions {
        assert!(session.close().await.success());
    }
    assert!(
        home.processes("claudevil-mcp").is_empty(),
        "a shim was left behind"
    );
}

async fn a_shim_ends_with_its_input() {
    let home = Home::new();
    let project = home.project("engine");
    let mut before_a_word = Session::spawn(&home, &project, &[]);
    let mut known = Session::spawn(&home, &project, &[]);
    // Both are running by the time that one of them has answered.
    known.shake_hands().await;
    before_a_word.notify("notifications/none", json!({})).await;
    let closed = Instant::now();
    before_a_word.close().await;
    assert!(
        closed.elapsed() < slack(Duration::from_secs(1)),
        "{:?}",
        closed.elapsed()
    );
    let mut after_a_call = Session::start(&home, &project, &[]).await;
    after_a_call.call("list_files", json!({})).await;
    let closed = Instant::now();
    assert!(after_a_call.close().await.success());
    assert!(
        closed.elapsed() < slack(Duration::from_secs(1)),
        "{:?}",
        closed.elapsed()
    );
}

async fn a_shim_ends_during_a_call() {
    let home = Home::new().with("CLAUDEVIL_TEST_FAULT", "list_files:hang");
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("index_status", json!({})).await;
    session.send_call("list_files", json!({})).await;
    let closed = Instant::now();
    session.close().await;
    assert!(
        closed.elapsed() < slack(Duration::from_secs(1)),
        "{:?}",
        closed.elapsed()
    );
}

async fn stop_holds_until_a_question() {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("list_files", json!({})).await;
    assert!(home.claudevil(&["daemon", "stop"]).await.status.success());
    assert_eq!(home.daemon(), None);
    // Listing tools does not ask the daemon.
    session.request("tools/list", json!({})).await;
    assert!(
        home.daemons().is_empty(),
        "nothing may start a daemon in the background"
    );
    assert_eq!(
        home.claudevil(&["daemon", "status"]).await.status.code(),
        Some(3)
    );
    let (_, is_error) = session.call("list_files", json!({})).await;
    assert!(!is_error && home.daemon().is_some());
    assert_eq!(
        home.claudevil(&["daemon", "status"]).await.status.code(),
        Some(0)
    );
}

async fn stop_holds_when_a_call_is_cut_off() {
    let home = Home::new()
        .with("CLAUDEVIL_TEST_FAULT", "list_files:hang")
        .with("CLAUDEVIL_DRAIN_SECONDS", "1");
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("index_status", json!({})).await;
    let call = session.send_call("list_files", json!({})).await;
    under_way(&home).await;
    assert!(home.claudevil(&["daemon", "stop"]).await.status.success());
    let (text, is_error) = session.tool_answer(call).await;
    assert!(
        is_error && text.starts_with("cancelled: the daemon was stopped"),
        "{text}"
    );
    assert!(home.daemons().is_empty(), "the call must not be made again");
}

/// A program that deletes the socket must not lock all clients out until the last session ends.
async fn a_removed_socket_heals() {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("list_files", json!({})).await;
    let first = home.daemon();
    std::fs::remove_file(Endpoint::new(&home.paths()).address()).expect("removed");
    assert_eq!(home.json(&["status"]).await["health"], "healthy");
    assert_ne!(home.daemon(), first);
    let (_, is_error) = session.call("list_files", json!({})).await;
    assert!(!is_error && home.daemons().len() == 1);
}

/// Editors end a server by killing its whole process group.
async fn survives_the_group() {
    let home = Home::new();
    let project = home.project("engine");
    let mut shim = home.command("claudevil");
    shim.args(["files", "--root"])
        .arg(&project)
        .process_group(0);
    let child = shim.spawn().expect("it runs");
    let group = child.id().expect("a process");
    child.wait_with_output().await.expect("it ends");
    let daemon = home.daemon().expect("a daemon");
    let _ = rustix::process::kill_process_group(
        rustix::process::Pid::from_raw(i32::try_from(group).expect("a pid")).expect("a group"),
        Signal::KILL,
    );
    assert!(home.client().daemon_info().await.is_ok());
    assert_eq!(home.daemon(), Some(daemon));
}

async fn sigterm_lets_calls_finish() {
    let home = Home::new().with("CLAUDEVIL_TEST_FAULT", "list_files:slow");
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("index_status", json!({})).await;
    let daemon = home.daemon().expect("a daemon");
    let call = session.send_call("list_files", json!({})).await;
    under_way(&home).await;
    signal(daemon, Signal::TERM);
    let (text, is_error) = session.tool_answer(call).await;
    assert!(!is_error && text.contains("src/main.rs"), "{text}");
    home.gone().await;
    assert_eq!(
        home.log().matches(" ready ").count(),
        1,
        "the call was answered by the daemon that was leaving"
    );
    assert!(
        !Endpoint::new(&home.paths()).address().exists(),
        "a leaving daemon takes its socket away"
    );
}

/// Waits until the daemon works on a call.
pub async fn under_way(home: &Home) {
    let client = home.client();
    let started = Instant::now();
    while calls_in_flight(&client).await == 0 {
        assert!(
            started.elapsed() < Duration::from_secs(10),
            "the call never began"
        );
    }
}

async fn an_idle_daemon_leaves() {
    let home = Home::new().with("CLAUDEVIL_IDLE_EXIT_SECONDS", "1");
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("list_files", json!({})).await;
    let connected = Instant::now();
    // A connection is a lease: the daemon must still be there after more than its idle time.
    let stays = tokio::time::timeout(Duration::from_millis(1500), home.gone())
        .await
        .is_err();
    assert!(stays && connected.elapsed() >= Duration::from_millis(1500));
    session.close().await;
    home.gone().await;
    assert!(home.log().contains("idle"));
}

async fn roots_asked_about_at_once() {
    let home = Home::new();
    let projects: Vec<_> = (0..12)
        .map(|number| home.project(&format!("project-{number}")))
        .collect();
    let mut sessions = join_all(
        projects
            .iter()
            .map(|project| Session::start(&home, project, &[])),
    )
    .await;
    let answers = join_all(
        sessions
            .iter_mut()
            .map(|session| session.call("list_files", json!({}))),
    )
    .await;
    assert!(answers.iter().all(|(_, is_error)| !is_error), "{answers:?}");
    assert_eq!(home.json(&["roots", "list"]).await["total"], 12);
}

/// The lock must outlast the last thread that has the stores open.
async fn registry_outlives_a_hasty_exit() {
    let home = Home::new()
        .with("CLAUDEVIL_TEST_FAULT", "list_files:slow")
        .with("CLAUDEVIL_DRAIN_SECONDS", "0");
    let project = home.project("engine");
    home.claudevil(&[
        "roots",
        "add",
        project.to_str().expect("UTF-8"),
        "--name",
        "kept",
    ])
    .await;
    let mut session = Session::start(&home, &project, &[]).await;
    session.send_call("list_files", json!({})).await;
    under_way(&home).await;
    home.claudevil(&["daemon", "restart"]).await;
    let roots = home.json(&["roots", "list"]).await;
    assert_eq!(roots["roots"][0]["name"], "kept", "{roots}");
    assert_eq!(home.json(&["status"]).await["health"], "healthy");
}

async fn cancelled_start() {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    for _ in 0..5 {
        let call = session.send_call("list_files", json!({})).await;
        session.cancel(call).await;
        let started = Instant::now();
        let (text, is_error) = session.call("list_files", json!({})).await;
        assert!(
            !is_error && started.elapsed() < Duration::from_secs(5),
            "{text} after {:?}",
            started.elapsed()
        );
        home.kill_daemon().await;
    }
}

async fn roots_survive_restarts() {
    let home = Home::new();
    let project = home.project("engine");
    let path = project.to_str().expect("UTF-8");
    home.claudevil(&[
        "roots",
        "add",
        path,
        "--name",
        "my-engine",
        "--exclude",
        "*.md",
    ])
    .await;
    home.kill_daemon().await;
    let roots = home.json(&["roots", "list"]).await;
    assert_eq!(roots["roots"][0]["name"], "my-engine");
    assert_eq!(roots["roots"][0]["exclude"], json!(["*.md"]));
    let files = home.json(&["files", "--root", "my-engine"]).await;
    assert_eq!(files["total"], 3, "{files}");
}
