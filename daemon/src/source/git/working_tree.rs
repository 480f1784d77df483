//! Compares a commit with the files as they are now.
//!
//! The index lists the files that git tracks; most of them are as they were staged, by their size and times. If its cache
//! of trees also has the tree of a folder, everything in the folder is as committed, and the commit's tree is not read.
//! Only the remaining files are read and compared.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use gix::ObjectId;
use gix::index::entry::{Flags, Mode};
use gix::index::{Entry, File};

use super::trees::{MAX_ENTRIES, TreeEntry, join};
use super::{Comparison, GitError, Repository, Side, unreadable};
use crate::source::beneath::RootDir;
use crate::source::globs::folders_above;

/// The files of a commit that differ from the index.
#[derive(Default)]
struct CommittedFiles {
    files: HashMap<Vec<u8>, ObjectId>,
    /// The folders whose content is exactly as in the index, by their paths with `/` at the end.
    as_staged: HashSet<Vec<u8>>,
}

impl CommittedFiles {
    fn is_as_staged(&self, path: &[u8]) -> bool {
        let folders = path
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'/')
            .map(|(at, _)| &path[..=at]);
        !self.as_staged.is_empty()
            && (self.as_staged.contains(&b""[..])
                || folders
                    .into_iter()
                    .any(|folder| self.as_staged.contains(folder)))
    }
}

/// Caches which folders are repositories of their own.
struct NestedRepositories<'a> {
    root: &'a Path,
    cache: HashMap<String, bool>,
}

impl NestedRepositories<'_> {
    fn is_repository(&mut self, folder: &str) -> bool {
        if let Some(known) = self.cache.get(folder) {
            return *known;
        }
        let is_one = std::fs::symlink_metadata(self.root.join(folder).join(".git")).is_ok();
        self.cache.insert(folder.to_owned(), is_one);
        is_one
    }
}

impl Repository {
    fn index(&self) -> Result<Option<File>, GitError> {
        let path = self.git.own.join("index");
        if !path.exists() {
            return Ok(None);
        }
        let options = gix::index::decode::Options::default();
        // The configuration may turn the checksum off, and then it is zero.
        File::at(path, self.inner.object_hash(), false, options)
            .map(Some)
            .map_err(|error| unreadable(&error))
    }
}

impl Comparison<'_> {
    pub(super) fn working_tree<'k>(
        &mut self,
        old: Option<ObjectId>,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Result<(), GitError> {
        let repository = self.repository;
        let dir = RootDir::open(&repository.root, "")
            .map_err(|error| GitError::Unreadable(error.message.to_string()))?;
        let index = repository.index()?;
        let mut committed = self.committed(old, index.as_ref())?;
        let mut tracked: HashSet<&str> = HashSet::new();
        // Folders of submodules, and those that a sparse checkout excludes.
        let mut excluded: HashSet<&str> = HashSet::new();
        let prefix = repository.prefix.as_bytes();
        for entry in index.as_ref().map_or(&[][..], |index| index.entries()) {
            let Some(index) = &index else { continue };
            let Some(path) = entry.path(index).strip_prefix(prefix) else {
                continue;
            };
            let base = if committed.is_as_staged(path) {
                Some(entry.id)
            } else {
                committed.files.remove(path)
            };
            let Ok(path) = std::str::from_utf8(path) else {
                self.diff.skipped.unnamed += usize::from(base != Some(entry.id));
                continue;
            };
            if entry.mode == Mode::COMMIT || entry.mode == Mode::DIR {
                excluded.insert(path.trim_end_matches('/'));
                continue;
            }
            // A conflict has up to three entries: the commit is compared with the file, once.
            if !tracked.insert(path) || !matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE) {
                continue;
            }
            let is_absent = entry
                .flags
                .intersects(Flags::SKIP_WORKTREE | Flags::ASSUME_VALID);
            let is_same =
                base == Some(entry.id) && (is_absent || self.is_as_staged(entry, index, path));
            if !is_same {
                let new = if is_absent {
                    Side::Blob(entry.id)
                } else {
                    Side::File(&dir)
                };
                self.file(path, base.map_or(Side::Absent, Side::Blob), new)?;
            }
        }
        // Committed, but no longer in the index.
        let mut compared: HashSet<String> = HashSet::new();
        for (path, base) in committed.files {
            let Ok(path) = std::str::from_utf8(&path) else {
                self.diff.skipped.unnamed += 1;
                continue;
            };
            if !tracked.contains(path)
                && !folders_above(path).any(|folder| excluded.contains(folder))
            {
                self.file(path, Side::Blob(base), Side::File(&dir))?;
                compared.insert(path.to_owned());
            }
        }
        let mut nested = NestedRepositories {
            root: &repository.root,
            cache: HashMap::new(),
        };
        for path in known {
            let is_tracked = tracked.contains(path) || compared.contains(path);
            let mut is_out = || {
                folders_above(path)
                    .any(|folder| excluded.contains(folder) || nested.is_repository(folder))
            };
            if !is_tracked && !is_out() {
                self.file(path, Side::Absent, Side::File(&dir))?;
            }
        }
        Ok(())
    }

    /// Reads the trees of a commit beneath the root.
    fn committed(
        &self,
        old: Option<ObjectId>,
        index: Option<&File>,
    ) -> Result<CommittedFiles, GitError> {
        let repository = self.repository;
        let mut committed = CommittedFiles::default();
        let Some(top) = old
            .map(|old| repository.root_tree(old))
            .transpose()?
            .flatten()
        else {
            return Ok(committed);
        };
        let mut staged = index.and_then(|index| index.tree());
        for name in repository.prefix.split_terminator('/') {
            staged = staged.and_then(|tree| {
                tree.children
                    .iter()
                    .find(|child| child.name.as_slice() == name.as_bytes())
            });
        }
        let mut folders = vec![(vec![], top, staged)];
        let mut left = MAX_ENTRIES;
        while let Some((path, tree, staged)) = folders.pop() {
            self.check()?;
            if staged.is_some_and(|staged| staged.num_entries.is_some() && staged.id == tree) {
                let end = if path.is_empty() { &b""[..] } else { b"/" };
                committed.as_staged.insert([&path, end].concat());
                continue;
            }
            for (name, entry) in repository.entries(tree)? {
                left = left.checked_sub(1).ok_or(GitError::TooMany)?;
                let Some(path) = join(&path, &name) else {
                    continue;
                };
                match entry {
                    TreeEntry::File(id) => drop(committed.files.insert(path, id)),
                    TreeEntry::Folder(id) => {
                        let below = |staged: &gix::index::extension::Tree| {
                            staged
                                .children
                                .iter()
                                .position(|child| child.name.as_slice() == name.as_slice())
                        };
                        let staged =
                            staged.and_then(|staged| Some(&staged.children[below(staged)?]));
                        folders.push((path, id, staged));
                    }
                }
            }
        }
        Ok(committed)
    }

    /// Returns whether a file has the size and times that it had when it was staged, and was older than the index then: one
    /// that changed in the moment in which the index was written may have the same times.
    fn is_as_staged(&self, entry: &Entry, index: &File, path: &str) -> bool {
        let Ok(found) = std::fs::symlink_metadata(self.repository.root.join(path)) else {
            return false;
        };
        let staged = &entry.stat;
        #[expect(clippy::cast_possible_truncation, reason = "git keeps the lower half")]
        let is_size = found.len() as u32 == staged.size;
        let written = index.timestamp();
        let is_older = (i64::from(staged.mtime.secs), staged.mtime.nsecs)
            < (written.unix_seconds(), written.nanoseconds());
        // Without fractions of a second it must be older by a whole one.
        let is_safe =
            staged.mtime.nsecs != 0 || i64::from(staged.mtime.secs) < written.unix_seconds();
        found.is_file() && is_size && is_older && is_safe && has_times(&found, entry)
    }
}

#[cfg(unix)]
fn has_times(found: &std::fs::Metadata, entry: &Entry) -> bool {
    use std::os::unix::fs::MetadataExt;
    let is = |secs: i64, nanos: i64, staged: &gix::index::entry::stat::Time| {
        secs == i64::from(staged.secs) && (staged.nsecs == 0 || nanos == i64::from(staged.nsecs))
    };
    is(found.mtime(), found.mtime_nsec(), &entry.stat.mtime)
        && is(found.ctime(), found.ctime_nsec(), &entry.stat.ctime)
}

#[cfg(not(unix))]
fn has_times(found: &std::fs::Metadata, entry: &Entry) -> bool {
    let nanos = found.modified().map_or(0, crate::clock::nanos);
    nanos / 1_000_000_000 == i64::from(entry.stat.mtime.secs)
        && (entry.stat.mtime.nsecs == 0
            || nanos % 1_000_000_000 == i64::from(entry.stat.mtime.nsecs))
}
