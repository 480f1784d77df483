//! A warm root: its current snapshot, its state, and the job queue of its indexer.
//!
//! Queries read the snapshot and request jobs; only the indexer publishes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use super::job_queue::{Job, JobCounts, JobQueue, RequestId};
use super::models::ModelTier;
use super::progress::{Phase, Progress};
use super::snapshot::Snapshot;
use crate::extract::ChunkSizes;
use crate::source::watch::WatchMethod;
use crate::store::ledger::record::RootState;
use crate::store::roots::RootRecord;
use crate::threads::lock;

/// The most files of a root for which answers are counted.
const MAX_SHOWN: usize = 10_000;

/// A warm root.
pub struct RootIndex {
    pub root: RootRecord,
    pub sizes: ChunkSizes,
    current: RwLock<Arc<Snapshot>>,
    pub(super) state: Mutex<RootState>,
    pub(super) jobs: JobQueue,
    used: Mutex<Instant>,
    /// The time of the latest use when memory was last given back.
    rested_after: Mutex<Option<Instant>>,
    /// The number of answers that showed each file since the root was loaded.
    shown: Mutex<HashMap<String, u32>>,
}

impl RootIndex {
    pub(super) fn new(root: RootRecord) -> Self {
        Self {
            sizes: chunk_sizes(&root),
            root,
            current: RwLock::default(),
            state: Mutex::default(),
            jobs: JobQueue::default(),
            used: Mutex::new(Instant::now()),
            rested_after: Mutex::default(),
            shown: Mutex::default(),
        }
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn state(&self) -> RootState {
        lock(&self.state).clone()
    }

    /// Requests that a path is indexed again; the empty path is the whole root.
    pub fn reindex(&self, path: &str) -> Job {
        self.jobs
            .request_job(|requests| requests.reindex.push(path.to_owned()))
    }

    /// Requests a comparison of a path with the index.
    pub fn compare(&self, path: &str) -> Job {
        self.jobs
            .request_job(|requests| requests.compare.push(path.to_owned()))
    }

    /// Requests a comparison of the whole tree with the index.
    pub fn reconcile(&self) -> Job {
        self.jobs.request_job(|requests| requests.reconcile = true)
    }

    pub fn job_counts(&self, job: &Job) -> JobCounts {
        self.jobs.job_counts(job)
    }

    /// Returns whether a job is running.
    pub fn is_running(&self) -> bool {
        self.jobs.lock().run.duration.is_none()
    }

    pub fn wait(&self, request: RequestId, bound: Duration) -> bool {
        self.jobs.wait(request, bound)
    }

    pub fn progress(&self) -> Progress {
        self.jobs.lock().progress
    }

    /// Returns the progress of the embedding, while one runs.
    pub fn embedding(&self) -> Option<Progress> {
        let state = self.jobs.lock();
        state
            .embedding
            .iter()
            .find_map(|embedding| embedding.progress)
    }

    /// Returns the number of files that have no vectors of the built-in model yet.
    pub fn files_without_vectors(&self) -> u64 {
        self.jobs.lock().embedding(ModelTier::BuiltIn).missing
    }

    /// Waits until no file waits for vectors of the chosen model. False if that takes longer.
    pub fn wait_for_chosen_vectors(&self, bound: Duration) -> bool {
        self.jobs.wait_until(bound, |state| {
            state.embedding[ModelTier::Chosen.index()].is_settled
        })
    }

    /// Requests another look for missing vectors, and waits until it is done.
    pub fn look_for_vectors(&self, bound: Duration) {
        let request = self.jobs.request(|requests| requests.vectors = true);
        self.jobs.wait(request, bound);
    }

    /// Counts an answer that shows a part of a file.
    pub fn count_shown(&self, path: &str) {
        let mut shown = lock(&self.shown);
        if let Some(times) = shown.get_mut(path) {
            *times = times.saturating_add(1);
        } else if shown.len() < MAX_SHOWN {
            shown.insert(path.to_owned(), 1);
        }
    }

    pub(super) fn shown(&self) -> HashMap<String, u32> {
        lock(&self.shown).clone()
    }

    pub fn watching(&self) -> Option<WatchMethod> {
        self.jobs.lock().watching.clone()
    }

    pub fn unavailable(&self) -> Option<String> {
        self.jobs.lock().unavailable.clone()
    }

    pub fn trouble(&self) -> Option<String> {
        self.jobs.lock().trouble.clone()
    }

    pub fn unreadable(&self) -> Vec<String> {
        self.jobs.lock().unreadable.clone()
    }

    pub fn unused_rules(&self) -> Vec<String> {
        self.jobs.lock().unused_rules.clone()
    }

    pub fn is_stopped(&self) -> bool {
        self.jobs.is_stopping()
    }

    pub(super) fn publish(&self, snapshot: Snapshot) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
    }

    pub(super) fn set_state(&self, state: &RootState) {
        lock(&self.state).clone_from(state);
    }

    pub(super) fn touch(&self) {
        *lock(&self.used) = Instant::now();
    }

    pub(super) fn idle(&self) -> Duration {
        lock(&self.used).elapsed()
    }

    /// Returns whether the root has been idle for this long. True only once after each use.
    pub(super) fn has_become_idle(&self, after: Duration) -> bool {
        let used = *lock(&self.used);
        used.elapsed() >= after
            && !self.is_busy()
            && lock(&self.rested_after).replace(used) != Some(used)
    }

    pub(super) fn weight(&self) -> usize {
        self.snapshot().weight()
    }

    pub(super) fn is_busy(&self) -> bool {
        let state = self.jobs.lock();
        let is_working = matches!(state.progress.phase, Phase::Walking | Phase::Indexing);
        !state.loaded
            || state.is_refreshing()
            || is_working
            || state
                .embedding
                .iter()
                .any(|embedding| embedding.progress.is_some())
    }

    pub(super) fn stop(&self) {
        self.jobs.request(|requests| requests.stop = true);
    }
}

fn chunk_sizes(root: &RootRecord) -> ChunkSizes {
    let defaults = ChunkSizes::default();
    let target = root.chunk_size.unwrap_or(defaults.target);
    ChunkSizes {
        target,
        most: target * 2,
        overlap: root.overlap.unwrap_or(defaults.overlap),
    }
}
