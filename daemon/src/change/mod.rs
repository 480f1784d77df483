//! Changing files of a root: all that belong together, or none.
//!
//! Every file is compared with what the caller has read; the new contents are written beside the files and synced; then
//! each file changes places with its new content (`source/file_slot.rs`), so that what was there stays beside it until all
//! is done. A journal in our own directory says how far it has come, by its name alone (`journal.rs`), because a rename
//! works on a full disk too:
//!
//! - `preparing`: whatever lies beside the files is ours and can go.
//! - `ready`: all new contents are on the disk. After a crash the change is finished.
//! - `undo`: something failed, or somebody else has changed a file. What has been replaced is put back.
//! - `done`: all files are replaced. What was there before can go.
//!
//! A file that gets another name too is not replaced: its new content is put under the new name, which nothing may have, and
//! then what was there is moved beside (`moved.rs`). At no moment is there neither.
//!
//! What is put back is the file that was there, with its number and times, not a copy.
//!
//! Other people go first. A file that differs from what was read stops the whole change, and so does one that turns out
//! to have been changed at the moment of its replacement: it gets its place back, and all others too. A change that a
//! crash cut off is finished only if no file that is still to be replaced was changed since: an edit of the old text
//! would be lost or stand beside half a change. Edits of files that had been replaced build on the new text, and do not
//! stop it. If it has to be undone all the same, such a file stays as the person has left it. Content of which nobody
//! else has a copy (neither the text that was read nor our own) is never removed: it is moved to `kept/` and reported.
//!
//! Bytes are edited, so that encoding, line ends, a mark at the beginning and a missing line end stay as they are.
//! Permissions, owner and, on Linux, access lists and attributes are kept, or nothing is changed. A file of several names
//! (hard links) is changed under the one that was given, as git does it.

mod apply;
pub mod diff;
pub mod edit;
mod journal;
mod moved;
mod recover;
#[cfg(all(test, unix))]
#[expect(
    clippy::disallowed_methods,
    reason = "what is on the disk is looked at as others see it"
)]
mod tests;
mod undo;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use claudevil_protocol::{ErrorCode, ToolError};

pub use self::edit::Edit;
pub use self::recover::{Outcome, Recovered};
use crate::source::file_slot::{FileSlot, StepHook, SwapMethod};

/// Far beyond any text that somebody wrote.
pub const LARGEST_FILE: u64 = 64 << 20;
pub const MOST_FILES: usize = 10_000;

/// The changes of all roots.
pub struct Changes {
    folder: PathBuf,
    changing: Mutex<HashMap<PathBuf, Arc<Mutex<()>>>>,
}

/// What is to become of a file.
#[derive(Clone, Debug)]
pub struct FileChange {
    /// Relative to the root, with `/` between its parts.
    pub path: String,
    pub expected: Expected,
    pub edits: Vec<Edit>,
    /// Another name in the same folder, which nothing may have yet.
    pub new_name: Option<String>,
}

/// What the edits were made for.
#[derive(Clone, Debug)]
pub enum Expected {
    /// The first half of the BLAKE3 hash, which is what the index knows of a file.
    Hash([u8; 16]),
    Bytes(Vec<u8>),
}

impl Expected {
    fn is(&self, bytes: &[u8]) -> bool {
        match self {
            Self::Hash(hash) => blake3::hash(bytes).as_bytes().starts_with(hash),
            Self::Bytes(expected) => expected == bytes,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The files that have another content now.
    pub changed: Vec<String>,
    pub kept: Vec<Kept>,
}

/// What somebody wrote into a file while it was replaced, and where that is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub path: String,
    pub at: PathBuf,
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error("{path}: {why}; nothing was changed")]
    Invalid { path: String, why: String },
    #[error("{path} is not what it was when it was read; nothing was changed")]
    Changed { path: String },
    #[error("{path} cannot be changed: {error}; nothing was changed")]
    Failed { path: String, error: io::Error },
    /// Taken back, but for files that somebody edited at the same time.
    #[error("{why}, except in {}, edited meanwhile: as it was before it is now {}", .kept.path, .kept.at.display())]
    Disturbed { why: String, kept: Kept },
    /// Files of the root may be half of a change.
    #[error("a change of {root} could neither be finished nor taken back: {why}")]
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
            ChangeError::Changed { .. } => {
                Self::invalid_argument(message).with_hint("look at the file again, then ask again")
            }
            ChangeError::Failed { error, .. } => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                    Self::new(ErrorCode::FileNotFound, message)
                }
                // An escape is reported without a number of the system's; a denial by the system has one.
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

/// How the work is done: the same everywhere but in tests.
#[derive(Clone, Copy)]
struct Hands<'a> {
    way: SwapMethod,
    point: StepHook<'a>,
}

const HANDS: Hands = Hands {
    way: SwapMethod::Exchange,
    point: &|_| Ok(()),
};

impl Changes {
    /// Of the daemon's own data directory.
    pub fn new(data: &Path) -> Self {
        Self {
            folder: data.join("changes"),
            changing: Mutex::default(),
        }
    }

    /// One at a time for each root: one whose file system does not answer holds up no other.
    fn turn(&self, root: &Path) -> Arc<Mutex<()>> {
        let mut changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(changing.entry(root.to_owned()).or_default())
    }
}

/// A file of a change, where it lies, and the names beside it.
struct Beside<'a> {
    path: &'a str,
    spot: FileSlot,
    /// The new content, and after the change of places the old one.
    other: String,
    /// For the way by three steps.
    third: String,
}
