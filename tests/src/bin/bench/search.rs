//! Figures of searches in one project: how long they take in each mode, what their answers cost, and how soon a project
//! that was never seen answers.
//!
//! The questions are taken from the project's own files, always the same ones. Some are asked before anything is measured,
//! so that the daemon is warm; then come rounds of others, so that each question is new to it. Whoever else uses the
//! machine makes a round slower and never faster, so the fastest is shown. The baseline is ripgrep, in the same run, for
//! texts and patterns of the same rounds. The project is only read.

pub mod sampled;

use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use claudevil_protocol::text::tokens;
use claudevil_protocol::tools::search::{Search, SearchMode};
use claudevil_tests::home::Home;
use claudevil_tests::mcp::Session;
use claudevil_tests::relevance::asking::{Ranking, Root};
use serde_json::json;
use tokio::process::Command;

use self::sampled::Questions;
use crate::arguments;
use crate::figures::{Amount, Figures, Format};
use crate::index::project::listed;
use crate::machine::Machine;
use crate::percentile;
use crate::rest::at_rest;

const CLIENTS: usize = 8;
/// Number of first answers, each in a home of its own where nothing is known yet.
const FIRST_ANSWERS: usize = 5;
const PERCENTS: [(usize, &str); 3] = [(50, "p50"), (95, "p95"), (99, "p99")];

pub struct Options {
    folder: PathBuf,
    format: Format,
    /// Number of queries of each mode, in each round.
    queries: usize,
    rounds: usize,
    ripgrep: PathBuf,
    /// A folder that keeps the index between runs. First answers are not measured then.
    home: Option<PathBuf>,
    /// The only mode that is measured, without its baseline.
    mode: Option<SearchMode>,
}

pub fn options(arguments: &[String]) -> Option<Options> {
    let mut options = Options {
        folder: PathBuf::new(),
        format: Format::Markdown,
        queries: 100,
        rounds: 3,
        ripgrep: "rg".into(),
        home: None,
        mode: None,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--json" => options.format = Format::Json,
            "--queries" => options.queries = arguments::positive(words.next())?,
            "--rounds" => options.rounds = arguments::positive(words.next())?,
            "--rg" => options.ripgrep = words.next()?.into(),
            "--home" => options.home = Some(words.next()?.into()),
            "--mode" => {
                let name = words.next()?;
                let mode = SearchMode::ALL.iter().find(|mode| mode.as_str() == name)?;
                options.mode = Some(*mode);
            }
            other if other.starts_with('-') || options.folder.is_absolute() => return None,
            folder => options.folder = arguments::folder(folder)?,
        }
    }
    options.folder.is_absolute().then_some(options)
}

pub async fn run(options: &Options) -> ExitCode {
    let machine = Machine::this();
    let mut figures = Figures::default();
    let home = options.home.as_deref().map_or_else(Home::new, Home::kept);
    let files = listed(&options.folder, home.scratch()).await;
    let questions = Questions::from_files(
        &options.folder,
        &files,
        (1 + options.rounds) * options.queries,
    );
    if questions.for_mode(SearchMode::Auto).is_empty() {
        say("there is nothing in this folder to ask about");
        return ExitCode::FAILURE;
    }
    if options.home.is_none() {
        say("first answers");
        first_answers(options, &questions, &mut figures).await;
    }
    say("indexing");
    let started = home.claudevil(&["daemon", "start"]).await;
    assert!(started.status.success(), "{started:?}");
    let client = home.client();
    let root = Root::new(&client, &options.folder);
    root.add().await;
    let status = root.ready(Ranking::Whole).await;
    let index = status.index.as_ref().expect("an index");
    figures
        .add("project", "files", Amount::Count(index.files))
        .beside("chunks", Amount::Count(index.chunks))
        .beside("source", Amount::Bytes(index.source_bytes));
    say("waiting for the index to rest");
    at_rest(&home).await;
    let mut failed = 0;
    for mode in options.modes() {
        let (name, (before, rounds)) = (mode.as_str(), options.rounds(&questions, mode));
        failed += one_after_the_other(&root, mode, before, Start::default())
            .await
            .failed;
        let (mut alone, mut together, mut same) = (vec![], vec![], vec![]);
        let (mut session, mut tokens) = (vec![], vec![]);
        for (number, asked) in (1..).zip(rounds) {
            say(&format!(
                "{name}: {} queries, round {number} of {}",
                asked.len(),
                options.rounds
            ));
            alone.push(one_after_the_other(&root, mode, asked, Start::default()).await);
            together.push(at_once(&home, &options.folder, mode, asked, |number| {
                Start {
                    question: number * asked.len() / CLIENTS,
                    spaces: number + 1,
                }
            }));
            same.push(at_once(&home, &options.folder, mode, asked, |_| Start {
                question: 0,
                spaces: CLIENTS + 1,
            }));
            let over_mcp = over_mcp(&home, &options.folder, mode, asked).await;
            session.push(over_mcp.took);
            tokens.extend(over_mcp.tokens);
        }
        failed += alone
            .iter()
            .chain(&together)
            .chain(&same)
            .chain(&session)
            .map(|took| took.failed)
            .sum::<u64>();
        times(&mut figures, name, "rpc_1", "RPC, 1 client", alone);
        times(
            &mut figures,
            name,
            "rpc_8",
            &format!("RPC, {CLIENTS} clients at once"),
            together,
        );
        times(
            &mut figures,
            name,
            "rpc_8_same",
            &format!("RPC, {CLIENTS} clients at once, the same questions"),
            same,
        );
        times(&mut figures, name, "mcp_1", "MCP, 1 client", session);
        answers(&mut figures, name, tokens);
    }
    if options.mode.is_none() {
        ripgrep(options, &questions, &mut figures).await;
    }
    // A home that is kept has its vectors the next time only if the daemon may store them.
    home.claudevil(&["daemon", "stop"]).await;
    let asked: usize = options
        .modes()
        .flat_map(|mode| options.rounds(&questions, mode).1)
        .map(<[_]>::len)
        .sum();
    figures
        .add("failed", "queries that failed", Amount::Count(failed))
        .at_most(Amount::Count(0))
        .beside(
            "queries, each asked in four ways and by each client",
            Amount::Count(asked as u64),
        );
    show(&options.folder, options.format, &machine, &figures);
    if figures.all_hold() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

impl Options {
    fn modes(&self) -> impl Iterator<Item = SearchMode> {
        let is_measured = |mode: &SearchMode| self.mode.is_none_or(|only| only == *mode);
        SearchMode::ALL.iter().copied().filter(is_measured)
    }

    /// Returns the questions that warm up, and the measured rounds.
    fn rounds<'a>(
        &self,
        questions: &'a Questions,
        mode: SearchMode,
    ) -> (&'a [String], impl Iterator<Item = &'a [String]> + use<'a>) {
        let all = questions.for_mode(mode);
        let (before, measured) = all.split_at(self.queries.min(all.len() / 2));
        (before, measured.chunks(self.queries))
    }
}

/// The duration of each answer, and the number of questions that were not answered.
#[derive(Default)]
struct Latencies {
    answers: Vec<Duration>,
    /// The daemon's own figure for each answer that has one.
    own: Vec<Duration>,
    failed: u64,
}

/// Measures the time from the first search of a project that the daemon has never heard of to its answer.
async fn first_answers(options: &Options, questions: &Questions, figures: &mut Figures) {
    let asked = questions.for_mode(SearchMode::Auto);
    let (mut took, mut partial, mut empty) = (vec![], 0, 0);
    for number in 0..FIRST_ANSWERS {
        let home = Home::new();
        let started = home.claudevil(&["daemon", "start"]).await;
        assert!(started.status.success(), "{started:?}");
        let client = home.client();
        client.daemon_info().await.expect("connected");
        let root = Root::new(&client, &options.folder);
        let began = Instant::now();
        let answer = root
            .ask(search(SearchMode::Auto, &asked[number % asked.len()]))
            .await
            .expect("an answer");
        took.push(began.elapsed());
        partial += u64::from(answer.freshness.partial.is_some());
        empty += u64::from(answer.results.is_empty());
    }
    let worst = percentile(&mut took, 100);
    figures
        .add(
            "first_answer",
            "first answer about a project never seen, p50",
            seconds(percentile(&mut took, 50)),
        )
        .beside("worst", seconds(worst))
        .beside("said that they are partial", Amount::Count(partial))
        .beside("found nothing", Amount::Count(empty))
        .beside("asked", Amount::Count(FIRST_ANSWERS as u64));
}

fn search(mode: SearchMode, query: &str) -> Search {
    Search {
        query: query.to_owned(),
        mode: Some(mode),
        ..Search::default()
    }
}

/// The first question of a client, and the number of spaces that it appends to each: the daemon answers an identical question
/// from memory, and ranks one with other spaces.
#[derive(Clone, Copy, Default)]
struct Start {
    question: usize,
    spaces: usize,
}

/// Returns the question of a mode with spaces appended, unless the mode takes every letter literally.
fn padded(mode: SearchMode, query: &str, spaces: usize) -> String {
    let spaces = if mode.is_exhaustive() { 0 } else { spaces };
    format!("{query}{:spaces$}", "")
}

/// Asks all questions, one after the other, from a start on.
async fn one_after_the_other(
    root: &Root<'_>,
    mode: SearchMode,
    asked: &[String],
    start: Start,
) -> Latencies {
    let mut took = Latencies::default();
    let from = start.question;
    for number in 0..asked.len() {
        let query = &asked[(from + number) % asked.len()];
        let query = search(mode, &padded(mode, query, start.spaces));
        let began = Instant::now();
        match root.ask(query).await {
            Ok(answer) => {
                took.answers.push(began.elapsed());
                took.own
                    .push(Duration::from_secs_f64(answer.elapsed_ms.max(0.0) / 1e3));
            }
            Err(error) => {
                say(&format!(
                    "{}: {error:?}",
                    asked[(from + number) % asked.len()]
                ));
                took.failed += 1;
            }
        }
    }
    took
}

/// Asks all questions from several clients at once, each with a thread and a connection.
fn at_once(
    home: &Home,
    folder: &Path,
    mode: SearchMode,
    asked: &[String],
    start: impl Fn(usize) -> Start,
) -> Latencies {
    std::thread::scope(|scope| {
        let ask = |number: usize| {
            let (client, start) = (home.client(), start(number));
            move || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .expect("a runtime");
                runtime.block_on(async {
                    let root = Root::new(&client, folder);
                    one_after_the_other(&root, mode, asked, start).await
                })
            }
        };
        let threads: Vec<_> = (0..CLIENTS)
            .map(|number| scope.spawn(ask(number)))
            .collect();
        let mut all = Latencies::default();
        for one in threads
            .into_iter()
            .map(|thread| thread.join().expect("it ends"))
        {
            all.answers.extend(one.answers);
            all.own.extend(one.own);
            all.failed += one.failed;
        }
        all
    })
}

struct OverMcp {
    took: Latencies,
    /// The tokens of each answer.
    tokens: Vec<usize>,
}

async fn over_mcp(home: &Home, folder: &Path, mode: SearchMode, asked: &[String]) -> OverMcp {
    let mut session = Session::start(home, home.scratch(), &["--toolsets", "all"]).await;
    let mut all = OverMcp {
        took: Latencies::default(),
        tokens: vec![],
    };
    for query in asked {
        // Named, because a session in a folder is about the repository around it.
        let query = padded(mode, query, CLIENTS + 2);
        let asked = json!({ "query": query, "mode": mode.as_str(), "root": folder.to_str() });
        let began = Instant::now();
        let (text, is_error) = session.call("search", asked).await;
        if is_error {
            all.took.failed += 1;
        } else {
            all.took.answers.push(began.elapsed());
            all.tokens.push(tokens::estimate(&text));
        }
    }
    session.close().await;
    all
}

/// Adds the figures of the fastest of some rounds.
fn times(figures: &mut Figures, mode: &str, key: &str, way: &str, mut rounds: Vec<Latencies>) {
    rounds.retain(|took| !took.answers.is_empty());
    rounds.sort_by_cached_key(|took| percentile(&mut took.answers.clone(), 50));
    let Some(slowest) = rounds
        .last()
        .map(|took| percentile(&mut took.answers.clone(), 50))
    else {
        return;
    };
    let (count, mut took) = (rounds.len(), rounds.swap_remove(0));
    let [p50, p95, p99] =
        PERCENTS.map(|(percent, _)| seconds(percentile(&mut took.answers, percent)));
    let answers = Amount::Count(took.answers.len() as u64);
    let mut figure = figures.add(format!("{mode}_{key}"), format!("{mode}, {way}, p50"), p50);
    figure = figure
        .beside("p95", p95)
        .beside("p99", p99)
        .beside("answers", answers);
    if !took.own.is_empty() {
        figure = figure.beside(
            "the daemon itself, p50",
            seconds(percentile(&mut took.own, 50)),
        );
    }
    if count > 1 {
        figure.beside(format!("slowest of {count} rounds, p50"), seconds(slowest));
    }
}

fn answers(figures: &mut Figures, mode: &str, mut tokens: Vec<usize>) {
    if tokens.is_empty() {
        return;
    }
    tokens.sort_unstable();
    let at = |percent: usize| Amount::Count(tokens[(tokens.len() - 1) * percent / 100] as u64);
    figures
        .add(
            format!("{mode}_tokens"),
            format!("{mode}, tokens of an answer, p50"),
            at(50),
        )
        .beside("p95", at(95))
        .beside("most", at(100));
}

/// Measures the same texts and patterns, each by a process of ripgrep, which has no index.
async fn ripgrep(options: &Options, questions: &Questions, figures: &mut Figures) {
    let Ok(version) = Command::new(&options.ripgrep)
        .arg("--version")
        .output()
        .await
    else {
        say("ripgrep is not there (--rg PATH): its baseline is left out");
        return;
    };
    let version = String::from_utf8_lossy(&version.stdout)
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned();
    for (mode, flags) in [
        (SearchMode::Literal, &["--fixed-strings"][..]),
        (SearchMode::Regex, &[]),
    ] {
        say(&format!("{version}: {}", mode.as_str()));
        let mut rounds = vec![];
        for asked in options.rounds(questions, mode).1 {
            let mut took = Latencies::default();
            for text in asked {
                let began = Instant::now();
                let mut ripgrep = Command::new(&options.ripgrep);
                ripgrep
                    .args(["--no-config", "--line-number", "--color=never"])
                    .args(flags)
                    .arg("--regexp")
                    .arg(text);
                ripgrep
                    .arg(".")
                    .current_dir(&options.folder)
                    .stdin(Stdio::null());
                match ripgrep.output().await {
                    // Nothing found is an answer too.
                    Ok(output) if output.status.code().is_some_and(|code| code < 2) => {
                        took.answers.push(began.elapsed());
                    }
                    _ => took.failed += 1,
                }
            }
            rounds.push(took);
        }
        times(
            figures,
            mode.as_str(),
            "ripgrep",
            &format!("{version}, a process each"),
            rounds,
        );
    }
}

#[expect(clippy::print_stdout, reason = "a benchmark's figures are its output")]
pub fn show(folder: &Path, format: Format, machine: &Machine, figures: &Figures) {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    if format == Format::Json {
        println!(
            "{:#}",
            json!({ "project": name, "machine": machine.json(), "figures": figures.json() })
        );
    } else {
        println!("{name}. {}.\n\n{}", machine.text(), figures.markdown());
    }
}

#[expect(clippy::print_stderr, reason = "whoever waits is told what for")]
pub fn say(what: &str) {
    eprintln!("{what} …");
}

pub fn seconds(duration: Duration) -> Amount {
    Amount::Seconds(duration.as_secs_f64())
}
