//! PHP: absolute and relative namespaces, traits, and magic methods.

use super::{FamilyRules, Feature};

pub struct Php;

impl FamilyRules for Php {
    fn features(&self) -> &'static [Feature] {
        &[Feature::RelativeNamespaces, Feature::Mixins]
    }

    fn calls_by_name(&self, name: &str) -> bool {
        name.starts_with("__")
    }

    fn is_called_by_syntax(&self, name: &str) -> bool {
        name.starts_with("__") && name != "__construct"
    }

    fn global_prefix(&self) -> Option<&'static str> {
        Some("\\")
    }
}
