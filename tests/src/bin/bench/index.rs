//! Figures of the index: one project, from nothing to warm, through edits, a branch switch and a restart.
//!
//! The daemon indexes a private copy, so the project itself is only read. The baseline of indexing is bare parsing of the
//! same files with the same grammars on as many threads, by the daemon's own binary. The two are done in turn, several
//! times: whoever else uses the machine makes either of them slower and never faster, so the fastest of each are compared.

mod changes;
mod daemon;
pub mod project;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use claudevil_protocol::tools::find_symbol::{FoundSymbol, SymbolMatch};
use claudevil_protocol::tools::index_status::{RootState, RootStatus};
use claudevil_tests::home::Home;
use claudevil_tests::processes::children;
use serde_json::{Value, json};

use self::daemon::Daemon;
use self::project::{Branch, Project};
use crate::figures::{Amount, Figures, Format};
use crate::machine::Machine;
use crate::memory::{Sampler, resident};
use crate::percentile;
use crate::rest::{at_rest, occupied};

/// Long enough that no measurement is interrupted by it, short enough to be waited for.
const UNLOAD_SECONDS: &str = "20";
/// Memory counts as settled once it has not fallen for this long.
const SETTLED: Duration = Duration::from_secs(8);
const RECONCILES: usize = 5;
const RESTARTS: usize = 5;
/// Below this, fixed costs (starts of processes, syncs) say more about a ratio than indexing does.
const MEANINGFUL: f64 = 0.5;

pub struct Options {
    pub folder: PathBuf,
    pub format: Format,
    pub edits: usize,
    pub workers: Option<usize>,
    pub rounds: usize,
}

impl Options {
    fn home(&self) -> Home {
        let home = Home::new().with("CLAUDEVIL_UNLOAD_SECONDS", UNLOAD_SECONDS);
        match self.workers {
            Some(workers) => home.with("CLAUDEVIL_WORKERS", workers.to_string()),
            None => home,
        }
    }
}

pub async fn run(options: &Options) -> ExitCode {
    let machine = Machine::this();
    let home = options.home();
    say("copying");
    let mut project = Project::copy(&options.folder, home.scratch()).await;
    let mut figures = Figures::default();
    let mut turns = Turns::default();
    for round in 1..=options.rounds {
        say(&format!(
            "bare parsing, then indexing: {round} of {}",
            options.rounds
        ));
        turns.parse(&baseline(&home, &project.root, &[]).await);
        if round < options.rounds {
            turns
                .indexes
                .push(first_index(&options.home(), &project.root).await);
        }
    }
    let daemon = started(&home, &project.root).await;
    let indexed = full_index(&home, &daemon, &mut turns, &mut figures).await;
    say("comparing");
    reconcile(&daemon, &mut figures).await;
    say("waiting for the index to rest");
    size(&home, &indexed, &mut figures).await;
    if project.can_be_edited() {
        say("switching branches");
        switches(&daemon, &project, &mut figures).await;
        say("editing");
        edits(&daemon, &mut project, options.edits, &mut figures).await;
    }
    say("waiting for the root to be unloaded");
    memory(&home, &daemon, indexed.fresh, &mut figures).await;
    say("restarting");
    restart(&home, &project.root, &indexed.symbol, &mut figures).await;
    home.kill_daemon().await;

    project.restore().await;
    say("bare parsing, and every step");
    let steps = baseline(&home, &project.root, &["--steps"]).await;
    turns.parse(&steps);
    compare(&turns, &steps, &mut figures);
    show(options, &machine, &project, &figures, &steps);
    if figures.all_hold() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The durations of all steps done in turn, in seconds.
#[derive(Default)]
struct Turns {
    parses: Vec<f64>,
    indexes: Vec<f64>,
}

impl Turns {
    fn parse(&mut self, measured: &Value) {
        self.parses.push(number(measured, "parse_wall_seconds"));
    }
}

fn fastest(turns: &[f64]) -> f64 {
    turns.iter().copied().fold(f64::INFINITY, f64::min)
}

fn slowest(turns: &[f64]) -> Amount {
    Amount::Seconds(turns.iter().copied().fold(0.0, f64::max))
}

async fn started(home: &Home, root: &Path) -> Daemon {
    let started = home.claudevil(&["daemon", "start"]).await;
    assert!(started.status.success(), "{started:?}");
    Daemon::new(home.client(), root)
}

/// Measures a first index by a daemon that has never seen anything.
async fn first_index(home: &Home, root: &Path) -> f64 {
    let daemon = started(home, root).await;
    let began = Instant::now();
    daemon.add_root().await;
    let found = found(&daemon, began).await;
    daemon.until_whole(&found.path).await;
    let took = began.elapsed().as_secs_f64();
    home.kill_daemon().await;
    took
}

/// Returns the figures of bare parsing, as the daemon's binary measures it.
async fn baseline(home: &Home, root: &Path, arguments: &[&str]) -> Value {
    let output = home
        .command("claudevild")
        .args(["measure", "parse"])
        .arg(root)
        .args(arguments)
        .output()
        .await;
    let output = output.expect("it runs");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

struct IndexedProject {
    /// The memory of the daemon before it knew of any root.
    fresh: u64,
    status: RootStatus,
    /// A symbol that can be found.
    symbol: String,
}

async fn full_index(
    home: &Home,
    daemon: &Daemon,
    turns: &mut Turns,
    figures: &mut Figures,
) -> IndexedProject {
    let pid = home.daemon().expect("a daemon");
    let fresh = resident(pid);
    let sampler = Sampler::start(pid);
    let began = Instant::now();
    daemon.add_root().await;
    let found = found(daemon, began).await;
    let first = began.elapsed();
    daemon.until_whole(&found.path).await;
    turns.indexes.push(began.elapsed().as_secs_f64());
    let peaks = sampler.stop();
    let status = daemon.until(RootState::Ready).await;
    let index = status.index.as_ref().expect("an index");
    let seconds = fastest(&turns.indexes);
    let (files, bytes) = (
        Amount::Count(index.files),
        Amount::Bytes(index.source_bytes),
    );
    figures
        .add(
            "full_index",
            format!("full index, fastest of {}", turns.indexes.len()),
            Amount::Seconds(seconds),
        )
        .beside("slowest", slowest(&turns.indexes))
        .beside("files", files)
        .beside("source", bytes)
        .beside("symbols", Amount::Count(index.symbols))
        .beside("skipped", Amount::Count(index.skipped.total));
    figures.add(
        "files_per_second",
        "full index, files",
        Amount::PerSecond(files.number() / seconds),
    );
    figures.add(
        "bytes_per_second",
        "full index, source",
        Amount::BytesPerSecond(bytes.number() / seconds),
    );
    figures.add(
        "first_answer",
        "from adding the root to the first symbol found",
        Amount::Seconds(first.as_secs_f64()),
    );
    figures.add(
        "peak_daemon",
        "daemon while indexing, most",
        Amount::Bytes(peaks.daemon),
    );
    figures
        .add(
            "peak_worker",
            "largest worker, most",
            Amount::Bytes(peaks.worker),
        )
        .at_most(Amount::Bytes(256 << 20));
    figures.add(
        "peak_together",
        "daemon and its processes, most at one moment",
        Amount::Bytes(peaks.together),
    );
    IndexedProject {
        fresh,
        status,
        symbol: found.name,
    }
}

/// Returns a symbol as soon as one can be found. A question waits in the daemon for a first index, which disturbs it less than
/// polling its progress.
async fn found(daemon: &Daemon, began: Instant) -> FoundSymbol {
    loop {
        if let Some(found) = daemon.find("e", SymbolMatch::Substring).await {
            return found.symbols[0].clone();
        }
        assert!(
            began.elapsed() < Duration::from_secs(600),
            "nothing is found: {:?}",
            daemon.status().await
        );
    }
}

async fn reconcile(daemon: &Daemon, figures: &mut Figures) {
    let (mut walls, mut took) = (vec![], vec![]);
    for _ in 0..RECONCILES {
        let began = Instant::now();
        let job = daemon.reconcile().await;
        walls.push(began.elapsed());
        took.push(Duration::from_millis(job.took_millis.unwrap_or_default()));
    }
    figures
        .add(
            "reconcile",
            "comparing the tree when nothing changed, p50",
            seconds(percentile(&mut walls, 50)),
        )
        .beside("the daemon itself", seconds(percentile(&mut took, 50)));
}

/// Measures the index on disk once it is at rest.
async fn size(home: &Home, indexed: &IndexedProject, figures: &mut Figures) {
    let data = home.paths().data().to_owned();
    let at_once = occupied(&data);
    let bytes = at_rest(home).await;
    let source = indexed
        .status
        .index
        .as_ref()
        .map_or(0, |index| index.source_bytes);
    let ratio = |bytes: u64| {
        Amount::Ratio(Amount::Bytes(bytes).number() / Amount::Bytes(source.max(1)).number())
    };
    figures
        .add(
            "size",
            "index on disk without vectors ÷ source, at rest",
            ratio(bytes),
        )
        .at_most(Amount::Ratio(1.0))
        .beside("index", Amount::Bytes(bytes))
        .beside("source", Amount::Bytes(source))
        .beside("right after indexing", ratio(at_once));
    figures.add(
        "size_vectors",
        "vectors on disk ÷ source",
        ratio(occupied(&data.join("vectors"))),
    );
}

async fn switches(daemon: &Daemon, project: &Project, figures: &mut Figures) {
    for (key, content, to) in [
        ("switch_new", "new content", Branch::Other),
        ("switch_back", "back to known content", Branch::Main),
        ("switch_again", "known content", Branch::Other),
    ] {
        let switch = changes::switch(daemon, project, to).await;
        let what = format!("branch switch of {} files, {content}", project.switched);
        figures
            .add(key, what, seconds(switch.visible))
            .beside("git", seconds(switch.git))
            .beside("slowest answer meanwhile", seconds(switch.slowest))
            .beside("shown", Amount::Count(switch.shown));
    }
}

async fn edits(daemon: &Daemon, project: &mut Project, count: usize, figures: &mut Figures) {
    let mut edits = changes::edit(daemon, project, count).await;
    let still = seconds(percentile(&mut edits.still, 50));
    if !edits.visible.is_empty() {
        let p50 = seconds(percentile(&mut edits.visible, 50));
        figures
            .add("edit_p50", "edit to visible, p50", p50)
            .beside("the same question, nothing changed", still);
        let p95 = seconds(percentile(&mut edits.visible, 95));
        figures
            .add("edit_p95", "edit to visible, p95", p95)
            .at_most(Amount::Seconds(0.25));
        figures.add(
            "edit_worst",
            "edit to visible, worst",
            seconds(percentile(&mut edits.visible, 100)),
        );
    }
    let total = Amount::Count(count as u64);
    figures
        .add(
            "edit_late",
            "edits that the first answer after them lacked",
            Amount::Count(edits.late as u64),
        )
        .at_most(Amount::Count((count / 100) as u64))
        .beside("edits", total);
    figures
        .add(
            "edit_lost",
            "edits never found",
            Amount::Count(edits.lost.len() as u64),
        )
        .at_most(Amount::Count(0))
        .beside(
            format!("edits ({})", edits.lost.join(" ")).replace(" ()", ""),
            total,
        );
}

/// Returns the memory of a process once it has stopped falling: freed memory is returned a moment later.
async fn settled(pid: u32) -> u64 {
    let began = Instant::now();
    let (mut least, mut since) = (resident(pid), Instant::now());
    while since.elapsed() < SETTLED && began.elapsed() < SETTLED * 10 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let now = resident(pid);
        if now < least {
            (least, since) = (now, Instant::now());
        }
    }
    least
}

async fn memory(home: &Home, daemon: &Daemon, fresh: u64, figures: &mut Figures) {
    let pid = home.daemon().expect("a daemon");
    figures
        .add(
            "resident_warm",
            "daemon with the root warm",
            Amount::Bytes(resident(pid)),
        )
        .at_most(Amount::Bytes(250_000_000))
        .beside(
            "its processes",
            Amount::Bytes(children(pid).into_iter().map(resident).sum()),
        );
    daemon.until(RootState::Unloaded).await;
    let unloaded = Amount::Bytes(settled(pid).await);
    figures
        .add(
            "resident_unloaded",
            "daemon with the root unloaded",
            unloaded,
        )
        .at_most(Amount::Bytes(100_000_000))
        .beside("before any root", Amount::Bytes(fresh));
}

/// Measures the time from no daemon to an answer at the terminal, against the same question to a warm daemon.
async fn restart(home: &Home, root: &Path, symbol: &str, figures: &mut Figures) {
    let (mut cold, mut warm) = (vec![], vec![]);
    let mut unanswered = 0;
    for _ in 0..RESTARTS {
        home.kill_daemon().await;
        for took in [&mut cold, &mut warm] {
            let began = Instant::now();
            loop {
                let mut ask = home.command("claudevil");
                let asked = ask
                    .args(["symbol", symbol, "--match", "exact", "--root"])
                    .arg(root)
                    .output()
                    .await;
                if asked.expect("it runs").status.success() {
                    break;
                }
                unanswered += 1;
                assert!(
                    began.elapsed() < Duration::from_secs(60),
                    "{symbol} is not found after a restart"
                );
            }
            took.push(began.elapsed());
        }
    }
    figures
        .add(
            "restart_p50",
            "killed daemon to first answer, p50",
            seconds(percentile(&mut cold, 50)),
        )
        .beside("warm", seconds(percentile(&mut warm, 50)));
    figures
        .add(
            "restart_worst",
            "killed daemon to first answer, worst",
            seconds(percentile(&mut cold, 100)),
        )
        .at_most(Amount::Seconds(2.0))
        .beside("answers without it", Amount::Count(unanswered));
}

fn number(value: &Value, key: &str) -> f64 {
    value[key]
        .as_f64()
        .unwrap_or_else(|| panic!("no {key}: {value}"))
}

fn compare(turns: &Turns, steps: &Value, figures: &mut Figures) {
    let parse = fastest(&turns.parses);
    let threads = &steps["threads"];
    let ratio = Amount::Ratio(fastest(&turns.indexes) / parse.max(1e-9));
    let row = figures.add(
        "full_index_to_parse",
        "full index ÷ bare parsing of the same files",
        ratio,
    );
    let fastest = format!(
        "bare parsing on {threads} threads, fastest of {}",
        turns.parses.len()
    );
    row.beside(fastest, Amount::Seconds(parse))
        .beside("slowest", slowest(&turns.parses));
    if parse >= MEANINGFUL {
        row.at_most(Amount::Ratio(2.5));
    }
    let facts = number(steps, "facts_wall_seconds");
    figures
        .add(
            "facts_to_parse",
            "all facts made, nothing stored ÷ bare parsing",
            Amount::Ratio(facts / parse.max(1e-9)),
        )
        .beside(format!("on {threads} threads"), Amount::Seconds(facts));
}

#[expect(clippy::print_stdout, reason = "a benchmark's figures are its output")]
fn show(options: &Options, machine: &Machine, project: &Project, figures: &Figures, steps: &Value) {
    let name = options
        .folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    if options.format == Format::Json {
        let all = json!({
            "project": name,
            "files": project.files,
            "machine": machine.json(),
            "figures": figures.json(),
            "steps": steps,
        });
        println!("{all:#}");
        return;
    }
    println!(
        "{name}: {} files. {}.\n\n{}",
        project.files,
        machine.text(),
        figures.markdown()
    );
    println!(
        "| language, on one thread | files | source | parse | query | compress |\n|---|---|---|---|---|---|"
    );
    let all = &steps["one_thread"];
    let languages = all["languages"].as_object().into_iter().flatten();
    for (language, took) in languages
        .map(|(name, took)| (name.as_str(), took))
        .chain([("all", all)])
    {
        let second = |key: &str| Amount::Seconds(took[key].as_f64().unwrap_or_default()).text();
        let language = if language.is_empty() {
            "(none)"
        } else {
            language
        };
        let (files, bytes) = (
            &took["files"],
            Amount::Bytes(took["bytes"].as_u64().unwrap_or_default()).text(),
        );
        let (parse, query, compress) = (
            second("parse_seconds"),
            second("query_seconds"),
            second("compress_seconds"),
        );
        println!("| {language} | {files} | {bytes} | {parse} | {query} | {compress} |");
    }
    println!();
    for key in ["walk_seconds", "read_seconds", "compile_seconds"] {
        println!(
            "{}: {}",
            key.trim_end_matches("_seconds"),
            Amount::Seconds(steps[key].as_f64().unwrap_or_default()).text()
        );
    }
}

#[expect(
    clippy::print_stderr,
    reason = "a large project takes minutes: whoever waits is told what for"
)]
fn say(what: &str) {
    eprintln!("{what} …");
}

fn seconds(duration: Duration) -> Amount {
    Amount::Seconds(duration.as_secs_f64())
}
