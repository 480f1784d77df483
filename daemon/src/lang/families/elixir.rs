//! Elixir: modules that are named by their whole path.

use super::{FamilyRules, Feature};

pub struct Elixir;

impl FamilyRules for Elixir {
    fn features(&self) -> &'static [Feature] {
        &[Feature::ModulesNamedByPath]
    }
}
