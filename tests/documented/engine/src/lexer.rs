//! Cuts a text into tokens: numbers, signs, and what is neither.

use std::iter::Peekable;
use std::str::CharIndices;

/// The smallest piece of a sum.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Number(f64),
    Sign(char),
    /// A letter that nobody knows.
    Unknown(char),
}

/// Gives one token after another.
pub struct Lexer<'a> {
    text: &'a str,
    letters: Peekable<CharIndices<'a>>,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, letters: text.char_indices().peekable() }
    }

    /// Passes over blanks.
    fn skip_blanks(&mut self) {
        while self.letters.next_if(|(_, letter)| letter.is_whitespace()).is_some() {}
    }

    /// Passes over a remark, which goes to the end of its line.
    fn skip_remark(&mut self) {
        if self.letters.peek().is_some_and(|(_, letter)| *letter == '#') {
            while self.letters.next_if(|(_, letter)| *letter != '\n').is_some() {}
        }
    }

    /// A number from a place on: digits, with one point among them.
    fn number(&mut self, start: usize) -> Token {
        let mut end = start;
        let mut has_point = false;
        while let Some((at, letter)) = self.letters.peek().copied() {
            let is_point = letter == '.' && !has_point;
            if !letter.is_ascii_digit() && !is_point {
                break;
            }
            has_point |= is_point;
            end = at + letter.len_utf8();
            self.letters.next();
        }
        Token::Number(self.text[start..end].parse().unwrap_or(0.0))
    }

    /// A sign, or a letter that nobody knows.
    fn sign(&mut self, letter: char) -> Token {
        self.letters.next();
        if "+-*/()".contains(letter) { Token::Sign(letter) } else { Token::Unknown(letter) }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        self.skip_remark();
        self.skip_blanks();
        let (start, letter) = self.letters.peek().copied()?;
        Some(if letter.is_ascii_digit() { self.number(start) } else { self.sign(letter) })
    }
}

/// A text with one blank between tokens, as people like to read it.
pub fn tidied(text: &str) -> String {
    let mut tidy = String::new();
    for token in Lexer::new(text) {
        if !tidy.is_empty() {
            tidy.push(' ');
        }
        tidy.push_str(&written(&token));
    }
    tidy
}

/// A token as it is written.
pub fn written(token: &Token) -> String {
    match token {
        Token::Number(number) => number.to_string(),
        Token::Sign(sign) | Token::Unknown(sign) => sign.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<f64> {
        let tokens = Lexer::new(text);
        tokens.filter_map(|token| if let Token::Number(number) = token { Some(number) } else { None }).collect()
    }

    #[test]
    fn numbers_may_have_a_point() {
        assert_eq!(numbers("1 + 2.5"), [1.0, 2.5]);
        assert_eq!(numbers("1.2.3"), [1.2, 3.0]);
    }

    #[test]
    fn remarks_are_passed_over() {
        assert_eq!(numbers("1 # and 2\n3"), [1.0, 3.0]);
    }

    #[test]
    fn a_text_is_tidied() {
        assert_eq!(tidied("1+ 2*(3)"), "1 + 2 * ( 3 )");
        assert_eq!(tidied("  "), "");
    }

    #[test]
    fn what_is_not_known_is_kept() {
        assert_eq!(tidied("1 ? 2"), "1 ? 2");
    }
}
