//! The job queue of a root's indexer, and its progress.
//!
//! A request has an id, by which a caller waits for its effect. The indexer takes all requests at once and marks all of
//! them finished afterwards. A refresh indexes the dirty set; it has ids of its own, because it may run while a longer job
//! goes on.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::embedding::FileEmbedding;
use super::models::ModelTier;
use super::progress::{Phase, Progress};
use crate::clock;
use crate::embed::EmbedError;
use crate::source::watch::WatchMethod;

#[derive(Default)]
pub struct JobQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent conditions that callers wait for"
)]
pub struct QueueState {
    requests: Requests,
    requested: u64,
    finished: u64,
    refreshes_requested: u64,
    refreshes_done: u64,
    /// The latest refresh that finished, even if it did so during a longer job whose own changes are not all visible yet.
    refreshes_done_early: u64,
    /// The number of running refreshes, whose changes are not visible yet.
    refreshes_running: u32,
    /// The paths that the running refreshes index, as far as they are known.
    pub refreshing: BTreeSet<String>,
    /// True once the files of the ledger have been loaded.
    pub loaded: bool,
    /// True once all files had their vectors at one moment since the root was loaded.
    pub had_all_vectors: bool,
    /// True while a query scans the files because the first index is not complete.
    pub is_scanned: bool,
    pub progress: Progress,
    pub watching: Option<WatchMethod>,
    pub unavailable: Option<String>,
    /// Read errors of the latest walk.
    pub unreadable: Vec<String>,
    /// Ignore files that the latest walk of the whole tree did not use.
    pub unused_rules: Vec<String>,
    /// The error of the last batch, if it could not be stored.
    pub trouble: Option<String>,
    pub stopped: bool,
    /// The embedding progress of each model.
    pub embedding: [EmbeddingProgress; 2],
    /// The counts of the latest job.
    pub run: JobRun,
    /// The counts of all jobs before it.
    before: JobCounts,
}

/// The embedding progress of one model.
#[derive(Default)]
pub struct EmbeddingProgress {
    /// Embedded files that no snapshot has yet.
    pub finished: Vec<FileEmbedding>,
    /// The progress while files are embedded.
    pub progress: Option<Progress>,
    /// Files whose vectors are missing.
    pub missing: u64,
    /// True if the model is open, the index is complete, and no file waits for vectors.
    pub is_settled: bool,
    /// True if the team's vectors could not be read for the whole root, until the indexer has read it.
    pub fill_failed: bool,
    /// The outcome of the latest embedding, until the indexer has read it.
    pub outcome: Option<Result<(), EmbedError>>,
}

/// One run of the indexer over the requested jobs, or its first over the whole root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobRun {
    /// Milliseconds since 1970.
    pub started: i64,
    /// None until it has begun.
    began: Option<Instant>,
    /// None until it is done.
    pub duration: Option<Duration>,
    pub counts: JobCounts,
}

/// The numbers of files that were indexed and removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobCounts {
    pub changed: u64,
    pub removed: u64,
}

/// A requested job. Its counts begin with the run in progress, if there is one, because that run does a part of the job.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    pub id: RequestId,
    /// Milliseconds since 1970.
    pub started: i64,
    began: Instant,
    /// The counts before the job.
    before: JobCounts,
}

impl Job {
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

/// The requests that the indexer has not taken yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent requests, of which any may be made"
)]
pub struct Requests {
    /// Index the dirty set.
    pub refresh: Option<Urgency>,
    /// Compare the whole tree.
    pub reconcile: bool,
    /// Compare these paths, and the files below them.
    pub compare: Vec<String>,
    /// Index these paths again even if nothing changed; the empty path is the whole root.
    pub reindex: Vec<String>,
    /// Read the vectors that have been computed.
    pub vectors: bool,
    /// Give back memory that can be filled again.
    pub rest: bool,
    pub stop: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// The watcher reported a change.
    Background,
    /// A query waits.
    Urgent,
}

/// The outcome of waiting for a refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshOutcome {
    /// Every earlier change is visible.
    Done,
    /// The latest changes are visible; those of an earlier refresh, or of the job in progress, may not be.
    LatestOnly,
    TimedOut,
}

/// The number of a request. Requests of one kind finish in the order of their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestId {
    /// Shown to users as the number of the job.
    Job(u64),
    Refresh(u64),
}

impl JobQueue {
    pub fn request(&self, change: impl FnOnce(&mut Requests)) -> RequestId {
        self.update(|state| {
            change(&mut state.requests);
            state.requested += 1;
            RequestId::Job(state.requested)
        })
    }

    /// Makes a request whose counts the caller wants to know.
    pub fn request_job(&self, change: impl FnOnce(&mut Requests)) -> Job {
        self.update(|state| {
            change(&mut state.requests);
            state.requested += 1;
            let run = Some(&state.run).filter(|run| run.duration.is_none());
            Job {
                id: RequestId::Job(state.requested),
                started: run
                    .map(|run| run.started)
                    .filter(|started| *started > 0)
                    .unwrap_or_else(clock::now),
                began: run.and_then(|run| run.began).unwrap_or_else(Instant::now),
                before: if run.is_some() {
                    state.before
                } else {
                    state.before + state.run.counts
                },
            }
        })
    }

    /// Returns the counts of a job so far.
    pub fn job_counts(&self, job: &Job) -> JobCounts {
        let state = self.lock();
        let all = state.before + state.run.counts;
        JobCounts {
            changed: all.changed.saturating_sub(job.before.changed),
            removed: all.removed.saturating_sub(job.before.removed),
        }
    }

    /// Starts the counts of a run. Called by the indexer.
    pub fn begin_run(&self) {
        self.update(|state| {
            state.before = state.before + state.run.counts;
            state.run = JobRun {
                started: clock::now(),
                began: Some(Instant::now()),
                ..JobRun::default()
            };
        });
    }

    pub fn end_run(&self) {
        self.update(|state| state.run.duration = state.run.began.map(|began| began.elapsed()));
    }

    pub fn request_refresh(&self, urgency: Urgency) -> RequestId {
        self.update(|state| {
            state.requests.refresh = state.requests.refresh.max(Some(urgency));
            state.refreshes_requested += 1;
            RequestId::Refresh(state.refreshes_requested)
        })
    }

    /// Returns whether the request was finished in time.
    pub fn wait(&self, request: RequestId, bound: Duration) -> bool {
        self.wait_until(bound, |state| state.is_done(request) || state.stopped)
            && self.lock().is_done(request)
    }

    pub fn wait_for_refresh(&self, request: RequestId, bound: Duration) -> RefreshOutcome {
        self.wait_until(bound, |state| {
            state.is_done(request) || state.is_done_early(request) || state.stopped
        });
        let state = self.lock();
        match (state.is_done(request), state.is_done_early(request)) {
            (true, _) => RefreshOutcome::Done,
            (false, true) => RefreshOutcome::LatestOnly,
            (false, false) => RefreshOutcome::TimedOut,
        }
    }

    pub fn wait_until(&self, bound: Duration, mut is_met: impl FnMut(&QueueState) -> bool) -> bool {
        let waited = self
            .changed
            .wait_timeout_while(self.lock(), bound, |state| !is_met(state))
            .unwrap_or_else(PoisonError::into_inner);
        !waited.1.timed_out()
    }

    /// Takes all requests, after waiting for one until the given time. Called by the indexer.
    pub fn take(&self, until: Instant) -> (Requests, RequestId) {
        let left = until.saturating_duration_since(Instant::now());
        let (mut state, _) = self
            .changed
            .wait_timeout_while(self.lock(), left, |state| {
                state.requests == Requests::default()
            })
            .unwrap_or_else(PoisonError::into_inner);
        (
            std::mem::take(&mut state.requests),
            RequestId::Job(state.requested),
        )
    }

    /// Returns whether a query waits for a refresh.
    pub fn has_urgent_refresh(&self) -> bool {
        self.lock().requests.refresh == Some(Urgency::Urgent)
    }

    /// Returns whether anything has been requested that the indexer has not taken yet.
    pub fn has_requests(&self) -> bool {
        self.lock().requests != Requests::default()
    }

    pub fn is_stopping(&self) -> bool {
        let state = self.lock();
        state.requests.stop || state.stopped
    }

    pub fn finish(&self, request: RequestId) {
        self.update(|state| match request {
            RequestId::Job(number) => state.finished = state.finished.max(number),
            RequestId::Refresh(number) => state.refreshes_done = state.refreshes_done.max(number),
        });
    }

    /// Called by the indexer before it takes the dirty set. The id covers every refresh requested so far.
    pub fn begin_refresh(&self) -> RequestId {
        self.update(|state| {
            state.requests.refresh = None;
            state.refreshes_running += 1;
            RequestId::Refresh(state.refreshes_requested)
        })
    }

    pub fn finish_refresh(&self, request: RequestId) {
        let RequestId::Refresh(number) = request else {
            return;
        };
        self.update(|state| {
            state.refreshes_running = state.refreshes_running.saturating_sub(1);
            state.refreshes_done_early = state.refreshes_done_early.max(number);
            if state.refreshes_running == 0 {
                state.refreshes_done = state.refreshes_done_early;
                state.refreshing.clear();
            }
        });
    }

    pub fn update<T>(&self, change: impl FnOnce(&mut QueueState) -> T) -> T {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    pub fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::ops::Add for JobCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            changed: self.changed + other.changed,
            removed: self.removed + other.removed,
        }
    }
}

impl QueueState {
    pub fn is_done(&self, request: RequestId) -> bool {
        match request {
            RequestId::Job(number) => self.finished >= number,
            RequestId::Refresh(number) => self.refreshes_done >= number,
        }
    }

    fn is_done_early(&self, request: RequestId) -> bool {
        matches!(request, RequestId::Refresh(number) if self.refreshes_done_early >= number)
    }

    pub fn embedding(&mut self, tier: ModelTier) -> &mut EmbeddingProgress {
        &mut self.embedding[tier.index()]
    }

    /// Notes that the root's folder is unavailable. Returns whether it was available before. Resets the progress of a walk or
    /// of indexing: otherwise the root would count as busy until the folder is available again.
    pub fn mark_unavailable(&mut self, why: String) -> bool {
        if matches!(self.progress.phase, Phase::Walking | Phase::Indexing) {
            self.progress = Progress::default();
        }
        self.unavailable.replace(why).is_none()
    }

    /// Returns whether a refresh is running.
    pub fn is_refreshing(&self) -> bool {
        self.refreshes_running > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_that_is_away_is_not_being_walked() {
        for (before, after) in [
            (Phase::Loading, Phase::Loading),
            (Phase::Walking, Phase::Loading),
            (Phase::Indexing, Phase::Loading),
            (Phase::Ready, Phase::Ready),
        ] {
            let mut state = QueueState {
                progress: Progress::begin(before, 7),
                ..QueueState::default()
            };
            assert!(state.mark_unavailable("not mounted".to_owned()));
            assert!(!state.mark_unavailable("not mounted".to_owned()));
            assert_eq!(state.progress.phase, after, "{before:?}");
        }
    }

    fn changes(jobs: &JobQueue, files: u64) {
        jobs.update(|state| state.run.counts.changed += files);
    }

    #[test]
    fn a_job_counts_from_the_start_of_the_run_in_progress() {
        let jobs = JobQueue::default();
        let reconcile = |requests: &mut Requests| requests.reconcile = true;
        // The first run counts for the job that is requested before it.
        let first = jobs.request_job(reconcile);
        jobs.begin_run();
        changes(&jobs, 23);
        let meanwhile = jobs.request_job(reconcile);
        jobs.end_run();
        jobs.begin_run();
        jobs.end_run();
        assert_eq!(
            [first, meanwhile].map(|job| jobs.job_counts(&job).changed),
            [23, 23]
        );
        // Earlier runs do not count for a later job.
        let later = jobs.request_job(reconcile);
        assert_eq!(jobs.job_counts(&later).changed, 0);
        jobs.begin_run();
        changes(&jobs, 2);
        jobs.end_run();
        assert_eq!(
            [first, meanwhile, later].map(|job| jobs.job_counts(&job).changed),
            [25, 25, 2]
        );
    }
}
