//! The built-in model as an embedder.

use claudevil_model::StaticModel;

use super::{EmbedError, Embedder, ModelId};

const BATCH: usize = 256;

pub struct BuiltInModel {
    id: ModelId,
    model: StaticModel,
}

impl BuiltInModel {
    /// Fails only in a build with an invalid model.
    pub fn new() -> Result<Self, EmbedError> {
        let model = StaticModel::new().ok_or_else(unreadable)?;
        let id = ModelId::new(model.id());
        Ok(Self { id, model })
    }
}

impl Embedder for BuiltInModel {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.model.dimensions()
    }

    fn batch_size(&self) -> usize {
        BATCH
    }

    fn documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.model.documents(texts).ok_or_else(unreadable)
    }

    fn query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.model.query(text).ok_or_else(unreadable)
    }

    fn is_instant(&self) -> bool {
        true
    }
}

fn unreadable() -> EmbedError {
    EmbedError::unavailable("the built-in model is not of the form that this build reads")
}
