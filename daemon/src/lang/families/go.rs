//! Go: structural interfaces, embedded types, constants without values, and packages.

use super::{FamilyRules, Feature};

pub struct Go;

impl FamilyRules for Go {
    fn has_untyped_variables(&self) -> bool {
        false
    }

    fn features(&self) -> &'static [Feature] {
        &[
            Feature::StructuralInterfaces,
            Feature::EmbeddedFields,
            Feature::RepeatedConstants,
        ]
    }

    fn allocators(&self) -> &'static [&'static str] {
        &["new", "make"]
    }

    fn anonymous_type(&self) -> Option<&'static str> {
        Some("struct")
    }

    fn is_internal_folder(&self, name: &str) -> bool {
        name == "internal"
    }

    fn is_importable_package(&self, name: &str) -> bool {
        name != "main" && !name.ends_with("_test")
    }
}
