//! A write-behind buffer in front of the vector store: writes in batches, reads back, and maintains the store.
//!
//! Vectors are served from memory as soon as they are made, so nothing waits for the store. One thread writes to it when a
//! batch is full or no vector has come for a while, and closes it when it is idle. The store is a process of its own,
//! `claudevil-vectors` (`process.rs`), because LanceDB fragments the memory that it has used. Vectors that are not stored when
//! the daemon ends are recomputed; without that program nothing is stored.
//! **Invariant:** a store that fails costs time, never a vector in memory.

mod process;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use claudevil_child::vectors::{ChunkHash, ChunkVector, Contents, Store};

pub use self::process::StoreProcess;
use super::write_queue::{BATCH_ROWS, WriteDelay, WriteQueue};
use crate::embed::Embedder;
use crate::store::error::StoreError;
use crate::threads::lock;

/// The delay of a batch that is not full.
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
/// The growth after which unused vectors are looked for: one in `SWEEP_GROWTH_SHARE` rows, plus `SWEEP_GROWTH`.
const SWEEP_GROWTH_SHARE: usize = 4;
const SWEEP_GROWTH: usize = 5000;
/// Unused vectors are removed when there is more than one for `UNUSED_SHARE` vectors in use.
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
    queue: WriteQueue,
    troubles: Mutex<Troubles>,
    /// Locked by the writing thread alone.
    maintenance: Mutex<MaintenanceState>,
}

#[derive(Default)]
struct Troubles {
    /// The error of the latest write, or of the latest embedding.
    write: Option<String>,
    /// The error of the latest load.
    load: Option<String>,
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
            queue: WriteQueue::new("claudevild-vectors", delay, IDLE_CLOSE),
            troubles: Mutex::default(),
            maintenance,
        }
    }

    /// Adds vectors that have been computed. They are stored later.
    pub fn record(self: &Arc<Self>, made: impl IntoIterator<Item = ChunkVector>) {
        if self.store.missing_program().is_some() {
            return;
        }
        if self.queue.add(made) {
            self.ensure_thread();
        }
    }

    /// Returns the vectors of these chunks that are not stored yet.
    pub fn pending(&self, hashes: &[ChunkHash]) -> HashMap<ChunkHash, ChunkVector> {
        self.queue.pending(hashes)
    }

    /// Returns the vectors of these chunks that are pending or stored.
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
        self.note_use();
        let mut load_trouble = None;
        match self.store.load(&missing) {
            Ok(loaded) => found.extend(loaded),
            Err(error) => {
                tracing::warn!(model = self.model, error, "vectors cannot be loaded");
                load_trouble = Some(format!(
                    "vectors cannot be loaded and are recomputed: {error}"
                ));
            }
        }
        lock(&self.troubles).load = load_trouble;
        // The thread that closes the store may have ended meanwhile.
        self.note_use();
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
        let troubles = lock(&self.troubles);
        troubles.write.clone().or_else(|| troubles.load.clone())
    }

    pub fn report(&self, trouble: Option<String>) {
        if let Some(trouble) = &trouble {
            tracing::warn!(model = self.model, "{trouble}");
        }
        lock(&self.troubles).write = trouble;
    }

    /// Stores pending vectors and closes the store, until the given time.
    pub fn close(&self, until: Instant) {
        self.queue.close(until);
    }

    fn note_use(self: &Arc<Self>) {
        self.queue.note_use();
        self.ensure_thread();
    }

    fn ensure_thread(self: &Arc<Self>) {
        let buffer = Arc::clone(self);
        self.queue.ensure_thread(move || buffer.run());
    }

    fn run(&self) {
        let mut maintenance = lock(&self.maintenance);
        while let Some(vectors) = self.queue.next_batch(|| self.store.close()) {
            let due = vectors.len();
            match self.store.append(&vectors) {
                Ok(readable) if readable == due => self.report(None),
                Ok(readable) => {
                    let lost = due.saturating_sub(readable);
                    self.report(Some(format!("{lost} of {due} vectors cannot be read back")));
                }
                Err(error) => {
                    // Kept for another attempt, because some take long to make; at most a batch, to bound the memory.
                    self.queue.add_again(vectors, BATCH_ROWS);
                    self.report(Some(format!("vectors cannot be stored: {error}")));
                }
            }
            maintenance.writes += 1;
            maintenance.rows += due;
            if maintenance.writes >= MAINTENANCE_WRITES || maintenance.rows >= MAINTENANCE_ROWS {
                self.maintain(&mut maintenance);
            }
            self.queue.note_use();
        }
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
                "maintenance of the vector store failed: {error}"
            )));
        }
    }
}

#[cfg(test)]
mod tests;
