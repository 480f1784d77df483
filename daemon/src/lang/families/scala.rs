//! Scala: functions as values, and the placeholder parameter `_`.

use super::{FamilyRules, Feature, Keyword};

pub struct Scala;

impl FamilyRules for Scala {
    fn features(&self) -> &'static [Feature] {
        &[Feature::FunctionValues]
    }

    fn keyword(&self, word: &str) -> Option<Keyword> {
        (word == "_").then_some(Keyword::ImplicitParameter)
    }
}
