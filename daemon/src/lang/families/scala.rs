//! Scala: functions as values, companion objects, implicit classes, methods that are called without their names, and the
//! placeholder parameter `_`.

use super::{FamilyRules, Feature, Keyword};

pub struct Scala;

impl FamilyRules for Scala {
    fn features(&self) -> &'static [Feature] {
        &[
            Feature::FunctionValues,
            Feature::CompanionObjects,
            Feature::ImplicitClasses,
            Feature::TrailingClosures,
        ]
    }

    fn is_implicit_class(&self, signature: &str) -> bool {
        let before = signature.split("class ").next().unwrap_or_default();
        before.split(' ').any(|word| word == "implicit")
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
