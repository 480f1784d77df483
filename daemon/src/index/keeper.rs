//! Hands vectors to their store of record in batches, gets them back, and has the store looked after.
//!
//! Vectors serve from memory as soon as they are made, so nobody waits for the store: one thread writes to it when
//! enough has come together or nothing has come for a while, and lets go of it when it has been quiet. The store is a
//! process of its own, `claudevil-vectors` (`process.rs`), because what LanceDB has once taken it leaves behind in pieces.
//! Vectors that have not been stored when the daemon ends are made again; without that program nothing is stored.
//! **Invariant:** a store that fails costs time, never a vector in memory.

mod process;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use claudevil_child::vectors::{ChunkHash, ChunkVector, Contents, Store};

pub use self::process::Process;
use crate::embed::Embedder;
use crate::store::failure::StoreError;

/// Each write is a version and a file of the store, and has its price; this many take some 7 MB while they wait.
const MANY: usize = 20_000;
/// With less than that, it waits for more until none has come for this long, or the first has waited too long.
const SOON: Patience = Patience {
    quiet: Duration::from_secs(5),
    longest: Duration::from_secs(60),
};
/// Vectors that cost next to nothing to make again need not be stored after every edit.
const LATER: Patience = Patience {
    quiet: Duration::from_secs(30),
    longest: Duration::from_secs(600),
};
/// After this long without work the store is closed: opening it again takes less than its memory is worth.
const REST: Duration = Duration::from_secs(5);
/// Writes, or rows, after which the store is put in order.
const WRITES: usize = 100;
const FIRST_WRITES: usize = 10;
const ROWS: usize = 200_000;
/// What nobody uses is looked for when the store has grown by this share, and this much.
const GROWN_SHARE: usize = 4;
const GROWN: usize = 5000;
/// It is removed when it is more than half as much as what is used, like facts.
const KEPT_SHARE: usize = 2;

/// Says which chunks are known, whatever root they are of.
pub type Live = Box<dyn Fn() -> Result<HashSet<ChunkHash>, StoreError> + Send + Sync>;
/// Says of which models vectors are kept; none where that is not known yet.
pub type Kept = Box<dyn Fn() -> Vec<String> + Send + Sync>;

pub struct Keeper {
    store: Box<dyn Store>,
    model: String,
    live: Live,
    kept: Kept,
    patience: Patience,
    state: Mutex<State>,
    changed: Condvar,
    /// Held by the thread alone.
    order: Mutex<Order>,
}

/// How long vectors may wait to be stored.
#[derive(Clone, Copy)]
struct Patience {
    quiet: Duration,
    longest: Duration,
}

#[derive(Default)]
struct State {
    /// Made and not yet stored.
    pending: HashMap<ChunkHash, ChunkVector>,
    /// When the first and the latest of them came.
    since: Option<(Instant, Instant)>,
    /// When the store was last used.
    used: Option<Instant>,
    /// True if the thread is there.
    runs: bool,
    closing: bool,
    trouble: Option<String>,
    /// Why vectors could not be loaded, until some can be.
    load_trouble: Option<String>,
}

/// What is known of the store's order.
#[derive(Default)]
struct Order {
    /// Since it was last put in order.
    writes: usize,
    rows: usize,
    /// How many vectors there were when unused ones were last looked for.
    swept: usize,
}

impl Keeper {
    pub fn new(store: Box<dyn Store>, embedder: &dyn Embedder, live: Live, kept: Kept) -> Self {
        let model = embedder.model().as_str().to_owned();
        // How an earlier process left the store is not known, so the first time comes soon.
        let order = Mutex::new(Order {
            writes: WRITES - FIRST_WRITES,
            ..Order::default()
        });
        let patience = if embedder.is_instant() { LATER } else { SOON };
        Self {
            store,
            model,
            live,
            kept,
            patience,
            state: Mutex::default(),
            changed: Condvar::new(),
            order,
        }
    }

    /// Takes vectors that have been made. They are stored some time later, or not at all.
    pub fn record(self: &Arc<Self>, made: impl IntoIterator<Item = ChunkVector>) {
        if self.store.absence().is_some() {
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

    /// Of these, the vectors that are on their way to the store.
    pub fn pending(&self, hashes: &[ChunkHash]) -> HashMap<ChunkHash, ChunkVector> {
        let state = self.lock();
        hashes
            .iter()
            .filter_map(|hash| Some((*hash, state.pending.get(hash)?.clone())))
            .collect()
    }

    /// Of these, the vectors that are known: on their way to the store, or in it.
    pub fn load(self: &Arc<Self>, hashes: &[ChunkHash]) -> HashMap<ChunkHash, ChunkVector> {
        let mut found = self.pending(hashes);
        if self.store.absence().is_some() {
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
        // Whoever would close the store may have left meanwhile.
        self.ensure_thread(&mut state);
        drop(state);
        found
    }

    /// How much is stored, and what the store has to complain of.
    pub fn contents(&self) -> Result<Contents, String> {
        self.store.contents()
    }

    /// Says what is not installed, where nothing is stored because of it.
    pub fn absence(&self) -> Option<String> {
        self.store.absence()
    }

    pub fn model(&self) -> &str {
        &self.model
    }

    /// What the latest use of the store, or the latest making of vectors, failed by.
    pub fn trouble(&self) -> Option<String> {
        let state = self.lock();
        state.trouble.clone().or_else(|| state.load_trouble.clone())
    }

    pub fn note(&self, trouble: Option<String>) {
        if let Some(trouble) = &trouble {
            tracing::warn!(model = self.model, "{trouble}");
        }
        self.lock().trouble = trouble;
    }

    /// Stores what is pending and lets go of the store, as far as that is done in time.
    pub fn close(&self, until: Instant) {
        let mut state = self.lock();
        state.closing = true;
        self.changed.notify_all();
        while state.runs {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    fn ensure_thread(self: &Arc<Self>, state: &mut State) {
        self.changed.notify_all();
        if state.runs || state.closing {
            return;
        }
        let keeper = Arc::clone(self);
        let spawned = std::thread::Builder::new()
            .name("claudevild-keep".to_owned())
            .spawn(move || keeper.keep());
        match spawned {
            Ok(_) => state.runs = true,
            Err(error) => tracing::error!(%error, "a thread for vectors cannot be started"),
        }
    }

    fn keep(&self) {
        super::lower_priority();
        let mut order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(vectors) = self.next() {
            let due = vectors.len();
            match self.store.append(&vectors) {
                Ok(readable) if readable == due => self.note(None),
                Ok(readable) => {
                    let lost = due.saturating_sub(readable);
                    self.note(Some(format!("{lost} of {due} vectors cannot be read back")));
                }
                Err(error) => self.note(Some(format!("vectors cannot be stored: {error}"))),
            }
            order.writes += 1;
            order.rows += due;
            if order.writes >= WRITES || order.rows >= ROWS {
                self.put_in_order(&mut order);
            }
            self.lock().used = Some(Instant::now());
        }
    }

    /// The next batch for the store. None when there has been none for long: the thread ends, and the store is closed.
    fn next(&self) -> Option<Vec<ChunkVector>> {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            let due = match state.since {
                Some((first, latest)) => {
                    (latest + self.patience.quiet).min(first + self.patience.longest)
                }
                None => state.used.unwrap_or(now) + REST,
            };
            if state.closing || state.pending.len() >= MANY || due <= now {
                state.since = None;
                let pending = std::mem::take(&mut state.pending);
                if !pending.is_empty() {
                    return Some(pending.into_values().collect());
                }
                let used = state.used;
                drop(state);
                self.store.close();
                state = self.lock();
                // Something may have come while it closed.
                if state.pending.is_empty() && (state.used == used || state.closing) {
                    state.runs = false;
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

    /// Removes what no root has any more, once it is much, and has the store prune and compact itself.
    fn put_in_order(&self, order: &mut Order) {
        let done = (|| {
            let count = self.store.count()?;
            if count > order.swept + order.swept / GROWN_SHARE + GROWN {
                let live = (self.live)();
                order.swept = count;
                if let Ok(live) = live
                    && count > live.len() + live.len() / KEPT_SHARE
                {
                    let gone = self.store.keep_only(&live)?;
                    tracing::info!(gone, "vectors that no root has any more were removed");
                    order.swept = live.len();
                }
            }
            self.store.maintain(&(self.kept)())
        })();
        *order = Order {
            swept: order.swept,
            ..Order::default()
        };
        if let Err::<(), String>(error) = done {
            self.note(Some(format!(
                "the vectors could not be put in order: {error}"
            )));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
