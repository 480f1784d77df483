//! The daemon's command line. People use `claudevil`; it, the shims and service managers start this program.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::{Parser, Subcommand};
use claudevil_daemon::config::{Config, ConfigError, Sources};
use claudevil_daemon::index::dump;
use claudevil_daemon::index::measure::{self, Detail};
use claudevil_daemon::index::memory::{self, Pages};
use claudevil_daemon::index::worker::{self, Priority};
use claudevil_daemon::server::{self, RunOutcome};
use claudevil_daemon::{embed, model_command};
use claudevil_protocol::config_report::ConfigReport;
use claudevil_protocol::daemon_info::Supervision;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::start::exit;
use claudevil_protocol::tools::index_status::Setting;

/// The system's allocator keeps the memory of unloaded roots in fragments.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// claudevil's daemon: one per user, started by itself when something is asked.
#[derive(Parser)]
#[command(name = "claudevild", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve in the foreground until told to stop.
    ///
    /// Exit codes: 0 stopped, 1 cannot start, 75 another daemon is running.
    Run {
        /// Leave the session of whoever started it, report the start on standard output, and exit when idle.
        #[arg(long, conflicts_with = "service")]
        detached: bool,
        /// Run under systemd or launchd: adopt an inherited socket, and never exit for idleness.
        #[arg(long)]
        service: bool,
    },
    /// Extract facts for the daemon that started this, over a pipe.
    #[command(hide = true)]
    Worker {
        /// Run at normal priority, because a caller waits.
        #[arg(long)]
        prompt: bool,
    },
    /// Manage models for `claudevil model`, in JSON.
    #[command(hide = true)]
    Model {
        #[command(subcommand)]
        command: model_command::Command,
    },
    /// Print what is stored of every file of every root. The daemon must not be running.
    #[command(hide = true)]
    Dump {
        /// Print every stored word instead.
        #[arg(long)]
        words: bool,
    },
    /// Time the steps of indexing a folder, each by itself, for the benchmark.
    #[command(hide = true)]
    Measure {
        #[command(subcommand)]
        what: Measurement,
    },
    /// Check the configuration and print every value with its source.
    Config {
        /// Print one JSON object, warnings and errors included.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Subcommand)]
enum Measurement {
    /// Bare parsing of its files, on all threads at once.
    Parse {
        folder: PathBuf,
        /// The number of threads; by default that of the workers.
        #[arg(long)]
        threads: Option<usize>,
        /// Also every step on one thread, by language.
        #[arg(long)]
        steps: bool,
    },
    /// Making the vectors of its chunks, on one thread.
    Embed { folder: PathBuf },
    /// Finding the credentials in its texts, on one thread. Prints where they are, never what they are.
    Secrets { folder: PathBuf },
}

fn main() -> anyhow::Result<ExitCode> {
    let (detached, service) = match Arguments::parse().command {
        Command::Run { detached, service } => (detached, service),
        Command::Worker { prompt } => {
            let priority = if prompt {
                Priority::Interactive
            } else {
                Priority::Bulk
            };
            worker::run(priority).context("the pipe to the daemon is broken")?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Model { command } => {
            let done = model_command::run(command)?;
            return Ok(if done {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(exit::FAILED)
            });
        }
        Command::Dump { words } => {
            let dump = if words { dump::words } else { dump::dump };
            dump(Paths::discover()?.data(), &mut std::io::stdout().lock())?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Measure { what } => return measure(&what),
        Command::Config { json } => return show_config(json),
    };
    let supervision = match (detached, service) {
        (true, _) => Supervision::Detached,
        (_, true) => Supervision::Service,
        _ => Supervision::Foreground,
    };
    memory::use_pages(Pages::Small);
    memory::release_immediately();
    let paths = Paths::discover()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("claudevild")
        .build()
        .context("the runtime cannot be started")?;
    let outcome = runtime.block_on(server::run(paths, supervision));
    // A query that does not stop must not keep the process.
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(match outcome {
        RunOutcome::Cleanly(lock) => {
            // The system frees it, with everything else that is open: a successor must not find the stores in use.
            std::mem::forget(lock);
            ExitCode::SUCCESS
        }
        RunOutcome::AlreadyRunning => ExitCode::from(exit::ALREADY_RUNNING),
        RunOutcome::Failed => ExitCode::from(exit::FAILED),
    })
}

fn load_config() -> anyhow::Result<Result<Config, ConfigError>> {
    let paths = Paths::discover()?;
    Ok(Config::load(
        &paths.config_file(),
        paths.data(),
        &Sources::environment(),
    ))
}

fn measure(what: &Measurement) -> anyhow::Result<ExitCode> {
    let config = load_config()??;
    let (Measurement::Parse { folder, .. }
    | Measurement::Embed { folder }
    | Measurement::Secrets { folder }) = what;
    let folder = folder
        .canonicalize()
        .with_context(|| folder.display().to_string())?;
    let measured = match what {
        Measurement::Parse { threads, steps, .. } => {
            let threads = threads.unwrap_or(config.index.workers).max(1);
            let detail = if *steps { Detail::Steps } else { Detail::Parse };
            measure::measure(&folder, threads, detail, &config.index)
        }
        Measurement::Embed { .. } => {
            let model = embed::built_in(&config.embedder)?
                .context("`embedder` is none: there is no model to measure")?;
            measure::measure_model(&folder, model.as_ref(), &config.index)
        }
        Measurement::Secrets { .. } => measure::measure_secrets(&folder, &config.index),
    };
    writeln!(
        std::io::stdout(),
        "{}",
        measured.map_err(anyhow::Error::msg)?
    )?;
    Ok(ExitCode::SUCCESS)
}

fn show_config(json: bool) -> anyhow::Result<ExitCode> {
    let report = match load_config()? {
        Ok(config) => ConfigReport {
            settings: config.settings,
            warnings: config.warnings,
            error: None,
        },
        Err(error) => ConfigReport {
            error: Some(error.to_string()),
            ..ConfigReport::default()
        },
    };
    let mut output = std::io::stdout().lock();
    if json {
        writeln!(output, "{}", serde_json::to_string(&report)?)?;
    } else {
        for Setting { key, value, source } in &report.settings {
            writeln!(output, "{key} = {value} ({source})")?;
        }
        for message in report.warnings.iter().chain(&report.error) {
            writeln!(std::io::stderr(), "{message}")?;
        }
    }
    Ok(if report.error.is_none() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(exit::FAILED)
    })
}
