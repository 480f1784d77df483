//! The summary of a note that `recall` filters and ranks by: its time, its tags, and the counts of its terms.
//!
//! Pure. A summary takes about a third of the memory of the text, and ranking reads nothing else.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use claudevil_protocol::answer::note::Note;

use crate::store::text::{parts, words};

/// A term among the tags, symbols or files of a note counts like this many in its text.
const LABEL_WEIGHT: usize = 3;

#[derive(Debug)]
pub struct NoteSummary {
    /// Milliseconds since 1970.
    pub created: i64,
    /// In lower case.
    pub tags: Vec<String>,
    pub terms: TermCounts,
    /// True if the note has more text than `terms` counts.
    pub is_partial: bool,
}

impl NoteSummary {
    pub fn new(note: &Note) -> Self {
        let labels = note.tags.iter().chain(&note.symbols).chain(&note.files);
        let labels = labels.map(|label| (label.as_str(), LABEL_WEIGHT));
        Self {
            created: note.created,
            tags: note.tags.iter().map(|tag| tag.to_lowercase()).collect(),
            terms: TermCounts::new(std::iter::once((note.text.as_str(), 1)).chain(labels)),
            is_partial: note.cut,
        }
    }

    /// Returns the approximate number of bytes that it takes on the heap.
    pub fn heap_bytes(&self) -> usize {
        let tags: usize = self
            .tags
            .iter()
            .map(|tag| size_of::<String>() + tag.len())
            .sum();
        size_of::<Self>() + tags + size_of_val(&*self.terms.0)
    }
}

/// The counts of a text's terms: whole words and their parts, in lower case.
///
/// Each number has the upper 56 bits of a term's hash and, in the lowest 8, its count. They are sorted, so that a term is
/// found by bisection: 8 bytes for a term, where a map of strings takes about 80.
#[derive(Debug)]
pub struct TermCounts(Box<[u64]>);

const COUNT: u64 = 0xff;

impl TermCounts {
    /// Counts the terms of texts, each with the weight of one occurrence.
    fn new<'a>(texts: impl Iterator<Item = (&'a str, usize)>) -> Self {
        let mut hashes: Vec<u64> = vec![];
        for (text, weight) in texts {
            let mut add = |term: &str| hashes.extend(std::iter::repeat_n(hash(term), weight));
            for (_, word) in words(text) {
                let whole = lower_case(word);
                for part in parts(word)
                    .map(|part| lower_case(&word[part]))
                    .filter(|part| *part != whole)
                {
                    add(&part);
                }
                add(&whole);
            }
        }
        hashes.sort_unstable();
        let counted = hashes.chunk_by(|one, other| one == other);
        Self(
            counted
                .map(|same| same[0] | (same.len() as u64).min(COUNT))
                .collect(),
        )
    }

    /// Returns the count of a term in lower case, up to 255.
    pub fn count(&self, term: &str) -> u8 {
        let hash = hash(term);
        let at = self.0.partition_point(|entry| *entry < hash);
        let entry = self
            .0
            .get(at)
            .copied()
            .filter(|entry| entry & !COUNT == hash);
        entry.map_or(0, |entry| entry.to_le_bytes()[0])
    }
}

fn hash(term: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    term.hash(&mut hasher);
    hasher.finish() & !COUNT
}

fn lower_case(word: &str) -> Cow<'_, str> {
    let is_lower = word
        .bytes()
        .all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if is_lower {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(word.to_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_counted_whole_and_in_parts() {
        let note = Note {
            text: "The parse_request parses; PARSE the Request. Größe größe".to_owned(),
            tags: vec!["Lexer".to_owned()],
            ..Note::default()
        };
        let summary = NoteSummary::new(&note);
        let count = |term: &str| summary.terms.count(term);
        assert_eq!(
            [
                count("the"),
                count("parse"),
                count("request"),
                count("parse_request")
            ],
            [2, 2, 2, 1]
        );
        assert_eq!(
            [count("größe"), count("lexer"), count("zebra"), count("")],
            [2, 3, 0, 0]
        );
        assert_eq!(summary.tags, ["lexer"]);
        let many = Note {
            text: "word ".repeat(1000),
            ..Note::default()
        };
        assert_eq!(NoteSummary::new(&many).terms.count("word"), 255);
        assert_eq!(NoteSummary::new(&many).terms.0.len(), 1);
    }
}
