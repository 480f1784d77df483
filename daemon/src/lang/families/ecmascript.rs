//! JavaScript, TypeScript and TSX: modules as objects, and types of keys.

use super::{FamilyRules, Keyword};

pub struct Ecmascript;

impl FamilyRules for Ecmascript {
    fn keyword(&self, word: &str) -> Option<Keyword> {
        match word {
            "exports" | "module.exports" => Some(Keyword::Exports),
            "keyof" => Some(Keyword::KeyOperator),
            _ => None,
        }
    }
}
