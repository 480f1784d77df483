//! What is noted of one root, and what an event means for it.

use std::collections::BTreeSet;
use std::path::Path;

use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{Event, EventKind};

use crate::source::walk::RULE_FILES;

/// Past this a walk of the whole root is cheaper than a set of its paths.
const MOST_PATHS: usize = 100_000;

/// What of git's own folder says that HEAD, or what is tracked, may have changed.
const GIT_NEWS: &[&str] = &[
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
    /// Files and folders to look at again, relative to the root. Of a folder: at everything in it. `""` is the root.
    pub paths: BTreeSet<String>,
    /// More may have changed than `paths` says: walk everything.
    pub rescan: Option<RescanReason>,
    /// HEAD, or what git tracks, may have changed.
    pub git_changed: bool,
    /// Git is at work right now (its `index.lock` is there), so more will come. A git that was killed leaves the lock
    /// behind: wait for it with a bound.
    pub git_busy: bool,
}

/// The weightiest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RescanReason {
    /// An ignore file, or git's own folder, came, went or changed.
    IgnoreRules,
    /// Reports were lost.
    Overflow,
    /// The watcher has died: poll from now on.
    WatcherDied,
    /// The root's folder was removed, renamed or unmounted, and its watches with it.
    RootGone,
}

/// Where an event happened, as a root sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Root,
    /// The folder with the root's `HEAD` and `index`.
    Git,
    /// The folder with `exclude`.
    GitInfo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// Somebody should be woken.
    Some,
    None,
}

impl DirtySet {
    /// Notes an event at a path relative to a place.
    pub fn note(&mut self, place: Place, inside: &Path, kind: EventKind) -> News {
        match place {
            Place::Root => self.note_in_root(inside, kind),
            Place::Git => {
                let Some(name) = inside.to_str() else {
                    return News::None;
                };
                let first = name.split(['/', '\\']).next().unwrap_or(name);
                let changed = GIT_NEWS.contains(&first);
                self.git_changed |= changed;
                if changed || name == GIT_LOCK {
                    News::Some
                } else {
                    News::None
                }
            }
            Place::GitInfo if inside.as_os_str().is_empty() || inside == Path::new("exclude") => {
                self.note_rescan(RescanReason::IgnoreRules)
            }
            Place::GitInfo => News::None,
        }
    }

    pub fn note_rescan(&mut self, reason: RescanReason) -> News {
        self.rescan = self.rescan.max(Some(reason));
        News::Some
    }

    fn note_in_root(&mut self, inside: &Path, kind: EventKind) -> News {
        if inside.as_os_str().is_empty() && is_departure(kind) {
            return self.note_rescan(RescanReason::RootGone);
        }
        if inside == Path::new(".git") {
            return self.note_rescan(RescanReason::IgnoreRules);
        }
        // What is not UTF-8 is not indexed.
        let Some(path) = inside.to_str() else {
            return News::None;
        };
        let path = if cfg!(windows) {
            path.replace('\\', "/")
        } else {
            path.to_owned()
        };
        if path.split('/').any(|part| part == ".git") {
            return News::None;
        }
        let name = path.rsplit('/').next().unwrap_or(&path);
        if RULE_FILES.contains(&name) {
            self.note_rescan(RescanReason::IgnoreRules);
        }
        if self.paths.len() < MOST_PATHS {
            self.paths.insert(path);
        } else {
            self.paths.clear();
            self.note_rescan(RescanReason::Overflow);
        }
        News::Some
    }
}

/// Whether an event says that something is no longer where it was.
pub fn is_departure(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From))
    )
}

/// Whether an event can be about content. Reads are not, and the end of a write is: what was written through a mapping
/// shows only there.
pub fn is_change(event: &Event) -> bool {
    match event.kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        EventKind::Other => false,
        EventKind::Any | EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) => true,
    }
}
