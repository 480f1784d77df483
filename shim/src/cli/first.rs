//! The first question about a project: it is answered with what is there, and then a bar shows how the index comes along.
//!
//! The job is the daemon's: who stops watching does not stop it.

use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};

use claudevil_protocol::client::{Asking, Client, Launch};
use claudevil_protocol::model::call::Progress;
use claudevil_protocol::model::reindex::{JobState, Reindex};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::quantity::count;

use super::progress::Bar;
use super::terminal::{FAINT, Terminal, paint};
use super::{Failure, ask};

/// Follows the indexing of this project to its end, where a person looks on.
pub async fn follow(paths: Paths, terminal: &mut Terminal) -> Result<(), Failure> {
    if !Terminal::is_interactive() || !io::stderr().is_terminal() {
        return Ok(());
    }
    terminal.note(paint(FAINT, "this project is new: it is being indexed; Ctrl-C stops watching, not the job"));
    let project = ask::project_of(None, &paths);
    let client = Client::new(paths, Launch::Never);
    let bar = Mutex::new(Bar::new());
    let drawn = || bar.lock().unwrap_or_else(PoisonError::into_inner);
    let report = |progress: Progress| drawn().report(&progress);
    // To ask for what is under way is to wait for it.
    let params = Reindex { wait: Some(true), ..Reindex::default() };
    let asked = Box::pin(client.ask(Asking { project, progress: Some(Box::new(report)) }, params));
    let job = tokio::select! {
        job = asked => job,
        _ = tokio::signal::ctrl_c() => {
            drawn().clear();
            terminal.note("it goes on in the background: `claudevil status --watch` shows how far it is");
            return Ok(());
        }
    };
    drawn().clear();
    let job = job?;
    if job.state == JobState::Done {
        let files = count(job.changed + job.unchanged, "file");
        terminal.note(paint(FAINT, format_args!("{files} indexed: ask again for answers by symbols and meaning")));
    }
    Ok(())
}
