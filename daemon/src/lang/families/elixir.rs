//! Elixir: modules whose names are whole paths.

use super::{FamilyRules, Feature};

pub struct Elixir;

impl FamilyRules for Elixir {
    fn features(&self) -> &'static [Feature] {
        &[Feature::ModulesNamedByPath]
    }
}
