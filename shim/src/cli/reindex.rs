//! `claudevil reindex`. The job runs in the daemon: a person who stops waiting does not stop it.

use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use claudevil_protocol::call::Progress;
use claudevil_protocol::client::{CallOptions, Client, Launch};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::tools::reindex::{JobState, Reindex};

use super::progress::Bar;
use super::terminal::Terminal;
use super::tool::read_command_line;
use super::{Failure, ask, exit};

pub async fn run(
    mut params: Reindex,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let root = read_command_line(&mut params);
    let waits = params.waits();
    let project = ask::project_of(root.as_deref(), &paths);
    let client = Client::new(paths, Launch::WhenMissing);
    let bar = Mutex::new(Bar::new());
    let drawn = || bar.lock().unwrap_or_else(PoisonError::into_inner);
    let follow = async {
        loop {
            let report = |progress: Progress| drawn().report(&progress);
            let progress = params
                .waits()
                .then_some(Box::new(report) as Box<dyn FnMut(Progress) + Send>);
            // Boxed below because it is as large as the largest call.
            let asked = client.ask(
                CallOptions {
                    project: project.clone(),
                    progress,
                },
                params.clone(),
            );
            let job = Box::pin(asked).await?;
            if job.state.is_over() || !params.waits() {
                return Ok::<_, Failure>(job);
            }
            // A large job may take longer than a call. The next call waits for the same job.
            params = Reindex {
                path: params.path,
                wait: params.wait,
                ..Reindex::default()
            };
        }
    };
    let job = tokio::select! {
        job = follow => job,
        _ = tokio::signal::ctrl_c(), if waits => {
            drawn().clear();
            terminal.note("indexing continues in the background; `claudevil status` shows its progress");
            return Ok(ExitCode::SUCCESS);
        }
    };
    drawn().clear();
    let job = job?;
    if terminal.json {
        terminal.json(&job)?;
    } else {
        terminal.answer::<Reindex>(&job)?;
    }
    Ok(exit::failed_if(job.state == JobState::Failed))
}
