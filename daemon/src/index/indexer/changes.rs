//! Finds what differs between a root and its index: of the whole tree, or of what was noted as changed.

use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

use super::{AVAILABILITY, Indexer, Watches};
use crate::clock;
use crate::index::desk::Urgency;
use crate::index::prepare::Trust;
use crate::index::progress::{Phase, Progress};
use crate::source::walk::{self, Scope, WalkResult, WalkedFile};
use crate::source::watch::{RescanReason, WatchMethod};
use crate::store::failure::StoreError;
use crate::store::ledger::Batch;

const RECONCILE: Duration = Duration::from_secs(300);
/// The interval at which a tree without events is compared, or every twentieth of the time.
const POLL: Duration = Duration::from_secs(5);
const POLL_SHARE: u32 = 20;
/// The longest time that a checkout holds back its changes, and the interval of the looks whether it is done.
const GIT_PATIENCE: Duration = Duration::from_secs(3);
const GIT_LOOK: Duration = Duration::from_millis(50);

/// The part of the root that a difference is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Whole,
    Part,
}

/// The paths that have been compared.
pub enum ComparedPaths {
    /// These, and what is in them.
    Paths(BTreeSet<String>),
    Everything,
}

/// The changes to the index.
pub struct Difference {
    pub changed: Vec<WalkedFile>,
    pub removed: Vec<String>,
}

impl Indexer {
    /// Returns whether the root's folder is there and the one that was indexed.
    pub(super) fn is_available(&mut self) -> bool {
        self.timers.availability = Instant::now() + AVAILABILITY;
        let problem = walk::unavailable(&self.path);
        let was_away = self.handle.desk.lock().unavailable.is_some();
        if let Some(problem) = problem {
            self.mark_unavailable(problem);
            return false;
        }
        // Another folder may have been put in its place by a change further up, of which nothing is reported.
        if was_away
            || (self.state.folder.is_some() && self.state.folder != walk::identity(&self.path))
        {
            self.timers.reconcile = Instant::now();
        }
        true
    }

    pub(super) fn mark_unavailable(&mut self, why: String) {
        let first = self
            .handle
            .desk
            .update(|state| state.unavailable.replace(why).is_none());
        if first {
            tracing::warn!(
                root = self.handle.root.name,
                "the root's folder is away; its index is kept"
            );
            self.state.unavailable_since = Some(clock::now());
            let _ = self
                .shared
                .ledger
                .finish(self.handle.root.id, &Batch::default(), &self.state);
        }
        self.timers.reconcile = Instant::now() + RECONCILE;
    }

    /// Compares the whole tree with what is known, by what the system says of each file; content decides.
    pub(super) fn reconcile(&mut self) -> Result<ComparedPaths, StoreError> {
        let began = Instant::now();
        if self.is_available() {
            let ticket = self.handle.desk.begin_looking();
            let done = self.compare(began);
            self.handle.desk.finish_looking(ticket);
            done?;
        }
        Ok(ComparedPaths::Everything)
    }

    pub(super) fn compare(&mut self, began: Instant) -> Result<(), StoreError> {
        let root = self.handle.root.id;
        self.handle.desk.update(|state| {
            if state.progress.phase != Phase::Ready {
                state.progress = Progress::begin(Phase::Walking, 0);
            }
        });
        let folders = match std::mem::replace(&mut self.watches, Watches::InPlace) {
            Watches::Doubtful => self.known_folders(),
            // The walk finds those that have none.
            Watches::InPlace => vec![],
        };
        let folder = walk::identity(&self.path);
        let another = self.state.folder.is_some() && self.state.folder != folder;
        if another {
            // What is watched is the old folder, under the same name.
            self.shared.watcher.unwatch(root);
        }
        let mut watching = self.shared.watcher.watch(root, &self.path, &folders);
        // Noted so far is found by the walk.
        drop(self.shared.watcher.take_dirty(root));
        let seen = |files| self.handle.desk.update(|state| state.progress.done = files);
        let walked = if watching == WatchMethod::Events {
            let (walked, now) = self.shared.watcher.walk(
                root,
                &self.path,
                &self.rules,
                Scope::Everything,
                &self.cancel,
                &seen,
            );
            watching = now;
            walked
        } else {
            walk::walk(
                &self.path,
                &self.rules,
                Scope::Everything,
                &self.cancel,
                &seen,
            )
        };
        let is_doubtful = another || folder.is_none() || self.state.unavailable_since.is_some();
        if walked.files.is_empty() && !self.files.is_empty() && is_doubtful {
            // An empty folder where a file system was mounted, or the like.
            self.mark_unavailable("another, empty folder is in its place".to_owned());
            return Ok(());
        }
        let is_listed = walked.folders.iter().any(String::is_empty);
        if !is_listed && !self.files.is_empty() {
            let why = walked
                .unreadable
                .first()
                .cloned()
                .unwrap_or_else(|| "it cannot be listed".to_owned());
            self.handle
                .desk
                .update(|state| state.unreadable = walked.unreadable);
            self.mark_unavailable(why);
            return Ok(());
        }
        self.state.folder = folder;
        self.state.unavailable_since = None;
        let took = began.elapsed();
        self.timers.reconcile = Instant::now()
            + match watching {
                WatchMethod::Events => RECONCILE,
                WatchMethod::Polling(_) => POLL.max(took * POLL_SHARE),
            };
        self.handle.desk.update(|state| {
            state.watching = Some(watching);
            state.unavailable = None;
            state.unreadable.clone_from(&walked.unreadable);
            state.unused_rules.clone_from(&walked.unused_rules);
        });
        let difference = self.difference(walked);
        self.apply(difference, Trust::Known, Extent::Whole)
            .map(drop)
    }

    /// Files that differ in what the system says of them, and files that are gone.
    pub(super) fn difference(&self, walked: WalkResult) -> Difference {
        let known: BTreeSet<&String> = self.files.keys().chain(&self.doubtful).collect();
        let removed = gone(known.into_iter().cloned(), &walked);
        let changed = walked
            .files
            .into_iter()
            .filter(|file| !self.is_known(file))
            .collect();
        Difference { changed, removed }
    }

    /// By what the system says of it.
    fn is_known(&self, file: &WalkedFile) -> bool {
        self.files
            .get(&file.path)
            .is_some_and(|known| known.record.stamp == file.stamp)
    }

    /// Looks at what the watcher noted.
    pub(super) fn look(&mut self, urgency: Urgency) -> Result<ComparedPaths, StoreError> {
        let ticket = self.handle.desk.begin_looking();
        let done = self.look_at_noted(urgency);
        self.handle.desk.finish_looking(ticket);
        done
    }

    pub(super) fn look_at_noted(&mut self, urgency: Urgency) -> Result<ComparedPaths, StoreError> {
        let root = self.handle.root.id;
        let dirty = self.shared.watcher.take_dirty(root);
        if let Some(reason) = dirty.rescan {
            tracing::debug!(
                ?reason,
                root = self.handle.root.name,
                "the whole tree is compared"
            );
            if reason != RescanReason::IgnoreRules {
                self.watches = Watches::Doubtful;
            }
            return self.reconcile();
        }
        // A checkout touches thousands of files: they become one batch.
        if dirty.git_busy && urgency == Urgency::Background && self.may_wait_for_git() {
            self.shared.watcher.put_back(root, dirty);
            return Ok(ComparedPaths::default());
        }
        self.timers.git = None;
        let mut paths = dirty.paths;
        if dirty.git_changed {
            paths.extend(walk::tracked_files_except(
                &self.path,
                &self.rules,
                |path| self.files.contains_key(path),
            ));
            self.note_head()?;
        }
        if paths.is_empty() {
            Ok(ComparedPaths::default())
        } else {
            self.look_at(paths)
        }
    }

    /// A commit, or another branch, may change no file.
    fn note_head(&mut self) -> Result<(), StoreError> {
        if !self.take_head() {
            return Ok(());
        }
        self.shared
            .ledger
            .finish(self.handle.root.id, &Batch::default(), &self.state)?;
        self.handle.note(&self.state);
        Ok(())
    }

    /// The folders that hold known files.
    fn known_folders(&self) -> Vec<String> {
        let folders: BTreeSet<&str> = self
            .files
            .keys()
            .filter_map(|path| path.rsplit_once('/'))
            .map(|(folder, _)| folder)
            .collect();
        folders.into_iter().map(str::to_owned).collect()
    }

    pub(super) fn may_wait_for_git(&mut self) -> bool {
        let now = Instant::now();
        let since = self.timers.git.map_or(now, |(since, _)| since);
        let may = now < since + GIT_PATIENCE;
        self.timers.git = may.then_some((since, now + GIT_LOOK));
        may
    }

    pub(super) fn look_at(&mut self, paths: BTreeSet<String>) -> Result<ComparedPaths, StoreError> {
        let root = self.handle.root.id;
        self.handle
            .desk
            .update(|state| state.taken_up.extend(paths.iter().cloned()));
        let (walked, watching) = self.shared.watcher.walk(
            root,
            &self.path,
            &self.rules,
            Scope::Only(&paths),
            &self.cancel,
            &|_| {},
        );
        let was_away = self.handle.desk.lock().unavailable.is_some();
        if watching != WatchMethod::Events || was_away || walk::unavailable(&self.path).is_some() {
            return self.reconcile();
        }
        let removed = gone(paths.iter().flat_map(|path| self.known_at(path)), &walked);
        // Reported as changed: content decides, whatever its times say.
        let overtaken = self.apply(
            Difference {
                changed: walked.files,
                removed,
            },
            Trust::Known,
            Extent::Part,
        )?;
        Ok(ComparedPaths::Paths(paths).and(overtaken))
    }

    /// Known files at a path, or below it.
    pub(super) fn known_at(&self, path: &str) -> Vec<String> {
        if path.is_empty() {
            return self.files.keys().cloned().collect();
        }
        let below = format!("{path}/");
        let inside = self
            .files
            .range(below.clone()..)
            .take_while(|(known, _)| known.starts_with(&below));
        self.files
            .get_key_value(path)
            .into_iter()
            .chain(inside)
            .map(|(known, _)| known.clone())
            .collect()
    }

    /// Looks at paths and what is in them: at what the system says is another, or at all.
    pub(super) fn index_paths(&mut self, paths: &[String], trust: Trust) -> Result<(), StoreError> {
        if !self.is_available() {
            return Ok(());
        }
        let extent = if paths.iter().any(String::is_empty) {
            Extent::Whole
        } else {
            Extent::Part
        };
        let asked: BTreeSet<String> = paths.iter().cloned().collect();
        let walked = walk::walk(
            &self.path,
            &self.rules,
            Scope::Only(&asked),
            &self.cancel,
            &|_| {},
        );
        let removed = gone(asked.iter().flat_map(|path| self.known_at(path)), &walked);
        let mut changed = walked.files;
        if trust == Trust::Known {
            changed.retain(|file| !self.is_known(file));
        }
        self.apply(Difference { changed, removed }, trust, extent)
            .map(drop)
    }
}

impl ComparedPaths {
    pub fn covers(&self, path: &str) -> bool {
        match self {
            Self::Everything => true,
            Self::Paths(paths) => {
                paths.contains("")
                    || paths.contains(path)
                    || walk::folders_above(path).any(|up| paths.contains(up))
            }
        }
    }

    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Paths(mut one), Self::Paths(other)) => {
                one.extend(other);
                Self::Paths(one)
            }
            _ => Self::Everything,
        }
    }
}

impl Default for ComparedPaths {
    fn default() -> Self {
        Self::Paths(BTreeSet::new())
    }
}

/// Known paths that a walk of all of them did not find. What could not be read may still be there.
fn gone(known: impl Iterator<Item = String>, walked: &WalkResult) -> Vec<String> {
    let present: HashSet<&str> = walked.files.iter().map(|file| file.path.as_str()).collect();
    let is_hidden = |path: &str| {
        walked
            .unreadable
            .iter()
            .any(|hidden| walk::may_hide(hidden, path))
    };
    known
        .filter(|path| !present.contains(path.as_str()) && !is_hidden(path))
        .collect()
}
