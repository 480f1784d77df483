//! Ruby: constructors that no class declares.

use super::FamilyRules;

pub struct Ruby;

impl FamilyRules for Ruby {
    fn implicit_constructors(&self) -> &'static [&'static str] {
        &["new"]
    }
}
