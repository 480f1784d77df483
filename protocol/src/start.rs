//! The report of a starting daemon to the client that spawned it.
//!
//! One line of JSON on its standard output, which the client has connected to a pipe. A pipe ends by itself when the
//! child dies, so "died before it could say anything" needs no time-out, and nothing is left behind on disk.

use serde::{Deserialize, Serialize};

use crate::process::Fingerprint;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartReport {
    /// Listening.
    Ready { pid: u32 },
    /// Another daemon holds the lock.
    AlreadyRunning { pid: Option<u32> },
    /// It cannot run; trying again will not help until something is changed.
    Failed { message: String },
}

/// Exit codes of `claudevild run`, for scripts and service managers.
pub mod exit {
    pub const FAILED: u8 = 1;
    /// Another daemon holds the lock: not a failure worth a restart.
    pub const ALREADY_RUNNING: u8 = 75;
}

/// Content of the daemon's lock file, for people and for `daemon stop` when the socket is dead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockHolder {
    pub pid: u32,
    pub build: String,
    /// It takes no more connections and finishes its calls.
    #[serde(default)]
    pub leaving: bool,
    /// Missing in files of builds that did not write it yet.
    #[serde(default)]
    pub process: Option<Fingerprint>,
}

impl LockHolder {
    /// Describes this process.
    pub fn own(build: String) -> Self {
        Self {
            pid: std::process::id(),
            build,
            leaving: false,
            process: Some(Fingerprint::own()),
        }
    }

    pub fn is_same_daemon(&self, other: &Self) -> bool {
        (self.pid, &self.process) == (other.pid, &other.process)
    }
}
