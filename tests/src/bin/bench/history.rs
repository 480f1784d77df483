//! Figures of the history of one project: how long it takes to read, what it occupies, and how long questions take.
//!
//! Questions are the subjects of commits drawn at random with a fixed seed, the files that these changed, and the symbols. The
//! project is only read, unless commits are asked for: these are added to its branch, and removed afterwards.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use claudevil_protocol::tools::history::{History, HistoryGap};
use claudevil_tests::chance::Chance;
use claudevil_tests::git::git;
use claudevil_tests::home::Home;
use claudevil_tests::processes::memory;
use claudevil_tests::relevance::asking::{Ranking, Root};

use crate::figures::{Amount, Figures, Format};
use crate::machine::Machine;
use crate::percentile;
use crate::rest::{at_rest, occupied};
use crate::search::{say, seconds, show};

const PATIENCE: Duration = Duration::from_secs(1800);
/// Number of questions of each kind.
const ASKED: usize = 50;

pub struct Options {
    folder: PathBuf,
    /// Commits that are made to see how soon an answer has them.
    commits: usize,
    format: Format,
}

pub fn options(arguments: &[String]) -> Option<Options> {
    let mut options = Options {
        folder: PathBuf::new(),
        commits: 0,
        format: Format::Markdown,
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => options.format = Format::Json,
            "--commits" => options.commits = arguments.next()?.parse().ok()?,
            folder => options.folder = std::fs::canonicalize(folder).ok()?,
        }
    }
    options.folder.is_dir().then_some(options)
}

pub async fn run(options: &Options) -> ExitCode {
    let folder = &options.folder;
    let machine = Machine::this();
    let home = Home::new();
    say("indexing");
    let started = home.claudevil(&["daemon", "start"]).await;
    assert!(started.status.success(), "{started:?}");
    let client = home.client();
    let root = Root::new(&client, folder);
    root.add().await;
    root.ready(Ranking::Whole).await;
    let daemon = home.daemon().expect("a daemon");
    let anonymous = || memory(daemon).anonymous * 1024;
    let before = anonymous();
    say("reading the history");
    let began = Instant::now();
    let ask = async |params: History| root.ask(params).await.expect("an answer");
    let mut peak = before;
    let all = loop {
        let all = ask(History {
            limit: Some(History::MAX_COMMITS),
            max_tokens: Some(10_000),
            ..History::default()
        })
        .await;
        peak = peak.max(anonymous());
        if !all.gaps.iter().any(is_being_read) {
            break all;
        }
        assert!(began.elapsed() < PATIENCE, "{:?}", all.gaps);
    };
    let took = began.elapsed();
    at_rest(&home).await;
    let data = home.paths().data().to_owned();
    let stored = std::fs::read_dir(data.join("roots"))
        .expect("roots")
        .flatten();
    let stored = stored.filter_map(|entry| entry.path().join("history").metadata().ok());
    let stored: u64 = stored.map(|found| found.len()).sum();
    let mut figures = Figures::default();
    figures
        .add("commits", "commits", Amount::Count(all.searched))
        .beside("gaps", Amount::Count(all.gaps.len() as u64));
    figures
        .add("read", "first reading, in the background", seconds(took))
        .at_most(Amount::Seconds(120.0));
    figures
        .add(
            "memory",
            "memory while it reads, beyond the index",
            Amount::Bytes(peak - before),
        )
        .at_most(Amount::Bytes(300 << 20))
        .beside("after", Amount::Bytes(anonymous().saturating_sub(before)));
    let whole = occupied(&data);
    figures
        .add("disk", "on disk", Amount::Bytes(stored))
        .at_most(Amount::Bytes((whole - stored) / 10))
        .beside("index", Amount::Bytes(whole - stored));

    let mut chance = Chance::new(7);
    let drawn: Vec<_> = (0..ASKED)
        .map(|_| &all.commits[chance.below(all.commits.len())])
        .collect();
    let words = drawn.iter().map(|commit| History {
        query: Some(commit.subject.chars().take(200).collect()),
        ..History::default()
    });
    let files = drawn.iter().filter_map(|commit| commit.files.first());
    let paths = files.clone().map(|file| History {
        path: Some(file.path.clone()),
        ..History::default()
    });
    let symbols = files.filter_map(|file| file.symbols.first().map(|symbol| (file, symbol)));
    let symbols = symbols.map(|(file, symbol)| History {
        symbol: Some(symbol.clone()),
        path: Some(file.path.clone()),
        ..History::default()
    });
    let mut times = async |what: &str, questions: Vec<History>| {
        let mut took = vec![];
        for question in questions {
            let began = Instant::now();
            if root.ask(question).await.is_ok() {
                took.push(began.elapsed());
            }
        }
        if !took.is_empty() {
            figures
                .add(what, what, seconds(percentile(&mut took, 50)))
                .beside("p95", seconds(percentile(&mut took, 95)))
                .beside("answers", Amount::Count(took.len() as u64));
        }
    };
    times("commits by words", words.collect()).await;
    times("timeline of a file", paths.collect()).await;
    times("timeline of a symbol", symbols.collect()).await;
    if options.commits > 0 {
        let mut took = times_after_commits(folder, &root, options.commits).await;
        figures
            .add(
                "commit",
                "question just after a commit, with that commit",
                seconds(percentile(&mut took, 50)),
            )
            .at_most(Amount::Seconds(0.1))
            .beside("p95", seconds(percentile(&mut took, 95)));
    }
    show(folder, options.format, &machine, &figures);
    if figures.all_hold() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Makes commits that undo and redo the changes of the last one, and returns how long the question after each takes.
async fn times_after_commits(folder: &Path, root: &Root<'_>, commits: usize) -> Vec<Duration> {
    let head = git(folder, &["rev-parse", "HEAD"]).await;
    let head = head.trim();
    let mut last = head.to_owned();
    let mut took = vec![];
    for number in 0..commits {
        let tree = format!("{head}~{}^{{tree}}", (number + 1) % 2);
        let message = format!("commit {number} of a measurement");
        let made = git(folder, &["commit-tree", &tree, "-p", &last, "-m", &message]).await;
        last = made.trim().to_owned();
        git(folder, &["update-ref", "HEAD", &last]).await;
        let began = Instant::now();
        let answer = root
            .ask(History {
                limit: Some(1),
                ..History::default()
            })
            .await
            .expect("an answer");
        took.push(began.elapsed());
        let newest = answer.commits.first().map(|commit| commit.subject.as_str());
        assert_eq!(newest, Some(&*message), "{:?}", answer.gaps);
    }
    git(folder, &["update-ref", "HEAD", head]).await;
    took
}

fn is_being_read(gap: &HistoryGap) -> bool {
    matches!(gap, HistoryGap::Unread(_) | HistoryGap::Behind)
}
