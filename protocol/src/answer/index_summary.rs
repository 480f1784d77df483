//! What is in the index of a root, and what is not and why.

use serde::{Deserialize, Serialize};

/// What is in the index of a root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexSummary {
    pub files: u64,
    pub chunks: u64,
    pub symbols: u64,
    pub vectors: u64,
    /// What the index takes.
    pub bytes_on_disk: u64,
    /// What the indexed files have.
    pub source_bytes: u64,
    /// With one decimal; zero without files.
    pub chunks_per_file: f64,
    /// The mean size of a chunk in bytes; zero without chunks.
    pub bytes_per_chunk: u64,
    /// Most files first.
    pub languages: Vec<LanguageCount>,
    /// What was checked out when it was last indexed. None outside of git.
    pub commit: Option<IndexedCommit>,
    /// When the index was made, in milliseconds since 1970.
    pub created: i64,
    /// When it was last brought up to date.
    pub last_indexed: i64,
    /// When a file last changed.
    pub last_change: Option<i64>,
    pub skipped: SkippedFiles,
    /// Secrets that were left out of the index.
    pub redacted_secrets: u64,
    /// Files that were parsed with errors and are indexed as far as they were understood.
    pub parse_errors: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedCommit {
    pub hash: String,
    /// None when no branch is checked out.
    pub branch: Option<String>,
}

/// Files that are not in the index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedFiles {
    pub total: u64,
    /// Most first.
    pub reasons: Vec<SkipCount>,
    /// Some of them.
    pub examples: Vec<SkippedFile>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkipCount {
    pub reason: SkipReason,
    pub files: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedFile {
    pub path: String,
    pub reason: SkipReason,
}

/// Why a file is not in the index. Bincode numbers these by position: new ones go to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    Binary,
    NotUtf8,
    TooLarge,
    Generated,
    Minified,
    /// A file that is a credential as a whole, e.g. a private key.
    Secret,
    Unreadable,
    ParserCrashed,
    ParserTooSlow,
    ParserMemory,
}

impl SkipReason {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::NotUtf8 => "not UTF-8",
            Self::TooLarge => "too large",
            Self::Generated => "generated",
            Self::Minified => "minified",
            Self::Secret => "secret",
            Self::Unreadable => "unreadable",
            Self::ParserCrashed => "parser crashed",
            Self::ParserTooSlow => "parser too slow",
            Self::ParserMemory => "parser out of memory",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageCount {
    pub language: String,
    pub files: u64,
}
