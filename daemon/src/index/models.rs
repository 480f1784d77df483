//! The embedding models of all roots: the built-in one, and the one that `embedder` in the configuration chooses besides.
//!
//! The built-in model is ready at once and embeds texts as they are indexed. The chosen model has to be opened, which takes
//! time and may fail: a thread of its own opens it and tries again, and the built-in model answers meanwhile.
//! **Invariant:** every wait for the chosen model is bounded, and its failures affect nothing else.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use claudevil_child::program::VectorsProgram;
use claudevil_child::vectors::Space;
use claudevil_protocol::text::CliCommand;

pub use super::model_tier::ModelTier;
use super::sharing::{Sharing, SharingState};
use super::similarity::QueryVectors;
use super::vector_buffer::{StoreProcess, VectorBuffer};
use super::vectors::QueryVector;
use crate::config::SharingSettings;
use crate::embed::{ChosenModel, EmbedError, Embedder};
use crate::extract::redact;
use crate::secrets;
use crate::store::ledger::Ledger;
use crate::threads::lock;

/// The first and the longest pause before another attempt to open the model.
const FIRST_RETRY: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_secs(30);
/// The time for which queries skip the chosen model after it did not answer.
const QUERY_PAUSE: Duration = Duration::from_secs(10);

/// A model that is ready, and the buffer of its vectors.
#[derive(Clone)]
pub struct OpenModel {
    pub embedder: Arc<dyn Embedder>,
    pub buffer: Arc<VectorBuffer>,
    /// The vectors of a team, if it shares those of this model.
    pub sharing: Option<Arc<Sharing>>,
}

pub struct Models {
    /// None where `embedder` is `none`.
    built_in: Option<OpenModel>,
    store: Option<StoreProcess>,
    ledger: Arc<Ledger>,
    chosen: Option<ChosenModel>,
    program: VectorsProgram,
    sharing: Option<SharingSettings>,
    /// The ids of the models whose vectors stay in the store; empty while that of the chosen model is unknown.
    retained: Arc<Mutex<Vec<String>>>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    open: Option<OpenModel>,
    /// The error of the latest attempt to open or to use the model.
    trouble: Option<String>,
    /// The time before which no query is sent to it.
    paused_until: Option<Instant>,
    is_opening: bool,
    closing: bool,
}

/// The state of the chosen model.
pub struct ChosenModelStatus {
    /// The value of `embedder`.
    pub name: String,
    /// The server that texts are sent to.
    pub destination: Option<String>,
    /// Its id and dimensions, once it is open.
    pub open: Option<(String, usize)>,
    pub is_opening: bool,
    pub trouble: Option<String>,
    /// Details from the model itself: its process, its runtime.
    pub detail: Option<String>,
}

/// The status of the vectors that a team shares.
pub enum SharingStatus {
    /// Sharing is configured, but has no effect for this reason.
    Unused {
        location: String,
        reason: String,
    },
    Used(SharingState),
}

impl Models {
    pub fn new(
        data: PathBuf,
        program: VectorsProgram,
        ledger: Arc<Ledger>,
        built_in: Option<Arc<dyn Embedder>>,
        chosen: Option<ChosenModel>,
        sharing: Option<SharingSettings>,
    ) -> Self {
        let retained: Arc<Mutex<Vec<String>>> = Arc::default();
        let mut models = Self {
            built_in: None,
            store: None,
            ledger,
            chosen,
            program: program.clone(),
            sharing,
            retained,
            state: Mutex::default(),
            changed: Condvar::new(),
        };
        if let Some(embedder) = built_in {
            let store = StoreProcess::new(data, program, space(embedder.as_ref()));
            // The id of the chosen model is known once it is open; its vectors must not be dropped before.
            if models.chosen.is_none() {
                lock(&models.retained).push(embedder.model().as_str().to_owned());
            }
            models.built_in = Some(models.with_buffer(&store, embedder));
            models.store = Some(store);
        }
        models
    }

    /// Returns a model once it is open.
    pub fn get(&self, tier: ModelTier) -> Option<OpenModel> {
        match tier {
            ModelTier::BuiltIn => self.built_in.clone(),
            ModelTier::Chosen => self.lock().open.clone(),
        }
    }

    /// Returns whether any vectors are computed.
    pub fn makes_vectors(&self) -> bool {
        self.built_in.is_some()
    }

    /// Starts to open the chosen model, if there is one and it is not open. `opened` is called when it is.
    pub fn open(self: &Arc<Self>, opened: impl Fn() + Send + 'static) {
        let mut state = self.lock();
        if self.chosen.is_none()
            || self.built_in.is_none()
            || state.is_opening
            || state.open.is_some()
            || state.closing
        {
            return;
        }
        let models = Arc::clone(self);
        let work = move || models.open_chosen(&opened);
        match std::thread::Builder::new()
            .name("claudevild-model".to_owned())
            .spawn(work)
        {
            Ok(_) => state.is_opening = true,
            Err(error) => tracing::error!(%error, "a thread for the model cannot be started"),
        }
    }

    fn open_chosen(&self, opened: &dyn Fn()) {
        let (Some(chosen), Some(store)) = (&self.chosen, &self.store) else {
            return;
        };
        let mut pause = FIRST_RETRY;
        loop {
            let found = chosen.open();
            let mut state = self.lock();
            match found {
                Ok(embedder) => {
                    let models = [
                        self.built_in.as_ref().map(|model| model.embedder.model()),
                        Some(embedder.model()),
                    ];
                    *lock(&self.retained) = models
                        .into_iter()
                        .flatten()
                        .map(|model| model.as_str().to_owned())
                        .collect();
                    tracing::info!(model = %embedder.model(), dimensions = embedder.dimensions(), "the model is open");
                    let model = self.with_buffer(store, embedder);
                    let sharing = self.sharing_of(chosen, &model);
                    *state = State {
                        open: Some(OpenModel { sharing, ..model }),
                        ..State::default()
                    };
                    self.changed.notify_all();
                    drop(state);
                    return opened();
                }
                Err(error) => {
                    if state.trouble.as_ref() != Some(&error.message) {
                        tracing::warn!(model = chosen.name, %error, "the model cannot be opened");
                    }
                    state.trouble = Some(error.message);
                }
            }
            state = self
                .changed
                .wait_timeout_while(state, pause, |state| !state.closing)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            pause = (pause * 2).min(RETRY);
            if state.closing {
                state.is_opening = false;
                self.changed.notify_all();
                return;
            }
        }
    }

    /// Waits until the chosen model is open or the time is over.
    pub fn wait_until_open(&self, bound: Duration) {
        let is_closed = |state: &mut State| state.open.is_none() && !state.closing;
        drop(
            self.changed
                .wait_timeout_while(self.lock(), bound, is_closed),
        );
    }

    /// Embeds a query.
    pub fn embed_query(&self, text: &str) -> Option<QueryVectors> {
        self.embed(text, |embedder, text| embedder.query(text))
    }

    /// Embeds code as documents are embedded, to find similar code.
    pub fn embed_code(&self, text: &str) -> Option<QueryVectors> {
        self.embed(text, |embedder, text| embedder.similar_code(text))
    }

    fn embed(
        &self,
        text: &str,
        ask: impl Fn(&dyn Embedder, &str) -> Result<Vec<f32>, EmbedError>,
    ) -> Option<QueryVectors> {
        let built_in = match ask(self.built_in.as_ref()?.embedder.as_ref(), text) {
            Ok(vector) => QueryVector::new(&vector)?,
            Err(error) => {
                tracing::warn!(%error, "a query could not be embedded");
                return None;
            }
        };
        let chosen = self.responsive().and_then(|model| {
            // Secrets are blanked in queries as in files: the model may be on another machine.
            let text: Cow<'_, str> = redact(text, &secrets::find(text));
            let asked = ask(model.embedder.as_ref(), &text);
            let mut state = self.lock();
            match asked {
                Ok(vector) => {
                    (state.trouble, state.paused_until) = (None, None);
                    QueryVector::new(&vector)
                }
                Err(error) => {
                    tracing::warn!(%error, "a query was embedded by the built-in model alone");
                    state.trouble = Some(error.message);
                    state.paused_until = Some(Instant::now() + QUERY_PAUSE);
                    None
                }
            }
        });
        Some(QueryVectors::new(built_in, chosen))
    }

    /// Returns the chosen model, unless it failed to answer a moment ago.
    fn responsive(&self) -> Option<OpenModel> {
        let state = self.lock();
        state.open.clone().filter(|_| {
            state
                .paused_until
                .is_none_or(|until| until <= Instant::now())
        })
    }

    pub fn chosen_status(&self) -> Option<ChosenModelStatus> {
        let (Some(chosen), true) = (&self.chosen, self.built_in.is_some()) else {
            return None;
        };
        let state = self.lock();
        let open = state.open.as_ref();
        Some(ChosenModelStatus {
            name: chosen.name.clone(),
            destination: chosen.destination.clone(),
            open: open.map(|open| {
                (
                    open.embedder.model().as_str().to_owned(),
                    open.embedder.dimensions(),
                )
            }),
            is_opening: state.is_opening,
            trouble: state
                .trouble
                .clone()
                .or_else(|| open.and_then(|open| open.buffer.trouble())),
            detail: open.and_then(|open| open.embedder.detail()),
        })
    }

    /// Returns the shared vectors of the chosen model. Vectors of a server are not shared, because nothing shows that its model
    /// is the same everywhere.
    fn sharing_of(&self, chosen: &ChosenModel, model: &OpenModel) -> Option<Arc<Sharing>> {
        let settings = self.sharing.clone()?;
        chosen.destination.is_none().then(|| {
            let space = space(model.embedder.as_ref());
            Arc::new(Sharing::new(settings, self.program.clone(), space))
        })
    }

    /// Returns the status of shared vectors, if they are configured.
    pub fn sharing_status(&self) -> Option<SharingStatus> {
        let settings = self.sharing.as_ref()?;
        let unused = |reason: String| SharingStatus::Unused {
            location: settings.store.location.clone(),
            reason,
        };
        Some(match (&self.chosen, self.built_in.is_some()) {
            (_, false) => unused("`embedder` is none, so there are no vectors".to_owned()),
            (None, true) => unused(format!(
                "the built-in model computes vectors faster than they could be read; shared vectors are for \
                 transformers ({})",
                CliCommand::ModelUse
            )),
            (Some(chosen), true) if chosen.destination.is_some() => unused(format!(
                "a server may run another model for each user; shared vectors are for transformers on this machine ({})",
                CliCommand::ModelUse
            )),
            (Some(_), true) => match self.get(ModelTier::Chosen).and_then(|open| open.sharing) {
                Some(sharing) => SharingStatus::Used(sharing.state()),
                None => unused("the model is not open yet".to_owned()),
            },
        })
    }

    /// Ends the process of the chosen model if it has been idle for long.
    pub fn release_idle(&self) {
        if let Some(model) = self.get(ModelTier::Chosen) {
            model.embedder.release_idle();
        }
    }

    /// Stores pending vectors, and waits for that until the given time.
    pub fn close(&self, until: Instant) {
        let mut state = self.lock();
        state.closing = true;
        self.changed.notify_all();
        let chosen = state.open.clone();
        drop(state);
        for model in self.built_in.iter().chain(&chosen) {
            model.buffer.close(until);
        }
        if let Some(sharing) = chosen.and_then(|model| model.sharing) {
            sharing.close(until);
        }
    }

    fn with_buffer(&self, store: &StoreProcess, embedder: Arc<dyn Embedder>) -> OpenModel {
        let (ledger, retained) = (Arc::clone(&self.ledger), Arc::clone(&self.retained));
        let live = Box::new(move || ledger.chunk_hashes());
        let retained = Box::new(move || lock(&retained).clone());
        let store = Box::new(store.with_space(space(embedder.as_ref())));
        let buffer = Arc::new(VectorBuffer::new(store, embedder.as_ref(), live, retained));
        OpenModel {
            embedder,
            buffer,
            sharing: None,
        }
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

#[cfg(test)]
mod tests;
