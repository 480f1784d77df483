//! Comparing two commits, folder by folder: those of the same name in git are not entered.

use gix::ObjectId;
use gix::objs::TreeRef;
use gix::objs::tree::{EntryKind, EntryMode};

use super::{Comparison, GitError, Repository, Side, unreadable};

/// The longest path that a system can open.
const LONGEST_PATH: usize = 4096;
/// More than any repository has, and few enough to be walked: folders in git can name each other so that there are
/// billions.
pub const MOST_ENTRIES: usize = 5_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    File(ObjectId),
    Folder(ObjectId),
}

impl What {
    /// None for links and submodules.
    fn of(mode: EntryMode, id: ObjectId) -> Option<Self> {
        match mode.kind() {
            EntryKind::Blob | EntryKind::BlobExecutable => Some(Self::File(id)),
            EntryKind::Tree => Some(Self::Folder(id)),
            EntryKind::Link | EntryKind::Commit => None,
        }
    }
}

pub type Entries = Vec<(Vec<u8>, What)>;

/// Two folders to be compared, and where they lie beneath the root.
struct Pair {
    path: Vec<u8>,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
}

impl Repository {
    /// The files and folders of a folder, sorted by name.
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
                    What::of(entry.mode, entry.oid.to_owned())?,
                ))
            })
            .collect();
        // Git sorts folders as if their names ended with `/`.
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(entries)
    }

    /// The root's own folder in a commit's.
    pub(super) fn beneath(&self, top: ObjectId) -> Result<Option<ObjectId>, GitError> {
        let mut tree = top;
        for name in self.prefix.split_terminator('/') {
            let entries = self.entries(tree)?;
            match entries
                .into_iter()
                .find(|(entry, _)| entry == name.as_bytes())
            {
                Some((_, What::Folder(id))) => tree = id,
                _ => return Ok(None),
            }
        }
        Ok(Some(tree))
    }
}

/// A name beneath a folder, unless it is longer than any that can be opened.
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
            .map(|old| repository.beneath(old))
            .transpose()?
            .flatten();
        let mut pairs = vec![Pair {
            path: vec![],
            old,
            new: repository.beneath(new)?,
        }];
        let mut left = MOST_ENTRIES;
        while let Some(Pair { path, old, new }) = pairs.pop() {
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
                let folder = |what| {
                    if let Some(What::Folder(id)) = what {
                        Some(id)
                    } else {
                        None
                    }
                };
                let file = |what| {
                    if let Some(What::File(id)) = what {
                        Side::Blob(id)
                    } else {
                        Side::Nothing
                    }
                };
                if old != new {
                    self.named(&path, file(old), file(new))?;
                    pairs.push(Pair {
                        path,
                        old: folder(old),
                        new: folder(new),
                    });
                }
            }
        }
        Ok(())
    }

    fn named(&mut self, path: &[u8], old: Side, new: Side) -> Result<(), GitError> {
        if let Ok(path) = std::str::from_utf8(path) {
            return self.file(path, old, new);
        }
        self.diff.skipped.unnamed +=
            usize::from(!matches!((old, new), (Side::Nothing, Side::Nothing)));
        Ok(())
    }
}

fn paired(old: Entries, new: Entries) -> Vec<(Vec<u8>, Option<What>, Option<What>)> {
    let mut paired = Vec::with_capacity(old.len().max(new.len()));
    let mut new = new.into_iter().peekable();
    for (name, what) in old {
        while let Some((name, what)) = new.next_if(|(other, _)| *other < name) {
            paired.push((name, None, Some(what)));
        }
        let other = new
            .next_if(|(other, _)| *other == name)
            .map(|(_, what)| what);
        paired.push((name, Some(what), other));
    }
    paired.extend(new.map(|(name, what)| (name, None, Some(what))));
    paired
}
