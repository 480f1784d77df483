//! Stored vectors: the types that the daemon and `claudevil-vectors` share.

pub mod codes;
#[doc(hidden)]
pub mod samples;
pub mod sharing;
pub mod table_ledger;
pub mod wire;

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

pub use self::codes::{ChunkHash, ChunkVector, NotFinite, turn_bound};

/// A vector space: the vectors of one model and one length, which can be compared with each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Space {
    pub model: String,
    pub dimensions: usize,
}

/// The size of the store, for the status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    pub tables: usize,
    pub vectors: usize,
    /// Errors of the latest opening or maintenance of each table.
    pub troubles: Vec<String>,
}

/// The stored vectors of one space. Errors are text, because callers only show them and go on without the store.
pub trait Store: Send + Sync {
    /// Returns an explanation if nothing can be stored because a program is not installed.
    fn missing_program(&self) -> Option<String> {
        None
    }
    /// Stores vectors. Returns how many of them can be read back.
    fn append(&self, vectors: &[ChunkVector]) -> Result<usize, String>;
    fn load(&self, hashes: &[ChunkHash]) -> Result<HashMap<ChunkHash, ChunkVector>, String>;
    fn count(&self) -> Result<usize, String>;
    /// Removes all vectors but these. Returns how many rows were removed.
    fn keep_only(&self, live: &HashSet<ChunkHash>) -> Result<u64, String>;
    /// Drops the vectors of all models but the retained ones, unless none is given; prunes and compacts.
    fn maintain(&self, retained: &[String]) -> Result<(), String>;
    /// Closes the store. The next call opens it again.
    fn close(&self);
    /// Counts the vectors from the ledgers alone, without opening a table.
    fn contents(&self) -> Result<Contents, String>;
}
