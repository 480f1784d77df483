//! Dart: imports that bring all names.

use super::{FamilyRules, Feature};

pub struct Dart;

impl FamilyRules for Dart {
    fn features(&self) -> &'static [Feature] {
        &[Feature::ImportBringsAll]
    }
}
