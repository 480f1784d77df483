//! Finds the differences between a root and its index: in the whole tree, or in the dirty set.

use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

use super::{AVAILABILITY, Indexer, WatchState};
use crate::clock;
use crate::index::job_queue::Urgency;
use crate::index::prepare::FactsReuse;
use crate::index::progress::{Phase, Progress};
use crate::source::globs;
use crate::source::walk::{self, Scope, WalkResult, WalkedFile};
use crate::source::watch::{RescanReason, WatchMethod};
use crate::store::error::StoreError;
use crate::store::ledger::Batch;

const RECONCILE: Duration = Duration::from_secs(300);
/// The interval at which a tree without file events is compared: at least `POLL`, and at least `POLL_FACTOR` times as long as a
/// comparison takes.
const POLL: Duration = Duration::from_secs(5);
const POLL_FACTOR: u32 = 20;
/// The longest time that changes are held back during a checkout, and the interval at which its end is checked.
const GIT_PATIENCE: Duration = Duration::from_secs(3);
const GIT_CHECK: Duration = Duration::from_millis(50);

/// The part of the root that a difference covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Whole,
    Part,
}

/// The paths that have been compared.
pub enum ComparedPaths {
    /// These paths, and the files below them.
    Paths(BTreeSet<String>),
    Everything,
}

/// The changes to the index.
pub struct Difference {
    pub changed: Vec<WalkedFile>,
    pub removed: Vec<String>,
}

impl Indexer {
    /// Returns whether the root's folder is available. Schedules a comparison if it may not be the folder that was indexed.
    pub(super) fn is_available(&mut self) -> bool {
        self.timers.availability = Instant::now() + AVAILABILITY;
        let problem = walk::unavailable_reason(&self.path);
        let was_away = self.handle.jobs.lock().unavailable.is_some();
        if let Some(problem) = problem {
            self.mark_unavailable(problem);
            return false;
        }
        // A rename of a folder above may have replaced it, which the watcher does not report.
        if was_away
            || (self.state.folder.is_some()
                && self.state.folder != walk::folder_identity(&self.path))
        {
            self.timers.reconcile = Instant::now();
        }
        true
    }

    pub(super) fn mark_unavailable(&mut self, why: String) {
        let first = self.handle.jobs.update(|state| state.mark_unavailable(why));
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

    /// Compares the whole tree with the index: metadata selects files, content decides.
    pub(super) fn reconcile(&mut self) -> Result<ComparedPaths, StoreError> {
        let began = Instant::now();
        if self.is_available() {
            let request = self.handle.jobs.begin_refresh();
            let done = self.compare(began);
            self.handle.jobs.finish_refresh(request);
            done?;
        }
        Ok(ComparedPaths::Everything)
    }

    pub(super) fn compare(&mut self, began: Instant) -> Result<(), StoreError> {
        let root = self.handle.root.id;
        self.handle.jobs.update(|state| {
            if state.progress.phase != Phase::Ready {
                state.progress = Progress::begin(Phase::Walking, 0);
            }
        });
        let folders = match std::mem::replace(&mut self.watches, WatchState::Installed) {
            WatchState::Unreliable => self.indexed_folders(),
            // The walk adds missing watches.
            WatchState::Installed => vec![],
        };
        let folder = walk::folder_identity(&self.path);
        let another = self.state.folder.is_some() && self.state.folder != folder;
        if another {
            // The watches are on the old folder of the same name.
            self.shared.watcher.unwatch(root);
        }
        let mut watching = self.shared.watcher.watch(root, &self.path, &folders);
        // The walk finds all changes so far.
        drop(self.shared.watcher.take_dirty(root));
        let seen = |files| self.handle.jobs.update(|state| state.progress.done = files);
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
            // For example a mount point whose file system is not mounted.
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
                .jobs
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
                WatchMethod::Polling(_) => POLL.max(took * POLL_FACTOR),
            };
        self.handle.jobs.update(|state| {
            state.watching = Some(watching);
            state.unavailable = None;
            state.unreadable.clone_from(&walked.unreadable);
            state.unused_rules.clone_from(&walked.unused_rules);
        });
        let difference = self.difference(walked);
        self.apply(difference, FactsReuse::Allowed, Extent::Whole)
            .map(drop)
    }

    /// Returns the files whose metadata changed, and those that are gone.
    pub(super) fn difference(&self, walked: WalkResult) -> Difference {
        let known: BTreeSet<&String> = self.files.keys().chain(&self.doubtful).collect();
        let removed = missing_paths(known.into_iter().cloned(), &walked);
        let changed = walked
            .files
            .into_iter()
            .filter(|file| !self.is_unchanged(file))
            .collect();
        Difference { changed, removed }
    }

    /// Compares the metadata of a file.
    fn is_unchanged(&self, file: &WalkedFile) -> bool {
        self.files
            .get(&file.path)
            .is_some_and(|known| known.record.stamp == file.stamp)
    }

    /// Indexes the dirty set.
    pub(super) fn refresh(&mut self, urgency: Urgency) -> Result<ComparedPaths, StoreError> {
        let request = self.handle.jobs.begin_refresh();
        let done = self.refresh_dirty_set(urgency);
        self.handle.jobs.finish_refresh(request);
        done
    }

    pub(super) fn refresh_dirty_set(
        &mut self,
        urgency: Urgency,
    ) -> Result<ComparedPaths, StoreError> {
        let root = self.handle.root.id;
        let dirty = self.shared.watcher.take_dirty(root);
        if let Some(reason) = dirty.rescan {
            tracing::debug!(
                ?reason,
                root = self.handle.root.name,
                "the whole tree is compared"
            );
            if reason != RescanReason::IgnoreRules {
                self.watches = WatchState::Unreliable;
            }
            return self.reconcile();
        }
        // A checkout changes thousands of files, which are indexed together.
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
            self.store_head()?;
        }
        if paths.is_empty() {
            Ok(ComparedPaths::default())
        } else {
            self.refresh_paths(paths)
        }
    }

    /// Stores the commit and branch of git, which may change although no file does.
    fn store_head(&mut self) -> Result<(), StoreError> {
        if !self.update_head() {
            return Ok(());
        }
        self.shared
            .ledger
            .finish(self.handle.root.id, &Batch::default(), &self.state)?;
        self.handle.set_state(&self.state);
        Ok(())
    }

    /// Returns the folders of indexed files.
    fn indexed_folders(&self) -> Vec<String> {
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
        self.timers.git = may.then_some((since, now + GIT_CHECK));
        may
    }

    pub(super) fn refresh_paths(
        &mut self,
        paths: BTreeSet<String>,
    ) -> Result<ComparedPaths, StoreError> {
        let root = self.handle.root.id;
        self.handle
            .jobs
            .update(|state| state.refreshing.extend(paths.iter().cloned()));
        let (walked, watching) = self.shared.watcher.walk(
            root,
            &self.path,
            &self.rules,
            Scope::Only(&paths),
            &self.cancel,
            &|_| {},
        );
        let was_away = self.handle.jobs.lock().unavailable.is_some();
        if watching != WatchMethod::Events
            || was_away
            || walk::unavailable_reason(&self.path).is_some()
        {
            return self.reconcile();
        }
        let removed = missing_paths(paths.iter().flat_map(|path| self.indexed_at(path)), &walked);
        // The watcher reported these files as changed, so their content is compared, whatever their metadata.
        let overtaken = self.apply(
            Difference {
                changed: walked.files,
                removed,
            },
            FactsReuse::Allowed,
            Extent::Part,
        )?;
        Ok(ComparedPaths::Paths(paths).and(overtaken))
    }

    /// Returns the indexed files at a path or below it.
    pub(super) fn indexed_at(&self, path: &str) -> Vec<String> {
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

    /// Indexes paths and the files below them: those whose metadata changed, or all of them if facts may not be reused.
    pub(super) fn index_paths(
        &mut self,
        paths: &[String],
        reuse: FactsReuse,
    ) -> Result<(), StoreError> {
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
        let removed = missing_paths(asked.iter().flat_map(|path| self.indexed_at(path)), &walked);
        let mut changed = walked.files;
        if reuse == FactsReuse::Allowed {
            changed.retain(|file| !self.is_unchanged(file));
        }
        self.apply(Difference { changed, removed }, reuse, extent)
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
                    || globs::folders_above(path).any(|up| paths.contains(up))
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

/// Returns the indexed paths that a walk did not find. Files in unreadable folders are taken to exist.
fn missing_paths(known: impl Iterator<Item = String>, walked: &WalkResult) -> Vec<String> {
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
