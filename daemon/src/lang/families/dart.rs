//! Dart: imports that bring all names, constructors with names of their own, and objects that are called.

use super::{FamilyRules, Feature};

pub struct Dart;

impl FamilyRules for Dart {
    fn features(&self) -> &'static [Feature] {
        &[Feature::ImportBringsAll, Feature::NamedConstructors]
    }

    fn is_called_by_syntax(&self, name: &str) -> bool {
        name == "call"
    }
}
