//! `claudevil reindex`. The job is the daemon's: who stops waiting does not stop it.

use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use claudevil_protocol::call::Progress;
use claudevil_protocol::client::{Asking, Client, Launch};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::one_line;
use claudevil_protocol::tools::reindex::text::{counts, took};
use claudevil_protocol::tools::reindex::{IndexJob, JobState, Reindex};

use super::progress::Bar;
use super::terminal::{BAD, FAINT, GOOD, STRONG, Terminal, WARN, paint};
use super::{Failure, RootOption, ask, exit};

pub const EXAMPLES: &str = "\
Examples:
  claudevil reindex                start it, and go on
  claudevil reindex --wait         show how far it is; Ctrl-C stops waiting, not the job
  claudevil reindex src --force    a folder, unchanged files too

Edits are followed by themselves: this is for files that changed in a way that could not be seen.";

#[derive(clap::Args)]
pub struct Arguments {
    /// Only this file or folder [default: the whole project]
    path: Option<String>,
    /// Index unchanged files too
    #[arg(short, long)]
    force: bool,
    /// Wait until it is done
    #[arg(short, long)]
    wait: bool,
    /// New size of chunks of text that has no symbols
    #[arg(long, value_name = "100-2000")]
    chunk_size: Option<u32>,
    /// New overlap of such chunks
    #[arg(long, value_name = "0-500")]
    overlap: Option<u32>,
    #[command(flatten)]
    root: RootOption,
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let params = Reindex {
        path: arguments
            .path
            .as_deref()
            .map(|path| arguments.root.path(path)),
        force: Some(arguments.force),
        wait: Some(arguments.wait),
        chunk_size: arguments.chunk_size,
        overlap: arguments.overlap,
        ..Reindex::default()
    };
    let project = ask::project_of(arguments.root.root.as_deref(), &paths);
    let client = Client::new(paths, Launch::WhenMissing);
    let bar = Mutex::new(Bar::new());
    let drawn = || bar.lock().unwrap_or_else(PoisonError::into_inner);
    let follow = async {
        let mut params = params;
        loop {
            let report = |progress: Progress| drawn().report(&progress);
            let progress = params
                .waits()
                .then_some(Box::new(report) as Box<dyn FnMut(Progress) + Send>);
            // Large: it has room for every call there is.
            let asked = client.ask(
                Asking {
                    project: project.clone(),
                    progress,
                },
                params.clone(),
            );
            let job = Box::pin(asked).await?;
            if job.state.is_over() || !params.waits() {
                return Ok::<_, Failure>(job);
            }
            // A call may not last as long as a large job. To ask again is to wait for the same one.
            params = Reindex {
                path: params.path,
                wait: params.wait,
                ..Reindex::default()
            };
        }
    };
    let job = tokio::select! {
        job = follow => job,
        _ = tokio::signal::ctrl_c(), if arguments.wait => {
            drawn().clear();
            terminal.note("it goes on in the background: `claudevil status` shows how far it is");
            return Ok(ExitCode::SUCCESS);
        }
    };
    drawn().clear();
    let job = job?;
    if terminal.json {
        terminal.json(&job)?;
    } else {
        show(&job, terminal)?;
    }
    Ok(if job.state == JobState::Failed {
        ExitCode::from(exit::FAILED)
    } else {
        ExitCode::SUCCESS
    })
}

fn show(job: &IndexJob, terminal: &mut Terminal) -> Result<(), Failure> {
    let name = paint(STRONG, &job.root_name);
    for change in &job.settings {
        terminal.line(format_args!(
            "{} = {} (was {})",
            change.key, change.to, change.from
        ))?;
    }
    match job.state {
        JobState::Done => {
            let took = job
                .took_millis
                .map(|millis| format!(" in {}", took(millis)))
                .unwrap_or_default();
            terminal.line(format_args!(
                "{name}  {}{took}  {}",
                paint(GOOD, "done"),
                counts(job)
            ))?;
        }
        JobState::Failed => {
            let why = job.failure.as_deref().unwrap_or("it did not say why");
            terminal.line(format_args!(
                "{name}  {}  {}",
                paint(BAD, "failed"),
                one_line(why)
            ))?;
        }
        JobState::Queued | JobState::Running => {
            let hint = paint(FAINT, "`claudevil status` shows how far it is");
            terminal.line(format_args!(
                "{name}  {} as job {}  {hint}",
                job.state.as_str(),
                job.job
            ))?;
        }
    }
    for problem in &job.problems {
        terminal.note(paint(
            WARN,
            format_args!("{}: {}", one_line(&problem.path), problem.reason.as_str()),
        ));
    }
    Ok(())
}
