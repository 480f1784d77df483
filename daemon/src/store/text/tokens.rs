//! The tokenizer of code: whole identifiers, and their parts.
//!
//! `parseHttpRequest`, `parse_http_request` and `ParseHTTPRequest` share their parts, and each is found whole as well.
//! The whole and its parts have the same position.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// The bytes of the longest word: longer ones are data, not names.
const LONGEST: usize = 100;

#[derive(Clone, Default)]
pub struct CodeTokenizer {
    tokens: Tokens,
}

/// Tokens whose strings are reused for the next text: there are millions, and most are short.
#[derive(Clone, Default)]
struct Tokens {
    all: Vec<Token>,
    used: usize,
}

impl Tokenizer for CodeTokenizer {
    type TokenStream<'a> = CodeTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> CodeTokens<'a> {
        self.tokens.used = 0;
        let mut position = 0;
        for (start, word) in words(text) {
            if !is_indexed(word) {
                continue;
            }
            let own = position;
            position += 1;
            self.tokens.push(word, start, own);
            // Fast path: most words are one part.
            if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
                continue;
            }
            let whole = self.tokens.used;
            for part in parts(word) {
                if part.len() < word.len() {
                    self.tokens
                        .push(&word[part.clone()], start + part.start, own);
                }
            }
            // `foo_foo` counts `foo` once.
            self.tokens.dedup_from(whole);
        }
        CodeTokens {
            tokens: &mut self.tokens,
            next: 0,
        }
    }
}

pub struct CodeTokens<'a> {
    tokens: &'a mut Tokens,
    next: usize,
}

impl TokenStream for CodeTokens<'_> {
    fn advance(&mut self) -> bool {
        self.next += 1;
        self.next <= self.tokens.used
    }

    fn token(&self) -> &Token {
        &self.tokens.all[self.next - 1]
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.tokens.all[self.next - 1]
    }
}

impl Tokens {
    fn push(&mut self, word: &str, start: usize, position: usize) {
        if self.used == self.all.len() {
            self.all.push(Token::default());
        }
        let token = &mut self.all[self.used];
        self.used += 1;
        token.offset_from = start;
        token.offset_to = start + word.len();
        token.position = position;
        token.position_length = 1;
        token.text.clear();
        if word.is_ascii() {
            token.text.push_str(word);
            token.text.make_ascii_lowercase();
        } else {
            token.text.push_str(&word.to_lowercase());
        }
    }

    fn dedup_from(&mut self, from: usize) {
        let mut at = from;
        while at < self.used {
            if self.all[from..at]
                .iter()
                .any(|earlier| earlier.text == self.all[at].text)
            {
                self.all[at..self.used].rotate_left(1);
                self.used -= 1;
            } else {
                at += 1;
            }
        }
    }
}

/// Returns whether a word is indexed.
pub fn is_indexed(word: &str) -> bool {
    word.len() <= LONGEST
}

/// Returns the words of a text as they are written, with their byte offsets.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = seek(text, from, true)?;
        from = seek(text, start, false).unwrap_or(text.len());
        Some((start, &text[start..from]))
    })
}

/// The class of the character that a byte begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    InWord,
    Separator,
    /// Begins a character of several bytes.
    Multibyte,
}

const CLASSES: [ByteClass; 256] = {
    let mut classes = [ByteClass::Multibyte; 256];
    let mut byte = 0_u8;
    while byte.is_ascii() {
        let is_in_words = byte.is_ascii_alphanumeric() || byte == b'_';
        classes[byte as usize] = if is_in_words {
            ByteClass::InWord
        } else {
            ByteClass::Separator
        };
        byte += 1;
    }
    classes
};

/// Returns the byte offset of the first character from `from` on that is in a word, or that is not if `is_in_word` is false.
fn seek(text: &str, from: usize, is_in_word: bool) -> Option<usize> {
    let other = if is_in_word {
        ByteClass::Separator
    } else {
        ByteClass::InWord
    };
    let mut at = from;
    loop {
        at += text
            .as_bytes()
            .get(at..)?
            .iter()
            .position(|byte| CLASSES[*byte as usize] != other)?;
        if text.as_bytes()[at].is_ascii() {
            return Some(at);
        }
        let sign = text[at..].chars().next()?;
        if sign.is_alphanumeric() == is_in_word {
            return Some(at);
        }
        at += sign.len_utf8();
    }
}

/// Returns the ranges of a word's parts: `fooBar_v2` → `foo`, `Bar`, `v`, `2`.
pub fn parts(word: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    let is_ascii = word.is_ascii();
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from
            + word.as_bytes()[from..]
                .iter()
                .position(|byte| *byte != b'_')?;
        let rest = &word[start..];
        from = start
            + if is_ascii {
                ascii_part_length(rest.as_bytes())
            } else {
                part_length(rest)
            };
        Some(start..from)
    })
}

fn part_length(text: &str) -> usize {
    let mut signs = text.char_indices().peekable();
    let Some((_, first)) = signs.next() else {
        return 0;
    };
    let mut before = first;
    while let Some((at, sign)) = signs.next() {
        let next = signs.peek().map(|(_, next)| *next);
        let hump =
            sign.is_uppercase() && (!before.is_uppercase() || next.is_some_and(char::is_lowercase));
        let digit = sign.is_numeric() != before.is_numeric();
        if sign == '_' || hump || digit {
            return at;
        }
        before = sign;
    }
    text.len()
}

/// The same as [`part_length`], for ASCII.
fn ascii_part_length(text: &[u8]) -> usize {
    let ends = |at: &usize| {
        let (before, sign) = (text[at - 1], text[*at]);
        let is_lower = |at: usize| text.get(at).is_some_and(u8::is_ascii_lowercase);
        let hump = sign.is_ascii_uppercase() && (!before.is_ascii_uppercase() || is_lower(at + 1));
        sign == b'_' || hump || sign.is_ascii_digit() != before.is_ascii_digit()
    };
    (1..text.len()).find(ends).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(usize, String)> {
        let mut tokenizer = CodeTokenizer::default();
        let mut stream = tokenizer.token_stream(text);
        let mut found = vec![];
        while stream.advance() {
            found.push((stream.token().position, stream.token().text.clone()));
        }
        found
    }

    #[test]
    fn identifiers_are_found_whole_and_by_their_parts() {
        let cases: &[(&str, &[&str])] = &[
            (
                "parseHttpRequest",
                &["parsehttprequest", "parse", "http", "request"],
            ),
            (
                "parse_http_request",
                &["parse_http_request", "parse", "http", "request"],
            ),
            ("HTTPServer", &["httpserver", "http", "server"]),
            ("__init__", &["__init__", "init"]),
            ("utf8_decode", &["utf8_decode", "utf", "8", "decode"]),
            ("word", &["word"]),
            ("größeÄndern", &["größeändern", "größe", "ändern"]),
            ("foo_foo", &["foo_foo", "foo"]),
            ("_", &["_"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let found: Vec<String> = tokens(text).into_iter().map(|(_, text)| text).collect();
            assert_eq!(found, *expected, "{text}");
        }
    }

    #[test]
    fn ascii_and_unicode_find_the_same_parts() {
        let signs = *b"aBz9_Q";
        for number in 0..6_usize.pow(6) {
            let word: String = (0..6)
                .map(|place| char::from(signs[number / 6_usize.pow(place) % 6]))
                .collect();
            assert_eq!(
                ascii_part_length(word.as_bytes()),
                part_length(&word),
                "{word}"
            );
        }
        assert_eq!(
            words("ä_1, b\u{b2}(日本)")
                .map(|(_, word)| word)
                .collect::<Vec<_>>(),
            ["ä_1", "b\u{b2}", "日本"]
        );
    }

    #[test]
    fn positions_count_words_and_data_is_left_out() {
        let long = "x".repeat(LONGEST + 1);
        let found = tokens(&format!("let fooBar = {long}.baz()"));
        let positions: Vec<(usize, &str)> = found
            .iter()
            .map(|(at, text)| (*at, text.as_str()))
            .collect();
        assert_eq!(
            positions,
            [
                (0, "let"),
                (1, "foobar"),
                (1, "foo"),
                (1, "bar"),
                (2, "baz")
            ]
        );
    }
}
