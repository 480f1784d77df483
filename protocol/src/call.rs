//! The data that accompanies every call.

use serde::{Deserialize, Serialize};

/// The context of a call: its id, its project, and its options.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Call {
    /// Unique among the calls of one connection.
    pub id: u64,
    /// The project of the session, as the client has resolved it for this call.
    pub project: Option<Project>,
    /// Keep progress for this call, to be fetched with `watch_progress`.
    pub progress: bool,
    /// The one root, by path or name, that the session may ask about. Calls about any other are refused.
    pub only_root: Option<String>,
    /// True if the answer counts in the statistics of its root; false for a part of a larger answer.
    pub is_counted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// An absolute path, or the name of a known root.
    pub root: String,
    pub origin: Origin,
}

/// The source of a project, for error messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    Argument,
    ClientRoots,
    SessionVariable,
    Option,
    WorkingDirectory,
}

impl Origin {
    pub fn describe(self) -> &'static str {
        match self {
            Self::Argument => "given as the root",
            Self::ClientRoots => "the client's workspace roots",
            Self::SessionVariable => "CLAUDE_PROJECT_DIR",
            Self::Option => "the option --root",
            Self::WorkingDirectory => "the working directory",
        }
    }
}

/// The progress of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Grows with every change.
    pub sequence: u64,
    pub done: u64,
    pub total: Option<u64>,
    pub message: String,
}
