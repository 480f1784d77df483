//! More calls at once than the daemon runs: they wait for their turn, as long as their callers do.

use std::time::{Duration, Instant};

use claudevil_tests::home::{Home, calls_in_flight};
use claudevil_tests::mcp::Session;
use futures::future::join_all;
use libtest_mimic::Trial;
use serde_json::json;

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "18_two_hundred_calls_of_one_session_are_answered",
            Needs::DebugBuilds,
            || bursts(1, 200),
        ),
        proof(
            "18_two_hundred_calls_of_many_sessions_are_answered",
            Needs::DebugBuilds,
            || bursts(10, 20),
        ),
        proof(
            "18_a_call_that_waits_is_told_at_its_deadline",
            Needs::DebugBuilds,
            told_at_the_deadline,
        ),
        proof(
            "18_cancelled_calls_leave_the_queue",
            Needs::DebugBuilds,
            cancelled_calls_leave,
        ),
    ]
}

/// Each call takes 300 ms, so that none is done before all have been sent.
async fn bursts(sessions: usize, calls: usize) {
    let home = Home::new().with("CLAUDEVIL_TEST_FAULT", "list_files:slow");
    let project = home.project("engine");
    let mut sessions = join_all((0..sessions).map(|_| Session::start(&home, &project, &[]))).await;
    sessions[0].call("index_status", json!({})).await;
    let answers = join_all(sessions.iter_mut().map(|session| async move {
        for _ in 0..calls {
            session.send_call("list_files", json!({})).await;
        }
        let mut answers = vec![];
        while answers.len() < calls {
            answers.push(session.next().await);
        }
        answers
    }))
    .await;
    for answer in answers.iter().flatten() {
        let result = &answer["result"];
        assert!(
            result["isError"] != true && result["content"][0]["text"].is_string(),
            "{answer}"
        );
    }
    assert_eq!(calls_in_flight(&home.client()).await, 0);
}

/// Starts two sessions, each with a call that never ends, where two calls may run.
async fn two_hang(home: &Home) -> [(Session, u64); 2] {
    let project = home.project("engine");
    let hanging = join_all((0..2).map(|_| async {
        let mut session = Session::start(home, &project, &["--toolsets", "all"]).await;
        session.call("index_status", json!({})).await;
        let call = session.send_call("list_files", json!({})).await;
        (session, call)
    }))
    .await;
    let client = home.client();
    let started = Instant::now();
    while calls_in_flight(&client).await < 2 {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "the calls never began"
        );
    }
    hanging
        .try_into()
        .unwrap_or_else(|_| panic!("there are two"))
}

fn home_for_two() -> Home {
    Home::new()
        .with("CLAUDEVIL_TEST_FAULT", "list_files:hang")
        .with("CLAUDEVIL_MAX_CALLS", "2")
}

async fn told_at_the_deadline() {
    let home = home_for_two();
    let [(mut session, _), _other] = two_hang(&home).await;
    let asked = Instant::now();
    // Its deadline is 15 s.
    let (text, is_error) = session
        .call("manage_roots", json!({ "action": "list" }))
        .await;
    assert!(
        is_error && text.starts_with("busy: this session is at its limit of running calls (1)"),
        "{text}"
    );
    assert!(
        asked.elapsed() > Duration::from_secs(10),
        "it waited {:?} only",
        asked.elapsed()
    );
}

async fn cancelled_calls_leave() {
    let home = home_for_two();
    let [(mut session, hanging), _other] = two_hang(&home).await;
    let given_up = session.send_call("list_files", json!({})).await;
    let waiting = session
        .send_call("read_file", json!({ "path": "README.md" }))
        .await;
    session.cancel(given_up).await;
    session.cancel(hanging).await;
    // If the cancelled call were still in the queue, it would hang now.
    let (text, is_error) = session.tool_answer(waiting).await;
    assert!(!is_error && text.contains("# A project"), "{text}");
}
