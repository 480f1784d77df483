//! The tokens of code, with all names and all literals alike: two functions that differ only in those have the same tokens.
//!
//! One pass over the text with the lexical rules of its language, without a parser: a whole root takes a second or two.

use std::collections::HashMap;

use crate::lang::{Language, Lexis};

/// A token as a number. Each keyword and punctuation character has its own; all names share one, as do all strings and all
/// numbers.
pub type TokenCode = u32;

const NAME: TokenCode = 1;
const STRING: TokenCode = 2;
const NUMBER: TokenCode = 3;
/// The first code of punctuation characters; those of keywords follow.
const FIRST_SIGN: TokenCode = 16;
const FIRST_KEYWORD: TokenCode = 1 << 16;

/// Reads tokens of one language.
pub struct CodeTokens {
    lexis: &'static Lexis,
    keywords: HashMap<&'static str, TokenCode>,
}

impl CodeTokens {
    pub fn new(language: &'static Language) -> Self {
        let facts = language.facts.iter();
        let words = facts.flat_map(|facts| facts.naming.reserved.into_iter());
        Self {
            lexis: &language.lexis,
            keywords: words.copied().zip(FIRST_KEYWORD..).collect(),
        }
    }

    /// Appends the tokens of a text, without comments.
    pub fn read(&self, text: &str, tokens: &mut Vec<TokenCode>) {
        let mut rest = text;
        while let Some(sign) = rest.chars().next() {
            if sign.is_whitespace() {
                rest = &rest[sign.len_utf8()..];
            } else if let Some(behind) = self.skip_comment(rest) {
                rest = behind;
            } else if let Some(behind) = self.skip_string(rest) {
                tokens.push(STRING);
                rest = behind;
            } else if is_name(sign) {
                let end = rest.find(|sign| !is_name(sign)).unwrap_or(rest.len());
                tokens.push(self.code_of_word(&rest[..end]));
                rest = &rest[end..];
            } else {
                tokens.push(FIRST_SIGN + u32::from(sign) % (FIRST_KEYWORD - FIRST_SIGN));
                rest = &rest[sign.len_utf8()..];
            }
        }
    }

    fn skip_comment<'t>(&self, text: &'t str) -> Option<&'t str> {
        let lexis = self.lexis;
        let block = lexis
            .block_comments
            .iter()
            .find(|(open, _)| text.starts_with(open.as_str()));
        if let Some((open, close)) = block {
            let inner = &text[open.len()..];
            return Some(
                inner
                    .split_once(close.as_str())
                    .map_or("", |(_, behind)| behind),
            );
        }
        let mut lines = lexis.line_comments.into_iter();
        lines.any(|open| text.starts_with(*open)).then(|| {
            let end = text.find('\n').unwrap_or(text.len());
            &text[end..]
        })
    }

    fn skip_string<'t>(&self, text: &'t str) -> Option<&'t str> {
        let lexis = self.lexis;
        let block = lexis
            .text_blocks()
            .filter(|(open, ..)| text.starts_with(open))
            .max_by_key(|(open, ..)| open.len());
        if let Some((open, close, escapes)) = block {
            let inner = &text[open.len()..];
            let end = |close| end_of_string(inner, close, escapes, false).unwrap_or(inner.len());
            return Some(match close {
                "" => inner,
                close => &inner[end(close)..],
            });
        }
        let quote = lexis
            .strings
            .into_iter()
            .find(|quote| text.starts_with(**quote));
        let raw = || {
            lexis
                .raw_strings
                .into_iter()
                .find(|quote| text.starts_with(**quote))
        };
        let (quote, escapes) = quote
            .map(|quote| (*quote, true))
            .or_else(|| raw().map(|quote| (*quote, false)))?;
        let inner = &text[quote.len()..];
        // A quote that is not closed on its line is punctuation: `'a` in Rust.
        Some(&inner[end_of_string(inner, quote, escapes, true)?..])
    }

    fn code_of_word(&self, word: &str) -> TokenCode {
        if word.starts_with(|sign: char| sign.is_ascii_digit()) {
            return NUMBER;
        }
        self.keywords.get(word).copied().unwrap_or(NAME)
    }
}

/// Returns the position after the delimiter that closes a string.
fn end_of_string(inner: &str, close: &str, escapes: bool, on_one_line: bool) -> Option<usize> {
    let mut at = 0;
    while let Some(sign) = inner[at..].chars().next() {
        if inner[at..].starts_with(close) {
            return Some(at + close.len());
        }
        if sign == '\n' && on_one_line {
            return None;
        }
        at += sign.len_utf8();
        if sign == '\\' && escapes {
            at += inner[at..].chars().next().map_or(0, char::len_utf8);
        }
    }
    None
}

fn is_name(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;

    fn read(language: &str, text: &str) -> Vec<TokenCode> {
        let mut tokens = vec![];
        CodeTokens::new(lang::by_name(language).expect("a language")).read(text, &mut tokens);
        tokens
    }

    #[test]
    fn names_literals_comments_and_layout_make_no_difference() {
        for (language, one, other) in [
            (
                "rust",
                "fn open(path: &str) -> u8 { /* a */ read(path, \"r\", 1) // b\n}",
                "fn close(\n    name: &str,\n) -> u8 { write(name, \"\\\"w\", 22) }",
            ),
            (
                "python",
                "def a(b):\n    '''c'''\n    return b",
                "def x(y):\n    '''z\n    z'''\n    return y # w",
            ),
            (
                "go",
                "func a(b string) { c(`d\n`) }",
                "func x(y string) { z(\"w\") }",
            ),
        ] {
            let same: Vec<TokenCode> = read(language, other);
            let commas = |tokens: Vec<TokenCode>| -> Vec<TokenCode> {
                let comma = FIRST_SIGN + u32::from(',');
                tokens.into_iter().filter(|token| *token != comma).collect()
            };
            assert_eq!(commas(read(language, one)), commas(same), "{language}");
        }
    }

    #[test]
    fn a_backslash_ends_no_raw_string_later() {
        for (language, one, other) in [
            ("go", "a(`\\`, b(c))", "x(\"y\", z(w))"),
            (
                "rust",
                "a(r#\"\\\"#, r\"\\\", b(c))",
                "x(\"y\", \"z\", w(v))",
            ),
            ("kotlin", "a(\"\"\"\\\"\"\", b(c))", "x(\"y\", z(w))"),
            ("bash", "a '\\' $'\\'' b", "x 'y' 'z' w"),
        ] {
            assert_eq!(read(language, one), read(language, other), "{language}");
        }
    }

    #[test]
    fn keywords_and_signs_make_a_difference() {
        assert_ne!(read("rust", "if a { b }"), read("rust", "while a { b }"));
        assert_ne!(read("rust", "a + b"), read("rust", "a - b"));
        assert_eq!(read("rust", "fn a<'b>(c: &'b str)").len(), 14);
    }
}
