//! Compares two states of a root by its git repository, line by line.
//!
//! A library reads the repository. Neither git nor anything that a repository names is run: no hook, filter, external diff or
//! monitor. Files of the root are opened beneath it, git's folders are those that `git_dir.rs` trusts, and a folder with a
//! symlink or a pipe among the files that the library would open is refused (`safety.rs`), as are objects that are borrowed
//! from another user's repository. Configuration outside the repository is not read.
//!
//! The working tree is compared as it is, not as it is staged. Line ends that git converts at checkout are no changes;
//! other filters are not undone. A renamed file is one deleted and one added file. Symlinks, submodules and nested
//! repositories are not compared, nor are permissions.

mod commits;
mod lines;
mod revisions;
mod safety;
#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "git itself makes the repositories"
)]
mod tests;
mod trees;
mod working_tree;

use std::path::{Path, PathBuf};

use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::{ErrorCode, ToolError};
use gix::ObjectId;

pub use self::commits::{Blob, ChangedFile, ChangedFiles, CommitId, CommitInfo};
pub use self::lines::{Hunk, Span, hunks, is_binary};
use super::beneath::RootDir;
use super::cancel::CancelToken;
use super::git_dir::{GitDir, Head};

/// The largest tree in bytes. Most have some hundreds of entries of some tens of bytes each.
const LARGEST_TREE: u64 = 64 << 20;

/// Returns the branch and commit that are checked out in the repository at or around a root.
pub fn head(root: &Path) -> Option<Head> {
    let own = GitDir::find(root).and_then(|git| git.head());
    own.or_else(|| Repository::open(root).ok()?.head().ok())
}

/// Returns the commit that is checked out in the repository at or around a root; none on a branch without commits.
/// Reads a few small files, and no object.
pub fn head_commit(root: &Path) -> Result<Option<CommitId>, GitError> {
    let (top, git) = find_git(root)?;
    let head = commits::head_commit(&git)?;
    if head.is_none() {
        safety::check_references(&git).map_err(|why| refused(top, why))?;
    }
    Ok(head)
}

/// Returns the top of the repository at or around a root, and its git folder.
fn find_git(root: &Path) -> Result<(&Path, GitDir), GitError> {
    let has_git = |folder: &&Path| std::fs::symlink_metadata(folder.join(".git")).is_ok();
    let top = root
        .ancestors()
        .find(has_git)
        .ok_or_else(|| GitError::NoRepository(root.to_owned()))?;
    let git = GitDir::find(top).ok_or_else(|| leads_elsewhere(top))?;
    if top != root && !safety::has_same_owner(&git.own, root) {
        return Err(refused(top, "it belongs to another user".to_owned()));
    }
    Ok((top, git))
}

fn refused(top: &Path, why: String) -> GitError {
    GitError::Refused {
        root: top.to_owned(),
        why,
    }
}

fn leads_elsewhere(top: &Path) -> GitError {
    let why = "its `.git`, or a `commondir` in it, points to a location that git would not use";
    refused(top, why.to_owned())
}

/// A repository that a root lies in. It stays on the thread that opened it.
pub struct Repository {
    inner: gix::Repository,
    git: GitDir,
    root: PathBuf,
    /// The path of the root in the repository: empty, or with `/` at its end.
    prefix: String,
}

#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The most changed files.
    pub files: usize,
    /// The most bytes that are read in all.
    pub bytes: u64,
    pub largest_file: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            files: 2000,
            bytes: 256 << 20,
            largest_file: 4 << 20,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// The commit of the old lines; `None` if there is no commit yet.
    pub old: Option<String>,
    /// The commit of the new lines; `None` for the working tree.
    pub new: Option<String>,
    /// Sorted by path.
    pub files: Vec<FileDiff>,
    pub skipped: SkippedFiles,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    /// Relative to the root, with `/` between its parts.
    pub path: String,
    pub kind: DiffKind,
    /// In the order of the lines. Only an empty file that is added or deleted has none.
    pub hunks: Vec<Hunk>,
    /// The old content.
    old: Option<ObjectId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffKind {
    Added,
    Modified,
    Deleted,
}

/// The numbers of files that differ, or may differ, and are not shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkippedFiles {
    pub binary: usize,
    pub large: usize,
    /// Objects that a partial clone has not fetched, and files that cannot be read.
    pub unreadable: usize,
    /// Files whose names are not UTF-8.
    pub unnamed: usize,
    /// Files beyond the bounds.
    pub beyond: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("{} is not in a git repository", .0.display())]
    NoRepository(PathBuf),
    #[error("the git folder of {} is not read: {why}", .root.display())]
    Refused { root: PathBuf, why: String },
    #[error("unknown revision `{spec}`: {why}")]
    UnknownRevision { spec: String, why: String },
    #[error("`{0}` and `{1}` have no commit in common")]
    Unrelated(String, String),
    #[error("the repository cannot be read: {0}")]
    Unreadable(String),
    #[error("the repository has too many files to be compared")]
    TooMany,
    #[error("the caller gave up")]
    Cancelled,
}

impl From<GitError> for ToolError {
    fn from(error: GitError) -> Self {
        let message = error.to_string();
        match error {
            GitError::NoRepository(_) | GitError::Unrelated(..) | GitError::TooMany => {
                Self::invalid_argument(message)
            }
            GitError::UnknownRevision { .. } => Self::invalid_argument(message).with_hint(
                "give a branch, a tag, a commit, `a..b`, or `a...b` for what b has since it left a",
            ),
            GitError::Refused { .. } => Self::invalid_argument(message).with_hint(
                Line::from("ask about a symbol instead: ")
                    .call(NextCall::new("impact_analysis").with("symbol", "…")),
            ),
            GitError::Unreadable(_) => Self::new(ErrorCode::Internal, message),
            GitError::Cancelled => Self::new(ErrorCode::Cancelled, message),
        }
    }
}

fn unreadable(error: &dyn std::fmt::Display) -> GitError {
    GitError::Unreadable(error.to_string())
}

impl Repository {
    /// Opens the repository at or around a root. The path has no symlinks.
    pub fn open(root: &Path) -> Result<Self, GitError> {
        let (top, git) = find_git(root)?;
        let refused = |why: String| refused(top, why);
        safety::check(&git).map_err(refused)?;
        let prefix = root.strip_prefix(top).ok().and_then(Path::to_str);
        let prefix = prefix.ok_or_else(|| refused("the root's path is not UTF-8".to_owned()))?;
        let prefix = if prefix.is_empty() {
            String::new()
        } else {
            prefix.replace('\\', "/") + "/"
        };
        // Without the environment and the user's configuration, and with only the essentials of the repository's.
        let options = gix::open::Options::isolated()
            .open_path_as_is(true)
            .with(gix::sec::Trust::Reduced);
        let mut inner = gix::open_opts(&git.own, options).map_err(|error| unreadable(&error))?;
        // The library finds the common folder by itself: `commondir` may have changed since it was checked.
        let is_expected = |common: &Path| {
            std::fs::canonicalize(common)
                .is_ok_and(|common| std::fs::canonicalize(&git.shared).ok() == Some(common))
        };
        if !is_expected(inner.common_dir()) {
            return Err(leads_elsewhere(top));
        }
        inner.object_cache_size_if_unset(16 << 20);
        Ok(Self {
            inner,
            git,
            root: root.to_owned(),
            prefix,
        })
    }

    /// Returns the commit and branch that are checked out.
    pub fn head(&self) -> Result<Head, GitError> {
        self.git
            .head()
            .ok_or_else(|| GitError::Unreadable("HEAD is not understood".to_owned()))
    }

    /// Compares two commits (`a..b`), a commit with its merge base (`a...b`), or a commit, by default `HEAD`, with the working
    /// tree. `known` are the files that the root has now, including those that git does not track.
    pub fn diff<'k>(
        &self,
        spec: Option<&str>,
        known: impl IntoIterator<Item = &'k str>,
        bounds: Bounds,
        cancel: &CancelToken,
    ) -> Result<Diff, GitError> {
        let revisions = self.revisions(spec)?;
        let mut comparison = Comparison {
            repository: self,
            cancel,
            bounds,
            read: 0,
            diff: Diff::default(),
        };
        comparison.diff.old = revisions.old.map(|id| id.to_string());
        comparison.diff.new = revisions.new.map(|id| id.to_string());
        let old = revisions.old.map(|id| self.tree_of(id)).transpose()?;
        match revisions.new {
            Some(new) => comparison.trees(old, self.tree_of(new)?)?,
            None => comparison.working_tree(old, known)?,
        }
        comparison
            .diff
            .files
            .sort_by(|one, other| one.path.cmp(&other.path));
        Ok(comparison.diff)
    }

    /// Returns the old content of a file of a diff, unless it is larger than `most` or did not exist.
    pub fn before(&self, file: &FileDiff, most: u64) -> Option<Vec<u8>> {
        match self.object(file.old?, most).ok()? {
            ObjectContent::Bytes(bytes) => Some(bytes),
            ObjectContent::Missing | ObjectContent::Large => None,
        }
    }

    fn object(&self, id: ObjectId, most: u64) -> Result<ObjectContent, GitError> {
        // The size is read first, so that no object takes more memory than `most`.
        let Some(header) = self
            .inner
            .try_find_header(id)
            .map_err(|error| unreadable(&error))?
        else {
            return Ok(ObjectContent::Missing);
        };
        if header.size() > most {
            return Ok(ObjectContent::Large);
        }
        let object = self
            .inner
            .find_object(id)
            .map_err(|error| unreadable(&error))?;
        Ok(ObjectContent::Bytes(object.detach().data))
    }

    fn tree(&self, id: ObjectId) -> Result<Vec<u8>, GitError> {
        match self.object(id, LARGEST_TREE)? {
            ObjectContent::Bytes(bytes) => Ok(bytes),
            ObjectContent::Missing | ObjectContent::Large => Err(GitError::Unreadable(format!(
                "the tree {id} is missing or too large"
            ))),
        }
    }
}

enum ObjectContent {
    Bytes(Vec<u8>),
    Missing,
    Large,
}

/// A running comparison.
struct Comparison<'a> {
    repository: &'a Repository,
    cancel: &'a CancelToken,
    bounds: Bounds,
    read: u64,
    diff: Diff,
}

/// One of the two states of a file.
#[derive(Clone, Copy)]
enum Side<'a> {
    Absent,
    Blob(ObjectId),
    /// The file in the working tree.
    File(&'a RootDir),
}

impl Comparison<'_> {
    fn check(&self) -> Result<(), GitError> {
        if self.cancel.is_cancelled() {
            Err(GitError::Cancelled)
        } else {
            Ok(())
        }
    }

    /// Compares the two sides of a file.
    fn file(&mut self, path: &str, old: Side, new: Side) -> Result<(), GitError> {
        self.check()?;
        if let (Side::Absent, Side::Absent) = (old, new) {
            return Ok(());
        }
        if self.diff.files.len() >= self.bounds.files || self.read >= self.bounds.bytes {
            self.diff.skipped.beyond += 1;
            return Ok(());
        }
        let Some(before) = self.side(path, old)? else {
            return Ok(());
        };
        let Some(after) = self.side(path, new)? else {
            return Ok(());
        };
        let kind = match (&before, &after) {
            (None, None) => return Ok(()),
            (None, Some(_)) => DiffKind::Added,
            (Some(_), None) => DiffKind::Deleted,
            (Some(before), Some(after)) if before == after => return Ok(()),
            (Some(_), Some(_)) => DiffKind::Modified,
        };
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        if lines::is_binary(&before) || lines::is_binary(&after) {
            self.diff.skipped.binary += 1;
            return Ok(());
        }
        let hunks = lines::hunks(&before, &after, self.cancel).ok_or(GitError::Cancelled)?;
        if !hunks.is_empty() || kind != DiffKind::Modified {
            let old = if let Side::Blob(id) = old {
                Some(id)
            } else {
                None
            };
            self.diff.files.push(FileDiff {
                path: path.to_owned(),
                kind,
                hunks,
                old,
            });
        }
        Ok(())
    }

    /// Reads one side of a file. The outer `Option` is `None` if the file was skipped, the inner one if it does not exist.
    #[expect(clippy::option_option, reason = "both are described above")]
    fn side(&mut self, path: &str, side: Side) -> Result<Option<Option<Vec<u8>>>, GitError> {
        let most = self.bounds.largest_file;
        let found = match side {
            Side::Absent => return Ok(Some(None)),
            Side::Blob(id) => self.repository.object(id, most)?,
            Side::File(root) => {
                let mut bytes = vec![];
                match root.read_now(path, most, &mut bytes) {
                    Ok((_, length)) => {
                        bytes.truncate(length);
                        ObjectContent::Bytes(bytes)
                    }
                    Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => {
                        ObjectContent::Large
                    }
                    // It is gone, or a folder or symlink is in its place: git calls that deleted.
                    Err(_) if root.stat(path).is_none() => return Ok(Some(None)),
                    Err(_) => ObjectContent::Missing,
                }
            }
        };
        match found {
            ObjectContent::Bytes(bytes) => {
                self.read += bytes.len() as u64;
                return Ok(Some(Some(bytes)));
            }
            ObjectContent::Large => self.diff.skipped.large += 1,
            ObjectContent::Missing => self.diff.skipped.unreadable += 1,
        }
        Ok(None)
    }
}
