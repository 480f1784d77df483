//! Reads commits: who made them, when and why, and the files that each of them changed.
//!
//! Messages and names are as they are in the repository: a caller that stores or shows them blanks secrets first.

use std::cmp::Ordering;

use gix::ObjectId;
use gix::objs::tree::{EntryKind, EntryRef};
use gix::objs::{CommitRef, TreeRefIter};
use gix::odb::pack::cache::lru::MemoryCappedHashmap;

use super::trees::join;
use super::{GitError, ObjectContent, Repository, unreadable};
use crate::source::cancel::CancelToken;
use crate::source::git_dir::GitDir;

/// The id of a commit.
pub type CommitId = [u8; 20];

/// The largest commit in bytes. A larger one carries signatures of others, or is hostile.
const LARGEST_COMMIT: u64 = 4 << 20;
/// The most entries that are compared in the folders in which a commit differs from its parent.
const MAX_ENTRIES: usize = 1_000_000;
/// The size of the cache of delta bases, in bytes.
const DELTA_BASES: usize = 48 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitInfo {
    pub parents: Vec<CommitId>,
    /// The time of the commit in seconds since 1970.
    pub seconds: i64,
    /// The name of the author, without the address.
    pub author: String,
    pub message: String,
    tree: ObjectId,
}

/// A file that differs between a commit and its first parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Relative to the root.
    pub path: String,
    pub old: Option<Blob>,
    pub new: Option<Blob>,
}

/// The id of a file's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Blob(ObjectId);

/// The files that a commit changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFiles {
    pub files: Vec<ChangedFile>,
    /// True if there are more than these.
    pub is_cut: bool,
}

impl Repository {
    /// Caches delta bases, which makes reading many objects faster.
    pub fn cache_objects(&mut self) {
        let cache = || Box::new(MemoryCappedHashmap::new(DELTA_BASES)) as _;
        self.inner.objects.set_pack_cache(cache);
    }

    /// Returns the id of the commit that is checked out; none on a branch without commits.
    pub fn head_commit(&self) -> Result<Option<CommitId>, GitError> {
        head_commit(&self.git)
    }

    /// Returns the path of the root in the repository: empty, or with `/` at its end.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Returns the commits whose parents are missing because the clone is shallow.
    pub fn shallow_commits(&self) -> Vec<CommitId> {
        let boundary = self.inner.shallow_commits().ok().flatten();
        let ids = boundary.iter().flat_map(|ids| ids.iter());
        ids.filter_map(|id| commit_id(*id).ok()).collect()
    }

    /// Returns a commit; none if the repository does not have it.
    pub fn commit_info(&self, id: CommitId) -> Result<Option<CommitInfo>, GitError> {
        let bytes = match self.object(ObjectId::Sha1(id), LARGEST_COMMIT)? {
            ObjectContent::Bytes(bytes) => bytes,
            ObjectContent::Missing | ObjectContent::Large => return Ok(None),
        };
        let commit = CommitRef::from_bytes(&bytes, self.inner.object_hash())
            .map_err(|error| unreadable(&error))?;
        let author = commit.author().map(|author| author.name.to_string());
        Ok(Some(CommitInfo {
            parents: commit.parents().map(commit_id).collect::<Result<_, _>>()?,
            seconds: commit.time().map_or(0, |time| time.seconds),
            author: author.unwrap_or_default(),
            message: String::from_utf8_lossy(commit.message).into_owned(),
            tree: commit.tree(),
        }))
    }

    /// Returns the files beneath the root, at most `most`, that a commit changed.
    pub fn changed_files(
        &self,
        parent: Option<&CommitInfo>,
        commit: &CommitInfo,
        most: usize,
        cancel: &CancelToken,
    ) -> Result<ChangedFiles, GitError> {
        let mut changed = ChangedFiles::default();
        let old = match parent.filter(|parent| parent.tree != commit.tree) {
            Some(parent) => self.root_tree(parent.tree)?,
            None if parent.is_some() => return Ok(changed),
            None => None,
        };
        let mut folders = vec![(Vec::new(), old, self.root_tree(commit.tree)?)];
        let mut left = MAX_ENTRIES;
        while let Some((folder, old, new)) = folders.pop() {
            if cancel.is_cancelled() {
                return Err(GitError::Cancelled);
            }
            if old == new {
                continue;
            }
            let bytes = |id: Option<ObjectId>| id.map_or(Ok(vec![]), |id| self.tree(id));
            let (old, new) = (bytes(old)?, bytes(new)?);
            let mut differing = vec![];
            let is_whole = self.compare_folders(&old, &new, &mut left, |old, new| {
                differing.push((old.map(to_owned), new.map(to_owned)));
            })?;
            changed.is_cut |= !is_whole;
            for (old, new) in differing {
                let name = old.as_ref().or(new.as_ref()).map(|entry| &entry.name);
                let Some(path) = name.and_then(|name| join(&folder, name)) else {
                    continue;
                };
                let file = |entry: &Option<Entry>| entry.as_ref().and_then(Entry::file);
                let (old_file, new_file) = (file(&old), file(&new));
                if old_file.is_some() || new_file.is_some() {
                    if changed.files.len() == most {
                        changed.is_cut = true;
                        return Ok(changed);
                    }
                    if let Ok(path) = String::from_utf8(path.clone()) {
                        changed.files.push(ChangedFile {
                            path,
                            old: old_file,
                            new: new_file,
                        });
                    }
                }
                let tree = |entry: &Option<Entry>| entry.as_ref().and_then(Entry::folder);
                if tree(&old).is_some() || tree(&new).is_some() {
                    folders.push((path, tree(&old), tree(&new)));
                }
            }
            if changed.is_cut {
                break;
            }
        }
        changed
            .files
            .sort_by(|one, other| one.path.cmp(&other.path));
        Ok(changed)
    }

    /// Reports the entries that two folders do not have in common. Returns false if there are too many to compare.
    fn compare_folders(
        &self,
        old: &[u8],
        new: &[u8],
        left: &mut usize,
        mut report: impl FnMut(Option<EntryRef<'_>>, Option<EntryRef<'_>>),
    ) -> Result<bool, GitError> {
        let entries = |bytes| TreeRefIter::from_bytes(bytes, self.inner.object_hash());
        let (mut old, mut new) = (entries(old), entries(new));
        let (mut one, mut other) = (next_entry(&mut old)?, next_entry(&mut new)?);
        loop {
            if *left == 0 {
                return Ok(false);
            }
            *left -= 1;
            let order = match (&one, &other) {
                (None, None) => return Ok(true),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(one), Some(other)) => one.cmp(other),
            };
            match order {
                Ordering::Less => {
                    report(one, None);
                    one = next_entry(&mut old)?;
                }
                Ordering::Greater => {
                    report(None, other);
                    other = next_entry(&mut new)?;
                }
                Ordering::Equal => {
                    if one != other {
                        report(one, other);
                    }
                    (one, other) = (next_entry(&mut old)?, next_entry(&mut new)?);
                }
            }
        }
    }

    /// Returns the content of a file, unless it is missing or larger than `most`.
    pub fn blob(&self, Blob(id): Blob, most: u64) -> Option<Vec<u8>> {
        match self.object(id, most).ok()? {
            ObjectContent::Bytes(bytes) => Some(bytes),
            ObjectContent::Missing | ObjectContent::Large => None,
        }
    }
}

pub fn head_commit(git: &GitDir) -> Result<Option<CommitId>, GitError> {
    let head = git.head();
    let head = head.ok_or_else(|| GitError::Unreadable("HEAD is not understood".to_owned()))?;
    let id = head.commit.map(|hex| ObjectId::from_hex(hex.as_bytes()));
    let id = id.transpose().map_err(|error| unreadable(&error))?;
    id.map(commit_id).transpose()
}

/// An entry of a folder that differs.
struct Entry {
    name: Vec<u8>,
    kind: EntryKind,
    id: ObjectId,
}

impl Entry {
    fn file(&self) -> Option<Blob> {
        let is_file = matches!(self.kind, EntryKind::Blob | EntryKind::BlobExecutable);
        is_file.then_some(Blob(self.id))
    }

    fn folder(&self) -> Option<ObjectId> {
        (self.kind == EntryKind::Tree).then_some(self.id)
    }
}

fn next_entry<'a>(entries: &mut TreeRefIter<'a>) -> Result<Option<EntryRef<'a>>, GitError> {
    let entry = entries.next().transpose();
    entry.map_err(|error| unreadable(&error))
}

fn to_owned(entry: EntryRef<'_>) -> Entry {
    Entry {
        name: entry.filename.to_vec(),
        kind: entry.mode.kind(),
        id: entry.oid.to_owned(),
    }
}

fn commit_id(id: ObjectId) -> Result<CommitId, GitError> {
    let id = id.as_bytes().try_into();
    id.map_err(|_| GitError::Unreadable("its commits do not have SHA-1 ids".to_owned()))
}
