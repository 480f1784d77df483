//! The models of all roots: the one that is built in, and a better one where somebody chose one.
//!
//! The first is there at once and makes its vectors as texts are indexed. The better one has to be opened, which takes
//! time and may fail: that is done beside everything else and tried again, and whoever asks meanwhile is served by the
//! first. **Invariant:** nothing waits for the better model longer than it says, and its failures cost nothing else.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use claudevil_child::program::VectorsProgram;
use claudevil_child::vectors::Space;

use super::keeper::{Keeper, Process};
use super::meaning::Meaning;
use super::vectors::Probe;
use crate::embed::{Better, EmbedError, EmbedErrorKind, Embedder};
use crate::extract::redact;
use crate::secrets;
use crate::store::ledger::Ledger;

/// How long a model that cannot be opened is left alone, at first and at most.
const FIRST_RETRY: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_secs(30);
/// How long questions are asked of the first model alone after the better one did not answer.
const LEFT_ALONE: Duration = Duration::from_secs(10);

/// Which of the two models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    First,
    Better,
}

impl Stage {
    pub const ALL: [Self; 2] = [Self::First, Self::Better];

    pub fn place(self) -> usize {
        match self {
            Self::First => 0,
            Self::Better => 1,
        }
    }
}

/// What makes vectors and what keeps them.
#[derive(Clone)]
pub struct Vectors {
    /// One model for all roots.
    pub embedder: Arc<dyn Embedder>,
    pub keeper: Arc<Keeper>,
}

/// The directory in which vectors are stored, and the program that stores them.
pub struct StoreSettings {
    pub data: PathBuf,
    pub program: VectorsProgram,
}

pub struct Models {
    /// None where no vectors are wanted.
    first: Option<Vectors>,
    store: Option<Process>,
    ledger: Arc<Ledger>,
    better: Option<Better>,
    /// Of which models vectors are kept.
    kept: Arc<Mutex<Vec<String>>>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    open: Option<Vectors>,
    /// Why it cannot be opened, or did not answer.
    trouble: Option<String>,
    /// Until when questions are not asked of it.
    alone: Option<Instant>,
    /// True if somebody is opening it.
    opens: bool,
    closing: bool,
}

/// How the better model fares.
pub struct BetterStatus {
    /// As it was chosen.
    pub name: String,
    /// Where texts are sent.
    pub destination: Option<String>,
    /// Its id and dimensions, once it is open.
    pub open: Option<(String, usize)>,
    pub is_opening: bool,
    pub trouble: Option<String>,
    /// What it has to say of itself: a process, a runtime.
    pub detail: Option<String>,
}

impl Models {
    pub fn new(
        store: StoreSettings,
        ledger: Arc<Ledger>,
        first: Option<Arc<dyn Embedder>>,
        better: Option<Better>,
    ) -> Self {
        let kept: Arc<Mutex<Vec<String>>> = Arc::default();
        let mut models = Self {
            first: None,
            store: None,
            ledger,
            better,
            kept,
            state: Mutex::default(),
            changed: Condvar::new(),
        };
        if let Some(embedder) = first {
            let store = Process::new(store.data, store.program, space(embedder.as_ref()));
            // Until it is known which model the better one is, its vectors must not go.
            if models.better.is_none() {
                lock(&models.kept).push(embedder.model().as_str().to_owned());
            }
            models.first = Some(models.vectors(&store, embedder));
            models.store = Some(store);
        }
        models
    }

    /// What makes the vectors of a stage, once it can.
    pub fn of(&self, stage: Stage) -> Option<Vectors> {
        match stage {
            Stage::First => self.first.clone(),
            Stage::Better => self.lock().open.clone(),
        }
    }

    /// Returns whether any vectors are made.
    pub fn any(&self) -> bool {
        self.first.is_some()
    }

    /// Begins to open the better model, where one was chosen and it is not open. `opened` is called when it is.
    pub fn open(self: &Arc<Self>, opened: impl Fn() + Send + 'static) {
        let mut state = self.lock();
        if self.better.is_none()
            || self.first.is_none()
            || state.opens
            || state.open.is_some()
            || state.closing
        {
            return;
        }
        let models = Arc::clone(self);
        let work = move || models.open_it(&opened);
        match std::thread::Builder::new()
            .name("claudevild-model".to_owned())
            .spawn(work)
        {
            Ok(_) => state.opens = true,
            Err(error) => tracing::error!(%error, "a thread for the model cannot be started"),
        }
    }

    fn open_it(&self, opened: &dyn Fn()) {
        let (Some(better), Some(store)) = (&self.better, &self.store) else {
            return;
        };
        let mut pause = FIRST_RETRY;
        loop {
            let found = better.open();
            let mut state = self.lock();
            match found {
                Ok(embedder) => {
                    let models = [
                        self.first.as_ref().map(|first| first.embedder.model()),
                        Some(embedder.model()),
                    ];
                    *lock(&self.kept) = models
                        .into_iter()
                        .flatten()
                        .map(|model| model.as_str().to_owned())
                        .collect();
                    tracing::info!(model = %embedder.model(), dimensions = embedder.dimensions(), "the model is open");
                    *state = State {
                        open: Some(self.vectors(store, embedder)),
                        ..State::default()
                    };
                    drop(state);
                    return opened();
                }
                Err(error) => {
                    if state.trouble.as_ref() != Some(&error.message) {
                        tracing::warn!(model = better.name, %error, "the model cannot be opened");
                    }
                    state.trouble = Some(error.message);
                }
            }
            let until = Instant::now() + pause;
            pause = (pause * 2).min(RETRY);
            while !state.closing && Instant::now() < until {
                let left = until.saturating_duration_since(Instant::now());
                state = self
                    .changed
                    .wait_timeout(state, left)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0;
            }
            if state.closing {
                state.opens = false;
                self.changed.notify_all();
                return;
            }
        }
    }

    /// What a question means.
    pub fn question(&self, text: &str) -> Option<Meaning> {
        self.meaning(text, |embedder, text| embedder.query(text))
    }

    /// What some code means.
    pub fn code(&self, text: &str) -> Option<Meaning> {
        self.meaning(text, |embedder, text| {
            let unusable = || EmbedError {
                kind: EmbedErrorKind::Unusable,
                message: "no vector came".to_owned(),
            };
            embedder.documents(&[text])?.pop().ok_or_else(unusable)
        })
    }

    fn meaning(
        &self,
        text: &str,
        ask: impl Fn(&dyn Embedder, &str) -> Result<Vec<f32>, EmbedError>,
    ) -> Option<Meaning> {
        let first = match ask(self.first.as_ref()?.embedder.as_ref(), text) {
            Ok(vector) => Probe::new(&vector)?,
            Err(error) => {
                tracing::warn!(%error, "a question could not be embedded");
                return None;
            }
        };
        let better = self.awake().and_then(|vectors| {
            // It may be at another place: what is a secret in a file is one in a question.
            let text: Cow<'_, str> = redact(text, &secrets::find(text));
            let asked = ask(vectors.embedder.as_ref(), &text);
            let mut state = self.lock();
            match asked {
                Ok(vector) => {
                    (state.trouble, state.alone) = (None, None);
                    Probe::new(&vector)
                }
                Err(error) => {
                    tracing::warn!(%error, "a question was asked of the built-in model alone");
                    state.trouble = Some(error.message);
                    state.alone = Some(Instant::now() + LEFT_ALONE);
                    None
                }
            }
        });
        Some(Meaning::new(first, better))
    }

    /// The better model, unless it did not answer lately.
    fn awake(&self) -> Option<Vectors> {
        let state = self.lock();
        state
            .open
            .clone()
            .filter(|_| state.alone.is_none_or(|until| until <= Instant::now()))
    }

    pub fn better(&self) -> Option<BetterStatus> {
        let (Some(better), true) = (&self.better, self.first.is_some()) else {
            return None;
        };
        let state = self.lock();
        let open = state.open.as_ref();
        Some(BetterStatus {
            name: better.name.clone(),
            destination: better.destination.clone(),
            open: open.map(|open| {
                (
                    open.embedder.model().as_str().to_owned(),
                    open.embedder.dimensions(),
                )
            }),
            is_opening: state.opens,
            trouble: state
                .trouble
                .clone()
                .or_else(|| open.and_then(|open| open.keeper.trouble())),
            detail: open.and_then(|open| open.embedder.detail()),
        })
    }

    /// Lets go of what has not been used for long.
    pub fn rest(&self) {
        if let Some(vectors) = self.of(Stage::Better) {
            vectors.embedder.rest();
        }
    }

    /// Stores what is pending, as far as that is done in time.
    pub fn close(&self, until: Instant) {
        let mut state = self.lock();
        state.closing = true;
        self.changed.notify_all();
        let better = state.open.clone();
        drop(state);
        for vectors in self.first.iter().chain(&better) {
            vectors.keeper.close(until);
        }
    }

    fn vectors(&self, store: &Process, embedder: Arc<dyn Embedder>) -> Vectors {
        let (known, kept) = (Arc::clone(&self.ledger), Arc::clone(&self.kept));
        let live = Box::new(move || known.chunk_hashes());
        let kept = Box::new(move || lock(&kept).clone());
        let store = Box::new(store.with_space(space(embedder.as_ref())));
        let keeper = Arc::new(Keeper::new(store, embedder.as_ref(), live, kept));
        Vectors { embedder, keeper }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

fn space(embedder: &dyn Embedder) -> Space {
    Space {
        model: embedder.model().as_str().to_owned(),
        dimensions: embedder.dimensions(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
