//! The question before anything is changed.

use std::io::{self, IsTerminal};
use std::time::Duration;

use claudevil_protocol::text::quantity::count;

use crate::cli::terminal::Terminal;

/// Time limit for an answer that comes through a pipe.
const PIPE_TIMEOUT: Duration = Duration::from_secs(10);

/// Asks for consent. Without a terminal to ask at, the command itself counts as consent, but an answer through a pipe counts like
/// one that is typed.
pub async fn ask(work: usize, terminal: &mut Terminal) -> io::Result<bool> {
    let answer = if io::stdin().is_terminal() {
        if terminal.json || !Terminal::can_ask() {
            return Ok(true);
        }
        let question = format!(
            "Change {}? [Y/n]",
            count(u64::try_from(work).unwrap_or(u64::MAX), "file")
        );
        Terminal::prompt(&question)?.unwrap_or_else(|| "n".to_owned())
    } else {
        // The read cannot be cancelled: on a pipe that stays open and silent, it ends with the process.
        let read = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            io::stdin()
                .read_line(&mut line)
                .map(|length| (length > 0).then_some(line))
        });
        let Ok(Ok(line)) = tokio::time::timeout(PIPE_TIMEOUT, read).await else {
            terminal
                .note("no answer came through standard input: add --yes to change without asking");
            return Ok(false);
        };
        let Some(line) = line? else { return Ok(true) };
        line.trim().to_lowercase()
    };
    Ok(matches!(answer.as_str(), "" | "y" | "yes"))
}
