//! How far an answer out of the index can be trusted to be complete and current: the same words for every tool.

pub mod text;

use serde::{Deserialize, Serialize};

/// What an answer may lack. Empty when it is whole and reflects every change made before the call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Freshness {
    /// There while the root is still being indexed: the answer covers what is done so far.
    pub partial: Option<IndexProgress>,
    /// The first files that changed and could not be looked at in time.
    pub stale: Vec<String>,
    /// How many there are in all.
    pub stale_total: u64,
    /// What else to know, e.g. that a part of the index is missing and what stands in for it.
    pub note: Option<String>,
}

impl Freshness {
    /// How many stale files are named.
    pub const STALE_SHOWN: usize = 10;

    /// Of files whose changes the answer may not show.
    #[must_use]
    pub fn with_stale(mut self, files: impl IntoIterator<Item = String>) -> Self {
        for file in files {
            self.stale_total += 1;
            if self.stale.len() < Self::STALE_SHOWN {
                self.stale.push(file);
            }
        }
        self
    }

    /// Returns whether files are missing from the index. Vectors that are missing change the order of results only.
    pub fn is_unfinished(&self) -> bool {
        self.partial
            .as_ref()
            .is_some_and(|progress| progress.phase != IndexPhase::Embedding)
    }

    /// Says one thing more, after what is said already.
    pub fn add_note(&mut self, note: impl Into<String>) {
        let note = note.into();
        self.note = Some(match self.note.take() {
            Some(before) => format!("{before}; {note}"),
            None => note,
        });
    }
}

/// How far the indexing of a root is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexProgress {
    pub phase: IndexPhase,
    /// Files.
    pub done: u64,
    pub total: u64,
    /// Files a second, lately.
    pub rate: f64,
    /// None until it can be told.
    pub eta_seconds: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IndexPhase {
    /// Finding out which files there are and which have changed.
    Scanning,
    /// Reading, parsing and cutting them into chunks.
    Extracting,
    /// Making what was found searchable.
    Committing,
    /// Computing vectors. Text and symbols are already complete.
    Embedding,
}

impl IndexPhase {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scanning => "scanning",
            Self::Extracting => "extracting",
            Self::Committing => "committing",
            Self::Embedding => "embedding",
        }
    }
}
