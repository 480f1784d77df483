//! Swift: labels of arguments, closures after the parentheses of a call, and members that the language calls without their
//! names.

use super::{FamilyRules, Feature, Keyword};

pub struct Swift;

impl FamilyRules for Swift {
    fn features(&self) -> &'static [Feature] {
        &[Feature::ArgumentLabels, Feature::TrailingClosures]
    }

    fn keyword(&self, word: &str) -> Option<Keyword> {
        (word == "$0").then_some(Keyword::ImplicitParameter)
    }

    fn switch_subject<'t>(&self, qualifier: &'t str) -> Option<&'t str> {
        qualifier.strip_prefix("switch ")
    }

    fn is_called_by_syntax(&self, name: &str) -> bool {
        matches!(
            name,
            "callAsFunction" | "deinit" | "dynamicallyCall" | "subscript"
        ) || is_result_builder_method(name)
    }

    fn calls_by_name(&self, name: &str) -> bool {
        // The manifest of a package is a value that the package manager reads: `let package = Package(…)`.
        name == "package"
    }
}

/// Returns whether a result builder may have a method with this name: `buildBlock`.
fn is_result_builder_method(name: &str) -> bool {
    const STEPS: [&str; 8] = [
        "Array",
        "Block",
        "Either",
        "Expression",
        "FinalResult",
        "LimitedAvailability",
        "Optional",
        "PartialBlock",
    ];
    name.strip_prefix("build")
        .is_some_and(|step| STEPS.contains(&step))
}
