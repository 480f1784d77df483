//! The states of an index that a query waits for, and how long it waits.
//!
//! A warm root is read at once, after the changes that were made before the query. A root that is still being loaded has no
//! files at all, so its query waits; one that is indexed for the first time is waited for only if that is nearly done.

use std::sync::Arc;
use std::time::{Duration, Instant};

use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::{ErrorCode, ToolError};

use super::desk::{DeskState, Urgency, Waited};
use super::progress::{Phase, Progress};
use super::snapshot::Snapshot;
use super::{Indexes, RootIndex, lock};
use crate::source::watch::{SyncOutcome, WatchMethod};
use crate::store::roots::RootRecord;

/// The longest wait of a query for changes made before it. Past that the answer says so.
const PATIENCE: Duration = Duration::from_millis(250);
/// The interval at which a call that waits for the index reports progress.
const NEWS: Duration = Duration::from_millis(100);
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

/// A snapshot, and how far it can be trusted to be the tree.
pub struct Fresh {
    pub snapshot: Arc<Snapshot>,
    /// Not everything has been indexed yet.
    pub partial: Option<Progress>,
    /// Changes that could not be taken up in time; empty if it is not known which.
    pub stale: Option<Vec<String>>,
    /// Why what changed could not be stored.
    pub trouble: Option<String>,
    /// Folders and files that could not be read.
    pub unreadable: Vec<String>,
    /// Ignore files whose rules are not obeyed.
    pub unused_rules: Vec<String>,
}

impl Indexes {
    /// Waits for a first indexing that is under way, and reports its progress now and then.
    pub fn wait_until_whole(
        &self,
        root: &RootRecord,
        bound: Duration,
        report: impl FnMut(Progress) -> Result<(), ToolError>,
    ) -> Result<(), ToolError> {
        let index = self.warm(root)?;
        Waiting {
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
        let mut waiting = Waiting {
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
                |state: &DeskState| state.watching.is_some() || state.unavailable.is_some();
            waiting.until(COMPARE_TIMEOUT, |state| is_compared(state) || state.stopped)?;
        }
        Ok(())
    }

    /// Waits for the vectors of a loaded root, the first time that all of them are made or read from the store. Vectors
    /// of later edits are not waited for.
    pub fn wait_for_vectors(
        &self,
        root: &RootRecord,
        report: impl FnMut(Progress) -> Result<(), ToolError>,
    ) -> Result<(), ToolError> {
        let index = self.warm(root)?;
        let is_over = |state: &DeskState| {
            state.had_all_vectors || state.unavailable.is_some() || state.stopped
        };
        Waiting {
            index: &index,
            report,
        }
        .until(VECTOR_TIMEOUT, is_over)
        .map(drop)
    }

    /// Waits for a first index that is under way and nearly complete, or else for the exclusive right to scan the files.
    ///
    /// Scans take the processors from the indexing that would make them unnecessary, so there is one at a time. Returns
    /// none if nothing is being indexed yet.
    pub fn wait_for_scan(
        &self,
        root: &RootRecord,
        report: impl FnMut(Progress) -> Result<(), ToolError>,
    ) -> Result<Option<ScanPermit>, ToolError> {
        let Some(index) = self.loaded(root.id) else {
            return Ok(None);
        };
        let began = Instant::now();
        let may_scan = |state: &DeskState| {
            let is_soon = match state.progress.seconds_left() {
                Some(seconds) => Duration::from_secs(seconds) <= SOON,
                None => began.elapsed() < ESTIMATE_TIMEOUT,
            };
            !state.is_scanned && (!is_soon || began.elapsed() > SOON)
        };
        let mut waiting = Waiting {
            index: &index,
            report,
        };
        while !waiting.until(NEWS, |state| {
            is_whole(state) || may_scan(state) || state.stopped
        })? {}
        let is_permitted = index.desk.update(|state| {
            let is_permitted = !is_whole(state) && !state.is_scanned;
            state.is_scanned |= is_permitted;
            is_permitted
        });
        Ok(is_permitted.then(|| ScanPermit(Arc::clone(&index))))
    }

    /// The root as it is now, as far as that can be had soon.
    pub fn fresh(&self, root: &RootRecord) -> Result<Fresh, ToolError> {
        let (index, fresh) = self.fresh_once(root)?;
        // An index that was unloaded meanwhile has handed out an empty snapshot.
        if index.is_stopped() {
            self.fresh_once(root).map(|(_, fresh)| fresh)
        } else {
            Ok(fresh)
        }
    }

    fn fresh_once(&self, root: &RootRecord) -> Result<(Arc<RootIndex>, Fresh), ToolError> {
        let index = self.warm(root)?;
        let until = Instant::now() + PATIENCE;
        let left = || until.saturating_duration_since(Instant::now());
        // After a start the tree is compared first: what changed meanwhile is noted by nobody.
        index.desk.wait_until(left(), |state| {
            state.watching.is_some() || state.unavailable.is_some()
        });
        let synced = self.shared.watcher.sync(root.id, left()) == SyncOutcome::Synced;
        let (pending, watching) = {
            let state = index.desk.lock();
            (
                state.is_looking() || self.shared.watcher.is_dirty(root.id),
                state.watching.clone(),
            )
        };
        let seen = match watching {
            Some(WatchMethod::Events) if !pending => true,
            Some(WatchMethod::Polling(_)) => {
                let ticket = index.desk.order(|orders| orders.reconcile = true);
                index.desk.wait(ticket, left())
            }
            _ => {
                let ticket = index.desk.order_look(Urgency::Urgent);
                match index.desk.wait_for_look(ticket, left()) {
                    Waited::Done => true,
                    // Of a first indexing the rest is not near; of any other, such as new ignore rules, it often is.
                    Waited::Between => {
                        lock(&index.state).complete && index.desk.wait(ticket, left())
                    }
                    Waited::NotYet => false,
                }
            }
        };
        let progress = index.desk.lock().progress;
        let complete = lock(&index.state).complete;
        let partial = (!complete).then_some(progress);
        let stale = (partial.is_none() && !(seen && (synced || !watches(&index)))).then(|| {
            let mut behind = index.desk.lock().taken_up.clone();
            behind.extend(self.shared.watcher.dirty_paths(root.id));
            behind.into_iter().collect()
        });
        let fresh = Fresh {
            snapshot: index.snapshot(),
            partial,
            stale,
            trouble: index.trouble(),
            unreadable: index.unreadable(),
            unused_rules: index.unused_rules(),
        };
        Ok((index, fresh))
    }
}

/// A query that waits for an index, and reports progress meanwhile.
struct Waiting<'a, R> {
    index: &'a RootIndex,
    report: R,
}

impl<R: FnMut(Progress) -> Result<(), ToolError>> Waiting<'_, R> {
    /// Returns false if the time is over first. An error of the report, such as a cancelled call, ends the wait.
    fn until(
        &mut self,
        timeout: Duration,
        is_met: impl Fn(&DeskState) -> bool,
    ) -> Result<bool, ToolError> {
        let until = Instant::now() + timeout;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if self.index.desk.wait_until(left.min(NEWS), &is_met) {
                return Ok(true);
            }
            if left.is_zero() {
                return Ok(false);
            }
            (self.report)(self.index.progress())?;
        }
    }
}

fn is_whole(state: &DeskState) -> bool {
    state.unavailable.is_some() || matches!(state.progress.phase, Phase::Ready | Phase::Embedding)
}

/// The right to scan the files of a root while it is being indexed, until it is dropped.
pub struct ScanPermit(Arc<RootIndex>);

impl Drop for ScanPermit {
    fn drop(&mut self) {
        self.0.desk.update(|state| state.is_scanned = false);
    }
}

fn watches(index: &RootIndex) -> bool {
    index.watching() == Some(WatchMethod::Events)
}
