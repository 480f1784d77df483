//! The job queue of a root's indexer, and its progress.
//!
//! An order has a ticket. Whoever needs its effect waits for the ticket; the indexer takes all orders at once and then
//! calls all their tickets done. Looking at noted changes has tickets of its own: it is done in between, while longer
//! work goes on.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::embedding::Made;
use super::models::Stage;
use super::progress::Progress;
use crate::clock;
use crate::embed::EmbedError;
use crate::source::watch::WatchMethod;

#[derive(Default)]
pub struct Desk {
    state: Mutex<DeskState>,
    changed: Condvar,
}

#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent conditions that callers wait for"
)]
pub struct DeskState {
    orders: Orders,
    asked: u64,
    done: u64,
    looks_asked: u64,
    looks_done: u64,
    /// Looks that were done while longer work went on, whose own changes are not all visible yet.
    looks_between: u64,
    /// The number of times that noted changes have been taken up and are not visible yet.
    looking: u32,
    /// The paths of those changes, as far as they are known.
    pub taken_up: BTreeSet<String>,
    /// The files of the ledger have been loaded.
    pub loaded: bool,
    /// Every file has had its vectors at one moment since the root was loaded.
    pub had_all_vectors: bool,
    /// A query scans the files because the first index is not complete.
    pub is_scanned: bool,
    pub progress: Progress,
    pub watching: Option<WatchMethod>,
    pub unavailable: Option<String>,
    /// Read errors of the latest walk.
    pub unreadable: Vec<String>,
    /// Ignore files that the latest walk of the whole tree did not use.
    pub unused_rules: Vec<String>,
    /// Why the last batch could not be stored.
    pub trouble: Option<String>,
    pub stopped: bool,
    /// The vectors of each model.
    pub making: [EmbeddingProgress; 2],
    /// The counts of the latest job.
    pub run: Run,
    /// The counts of all jobs before it.
    before: JobCounts,
}

/// The embedding progress of one model.
#[derive(Default)]
pub struct EmbeddingProgress {
    /// Files whose vectors have been made and are not to be seen yet.
    pub made: Vec<Made>,
    /// While they are made.
    pub progress: Option<Progress>,
    /// Files whose vectors are missing.
    pub lacking: u64,
    /// The outcome of the latest embedding.
    pub ended: Option<Result<(), EmbedError>>,
}

/// One piece of work that was ordered, or the first of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Milliseconds since 1970.
    pub started: i64,
    /// None until it has begun.
    began: Option<Instant>,
    /// None until it is done.
    pub took: Option<Duration>,
    pub done: JobCounts,
}

/// The numbers of files that were added to an index, and removed from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobCounts {
    pub changed: u64,
    pub removed: u64,
}

/// A piece of work that somebody asked for. It begins with the work that is under way, because that does a part of it.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    pub ticket: Ticket,
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

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Orders {
    /// Look at what was noted as changed.
    pub look: Option<Urgency>,
    /// Compare the whole tree.
    pub reconcile: bool,
    /// Compare these paths, and what is in them.
    pub compare: Vec<String>,
    /// Index again, whatever is known: all of it, or these paths.
    pub again: Vec<String>,
    /// Vectors have been made.
    pub vectors: bool,
    pub stop: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// A change was noted.
    Background,
    /// Somebody waits.
    Urgent,
}

/// The outcome of a look that a query waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// Every change that was noted before is visible.
    Done,
    /// The changes that were noted last are visible; changes that were taken up earlier may not be.
    Between,
    NotYet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ticket {
    /// Its number is also that of the job.
    Work(u64),
    Look(u64),
}

impl Desk {
    pub fn order(&self, change: impl FnOnce(&mut Orders)) -> Ticket {
        self.update(|state| {
            change(&mut state.orders);
            state.asked += 1;
            Ticket::Work(state.asked)
        })
    }

    /// An order whose counts somebody wants to know.
    pub fn order_job(&self, change: impl FnOnce(&mut Orders)) -> Job {
        self.update(|state| {
            change(&mut state.orders);
            state.asked += 1;
            let run = Some(&state.run).filter(|run| run.took.is_none());
            Job {
                ticket: Ticket::Work(state.asked),
                started: run
                    .map(|run| run.started)
                    .filter(|started| *started > 0)
                    .unwrap_or_else(clock::now),
                began: run.and_then(|run| run.began).unwrap_or_else(Instant::now),
                before: if run.is_some() {
                    state.before
                } else {
                    state.before.and(state.run.done)
                },
            }
        })
    }

    /// The counts of a job so far.
    pub fn done_of(&self, job: &Job) -> JobCounts {
        let state = self.lock();
        let all = state.before.and(state.run.done);
        JobCounts {
            changed: all.changed.saturating_sub(job.before.changed),
            removed: all.removed.saturating_sub(job.before.removed),
        }
    }

    /// For the indexer: a piece of work begins.
    pub fn begin_run(&self) {
        self.update(|state| {
            state.before = state.before.and(state.run.done);
            state.run = Run {
                started: clock::now(),
                began: Some(Instant::now()),
                ..Run::default()
            };
        });
    }

    pub fn end_run(&self) {
        self.update(|state| state.run.took = state.run.began.map(|began| began.elapsed()));
    }

    pub fn order_look(&self, urgency: Urgency) -> Ticket {
        self.update(|state| {
            state.orders.look = state.orders.look.max(Some(urgency));
            state.looks_asked += 1;
            Ticket::Look(state.looks_asked)
        })
    }

    /// Returns whether the ticket was done in time.
    pub fn wait(&self, ticket: Ticket, bound: Duration) -> bool {
        self.wait_until(bound, |state| state.is_done(ticket) || state.stopped)
            && self.lock().is_done(ticket)
    }

    pub fn wait_for_look(&self, ticket: Ticket, bound: Duration) -> Waited {
        self.wait_until(bound, |state| {
            state.is_done(ticket) || state.is_done_between(ticket) || state.stopped
        });
        let state = self.lock();
        match (state.is_done(ticket), state.is_done_between(ticket)) {
            (true, _) => Waited::Done,
            (false, true) => Waited::Between,
            (false, false) => Waited::NotYet,
        }
    }

    pub fn wait_until(&self, bound: Duration, mut is_met: impl FnMut(&DeskState) -> bool) -> bool {
        let until = Instant::now() + bound;
        let mut state = self.lock();
        while !is_met(&state) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        true
    }

    /// For the indexer: takes the orders, waiting for some until then.
    pub fn take(&self, until: Instant) -> (Orders, Ticket) {
        let mut state = self.lock();
        while state.orders == Orders::default() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        (std::mem::take(&mut state.orders), Ticket::Work(state.asked))
    }

    /// Returns whether somebody waits for a change to be seen, and nothing else.
    pub fn has_urgent_look(&self) -> bool {
        self.lock().orders.look == Some(Urgency::Urgent)
    }

    pub fn is_stopping(&self) -> bool {
        let state = self.lock();
        state.orders.stop || state.stopped
    }

    pub fn finish(&self, ticket: Ticket) {
        self.update(|state| match ticket {
            Ticket::Work(number) => state.done = state.done.max(number),
            Ticket::Look(number) => state.looks_done = state.looks_done.max(number),
        });
    }

    /// Before noted changes are taken up. The ticket covers every look that was asked for by now.
    pub fn begin_looking(&self) -> Ticket {
        self.update(|state| {
            state.orders.look = None;
            state.looking += 1;
            Ticket::Look(state.looks_asked)
        })
    }

    pub fn finish_looking(&self, ticket: Ticket) {
        let Ticket::Look(number) = ticket else { return };
        self.update(|state| {
            state.looking = state.looking.saturating_sub(1);
            state.looks_between = state.looks_between.max(number);
            if state.looking == 0 {
                state.looks_done = state.looks_between;
                state.taken_up.clear();
            }
        });
    }

    pub fn update<T>(&self, change: impl FnOnce(&mut DeskState) -> T) -> T {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    pub fn lock(&self) -> MutexGuard<'_, DeskState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JobCounts {
    fn and(self, other: Self) -> Self {
        Self {
            changed: self.changed + other.changed,
            removed: self.removed + other.removed,
        }
    }
}

impl DeskState {
    fn is_done(&self, ticket: Ticket) -> bool {
        match ticket {
            Ticket::Work(number) => self.done >= number,
            Ticket::Look(number) => self.looks_done >= number,
        }
    }

    fn is_done_between(&self, ticket: Ticket) -> bool {
        matches!(ticket, Ticket::Look(number) if self.looks_between >= number)
    }

    pub fn making(&mut self, stage: Stage) -> &mut EmbeddingProgress {
        &mut self.making[stage.place()]
    }

    /// Returns whether changes are being made visible.
    pub fn is_looking(&self) -> bool {
        self.looking > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(desk: &Desk, files: u64) {
        desk.update(|state| state.run.done.changed += files);
    }

    #[test]
    fn a_job_counts_from_the_work_that_it_found_under_way() {
        let desk = Desk::default();
        let reconcile = |orders: &mut Orders| orders.reconcile = true;
        // Of a root that is new, all that is done is done for whoever asks first.
        let first = desk.order_job(reconcile);
        desk.begin_run();
        changes(&desk, 23);
        let meanwhile = desk.order_job(reconcile);
        desk.end_run();
        desk.begin_run();
        desk.end_run();
        assert_eq!(
            [first, meanwhile].map(|job| desk.done_of(&job).changed),
            [23, 23]
        );
        // What was done before is not.
        let later = desk.order_job(reconcile);
        assert_eq!(desk.done_of(&later).changed, 0);
        desk.begin_run();
        changes(&desk, 2);
        desk.end_run();
        assert_eq!(
            [first, meanwhile, later].map(|job| desk.done_of(&job).changed),
            [25, 25, 2]
        );
    }
}
