//! Which files a root has: git's ignore rules, ours, and the root's own includes and excludes.
//!
//! Symlinks are not followed. A root without an ignore file of its own lacks the folders that hold products rather than
//! sources. Nested repositories are part of the root. Git's own rules do not apply to what git tracks, nor to notes
//! (`notes.rs`); `.claudevilignore`, `.ignore` and the root's excludes do. A part of a root is judged by exactly the rules
//! of the whole.

mod admission;
mod folder_rules;
mod narrow;
pub mod notes;
mod pattern;
mod rule_file;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::atomic::AtomicU64;

use self::admission::{Admission, PathJudge};
use self::folder_rules::Verdict;
use self::narrow::Coverage;
use self::tree::{Listing, TreeWalk};
use super::beneath::FileStat;
use super::cancel::CancelToken;
use super::git_dir::GitDir;
use super::globs::Globs;
use super::tracked;
use crate::clock;

/// Like `.gitignore`, for claudevil alone.
pub const OWN_IGNORE_FILE: &str = ".claudevilignore";

/// An edit of any of these may change which files a root has.
pub const RULE_FILES: [&str; 3] = [".gitignore", ".ignore", OWN_IGNORE_FILE];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkedFile {
    /// Relative to the root, with `/` between its parts.
    pub path: String,
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified_nanos: i64,
    /// Another one calls for a look at the content.
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
        clock::millis_of_nanos(self.modified_nanos)
    }
}

#[derive(Debug, Default)]
pub struct WalkResult {
    /// In no particular order.
    pub files: Vec<WalkedFile>,
    /// The folders that hold or may come to hold files of the root, relative to it; the root itself is `""`. Of a part of
    /// a root only those in the part. In no particular order.
    pub folders: Vec<String>,
    /// What could not be read, or not be named in UTF-8: a path, and why in brackets. `.` is the root.
    pub unreadable: Vec<String>,
    /// Ignore files whose rules are not obeyed: a path, and why in brackets. Sorted; of a part of a root only those that
    /// were met on the way.
    pub unused_rules: Vec<String>,
}

pub struct Rules {
    pub include: Globs,
    pub exclude: Globs,
}

#[derive(Clone, Copy, Debug)]
pub enum Scope<'a> {
    Everything,
    /// These files, and everything in these folders, by their paths relative to the root. What is gone or ignored is not
    /// among the results. `""` is everything.
    Only(&'a BTreeSet<String>),
}

/// Walks a root, or a part of it. `seen` is told now and then how many files there are so far.
pub fn walk(
    root: &Path,
    rules: &Rules,
    scope: Scope,
    cancel: &CancelToken,
    seen: &(dyn Fn(u64) + Sync),
) -> WalkResult {
    let git = GitDir::find(root);
    let Some(admission) = Admission::open(root, rules, git.as_ref()) else {
        return WalkResult {
            unreadable: vec![". (cannot be opened)".to_owned()],
            ..WalkResult::default()
        };
    };
    let tree = tree_walk(Listing::FilesAndFolders, &admission, rules, cancel, seen);
    let mut judge = PathJudge::new(&admission);
    let mut walked = WalkResult::default();
    let add_others =
        |judge: &mut PathJudge, is_asked: &dyn Fn(&str) -> bool, walked: &mut WalkResult| {
            add_tracked(rules, judge, git.as_ref(), is_asked, walked);
            notes::add(rules, judge, is_asked, walked);
        };
    match scope {
        Scope::Only(paths) if !paths.contains("") => {
            let is_asked = |path: &str| {
                paths.contains(path) || folders_above(path).any(|up| paths.contains(up))
            };
            if narrow::walk(&tree, &mut judge, paths, &mut walked) == Coverage::PerhapsMoreTracked {
                add_others(&mut judge, &is_asked, &mut walked);
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

/// The folders of a root, without a look at its files: those in which only git tracks something may be missing.
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
    seen: &'a (dyn Fn(u64) + Sync),
) -> TreeWalk<'a> {
    TreeWalk {
        listing,
        admission,
        rules,
        cancel,
        seen,
        count: AtomicU64::new(0),
    }
}

/// Which folder a path leads to: by device, number and birth, because numbers are soon given to the next folder.
#[cfg(unix)]
pub fn identity(folder: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(folder).ok()?;
    let born = found.created().map_or(0, clock::nanos).cast_unsigned();
    Some((found.dev(), found.ino() ^ born.rotate_left(32)))
}

#[cfg(not(unix))]
pub fn identity(folder: &Path) -> Option<(u64, u64)> {
    folder.is_dir().then_some((0, 0))
}

/// Why a root's folder cannot be used right now.
#[expect(clippy::disallowed_methods, reason = "only whether it can be listed")]
pub fn unavailable(root: &Path) -> Option<String> {
    std::fs::read_dir(root).err().map(|error| error.to_string())
}

/// The folders that a path lies in, from the outermost, without the root.
pub fn folders_above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// Adds what git's rules name and git tracks all the same, with the folders that it lies in.
fn add_tracked(
    rules: &Rules,
    judge: &mut PathJudge,
    git: Option<&GitDir>,
    is_asked: impl Fn(&str) -> bool,
    walked: &mut WalkResult,
) {
    let missing = {
        let known: HashSet<&str> = walked.files.iter().map(|file| file.path.as_str()).collect();
        tracked_files(git, |path| !known.contains(path) && is_asked(path))
    };
    if missing.is_empty() {
        return;
    }
    let mut folders: HashSet<String> = walked.folders.drain(..).collect();
    for path in missing {
        let is_ours = is_included(rules, &path) && judge.file(&path) != Verdict::LeftOut;
        if let Some(found) = judge.dir().stat(&path).filter(|_| is_ours) {
            folders.extend(folders_above(&path).map(str::to_owned));
            walked.files.push(WalkedFile::new(path, found));
        }
    }
    walked.folders.extend(folders);
}

fn tracked_files(git: Option<&GitDir>, wanted: impl FnMut(&str) -> bool) -> Vec<String> {
    git.and_then(GitDir::index)
        .and_then(|index| tracked::files(&index, wanted))
        .unwrap_or_default()
}

/// Files that git tracks and are not known, whatever git's rules say of them.
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

/// Whether something that could not be read may hide a path.
pub fn may_hide(unreadable: &str, path: &str) -> bool {
    let hidden = unreadable
        .rsplit_once(" (")
        .map_or(unreadable, |(hidden, _)| hidden);
    hidden == "."
        || path
            .strip_prefix(hidden)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
