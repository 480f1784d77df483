//! A walk of a few paths, as after a change: nothing is listed that was not asked for.
//!
//! Files are judged one by one with the rules of the folders above them, read once. Folders are walked from the root
//! down, but only along the way to them. No thread is started.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::ops::Bound;
use std::path::{Component, Path};
use std::sync::Arc;

use ignore::{IncrementalIgnore, ParallelVisitor, WalkState};

use super::admission::Admission;
use super::{Collection, Collector, Walked, folders_above, is_included, relative, walked_file, walker};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Everything,
    /// Something is there that the rules leave out, and git may track it.
    PerhapsMoreTracked,
}

pub(super) fn walk(collection: &Collection, admission: &Arc<Admission>, paths: &BTreeSet<String>) -> Found {
    let root = collection.root;
    let mut result = Found::Everything;
    let mut collector = Collector { collection, found: Walked::default() };
    let mut judge: Option<Judge> = None;
    let mut folders = BTreeSet::new();
    for path in paths.iter().filter(|path| is_plain(path)) {
        if collection.cancel.is_cancelled() {
            return result;
        }
        let Ok(found) = fs::symlink_metadata(root.join(path)) else { continue };
        if found.is_dir() {
            folders.insert(path.clone());
        } else if found.is_file() && !folders_above(path).any(|above| folders.contains(above)) {
            let judge = judge.get_or_insert_with(|| Judge::new(root, admission));
            if !judge.admits_file(path) {
                result = Found::PerhapsMoreTracked;
            } else if is_included(collection.rules, path) {
                collector.found.files.push(walked_file(path.clone(), &found));
            }
        }
    }
    if !folders.is_empty() {
        walk_folders(&mut collector, admission, folders);
        result = Found::PerhapsMoreTracked;
    }
    result
}

fn walk_folders(collector: &mut Collector, admission: &Arc<Admission>, folders: BTreeSet<String>) {
    let root = collector.collection.root.to_owned();
    let mut builder = walker(&root, admission);
    let (admission, asked) = (Arc::clone(admission), Arc::new(folders));
    let folders = Arc::clone(&asked);
    builder.filter_entry(move |entry| {
        entry.depth() == 0
            || relative(entry.path(), &root).is_some_and(|path| is_in(&path, &asked) || is_on_the_way(&path, &asked))
                && admission.admits_entry(entry)
    });
    let root = collector.collection.root;
    for entry in builder.build() {
        let is_way = |path: &Path| relative(path, root).is_some_and(|path| !is_in(&path, &folders));
        if entry.as_ref().is_ok_and(|entry| is_way(entry.path())) {
            continue;
        }
        if matches!(collector.visit(entry), WalkState::Quit) {
            return;
        }
    }
}

fn is_in(path: &str, folders: &BTreeSet<String>) -> bool {
    folders.contains(path) || folders_above(path).any(|above| folders.contains(above))
}

fn is_on_the_way(path: &str, folders: &BTreeSet<String>) -> bool {
    let inside = format!("{path}/");
    let next = folders.range::<str, _>((Bound::Included(inside.as_str()), Bound::Unbounded)).next();
    next.is_some_and(|folder| folder.starts_with(&inside))
}

/// Whether it names something below the root and nothing else.
fn is_plain(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Judges single paths; remembers what it found out about folders.
struct Judge<'a> {
    root: &'a Path,
    admission: &'a Admission,
    matcher: Option<IncrementalIgnore>,
    folders: HashMap<String, bool>,
}

impl<'a> Judge<'a> {
    fn new(root: &'a Path, admission: &'a Admission) -> Self {
        let matcher = walker(root, admission).build_matchers().pop();
        Self { root, admission, matcher, folders: HashMap::new() }
    }

    fn admits_file(&mut self, path: &str) -> bool {
        folders_above(path).all(|folder| self.enters(folder))
            && self.admission.admits(&self.root.join(path), false)
            && !self.is_ignored(path, false)
    }

    /// Whether a walk that has come to the folder's parent goes into it. Asked from the top down, so that no ignore file
    /// is read before its folder was admitted.
    fn enters(&mut self, folder: &str) -> bool {
        if let Some(known) = self.folders.get(folder) {
            return *known;
        }
        let path = self.root.join(folder);
        let enters = fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir())
            && self.admission.admits(&path, true)
            && !self.is_ignored(folder, true);
        self.folders.insert(folder.to_owned(), enters);
        enters
    }

    fn is_ignored(&mut self, path: &str, is_folder: bool) -> bool {
        self.matcher.as_mut().is_none_or(|matcher| matcher.matched(path, is_folder).is_ignore())
    }
}
