//! Embedders, which turn text into vectors: the trait, and the choice of a model.
//!
//! An embedder knows nothing of roots, of files or of where its vectors are stored. Its caller decides which texts are
//! embedded, and when.

use std::fmt;
use std::sync::Arc;

pub mod built_in;
#[cfg(test)]
pub mod hashing;
pub mod onnx;
pub mod remote;
pub mod runtime;
mod settings;

use claudevil_child::transformer::Source;
pub use claudevil_child::transformer::{EmbedError, EmbedErrorKind, Prefixes};

pub use self::settings::{Choice, Key, RemoteSettings, Settings, hide_credentials};

/// The name and version of a model. Vectors of different ids are never compared, so whatever changes a vector changes the
/// id.
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

/// Returns the built-in model, unless `embedder` is `none`.
pub fn built_in(settings: &Settings) -> Result<Option<Arc<dyn Embedder>>, EmbedError> {
    Ok(match settings.choice {
        Choice::None => None,
        _ => Some(Arc::new(built_in::BuiltInModel::new()?)),
    })
}

/// The model that is chosen besides the built-in one, and how to open it.
pub struct ChosenModel {
    /// The value of `embedder`.
    pub name: String,
    /// The server that texts are sent to, if any.
    pub destination: Option<String>,
    open: Box<OpenEmbedder>,
}

type OpenEmbedder = dyn Fn() -> Result<Arc<dyn Embedder>, EmbedError> + Send + Sync;

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

    /// Opens the model, which may take long. A later attempt may succeed after an error.
    pub fn open(&self) -> Result<Arc<dyn Embedder>, EmbedError> {
        (self.open)()
    }
}

/// Returns the model that is chosen besides the built-in one, if any.
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
                // Without a store, all texts would be sent again whenever a project is loaded.
                program
                    .find()
                    .map_err(|missing| onnx::missing_program(&missing))?;
                Ok(Arc::new(remote::Remote::open(&remote)?))
            }))
        }
    }
}

/// A model. Its calls block.
pub trait Embedder: Send + Sync {
    fn model(&self) -> &ModelId;

    /// Returns the length of each vector.
    fn dimensions(&self) -> usize;

    /// Returns the number of texts in one call that suits the model best.
    fn batch_size(&self) -> usize;

    /// Returns one vector per text, in their order, each of [`Self::dimensions`] finite numbers.
    fn documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// Returns whether a text takes microseconds, so that it can be embedded while it is indexed.
    fn is_instant(&self) -> bool {
        false
    }

    /// Embeds a query, which some models distinguish from documents. A user waits, so it fails rather than take long.
    fn query(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// Embeds code like a document, to find similar code. A user waits, as for a query.
    fn similar_code(&self, code: &str) -> Result<Vec<f32>, EmbedError> {
        let made = self.documents(&[code])?.pop();
        made.ok_or_else(|| EmbedError::unusable("the model returned no vector"))
    }

    /// Returns details for the status.
    fn detail(&self) -> Option<String> {
        None
    }

    /// Returns the memory of its process, if it has one.
    fn memory(&self) -> Option<u64> {
        None
    }

    /// Ends its process if it has been idle for long. The next call starts it again.
    fn release_idle(&self) {}
}
