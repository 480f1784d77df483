//! The first question about a project: it is answered as soon as something is there, and a bar shows how the index comes
//! along.
//!
//! The job is the daemon's: who stops watching does not stop it.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use claudevil_protocol::ErrorCode;
use claudevil_protocol::client::{Asking, Client, Launch};
use claudevil_protocol::model::call::Progress;
use claudevil_protocol::model::reindex::{IndexJob, JobState, Reindex};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::service::Tool;
use claudevil_protocol::text::quantity::count;

use super::progress::Bar;
use super::terminal::{FAINT, Terminal, paint};
use super::{Failure, ask};

/// Waits until the index of a project is as its files are, because nothing was found in what it has so far. False where
/// nobody can or wants to wait.
pub async fn wait(paths: &Paths, root: Option<&Path>) -> Result<bool, Failure> {
    if root == Some(Path::new("*")) {
        return Ok(false);
    }
    Ok(follow(paths, root).await?.is_some_and(|job| job.state == JobState::Done))
}

/// An answer that is asked for again once the index is whole, where what is there so far has none, or only a part of it.
pub async fn whole<P: Tool>(
    paths: &Paths,
    root: Option<&Path>,
    params: P,
    is_part: fn(&P::Answer) -> bool,
) -> Result<P::Answer, Failure> {
    let answer = ask::ask(paths.clone(), root, params.clone()).await;
    let is_behind = match &answer {
        Ok(answer) => is_part(answer),
        Err(error) => error.code == ErrorCode::Indexing,
    };
    if is_behind && wait(paths, root).await? {
        return Ok(ask::ask(paths.clone(), root, params).await?);
    }
    Ok(answer?)
}

/// Follows the indexing of a project to its end, where a person looks on who has the answer already.
pub async fn watch(paths: &Paths, root: Option<&Path>, terminal: &mut Terminal) -> Result<(), Failure> {
    if !Terminal::is_interactive() || !io::stderr().is_terminal() || root == Some(Path::new("*")) {
        return Ok(());
    }
    terminal.note(paint(FAINT, "this project is new: it is being indexed; Ctrl-C stops watching, not the job"));
    match follow(paths, root).await? {
        None => terminal.note("it goes on in the background: `claudevil status --watch` shows how far it is"),
        Some(job) if job.state == JobState::Done => {
            let files = count(job.changed + job.unchanged, "file");
            terminal.note(paint(FAINT, format_args!("{files} indexed: ask again for answers by symbols and meaning")));
        }
        Some(_) => {}
    }
    Ok(())
}

/// The job of indexing, once it is over; none if it was left alone by Ctrl-C.
async fn follow(paths: &Paths, root: Option<&Path>) -> Result<Option<IndexJob>, Failure> {
    let project = ask::project_of(root, paths);
    let client = Client::new(paths.clone(), Launch::Never);
    let bar = Mutex::new(Bar::new());
    let drawn = || bar.lock().unwrap_or_else(PoisonError::into_inner);
    let report = |progress: Progress| drawn().report(&progress);
    let progress = io::stderr().is_terminal().then_some(Box::new(report) as Box<dyn FnMut(Progress) + Send>);
    // To ask for what is under way is to wait for it.
    let params = Reindex { wait: Some(true), ..Reindex::default() };
    let asked = Box::pin(client.ask(Asking { project, progress }, params));
    let job = tokio::select! {
        job = asked => Some(job),
        _ = tokio::signal::ctrl_c() => None,
    };
    drawn().clear();
    Ok(job.transpose()?)
}
