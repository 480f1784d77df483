//! Hits are looked at once more before they are shown: a file may have gone, or become another, since it was indexed.

use std::collections::HashMap;

use super::Context;
use super::indexed::Indexed;
use crate::index::snapshot::Snapshot;
use crate::search::grep::reader::{FileContent, Reader};
use crate::source::beneath::{Presence, RootDir};

/// The files of one answer, each looked at once.
pub struct StillThere<'a> {
    snapshot: &'a Snapshot,
    /// None while the root itself is away: what is known of it is kept, and shown.
    dir: Option<RootDir>,
    largest: u64,
    seen: HashMap<String, Seen>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    AsIndexed,
    Changed,
    Gone,
}

impl<'a> StillThere<'a> {
    pub fn new(context: &Context, indexed: &'a Indexed) -> Self {
        Self {
            snapshot: &indexed.snapshot,
            dir: RootDir::open(indexed.root.path.as_ref(), &indexed.root.name).ok(),
            largest: context.indexes.shared().settings.largest_file,
            seen: HashMap::default(),
        }
    }

    pub fn look(&mut self, path: &str) -> Seen {
        if let Some(seen) = self.seen.get(path) {
            return *seen;
        }
        let seen = self.look_now(path);
        self.seen.insert(path.to_owned(), seen);
        seen
    }

    fn look_now(&self, path: &str) -> Seen {
        let (Some(dir), Some(file)) = (&self.dir, self.snapshot.file(path)) else {
            return Seen::AsIndexed;
        };
        match dir.presence(path) {
            Presence::Gone => Seen::Gone,
            Presence::File(now) if now.stamp == file.record.stamp => Seen::AsIndexed,
            // Content decides, as everywhere.
            Presence::File(_) => match Reader::new(dir, self.largest).open(file) {
                FileContent::Text(text) if text.is_as_indexed => Seen::AsIndexed,
                FileContent::Text(_) | FileContent::Skipped(_) => Seen::Changed,
                FileContent::Gone => Seen::Gone,
            },
            Presence::Hidden => Seen::AsIndexed,
        }
    }
}
