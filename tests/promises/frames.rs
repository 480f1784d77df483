//! Frames and handshakes: bounded, and whatever a client sends costs only its own connection.

use std::time::{Duration, Instant};

use claudevil_protocol::ErrorCode;
use claudevil_protocol::call::{Origin, Project};
use claudevil_protocol::client::{CallOptions, Client};
use claudevil_protocol::endpoint::Endpoint;
use claudevil_protocol::preamble::{Hello, Intent, Verdict, Welcome};
use claudevil_protocol::tools::list_files::ListFiles;
use claudevil_protocol::version::Identity;
use claudevil_protocol::wire::REQUEST_LIMIT;
use claudevil_tests::binaries;
use claudevil_tests::chance::Chance;
use claudevil_tests::home::{BOUND, Home, calls_in_flight};
use claudevil_tests::mcp::Session;
use claudevil_tests::processes;
use claudevil_tests::questions::Questions;
use futures::future::join_all;
use interprocess::local_socket::tokio::Stream;
use libtest_mimic::Trial;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{Needs, measured, proof, slack};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "18_garbage_closes_only_its_connection",
            Needs::Nothing,
            garbage_closes_only_its_connection,
        ),
        proof(
            "18_slow_handshakes_are_cut_off",
            Needs::Nothing,
            slow_handshakes_are_cut_off,
        ),
        proof(
            "18_an_endless_deadline_is_served",
            Needs::Nothing,
            endless_deadline,
        ),
        proof(
            "18_what_is_too_large_to_ask_is_an_error",
            Needs::Nothing,
            limits_are_typed_errors,
        ),
        proof(
            "18_an_answer_too_large_is_an_error",
            Needs::Nothing,
            answer_too_large,
        ),
        proof(
            "18_more_connections_than_allowed_are_told",
            Needs::Nothing,
            busy_is_told,
        ),
        proof(
            "19_a_cancelled_call_stops_its_work",
            Needs::DebugBuilds,
            cancelled_calls_stop,
        ),
        proof(
            "19_cancelled_searches_free_the_processor",
            Needs::Nothing,
            cancelled_searches,
        ),
        proof(
            "a_panic_costs_one_call",
            Needs::DebugBuilds,
            a_panic_costs_one_call,
        ),
    ]
}

async fn daemon(home: &Home) -> Session {
    let mut session = Session::start(home, &home.project("engine"), &[]).await;
    session.call("index_status", json!({})).await;
    session
}

async fn connect(home: &Home) -> Stream {
    Endpoint::new(&home.paths())
        .connect()
        .await
        .expect("connected")
}

/// Opens a connection and exchanges preambles.
async fn greeted(home: &Home) -> (Stream, Verdict) {
    let mut stream = connect(home).await;
    Hello {
        client: Identity::own(),
        intent: Intent::Use,
    }
    .write(&mut stream)
    .await
    .expect("written");
    let welcome = Welcome::read(&mut stream).await.expect("a welcome");
    (stream, welcome.verdict)
}

/// Reads until the other side hangs up.
async fn hung_up(mut stream: Stream) {
    let mut rest = vec![];
    // A reset is a hang-up too.
    let _ = tokio::time::timeout(BOUND, stream.read_to_end(&mut rest))
        .await
        .expect("the daemon hangs up");
}

async fn garbage_closes_only_its_connection() {
    let home = Home::new();
    let mut session = daemon(&home).await;
    let pid = home.daemon();
    for garbage in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        b"claudevl\xff\xff",
        &[0; 64],
        b"claudevl\x02\x00\x09\x09",
    ] {
        let mut stream = connect(&home).await;
        // The daemon may hang up before everything is written.
        let _ = stream.write_all(garbage).await;
        hung_up(stream).await;
    }
    let too_long = u32::try_from(REQUEST_LIMIT + 1)
        .expect("small")
        .to_be_bytes();
    for frames in [
        &too_long[..],
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x08garbage!",
        b"\x00\x00\x00\x00",
    ] {
        let (mut stream, verdict) = greeted(&home).await;
        assert!(matches!(verdict, Verdict::Accepted(_)));
        let _ = stream.write_all(frames).await;
        hung_up(stream).await;
    }
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    for _ in 0..200 {
        let (mut stream, _) = greeted(&home).await;
        let mut frame = vec![0, 0, 0, 96];
        for _ in 0..96 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            frame.push(u8::try_from(state >> 56).expect("a byte"));
        }
        let _ = stream.write_all(&frame).await;
        let _ = stream.shutdown().await;
        hung_up(stream).await;
    }
    let (_, is_error) = session.call("list_files", json!({})).await;
    assert!(!is_error);
    assert_eq!(home.daemon(), pid);
}

async fn slow_handshakes_are_cut_off() {
    let home = Home::new();
    let mut session = daemon(&home).await;
    let started = Instant::now();
    let silent = join_all((0..200).map(|_| connect(&home))).await;
    let (_, is_error) = session.call("list_files", json!({})).await;
    assert!(
        !is_error && started.elapsed() < Duration::from_secs(2),
        "served meanwhile, {:?}",
        started.elapsed()
    );
    join_all(silent.into_iter().map(hung_up)).await;
    let bound = slack(Duration::from_millis(2500));
    assert!(
        started.elapsed() < bound,
        "cut off after {:?}",
        started.elapsed()
    );
}

/// `Duration::MAX` overflows the clock unless it is clamped.
async fn endless_deadline() {
    let home = Home::new();
    let mut session = daemon(&home).await;
    let (mut stream, _) = greeted(&home).await;
    let mut frame = vec![];
    frame.extend(0_u32.to_le_bytes()); // a request
    frame.extend(u64::MAX.to_le_bytes()); // seconds left
    frame.extend(999_999_999_u32.to_le_bytes()); // and nanoseconds
    frame.extend([0; 16]); // trace id
    frame.extend(0_u64.to_le_bytes()); // span id
    frame.extend(0_u32.to_le_bytes()); // sampling decision
    frame.extend(7_u64.to_le_bytes()); // request id
    frame.extend(0_u32.to_le_bytes()); // the first method
    let length = u32::try_from(frame.len()).expect("short").to_be_bytes();
    stream
        .write_all(&[&length[..], &frame].concat())
        .await
        .expect("written");
    let mut head = [0; 12];
    tokio::time::timeout(BOUND, stream.read_exact(&mut head))
        .await
        .expect("in time")
        .expect("an answer");
    assert_eq!(
        u64::from_le_bytes(head[4..].try_into().expect("eight bytes")),
        7,
        "the answer to request 7"
    );
    let (_, is_error) = session.call("list_files", json!({})).await;
    assert!(!is_error);
}

/// Sizes are checked before anything is sent; a message that is too large is an error and breaks nothing.
async fn limits_are_typed_errors() {
    let home = Home::new();
    let mut session = daemon(&home).await;
    for arguments in [
        json!({ "pattern": "x".repeat(2 << 20) }),
        json!({ "limit": 100_000 }),
        json!({ "limit": 0 }),
        json!({ "max_tokens": 50_000 }),
    ] {
        let (text, is_error) = session.call("list_files", arguments).await;
        assert!(is_error && text.starts_with("invalid_argument: "), "{text}");
    }
    let (_, is_error) = session.call("list_files", json!({})).await;
    assert!(!is_error);
}

async fn answer_too_large() {
    let home = Home::new();
    let mut session = daemon(&home).await;
    let long = home.scratch().join("user/long");
    let deep = ["a", "b", "c", "d"]
        .iter()
        .fold(long.clone(), |folder, letter| {
            folder.join(letter.repeat(230))
        });
    std::fs::create_dir_all(&deep).expect("made");
    for file in 0..9500 {
        std::fs::write(deep.join(format!("{file}.rs")), "").expect("written");
    }
    let params = ListFiles {
        pattern: Some("*.rs".to_owned()),
        limit: Some(10_000),
        ..ListFiles::default()
    };
    let project = Some(Project {
        root: long.display().to_string(),
        origin: Origin::Argument,
    });
    let client = home.client();
    let error = client
        .ask(
            CallOptions {
                project,
                progress: None,
            },
            params,
        )
        .await
        .expect_err("too large");
    assert_eq!(error.code, ErrorCode::TooLarge, "{error}");
    assert!(
        error.message.to_string().contains("one message carries"),
        "{error}"
    );
    assert!(client.daemon_info().await.is_ok(), "the connection goes on");
    let (_, is_error) = session.call("list_files", json!({})).await;
    assert!(!is_error);
}

async fn busy_is_told() {
    let home = Home::new().with("CLAUDEVIL_MAX_CONNECTIONS", "3");
    let _session = daemon(&home).await;
    let (one, _) = greeted(&home).await;
    let (two, verdict) = greeted(&home).await;
    assert!(matches!(verdict, Verdict::Accepted(_)));
    assert_eq!(greeted(&home).await.1, Verdict::Busy);
    let error = home.json(&["status"]).await;
    assert_eq!(error["error"]["code"], "busy", "{error}");
    drop((one, two));
    assert_eq!(home.json(&["status"]).await["health"], "healthy");
}

async fn cancelled_calls_stop() {
    let home = Home::new().with("CLAUDEVIL_TEST_FAULT", "list_files:hang");
    let mut session = daemon(&home).await;
    let mut calls = vec![];
    for _ in 0..20 {
        calls.push(session.send_call("list_files", json!({})).await);
    }
    let client = home.client();
    while calls_in_flight(&client).await < 20 {}
    for call in calls {
        session.cancel(call).await;
    }
    let cancelled = Instant::now();
    while calls_in_flight(&client).await > 0 {
        assert!(
            cancelled.elapsed() < slack(Duration::from_millis(200)),
            "calls go on after their callers gave up"
        );
    }
    let (text, is_error) = session.call("index_status", json!({})).await;
    assert!(!is_error && text.contains(" 0 calls in flight"), "{text}");
}

/// Fifty searches at a time that take seconds each, given up by their caller: twice.
async fn cancelled_searches() {
    let home = Home::new();
    let project = home.project("engine");
    let mut chance = Chance::new(19);
    for number in 0..40 {
        let mut line = || {
            (0..60)
                .map(|_| if chance.below(2) == 0 { 'a' } else { 'b' })
                .chain(['\n'])
                .collect::<String>()
        };
        let text: String = (0..2000).map(|_| line()).collect();
        std::fs::write(project.join(format!("letters{number}.txt")), text).expect("written");
    }
    let mut questions = Questions::start(&home, &project).await;
    // Vectors take the processor too.
    questions.embedded().await;
    let (client, pid) = (home.client(), home.daemon().expect("a daemon"));
    // To know which of the last 24 letters were an `a` needs more states than an automaton may have.
    let arguments = json!({ "query": "a[ab]{24}c", "mode": "regex" });
    // As many as one session may run at once; a debug build takes some thirty times as long for each step.
    let searches = if binaries::are_debug_builds() { 4 } else { 32 };
    for _ in 0..2 {
        let mut calls = vec![];
        for _ in 0..searches {
            let session = questions.session();
            calls.push(session.send_call("search", arguments.clone()).await);
        }
        while calls_in_flight(&client).await < searches {}
        for call in calls {
            questions.session().cancel(call).await;
        }
        let freed = until_idle(&client, pid).await;
        assert!(
            freed < slack(Duration::from_millis(200)),
            "calls go on for {freed:?} after their callers gave up"
        );
        let before = processes::processor_time(pid);
        // Not a wait for an event: processor time is measured over this interval.
        tokio::time::sleep(Duration::from_millis(500)).await;
        let spent = processes::processor_time(pid).saturating_sub(before);
        measured(&format!(
            "{searches} searches were given up within {freed:?}; the next 500 ms took {spent:?} of processor time"
        ));
        assert!(
            spent < Duration::from_millis(100),
            "work goes on after its callers gave up: {spent:?} in 500 ms"
        );
    }
}

/// Waits until no call is under way. Returns how long that took, or the processor time that the daemon had meanwhile if
/// that is less: others may have the processors.
async fn until_idle(client: &Client, daemon: u32) -> Duration {
    let (began, worked) = (Instant::now(), processes::processor_time(daemon));
    while calls_in_flight(client).await > 0 {
        assert!(began.elapsed() < BOUND, "calls never end");
    }
    let worked = processes::processor_time(daemon).saturating_sub(worked);
    began.elapsed().min(worked)
}

async fn a_panic_costs_one_call() {
    let home = Home::new().with("CLAUDEVIL_TEST_FAULT", "list_files:panic");
    let mut session = daemon(&home).await;
    let pid = home.daemon();
    for _ in 0..3 {
        let (text, is_error) = session.call("list_files", json!({})).await;
        assert!(is_error && text.starts_with("internal: "), "{text}");
    }
    let (text, is_error) = session
        .call("read_file", json!({ "path": "src/main.rs" }))
        .await;
    assert!(!is_error && text.contains("fn main()"), "{text}");
    assert_eq!(home.daemon(), pid);
    assert!(home.log().contains("a fault was asked for"));
}
