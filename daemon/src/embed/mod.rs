//! What turns text into vectors: the contract, whichever model keeps it.
//!
//! An embedder knows text and numbers. It knows nothing of roots, of files or of where its vectors are kept, and it
//! decides nothing: which texts are embedded, and when, is up to its caller.

use std::fmt;
use std::sync::Arc;

#[cfg(test)]
pub mod hashing;
pub mod onnx;
pub mod remote;
pub mod runtime;
mod settings;
pub mod static_model;

use claudevil_child::transformer::Source;
pub use claudevil_child::transformer::{EmbedError, EmbedErrorKind, Prefixes};

pub use self::settings::{Choice, Key, RemoteSettings, Settings};

/// Names a model and its version. Vectors of different ids are never compared, so whatever changes the numbers
/// changes the id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelId(String);

impl ModelId {
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The model that is built in, unless no vectors are wanted.
pub fn built_in(settings: &Settings) -> Result<Option<Arc<dyn Embedder>>, EmbedError> {
    Ok(match settings.choice {
        Choice::None => None,
        _ => Some(Arc::new(static_model::StaticModel::new()?)),
    })
}

/// The model that was chosen besides the built-in one, which has to be opened.
pub struct ChosenModel {
    /// As it was chosen.
    pub name: String,
    /// Where texts are sent, if they leave this machine or its processes.
    pub destination: Option<String>,
    open: Box<Open>,
}

type Open = dyn Fn() -> Result<Arc<dyn Embedder>, EmbedError> + Send + Sync;

impl ChosenModel {
    pub fn new(
        name: String,
        destination: Option<String>,
        open: impl Fn() -> Result<Arc<dyn Embedder>, EmbedError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            destination,
            open: Box::new(open),
        }
    }

    /// Takes its time, and fails where something is missing; what fails now may work later.
    pub fn open(&self) -> Result<Arc<dyn Embedder>, EmbedError> {
        (self.open)()
    }
}

/// The model that was chosen besides the built-in one, if one was.
pub fn chosen(settings: &Settings) -> Option<ChosenModel> {
    match &settings.choice {
        Choice::Static | Choice::None => None,
        Choice::Named(name) => {
            let settings = settings.onnx(Source::Named(name.clone()));
            Some(ChosenModel::new(name.clone(), None, onnx::opener(settings)))
        }
        Choice::Directory(folder) => {
            let settings = settings.onnx(Source::Directory(folder.clone()));
            Some(ChosenModel::new(
                folder.display().to_string(),
                None,
                onnx::opener(settings),
            ))
        }
        Choice::Remote => {
            let (remote, program) = (settings.remote.clone(), settings.program.clone());
            let name = format!("remote {}", remote.model);
            let destination = Some(remote.destination());
            Some(ChosenModel::new(name, destination, move || {
                // Without a store all texts would be sent again whenever a project is loaded.
                program.find().map_err(|missing| onnx::needs(&missing))?;
                Ok(Arc::new(remote::Remote::open(&remote)?))
            }))
        }
    }
}

/// A model. Its calls take their time: they run where blocking is allowed.
pub trait Embedder: Send + Sync {
    fn model(&self) -> &ModelId;

    /// The length of each vector.
    fn dimensions(&self) -> usize;

    /// How many texts one call does best with.
    fn batch_size(&self) -> usize;

    /// One vector per text, in their order, each of [`Self::dimensions`] finite numbers.
    fn documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// Whether a vector is made before anybody would notice, so that it can be where its text is at hand.
    fn is_instant(&self) -> bool {
        false
    }

    /// Models that tell questions from documents see here which it is. Somebody waits for it, so it is answered soon or
    /// not at all.
    fn query(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// What whoever asks for its state should know.
    fn detail(&self) -> Option<String> {
        None
    }

    /// What it takes in memory, where it has a process of its own.
    fn memory(&self) -> Option<u64> {
        None
    }

    /// Lets go of what has not been used for long. The next call takes it up again.
    fn release_idle(&self) {}
}
