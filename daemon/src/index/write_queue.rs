//! A queue of vectors in front of a slow store: one thread takes them in batches, and ends when the store is idle.
//!
//! The store of this machine and that of a team are written in the same way: each write adds a file and a version, so vectors
//! wait for more of them; and the process of a store holds memory, so it is closed when it is idle. The owner of the queue
//! performs the writes and handles their failures.
//! **Invariant:** there is one thread at most, and it runs for as long as a vector waits or the store is open.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use claudevil_child::vectors::{ChunkHash, ChunkVector};

use crate::threads::lock;

/// The rows of a full batch, which is written at once; they take about 7 MB while they wait.
pub(super) const BATCH_ROWS: usize = 20_000;

/// The time that a batch waits for more vectors while it is not full.
#[derive(Clone, Copy)]
pub(super) struct WriteDelay {
    /// Since the latest vector.
    pub quiet: Duration,
    /// Since the first vector.
    pub longest: Duration,
}

pub(super) struct WriteQueue {
    thread: &'static str,
    delay: WriteDelay,
    /// The idle time after which the store is closed.
    idle_close: Duration,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    pending: HashMap<ChunkHash, ChunkVector>,
    /// The times of the first and the latest pending vector.
    since: Option<(Instant, Instant)>,
    /// The time of the latest use of the store.
    used: Option<Instant>,
    /// The time before which nothing is written, after a failure.
    paused_until: Option<Instant>,
    /// True while the thread runs.
    is_running: bool,
    closing: bool,
}

impl WriteQueue {
    pub fn new(thread: &'static str, delay: WriteDelay, idle_close: Duration) -> Self {
        Self {
            thread,
            delay,
            idle_close,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Adds vectors. Returns true if some are new; then the thread has to run.
    pub fn add(&self, vectors: impl IntoIterator<Item = ChunkVector>) -> bool {
        let now = Instant::now();
        let mut state = self.lock();
        let before = state.pending.len();
        let vectors = vectors.into_iter().map(|vector| (vector.hash, vector));
        state.pending.extend(vectors);
        let has_grown = state.pending.len() > before;
        if has_grown {
            state.since = Some((state.since.map_or(now, |(first, _)| first), now));
        }
        has_grown
    }

    /// Adds vectors again that could not be written. Returns false if the queue is closed, or would have `most` vectors or
    /// more.
    pub fn add_again(&self, vectors: Vec<ChunkVector>, most: usize) -> bool {
        let state = self.lock();
        let has_room = !state.closing && state.pending.len() + vectors.len() < most;
        drop(state);
        if has_room {
            self.add(vectors);
        }
        has_room
    }

    /// Removes vectors that were written in another way, as by a push.
    pub fn remove(&self, vectors: &[ChunkVector]) {
        let mut state = self.lock();
        for vector in vectors {
            state.pending.remove(&vector.hash);
        }
        if state.pending.is_empty() {
            state.since = None;
        }
    }

    pub fn len(&self) -> usize {
        self.lock().pending.len()
    }

    /// Returns the pending vectors of these chunks.
    pub fn pending(&self, hashes: &[ChunkHash]) -> HashMap<ChunkHash, ChunkVector> {
        let state = self.lock();
        hashes
            .iter()
            .filter_map(|hash| Some((*hash, state.pending.get(hash)?.clone())))
            .collect()
    }

    /// Notes that the store is in use. The thread has to run afterwards, because it closes the store.
    pub fn note_use(&self) {
        self.lock().used = Some(Instant::now());
    }

    /// Delays writes until a time. None ends the delay.
    pub fn pause(&self, until: Option<Instant>) {
        self.lock().paused_until = until;
    }

    /// Returns whether writes are delayed. Always true once the queue is closed.
    pub fn is_paused(&self) -> bool {
        let state = self.lock();
        state.closing
            || state
                .paused_until
                .is_some_and(|until| Instant::now() < until)
    }

    /// Starts the thread, unless it runs: `run` takes batches until there are no more.
    pub fn ensure_thread(&self, run: impl FnOnce() + Send + 'static) {
        self.changed.notify_all();
        let mut state = self.lock();
        if state.is_running || state.closing {
            return;
        }
        let work = || {
            claudevil_child::lower_priority();
            run();
        };
        let spawned = std::thread::Builder::new()
            .name(self.thread.to_owned())
            .spawn(work);
        match spawned {
            Ok(_) => state.is_running = true,
            Err(error) => tracing::error!(%error, "a thread for vectors cannot be started"),
        }
    }

    /// Waits for the next batch. Returns None once the store has been idle for long: `close` has closed it, and the thread has
    /// to end.
    pub fn next_batch(&self, close: impl Fn()) -> Option<Vec<ChunkVector>> {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            let due = match state.since {
                Some((first, latest)) => {
                    let is_full = state.pending.len() >= BATCH_ROWS;
                    let delayed = (latest + self.delay.quiet).min(first + self.delay.longest);
                    let due = if is_full { now } else { delayed };
                    state.paused_until.map_or(due, |until| due.max(until))
                }
                None => state.used.unwrap_or(now) + self.idle_close,
            };
            if !state.closing && now < due {
                state = self
                    .changed
                    .wait_timeout(state, due - now)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0;
                continue;
            }
            state.since = None;
            let pending = std::mem::take(&mut state.pending);
            // A daemon that exits while the store fails does not wait for it.
            let is_given_up = state.closing && state.paused_until.is_some();
            if !pending.is_empty() && !is_given_up {
                return Some(pending.into_values().collect());
            }
            let used = state.used;
            drop(state);
            close();
            state = self.lock();
            // A vector may have been added, or the store used, while it was closed.
            if state.pending.is_empty() && (state.used == used || state.closing) {
                state.is_running = false;
                self.changed.notify_all();
                return None;
            }
        }
    }

    /// Requests that pending vectors are written and the store is closed, and waits for that until the given time.
    pub fn close(&self, until: Instant) {
        let mut state = self.lock();
        state.closing = true;
        self.changed.notify_all();
        let left = until.saturating_duration_since(Instant::now());
        drop(
            self.changed
                .wait_timeout_while(state, left, |state| state.is_running),
        );
    }

    #[cfg(test)]
    pub fn is_running(&self) -> bool {
        self.lock().is_running
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}
