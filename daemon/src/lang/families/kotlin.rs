//! Kotlin: the implicit parameter `it`, and bodies on one line.

use super::{FamilyRules, Keyword};

pub struct Kotlin;

impl FamilyRules for Kotlin {
    fn keyword(&self, word: &str) -> Option<Keyword> {
        (word == "it").then_some(Keyword::ImplicitParameter)
    }

    fn one_line_bodies(&self) -> &'static [&'static str] {
        &["class", "interface", "object"]
    }
}
