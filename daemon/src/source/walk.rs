//! Which files a root has: git's ignore rules, ours, and the root's own includes and excludes.
//!
//! Symlinks are not followed. Where no ignore file speaks, folders that hold products rather than sources are left
//! out. Nested repositories are part of the root. What git tracks is never ignored, whatever a rule says, and neither are
//! notes (`notes.rs`). A part of a root is judged by exactly the rules of the whole.

mod admission;
mod narrow;
pub mod notes;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::gitignore::Gitignore;
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkBuilder, WalkState};

use self::admission::Admission;
use super::beneath::{self, FileStat, RootDir};
use super::cancel::Cancel;
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
    pub fn modified_millis(&self) -> i64 {
        clock::millis_of_nanos(self.modified_nanos)
    }
}

#[derive(Debug, Default)]
pub struct Walked {
    /// In no particular order.
    pub files: Vec<WalkedFile>,
    /// The folders that hold or may come to hold files of the root, relative to it; the root itself is `""`. Of a part of
    /// a root only those in the part. In no particular order.
    pub folders: Vec<String>,
    /// What could not be read, or not be named in UTF-8: a path, and why in brackets. `.` is the root.
    pub unreadable: Vec<String>,
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
pub fn walk(root: &Path, rules: &Rules, scope: Scope, cancel: &Cancel, seen: &(dyn Fn(u64) + Sync)) -> Walked {
    let git = GitDir::of(root);
    if let Some(bad) = admission::hostile_at_the_top(root, git.as_ref()) {
        let unreadable = vec![format!("{bad} (not a plain file of at most 1 MB)")];
        return Walked { unreadable, ..Walked::default() };
    }
    let admission = Arc::new(Admission::new(root, rules, git.as_ref()));
    let collection = Collection::of(Wanted::Everything, root, rules, cancel, seen);
    let index = || git.as_ref().and_then(GitDir::index);
    match scope {
        Scope::Only(paths) if !paths.contains("") => {
            let narrowed = narrow::walk(&collection, &admission, paths);
            let mut walked = collection.finish();
            let is_asked = |path: &str| paths.contains(path) || folders_above(path).any(|up| paths.contains(up));
            if narrowed == narrow::Found::PerhapsMoreTracked {
                add_tracked(root, rules, index(), is_asked, &mut walked);
                notes::add(root, rules, is_asked, &mut walked);
            }
            walked
        }
        Scope::Only(_) | Scope::Everything => {
            let mut walked = collection.everything(admission);
            add_tracked(root, rules, index(), |_| true, &mut walked);
            notes::add(root, rules, |_| true, &mut walked);
            walked
        }
    }
}

/// The folders of a root, without a look at its files: those in which only git tracks something may be missing.
pub fn folders(root: &Path, rules: &Rules, cancel: &Cancel) -> Vec<String> {
    let git = GitDir::of(root);
    if admission::hostile_at_the_top(root, git.as_ref()).is_some() {
        return vec![];
    }
    let admission = Arc::new(Admission::new(root, rules, git.as_ref()));
    Collection::of(Wanted::Folders, root, rules, cancel, &|_| {}).everything(admission).folders
}

#[cfg(unix)]
fn stamp_of(found: &std::fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let modified = beneath::nanos(found.mtime(), found.mtime_nsec());
    beneath::stamp(found.len(), modified, beneath::nanos(found.ctime(), found.ctime_nsec()), found.ino())
}

#[cfg(not(unix))]
fn stamp_of(found: &std::fs::Metadata) -> u64 {
    beneath::stamp(found.len(), found.modified().map_or(0, clock::nanos), 0, 0)
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

fn walker(root: &Path, admission: &Admission) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .parents(admission.above_is_sound)
        // Below the root a `.git` may be a file that leads anywhere; the root's own is looked at by the admission.
        .git_exclude(false)
        .require_git(false)
        .follow_links(false)
        .add_custom_ignore_filename(OWN_IGNORE_FILE)
        .threads(std::thread::available_parallelism().map_or(2, |cores| cores.get().min(4)));
    builder
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Everything,
    Folders,
}

/// What a walk brings together, from several threads.
struct Collection<'a> {
    wanted: Wanted,
    root: &'a Path,
    rules: &'a Rules,
    cancel: &'a Cancel,
    seen: &'a (dyn Fn(u64) + Sync),
    count: AtomicU64,
    whole: Mutex<Walked>,
}

/// What one thread has found; joins the rest when the thread is done, so that threads do not wait for each other.
struct Collector<'a> {
    collection: &'a Collection<'a>,
    found: Walked,
}

impl<'s, 'a: 's> ParallelVisitorBuilder<'s> for &'a Collection<'a> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 's> {
        Box::new(Collector { collection: self, found: Walked::default() })
    }
}

impl ParallelVisitor for Collector<'_> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        let collection = self.collection;
        if collection.cancel.is_cancelled() {
            return WalkState::Quit;
        }
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => {
                self.found.folders.extend(relative(entry.path(), collection.root));
            }
            Ok(_) if collection.wanted == Wanted::Folders => {}
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => self.take(&entry),
            Ok(_) => {}
            Err(error) => self.found.unreadable.extend(unreadable(&error, collection.root)),
        }
        WalkState::Continue
    }
}

impl Collector<'_> {
    fn take(&mut self, entry: &DirEntry) {
        let root = self.collection.root;
        let Some(path) = relative(entry.path(), root) else {
            let shown = entry.path().strip_prefix(root).unwrap_or(root).display();
            self.found.unreadable.push(format!("{shown} (its name is not UTF-8)"));
            return;
        };
        if !is_included(self.collection.rules, &path) {
            return;
        }
        // A file that has gone since it was listed is not missing from anything.
        let Ok(found) = entry.metadata() else { return };
        self.found.files.push(walked_file(path, &found));
        let count = self.collection.count.fetch_add(1, Ordering::Relaxed) + 1;
        if count.is_multiple_of(1000) {
            (self.collection.seen)(count);
        }
    }
}

impl Drop for Collector<'_> {
    fn drop(&mut self) {
        let mut whole = self.collection.whole.lock().unwrap_or_else(PoisonError::into_inner);
        whole.files.append(&mut self.found.files);
        whole.folders.append(&mut self.found.folders);
        whole.unreadable.append(&mut self.found.unreadable);
    }
}

impl<'a> Collection<'a> {
    fn of(
        wanted: Wanted,
        root: &'a Path,
        rules: &'a Rules,
        cancel: &'a Cancel,
        seen: &'a (dyn Fn(u64) + Sync),
    ) -> Self {
        Self { wanted, root, rules, cancel, seen, count: AtomicU64::new(0), whole: Mutex::default() }
    }

    fn everything(self, admission: Arc<Admission>) -> Walked {
        let mut builder = walker(self.root, &admission);
        builder.filter_entry(move |entry| entry.depth() == 0 || admission.admits_entry(entry));
        builder.build_parallel().visit(&mut &self);
        self.finish()
    }

    fn finish(self) -> Walked {
        self.whole.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds what an ignore rule names and git tracks all the same, with the folders that it lies in.
fn add_tracked(
    root: &Path,
    rules: &Rules,
    index: Option<Vec<u8>>,
    is_asked: impl Fn(&str) -> bool,
    walked: &mut Walked,
) {
    let Some(index) = index else { return };
    let Ok(dir) = RootDir::open(root, "") else { return };
    let known: HashSet<&str> = walked.files.iter().map(|file| file.path.as_str()).collect();
    let missing = tracked::files(&index, |path| !known.contains(path) && is_asked(path)).unwrap_or_default();
    if missing.is_empty() {
        return;
    }
    let own_rules = Gitignore::new(root.join(OWN_IGNORE_FILE)).0;
    let mut folders: HashSet<String> = walked.folders.drain(..).collect();
    for path in missing {
        let is_ours = !rules.exclude.covers(&path)
            && is_included(rules, &path)
            && !own_rules.matched_path_or_any_parents(&path, false).is_ignore();
        if let Some(FileStat { size, modified_nanos, stamp }) = dir.stat(&path).filter(|_| is_ours) {
            folders.extend(folders_above(&path).map(str::to_owned));
            walked.files.push(WalkedFile { path, size, modified_nanos, stamp });
        }
    }
    walked.folders.extend(folders);
}

/// Files that git tracks and are not known, whatever ignore rules say of them.
pub fn tracked_besides(root: &Path, rules: &Rules, is_known: impl Fn(&str) -> bool) -> Vec<String> {
    let mut walked = Walked::default();
    let index = GitDir::of(root).as_ref().and_then(GitDir::index);
    add_tracked(root, rules, index, |path| !is_known(path), &mut walked);
    walked.files.into_iter().map(|file| file.path).collect()
}

fn is_included(rules: &Rules, path: &str) -> bool {
    rules.include.is_empty() || rules.include.covers(path)
}

fn walked_file(path: String, found: &std::fs::Metadata) -> WalkedFile {
    WalkedFile {
        path,
        size: found.len(),
        modified_nanos: found.modified().map_or(0, clock::nanos),
        stamp: stamp_of(found),
    }
}

fn relative(path: &Path, root: &Path) -> Option<String> {
    let inside = path.strip_prefix(root).ok()?.to_str()?;
    Some(if cfg!(windows) { inside.replace('\\', "/") } else { inside.to_owned() })
}

/// None for what has gone since it was listed.
fn unreadable(error: &ignore::Error, root: &Path) -> Option<String> {
    let kind = error.io_error().map(io::Error::kind);
    let why = kind.map_or_else(|| "cannot be listed".to_owned(), |kind| kind.to_string());
    match path_of(error).filter(|path| *path != root) {
        Some(_) if matches!(kind, Some(io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)) => None,
        Some(path) => Some(format!("{} ({why})", path.strip_prefix(root).unwrap_or(path).display())),
        None => Some(format!(". ({why})")),
    }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}

/// Whether something that could not be read may hide a path.
pub fn may_hide(unreadable: &str, path: &str) -> bool {
    let hidden = unreadable.rsplit_once(" (").map_or(unreadable, |(hidden, _)| hidden);
    hidden == "." || path.strip_prefix(hidden).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
