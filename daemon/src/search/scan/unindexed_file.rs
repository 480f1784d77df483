//! Matches keyword queries against whole files that are not indexed.

use crate::lang::{self, Detection};
use crate::search::path_term::PathTerm;
use crate::search::syntax::{Field, MatchTarget};
use crate::store::text::{parts, words as words_of};

/// A whole file as a keyword query sees it, by its path and text alone.
pub struct UnindexedFile<'a> {
    path: &'a str,
    /// In lower case, with single spaces.
    text: String,
    /// In lower case, with the parts of names; sorted.
    words: Vec<String>,
}

impl<'a> UnindexedFile<'a> {
    pub fn new(path: &'a str, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut words: Vec<String> = vec![];
        for (_, word) in words_of(&text) {
            words.extend(parts(word).map(|part| word[part].to_lowercase()));
            words.push(word.to_lowercase());
        }
        words.sort_unstable();
        words.dedup();
        Self {
            path,
            text: normalized(&text),
            words,
        }
    }

    fn has_text(&self, text: &str) -> bool {
        let lower = normalized(text);
        let is_word = self.words.binary_search(&lower).is_ok();
        is_word || words_of(&lower).nth(1).is_some() && self.text.contains(&lower)
    }
}

impl MatchTarget for UnindexedFile<'_> {
    fn word(&self, field: Field, word: &str) -> bool {
        match field {
            Field::Any => {
                self.has_text(word) || self.path.to_lowercase().contains(&word.to_lowercase())
            }
            // Names that the file defines are in its text.
            Field::Content | Field::Symbol => self.has_text(word),
            Field::Path => PathTerm::new(word).is_ok_and(|term| term.matches(self.path)),
            Field::Language => {
                match lang::by_path(self.path.rsplit('/').next().unwrap_or(self.path)) {
                    Detection::Known(own) => {
                        lang::by_name(word).is_some_and(|named| named.id == own.id)
                    }
                    Detection::NeedsShebang | Detection::Unknown => false,
                }
            }
            Field::Kind => true,
        }
    }

    fn phrase(&self, field: Field, words: &str) -> bool {
        self.word(field, words)
    }
}

fn normalized(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}
