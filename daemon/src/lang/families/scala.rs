//! Scala: functions as values, methods that are called without their names, and the placeholder parameter `_`.

use super::{FamilyRules, Feature, Keyword};

pub struct Scala;

impl FamilyRules for Scala {
    fn features(&self) -> &'static [Feature] {
        &[Feature::FunctionValues]
    }

    fn is_called_by_syntax(&self, name: &str) -> bool {
        // `for` calls the second group; `cart.size = 3` calls `size_=`.
        matches!(name, "apply" | "unapply" | "unapplySeq" | "update")
            || matches!(name, "flatMap" | "foreach" | "map" | "withFilter")
            || name.ends_with("_=")
    }

    fn keyword(&self, word: &str) -> Option<Keyword> {
        (word == "_").then_some(Keyword::ImplicitParameter)
    }
}
