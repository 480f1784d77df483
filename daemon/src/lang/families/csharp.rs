//! C#: extension methods, and lines under a condition.

use super::{FamilyRules, Feature};

pub struct Csharp;

impl FamilyRules for Csharp {
    fn features(&self) -> &'static [Feature] {
        &[
            Feature::ConditionalLines,
            Feature::ProjectImports,
            Feature::RelativeNamespaces,
        ]
    }

    fn is_extension_method(&self, parameters: &str) -> bool {
        parameters.starts_with("this ")
    }
}
