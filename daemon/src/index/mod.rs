//! Keeps the indexes of roots warm: who is loaded, who waits for what, who is unloaded.
//!
//! Each warm root has one writer, a thread; queries read snapshots and never wait for it longer than they say. What is
//! not used is unloaded, least recently used first, and loaded again at its next use.

mod desk;
pub mod dump;
mod embedding;
pub mod having;
mod indexer;
pub mod keeper;
pub mod meaning;
pub mod measure;
pub mod memory;
pub mod models;
pub mod names;
pub mod number_map;
pub mod path_lexicon;
pub mod path_words;
pub mod precise;
pub mod prepare;
pub mod progress;
mod readiness;
pub mod snapshot;
pub mod uses;
pub mod vectors;
pub mod worker;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use claudevil_child::program::VectorsProgram;
use claudevil_protocol::text::NextCall;
use claudevil_protocol::{ErrorCode, ToolError};

use self::desk::{Desk, Urgency};
pub use self::desk::{Job, JobCounts, Ticket};
use self::indexer::Indexer;
use self::models::{Models, Stage, StoreSettings};
use self::progress::{Phase, Progress};
pub use self::readiness::{Fresh, ScanPermit};
use self::snapshot::Snapshot;
use self::uses::{RecentUses, Uses};
use self::vectors::Coverage;
use self::worker::{Pool, PoolSettings};
use crate::clock;
use crate::config::IndexSettings;
use crate::embed::{Better, Embedder, static_model};
use crate::extract::ChunkSizes;
use crate::precise::PreciseIndexes;
use crate::source::globs::Globs;
use crate::source::walk::{self, Rules};
use crate::source::watch::{WatchMethod, Watcher};
use crate::store::failure::StoreError;
use crate::store::ledger::record::{FactsKey, RootState};
use crate::store::ledger::{Batch, Ledger};
use crate::store::roots::RootRecord;

/// The longest wait for a root's indexer to stop.
const STOP_PATIENCE: Duration = Duration::from_secs(5);
/// The longest wait for a batch under way when the daemon leaves. A batch that is cut off is done again.
const LAST_WORK: Duration = Duration::from_secs(2);
const WORKER_IDLE: Duration = Duration::from_secs(5);
const LAST_WORKER_IDLE: Duration = Duration::from_secs(600);
/// Changes after which unused facts are looked for.
const SWEEP_AFTER: u64 = 500;
/// The memory for uses of names between queries, in bytes.
const MOST_USES: usize = 32 << 20;
/// Files of a root of which it is known how often they were in answers.
const MOST_SHOWN: usize = 10_000;
/// The time that the index of a missing root is kept: seven days.
const KEPT_AWAY_MILLIS: i64 = 7 * 24 * 60 * 60 * 1000;

pub struct Indexes {
    shared: Arc<Shared>,
    warm: Arc<Warm>,
    /// Roots that were removed: a question that began before must not bring them back. No number is ever given twice.
    forgotten: Mutex<BTreeSet<u64>>,
}

type Warm = Mutex<HashMap<u64, Arc<RootIndex>>>;

/// The resources of the indexers of all roots.
pub struct Shared {
    pub ledger: Arc<Ledger>,
    pub models: Arc<Models>,
    pub pool: Pool,
    pub watcher: Watcher,
    pub data: PathBuf,
    pub settings: IndexSettings,
    pub precise: Arc<PreciseIndexes>,
    uses: RecentUses,
    changes: AtomicU64,
}

/// A warm root.
pub struct RootIndex {
    pub root: RootRecord,
    pub sizes: ChunkSizes,
    current: RwLock<Arc<Snapshot>>,
    state: Mutex<RootState>,
    desk: Desk,
    used: Mutex<Instant>,
    /// The number of answers with each file since the root was loaded.
    shown: Mutex<HashMap<String, u32>>,
}

impl Indexes {
    /// Without an embedder no vectors are made, whatever the better one is.
    pub fn open(
        data: &Path,
        settings: IndexSettings,
        program: VectorsProgram,
        embedder: Option<Arc<dyn Embedder>>,
        better: Option<Better>,
    ) -> Result<Self, String> {
        let (ledger, _) =
            Ledger::open(data).map_err(|error| format!("{}: {error}", data.display()))?;
        let ledger = Arc::new(ledger);
        let store = StoreSettings {
            data: data.to_owned(),
            program,
        };
        let models = Arc::new(Models::new(store, Arc::clone(&ledger), embedder, better));
        let warm: Arc<Warm> = Arc::default();
        let woken = Arc::downgrade(&warm);
        let on_change = move |root| {
            if let Some(warm) = woken.upgrade()
                && let Some(index) = lock(&warm).get(&root)
            {
                index.desk.order_look(Urgency::Background);
            }
        };
        let watcher =
            Watcher::new(&data.join("cookies"), on_change).map_err(|error| error.to_string())?;
        let pool = Pool::new(PoolSettings {
            workers: settings.workers,
            idle: WORKER_IDLE,
            last_idle: LAST_WORKER_IDLE,
        });
        let data = data.to_owned();
        let precise = Arc::new(PreciseIndexes::new(data.join("roots")));
        let changes = AtomicU64::new(0);
        let uses = RecentUses::new(MOST_USES);
        let shared = Shared {
            ledger,
            models,
            pool,
            watcher,
            data,
            settings,
            precise,
            uses,
            changes,
        };
        Ok(Self {
            shared: Arc::new(shared),
            warm,
            forgotten: Mutex::default(),
        })
    }

    /// The root's index, loaded if it is not. Indexing begins by itself.
    pub fn warm(&self, root: &RootRecord) -> Result<Arc<RootIndex>, ToolError> {
        let mut warm = lock(&self.warm);
        if lock(&self.forgotten).contains(&root.id) {
            let message = format!("`{}` is not a known root any more", root.name);
            return Err(ToolError::new(ErrorCode::RootNotFound, message)
                .with_hint(NextCall::new("manage_roots").with("action", "list")));
        }
        let predecessor = warm.get(&root.id).cloned();
        if let Some(index) = &predecessor {
            if index.root.is_indexed_like(root) && !index.desk.is_stopping() {
                index.touch();
                return Ok(Arc::clone(index));
            }
            index.stop();
        }
        let rules = Rules {
            include: Globs::new(&root.include)?,
            exclude: Globs::new(&root.exclude)?,
        };
        let index = Arc::new(RootIndex {
            root: root.clone(),
            sizes: sizes(root),
            current: RwLock::default(),
            state: Mutex::default(),
            desk: Desk::default(),
            used: Mutex::new(Instant::now()),
            shown: Mutex::default(),
        });
        let indexer = Indexer::new(Arc::clone(&self.shared), Arc::clone(&index), rules);
        let (shared, others, own) = (
            Arc::clone(&self.shared),
            Arc::clone(&self.warm),
            Arc::clone(&index),
        );
        std::thread::Builder::new()
            .name(format!("claudevild-{}", root.id))
            .spawn(move || {
                let _ended = Ended {
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
                index.desk.order(|orders| orders.vectors = true);
            }
        });
        Ok(index)
    }

    /// The uses of names under a key.
    pub fn uses(&self, key: FactsKey) -> Result<Arc<Uses>, StoreError> {
        let find = || self.shared.ledger.occurrences(key).map(Uses::new).map(Some);
        self.shared
            .uses
            .get(key, find)
            .map(Option::unwrap_or_default)
    }

    /// The same where any of these names is among them, or where they are at hand anyway.
    pub fn uses_with(
        &self,
        key: FactsKey,
        names: &[&str],
    ) -> Result<Option<Arc<Uses>>, StoreError> {
        self.shared.uses.get(key, || {
            Ok(self
                .shared
                .ledger
                .occurrences_with(key, names)?
                .map(Uses::new))
        })
    }

    /// Returns whether a root has never been indexed to its end. Nothing is loaded for this.
    pub fn is_new(&self, root: &RootRecord) -> bool {
        let is_complete = self
            .loaded(root.id)
            .is_some_and(|index| lock(&index.state).complete);
        // What a root that is still being loaded will be is known to the ledger alone.
        !is_complete
            && !self
                .shared
                .ledger
                .state(root.id)
                .ok()
                .flatten()
                .is_some_and(|state| state.complete)
    }

    /// A root that is loaded; none is loaded for this.
    pub fn loaded(&self, root: u64) -> Option<Arc<RootIndex>> {
        lock(&self.warm).get(&root).cloned()
    }

    /// Drops the indexes of roots whose folders have been away for long.
    pub fn forget_long_gone(&self, roots: &[RootRecord]) {
        let now = clock::now();
        for root in roots
            .iter()
            .filter(|root| walk::unavailable(root.path.as_ref()).is_some())
        {
            let Ok(Some(state)) = self.shared.ledger.state(root.id) else {
                continue;
            };
            let done = match state.unavailable_since {
                Some(since) if now - since > KEPT_AWAY_MILLIS => self.forget(root.id).map(|_| ()),
                Some(_) => Ok(()),
                None => {
                    let state = RootState {
                        unavailable_since: Some(now),
                        ..state
                    };
                    self.shared
                        .ledger
                        .finish(root.id, &Batch::default(), &state)
                }
            };
            if let Err(error) = done {
                tracing::warn!(%error, root = root.name, "the index of a root that is away could not be changed");
            }
        }
    }

    /// Forgets a root that is one no more. Returns how many bytes its own part of the index took.
    pub fn remove(&self, root: u64) -> Result<u64, StoreError> {
        lock(&self.forgotten).insert(root);
        self.forget(root)
    }

    /// Forgets what is indexed of a root.
    fn forget(&self, root: u64) -> Result<u64, StoreError> {
        let index = lock(&self.warm).remove(&root);
        let bytes = crate::store::bytes_below(&self.shared.folder_of(root));
        if let Some(index) = index {
            index.stop();
            if !index.desk.wait_until(STOP_PATIENCE, |state| state.stopped) {
                // What it still writes goes with the rest, once it has ended.
                let shared = Arc::clone(&self.shared);
                std::thread::spawn(move || {
                    while !index.desk.wait_until(STOP_PATIENCE, |state| state.stopped) {}
                    if let Err(error) = shared.forget(root) {
                        tracing::warn!(%error, "the index of a root that was removed is still there");
                    }
                });
                return Ok(bytes);
            }
        }
        self.shared.forget(root).map(|()| bytes)
    }

    /// Unloads what has not been used for long, and what is beyond the budget, least recently used first.
    pub fn unload_idle(&self) {
        self.shared.models.rest();
        let warm = lock(&self.warm);
        if warm.is_empty() {
            // What other threads freed since the last root was let go.
            memory::give_back();
        }
        let mut by_use: Vec<(Duration, &Arc<RootIndex>)> =
            warm.values().map(|index| (index.idle(), index)).collect();
        by_use.sort_by_key(|(idle, _)| *idle);
        let mut total = 0;
        for (idle, index) in by_use {
            total += index.weight();
            let is_over = total > self.shared.settings.memory && idle > Duration::from_secs(1);
            if !index.is_busy() && (idle > self.shared.settings.unload_after || is_over) {
                index.stop();
                total -= index.weight();
            }
        }
    }

    /// Ends all indexers and closes the ledger, as far as that can be had soon.
    pub fn close(&self) {
        let warm: Vec<_> = lock(&self.warm).values().cloned().collect();
        for index in &warm {
            index.stop();
        }
        let until = Instant::now() + LAST_WORK;
        for index in &warm {
            index
                .desk
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
    pub fn coverage(&self, stage: Stage) -> Coverage {
        let warm: Vec<_> = lock(&self.warm).values().cloned().collect();
        let mut all = Coverage::default();
        for one in warm.iter().map(|index| index.snapshot().coverage(stage)) {
            all.chunks += one.chunks;
            all.vectors += one.vectors;
        }
        all
    }

    pub fn shared(&self) -> &Shared {
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

impl Shared {
    /// Returns the directory of a root's own part of the index.
    fn folder_of(&self, root: u64) -> PathBuf {
        self.data.join("roots").join(root.to_string())
    }

    fn forget(&self, root: u64) -> Result<(), StoreError> {
        self.precise.forget(root);
        self.ledger.forget(root)?;
        match std::fs::remove_dir_all(self.folder_of(root)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(StoreError::from_io(&error))
            }
            _ => Ok(()),
        }
    }

    /// Looks for unused facts once enough has changed.
    fn sweep_sometimes(&self, changes: usize) {
        let before = self.changes.fetch_add(changes as u64, Ordering::Relaxed);
        if before / SWEEP_AFTER != (before + changes as u64) / SWEEP_AFTER
            && let Err(error) = self.ledger.sweep()
        {
            tracing::warn!(%error, "unused facts could not be removed");
        }
    }
}

impl RootIndex {
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn state(&self) -> RootState {
        lock(&self.state).clone()
    }

    /// Index again, all of it or one path.
    pub fn index_again(&self, path: &str) -> Job {
        self.desk
            .order_job(|orders| orders.again.push(path.to_owned()))
    }

    /// Compare a path with what is known of it.
    pub fn compare(&self, path: &str) -> Job {
        self.desk
            .order_job(|orders| orders.compare.push(path.to_owned()))
    }

    /// Compare the tree.
    pub fn reconcile(&self) -> Job {
        self.desk.order_job(|orders| orders.reconcile = true)
    }

    pub fn done_of(&self, job: &Job) -> JobCounts {
        self.desk.done_of(job)
    }

    /// Returns whether a piece of work is under way.
    pub fn is_running(&self) -> bool {
        self.desk.lock().run.took.is_none()
    }

    pub fn wait(&self, ticket: Ticket, bound: Duration) -> bool {
        self.desk.wait(ticket, bound)
    }

    pub fn progress(&self) -> Progress {
        self.desk.lock().progress
    }

    /// While vectors are made, of whichever model.
    pub fn embedding(&self) -> Option<Progress> {
        let state = self.desk.lock();
        state.making.iter().find_map(|making| making.progress)
    }

    /// Files that a ranking by the first model cannot compare by meaning, because their vectors are not there yet.
    pub fn files_without_vectors(&self) -> u64 {
        self.desk.lock().making(Stage::First).lacking
    }

    /// Somebody has been shown some of a file.
    pub fn note_shown(&self, path: &str) {
        let mut shown = lock(&self.shown);
        if let Some(times) = shown.get_mut(path) {
            *times = times.saturating_add(1);
        } else if shown.len() < MOST_SHOWN {
            shown.insert(path.to_owned(), 1);
        }
    }

    fn shown(&self) -> HashMap<String, u32> {
        lock(&self.shown).clone()
    }

    pub fn watching(&self) -> Option<WatchMethod> {
        self.desk.lock().watching.clone()
    }

    pub fn unavailable(&self) -> Option<String> {
        self.desk.lock().unavailable.clone()
    }

    pub fn trouble(&self) -> Option<String> {
        self.desk.lock().trouble.clone()
    }

    pub fn unreadable(&self) -> Vec<String> {
        self.desk.lock().unreadable.clone()
    }

    pub fn unused_rules(&self) -> Vec<String> {
        self.desk.lock().unused_rules.clone()
    }

    pub fn is_stopped(&self) -> bool {
        self.desk.is_stopping()
    }

    fn publish(&self, snapshot: Snapshot) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
    }

    fn note(&self, state: &RootState) {
        lock(&self.state).clone_from(state);
    }

    fn touch(&self) {
        *lock(&self.used) = Instant::now();
    }

    fn idle(&self) -> Duration {
        lock(&self.used).elapsed()
    }

    fn weight(&self) -> usize {
        self.snapshot().files.iter().map(|file| file.weight()).sum()
    }

    fn is_busy(&self) -> bool {
        let state = self.desk.lock();
        let is_working = matches!(state.progress.phase, Phase::Walking | Phase::Indexing);
        !state.loaded
            || state.is_looking()
            || is_working
            || state.making.iter().any(|making| making.progress.is_some())
    }

    fn stop(&self) {
        self.desk.order(|orders| orders.stop = true);
    }
}

/// Says that an indexer has ended, however it did: the next question starts another.
struct Ended {
    shared: Arc<Shared>,
    warm: Arc<Warm>,
    index: Arc<RootIndex>,
}

impl Drop for Ended {
    fn drop(&mut self) {
        self.index.desk.update(|state| state.stopped = true);
        let_go(&self.shared, &self.warm, self.index.root.id);
    }
}

/// Forgets a root whose indexer has ended. It is there until its memory is the system's again.
fn let_go(shared: &Shared, warm: &Warm, root: u64) {
    let mut warm = lock(warm);
    // Another indexer may have taken its place.
    if !warm
        .get(&root)
        .is_some_and(|index| index.desk.lock().stopped)
    {
        return;
    }
    if warm.len() == 1 {
        // Its cache goes too; it opens again by itself.
        shared.ledger.close();
        memory::let_go(static_model::mapped());
    }
    shared.uses.clear();
    memory::give_back();
    warm.remove(&root);
}

fn sizes(root: &RootRecord) -> ChunkSizes {
    let defaults = ChunkSizes::default();
    let target = root.chunk_size.unwrap_or(defaults.target);
    ChunkSizes {
        target,
        most: target * 2,
        overlap: root.overlap.unwrap_or(defaults.overlap),
    }
}

/// Lowers the priority of this thread.
pub fn lower_priority() {
    // Elsewhere this would be the whole process.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(10);
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
