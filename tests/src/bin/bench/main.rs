//! Measures the real binaries, each figure beside a baseline from the same run.
//!
//! After a release build of all binaries: `bench` or `bench calls` for the foundation, `bench index DIR` for the index of
//! a project, `bench search DIR` and `bench graph DIR` for the time that its tools take, `bench idle DIR` for memory, `bench history
//! DIR` for its commits, `bench relevance` for how good the order of results is, `bench localise` for the way from a bug report to the
//! code, `bench secrets` for which credentials are found. `bench tree` makes a large project. `bench draw` makes a chart of such figures.
//! Machines differ and are noisy: compare with the baseline, not with another machine.

mod arguments;
mod calls;
mod draw;
mod edits;
mod figures;
mod graph;
mod history;
mod idle;
mod index;
mod localise;
mod machine;
mod memory;
mod relevance;
mod rest;
mod search;
mod secrets;
mod tree;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use crate::index::Options;

const USAGE: &str = "usage: bench [calls]
       bench index DIR [--json] [--rounds N] [--edits N] [--workers N]
       bench search DIR [--json] [--queries N] [--rounds N] [--rg PATH] [--mode MODE] [--home DIR]
       bench graph DIR [--json] [--symbols N] [--home DIR]
       bench idle DIR [--json] [--calls N]
       bench history DIR [--json] [--commits N]
       bench edits DIR [--edits N] [--seed N] [--keep DIR]
       bench tree DIR --files N
       bench secrets [DIR…]
       bench draw FILE.json OUT.svg KEY… [--beside KEY…]
       bench relevance --queries FILE --repos DIR [--map FILE] [--lexical] [--limit N] [--home DIR] [--run FILE] [--json]
       bench localise --reports FILE --trees DIR --texts DIR [--split NAME] [--title | --characters N] [--limit N]
                      [--home DIR] [--run FILE]

calls      round trips, starts and memory
index      indexing of a copy of DIR
search     searches in DIR, beside ripgrep
graph      references, callers and other graph tools in DIR
idle       memory while sessions ask, and afterwards
history    reading and searching the commits of DIR
edits      random edits of symbols in a copy of DIR; every byte is compared
tree       makes a project of N small files in DIR
secrets    planted credentials that are found, and lines of folders that are taken for one
draw       draws a bar chart of figures that `--json` has written, by their keys; those after `--beside` are baselines
relevance  asks the queries of a file about repositories, which are folders of DIR
localise   asks bug reports: how often are the changed files and functions among the first?";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments
        .split_first()
        .map(|(verb, rest)| (verb.as_str(), rest))
    {
        None | Some(("calls", [])) => calls::run().await,
        Some(("index", rest)) => match options(rest) {
            Some(options) => Box::pin(index::run(&options)).await,
            None => wrong_usage(),
        },
        Some(("search", rest)) => match search::options(rest) {
            Some(options) => Box::pin(search::run(&options)).await,
            None => wrong_usage(),
        },
        Some(("graph", rest)) => match graph::options(rest) {
            Some(options) => Box::pin(graph::run(&options)).await,
            None => wrong_usage(),
        },
        Some(("idle", rest)) => match idle::options(rest) {
            Some(options) => Box::pin(idle::run(&options)).await,
            None => wrong_usage(),
        },
        Some(("history", rest)) => match history::options(rest) {
            Some(options) => Box::pin(history::run(&options)).await,
            None => wrong_usage(),
        },
        Some(("edits", rest)) => match edits::options(rest) {
            Some(options) => Box::pin(edits::run(&options)).await,
            None => wrong_usage(),
        },
        Some(("tree", rest)) => match tree::options(rest) {
            Some(options) => tree::run(&options),
            None => wrong_usage(),
        },
        Some(("draw", rest)) => match draw::options(rest) {
            Some(options) => draw::run(&options),
            None => wrong_usage(),
        },
        Some(("secrets", folders)) => {
            let folders: Vec<PathBuf> = folders
                .iter()
                .filter_map(|folder| std::fs::canonicalize(folder).ok())
                .collect();
            secrets::run(&folders).await
        }
        Some(("relevance", rest)) => match relevance::options(rest) {
            Some(options) => Box::pin(relevance::run(&options)).await,
            None => wrong_usage(),
        },
        Some(("localise", rest)) => match localise::options(rest) {
            Some(options) => Box::pin(localise::run(&options)).await,
            None => wrong_usage(),
        },
        Some(_) => wrong_usage(),
    }
}

fn options(arguments: &[String]) -> Option<Options> {
    let mut options = Options {
        folder: PathBuf::new(),
        format: figures::Format::Markdown,
        edits: 100,
        workers: None,
        rounds: 5,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--json" => options.format = figures::Format::Json,
            "--edits" => options.edits = arguments::positive(words.next())?,
            "--rounds" => options.rounds = arguments::positive(words.next())?,
            "--workers" => options.workers = Some(words.next()?.parse().ok()?),
            other if other.starts_with('-') || options.folder.is_absolute() => return None,
            folder => options.folder = arguments::folder(folder)?,
        }
    }
    options.folder.is_absolute().then_some(options)
}

#[expect(
    clippy::print_stderr,
    reason = "what is wrong is said where errors are read"
)]
fn wrong_usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

/// Returns a percentile of at least one duration.
fn percentile(took: &mut [Duration], percent: usize) -> Duration {
    took.sort();
    took[(took.len() - 1) * percent / 100]
}
