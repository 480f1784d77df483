//! Notices changes of the files of roots: one watcher for the whole daemon.
//!
//! What the system reports is noted at once in a set per root, which [`Watcher::take_dirty`] hands over; a little later,
//! and once for many changes, `on_change` wakes whoever takes it. Nothing here reads a file or decides what it means:
//! a noted path says "look again", no more, and may be ignored, gone, or a folder.
//!
//! How to use it without losing anything:
//! 1. [`Watcher::watch`] the root before it is walked, and again after each [`RescanReason`].
//! 2. Walk with [`Watcher::walk`], never with the bare walk: it watches each folder before it lists it for the last time.
//!    What is made in a folder later is reported, what was made earlier is listed. Events alone would miss what is made
//!    in a new folder before its watch is there.
//! 3. To answer about "now": [`Watcher::sync`], then [`Watcher::take_dirty`].
//! 4. Where it says [`WatchMethod::Polling`], and slowly everywhere, walk from time to time and compare.
//!
//! **Invariant:** no lock that the event thread takes is held while the system's watcher is asked for something: it answers
//! from that very thread.

mod cookie;
mod dirty_set;
mod mount;
mod noted;
mod tap;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use notify::{PathOp, RecursiveMode, WatchPathConfig};
use notify_debouncer_full::{Debouncer, NoCache};

use self::noted::Noted;
use self::tap::Tapped;
use super::cancel::CancelToken;
use super::git_dir::GitDir;
use super::walk::{self, Rules, Scope, WalkResult, walk};

pub use self::cookie::SyncOutcome;
pub use self::dirty_set::{DirtySet, RescanReason};

pub type RootId = u64;

/// Elsewhere one watch takes in a whole tree, products and all.
const WATCHES_FOLDERS_SINGLY: bool = cfg!(target_os = "linux");
/// Events wait while watches are made or removed, so not too many at a time.
const WATCHES_AT_ONCE: usize = 1000;
const REMOVALS_AT_ONCE: usize = 50;
/// Folders may be made while they are walked, over and over, by a program that unpacks. Past this they stay dirty.
const MOST_WALKS: usize = 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchMethod {
    Events,
    /// Nothing is reported for this root.
    Polling(PollReason),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PollReason {
    /// The system allows no more watches.
    WatchLimit,
    /// Others change its files without this machine's knowledge.
    NetworkFilesystem,
    Refused(String),
}

/// Whether what is reported can be relied on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatcherState {
    Working,
    /// Changes are noted, but `sync` cannot tell when all of them are.
    NoCookies(String),
    /// Nothing is reported any more.
    Dead,
}

#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    #[error("the folder for cookies {path} cannot be used: {source}")]
    Cookies { path: PathBuf, source: io::Error },
}

pub struct Watcher {
    noted: Arc<Noted>,
    /// Taken before any lock of `noted`, never by the event thread. Why not, where the system gives no watcher at all.
    system: Mutex<Result<Debouncer<Tapped, NoCache>, String>>,
    /// How many the system allows, which somebody may change.
    most_watches: fn() -> usize,
}

impl Watcher {
    /// `cookies` is a folder of our own, outside of every root. `on_change` is called on a thread of the watcher's.
    /// Where others have taken all that the system can watch, every root is polled: that is no reason not to serve.
    pub fn new(
        cookies: &Path,
        on_change: impl Fn(RootId) + Send + Sync + 'static,
    ) -> Result<Self, WatchError> {
        let failed = |source| WatchError::Cookies {
            path: cookies.to_owned(),
            source,
        };
        let noted = Arc::new(Noted::new(cookie::prepare(cookies).map_err(failed)?));
        let system = tap::debouncer(&noted, on_change)
            .map_err(|error| format!("the system gives no watcher: {error}"));
        let watcher = Self {
            noted,
            system: Mutex::new(system),
            most_watches: mount::most_watches,
        };
        match &mut *watcher.system() {
            Ok(system) => {
                if let Err(error) =
                    system.update_paths([watch_op(watcher.noted.cookies.folder().to_owned())])
                {
                    watcher.noted.cookies.not_watched(&error.source.to_string());
                }
            }
            Err(_) => watcher.noted.cookies.died(),
        }
        Ok(watcher)
    }

    /// Watches a root: its own folder, git's for it, and those of its folders that are named. May be called again.
    pub fn watch(&self, root: RootId, path: &Path, folders: &[String]) -> WatchMethod {
        if mount::is_remote(path) {
            self.unwatch(root);
            return WatchMethod::Polling(PollReason::NetworkFilesystem);
        }
        let git = GitDir::find(path);
        self.noted.register(root, path, git.as_ref());
        let mut own: Vec<_> = vec![path.to_owned()];
        if WATCHES_FOLDERS_SINGLY {
            own.extend(
                folders
                    .iter()
                    .map(|folder| noted::folder_path(path, folder)),
            );
            own.extend(git.iter().flat_map(GitDir::watched));
        }
        self.add(root, path, own)
    }

    /// Watches folders that were found later, before they are listed.
    pub fn add_folders(&self, root: RootId, folders: &[String]) -> WatchMethod {
        let Some(path) = self.noted.path_of(root) else {
            return WatchMethod::Polling(PollReason::Refused("the root is not watched".to_owned()));
        };
        if !WATCHES_FOLDERS_SINGLY {
            return WatchMethod::Events;
        }
        self.add(
            root,
            &path,
            folders
                .iter()
                .map(|folder| noted::folder_path(&path, folder))
                .collect(),
        )
    }

    pub fn unwatch(&self, root: RootId) {
        self.remove(&self.noted.forget(root));
    }

    /// Walks a watched root, or a part of it, so that nothing made meanwhile is missed: whatever folder turns up without
    /// a watch gets one, and is then listed again. After a walk of everything, folders that are no longer part of the
    /// root have no watch any more.
    pub fn walk(
        &self,
        root: RootId,
        path: &Path,
        rules: &Rules,
        scope: Scope,
        cancel: &CancelToken,
        seen: &(dyn Fn(u64) + Sync),
    ) -> (WalkResult, WatchMethod) {
        let is_new = WATCHES_FOLDERS_SINGLY
            && matches!(scope, Scope::Everything)
            && !self.noted.has_folders(root, path);
        if is_new {
            // All of them would turn up without a watch, and everything would be walked twice.
            let folders = walk::folders(path, rules, cancel);
            if let WatchMethod::Polling(reason) = self.add_folders(root, &folders) {
                return (
                    walk(path, rules, scope, cancel, seen),
                    WatchMethod::Polling(reason),
                );
            }
        }
        let mut walked = walk(path, rules, scope, cancel, seen);
        if !WATCHES_FOLDERS_SINGLY {
            return (walked, WatchMethod::Events);
        }
        for round in 1.. {
            let fresh = self.noted.unwatched(root, path, &walked.folders);
            if fresh.is_empty() || cancel.is_cancelled() {
                break;
            }
            if round == MOST_WALKS {
                self.noted.look_again(root, fresh);
                break;
            }
            if let WatchMethod::Polling(reason) = self.add_folders(root, &fresh) {
                return (walked, WatchMethod::Polling(reason));
            }
            walked = walk(path, rules, scope, cancel, seen);
        }
        let is_whole =
            matches!(scope, Scope::Everything) && walked.folders.iter().any(String::is_empty);
        if is_whole && !cancel.is_cancelled() {
            self.remove(&self.noted.forget_others(root, path, &walked.folders));
        }
        (walked, WatchMethod::Events)
    }

    /// What has been noted for a root since the last call.
    pub fn take_dirty(&self, root: RootId) -> DirtySet {
        self.noted.take(root)
    }

    /// Notes again what was taken and not looked at.
    pub fn put_back(&self, root: RootId, dirty: DirtySet) {
        self.noted.put_back(root, dirty);
    }

    /// Whether something has been noted since it was last taken.
    pub fn is_dirty(&self, root: RootId) -> bool {
        self.noted
            .with_dirty(root, |dirty| {
                dirty.rescan.is_some() || dirty.git_changed || !dirty.paths.is_empty()
            })
            .unwrap_or(false)
    }

    /// The paths that have been noted and not been taken yet.
    pub fn dirty_paths(&self, root: RootId) -> Vec<String> {
        self.noted
            .with_dirty(root, |dirty| dirty.paths.iter().cloned().collect())
            .unwrap_or_default()
    }

    /// Waits until every change made before the call is noted. At once `TimedOut` where that cannot be known: the root is
    /// not watched, or [`Watcher::state`] says why not.
    pub fn sync(&self, root: RootId, bound: Duration) -> SyncOutcome {
        if self.noted.path_of(root).is_none() {
            return SyncOutcome::TimedOut;
        }
        let freshness = self.noted.cookies.sync(bound);
        if freshness == SyncOutcome::TimedOut {
            self.restore_cookies();
        }
        freshness
    }

    pub fn state(&self) -> WatcherState {
        self.noted.cookies.state()
    }

    fn restore_cookies(&self) {
        // Who makes watches right now may take longer than a caller's bound: the next one tries again.
        if let Ok(mut system) = self.system.try_lock() {
            self.noted.cookies.restore(|folder| {
                let Ok(system) = &mut *system else {
                    return Err(());
                };
                // It may have no watch to remove.
                apply(system, vec![PathOp::unwatch(folder)], |_, _| Ok(())).unwrap_or_default();
                system
                    .update_paths([watch_op(folder.to_owned())])
                    .map_err(|_| ())
            });
        }
    }

    fn add(&self, root: RootId, top: &Path, folders: Vec<PathBuf>) -> WatchMethod {
        let mut slot = self.system();
        let system = match &mut *slot {
            Ok(system) => system,
            Err(why) => {
                let reason = PollReason::Refused(why.clone());
                drop(slot);
                self.unwatch(root);
                return WatchMethod::Polling(reason);
            }
        };
        // A root is watched again from time to time, and most of its folders are watched already.
        if self.noted.watches() + self.noted.without_watch(root, &folders) > (self.most_watches)() {
            drop(slot);
            self.unwatch(root);
            return WatchMethod::Polling(PollReason::WatchLimit);
        }
        // Noted first: should one be removed right now, its event must find the note.
        self.noted.will_watch(root, &folders);
        let added = apply(
            system,
            folders.into_iter().map(watch_op).collect(),
            |path, error| {
                if matches!(error.kind, notify::ErrorKind::MaxFilesWatch) {
                    return Err(PollReason::WatchLimit);
                }
                if path == top {
                    return Err(PollReason::Refused(error.to_string()));
                }
                // Gone since it was found, or closed to us: then the walk cannot list it either.
                self.noted.is_not_watched(root, path);
                Ok(())
            },
        );
        drop(slot);
        match added {
            Ok(()) => WatchMethod::Events,
            Err(reason) => {
                self.unwatch(root);
                WatchMethod::Polling(reason)
            }
        }
    }

    /// Removes watches that have been forgotten, but for those that other roots have or that were made again. The system's
    /// watcher compares each with all others, so the rest of the daemon gets its turn in between.
    fn remove(&self, folders: &[PathBuf]) {
        for some in folders.chunks(REMOVALS_AT_ONCE) {
            let mut slot = self.system();
            let Ok(system) = &mut *slot else { return };
            let unused = some.iter().filter(|folder| !self.noted.is_watched(folder));
            // What has lost its watch meanwhile needs no removal.
            apply(system, unused.map(PathOp::unwatch).collect(), |_, _| Ok(())).unwrap_or_default();
        }
    }

    fn system(&self) -> MutexGuard<'_, Result<Debouncer<Tapped, NoCache>, String>> {
        self.system.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn watch_op(folder: PathBuf) -> PathOp {
    let mode = if WATCHES_FOLDERS_SINGLY {
        RecursiveMode::NonRecursive
    } else {
        RecursiveMode::Recursive
    };
    PathOp::Watch(
        folder,
        WatchPathConfig::new(mode).with_dereference_symlinks(false),
    )
}

/// Does what it can; `refused` decides whether to go on after a failure.
fn apply(
    system: &mut Debouncer<Tapped, NoCache>,
    mut ops: Vec<PathOp>,
    refused: impl Fn(&Path, &notify::Error) -> Result<(), PollReason>,
) -> Result<(), PollReason> {
    while !ops.is_empty() {
        let later = ops.split_off(ops.len().min(WATCHES_AT_ONCE));
        let mut batch = ops;
        while !batch.is_empty() {
            match system.update_paths(batch) {
                Ok(()) => break,
                Err(error) => {
                    let Some(failed) = error.origin else {
                        return Err(PollReason::Refused(error.source.to_string()));
                    };
                    refused(failed.as_path(), &error.source)?;
                    batch = error.remaining;
                }
            }
        }
        ops = later;
    }
    Ok(())
}
