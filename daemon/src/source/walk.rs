//! Lists the files of a root by git's ignore rules, ours, and the root's own includes and excludes.
//!
//! Symlinks are not followed. In a root without an ignore file of its own, folders of build products are ignored. Nested
//! repositories are part of the root. Git's own rules do not apply to files that git tracks, nor to notes (`notes.rs`);
//! `.claudevilignore`, `.ignore` and the root's excludes do. A walk of a part of a root uses exactly the rules of the
//! whole.

mod admission;
mod folder_rules;
pub mod notes;
mod partial;
mod pattern;
mod rule_file;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::atomic::AtomicU64;

use claudevil_protocol::ToolError;

pub use self::admission::join;
use self::admission::{Admission, PathJudge};
use self::folder_rules::Verdict;
use self::partial::TrackedFiles;
use self::tree::{Listing, TreeWalk};
use super::cancel::CancelToken;
use super::file_stat::FileStat;
use super::git_dir::GitDir;
use super::git_index;
use super::globs::{Globs, folders_above};
use crate::clock;

/// Like `.gitignore`, for claudevil alone.
pub const OWN_IGNORE_FILE: &str = ".claudevilignore";

/// The ignore files, whose edits may change which files a root has.
pub const RULE_FILES: [&str; 3] = [".gitignore", ".ignore", OWN_IGNORE_FILE];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkedFile {
    /// Relative to the root, with `/` between its parts.
    pub path: String,
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified_nanos: i64,
    /// If it changes, the content may have changed.
    pub stamp: u64,
}

impl WalkedFile {
    fn new(
        path: String,
        FileStat {
            size,
            modified_nanos,
            stamp,
        }: FileStat,
    ) -> Self {
        Self {
            path,
            size,
            modified_nanos,
            stamp,
        }
    }

    pub fn modified_millis(&self) -> i64 {
        clock::nanos_to_millis(self.modified_nanos)
    }
}

#[derive(Debug, Default)]
pub struct WalkResult {
    /// In no particular order.
    pub files: Vec<WalkedFile>,
    /// The folders that may have files of the root, relative to it; the root itself is `""`. A walk of a part lists only
    /// those in the part. In no particular order.
    pub folders: Vec<String>,
    /// Paths that could not be read or are not UTF-8, with the reason in brackets. `.` is the root.
    pub unreadable: Vec<String>,
    /// Ignore files that are not used, with the reason in brackets, sorted. A walk of a part lists only those that it met.
    pub unused_rules: Vec<String>,
}

pub struct Rules {
    pub include: Globs,
    pub exclude: Globs,
}

impl Rules {
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, ToolError> {
        Ok(Self {
            include: Globs::new(include)?,
            exclude: Globs::new(exclude)?,
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Scope<'a> {
    Everything,
    /// These files, and everything in these folders, by their paths relative to the root. Files that are gone or ignored
    /// are not listed. `""` is everything.
    Only(&'a BTreeSet<String>),
}

/// Walks a root, or a part of it. `progress` is called now and then with the number of files so far.
pub fn walk(
    root: &Path,
    rules: &Rules,
    scope: Scope,
    cancel: &CancelToken,
    progress: &(dyn Fn(u64) + Sync),
) -> WalkResult {
    let git = GitDir::find(root);
    let Some(admission) = Admission::open(root, rules, git.as_ref()) else {
        return WalkResult {
            unreadable: vec![". (cannot be opened)".to_owned()],
            ..WalkResult::default()
        };
    };
    let tree = tree_walk(
        Listing::FilesAndFolders,
        &admission,
        rules,
        cancel,
        progress,
    );
    let mut judge = PathJudge::new(&admission);
    let mut walked = WalkResult::default();
    let add_others =
        |judge: &mut PathJudge, is_wanted: &dyn Fn(&str) -> bool, walked: &mut WalkResult| {
            add_tracked(rules, judge, git.as_ref(), is_wanted, walked);
            notes::add(rules, judge, is_wanted, walked);
        };
    match scope {
        Scope::Only(paths) if !paths.contains("") => {
            let is_wanted = |path: &str| {
                paths.contains(path) || folders_above(path).any(|up| paths.contains(up))
            };
            if partial::walk(&tree, &mut judge, paths, &mut walked) == TrackedFiles::MayBeMissing {
                add_others(&mut judge, &is_wanted, &mut walked);
            }
        }
        Scope::Only(_) | Scope::Everything => {
            walked = tree.everything();
            add_others(&mut judge, &|_| true, &mut walked);
        }
    }
    walked.unused_rules = admission.unused.take();
    walked
}

/// Lists the folders of a root without its files. Folders that have only tracked, otherwise ignored files may be missing.
pub fn folders(root: &Path, rules: &Rules, cancel: &CancelToken) -> Vec<String> {
    let git = GitDir::find(root);
    Admission::open(root, rules, git.as_ref())
        .map(|admission| {
            tree_walk(Listing::Folders, &admission, rules, cancel, &|_| {})
                .everything()
                .folders
        })
        .unwrap_or_default()
}

fn tree_walk<'a>(
    listing: Listing,
    admission: &'a Admission,
    rules: &'a Rules,
    cancel: &'a CancelToken,
    progress: &'a (dyn Fn(u64) + Sync),
) -> TreeWalk<'a> {
    TreeWalk {
        listing,
        admission,
        rules,
        cancel,
        progress,
        count: AtomicU64::new(0),
    }
}

/// Identifies the folder that a path leads to, by device, inode and birth time: inodes are soon reused.
#[cfg(unix)]
pub fn folder_identity(folder: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(folder).ok()?;
    let born = found.created().map_or(0, clock::nanos).cast_unsigned();
    Some((found.dev(), found.ino() ^ born.rotate_left(32)))
}

#[cfg(not(unix))]
pub fn folder_identity(folder: &Path) -> Option<(u64, u64)> {
    folder.is_dir().then_some((0, 0))
}

/// Returns the reason why a root's folder cannot be listed right now.
#[expect(
    clippy::disallowed_methods,
    reason = "only checks that it can be listed"
)]
pub fn unavailable_reason(root: &Path) -> Option<String> {
    std::fs::read_dir(root).err().map(|error| error.to_string())
}

/// Adds the files that git tracks although its rules ignore them, with the folders above them.
fn add_tracked(
    rules: &Rules,
    judge: &mut PathJudge,
    git: Option<&GitDir>,
    is_wanted: impl Fn(&str) -> bool,
    walked: &mut WalkResult,
) {
    let missing = {
        let known: HashSet<&str> = walked.files.iter().map(|file| file.path.as_str()).collect();
        let is_missing = |path: &str| !known.contains(path) && is_wanted(path);
        git.and_then(GitDir::index)
            .and_then(|index| git_index::tracked_files(&index, is_missing))
            .unwrap_or_default()
    };
    if missing.is_empty() {
        return;
    }
    let mut folders: HashSet<String> = walked.folders.drain(..).collect();
    for path in missing {
        add_ignored(rules, judge, path, &mut folders, &mut walked.files);
    }
    walked.folders.extend(folders);
}

/// Adds a file that git's rules ignore, with the folders above it, unless other rules exclude it.
fn add_ignored(
    rules: &Rules,
    judge: &mut PathJudge,
    path: String,
    folders: &mut HashSet<String>,
    files: &mut Vec<WalkedFile>,
) {
    let is_taken = is_included(rules, &path) && judge.file(&path) != Verdict::Excluded;
    if let Some(stat) = judge.dir().stat(&path).filter(|_| is_taken) {
        folders.extend(folders_above(&path).map(str::to_owned));
        files.push(WalkedFile::new(path, stat));
    }
}

/// Returns the files that git tracks and that are not known, whatever git's rules say.
pub fn tracked_files_except(
    root: &Path,
    rules: &Rules,
    is_known: impl Fn(&str) -> bool,
) -> Vec<String> {
    let git = GitDir::find(root);
    let Some(admission) = Admission::open(root, rules, git.as_ref()) else {
        return vec![];
    };
    let mut walked = WalkResult::default();
    add_tracked(
        rules,
        &mut PathJudge::new(&admission),
        git.as_ref(),
        |path| !is_known(path),
        &mut walked,
    );
    walked.files.into_iter().map(|file| file.path).collect()
}

fn is_included(rules: &Rules, path: &str) -> bool {
    rules.include.is_empty() || rules.include.covers(path)
}

fn relative(path: &Path, root: &Path) -> Option<String> {
    let inside = path.strip_prefix(root).ok()?.to_str()?;
    Some(if cfg!(windows) {
        inside.replace('\\', "/")
    } else {
        inside.to_owned()
    })
}

/// Returns whether a path may be inside something that could not be read.
pub fn may_hide(unreadable: &str, path: &str) -> bool {
    let hidden = unreadable
        .rsplit_once(" (")
        .map_or(unreadable, |(hidden, _)| hidden);
    hidden == "."
        || path
            .strip_prefix(hidden)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
