//! Stored vectors, as both ends of their pipe know them.

pub mod codes;
pub mod recorded;
#[doc(hidden)]
pub mod samples;
pub mod wire;

use std::collections::{HashMap, HashSet};

pub use self::codes::{ChunkHash, ChunkVector, NotFinite, turn_bound};

/// The vectors that can be compared with each other: those of one model, of one length.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Space {
    pub model: String,
    pub dimensions: usize,
}

/// Shown in the status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    pub tables: usize,
    pub vectors: usize,
    /// Complaints of the latest opening or maintenance of a table.
    pub troubles: Vec<String>,
}

/// The vectors of one space, of several that lie together. Failures are words: whoever asks goes on without.
pub trait Store: Send + Sync {
    /// Says what is not installed, where nothing can be stored because of it.
    fn absence(&self) -> Option<String> {
        None
    }
    /// Returns how many of them can be read afterwards.
    fn append(&self, vectors: &[ChunkVector]) -> Result<usize, String>;
    fn load(&self, hashes: &[ChunkHash]) -> Result<HashMap<ChunkHash, ChunkVector>, String>;
    fn count(&self) -> Result<usize, String>;
    /// Returns how many rows went.
    fn keep_only(&self, live: &HashSet<ChunkHash>) -> Result<u64, String>;
    /// Forgets all models but these, unless none is named; prunes and compacts.
    fn maintain(&self, kept: &[String]) -> Result<(), String>;
    /// Lets go of whatever it has open. The next call opens it again.
    fn close(&self);
    /// Counts what there is, by its ledgers alone.
    fn contents(&self) -> Result<Contents, String>;
}
