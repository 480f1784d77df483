//! What the event thread notes and everybody else takes: the dirty sets, and which folders are watched.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use notify::Event;

use super::RootId;
use super::cookie::Cookies;
use super::dirty_set::{DirtySet, GIT_LOCK, News, Place, RescanReason, is_change, is_departure};
use crate::source::git_dir::GitDir;

pub struct Noted {
    pub cookies: Cookies,
    roots: Mutex<Roots>,
}

#[derive(Default)]
struct Roots {
    known: BTreeMap<RootId, Root>,
    /// Roots may lie in each other, and share git's folder.
    places: HashMap<PathBuf, Vec<(RootId, Place)>>,
}

struct Root {
    path: PathBuf,
    git: Option<GitDir>,
    dirty: DirtySet,
    /// As the system has them: what is removed or renamed has lost its watch, with all that is in it.
    watched: BTreeSet<PathBuf>,
}

impl Noted {
    pub fn new(cookies: Cookies) -> Self {
        Self {
            cookies,
            roots: Mutex::default(),
        }
    }

    /// Notes an event. The folders of the roots that have news are handed back.
    pub fn note(&self, event: &Event) -> Vec<PathBuf> {
        if event.need_rescan() {
            return self.note_everywhere(RescanReason::Overflow);
        }
        if !is_change(event) {
            return vec![];
        }
        let mut roots = self.roots();
        let mut woken = vec![];
        for path in &event.paths {
            for above in path.ancestors() {
                let Roots { known, places } = &mut *roots;
                for (id, place) in places.get(above).into_iter().flatten() {
                    let (Some(root), Ok(inside)) = (known.get_mut(id), path.strip_prefix(above))
                    else {
                        continue;
                    };
                    if is_departure(event.kind) {
                        forget_beneath(&mut root.watched, path);
                    }
                    if root.dirty.note(*place, inside, event.kind) == News::Some {
                        woken.push(root.path.clone());
                    }
                }
            }
        }
        woken
    }

    /// Notes that reports for every root are missing. Cookies may be among them.
    pub fn note_everywhere(&self, reason: RescanReason) -> Vec<PathBuf> {
        let mut roots = self.roots();
        let woken = roots.known.values_mut().map(|root| {
            root.dirty.note_rescan(reason);
            root.path.clone()
        });
        let woken = woken.collect();
        drop(roots);
        self.cookies.lost();
        woken
    }

    pub fn register(&self, id: RootId, path: &Path, git: Option<&GitDir>) {
        let mut roots = self.roots();
        roots.drop_places(id);
        let mut place = |path: &Path, place| {
            roots
                .places
                .entry(path.to_owned())
                .or_default()
                .push((id, place));
        };
        place(path, Place::Root);
        if let Some(git) = git {
            place(&git.own, Place::Git);
            place(&git.info(), Place::GitInfo);
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

    /// Forgets a root. What it watched is handed back.
    pub fn forget(&self, id: RootId) -> Vec<PathBuf> {
        let mut roots = self.roots();
        roots.drop_places(id);
        let Some(root) = roots.known.remove(&id) else {
            return vec![];
        };
        root.watched.into_iter().collect()
    }

    /// Forgets the watches of a root that are on none of these folders nor on git's, and hands them back.
    pub fn forget_others(&self, id: RootId, path: &Path, folders: &[String]) -> Vec<PathBuf> {
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

    /// The ids of the roots at a path.
    pub fn roots_at(&self, path: &Path) -> Vec<RootId> {
        let roots = self.roots();
        let at = roots.places.get(path).into_iter().flatten();
        at.filter(|(_, place)| *place == Place::Root)
            .map(|(id, _)| *id)
            .collect()
    }

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

    /// What has been noted and not been taken yet.
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

    pub fn look_again(&self, id: RootId, folders: Vec<String>) {
        if let Some(root) = self.roots().known.get_mut(&id) {
            root.dirty.paths.extend(folders);
        }
    }

    pub fn will_watch(&self, id: RootId, folders: &[PathBuf]) {
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

    pub fn is_not_watched(&self, id: RootId, folder: &Path) {
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

    /// Whether a root watches folders besides its own and git's.
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

    /// How many of these folders the root does not watch.
    pub fn without_watch(&self, id: RootId, folders: &[PathBuf]) -> usize {
        let roots = self.roots();
        let Some(root) = roots.known.get(&id) else {
            return folders.len();
        };
        folders
            .iter()
            .filter(|folder| !root.watched.contains(*folder))
            .count()
    }

    /// How many watches there are; those that roots share count twice.
    pub fn watches(&self) -> usize {
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
    fn drop_places(&mut self, id: RootId) {
        self.places.retain(|_, at| {
            at.retain(|(owner, _)| *owner != id);
            !at.is_empty()
        });
    }
}

/// Joining nothing would add a slash.
pub fn folder_path(root: &Path, folder: &str) -> PathBuf {
    if folder.is_empty() {
        root.to_owned()
    } else {
        root.join(folder)
    }
}

fn forget_beneath(watched: &mut BTreeSet<PathBuf>, path: &Path) {
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
