//! The dirty sets of all roots, which the event thread fills, and the folders that are watched.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use notify::Event;

use super::RootId;
use super::cookie::Cookies;
use super::dirty_set::{DirtySet, GIT_LOCK, RescanReason, WatchedFolder, is_change, is_departure};
use crate::source::git_dir::GitDir;

pub struct ChangeLog {
    pub cookies: Cookies,
    roots: Mutex<Roots>,
}

#[derive(Default)]
struct Roots {
    known: BTreeMap<RootId, Root>,
    /// The roots of each folder: roots may be nested, and share a git folder.
    folders: HashMap<PathBuf, Vec<(RootId, WatchedFolder)>>,
}

struct Root {
    path: PathBuf,
    git: Option<GitDir>,
    dirty: DirtySet,
    /// The watches that the system has: a folder that is removed or renamed loses its watch, with all folders in it.
    watched: BTreeSet<PathBuf>,
}

impl ChangeLog {
    pub fn new(cookies: Cookies) -> Self {
        Self {
            cookies,
            roots: Mutex::default(),
        }
    }

    /// Records an event. Returns the folders of the roots that it matters to.
    pub fn record(&self, event: &Event) -> Vec<PathBuf> {
        if event.need_rescan() {
            return self.require_rescans(RescanReason::Overflow);
        }
        if !is_change(event) {
            return vec![];
        }
        let mut roots = self.roots();
        let mut changed = vec![];
        for path in &event.paths {
            for above in path.ancestors() {
                let Roots { known, folders } = &mut *roots;
                for (id, folder) in folders.get(above).into_iter().flatten() {
                    let (Some(root), Ok(inside)) = (known.get_mut(id), path.strip_prefix(above))
                    else {
                        continue;
                    };
                    if is_departure(event.kind) {
                        remove_beneath(&mut root.watched, path);
                    }
                    if root.dirty.record(*folder, inside, event.kind) {
                        changed.push(root.path.clone());
                    }
                }
            }
        }
        changed
    }

    /// Requires a rescan of every root, because events were lost. Cookies may be among them.
    pub fn require_rescans(&self, reason: RescanReason) -> Vec<PathBuf> {
        let mut roots = self.roots();
        let changed = roots.known.values_mut().map(|root| {
            root.dirty.require_rescan(reason);
            root.path.clone()
        });
        let changed = changed.collect();
        drop(roots);
        self.cookies.retry();
        changed
    }

    pub fn register(&self, id: RootId, path: &Path, git: Option<&GitDir>) {
        let mut roots = self.roots();
        roots.drop_folders(id);
        let mut add = |path: &Path, folder| {
            roots
                .folders
                .entry(path.to_owned())
                .or_default()
                .push((id, folder));
        };
        add(path, WatchedFolder::Root);
        if let Some(git) = git {
            add(&git.own, WatchedFolder::Git);
            add(&git.info(), WatchedFolder::GitInfo);
        }
        let (path, git) = (path.to_owned(), git.cloned());
        if let Some(root) = roots.known.get_mut(&id) {
            (root.path, root.git) = (path, git);
        } else {
            let root = Root {
                path,
                git,
                dirty: DirtySet::default(),
                watched: BTreeSet::new(),
            };
            roots.known.insert(id, root);
        }
    }

    /// Removes a root. Returns the folders that it watched.
    pub fn remove_root(&self, id: RootId) -> Vec<PathBuf> {
        let mut roots = self.roots();
        roots.drop_folders(id);
        let Some(root) = roots.known.remove(&id) else {
            return vec![];
        };
        root.watched.into_iter().collect()
    }

    /// Removes the watches of a root that are neither on these folders nor on git's, and returns them.
    pub fn retain_watches(&self, id: RootId, path: &Path, folders: &[String]) -> Vec<PathBuf> {
        let mut roots = self.roots();
        let Some(root) = roots.known.get_mut(&id) else {
            return vec![];
        };
        let mut kept: BTreeSet<PathBuf> = folders
            .iter()
            .map(|folder| folder_path(path, folder))
            .collect();
        kept.extend(root.git.iter().flat_map(GitDir::watched));
        let others: Vec<_> = root.watched.difference(&kept).cloned().collect();
        root.watched.retain(|folder| kept.contains(folder));
        others
    }

    pub fn path_of(&self, id: RootId) -> Option<PathBuf> {
        self.roots().known.get(&id).map(|root| root.path.clone())
    }

    /// Returns the ids of the roots at a path.
    pub fn roots_at(&self, path: &Path) -> Vec<RootId> {
        let roots = self.roots();
        let at = roots.folders.get(path).into_iter().flatten();
        at.filter(|(_, folder)| *folder == WatchedFolder::Root)
            .map(|(id, _)| *id)
            .collect()
    }

    /// Takes the dirty set of a root, which is empty afterwards.
    pub fn take(&self, id: RootId) -> DirtySet {
        let mut roots = self.roots();
        let Some(root) = roots.known.get_mut(&id) else {
            return DirtySet::default();
        };
        let mut dirty = std::mem::take(&mut root.dirty);
        let lock = root.git.as_ref().map(|git| git.own.join(GIT_LOCK));
        drop(roots);
        dirty.git_busy = lock.is_some_and(|lock| std::fs::symlink_metadata(lock).is_ok());
        dirty
    }

    /// Calls `look` with the dirty set of a root, without taking it.
    pub fn with_dirty<T>(&self, id: RootId, look: impl FnOnce(&DirtySet) -> T) -> Option<T> {
        self.roots().known.get(&id).map(|root| look(&root.dirty))
    }

    pub fn put_back(&self, id: RootId, dirty: DirtySet) {
        if let Some(root) = self.roots().known.get_mut(&id) {
            root.dirty.paths.extend(dirty.paths);
            root.dirty.rescan = root.dirty.rescan.max(dirty.rescan);
            root.dirty.git_changed |= dirty.git_changed;
        }
    }

    pub fn mark_dirty(&self, id: RootId, folders: Vec<String>) {
        if let Some(root) = self.roots().known.get_mut(&id) {
            root.dirty.paths.extend(folders);
        }
    }

    pub fn add_watches(&self, id: RootId, folders: &[PathBuf]) {
        if let Some(root) = self.roots().known.get_mut(&id) {
            root.watched.extend(folders.iter().cloned());
        }
    }

    pub fn is_watched(&self, folder: &Path) -> bool {
        self.roots()
            .known
            .values()
            .any(|root| root.watched.contains(folder))
    }

    pub fn remove_watch(&self, id: RootId, folder: &Path) {
        if let Some(root) = self.roots().known.get_mut(&id) {
            root.watched.remove(folder);
        }
    }

    pub fn unwatched(&self, id: RootId, path: &Path, folders: &[String]) -> Vec<String> {
        let roots = self.roots();
        let Some(root) = roots.known.get(&id) else {
            return vec![];
        };
        folders
            .iter()
            .filter(|folder| !root.watched.contains(&folder_path(path, folder)))
            .cloned()
            .collect()
    }

    /// Returns whether a root watches folders besides its own and git's.
    pub fn has_folders(&self, id: RootId, path: &Path) -> bool {
        let is_inside = |folder: &PathBuf| {
            let first = folder
                .strip_prefix(path)
                .ok()
                .and_then(|inside| inside.components().next());
            first.is_some_and(|first| first.as_os_str() != ".git")
        };
        self.roots()
            .known
            .get(&id)
            .is_some_and(|root| root.watched.iter().any(is_inside))
    }

    /// Counts the folders that the root does not watch.
    pub fn count_unwatched(&self, id: RootId, folders: &[PathBuf]) -> usize {
        let roots = self.roots();
        let Some(root) = roots.known.get(&id) else {
            return folders.len();
        };
        folders
            .iter()
            .filter(|folder| !root.watched.contains(*folder))
            .count()
    }

    /// Counts all watches; those that roots share count twice.
    pub fn count_watches(&self) -> usize {
        self.roots()
            .known
            .values()
            .map(|root| root.watched.len())
            .sum()
    }

    fn roots(&self) -> MutexGuard<'_, Roots> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Roots {
    fn drop_folders(&mut self, id: RootId) {
        self.folders.retain(|_, at| {
            at.retain(|(owner, _)| *owner != id);
            !at.is_empty()
        });
    }
}

/// Joins the path of a folder; `join("")` would add a slash.
pub fn folder_path(root: &Path, folder: &str) -> PathBuf {
    if folder.is_empty() {
        root.to_owned()
    } else {
        root.join(folder)
    }
}

fn remove_beneath(watched: &mut BTreeSet<PathBuf>, path: &Path) {
    let range = (Bound::Included(path), Bound::Unbounded);
    let gone: Vec<_> = watched
        .range::<Path, _>(range)
        .take_while(|one| one.starts_with(path))
        .cloned()
        .collect();
    for one in gone {
        watched.remove(&one);
    }
}
