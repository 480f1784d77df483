//! The words of a report by which files are ranked, with their weights.

use std::collections::HashMap;

use super::{MentionPlace, Report};
use crate::search::stop_words::is_stop_word;
use crate::store::text::{parts, words};

/// The weight of a part of a name; that of the whole is 1.
const PART: f32 = 0.5;
const TITLE: f32 = 2.0;
const PROSE: f32 = 1.0;
/// The code in a report is mostly that of callers of the faulty code.
const CODE: f32 = 0.5;
const SHORTEST: usize = 2;
const LONGEST: usize = 60;

/// A word in lower case.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    pub word: String,
    pub weight: f32,
    /// The word is a name of several parts, which are terms too.
    pub is_whole: bool,
}

impl Report {
    /// Returns the words of the report, each once. The weight of a word grows with the logarithm of its frequency.
    pub fn terms(&self) -> Vec<Term> {
        let mut found = Terms::default();
        let functions = self
            .frames
            .iter()
            .filter_map(|frame| frame.function.as_deref());
        found.add(&self.title, TITLE);
        found.add(&self.prose, PROSE);
        found.add(&self.code, CODE);
        for function in functions {
            found.add(function, CODE);
        }
        for message in &self.messages {
            found.add(message, PROSE);
        }
        found.into_terms()
    }

    /// Returns the names in one part of the report.
    pub fn mentions_at(&self, place: MentionPlace) -> impl Iterator<Item = &[String]> {
        let own = self.mentions.iter().filter(move |one| one.place == place);
        own.map(|one| one.parts.as_slice())
    }
}

/// Returns the words of a text, each once.
pub fn terms_of(text: &str) -> Vec<Term> {
    let mut found = Terms::default();
    found.add(text, 1.0);
    found.into_terms()
}

/// The summed weight of each word, and whether it has parts.
#[derive(Default)]
struct Terms(HashMap<String, (f32, bool)>);

impl Terms {
    fn add(&mut self, text: &str, weight: f32) {
        for (_, word) in words(text) {
            if word.len() > LONGEST {
                continue;
            }
            let inner: Vec<String> = parts(word).map(|part| word[part].to_lowercase()).collect();
            self.count(word.to_lowercase(), weight, inner.len() > 1);
            if inner.len() > 1 {
                for part in inner {
                    self.count(part, weight * PART, false);
                }
            }
        }
    }

    fn count(&mut self, word: String, weight: f32, is_whole: bool) {
        if word.len() >= SHORTEST && !is_stop_word(&word) {
            self.0.entry(word).or_insert((0.0, is_whole)).0 += weight;
        }
    }

    fn into_terms(self) -> Vec<Term> {
        let terms = self.0.into_iter().map(|(word, (weight, is_whole))| Term {
            word,
            weight: (1.0 + weight).ln(),
            is_whole,
        });
        let mut terms: Vec<Term> = terms.collect();
        terms.sort_unstable_by(|one, other| one.word.cmp(&other.word));
        terms
    }
}
