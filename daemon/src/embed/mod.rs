//! What turns text into vectors: the contract, whichever model keeps it.
//!
//! An embedder knows text and numbers. It knows nothing of roots, of files or of where its vectors are kept, and it
//! decides nothing: which texts are embedded, and when, is up to its caller.

use std::fmt;
use std::sync::Arc;

#[cfg(test)]
pub mod hashing;
pub mod static_model;

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

/// What makes vectors, as somebody set it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The model that is built in.
    #[default]
    Static,
    /// Nothing: there are no vectors, and all goes by words.
    None,
}

impl Choice {
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "static" => Some(Self::Static),
            "none" => Some(Self::None),
            _ => None,
        }
    }
}

/// The model that is used, if any is.
pub fn chosen(choice: Choice) -> Result<Option<Arc<dyn Embedder>>, EmbedError> {
    Ok(match choice {
        Choice::Static => Some(Arc::new(static_model::StaticModel::new()?)),
        Choice::None => None,
    })
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

    /// Models that tell questions from documents see here which it is.
    fn query(&self, text: &str) -> Result<Vec<f32>, EmbedError>;
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EmbedError {
    pub kind: EmbedErrorKind,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbedErrorKind {
    /// The model cannot be reached or loaded now: later may be better.
    Unavailable,
    /// The model will not take this, however often it is asked.
    Refused,
    /// The model answered with something that is not the vectors it promised.
    Unusable,
}
