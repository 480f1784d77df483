//! Asking the daemon on behalf of a person: the project, and a bar when it takes long.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use claudevil_protocol::ToolError;
use claudevil_protocol::client::{Asking, Client, Launch};
use claudevil_protocol::model::call::{Origin, Progress, Project};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::service::Tool;

use super::progress::Bar;
use super::terminal::pager;
use crate::project;

/// Progress is shown once a call has taken this long.
const PATIENCE: Duration = Duration::from_millis(300);

pub async fn ask<P: Tool>(paths: Paths, root: Option<&Path>, params: P) -> Result<P::Answer, ToolError> {
    let project = project_of(root, &paths);
    ask_about(paths, project, params).await
}

pub async fn ask_about<P: Tool>(paths: Paths, project: Option<Project>, params: P) -> Result<P::Answer, ToolError> {
    let client = Client::new(paths, Launch::WhenMissing);
    let bar = Mutex::new(Bar::new());
    let drawn = || bar.lock().unwrap_or_else(PoisonError::into_inner);
    let started = Instant::now();
    let report = |progress: Progress| {
        if started.elapsed() > PATIENCE {
            drawn().report(&progress);
        }
    };
    // A pager has the screen for itself.
    let is_watched = std::io::stderr().is_terminal() && !pager::is_shown();
    let progress = is_watched.then_some(Box::new(report) as Box<dyn FnMut(Progress) + Send>);
    // Large, and awaited in many places.
    let answer = Box::pin(client.ask(Asking { project, progress }, params)).await;
    drawn().clear();
    answer
}

/// The project that a person means: the option before everything else.
pub fn project_of(root: Option<&Path>, paths: &Paths) -> Option<Project> {
    match root {
        Some(root) => {
            let root = project::absolute_unless_name(root).to_str()?.to_owned();
            Some(Project { root, origin: Origin::Option })
        }
        None => project::of_process(None, paths.user_home()),
    }
}
