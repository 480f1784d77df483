//! Java: records, `switch` over an enum, and public types that name their files.

use super::{FamilyRules, Feature};

pub struct Java;

impl FamilyRules for Java {
    fn calls_by_name(&self, name: &str) -> bool {
        matches!(
            name,
            "serialVersionUID" | "readObject" | "writeObject" | "readResolve" | "writeReplace"
        )
    }

    fn features(&self) -> &'static [Feature] {
        &[Feature::RecordAccessors, Feature::PublicTypesNameFiles]
    }

    fn switch_subject<'t>(&self, qualifier: &'t str) -> Option<&'t str> {
        qualifier.strip_prefix("switch")
    }
}
