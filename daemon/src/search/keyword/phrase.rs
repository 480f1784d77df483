//! A phrase in texts: whatever the letters' case and the space between its words, with no word cut in two.
//!
//! Both would be compared in lower case, with one space wherever there is any. Nearly all texts are ASCII, and in those the
//! same is found without making such a copy.

use std::borrow::Cow;
use std::sync::Arc;

use crate::index::snapshot::IndexedFile;
use crate::search::grep::reader::{FileContent, Reader};

pub struct Phrase {
    /// In lower case, with one space wherever there was any.
    squeezed: String,
}

impl Phrase {
    pub fn new(text: &str) -> Self {
        Self {
            squeezed: squeezed(text),
        }
    }

    /// Of these chunks of a file, those that have it now; none of a file that is gone or cannot be shown.
    pub fn chunks<'a>(
        &self,
        reader: &mut Reader<'_>,
        file: &Arc<IndexedFile>,
        chunks: &'a [usize],
    ) -> impl Iterator<Item = usize> + use<'a> {
        let mut having = vec![false; chunks.len()];
        if let FileContent::Text(text) = reader.open(file) {
            let (start, text) = (text.start, sound(text.bytes));
            for (having, chunk) in having.iter_mut().zip(chunks) {
                let Some(chunk) = file.outline.chunks.get(*chunk) else {
                    continue;
                };
                let place = |byte: u32| (byte as usize).saturating_sub(start).min(text.len());
                *having = text
                    .get(place(chunk.start_byte)..place(chunk.end_byte))
                    .is_some_and(|text| self.is_in(text));
            }
        }
        chunks
            .iter()
            .copied()
            .zip(having)
            .filter(|(_, having)| *having)
            .map(|(chunk, _)| chunk)
    }

    fn is_in(&self, text: &str) -> bool {
        if text.is_ascii() && self.squeezed.is_ascii() {
            self.is_in_ascii(text.as_bytes())
        } else {
            holds(&squeezed(text), &self.squeezed)
        }
    }

    fn is_in_ascii(&self, text: &[u8]) -> bool {
        let asked = self.squeezed.as_bytes();
        let Some(first) = asked.first() else {
            return false;
        };
        let (begins, ends) = (
            asked.first().is_some_and(|sign| is_word(*sign)),
            asked.last().is_some_and(|sign| is_word(*sign)),
        );
        memchr::memchr2_iter(*first, first.to_ascii_uppercase(), text).any(|from| {
            if begins && text[..from].last().is_some_and(|sign| is_word(*sign)) {
                return false;
            }
            end_of(asked, text, from)
                .is_some_and(|end| !(ends && text.get(end).is_some_and(|sign| is_word(*sign))))
        })
    }
}

/// Where a phrase that begins at a place ends, if it is there.
fn end_of(asked: &[u8], text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    for sign in asked {
        if *sign == b' ' {
            let space = text[at..]
                .iter()
                .take_while(|sign| is_space(**sign))
                .count();
            if space == 0 {
                return None;
            }
            at += space;
        } else if text.get(at)?.eq_ignore_ascii_case(sign) {
            at += 1;
        } else {
            return None;
        }
    }
    Some(at)
}

/// What [`char::is_whitespace`] says of ASCII.
fn is_space(sign: u8) -> bool {
    matches!(sign, 9..=13 | b' ')
}

fn is_word(sign: u8) -> bool {
    sign.is_ascii_alphanumeric() || sign == b'_'
}

/// Whether a text has another with no word cut in two.
fn holds(text: &str, asked: &str) -> bool {
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    let (first, last) = (asked.starts_with(is_word), asked.ends_with(is_word));
    let mut from = 0;
    while let Some(at) = text[from..].find(asked).map(|at| from + at) {
        let end = at + asked.len();
        if !(first && text[..at].ends_with(is_word) || last && text[end..].starts_with(is_word)) {
            return !asked.is_empty();
        }
        // The next may begin within this one.
        from = at + text[at..].chars().next().map_or(1, char::len_utf8);
    }
    false
}

/// Nearly every text is, which is seen much faster than it is mended.
fn sound(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

fn squeezed(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_made_of_whole_words() {
        for (text, asked, expected) in [
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
                Phrase::new(asked).is_in(text),
                expected,
                "{asked} in {text}"
            );
        }
    }

    /// Both ways of looking agree, whatever is looked for.
    #[test]
    fn ascii_is_no_exception() {
        let signs = ["a", "B", "_", " ", "\n", "\t", ".", "ab", "Ba", "1"];
        let mut random = 7_u64;
        let mut some = |count: usize| {
            let mut text = String::new();
            for _ in 0..count {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                text.push_str(
                    signs[usize::try_from(random >> 33).unwrap_or_default() % signs.len()],
                );
            }
            text
        };
        let mut found = 0;
        for round in 0..20_000 {
            let (text, asked) = (some(20), Phrase::new(&some(1 + round % 4)));
            let holds = holds(&squeezed(&text), &asked.squeezed);
            assert_eq!(
                asked.is_in(&text),
                holds,
                "{:?} in {text:?}",
                asked.squeezed
            );
            found += usize::from(holds);
        }
        assert!((2000..18_000).contains(&found), "{found}");
    }
}
