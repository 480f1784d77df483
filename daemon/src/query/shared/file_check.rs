//! Compares the files of a result with the index before they are shown: they may have been changed or removed since.

use std::collections::HashMap;

use super::loaded_root::LoadedRoot;
use crate::index::snapshot::Snapshot;
use crate::query::Context;
use crate::search::grep::reader::{FileContent, Reader};
use crate::source::beneath::{Presence, RootDir};

/// Checks each file of one answer once.
pub struct FileChecker<'a> {
    snapshot: &'a Snapshot,
    /// None while the root itself is unavailable: its index is then shown as it is.
    dir: Option<RootDir>,
    largest: u64,
    checked: HashMap<String, FileState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileState {
    AsIndexed,
    Changed,
    Gone,
}

impl<'a> FileChecker<'a> {
    pub fn new(context: &Context, indexed: &'a LoadedRoot) -> Self {
        Self {
            snapshot: &indexed.snapshot,
            dir: RootDir::open(indexed.root.path.as_ref(), &indexed.root.name).ok(),
            largest: context.indexes.shared().settings.largest_file,
            checked: HashMap::default(),
        }
    }

    pub fn check(&mut self, path: &str) -> FileState {
        if let Some(state) = self.checked.get(path) {
            return *state;
        }
        let state = self.compare(path);
        self.checked.insert(path.to_owned(), state);
        state
    }

    fn compare(&self, path: &str) -> FileState {
        let (Some(dir), Some(file)) = (&self.dir, self.snapshot.file(path)) else {
            return FileState::AsIndexed;
        };
        match dir.presence(path) {
            Presence::Gone => FileState::Gone,
            Presence::File(now) if now.stamp == file.record.stamp => FileState::AsIndexed,
            // A file that was only touched still has the indexed content.
            Presence::File(_) => match Reader::new(dir, self.largest).open(file) {
                FileContent::Text(text) if text.is_as_indexed => FileState::AsIndexed,
                FileContent::Text(_) | FileContent::Skipped(_) => FileState::Changed,
                FileContent::Gone => FileState::Gone,
            },
            Presence::Hidden => FileState::AsIndexed,
        }
    }
}
