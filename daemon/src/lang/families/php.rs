//! PHP: paths from outside of all namespaces.

use super::FamilyRules;

pub struct Php;

impl FamilyRules for Php {
    fn global_prefix(&self) -> Option<&'static str> {
        Some("\\")
    }
}
