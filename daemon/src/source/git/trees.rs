//! Compares two commits, folder by folder; folders with the same object id are not entered.

use gix::ObjectId;
use gix::objs::TreeRef;
use gix::objs::tree::{EntryKind, EntryMode};

use super::{Comparison, GitError, Repository, Side, unreadable};

/// The longest path that any system can open.
const LONGEST_PATH: usize = 4096;
/// The most entries that are compared: more than any repository has, and few enough to be walked. Trees in git can contain each
/// other so often that there are billions.
pub const MAX_ENTRIES: usize = 5_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeEntry {
    File(ObjectId),
    Folder(ObjectId),
}

impl TreeEntry {
    /// Returns `None` for symlinks and submodules.
    fn new(mode: EntryMode, id: ObjectId) -> Option<Self> {
        match mode.kind() {
            EntryKind::Blob | EntryKind::BlobExecutable => Some(Self::File(id)),
            EntryKind::Tree => Some(Self::Folder(id)),
            EntryKind::Link | EntryKind::Commit => None,
        }
    }
}

pub type Entries = Vec<(Vec<u8>, TreeEntry)>;

/// Two folders to compare, and their path beneath the root.
struct FolderPair {
    path: Vec<u8>,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
}

impl Repository {
    /// Returns the files and folders of a tree, sorted by name.
    pub(super) fn entries(&self, tree: ObjectId) -> Result<Entries, GitError> {
        let bytes = self.tree(tree)?;
        let tree = TreeRef::from_bytes(&bytes, self.inner.object_hash())
            .map_err(|error| unreadable(&error))?;
        let mut entries: Entries = tree
            .entries
            .iter()
            .filter_map(|entry| {
                Some((
                    entry.filename.to_vec(),
                    TreeEntry::new(entry.mode, entry.oid.to_owned())?,
                ))
            })
            .collect();
        // Git sorts folders as if their names ended with `/`.
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(entries)
    }

    /// Returns the tree of the root in the tree of a commit.
    pub(super) fn root_tree(&self, top: ObjectId) -> Result<Option<ObjectId>, GitError> {
        let mut tree = top;
        for name in self.prefix.split_terminator('/') {
            let entries = self.entries(tree)?;
            match entries
                .into_iter()
                .find(|(entry, _)| entry == name.as_bytes())
            {
                Some((_, TreeEntry::Folder(id))) => tree = id,
                _ => return Ok(None),
            }
        }
        Ok(Some(tree))
    }
}

/// Joins a name to a folder; `None` for a path that is too long.
pub fn join(folder: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let path = if folder.is_empty() {
        name.to_vec()
    } else {
        [folder, name].join(&b'/')
    };
    (path.len() <= LONGEST_PATH).then_some(path)
}

impl Comparison<'_> {
    pub(super) fn trees(&mut self, old: Option<ObjectId>, new: ObjectId) -> Result<(), GitError> {
        let repository = self.repository;
        let old = old
            .map(|old| repository.root_tree(old))
            .transpose()?
            .flatten();
        let mut pairs = vec![FolderPair {
            path: vec![],
            old,
            new: repository.root_tree(new)?,
        }];
        let mut left = MAX_ENTRIES;
        while let Some(FolderPair { path, old, new }) = pairs.pop() {
            self.check()?;
            if old == new {
                continue;
            }
            let entries =
                |tree: Option<ObjectId>| tree.map_or(Ok(vec![]), |tree| repository.entries(tree));
            let (old, new) = (entries(old)?, entries(new)?);
            left = left
                .checked_sub(old.len() + new.len())
                .ok_or(GitError::TooMany)?;
            for (name, old, new) in paired(old, new) {
                let Some(path) = join(&path, &name) else {
                    continue;
                };
                let folder = |entry| {
                    if let Some(TreeEntry::Folder(id)) = entry {
                        Some(id)
                    } else {
                        None
                    }
                };
                let file = |entry| {
                    if let Some(TreeEntry::File(id)) = entry {
                        Side::Blob(id)
                    } else {
                        Side::Absent
                    }
                };
                if old != new {
                    self.bytes_path(&path, file(old), file(new))?;
                    pairs.push(FolderPair {
                        path,
                        old: folder(old),
                        new: folder(new),
                    });
                }
            }
        }
        Ok(())
    }

    /// Compares a file whose path may not be UTF-8.
    fn bytes_path(&mut self, path: &[u8], old: Side, new: Side) -> Result<(), GitError> {
        if let Ok(path) = std::str::from_utf8(path) {
            return self.file(path, old, new);
        }
        self.diff.skipped.unnamed +=
            usize::from(!matches!((old, new), (Side::Absent, Side::Absent)));
        Ok(())
    }
}

fn paired(old: Entries, new: Entries) -> Vec<(Vec<u8>, Option<TreeEntry>, Option<TreeEntry>)> {
    let mut paired = Vec::with_capacity(old.len().max(new.len()));
    let mut new = new.into_iter().peekable();
    for (name, entry) in old {
        while let Some((name, entry)) = new.next_if(|(other, _)| *other < name) {
            paired.push((name, None, Some(entry)));
        }
        let other = new
            .next_if(|(other, _)| *other == name)
            .map(|(_, entry)| entry);
        paired.push((name, Some(entry), other));
    }
    paired.extend(new.map(|(name, entry)| (name, None, Some(entry))));
    paired
}
