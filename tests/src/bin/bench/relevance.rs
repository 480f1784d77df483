//! Quality of the order of search results, over repositories and queries from published benchmarks.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use claudevil_tests::home::Home;
use claudevil_tests::relevance::asking::{self, QueryAnswer, Ranking, Repository};
use claudevil_tests::relevance::report::Report;
use claudevil_tests::relevance::truth::{self, Query};
use serde_json::json;

use crate::figures::Format;
use crate::machine::Machine;
use crate::percentile;

/// Enough for all repositories together: none is to be loaded twice.
const MEMORY_MB: &str = "16384";

pub struct Options {
    queries: PathBuf,
    repos: PathBuf,
    map: Option<PathBuf>,
    home: Option<PathBuf>,
    run: Option<PathBuf>,
    ranking: Ranking,
    limit: u32,
    format: Format,
}

pub fn options(arguments: &[String]) -> Option<Options> {
    let mut options = Options {
        queries: PathBuf::new(),
        repos: PathBuf::new(),
        map: None,
        home: None,
        run: None,
        ranking: Ranking::Whole,
        limit: 10,
        format: Format::Markdown,
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => options.format = Format::Json,
            "--lexical" => options.ranking = Ranking::Lexical,
            "--queries" => options.queries = arguments.next()?.into(),
            "--repos" => options.repos = fs::canonicalize(arguments.next()?).ok()?,
            "--map" => options.map = Some(arguments.next()?.into()),
            "--home" => options.home = Some(arguments.next()?.into()),
            "--run" => options.run = Some(arguments.next()?.into()),
            "--limit" => {
                options.limit = arguments
                    .next()?
                    .parse()
                    .ok()
                    .filter(|limit| (1..=100).contains(limit))?;
            }
            _ => return None,
        }
    }
    (options.queries.is_file() && options.repos.is_dir()).then_some(options)
}

pub async fn run(options: &Options) -> ExitCode {
    let machine = Machine::this();
    let (queries, roots) = match read(options) {
        Ok(read) => read,
        Err(error) => return failed(&error),
    };
    let folder = |repo: &str| options.repos.join(repo);
    let (queries, away): (Vec<Query>, Vec<Query>) = queries
        .into_iter()
        .partition(|query| folder(&query.repo).is_dir());
    for repo in away
        .iter()
        .map(|query| &query.repo)
        .collect::<std::collections::BTreeSet<_>>()
    {
        say(&format!(
            "{repo} is not there, and its queries are left out"
        ));
    }
    let repository = |repo: &str| {
        let inside = roots.get(repo).cloned().unwrap_or_default();
        Repository {
            root: folder(repo).join(&inside),
            inside,
        }
    };
    // Some targets are relative to what is indexed.
    for gone in truth::missing(&queries, |repo| vec![folder(repo), repository(repo).root]) {
        say(&format!("there is no such target: {gone}"));
    }

    let mut home = options
        .home
        .as_deref()
        .map_or_else(Home::new, Home::kept)
        .with("CLAUDEVIL_MEMORY_MB", MEMORY_MB);
    if options.ranking == Ranking::Lexical {
        home = home.with("CLAUDEVIL_EMBEDDER", "none");
    }
    let started = home.claudevil(&["daemon", "start"]).await;
    assert!(started.status.success(), "{started:?}");
    let client = home.client();
    let answers = asking::ask_all(
        &client,
        &queries,
        repository,
        (options.ranking, options.limit),
        |repo, status| {
            let (files, skipped) = status
                .index
                .as_ref()
                .map_or((0, 0), |index| (index.files, index.skipped.total));
            say(&format!("{repo}: {files} files, {skipped} skipped"));
        },
    )
    .await;
    // A home that is kept has its vectors the next time only if the daemon may store them.
    home.claudevil(&["daemon", "stop"]).await;

    if let Some(file) = &options.run {
        let lines: String = queries
            .iter()
            .zip(&answers)
            .map(|(query, answer)| line(query, answer))
            .collect();
        if let Err(error) = fs::write(file, lines) {
            return failed(&format!("{}: {error}", file.display()));
        }
    }
    show(
        options,
        &machine,
        &asking::judge(&queries, &answers),
        &answers,
    );
    ExitCode::SUCCESS
}

fn read(options: &Options) -> Result<(Vec<Query>, BTreeMap<String, String>), String> {
    let text = |path: &PathBuf| {
        fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let queries = truth::parse(&text(&options.queries)?)?;
    let roots = options.map.as_ref().map_or_else(
        || Ok(BTreeMap::new()),
        |map| truth::index_roots(&text(map)?),
    )?;
    Ok((queries, roots))
}

fn line(query: &Query, answer: &QueryAnswer) -> String {
    format!("{}\n", asking::run_line(query, answer))
}

#[expect(clippy::print_stdout, reason = "a benchmark's figures are its output")]
fn show(options: &Options, machine: &Machine, report: &Report, answers: &[QueryAnswer]) {
    let times = |of: fn(&QueryAnswer) -> Duration, percent| {
        let mut took: Vec<Duration> = answers.iter().map(of).collect();
        if took.is_empty() {
            0.0
        } else {
            percentile(&mut took, percent).as_secs_f64() * 1e3
        }
    };
    let [daemon, whole] = [
        |one: &QueryAnswer| one.elapsed,
        |one: &QueryAnswer| one.round_trip,
    ]
    .map(|of: fn(&QueryAnswer) -> Duration| [50, 95, 99].map(|percent| times(of, percent)));
    if options.format == Format::Json {
        let mut all = report.json();
        all["machine"] = machine.json();
        all["lexical"] = json!(options.ranking == Ranking::Lexical);
        for (key, [p50, p95, p99]) in [("elapsed_ms", daemon), ("round_trip_ms", whole)] {
            all[key] = json!({ "p50": p50, "p95": p95, "p99": p99 });
        }
        println!("{all:#}");
        return;
    }
    println!("{}.\n\n{}", machine.text(), report.markdown());
    println!(
        "headline NDCG@10, over repositories, then languages: {:.4}",
        report.headline()
    );
    for (what, [p50, p95, p99]) in [("in the daemon", daemon), ("round trip", whole)] {
        println!("{what}: p50 {p50:.2} ms, p95 {p95:.2} ms, p99 {p99:.2} ms");
    }
    println!("\nthe worst:\n{}", report.worst(20));
}

#[expect(
    clippy::print_stderr,
    reason = "a run takes minutes: whoever waits is told how far it is"
)]
fn say(what: &str) {
    eprintln!("{what}");
}

fn failed(why: &str) -> ExitCode {
    say(why);
    ExitCode::FAILURE
}
