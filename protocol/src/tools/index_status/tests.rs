//! A root in each of its states, and the cut.

use crate::answer::freshness::{IndexPhase, IndexProgress};
use crate::answer::index_summary::{
    IndexSummary, IndexedCommit, LanguageCount, SkipCount, SkipReason, SkippedFile, SkippedFiles,
};
use crate::answer::render::render;
use crate::answer::{Answer, Format};
use crate::daemon_info::{DaemonInfo, Supervision};
use crate::text::tokens;
use crate::tools::index_status::{
    Details, Health, Part, RootState, RootStatus, Savings, Status, WatchMode,
};

const NOW: i64 = 1_000_000_000;

fn index() -> IndexSummary {
    let language = |number: u64| LanguageCount {
        language: format!("language{number}"),
        files: 900 - number,
    };
    IndexSummary {
        files: 6611,
        chunks: 42_000,
        symbols: 31_000,
        vectors: 41_999,
        bytes_on_disk: 120_000_000,
        source_bytes: 81_000_000,
        chunks_per_file: 6.35,
        bytes_per_chunk: 1928,
        languages: (0..30).map(language).collect(),
        commit: Some(IndexedCommit {
            hash: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d".to_owned(),
            branch: Some("main".to_owned()),
        }),
        created: NOW - 500_000_000,
        last_indexed: NOW - 3000,
        last_change: Some(NOW - 4000),
        skipped: SkippedFiles {
            total: 40,
            reasons: vec![
                SkipCount {
                    reason: SkipReason::Binary,
                    files: 39,
                },
                SkipCount {
                    reason: SkipReason::ParserMemory,
                    files: 1,
                },
            ],
            examples: vec![SkippedFile {
                path: "logo.png".to_owned(),
                reason: SkipReason::Binary,
            }],
        },
        redacted_secrets: 2,
        parse_errors: 1,
    }
}

fn root(name: &str, state: RootState) -> RootStatus {
    RootStatus {
        name: name.to_owned(),
        path: format!("/home/ada/{name}"),
        is_session: false,
        added: 0,
        last_used: 0,
        state,
        unavailable: None,
        progress: None,
        precise: vec![],
        index: Some(index()),
        watch: WatchMode::Events,
        watch_reason: None,
        unused_rules: vec![],
        trouble: None,
        savings: None,
        answer_costs: vec![],
    }
}

fn status(roots: Vec<RootStatus>) -> Status {
    let part = Part {
        name: "registry".to_owned(),
        health: Health::Healthy,
        latency_micros: 130,
        detail: "3 roots".to_owned(),
    };
    Status {
        health: Health::Healthy,
        parts: vec![part],
        daemon: DaemonInfo {
            pid: 4711,
            build: "0.1.0".to_owned(),
            oldest_protocol: 1,
            newest_protocol: 1,
            started: 0,
            address: "/run/daemon.sock".to_owned(),
            log_directory: "/logs".to_owned(),
            connections: 1,
            calls_in_flight: 0,
            supervision: Supervision::Detached,
        },
        now: NOW,
        total_roots: roots.len() as u64,
        roots,
        truncated: false,
        details: None,
    }
}

#[test]
fn the_session_s_root_is_described_in_full_and_others_in_a_line() {
    let mut own = root("engine", RootState::Indexing);
    own.is_session = true;
    let (phase, rate, eta_seconds) = (IndexPhase::Embedding, 52.0, Some(90));
    own.progress = Some(IndexProgress {
        phase,
        done: 1234,
        total: 6611,
        rate,
        eta_seconds,
    });
    (own.watch, own.watch_reason) = (WatchMode::Polling, Some("no watches are left".to_owned()));
    own.savings = Some(Savings {
        calls: 12,
        tokens: 4300,
        whole_tokens: 61_000,
        since: NOW - 300_000_000,
    });
    let mut gone = root("gone", RootState::Unavailable);
    gone.unavailable = Some("not a folder".to_owned());
    let mut never = root("never", RootState::NeverIndexed);
    (never.index, never.watch) = (None, WatchMode::Unwatched);
    insta::assert_snapshot!(status(vec![own, gone, never]).text().to_string(), @r"
    healthy; 3 roots
    engine (this session)  /home/ada/engine  indexing  6,611 files, 31,000 symbols  watch: polling (no watches are left)
      embedding 1,234 of 6,611 files, 52 a second, about 90 s left
      42,000 chunks, 41,999 vectors; 6.3 chunks a file, 1.9 KB a chunk; 81 MB of source, 120 MB on disk
      language0 900, language1 899, language2 898, language3 897, language4 896, language5 895, language6 894, language7 893 and 22 more languages
      commit 1a2b3c4d5e (main), indexed 3 s ago, changed 4 s ago, created 5 days ago
      skipped 40: binary 39, parser out of memory 1; e.g. logo.png (binary)
      2 secrets left out, 1 file parsed with errors
      answered 12 questions in 3 days with about 4,300 tokens; the files shown have 61,000 (92% less)
    gone  /home/ada/gone  unavailable: not a folder  6,611 files, 31,000 symbols  watch: events
    never  /home/ada/never  never indexed  watch: unwatched
    registry: healthy (130 µs) 3 roots
    daemon 0.1.0 pid 4711: 1 connection, 0 calls in flight
    ");
}

#[test]
fn a_small_budget_drops_details_before_roots() {
    let mut whole = status(
        (0..40)
            .map(|number| root(&format!("root{number}"), RootState::Ready))
            .collect(),
    );
    whole.details = Some(Details {
        index_format: 1,
        compiler: "rustc".to_owned(),
        tools: vec![],
        settings: vec![],
        warnings: vec!["unknown key `x`".to_owned(); 3],
        bytes_on_disk: 1,
        free_bytes: None,
        memory_bytes: None,
    });
    for format in [Format::Text, Format::Json] {
        for budget in [600, 1500, 4000] {
            let text = render(&whole, format, budget);
            assert!(
                tokens::estimate(&text) <= budget as usize,
                "{format:?} {budget}: {text}"
            );
        }
    }
    assert!(render(&whole, Format::Text, 600).contains("unknown key"));
    let mut least = whole;
    least.keep(1);
    let kept = least.roots[0].index.as_ref().expect("an index");
    assert!(
        least.details.is_none() && kept.skipped.examples.is_empty() && kept.languages.len() == 1
    );
}

#[test]
fn files_that_were_not_shown_are_not_counted() {
    let savings = |whole_tokens| Savings {
        calls: 2,
        tokens: 40,
        whole_tokens,
        since: NOW - 16_000,
    };
    assert_eq!(
        savings(0).line(NOW),
        "answered 2 questions in 16 s with about 40 tokens"
    );
    let line = savings(400).line(NOW);
    assert_eq!(
        line,
        "answered 2 questions in 16 s with about 40 tokens; the files shown have 400 (90% less)"
    );
}

#[test]
fn answers_larger_than_their_files_are_not_called_savings() {
    let savings = |tokens, whole_tokens| Savings {
        calls: 1,
        tokens,
        whole_tokens,
        since: 0,
    };
    // Some answers show nothing of any file.
    assert_eq!(
        savings(120, 0).line(16_000),
        "answered 1 question in 16 s with about 120 tokens"
    );
    assert_eq!(savings(10, 1000).percent_less(), Some(99));
    assert_eq!(savings(1000, 10).percent_less(), None);
    assert_eq!(savings(0, 0).percent_less(), None);
    assert_eq!(savings(u64::MAX - 1, u64::MAX).percent_less(), Some(0));
}
