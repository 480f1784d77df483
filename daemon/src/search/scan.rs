//! Answers about a root that has no index yet, out of its files alone.
//!
//! The files are those that the index would have, by the same walk and the same judgement; nothing is known of them before
//! they are read, so every one is. What the time does not suffice for is counted.

#[cfg(test)]
mod tests;
mod words;

use std::path::Path;
use std::time::{Duration, Instant};

use claudevil_protocol::ToolError;

pub use self::words::{Asked, Question, Window, Windows, words};
use super::grep::{self, Outcome, Request};
use crate::source::beneath::RootDir;
use crate::source::cancel::Cancel;
use crate::source::walk::{self, Rules, Scope, WalkedFile};

pub const TIME: Duration = Duration::from_millis(300);

/// The files of a root, as far as they were seen in time.
#[derive(Debug, Default)]
pub struct Seen {
    /// By path.
    pub files: Vec<WalkedFile>,
    /// What could not be listed.
    pub unreadable: Vec<String>,
    /// Whether the walk came to its end.
    pub is_whole: bool,
}

/// Walks a root for at most so long.
pub fn files(root: &Path, rules: &Rules, within: Duration, cancel: &Cancel) -> Result<Seen, ToolError> {
    let stop = cancel.until(Instant::now() + within);
    let mut walked = walk::walk(root, rules, Scope::Everything, &stop, &|_| {});
    cancel.check()?;
    walked.files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    Ok(Seen { files: walked.files, unreadable: walked.unreadable, is_whole: !stop.is_cancelled() })
}

/// Every line that matches, as [`grep::grep`] finds them in an index, but for the symbols around them.
pub fn lines(
    dir: &RootDir,
    seen: &Seen,
    wanted: &(dyn Fn(&WalkedFile) -> bool + Sync),
    request: &Request<'_>,
) -> Result<Outcome<WalkedFile>, ToolError> {
    let mut outcome = grep::grep(dir, &seen.files, wanted, request)?;
    outcome.complete &= seen.is_whole;
    Ok(outcome)
}
