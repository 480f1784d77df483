//! The dirty set of one root, and how an event changes it.

use std::collections::BTreeSet;
use std::path::Path;

use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{Event, EventKind};

use crate::source::walk::RULE_FILES;

/// The most paths. Beyond that a walk of the whole root is cheaper than a set of its paths.
const MAX_PATHS: usize = 100_000;

/// Entries of git's folder whose change may mean another `HEAD` or other tracked files.
const GIT_STATE: &[&str] = &[
    "HEAD",
    "index",
    "ORIG_HEAD",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REBASE_HEAD",
    "packed-refs",
    "refs",
];
pub const GIT_LOCK: &str = "index.lock";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirtySet {
    /// Files and folders to compare again, relative to the root; a folder stands for everything in it. `""` is the root.
    pub paths: BTreeSet<String>,
    /// More may have changed than `paths`: walk everything.
    pub rescan: Option<RescanReason>,
    /// `HEAD` or the tracked files may have changed.
    pub git_changed: bool,
    /// Git is running (its `index.lock` exists), so more will change. A git that was killed leaves the lock behind: wait
    /// for it with a bound.
    pub git_busy: bool,
}

/// In ascending order of severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RescanReason {
    /// An ignore file or `.git` was created, changed or removed.
    IgnoreRules,
    /// Events were lost.
    Overflow,
    /// The watcher has died: poll from now on.
    WatcherDied,
    /// The root's folder was removed, renamed or unmounted, and its watches with it.
    RootGone,
}

/// A watched folder of a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchedFolder {
    Root,
    /// The folder with the root's `HEAD` and `index`.
    Git,
    /// The folder with `exclude`.
    GitInfo,
}

impl DirtySet {
    /// Records an event at a path relative to a watched folder. Returns whether it matters.
    pub fn record(&mut self, folder: WatchedFolder, inside: &Path, kind: EventKind) -> bool {
        match folder {
            WatchedFolder::Root => self.record_in_root(inside, kind),
            WatchedFolder::Git => {
                let Some(name) = inside.to_str() else {
                    return false;
                };
                let first = name.split(['/', '\\']).next().unwrap_or(name);
                let is_state = GIT_STATE.contains(&first);
                self.git_changed |= is_state;
                is_state || name == GIT_LOCK
            }
            WatchedFolder::GitInfo => {
                let is_exclude = inside.as_os_str().is_empty() || inside == Path::new("exclude");
                if is_exclude {
                    self.require_rescan(RescanReason::IgnoreRules);
                }
                is_exclude
            }
        }
    }

    pub fn require_rescan(&mut self, reason: RescanReason) {
        self.rescan = self.rescan.max(Some(reason));
    }

    fn record_in_root(&mut self, inside: &Path, kind: EventKind) -> bool {
        if inside.as_os_str().is_empty() && is_departure(kind) {
            self.require_rescan(RescanReason::RootGone);
            return true;
        }
        if inside == Path::new(".git") {
            self.require_rescan(RescanReason::IgnoreRules);
            return true;
        }
        // A path that is not UTF-8 is not indexed.
        let Some(path) = inside.to_str() else {
            return false;
        };
        let path = if cfg!(windows) {
            path.replace('\\', "/")
        } else {
            path.to_owned()
        };
        if path.split('/').any(|part| part == ".git") {
            return false;
        }
        let name = path.rsplit('/').next().unwrap_or(&path);
        if RULE_FILES.contains(&name) {
            self.require_rescan(RescanReason::IgnoreRules);
        }
        if self.paths.len() < MAX_PATHS {
            self.paths.insert(path);
        } else {
            self.paths.clear();
            self.require_rescan(RescanReason::Overflow);
        }
        true
    }
}

/// Returns whether an event says that something was removed or moved away.
pub fn is_departure(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From))
    )
}

/// Returns whether an event can be about content. Reads are not; the end of a write is, because a write through a mapping
/// has no other event.
pub fn is_change(event: &Event) -> bool {
    match event.kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        EventKind::Other => false,
        EventKind::Any | EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) => true,
    }
}
