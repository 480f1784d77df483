//! Asking the daemon on behalf of a person: the project, a progress bar, and the wait for a first index.
//!
//! Indexing is the daemon's job: a person who stops waiting does not stop it.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use claudevil_protocol::ErrorCode;
use claudevil_protocol::ToolError;
use claudevil_protocol::answer::Answer;
use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::call::{Origin, Progress, Project};
use claudevil_protocol::client::{CallOptions, Client, Launch};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::service::RemoteTool;
use claudevil_protocol::tools::reindex::{IndexJob, JobState, Reindex};

use super::progress::Bar;
use super::terminal::pager;
use crate::project;

/// Progress is shown once a call has taken this long.
const PROGRESS_DELAY: Duration = Duration::from_millis(300);

/// Returns an answer from the complete index: while the index is being built, waits for it and repeats the call.
pub async fn ask<P: RemoteTool>(
    paths: Paths,
    root: Option<&Path>,
    params: P,
) -> Result<P::Answer, ToolError> {
    let is_unfinished =
        |answer: &P::Answer| answer.freshness().is_some_and(Freshness::is_unfinished);
    ask_until(paths, root, params, |answer| !is_unfinished(answer)).await
}

/// Returns the first answer, even from an index that is still being built.
pub async fn ask_at_once<P: RemoteTool>(
    paths: Paths,
    root: Option<&Path>,
    params: P,
) -> Result<P::Answer, ToolError> {
    ask_until(paths, root, params, |_| true).await
}

async fn ask_until<P: RemoteTool>(
    paths: Paths,
    root: Option<&Path>,
    params: P,
    is_enough: impl Fn(&P::Answer) -> bool,
) -> Result<P::Answer, ToolError> {
    let project = project_of(root, &paths);
    let answer = ask_about(paths.clone(), project.clone(), params.clone()).await;
    let must_wait = match &answer {
        Ok(answer) => !is_enough(answer),
        Err(error) => error.code == ErrorCode::Indexing,
    };
    if must_wait && wait_for_index(&paths, root).await? {
        return ask_about(paths, project, params).await;
    }
    answer
}

/// Waits until the index of a project is complete. Returns false if it was not waited for, or could not be built.
pub async fn wait_for_index(paths: &Paths, root: Option<&Path>) -> Result<bool, ToolError> {
    if root == Some(Path::new("*")) {
        return Ok(false);
    }
    Ok(follow_indexing(paths, root)
        .await?
        .is_some_and(|job| job.state == JobState::Done))
}

/// Follows the indexing of a project to its end, with a progress bar. Returns none after Ctrl-C.
pub async fn follow_indexing(
    paths: &Paths,
    root: Option<&Path>,
) -> Result<Option<IndexJob>, ToolError> {
    let project = project_of(root, paths);
    let client = Client::new(paths.clone(), Launch::Never);
    let bar = Mutex::new(Bar::new());
    let drawn = || bar.lock().unwrap_or_else(PoisonError::into_inner);
    let report = |progress: Progress| drawn().report(&progress);
    let progress = std::io::stderr()
        .is_terminal()
        .then_some(Box::new(report) as Box<dyn FnMut(Progress) + Send>);
    // A request to reindex joins the indexing that is under way.
    let params = Reindex {
        wait: Some(true),
        ..Reindex::default()
    };
    let asked = Box::pin(client.ask(CallOptions { project, progress }, params));
    let job = tokio::select! {
        job = asked => Some(job),
        _ = tokio::signal::ctrl_c() => None,
    };
    drawn().clear();
    job.transpose()
}

pub async fn ask_about<P: RemoteTool>(
    paths: Paths,
    project: Option<Project>,
    params: P,
) -> Result<P::Answer, ToolError> {
    let client = Client::new(paths, Launch::WhenMissing);
    let bar = Mutex::new(Bar::new());
    let drawn = || bar.lock().unwrap_or_else(PoisonError::into_inner);
    let started = Instant::now();
    let report = |progress: Progress| {
        if started.elapsed() > PROGRESS_DELAY {
            drawn().report(&progress);
        }
    };
    // The pager owns the screen.
    let is_watched = std::io::stderr().is_terminal() && !pager::is_shown();
    let progress = is_watched.then_some(Box::new(report) as Box<dyn FnMut(Progress) + Send>);
    // Boxed because it is large and awaited in many places.
    let answer = Box::pin(client.ask(CallOptions { project, progress }, params)).await;
    drawn().clear();
    answer
}

/// Returns the project to ask about; the option takes precedence over everything else.
pub fn project_of(root: Option<&Path>, paths: &Paths) -> Option<Project> {
    match root {
        Some(root) => {
            let root = project::absolute_unless_name(root).to_str()?.to_owned();
            Some(Project {
                root,
                origin: Origin::Option,
            })
        }
        None => project::process_project(None, paths.user_home()),
    }
}
