//! A write-behind buffer in front of the vector store: writes in batches, reads back, and maintains the store.
//!
//! Vectors serve from memory as soon as they are made, so nothing waits for the store. One thread writes to it when a batch
//! is full or no vector has come for a while, and closes it when it is idle. The store is a process of its own,
//! `claudevil-vectors` (`process.rs`), because LanceDB fragments the memory that it has used. Vectors that are not stored
//! when the daemon ends are made again; without that program nothing is stored.
//! **Invariant:** a store that fails costs time, never a vector in memory.

mod process;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use claudevil_child::vectors::{ChunkHash, ChunkVector, Contents, Store};

pub use self::process::StoreProcess;
use crate::embed::Embedder;
use crate::store::error::StoreError;

/// The rows of a full batch. Each write is a version and a file of the store; this many take about 7 MB while they wait.
const BATCH_ROWS: usize = 20_000;
/// The delay of a smaller batch.
const SLOW_MODEL_DELAY: WriteDelay = WriteDelay {
    quiet: Duration::from_secs(5),
    longest: Duration::from_secs(60),
};
/// The delay for vectors that are cheap to make again.
const INSTANT_MODEL_DELAY: WriteDelay = WriteDelay {
    quiet: Duration::from_secs(30),
    longest: Duration::from_secs(600),
};
/// The idle time after which the store is closed, which frees its memory.
const IDLE_CLOSE: Duration = Duration::from_secs(5);
/// Writes, or rows, after which the store is maintained. The first maintenance comes sooner, because the state in which an
/// earlier process left the store is unknown.
const MAINTENANCE_WRITES: usize = 100;
const FIRST_MAINTENANCE_WRITES: usize = 10;
const MAINTENANCE_ROWS: usize = 200_000;
/// The growth after which unused vectors are looked for: a share of the rows, plus a number of them.
const SWEEP_GROWTH_SHARE: usize = 4;
const SWEEP_GROWTH: usize = 5000;
/// Unused vectors are removed when they are more than this share of those in use.
const UNUSED_SHARE: usize = 2;

/// Returns the chunks of all roots.
pub type LiveChunks = Box<dyn Fn() -> Result<HashSet<ChunkHash>, StoreError> + Send + Sync>;
/// Returns the ids of the models whose vectors stay in the store; none while they are unknown.
pub type RetainedModels = Box<dyn Fn() -> Vec<String> + Send + Sync>;

pub struct VectorBuffer {
    store: Box<dyn Store>,
    model: String,
    live: LiveChunks,
    retained: RetainedModels,
    delay: WriteDelay,
    state: Mutex<State>,
    changed: Condvar,
    /// Locked by the thread alone.
    maintenance: Mutex<MaintenanceState>,
}

/// The time that vectors wait for more before they are stored.
#[derive(Clone, Copy)]
struct WriteDelay {
    /// Since the latest vector.
    quiet: Duration,
    /// Since the first vector.
    longest: Duration,
}

#[derive(Default)]
struct State {
    /// Vectors that are not stored yet.
    pending: HashMap<ChunkHash, ChunkVector>,
    /// The times of the first and the latest of them.
    since: Option<(Instant, Instant)>,
    /// The time of the latest use of the store.
    used: Option<Instant>,
    /// True while the thread runs.
    is_running: bool,
    closing: bool,
    trouble: Option<String>,
    /// The error of the latest load, if it failed.
    load_trouble: Option<String>,
}

/// The writes since the latest maintenance.
#[derive(Default)]
struct MaintenanceState {
    writes: usize,
    rows: usize,
    /// The rows when unused ones were last looked for.
    last_sweep_rows: usize,
}

impl VectorBuffer {
    pub fn new(
        store: Box<dyn Store>,
        embedder: &dyn Embedder,
        live: LiveChunks,
        retained: RetainedModels,
    ) -> Self {
        let model = embedder.model().as_str().to_owned();
        let maintenance = Mutex::new(MaintenanceState {
            writes: MAINTENANCE_WRITES - FIRST_MAINTENANCE_WRITES,
            ..MaintenanceState::default()
        });
        let delay = if embedder.is_instant() {
            INSTANT_MODEL_DELAY
        } else {
            SLOW_MODEL_DELAY
        };
        Self {
            store,
            model,
            live,
            retained,
            delay,
            state: Mutex::default(),
            changed: Condvar::new(),
            maintenance,
        }
    }

    /// Adds vectors that have been made. They are stored later.
    pub fn record(self: &Arc<Self>, made: impl IntoIterator<Item = ChunkVector>) {
        if self.store.missing_program().is_some() {
            return;
        }
        let now = Instant::now();
        let mut state = self.lock();
        let before = state.pending.len();
        state
            .pending
            .extend(made.into_iter().map(|vector| (vector.hash, vector)));
        if state.pending.len() > before {
            state.since = Some((state.since.map_or(now, |(first, _)| first), now));
            self.ensure_thread(&mut state);
        }
    }

    /// Returns those of the vectors that are not stored yet.
    pub fn pending(&self, hashes: &[ChunkHash]) -> HashMap<ChunkHash, ChunkVector> {
        let state = self.lock();
        hashes
            .iter()
            .filter_map(|hash| Some((*hash, state.pending.get(hash)?.clone())))
            .collect()
    }

    /// Returns those of the vectors that are pending or stored.
    pub fn load(self: &Arc<Self>, hashes: &[ChunkHash]) -> HashMap<ChunkHash, ChunkVector> {
        let mut found = self.pending(hashes);
        if self.store.missing_program().is_some() {
            return found;
        }
        let missing: Vec<ChunkHash> = hashes
            .iter()
            .filter(|hash| !found.contains_key(*hash))
            .copied()
            .collect();
        let mut state = self.lock();
        state.used = Some(Instant::now());
        self.ensure_thread(&mut state);
        drop(state);
        let mut load_trouble = None;
        match self.store.load(&missing) {
            Ok(loaded) => found.extend(loaded),
            Err(error) => {
                tracing::warn!(model = self.model, error, "vectors cannot be loaded");
                load_trouble = Some(format!(
                    "vectors cannot be loaded, and are made anew: {error}"
                ));
            }
        }
        let mut state = self.lock();
        state.load_trouble = load_trouble;
        state.used = Some(Instant::now());
        // The thread that closes the store may have ended meanwhile.
        self.ensure_thread(&mut state);
        drop(state);
        found
    }

    /// Returns the size of the store, and its errors.
    pub fn contents(&self) -> Result<Contents, String> {
        self.store.contents()
    }

    /// Returns an explanation if nothing is stored because `claudevil-vectors` is not installed.
    pub fn missing_program(&self) -> Option<String> {
        self.store.missing_program()
    }

    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the error of the latest use of the store, or of the latest embedding.
    pub fn trouble(&self) -> Option<String> {
        let state = self.lock();
        state.trouble.clone().or_else(|| state.load_trouble.clone())
    }

    pub fn report(&self, trouble: Option<String>) {
        if let Some(trouble) = &trouble {
            tracing::warn!(model = self.model, "{trouble}");
        }
        self.lock().trouble = trouble;
    }

    /// Stores pending vectors and closes the store, until the given time.
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

    fn ensure_thread(self: &Arc<Self>, state: &mut State) {
        self.changed.notify_all();
        if state.is_running || state.closing {
            return;
        }
        let buffer = Arc::clone(self);
        let spawned = std::thread::Builder::new()
            .name("claudevild-vectors".to_owned())
            .spawn(move || buffer.run());
        match spawned {
            Ok(_) => state.is_running = true,
            Err(error) => tracing::error!(%error, "a thread for vectors cannot be started"),
        }
    }

    fn run(&self) {
        claudevil_child::lower_priority();
        let mut maintenance = self
            .maintenance
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        while let Some(vectors) = self.next_batch() {
            let due = vectors.len();
            match self.store.append(&vectors) {
                Ok(readable) if readable == due => self.report(None),
                Ok(readable) => {
                    let lost = due.saturating_sub(readable);
                    self.report(Some(format!("{lost} of {due} vectors cannot be read back")));
                }
                Err(error) => {
                    self.keep_for_retry(vectors);
                    self.report(Some(format!("vectors cannot be stored: {error}")));
                }
            }
            maintenance.writes += 1;
            maintenance.rows += due;
            if maintenance.writes >= MAINTENANCE_WRITES || maintenance.rows >= MAINTENANCE_ROWS {
                self.maintain(&mut maintenance);
            }
            self.lock().used = Some(Instant::now());
        }
    }

    /// Returns the next batch for the store. None once it has been idle for long: the store is closed, and the thread ends.
    fn next_batch(&self) -> Option<Vec<ChunkVector>> {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            let due = match state.since {
                Some((first, latest)) => {
                    (latest + self.delay.quiet).min(first + self.delay.longest)
                }
                None => state.used.unwrap_or(now) + IDLE_CLOSE,
            };
            if state.closing || state.pending.len() >= BATCH_ROWS || due <= now {
                state.since = None;
                let pending = std::mem::take(&mut state.pending);
                if !pending.is_empty() {
                    return Some(pending.into_values().collect());
                }
                let used = state.used;
                drop(state);
                self.store.close();
                state = self.lock();
                // A vector may have come while it closed.
                if state.pending.is_empty() && (state.used == used || state.closing) {
                    state.is_running = false;
                    self.changed.notify_all();
                    return None;
                }
                continue;
            }
            state = self
                .changed
                .wait_timeout(state, due - now)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Keeps vectors that could not be stored, unless too many wait already: some take long to make again.
    fn keep_for_retry(&self, vectors: Vec<ChunkVector>) {
        let mut state = self.lock();
        if state.closing || state.pending.len() + vectors.len() >= BATCH_ROWS {
            return;
        }
        let now = Instant::now();
        let vectors = vectors.into_iter().map(|vector| (vector.hash, vector));
        state.pending.extend(vectors);
        state.since = Some((now, now));
    }

    /// Removes vectors that no root uses, if there are many, and has the store prune and compact itself.
    fn maintain(&self, maintenance: &mut MaintenanceState) {
        let done = (|| {
            let count = self.store.count()?;
            if count
                > maintenance.last_sweep_rows
                    + maintenance.last_sweep_rows / SWEEP_GROWTH_SHARE
                    + SWEEP_GROWTH
            {
                let live = (self.live)();
                maintenance.last_sweep_rows = count;
                if let Ok(live) = live
                    && count > live.len() + live.len() / UNUSED_SHARE
                {
                    let gone = self.store.keep_only(&live)?;
                    tracing::info!(gone, "vectors that no root has any more were removed");
                    maintenance.last_sweep_rows = live.len();
                }
            }
            self.store.maintain(&(self.retained)())
        })();
        *maintenance = MaintenanceState {
            last_sweep_rows: maintenance.last_sweep_rows,
            ..MaintenanceState::default()
        };
        if let Err::<(), String>(error) = done {
            self.report(Some(format!(
                "the vectors could not be put in maintenance: {error}"
            )));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
