//! Changes several files of a root: all of them, or none.
//!
//! Every file is compared with the content that the caller has read. The new contents are staged beside the files and
//! synced; then each file is exchanged with its staged content (`source/file_slot.rs`), so that the old content stays beside it
//! until all is done. A journal in our own directory records the state of the change in its file name (`journal.rs`),
//! because a rename works on a full disk too:
//!
//! - `preparing`: staged files are ours and can be removed.
//! - `ready`: all new contents are on the disk. After a crash the change is finished.
//! - `undo`: a step failed, or somebody else has changed a file. Replaced files are restored.
//! - `done`: all files are replaced. The old contents can be removed.
//!
//! A file that is renamed too is not exchanged: its staged content is moved to the new name, which must be free, and then the
//! file itself is moved to the staged name (`moves.rs`). At every moment either the old name or the new one exists.
//!
//! A restored file is the old file itself, with its inode and times, not a copy.
//!
//! Edits by others take precedence. A file that differs from what was read stops the whole change, and so does one that turns
//! out to have been edited at the moment of its exchange: it is exchanged back, and all others are restored. A change that a
//! crash cut off is finished only if no file that is still to be replaced was edited since: an edit of the old text would be
//! lost, or be mixed with half of the change. Edits of replaced files build on the new text and do not stop it; if the change
//! is undone all the same, such a file stays as it was left. Content that exists nowhere else (neither the text that was read
//! nor our own) is moved to `kept/`, reported, and kept for a month.
//!
//! Permissions, owner and, on Linux, access lists and attributes are preserved, or nothing is changed. A file with several
//! names (hard links) is changed under the given name only, as git does.

mod apply;
mod journal;
mod moves;
mod recover;
#[cfg(all(test, unix))]
#[expect(
    clippy::disallowed_methods,
    reason = "what is on the disk is looked at as others see it"
)]
mod tests;
mod undo;
mod undo_log;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use claudevil_protocol::{ErrorCode, ToolError};

pub use self::recover::{Recovery, RecoveryOutcome};
use crate::source::file_slot::{FileSlot, StepHook, SwapMethod};

/// The largest file that can be changed, in bytes: far beyond any text that somebody wrote.
pub const LARGEST_FILE: u64 = 64 << 20;
pub const MAX_FILES: usize = 10_000;

/// The changes of all roots.
pub struct Changes {
    folder: PathBuf,
    undo_folder: PathBuf,
    locks: Mutex<HashMap<PathBuf, Arc<Mutex<()>>>>,
}

#[derive(Clone, Debug)]
pub struct FileChange {
    /// Relative to the root, with `/` between its parts.
    pub path: String,
    /// The content that the change was made for.
    pub before: Vec<u8>,
    pub after: Vec<u8>,
    /// Another name in the same folder, which must be free.
    pub new_name: Option<String>,
}

/// A copy of content that somebody wrote into a file while it was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictCopy {
    pub path: String,
    /// The place of the copy, in our own directory.
    pub at: PathBuf,
}

/// A change that was made.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct AppliedChange {
    pub copies: Vec<ConflictCopy>,
    /// The reason why it cannot be taken back.
    pub not_undoable: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error("{path}: {why}; nothing was changed")]
    Invalid { path: String, why: String },
    #[error("{path} has changed since it was read; nothing was changed")]
    Changed { path: String },
    #[error("{path} cannot be changed: {error}; nothing was changed")]
    Failed { path: String, error: io::Error },
    /// The change is undone, except in files that somebody edited at the same time.
    #[error("{why}. {} was edited at the same time; the other version of it is in {}", .copy.path, .copy.at.display())]
    Disturbed { why: String, copy: ConflictCopy },
    /// The root may be left with half of a change.
    #[error("a change of {root} could neither be completed nor rolled back: {why}")]
    Unfinished { root: String, why: String },
    #[error("the caller gave up; nothing was changed")]
    Cancelled,
}

impl ChangeError {
    fn failed(path: &str) -> impl Fn(io::Error) -> Self {
        move |error| Self::Failed {
            path: path.to_owned(),
            error,
        }
    }
}

impl From<ChangeError> for ToolError {
    fn from(error: ChangeError) -> Self {
        let message = error.to_string();
        match error {
            ChangeError::Invalid { .. } => Self::invalid_argument(message),
            ChangeError::Changed { .. } => Self::new(ErrorCode::Stale, message)
                .with_hint("look at the file again, then ask again"),
            ChangeError::Failed { error, .. } => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                    Self::new(ErrorCode::FileNotFound, message)
                }
                // An escape from the root is reported without an error number; a denial by the system has one.
                io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
                    Self::new(ErrorCode::PathOutsideRoot, message)
                }
                io::ErrorKind::PermissionDenied => Self::invalid_argument(message)
                    .with_hint("check the permissions of the file and its folder"),
                io::ErrorKind::InvalidInput => Self::invalid_argument(message),
                _ => Self {
                    message: message.into(),
                    ..claudevil_protocol::error::from_io("", &error)
                },
            },
            ChangeError::Disturbed { .. } => Self::new(ErrorCode::Internal, message),
            ChangeError::Unfinished { .. } => Self::new(ErrorCode::Internal, message).with_hint(
                "it is tried again before the next change of this root, and when the daemon starts",
            ),
            ChangeError::Cancelled => Self::new(ErrorCode::Cancelled, message),
        }
    }
}

/// Hooks for tests: how files are exchanged, and a function that is called before each step.
#[derive(Clone, Copy)]
struct Hooks<'a> {
    method: SwapMethod,
    before_step: StepHook<'a>,
}

const NO_HOOKS: Hooks = Hooks {
    method: SwapMethod::Exchange,
    before_step: &|_| Ok(()),
};

impl Changes {
    /// Keeps its journals in the daemon's data directory.
    pub fn new(data: &Path) -> Self {
        Self {
            folder: data.join("changes"),
            undo_folder: data.join("undo"),
            locks: Mutex::default(),
        }
    }

    /// Returns the lock of a root. Each root has its own, so that a file system that does not answer blocks no other root.
    fn root_lock(&self, root: &Path) -> Arc<Mutex<()>> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(locks.entry(root.to_owned()).or_default())
    }
}

/// A file of a change, and the names beside it.
struct StagedFile<'a> {
    path: &'a str,
    slot: FileSlot,
    /// Has the new content, and after the exchange the old one.
    staged: String,
    /// Has the old content for a moment where files cannot be exchanged in one step.
    aside: String,
}
