//! Vectors that a team shares: what a person can ask the daemon about them.
//!
//! This is not a tool: an agent has no use for it, and it may change the vectors that others read.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SharingAction {
    Status,
    /// Adds the vectors of a project that the team does not have.
    Push,
    /// Reads vectors that this machine does not have.
    Pull,
    /// Removes vectors that were shared at least this many days ago and that no project on this machine has.
    Collect {
        days: u32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharingRequest {
    pub action: SharingAction,
    /// Wait until every chunk has a vector, as long as one call may.
    pub wait: bool,
}

/// The state of shared vectors, after the action.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharingReport {
    /// None if nothing is set.
    pub location: Option<String>,
    pub read_only: bool,
    /// The reason why shared vectors are configured but not used.
    pub unused: Option<String>,
    /// The id of the model whose vectors are shared.
    pub model: Option<String>,
    pub root: Option<String>,
    /// The chunks of the root, and those with a vector of the model.
    pub chunks: u64,
    pub vectors: u64,
    /// Nothing of the root waits to be indexed or embedded, and a push has added everything.
    pub is_complete: bool,
    /// Vectors since the daemon started: read instead of made, made by the model, refused because they are damaged or
    /// forged, added, and left out because the store did not take them.
    pub read: u64,
    pub made: u64,
    pub refused: u64,
    pub added: u64,
    pub left_out: u64,
    /// Vectors that will be added.
    pub pending: u64,
    /// The failure of the latest request to the store.
    pub trouble: Option<String>,
    /// None where it was not asked for, or cannot be read.
    pub table: Option<TableState>,
    /// Vectors that this push added, or this pull found.
    pub moved: u64,
    pub collected: Option<CollectOutcome>,
}

/// The size of a team's table for one model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableState {
    pub vectors: u64,
    pub files: u64,
    pub version: u64,
    /// Files whose keys could not be read.
    pub unreadable_files: u64,
}

/// The effect of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectOutcome {
    /// Rows that were too old, or duplicates.
    pub removed: u64,
    pub files_before: u64,
    pub files_after: u64,
    /// Bytes of versions that are no longer read.
    pub freed_bytes: u64,
}
