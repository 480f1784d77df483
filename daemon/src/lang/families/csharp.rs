//! C#: extension methods, imports for whole projects, relative namespaces, and conditional compilation.

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

    fn root_prefix(&self) -> &'static str {
        "global::"
    }

    fn attribute_suffix(&self) -> Option<&'static str> {
        Some("Attribute")
    }

    fn is_extension_method(&self, parameters: &str) -> bool {
        parameters.starts_with("this ")
    }
}
