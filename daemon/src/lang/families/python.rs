//! Python: classes as receivers, context managers, unions, and modules that pass on their imports.

use super::{FamilyRules, Feature, Keyword, Wrapper};

pub struct Python;

impl FamilyRules for Python {
    fn features(&self) -> &'static [Feature] {
        &[
            Feature::ImportsAreMembers,
            Feature::IterationGivesKeys,
            Feature::Docstrings,
        ]
    }

    fn keyword(&self, word: &str) -> Option<Keyword> {
        (word == "cls").then_some(Keyword::OwnType)
    }

    fn wrapper(&self, type_name: &str) -> Option<Wrapper> {
        (type_name == "Union").then_some(Wrapper::Union)
    }

    fn call_method(&self) -> Option<&'static str> {
        Some("__call__")
    }

    fn enter_methods(&self) -> &'static [&'static str] {
        &["__enter__", "__aenter__"]
    }
}
