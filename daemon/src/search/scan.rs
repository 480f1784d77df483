//! Searches the files of a root whose index is missing or stale.
//!
//! Files are selected by the same walk and rules as for the index. The indexed state of a file is used only if the file has not
//! changed since; every other file is read. Files that could not be searched in time are counted.

#[cfg(test)]
mod tests;
mod unindexed_file;
mod words;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use claudevil_protocol::ToolError;

pub use self::unindexed_file::UnindexedFile;
pub use self::words::{ScanRequest, ScanResult, Window, WordQuery, scan_words};
use super::grep::SearchableFile;
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::source::cancel::CancelToken;
use crate::source::walk::{self, Rules, Scope, WalkedFile};

/// The files of a root that could be listed in time.
#[derive(Debug, Default)]
pub struct FileListing {
    /// Sorted by path.
    pub files: Vec<WalkedFile>,
    /// Folders that could not be listed.
    pub unreadable: Vec<String>,
    /// Ignore files that could not be used.
    pub unused_rules: Vec<String>,
    /// Says whether the walk was finished.
    pub is_whole: bool,
}

/// A file of the tree, with its indexed state if it has not changed since.
#[derive(Clone, Debug)]
pub struct TreeFile {
    path: String,
    indexed: Option<Arc<IndexedFile>>,
}

impl SearchableFile for TreeFile {
    fn path(&self) -> &str {
        &self.path
    }

    fn indexed(&self) -> Option<&IndexedFile> {
        self.indexed.as_deref()
    }
}

impl FileListing {
    /// Walks a root, no longer than `until`.
    pub fn new(
        root: &Path,
        rules: &Rules,
        until: Instant,
        cancel: &CancelToken,
    ) -> Result<Self, ToolError> {
        let stop = cancel.until(until);
        let mut walked = walk::walk(root, rules, Scope::Everything, &stop, &|_| {});
        cancel.check()?;
        walked
            .files
            .sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(Self {
            files: walked.files,
            unreadable: walked.unreadable,
            unused_rules: walked.unused_rules,
            is_whole: !stop.is_cancelled(),
        })
    }

    /// Returns the files, each with its indexed state.
    pub fn join(self, snapshot: &Snapshot) -> Vec<TreeFile> {
        let indexed = |file: &WalkedFile| {
            snapshot
                .file(&file.path)
                .filter(|known| known.record.stamp == file.stamp)
        };
        self.files
            .into_iter()
            .map(|file| TreeFile {
                indexed: indexed(&file).cloned(),
                path: file.path,
            })
            .collect()
    }
}
