//! `impact_analysis` of a large diff takes time in proportion to it, and stops when its caller gives up.

use std::fmt::Write;
use std::time::{Duration, Instant};

use claudevil_tests::binaries;
use claudevil_tests::home::{BOUND, Home, calls_in_flight};
use claudevil_tests::processes;
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::diffs::committed;
use super::{asking, home, put};
use crate::{Needs, measured, proof};

/// Processor time of the daemon after which a call is in the middle of its work.
const WORK_BEFORE_CANCELLATION: Duration = Duration::from_millis(60);

pub fn trials() -> Vec<Trial> {
    let git = || Needs::Program("git", "needs git");
    vec![
        proof(
            "impact_of_a_new_file_of_constants_takes_linear_time",
            git(),
            || async {
                grows_linearly("constants", [2_000, 8_000], &|_| String::new(), &constants).await;
            },
        ),
        proof(
            "impact_of_repetitive_lines_takes_linear_time",
            git(),
            || async {
                let before = |lines| repetitive("value", lines);
                let after = |lines| repetitive("number", lines);
                grows_linearly("repetitive lines", [30_000, 120_000], &before, &after).await;
            },
        ),
        proof(
            "impact_of_a_large_diff_stops_when_it_is_cancelled",
            git(),
            cancelled,
        ),
    ]
}

fn constants(count: usize) -> String {
    let mut text = String::new();
    for number in 0..count {
        let _ = writeln!(text, "LIMIT_{number} = {number}");
    }
    text
}

/// Returns a text with few different lines, some of which both texts have.
fn repetitive(word: &str, lines: usize) -> String {
    let mut text = String::new();
    for number in 0..lines {
        let _ = match number % 9 {
            0 => writeln!(text, "shared {}", number % 2),
            rest => writeln!(text, "{word} {}", rest * (number % 4)),
        };
    }
    text
}

/// Makes a project whose working tree differs in one file: a new `limits.py`, or a changed `data.txt`.
fn changed(home: &Home, name: &str, before: &str, after: &str) -> std::path::PathBuf {
    let mut files = vec![("main.py", "def main():\n    return 1\n")];
    let path = if before.is_empty() {
        "limits.py"
    } else {
        "data.txt"
    };
    if !before.is_empty() {
        files.push((path, before));
    }
    let root = committed(home, name, &files);
    put(&root, path, after.as_bytes());
    root
}

async fn timed(questions: &mut Questions) -> (Duration, Value) {
    let began = Instant::now();
    let answer = questions
        .ask("impact_analysis", json!({ "diff": "working" }))
        .await;
    let took = began.elapsed();
    (took, answer.unwrap_or_else(|error| panic!("{error}")))
}

type Text<'a> = &'a dyn Fn(usize) -> String;

/// Checks that four times the input takes less than eight times as long.
async fn grows_linearly(what: &str, [few, many]: [usize; 2], before: Text<'_>, after: Text<'_>) {
    let home = home();
    let small = changed(&home, "few", &before(few), &after(few));
    let large = changed(&home, "many", &before(many), &after(many));
    let (mut small, mut large) = (asking(&home, &small).await, asking(&home, &large).await);
    let (short, _) = timed(&mut small).await;
    let (mut long, mut answer) = timed(&mut large).await;
    // The machine may be busy: the fastest of three counts.
    let most = short.max(Duration::from_millis(500)) * 8;
    for _ in 0..2 {
        if long >= most {
            (long, answer) = timed(&mut large).await;
        }
    }
    measured(&format!("{few} {what}: {short:?}, {many}: {long:?}"));
    assert!(long < most, "{few} take {short:?}, {many} {long:?}");
    let differs = answer["total_changed"] == many || answer["other_files"] == json!(["data.txt"]);
    assert!(differs, "{answer}");
}

async fn cancelled() {
    let home = home();
    let (before, after) = (repetitive("value", 150_000), repetitive("number", 150_000));
    for root in [
        changed(&home, "lines", &before, &after),
        changed(&home, "symbols", "", &constants(30_000)),
    ] {
        let mut questions = asking(&home, &root).await;
        let asked = json!({ "diff": "working" });
        let client = home.client();
        let daemon = home.daemon().expect("a daemon");
        let call = questions
            .session()
            .send_call("impact_analysis", asked)
            .await;
        let began = Instant::now();
        while calls_in_flight(&client).await == 0 {
            assert!(began.elapsed() < BOUND, "it never begins");
        }
        // A release build takes little more than that for all of it.
        if binaries::are_debug_builds() {
            work_a_while(daemon).await;
            let in_flight = calls_in_flight(&client).await;
            assert_eq!(in_flight, 1, "it ends before it can be cancelled");
        }
        questions.session().cancel(call).await;
        let cancelled = Instant::now();
        while calls_in_flight(&client).await > 0 {
            assert!(
                cancelled.elapsed() < BOUND,
                "it goes on after its caller gave up"
            );
        }
        let took = cancelled.elapsed();
        measured(&format!("a call under way stopped after {took:?}"));
        let bound = Duration::from_millis(if binaries::are_debug_builds() {
            1500
        } else {
            200
        });
        assert!(took < bound, "it stops only after {took:?}");
    }
}

/// Waits until the daemon has worked for [`WORK_BEFORE_CANCELLATION`].
async fn work_a_while(daemon: u32) {
    let (began, worked) = (Instant::now(), processes::processor_time(daemon));
    while processes::processor_time(daemon) < worked + WORK_BEFORE_CANCELLATION {
        assert!(began.elapsed() < BOUND, "it does nothing");
        tokio::task::yield_now().await;
    }
}
