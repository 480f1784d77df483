//! Loads, unloads and drops the indexes of roots. A root whose index is in memory is warm.
//!
//! Each warm root has one writer, a thread; queries read snapshots, and wait for the writer only within a bound. Roots that are
//! not used are unloaded, least recently used first, and loaded again at their next use.

pub mod dump;
mod embedding;
mod indexer;
mod job_queue;
pub mod manifests;
pub mod measure;
pub mod memory;
mod model_tier;
pub mod models;
pub mod name_lookup;
pub mod names;
pub mod number_map;
pub mod path_lexicon;
pub mod path_words;
pub mod precise;
pub mod prepare;
pub mod progress;
mod readiness;
mod rest;
mod root_index;
pub mod root_paths;
pub mod sharing;
pub mod similarity;
pub mod snapshot;
pub mod uses;
pub mod vector_buffer;
pub mod vectors;
pub mod worker;
mod write_queue;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use claudevil_child::program::VectorsProgram;
use claudevil_protocol::text::NextCall;
use claudevil_protocol::{ErrorCode, ToolError};

use self::indexer::Indexer;
use self::job_queue::Urgency;
pub use self::job_queue::{Job, JobCounts, RequestId};
use self::models::{ModelTier, Models};
pub use self::readiness::{FreshSnapshot, ScanPermit};
pub use self::root_index::RootIndex;
use self::uses::{RecentUses, Uses};
use self::vectors::Coverage;
use self::worker::{Pool, PoolSettings};
use crate::clock;
use crate::config::IndexSettings;
use crate::embed::{ChosenModel, Embedder};
use crate::history::Histories;
use crate::precise::PreciseIndexes;
use crate::source::walk::{self, Rules};
use crate::source::watch::Watcher;
use crate::store::error::StoreError;
use crate::store::ledger::Ledger;
use crate::store::ledger::record::FactsKey;
use crate::store::roots::RootRecord;
use crate::threads::lock;

/// The longest wait for a root's indexer to stop.
const STOP_PATIENCE: Duration = Duration::from_secs(5);
/// The longest wait for the batch in progress when the daemon exits. A batch that is cut off is done again.
const EXIT_PATIENCE: Duration = Duration::from_secs(2);
const WORKER_IDLE: Duration = Duration::from_secs(5);
/// The longest time that idle workers for queries are kept: never longer than the time to the rest.
const PROMPT_WORKER_IDLE: Duration = Duration::from_secs(60);
const LAST_WORKER_IDLE: Duration = Duration::from_secs(600);
/// The number of changes after which unused facts are looked for.
const SWEEP_AFTER: u64 = 500;
/// The size of the cache of uses of names, in bytes.
const MAX_USES: usize = 32 << 20;
/// The time that the index of a missing folder is kept: seven days.
const MISSING_ROOT_RETENTION_MILLIS: i64 = 7 * 24 * 60 * 60 * 1000;

pub struct Indexes {
    shared: Arc<IndexResources>,
    warm: Arc<WarmRoots>,
    /// The ids of removed roots, which a query that began earlier must not load again. No id is used twice.
    removed: Mutex<BTreeSet<u64>>,
}

type WarmRoots = Mutex<HashMap<u64, Arc<RootIndex>>>;

/// The resources of the indexers of all roots.
pub struct IndexResources {
    pub ledger: Arc<Ledger>,
    pub models: Arc<Models>,
    pub pool: Pool,
    pub watcher: Watcher,
    pub data: PathBuf,
    pub settings: IndexSettings,
    pub precise: Arc<PreciseIndexes>,
    pub histories: Histories,
    uses: RecentUses,
    changes: AtomicU64,
}

impl Indexes {
    /// Without a built-in embedder no vectors are computed, whatever model is chosen.
    pub fn open(
        data: &Path,
        settings: IndexSettings,
        program: VectorsProgram,
        built_in: Option<Arc<dyn Embedder>>,
        chosen: Option<ChosenModel>,
    ) -> Result<Self, String> {
        let (ledger, _) =
            Ledger::open(data).map_err(|error| format!("{}: {error}", data.display()))?;
        let ledger = Arc::new(ledger);
        let models = Arc::new(Models::new(
            data.to_owned(),
            program,
            Arc::clone(&ledger),
            built_in,
            chosen,
            settings.sharing.clone(),
        ));
        let warm: Arc<WarmRoots> = Arc::default();
        let woken = Arc::downgrade(&warm);
        let on_change = move |root| {
            if let Some(warm) = woken.upgrade()
                && let Some(index) = lock(&warm).get(&root)
            {
                index.jobs.request_refresh(Urgency::Background);
            }
        };
        let watcher =
            Watcher::new(&data.join("cookies"), on_change).map_err(|error| error.to_string())?;
        let pool = Pool::new(PoolSettings {
            workers: settings.workers,
            idle: WORKER_IDLE,
            prompt_idle: PROMPT_WORKER_IDLE.min(settings.rest_after),
            last_idle: LAST_WORKER_IDLE,
        });
        let data = data.to_owned();
        let precise = Arc::new(PreciseIndexes::new(data.join("roots")));
        let histories = Histories::new(data.join("roots"));
        let changes = AtomicU64::new(0);
        let uses = RecentUses::new(MAX_USES);
        let shared = IndexResources {
            ledger,
            models,
            pool,
            watcher,
            data,
            settings,
            precise,
            histories,
            uses,
            changes,
        };
        Ok(Self {
            shared: Arc::new(shared),
            warm,
            removed: Mutex::default(),
        })
    }

    /// Returns the index of a root, and starts to load it if it is not warm.
    pub fn warm(&self, root: &RootRecord) -> Result<Arc<RootIndex>, ToolError> {
        let mut warm = lock(&self.warm);
        if lock(&self.removed).contains(&root.id) {
            let message = format!("`{}` is not a known root any more", root.name);
            return Err(ToolError::new(ErrorCode::RootNotFound, message)
                .with_hint(NextCall::new("manage_roots").with("action", "list")));
        }
        let predecessor = warm.get(&root.id).cloned();
        if let Some(index) = &predecessor {
            if index.root.is_indexed_like(root) && !index.jobs.is_stopping() {
                index.touch();
                return Ok(Arc::clone(index));
            }
            index.stop();
        }
        let rules = Rules::new(&root.include, &root.exclude)?;
        let index = Arc::new(RootIndex::new(root.clone()));
        let indexer = Indexer::new(Arc::clone(&self.shared), Arc::clone(&index), rules);
        let (shared, others, own) = (
            Arc::clone(&self.shared),
            Arc::clone(&self.warm),
            Arc::clone(&index),
        );
        std::thread::Builder::new()
            .name(format!("claudevild-{}", root.id))
            .spawn(move || {
                let _guard = StopGuard {
                    shared,
                    warm: others,
                    index: own,
                };
                indexer.run(predecessor);
            })
            .map_err(|error| claudevil_protocol::error::from_io("an indexer", &error))?;
        warm.insert(root.id, Arc::clone(&index));
        let roots = Arc::downgrade(&self.warm);
        self.shared.models.open(move || {
            for index in roots
                .upgrade()
                .iter()
                .flat_map(|warm| lock(warm).values().cloned().collect::<Vec<_>>())
            {
                index.jobs.request(|requests| requests.vectors = true);
            }
        });
        Ok(index)
    }

    /// Returns the uses of names in the facts under a key.
    pub fn uses(&self, key: FactsKey) -> Result<Arc<Uses>, StoreError> {
        let find = || self.shared.ledger.occurrences(key).map(Uses::new);
        self.shared.uses.get(key, find)
    }

    /// Returns the uses in the facts under a key. May return None if none of these names is among them.
    pub fn uses_with(
        &self,
        key: FactsKey,
        names: &[&str],
    ) -> Result<Option<Arc<Uses>>, StoreError> {
        self.shared.uses.get_with(key, names, || {
            Ok(self
                .shared
                .ledger
                .occurrences_with(key, names)?
                .map(Uses::new))
        })
    }

    /// Returns whether a root has never been indexed completely. Does not load it.
    pub fn is_new(&self, root: &RootRecord) -> bool {
        let is_complete = self
            .loaded(root.id)
            .is_some_and(|index| lock(&index.state).complete);
        // The state of a root that is being loaded is in the ledger alone.
        !is_complete
            && !self
                .shared
                .ledger
                .state(root.id)
                .ok()
                .flatten()
                .is_some_and(|state| state.complete)
    }

    /// Returns a root that is warm. Does not load it.
    pub fn loaded(&self, root: u64) -> Option<Arc<RootIndex>> {
        lock(&self.warm).get(&root).cloned()
    }

    /// Drops the indexes of roots whose folders have been missing for long.
    pub fn forget_missing(&self, roots: &[RootRecord]) {
        let now = clock::now();
        for root in roots
            .iter()
            .filter(|root| walk::unavailable_reason(root.path.as_ref()).is_some())
        {
            let Ok(Some(state)) = self.shared.ledger.state(root.id) else {
                continue;
            };
            let done = match state.unavailable_since {
                Some(since) if now - since > MISSING_ROOT_RETENTION_MILLIS => {
                    self.forget(root.id).map(|_| ())
                }
                Some(_) => Ok(()),
                None => self.shared.ledger.note_unavailable(root.id, now),
            };
            if let Err(error) = done {
                tracing::warn!(%error, root = root.name, "the index of a root that is away could not be changed");
            }
        }
    }

    /// Drops the index of a removed root. Returns the bytes of its own part of the index.
    pub fn remove(&self, root: u64) -> Result<u64, StoreError> {
        lock(&self.removed).insert(root);
        self.forget(root)
    }

    /// Drops the index of a root.
    fn forget(&self, root: u64) -> Result<u64, StoreError> {
        let index = lock(&self.warm).remove(&root);
        let bytes = crate::store::bytes_below(&self.shared.root_folder(root));
        if let Some(index) = index {
            index.stop();
            if !index.jobs.wait_until(STOP_PATIENCE, |state| state.stopped) {
                // Its last writes are dropped with the rest, once it has ended.
                let shared = Arc::clone(&self.shared);
                std::thread::spawn(move || {
                    while !index.jobs.wait_until(STOP_PATIENCE, |state| state.stopped) {}
                    if let Err(error) = shared.forget(root) {
                        tracing::warn!(%error, "the index of a root that was removed is still there");
                    }
                });
                return Ok(bytes);
            }
        }
        self.shared.forget(root).map(|()| bytes)
    }

    /// Returns the estimated size of all warm roots and the memory budget, in bytes.
    pub fn memory_use(&self) -> (usize, usize) {
        let warm: Vec<_> = lock(&self.warm).values().cloned().collect();
        let used = warm.iter().map(|index| index.weight()).sum();
        (used, self.shared.settings.memory)
    }

    /// Unloads roots that are idle for long, and those beyond the memory budget, least recently used first. The root that was
    /// used last may exceed the budget: otherwise each of its queries would load it again.
    pub fn unload_idle(&self) {
        self.shared.models.release_idle();
        let warm = lock(&self.warm);
        if warm.is_empty() {
            // Other threads may have freed memory since the last root was unloaded.
            memory::release_free();
        }
        let mut by_use: Vec<(Duration, &Arc<RootIndex>)> =
            warm.values().map(|index| (index.idle(), index)).collect();
        by_use.sort_by_key(|(idle, _)| *idle);
        let mut total = 0;
        for (number, (idle, index)) in by_use.into_iter().enumerate() {
            total += index.weight();
            let is_over =
                number > 0 && total > self.shared.settings.memory && idle > Duration::from_secs(1);
            if !index.is_busy() && (idle > self.shared.settings.unload_after || is_over) {
                index.stop();
                total -= index.weight();
            }
        }
    }

    /// Stops all indexers, waits a little for them, and closes the ledger.
    pub fn close(&self) {
        let warm: Vec<_> = lock(&self.warm).values().cloned().collect();
        for index in &warm {
            index.stop();
        }
        let until = Instant::now() + EXIT_PATIENCE;
        for index in &warm {
            index
                .jobs
                .wait_until(until.saturating_duration_since(Instant::now()), |state| {
                    state.stopped
                });
        }
        self.shared.models.close(until);
        self.shared.ledger.close();
    }

    pub fn is_busy(&self) -> bool {
        lock(&self.warm).values().any(|index| index.is_busy())
    }

    /// Returns the embedding progress of a model over all roots in memory.
    pub fn coverage(&self, tier: ModelTier) -> Coverage {
        let warm: Vec<_> = lock(&self.warm).values().cloned().collect();
        let mut all = Coverage::default();
        for one in warm.iter().map(|index| index.snapshot().coverage(tier)) {
            all.chunks += one.chunks;
            all.vectors += one.vectors;
        }
        all
    }

    pub fn shared(&self) -> &IndexResources {
        &self.shared
    }
}

impl Drop for Indexes {
    fn drop(&mut self) {
        for index in lock(&self.warm).values() {
            index.stop();
        }
    }
}

impl IndexResources {
    /// Returns the directory of a root's own part of the index.
    fn root_folder(&self, root: u64) -> PathBuf {
        self.data.join("roots").join(root.to_string())
    }

    fn forget(&self, root: u64) -> Result<(), StoreError> {
        self.precise.forget(root);
        self.histories.unload(root);
        self.ledger.forget(root)?;
        match std::fs::remove_dir_all(self.root_folder(root)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Removes unused facts after enough changes.
    fn sweep_if_due(&self, changes: usize) {
        let before = self.changes.fetch_add(changes as u64, Ordering::Relaxed);
        if before / SWEEP_AFTER != (before + changes as u64) / SWEEP_AFTER
            && let Err(error) = self.ledger.sweep()
        {
            tracing::warn!(%error, "unused facts could not be removed");
        }
    }
}

/// Marks an indexer as stopped when its thread ends, even by a panic: the next query starts another.
struct StopGuard {
    shared: Arc<IndexResources>,
    warm: Arc<WarmRoots>,
    index: Arc<RootIndex>,
}

impl Drop for StopGuard {
    fn drop(&mut self) {
        self.index.jobs.update(|state| state.stopped = true);
        unload(&self.shared, &self.warm, self.index.root.id);
    }
}

/// Removes a root whose indexer has ended from the warm ones, after its memory has been released.
fn unload(shared: &IndexResources, warm: &WarmRoots, root: u64) {
    let mut warm = lock(warm);
    // Another indexer may have replaced it.
    if !warm
        .get(&root)
        .is_some_and(|index| index.jobs.lock().stopped)
    {
        return;
    }
    if warm.len() == 1 {
        // Frees the cache of the ledger, which opens again by itself.
        shared.ledger.close();
        memory::release_mapped(claudevil_model::mapped());
    }
    shared.histories.unload(root);
    shared.uses.clear();
    memory::release_free();
    warm.remove(&root);
}
