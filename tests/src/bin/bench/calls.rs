//! Figures of the foundation: calls, starts, and what the processes take.

use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use claudevil_protocol::client::{Client, Launch};
use claudevil_tests::home::Home;
use claudevil_tests::mcp::Session;
use futures::future::join_all;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::process::Command;

use crate::memory::resident;
use crate::percentile;

const ROUND_TRIPS: usize = 5000;
const STARTS: usize = 20;

pub async fn run() -> ExitCode {
    let mut report = Report { failed: 0 };
    report.head();
    round_trips(&mut report).await;
    initialize(&mut report).await;
    cold_start(&mut report).await;
    memory(&mut report).await;
    crowd(&mut report).await;
    if report.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Measures a call of the daemon against one byte over a bare socket.
async fn round_trips(report: &mut Report) {
    let home = Home::new();
    home.claudevil(&["status"]).await;
    let client = Client::new(home.paths(), Launch::Never);
    let mut took = vec![];
    for _ in 0..ROUND_TRIPS {
        let started = Instant::now();
        client.daemon_info().await.expect("an answer");
        took.push(started.elapsed());
    }
    let baseline = echo(home.scratch()).await;
    report.row(
        "RPC round trip, p50",
        percentile(&mut took, 50),
        Duration::from_micros(200),
        ("bare socket", baseline),
    );
    report.note("RPC round trip, p99", percentile(&mut took, 99));
}

async fn echo(folder: &Path) -> Duration {
    let address = folder.join("echo");
    let listener = UnixListener::bind(&address).expect("bound");
    let server = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = listener.into_std().expect("a socket");
        runtime.block_on(async {
            let (mut stream, _) = UnixListener::from_std(listener)
                .expect("a socket")
                .accept()
                .await
                .expect("accepted");
            let mut byte = [0];
            while stream.read_exact(&mut byte).await.is_ok() {
                stream.write_all(&byte).await.expect("written");
            }
        });
    });
    let mut stream = UnixStream::connect(&address).await.expect("connected");
    let mut took = vec![];
    for _ in 0..ROUND_TRIPS {
        let started = Instant::now();
        stream.write_all(&[1]).await.expect("written");
        stream.read_exact(&mut [0]).await.expect("read");
        took.push(started.elapsed());
    }
    drop(stream);
    server.join().expect("it ends");
    percentile(&mut took, 50)
}

/// Measures the time from the start of the shim's process to its answer, against the start of a process that does nothing.
async fn initialize(report: &mut Report) {
    let home = Home::new();
    let project = home.project("engine");
    let (mut took, mut nothing) = (vec![], vec![]);
    for _ in 0..STARTS {
        let started = Instant::now();
        let mut session = Session::spawn(&home, &project, &[]);
        session.shake_hands().await;
        took.push(started.elapsed());
        session.close().await;
        let started = Instant::now();
        Command::new("true")
            .stdout(Stdio::null())
            .status()
            .await
            .expect("it runs");
        nothing.push(started.elapsed());
    }
    let baseline = ("true", percentile(&mut nothing, 50));
    report.row(
        "initialize, p50",
        percentile(&mut took, 50),
        Duration::from_millis(50),
        baseline,
    );
}

/// Measures the time from a question with no daemon running to its answer, against the same question to a warm daemon.
async fn cold_start(report: &mut Report) {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    let (mut cold, mut warm) = (vec![], vec![]);
    for _ in 0..STARTS {
        for took in [&mut cold, &mut warm] {
            let started = Instant::now();
            session.call("list_files", json!({})).await;
            took.push(started.elapsed());
        }
        home.kill_daemon().await;
    }
    let baseline = ("warm", percentile(&mut warm, 50));
    report.row(
        "cold start to first answer, p50",
        percentile(&mut cold, 50),
        Duration::from_millis(500),
        baseline,
    );
    report.note(
        "cold start to first answer, worst",
        percentile(&mut cold, 100),
    );
}

async fn memory(report: &mut Report) {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("list_files", json!({})).await;
    let shim = resident(session.pid()) / 1024;
    let daemon = resident(home.daemon().expect("a daemon")) / 1024;
    report.size("claudevil-mcp, resident", shim, Some(10_000));
    report.size("claudevild, resident with one root", daemon, None);
}

async fn crowd(report: &mut Report) {
    let home = Home::new();
    let project = home.project("engine");
    let mut sessions = join_all((0..64).map(|_| Session::start(&home, &project, &[]))).await;
    let mut served = vec![];
    for _ in 0..2 {
        let started = Instant::now();
        join_all(
            sessions
                .iter_mut()
                .map(|session| session.call("list_files", json!({}))),
        )
        .await;
        served.push(started.elapsed());
    }
    assert_eq!(home.daemons().len(), 1);
    report.row(
        "64 cold shims, all served",
        served[0],
        Duration::from_secs(5),
        ("64 warm shims", served[1]),
    );
}

struct Report {
    failed: usize,
}

#[expect(clippy::print_stdout, reason = "a benchmark's figures are its output")]
impl Report {
    fn head(&self) {
        println!("| what | measured | at most | baseline |\n|---|---|---|---|");
        let _ = self;
    }

    fn row(&mut self, what: &str, measured: Duration, most: Duration, baseline: (&str, Duration)) {
        self.failed += usize::from(measured > most);
        println!(
            "| {what} | {measured:.2?} | {most:.0?} | {}: {:.2?} |",
            baseline.0, baseline.1
        );
    }

    fn note(&self, what: &str, measured: Duration) {
        println!("| {what} | {measured:.2?} | | |");
        let _ = self;
    }

    fn size(&mut self, what: &str, kilobytes: u64, most: Option<u64>) {
        self.failed += usize::from(most.is_some_and(|most| kilobytes > most));
        let most = most.map(|most| format!("{most} KB")).unwrap_or_default();
        println!("| {what} | {kilobytes} KB | {most} | |");
    }
}
