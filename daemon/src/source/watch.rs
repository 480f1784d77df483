//! Watches the files of all roots: one watcher for the whole daemon.
//!
//! Events are recorded at once in a dirty set per root, which [`Watcher::take_dirty`] returns; a little later, and once for
//! many changes, `on_change` is called. Nothing here reads a file: a path in the dirty set may have changed, and may be
//! ignored, gone, or a folder.
//!
//! To miss no change:
//! 1. [`Watcher::watch`] the root before it is walked, and again after each [`RescanReason`].
//! 2. Walk with [`Watcher::walk`], never with the bare walk: it watches each folder before it lists it for the last time.
//!    Files that are created later have an event, files that were created earlier are listed. Events alone would miss
//!    those that are created in a new folder before it is watched.
//! 3. To answer about "now": [`Watcher::sync`], then [`Watcher::take_dirty`].
//! 4. With [`WatchMethod::Polling`], and at long intervals always, walk and compare.
//!
//! **Invariant:** no lock that the event thread takes is held during a call of the system's watcher, which answers from
//! that very thread.

mod change_log;
mod cookie;
mod dirty_set;
mod mount;
mod recorder;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use notify::{PathOp, RecursiveMode, WatchPathConfig};
use notify_debouncer_full::{Debouncer, NoCache};

use self::change_log::ChangeLog;
use self::recorder::RecordingWatcher;
use super::cancel::CancelToken;
use super::git_dir::GitDir;
use super::walk::{self, Rules, Scope, WalkResult, walk};

pub use self::cookie::SyncOutcome;
pub use self::dirty_set::{DirtySet, RescanReason};

pub type RootId = u64;

/// On other systems one watch covers a whole tree, build products included.
const WATCHES_FOLDERS_SINGLY: bool = cfg!(target_os = "linux");
/// The most watches that are added or removed at a time, because events wait meanwhile.
const WATCHES_AT_ONCE: usize = 1000;
const REMOVALS_AT_ONCE: usize = 50;
/// The most walks in a row. A program that unpacks an archive may create folders during each; after the last, new ones stay
/// dirty.
const MAX_WALKS: usize = 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchMethod {
    Events,
    /// There are no events for this root.
    Polling(PollReason),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PollReason {
    /// The system allows no more watches.
    WatchLimit,
    /// Other machines may change its files, without an event on this one.
    NetworkFilesystem,
    Refused(String),
}

/// The health of the watcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatcherState {
    Working,
    /// Changes are recorded, but `sync` cannot tell when all of them are.
    NoCookies(String),
    /// There are no more events.
    Dead,
}

#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    #[error("the folder for cookies {path} cannot be used: {source}")]
    Cookies { path: PathBuf, source: io::Error },
}

pub struct Watcher {
    log: Arc<ChangeLog>,
    /// Locked before any lock of `log`, never by the event thread. The error says why the system has no watcher.
    system: Mutex<Result<Debouncer<RecordingWatcher, NoCache>, String>>,
    /// The number of watches that the system allows, which may change.
    most_watches: fn() -> usize,
}

impl Watcher {
    /// `cookies` is a folder of our own, outside every root. `on_change` is called on a thread of the watcher's.
    /// If the system has no watcher left, every root is polled.
    pub fn new(
        cookies: &Path,
        on_change: impl Fn(RootId) + Send + Sync + 'static,
    ) -> Result<Self, WatchError> {
        let failed = |source| WatchError::Cookies {
            path: cookies.to_owned(),
            source,
        };
        let log = Arc::new(ChangeLog::new(cookie::prepare(cookies).map_err(failed)?));
        let system = recorder::debouncer(&log, on_change)
            .map_err(|error| format!("the system gives no watcher: {error}"));
        let watcher = Self {
            log,
            system: Mutex::new(system),
            most_watches: mount::most_watches,
        };
        match &mut *watcher.system() {
            Ok(system) => {
                if let Err(error) =
                    system.update_paths([watch_op(watcher.log.cookies.folder().to_owned())])
                {
                    watcher.log.cookies.refuse(&error.source.to_string());
                }
            }
            Err(_) => watcher.log.cookies.stop(),
        }
        Ok(watcher)
    }

    /// Watches a root: its own folder, its git folders, and the given folders in it. May be called again.
    pub fn watch(&self, root: RootId, path: &Path, folders: &[String]) -> WatchMethod {
        if mount::is_remote(path) {
            self.unwatch(root);
            return WatchMethod::Polling(PollReason::NetworkFilesystem);
        }
        let git = GitDir::find(path);
        self.log.register(root, path, git.as_ref());
        let mut own: Vec<_> = vec![path.to_owned()];
        if WATCHES_FOLDERS_SINGLY {
            own.extend(
                folders
                    .iter()
                    .map(|folder| change_log::folder_path(path, folder)),
            );
            own.extend(git.iter().flat_map(GitDir::watched));
        }
        self.add(root, path, own)
    }

    /// Watches folders that were found later, before they are listed.
    pub fn add_folders(&self, root: RootId, folders: &[String]) -> WatchMethod {
        let Some(path) = self.log.path_of(root) else {
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
                .map(|folder| change_log::folder_path(&path, folder))
                .collect(),
        )
    }

    pub fn unwatch(&self, root: RootId) {
        self.remove(&self.log.remove_root(root));
    }

    /// Walks a watched root, or a part of it, without missing a change: a folder without a watch gets one, and is then
    /// listed again. After a walk of everything, folders that are no longer part of the root have no watch.
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
            && !self.log.has_folders(root, path);
        if is_new {
            // Otherwise no folder would have a watch yet, and everything would be walked twice.
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
            let fresh = self.log.unwatched(root, path, &walked.folders);
            if fresh.is_empty() || cancel.is_cancelled() {
                break;
            }
            if round == MAX_WALKS {
                self.log.mark_dirty(root, fresh);
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
            self.remove(&self.log.retain_watches(root, path, &walked.folders));
        }
        (walked, WatchMethod::Events)
    }

    /// Takes the dirty set of a root.
    pub fn take_dirty(&self, root: RootId) -> DirtySet {
        self.log.take(root)
    }

    /// Puts back a dirty set that was taken and not indexed.
    pub fn put_back(&self, root: RootId, dirty: DirtySet) {
        self.log.put_back(root, dirty);
    }

    pub fn is_dirty(&self, root: RootId) -> bool {
        self.log
            .with_dirty(root, |dirty| {
                dirty.rescan.is_some() || dirty.git_changed || !dirty.paths.is_empty()
            })
            .unwrap_or(false)
    }

    /// Returns the dirty paths without taking them.
    pub fn dirty_paths(&self, root: RootId) -> Vec<String> {
        self.log
            .with_dirty(root, |dirty| dirty.paths.iter().cloned().collect())
            .unwrap_or_default()
    }

    /// Waits until every change made before the call is recorded. Returns `TimedOut` at once if that cannot be known: the
    /// root is not watched, or [`Watcher::state`] says why.
    pub fn sync(&self, root: RootId, bound: Duration) -> SyncOutcome {
        if self.log.path_of(root).is_none() {
            return SyncOutcome::TimedOut;
        }
        let outcome = self.log.cookies.sync(bound);
        if outcome == SyncOutcome::TimedOut {
            self.restore_cookies();
        }
        outcome
    }

    pub fn state(&self) -> WatcherState {
        self.log.cookies.state()
    }

    fn restore_cookies(&self) {
        // Adding watches may take longer than the caller's bound: then the next call tries again.
        if let Ok(mut system) = self.system.try_lock() {
            self.log.cookies.restore(|folder| {
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
        // Most folders of a root that is watched again are watched already.
        if self.log.count_watches() + self.log.count_unwatched(root, &folders)
            > (self.most_watches)()
        {
            drop(slot);
            self.unwatch(root);
            return WatchMethod::Polling(PollReason::WatchLimit);
        }
        // Recorded first, so that the event of a folder that is removed right now finds it.
        self.log.add_watches(root, &folders);
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
                // It is gone or unreadable: then the walk cannot list it either.
                self.log.remove_watch(root, path);
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

    /// Removes watches, except those that another root has or that were added again. The system's watcher compares each
    /// with all others, so the lock is released in between.
    fn remove(&self, folders: &[PathBuf]) {
        for some in folders.chunks(REMOVALS_AT_ONCE) {
            let mut slot = self.system();
            let Ok(system) = &mut *slot else { return };
            let unused = some.iter().filter(|folder| !self.log.is_watched(folder));
            // A folder that has lost its watch meanwhile needs no removal.
            apply(system, unused.map(PathOp::unwatch).collect(), |_, _| Ok(())).unwrap_or_default();
        }
    }

    fn system(&self) -> MutexGuard<'_, Result<Debouncer<RecordingWatcher, NoCache>, String>> {
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

/// Applies all operations in batches; `refused` decides whether to go on after a failure.
fn apply(
    system: &mut Debouncer<RecordingWatcher, NoCache>,
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
