//! Ruby: modules of several files, mixins, the implicit constructor `new`, and hooks.

use super::{FamilyRules, Feature};

pub struct Ruby;

impl FamilyRules for Ruby {
    fn features(&self) -> &'static [Feature] {
        &[Feature::OpenModules, Feature::Mixins]
    }

    fn calls_by_name(&self, name: &str) -> bool {
        const HOOKS: [&str; 14] = [
            "call",
            "coerce",
            "each",
            "extended",
            "hash",
            "included",
            "inherited",
            "initialize",
            "inspect",
            "method_missing",
            "respond_to_missing?",
            "to_proc",
            "to_s",
            "to_str",
        ];
        HOOKS.contains(&name)
    }

    fn is_called_by_syntax(&self, name: &str) -> bool {
        matches!(
            name,
            "coerce"
                | "each"
                | "method_missing"
                | "respond_to_missing?"
                | "to_proc"
                | "to_s"
                | "to_str"
        )
    }

    fn implicit_constructors(&self) -> &'static [&'static str] {
        &["new"]
    }
}
