//! `claudevil model`: which model computes vectors, and what it needs.
//!
//! Everything that needs an engine or a network is done by the daemon's binary, in a process with the environment of this one
//! (proxies, certificates). Choosing a model writes the configuration and restarts the daemon.

mod choose;
mod offer;

use std::path::PathBuf;
use std::process::{ExitCode, Stdio};

use claudevil_protocol::answer::freshness::progress;
use claudevil_protocol::client::launch::daemon_binary;
use claudevil_protocol::embedding_models::{
    BenchRow, ModelBench, ModelChecked, ModelEntry, ModelFailed, ModelKind, ModelList,
    RuntimeInstalled, RuntimeStatus,
};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::quantity::{bytes, grouped};
use claudevil_protocol::tools::index_status::{Health, IndexStatus};
use claudevil_protocol::{ErrorCode, ToolError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::installer;
use super::terminal::{BAD, FAINT, GOOD, STRONG, Terminal, WARN, paint};
use super::{Failure, ask};
use crate::project::enclosing_repository;

pub const EXAMPLES: &str = "\
The built-in model (static) needs nothing and is always available. Any other is used in addition to it: its \
vectors are computed in the background, and searches use those that are ready.

Examples:
  claudevil model list                          the models, and which of them are installed
  claudevil model install-runtime               install ONNX Runtime, which transformers need
  claudevil model use bge-small-en-v1.5         download a transformer and use it
  claudevil model use ~/models/mine             a folder with model.onnx and tokenizer.json
  claudevil model use remote --url http://127.0.0.1:11434/v1 --model nomic-embed-text
  claudevil model use static                    back to the built-in one alone
  claudevil model status                        how many vectors are ready
  claudevil model bench bge-small-en-v1.5       how fast it is here, compared with the built-in one";

#[derive(clap::Subcommand)]
pub enum Command {
    /// List the models that can be chosen
    List {
        /// Only those that are installed on this machine
        #[arg(long)]
        installed: bool,
    },
    /// Choose the model: it is downloaded if necessary and tried, then the daemon is restarted
    Use(choose::Arguments),
    /// Download a model without choosing it
    Install {
        /// A name of `model list`
        name: String,
    },
    /// Install ONNX Runtime from PyPI, which transformers on this machine need
    InstallRuntime {
        /// Use this wheel of onnxruntime, e.g. on a machine without a network
        #[arg(long, value_name = "FILE.whl")]
        from: Option<PathBuf>,
        /// Version to install [default: the newest]
        #[arg(long, conflicts_with = "from")]
        version: Option<String>,
        /// Package index to use instead of PyPI
        #[arg(long, hide = true)]
        index: Option<String>,
    },
    /// Measure models against the built-in one on the code of a folder, with one thread each
    Bench {
        /// Names of `model list`, or folders with a model
        models: Vec<String>,
        /// Folder whose code is measured [default: the repository around the working directory]
        #[arg(long, value_name = "DIR")]
        folder: Option<PathBuf>,
        /// Time limit for each model, in seconds
        #[arg(long, default_value_t = 20)]
        seconds: u64,
    },
    /// Show the model in use, and how many of its vectors are ready
    Status,
}

pub async fn run(
    command: Command,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    match command {
        Command::List { installed } => list(installed, &paths, terminal).await?,
        Command::Use(arguments) => choose::run(arguments, paths, terminal).await?,
        Command::Install { name } => {
            need_vectors(&paths, terminal)?;
            let checked: ModelChecked = run_daemon_command(&check(&[("embedder", name)])).await?;
            print(terminal, &checked, |terminal, checked| {
                terminal.line(format_args!(
                    "{} is installed: {} dimensions",
                    paint(STRONG, &checked.name),
                    checked.dimensions
                ))
            })?;
        }
        Command::InstallRuntime {
            from,
            version,
            index,
        } => {
            let mut words = vec!["install-runtime".to_owned()];
            let from = from.map(|from| {
                std::path::absolute(&from)
                    .unwrap_or(from)
                    .display()
                    .to_string()
            });
            for (option, value) in [("--from", from), ("--version", version), ("--index", index)] {
                words.extend(
                    value
                        .into_iter()
                        .flat_map(|value| [option.to_owned(), value]),
                );
            }
            let done: RuntimeInstalled = run_daemon_command(&words).await?;
            print(terminal, &done, |terminal, done| {
                terminal.line(format_args!(
                    "ONNX Runtime {} is installed: {}",
                    done.version, done.path
                ))
            })?;
        }
        Command::Bench {
            models,
            folder,
            seconds,
        } => {
            let folder = folder
                .or_else(|| std::env::current_dir().ok())
                .unwrap_or_default();
            let folder = enclosing_repository(&folder, paths.user_home())
                .display()
                .to_string();
            let mut words = vec![
                "bench".to_owned(),
                "--seconds".to_owned(),
                seconds.to_string(),
                folder,
            ];
            words.extend(models.into_iter().map(choose::absolute));
            let bench: ModelBench = run_daemon_command(&words).await?;
            print(terminal, &bench, show_bench)?;
        }
        Command::Status => return status(paths, terminal).await,
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the arguments by which a model is tried with settings that are not in the file yet.
fn check(settings: &[(&str, String)]) -> Vec<String> {
    let settings = settings
        .iter()
        .flat_map(|(key, value)| ["--setting".to_owned(), format!("{key}={value}")]);
    std::iter::once("check".to_owned())
        .chain(settings)
        .collect()
}

/// Runs a command of the daemon's binary and parses its answer. Its standard error goes to the terminal.
async fn run_daemon_command<T: DeserializeOwned>(words: &[String]) -> Result<T, Failure> {
    let output = tokio::process::Command::new(daemon_binary()?)
        .arg("model")
        .args(words)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .await?;
    let failed = |why: String| Failure::Tool(ToolError::new(ErrorCode::Internal, why));
    if output.status.success() {
        return serde_json::from_slice(&output.stdout)
            .map_err(|error| failed(format!("the daemon's binary: {error}")));
    }
    let Ok(said) = serde_json::from_slice::<ModelFailed>(&output.stdout) else {
        let why = format!("the daemon's binary failed ({})", output.status);
        return Err(failed(why));
    };
    Err(if said.is_setting {
        ToolError::invalid_argument(said.error).into()
    } else {
        failed(said.error)
    })
}

/// Prints an answer as JSON if that was asked for.
fn print<T: Serialize>(
    terminal: &mut Terminal,
    answer: &T,
    show: impl FnOnce(&mut Terminal, &T) -> std::io::Result<()>,
) -> Result<(), Failure> {
    if terminal.json {
        terminal.json(answer)?;
    } else {
        show(terminal, answer)?;
    }
    Ok(())
}

async fn list(installed: bool, paths: &Paths, terminal: &mut Terminal) -> Result<(), Failure> {
    let mut list: ModelList = run_daemon_command(&["list".to_owned()]).await?;
    list.models.retain(|model| !installed || model.installed);
    print(terminal, &list, |terminal, list| {
        let widest = list
            .models
            .iter()
            .map(|model| model.name.len())
            .max()
            .unwrap_or_default();
        for model in &list.models {
            terminal.row(describe(model, widest))?;
        }
        if list.chosen == "none" {
            terminal.line(paint(
                WARN,
                format_args!(
                    "no vectors are computed: `embedder` is none ({})",
                    list.source
                ),
            ))?;
        }
        terminal.paragraph(0, runtime(&list.runtime))
    })?;
    if !terminal.json && !has_vectors(paths) {
        terminal.note(offer::missing_vectors());
    }
    Ok(())
}

/// Offers the program that runs other models than the built-in one, unless it is there.
fn need_vectors(paths: &Paths, terminal: &mut Terminal) -> Result<(), Failure> {
    if has_vectors(paths) {
        return Ok(());
    }
    offer::offer_vectors(terminal)
}

/// Returns whether the program that runs other models than the built-in one is installed, or configured.
fn has_vectors(paths: &Paths) -> bool {
    installer::has_vectors() || choose::is_set(paths, "vectors_program")
}

fn describe(model: &ModelEntry, widest: usize) -> String {
    let mark = if model.chosen {
        paint(GOOD, "*")
    } else {
        " ".to_owned()
    };
    let dimensions = model
        .dimensions
        .map(|dimensions| dimensions.to_string())
        .unwrap_or_default();
    let state = match model.kind {
        ModelKind::BuiltIn => "built in",
        ModelKind::Remote => "remote",
        ModelKind::Named | ModelKind::Directory if model.installed => "here",
        ModelKind::Named => "download",
        ModelKind::Directory => "missing",
    };
    let name = format!("{:<widest$}", model.name);
    format!(
        "{mark} {}  {dimensions:>5}  {state:<8}  {}",
        paint(STRONG, name),
        paint(FAINT, &model.description)
    )
}

fn runtime(runtime: &RuntimeStatus) -> String {
    match (&runtime.path, &runtime.problem) {
        (Some(path), _) => {
            let source = runtime.source.as_deref().unwrap_or_default();
            format!("ONNX Runtime: {path} ({source})")
        }
        (None, problem) => problem
            .as_deref()
            .unwrap_or("ONNX Runtime is not installed")
            .to_owned(),
    }
}

fn show_bench(terminal: &mut Terminal, bench: &ModelBench) -> std::io::Result<()> {
    terminal.line(format_args!(
        "{} chunks of {}, {} each",
        grouped(bench.chunks),
        bench.folder,
        bytes(bench.bytes_per_chunk)
    ))?;
    for row in &bench.rows {
        terminal.line(bench_line(row))?;
    }
    Ok(())
}

fn bench_line(row: &BenchRow) -> String {
    let rate = if row.chunks_per_second < 100.0 {
        format!("{:.1}", row.chunks_per_second)
    } else {
        format!("{:.0}", row.chunks_per_second)
    };
    let mut line = format!(
        "{}  {} dimensions  {} chunks a second",
        paint(STRONG, &row.name),
        row.dimensions,
        paint(GOOD, rate)
    );
    if row.slower > 1.0 {
        line = format!(
            "{line}  {:.0} times slower than the built-in one",
            row.slower
        );
    }
    if let Some(memory) = row.memory_bytes {
        line = format!("{line}  {} of memory", bytes(memory));
    }
    line
}

/// Prints the part of the daemon's status that is about models.
async fn status(paths: Paths, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
    let status = ask::ask_about(paths, None, IndexStatus::default()).await?;
    let parts: Vec<_> = status
        .parts
        .iter()
        .filter(|part| ["vectors", "model", "shared vectors"].contains(&part.name.as_str()))
        .collect();
    if terminal.json {
        let roots: Vec<_> = status
            .roots
            .iter()
            .map(|root| {
                let (vectors, chunks) = root.index.as_ref().map_or((0, 0), |index| (index.vectors, index.chunks));
                serde_json::json!({ "name": root.name, "chunks": chunks, "vectors": vectors, "progress": root.progress })
            })
            .collect();
        terminal.json(&serde_json::json!({ "parts": parts, "roots": roots }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for part in parts {
        let style = if part.health == Health::Healthy {
            GOOD
        } else {
            BAD
        };
        terminal.line(format_args!(
            "{:<9} {}",
            part.name,
            paint(style, part.health.as_str())
        ))?;
        for words in part.detail.split("; ") {
            terminal.line(format_args!("    {words}"))?;
        }
    }
    for root in &status.roots {
        if let Some(under_way) = &root.progress {
            terminal.line(format_args!(
                "{}  {}",
                paint(STRONG, &root.name),
                paint(FAINT, progress(under_way))
            ))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
