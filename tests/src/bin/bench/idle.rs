//! Figures of memory: of the daemon while sessions ask about one project, and after they have been silent for a while.
//!
//! Memory is the proportional share (PSS) of every process: the daemon, its workers and its vector store, and the sessions.
//! Beside it is the part that no file backs: the system reclaims pages of files when others need memory. The questions are
//! taken from the project's own files, always the same ones. The project is only read.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use claudevil_protocol::tools::search::SearchMode;
use claudevil_tests::home::Home;
use claudevil_tests::mcp::Session;
use claudevil_tests::relevance::asking::{Ranking, Root};
use serde_json::json;

use crate::arguments;
use crate::figures::{Amount, Figure, Figures, Format};
use crate::index::project::listed;
use crate::machine::Machine;
use crate::memory::{anonymous, proportional};
use crate::rest::at_rest;
use crate::search::sampled::Questions;
use crate::search::{say, show};

const SESSIONS: usize = 5;
/// Longer than the daemon waits before it gives memory back, with some time to do so.
const SILENCE: Duration = Duration::from_secs(75);

pub struct Options {
    folder: PathBuf,
    format: Format,
    calls: usize,
}

pub fn options(arguments: &[String]) -> Option<Options> {
    let mut options = Options {
        folder: PathBuf::new(),
        format: Format::Markdown,
        calls: 200,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--json" => options.format = Format::Json,
            "--calls" => options.calls = arguments::positive(words.next())?,
            other if other.starts_with('-') || options.folder.is_absolute() => return None,
            folder => options.folder = arguments::folder(folder)?,
        }
    }
    options.folder.is_absolute().then_some(options)
}

pub async fn run(options: &Options) -> ExitCode {
    let machine = Machine::this();
    let home = Home::new();
    let files = listed(&options.folder, home.scratch()).await;
    let questions = Questions::from_files(&options.folder, &files, options.calls);
    say("indexing");
    let started = home.claudevil(&["daemon", "start"]).await;
    assert!(started.status.success(), "{started:?}");
    let client = home.client();
    let root = Root::new(&client, &options.folder);
    root.add().await;
    let status = root.ready(Ranking::Whole).await;
    let index = status.index.as_ref().expect("an index");
    let mut figures = Figures::default();
    figures
        .add("project", "files", Amount::Count(index.files))
        .beside("symbols", Amount::Count(index.symbols))
        .beside("chunks", Amount::Count(index.chunks));
    say("waiting for the index to rest");
    at_rest(&home).await;
    add(&mut figures, &home, "indexed", "once indexed");
    let mut sessions = vec![];
    for _ in 0..SESSIONS {
        sessions.push(Session::start(&home, home.scratch(), &["--toolsets", "all"]).await);
    }
    say("asking");
    let (texts, names) = (questions.for_mode(SearchMode::Auto), questions.names());
    let folder = options.folder.to_str();
    for number in 0..options.calls {
        let (text, name) = (&texts[number % texts.len()], &names[number % names.len()]);
        let (tool, arguments) = match number % 4 {
            0 | 1 => ("search", json!({ "query": text, "root": folder })),
            2 => ("explore", json!({ "question": text, "root": folder })),
            // Most names that a text has are defined nowhere in the project, which is an answer too.
            _ => ("impact_analysis", json!({ "symbol": name, "root": folder })),
        };
        sessions[number % SESSIONS].call(tool, arguments).await;
    }
    add(&mut figures, &home, "busy", "after the calls")
        .beside("calls", Amount::Count(options.calls as u64))
        .beside("sessions", Amount::Count(SESSIONS as u64));
    say("waiting in silence");
    tokio::time::sleep(SILENCE).await;
    add(&mut figures, &home, "idle", "after a minute of silence");
    show(&options.folder, options.format, &machine, &figures);
    for session in sessions {
        session.close().await;
    }
    ExitCode::SUCCESS
}

/// Adds the memory of all processes of a home.
fn add<'a>(figures: &'a mut Figures, home: &Home, key: &str, what: &str) -> &'a mut Figure {
    // Linux keeps 15 characters of a process name.
    let names = ["claudevild", "claudevil-mcp", "claudevil-vecto"];
    let pids: Vec<u32> = names.iter().flat_map(|name| home.processes(name)).collect();
    let sum = |measure: fn(u32) -> u64| Amount::Bytes(pids.iter().copied().map(measure).sum());
    figures
        .add(key, what, sum(proportional))
        .beside("anonymous", sum(anonymous))
}
