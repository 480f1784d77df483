//! Finds a phrase in texts, in any case and with any space between its words, but only as whole words.
//!
//! Phrase and text are compared in lower case with single spaces. Nearly all texts are ASCII, and those are compared without a
//! copy.

use std::sync::Arc;

use crate::index::snapshot::IndexedFile;
use crate::search::grep::reader::{FileContent, Reader};

pub struct Phrase {
    /// In lower case, with single spaces.
    normal: String,
}

impl Phrase {
    pub fn new(text: &str) -> Self {
        Self {
            normal: normalise(text),
        }
    }

    /// Returns the chunks whose current text contains the phrase; none if the file can no longer be read.
    pub fn chunks(
        &self,
        reader: &mut Reader<'_>,
        file: &Arc<IndexedFile>,
        chunks: &[usize],
    ) -> Vec<usize> {
        let mut matching = vec![];
        if let FileContent::Text(text) = reader.open(file) {
            let (start, text) = (text.start, text.to_str());
            let offset = |byte: u32| (byte as usize).saturating_sub(start).min(text.len());
            matching.extend(chunks.iter().copied().filter(|chunk| {
                let chunk = file.outline.chunks.get(*chunk);
                chunk
                    .and_then(|chunk| text.get(offset(chunk.start_byte)..offset(chunk.end_byte)))
                    .is_some_and(|text| self.is_in(text))
            }));
        }
        matching
    }

    fn is_in(&self, text: &str) -> bool {
        if text.is_ascii() && self.normal.is_ascii() {
            self.is_in_ascii(text.as_bytes())
        } else {
            contains(&normalise(text), &self.normal)
        }
    }

    fn is_in_ascii(&self, text: &[u8]) -> bool {
        let phrase = self.normal.as_bytes();
        let Some(first) = phrase.first() else {
            return false;
        };
        let (begins, ends) = (
            phrase.first().is_some_and(|byte| is_word(*byte)),
            phrase.last().is_some_and(|byte| is_word(*byte)),
        );
        memchr::memchr2_iter(*first, first.to_ascii_uppercase(), text).any(|from| {
            if begins && text[..from].last().is_some_and(|byte| is_word(*byte)) {
                return false;
            }
            match_end(phrase, text, from)
                .is_some_and(|end| !(ends && text.get(end).is_some_and(|byte| is_word(*byte))))
        })
    }
}

/// Returns the end of a phrase that begins at a byte, if the phrase is there.
fn match_end(phrase: &[u8], text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    for byte in phrase {
        if *byte == b' ' {
            let space = text[at..]
                .iter()
                .take_while(|byte| is_space(**byte))
                .count();
            if space == 0 {
                return None;
            }
            at += space;
        } else if text.get(at)?.eq_ignore_ascii_case(byte) {
            at += 1;
        } else {
            return None;
        }
    }
    Some(at)
}

/// Equals [`char::is_whitespace`] for ASCII, which includes the vertical tab.
fn is_space(byte: u8) -> bool {
    matches!(byte, 9..=13 | b' ')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns whether a text contains a phrase as whole words.
fn contains(text: &str, phrase: &str) -> bool {
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    let (first, last) = (phrase.starts_with(is_word), phrase.ends_with(is_word));
    let mut from = 0;
    while let Some(at) = text[from..].find(phrase).map(|at| from + at) {
        let end = at + phrase.len();
        if !(first && text[..at].ends_with(is_word) || last && text[end..].starts_with(is_word)) {
            return !phrase.is_empty();
        }
        // The next match may overlap with this one.
        from = at + text[at..].chars().next().map_or(1, char::len_utf8);
    }
    false
}

fn normalise(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::Random;

    #[test]
    fn a_phrase_is_made_of_whole_words() {
        for (text, phrase, expected) in [
            ("a token counter", "token counter", true),
            ("a token counters", "token counter", false),
            ("a retoken counter", "token counter", false),
            ("token counters, token counter", "token counter", true),
            ("a Token\n\t COUNTER.", "token  Counter", true),
            ("a token\u{b}counter", "token counter", true),
            ("tokencounter", "token counter", false),
            ("token", "token counter", false),
            ("xa a a", "a a", true),
            ("x foo->bar()", "foo->bar(", true),
            ("größer als", "größer", true),
            ("ungrößer als", "größer", false),
            ("Größer\n ALS", "größer als", true),
            ("xä ä ä", "ä ä", true),
            ("a::b", "::b", true),
        ] {
            assert_eq!(
                Phrase::new(phrase).is_in(text),
                expected,
                "{phrase} in {text}"
            );
        }
    }

    #[test]
    fn ascii_texts_match_as_other_texts_do() {
        let pieces = ["a", "B", "_", " ", "\n", "\t", ".", "ab", "Ba", "1"];
        let mut random = Random(7);
        let mut some =
            |count: usize| -> String { (0..count).map(|_| random.one_of(&pieces)).collect() };
        let mut found = 0;
        for round in 0..20_000 {
            let (text, phrase) = (some(20), Phrase::new(&some(1 + round % 4)));
            let expected = contains(&normalise(&text), &phrase.normal);
            assert_eq!(
                phrase.is_in(&text),
                expected,
                "{:?} in {text:?}",
                phrase.normal
            );
            found += usize::from(expected);
        }
        assert!((2000..18_000).contains(&found), "{found}");
    }
}
