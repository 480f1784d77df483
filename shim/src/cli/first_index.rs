//! Shows the progress of a first index: the first question about a project is answered from its files before the index is
//! built.

use std::io::{self, IsTerminal};
use std::path::Path;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::quantity::count;
use claudevil_protocol::tools::reindex::JobState;

use super::terminal::{FAINT, Terminal, paint};
use super::{Failure, ask};

/// Follows the indexing of a project to its end, for a person at a terminal who already has the answer.
pub async fn watch(
    paths: &Paths,
    root: Option<&Path>,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    if !Terminal::is_interactive() || !io::stderr().is_terminal() || root == Some(Path::new("*")) {
        return Ok(());
    }
    terminal.note(paint(
        FAINT,
        "this project is new and is being indexed; Ctrl-C stops watching, not indexing",
    ));
    match ask::follow_indexing(paths, root).await? {
        None => terminal.note(
            "indexing continues in the background; `claudevil status --watch` shows its progress",
        ),
        Some(job) if job.state == JobState::Done => {
            let files = count(job.changed + job.unchanged, "file");
            terminal.note(paint(
                FAINT,
                format_args!("{files} indexed: ask again for answers by symbols and meaning"),
            ));
        }
        Some(_) => {}
    }
    Ok(())
}
