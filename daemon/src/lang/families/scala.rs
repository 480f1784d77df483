//! Scala: functions as values.

use super::{FamilyRules, Feature};

pub struct Scala;

impl FamilyRules for Scala {
    fn features(&self) -> &'static [Feature] {
        &[Feature::FunctionValues]
    }
}
