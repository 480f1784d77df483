//! JavaScript, TypeScript and TSX: modules as objects, and types of keys.

use super::{FamilyRules, Feature, Keyword};

pub struct Ecmascript;

impl FamilyRules for Ecmascript {
    fn features(&self) -> &'static [Feature] {
        &[Feature::MergedDeclarations]
    }

    fn keyword(&self, word: &str) -> Option<Keyword> {
        match word {
            "exports" | "module.exports" => Some(Keyword::Exports),
            "require" => Some(Keyword::Require),
            "keyof" => Some(Keyword::KeyOperator),
            _ => None,
        }
    }
}
