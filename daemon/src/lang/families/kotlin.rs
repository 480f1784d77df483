//! Kotlin: the implicit parameter `it`, companion objects without a name, and bodies on one line.

use super::{FamilyRules, Feature, Keyword};

pub struct Kotlin;

impl FamilyRules for Kotlin {
    fn features(&self) -> &'static [Feature] {
        &[
            Feature::TrailingClosures,
            Feature::ConstructorsOnTheirOwnLine,
            Feature::ClosureReceivers,
        ]
    }

    fn keyword(&self, word: &str) -> Option<Keyword> {
        match word {
            "it" => Some(Keyword::ImplicitParameter),
            "Companion" => Some(Keyword::CompanionObject),
            _ => None,
        }
    }

    fn one_line_bodies(&self) -> &'static [&'static str] {
        &["class", "interface", "object"]
    }
}
