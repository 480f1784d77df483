//! Bounded waits of queries for an index.
//!
//! A warm root is read as soon as the changes that were made before the query are indexed. A root that is still being loaded
//! has no files at all, so its query waits; a first indexing is waited for only if it is nearly done.

use std::sync::Arc;
use std::time::{Duration, Instant};

use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::{ErrorCode, ToolError};

use super::job_queue::{QueueState, RefreshOutcome, Urgency};
use super::progress::{Phase, Progress};
use super::snapshot::Snapshot;
use super::{Indexes, RootIndex};
use crate::source::watch::{SyncOutcome, WatchMethod};
use crate::store::roots::RootRecord;
use crate::threads::lock;

/// The longest wait of a query for changes made before it. After that the answer says that it may be stale.
const PATIENCE: Duration = Duration::from_millis(250);
/// The longest wait of a change of files for the comparison of the whole tree: the change is refused without it.
const CHANGE_PATIENCE: Duration = Duration::from_secs(15);
/// The interval at which a call that waits for the index reports progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
/// The longest wait of a query for a stored index to be read into memory. It takes under a second for 30,000 files.
const LOAD_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest wait, after the load, for the comparison of the stored index with the tree.
const COMPARE_TIMEOUT: Duration = Duration::from_secs(2);
/// The longest wait of a ranked query for the vectors of a root that has just been loaded or indexed.
const VECTOR_TIMEOUT: Duration = Duration::from_millis(1500);
/// A first index that is expected to be complete this soon is waited for instead of scanning the files.
const SOON: Duration = Duration::from_secs(5);
/// The longest wait for the first estimate of the time that a first index takes.
const ESTIMATE_TIMEOUT: Duration = Duration::from_secs(1);

/// A snapshot, and what it may lack.
pub struct FreshSnapshot {
    pub snapshot: Arc<Snapshot>,
    /// The progress of the first indexing, if it is not complete.
    pub partial: Option<Progress>,
    /// Paths of changes that could not be indexed in time; empty if they are not known.
    pub stale: Option<Vec<String>>,
    /// The error of the last batch, if it could not be stored.
    pub trouble: Option<String>,
    /// Folders and files that could not be read.
    pub unreadable: Vec<String>,
    /// Ignore files whose rules are not obeyed.
    pub unused_rules: Vec<String>,
}

impl Indexes {
    /// Waits for the first indexing of a root, and reports its progress.
    pub fn wait_until_whole(
        &self,
        root: &RootRecord,
        bound: Duration,
        report: impl FnMut(Progress) -> Result<(), ToolError>,
    ) -> Result<(), ToolError> {
        let index = self.warm(root)?;
        IndexWait {
            index: &index,
            report,
        }
        .until(bound, is_whole)
        .map(drop)
    }

    /// Waits until the stored index of a root is in memory and has been compared with the tree. An index that is not
    /// loaded has no files at all, so answering from it would report that nothing exists.
    pub fn wait_until_loaded(
        &self,
        root: &RootRecord,
        report: impl FnMut(Progress) -> Result<(), ToolError>,
    ) -> Result<(), ToolError> {
        let index = self.warm(root)?;
        let mut waiting = IndexWait {
            index: &index,
            report,
        };
        if !waiting.until(LOAD_TIMEOUT, |state| state.loaded || state.stopped)? {
            let message = format!("the index of {} is still being loaded", root.name);
            return Err(ToolError::new(ErrorCode::Indexing, message).with_hint(
                Line::from("ask again in a moment; ")
                    .call(NextCall::new("index_status"))
                    .text(" shows the progress"),
            ));
        }
        if lock(&index.state).complete {
            let is_compared =
                |state: &QueueState| state.watching.is_some() || state.unavailable.is_some();
            waiting.until(COMPARE_TIMEOUT, |state| is_compared(state) || state.stopped)?;
        }
        Ok(())
    }

    /// Waits until all vectors of a loaded root have been made or read from the store once. Vectors of later edits are not
    /// waited for.
    pub fn wait_for_vectors(
        &self,
        root: &RootRecord,
        report: impl FnMut(Progress) -> Result<(), ToolError>,
    ) -> Result<(), ToolError> {
        let index = self.warm(root)?;
        let is_over = |state: &QueueState| {
            state.had_all_vectors || state.unavailable.is_some() || state.stopped
        };
        IndexWait {
            index: &index,
            report,
        }
        .until(VECTOR_TIMEOUT, is_over)
        .map(drop)
    }

    /// Waits for a first index that is under way and nearly complete, or else for the exclusive right to scan the files.
    ///
    /// Scans take processor time from the indexing that would make them unnecessary, so there is one at a time. Returns None if
    /// nothing is being indexed yet, or if the index has become complete.
    pub fn wait_for_scan(
        &self,
        root: &RootRecord,
        report: impl FnMut(Progress) -> Result<(), ToolError>,
    ) -> Result<Option<ScanPermit>, ToolError> {
        let Some(index) = self.loaded(root.id) else {
            return Ok(None);
        };
        let began = Instant::now();
        let may_scan = |state: &QueueState| {
            let is_soon = match state.progress.seconds_left() {
                Some(seconds) => Duration::from_secs(seconds) <= SOON,
                None => began.elapsed() < ESTIMATE_TIMEOUT,
            };
            !state.is_scanned && (!is_soon || began.elapsed() > SOON)
        };
        let mut waiting = IndexWait {
            index: &index,
            report,
        };
        while !waiting.until(PROGRESS_INTERVAL, |state| {
            is_whole(state) || may_scan(state) || state.stopped
        })? {}
        let is_permitted = index.jobs.update(|state| {
            let is_permitted = !is_whole(state) && !state.is_scanned;
            state.is_scanned |= is_permitted;
            is_permitted
        });
        Ok(is_permitted.then(|| ScanPermit(Arc::clone(&index))))
    }

    /// Returns a snapshot with the changes made before the call, as far as they can be indexed in time.
    pub fn fresh_snapshot(&self, root: &RootRecord) -> Result<FreshSnapshot, ToolError> {
        let (index, fresh) = self.fresh_snapshot_once(root)?;
        // If the index was unloaded during the wait, its snapshot is empty.
        if index.is_stopped() {
            self.fresh_snapshot_once(root).map(|(_, fresh)| fresh)
        } else {
            Ok(fresh)
        }
    }

    /// Compares the whole tree with the index, and returns a snapshot with the changes made before the call. A change of files
    /// calls this if [`Self::fresh_snapshot`] is stale: it waits longer, and needs no events of the watcher.
    pub fn fresh_snapshot_to_change(
        &self,
        root: &RootRecord,
        report: impl FnMut(Progress) -> Result<(), ToolError>,
    ) -> Result<FreshSnapshot, ToolError> {
        let index = self.warm(root)?;
        let compared = index.jobs.request(|requests| requests.reconcile = true);
        let mut waiting = IndexWait {
            index: &index,
            report,
        };
        waiting.until(CHANGE_PATIENCE, |state| {
            state.is_done(compared) || state.stopped
        })?;
        let is_current = index.jobs.lock().is_done(compared);
        Ok(self.describe_snapshot(&index, root, is_current))
    }

    fn fresh_snapshot_once(
        &self,
        root: &RootRecord,
    ) -> Result<(Arc<RootIndex>, FreshSnapshot), ToolError> {
        let index = self.warm(root)?;
        let until = Instant::now() + PATIENCE;
        let left = || until.saturating_duration_since(Instant::now());
        // After a start the tree is compared first, because nothing watched it before.
        index.jobs.wait_until(left(), |state| {
            state.watching.is_some() || state.unavailable.is_some()
        });
        let is_synced = self.shared.watcher.sync(root.id, left()) == SyncOutcome::Synced;
        let (pending, watching) = {
            let state = index.jobs.lock();
            (
                state.is_refreshing() || self.shared.watcher.is_dirty(root.id),
                state.watching.clone(),
            )
        };
        let is_refreshed = match watching {
            Some(WatchMethod::Events) if !pending => true,
            Some(WatchMethod::Polling(_)) => {
                let request = index.jobs.request(|requests| requests.reconcile = true);
                index.jobs.wait(request, left())
            }
            _ => {
                let request = index.jobs.request_refresh(Urgency::Urgent);
                match index.jobs.wait_for_refresh(request, left()) {
                    RefreshOutcome::Done => true,
                    // A first indexing takes long; another job, such as for new ignore rules, is often nearly done.
                    RefreshOutcome::LatestOnly => {
                        lock(&index.state).complete && index.jobs.wait(request, left())
                    }
                    RefreshOutcome::TimedOut => false,
                }
            }
        };
        let is_current = is_refreshed && (is_synced || !watches(&index));
        let fresh = self.describe_snapshot(&index, root, is_current);
        Ok((index, fresh))
    }

    fn describe_snapshot(
        &self,
        index: &RootIndex,
        root: &RootRecord,
        is_current: bool,
    ) -> FreshSnapshot {
        let progress = index.jobs.lock().progress;
        let complete = lock(&index.state).complete;
        let stale = (complete && !is_current).then(|| {
            let mut stale_paths = index.jobs.lock().refreshing.clone();
            stale_paths.extend(self.shared.watcher.dirty_paths(root.id));
            stale_paths.into_iter().collect()
        });
        FreshSnapshot {
            snapshot: index.snapshot(),
            partial: (!complete).then_some(progress),
            stale,
            trouble: index.trouble(),
            unreadable: index.unreadable(),
            unused_rules: index.unused_rules(),
        }
    }
}

/// A query that waits for an index, and reports progress meanwhile.
struct IndexWait<'a, R> {
    index: &'a RootIndex,
    report: R,
}

impl<R: FnMut(Progress) -> Result<(), ToolError>> IndexWait<'_, R> {
    /// Waits for a condition. Returns false if the time is over first. An error of the report, such as a cancelled call, ends
    /// the wait.
    fn until(
        &mut self,
        timeout: Duration,
        is_met: impl Fn(&QueueState) -> bool,
    ) -> Result<bool, ToolError> {
        let until = Instant::now() + timeout;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if self
                .index
                .jobs
                .wait_until(left.min(PROGRESS_INTERVAL), &is_met)
            {
                return Ok(true);
            }
            if left.is_zero() {
                return Ok(false);
            }
            (self.report)(self.index.progress())?;
        }
    }
}

fn is_whole(state: &QueueState) -> bool {
    state.unavailable.is_some() || matches!(state.progress.phase, Phase::Ready | Phase::Embedding)
}

/// The right to scan the files of a root while it is being indexed, until it is dropped.
pub struct ScanPermit(Arc<RootIndex>);

impl Drop for ScanPermit {
    fn drop(&mut self) {
        self.0.jobs.update(|state| state.is_scanned = false);
    }
}

fn watches(index: &RootIndex) -> bool {
    index.watching() == Some(WatchMethod::Events)
}
