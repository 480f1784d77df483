//! The two models that a root may have vectors of.

/// One of the two models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelTier {
    BuiltIn,
    /// Set by `embedder` in the configuration.
    Chosen,
}

impl ModelTier {
    pub const ALL: [Self; 2] = [Self::BuiltIn, Self::Chosen];

    /// Returns the position in an array of one element per model.
    pub fn index(self) -> usize {
        match self {
            Self::BuiltIn => 0,
            Self::Chosen => 1,
        }
    }
}
