//! Splits a query into tokens. Lexing never fails: a mistake is a token too, since only the parser knows whether it matters.

use super::{Field, has_words};

/// Longer words before a colon are neither a field nor a misspelt one.
const LONGEST_FIELD: usize = 12;

/// Shorter words resemble fields by chance.
const SHORTEST_MISSPELT: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    /// In characters from 0.
    pub start: usize,
    /// Exclusive.
    pub end: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Word(String),
    Phrase {
        text: String,
        /// The phrase is closed, and followed by a space, a `)` or nothing.
        stands_alone: bool,
    },
    And,
    Or,
    Not,
    /// `-` directly before an operand.
    Minus,
    /// `+` directly before an operand.
    Plus,
    /// A field directly before an operand.
    Field(Field),
    /// A field with nothing directly after its colon.
    EmptyField,
    /// A misspelt field, with the one that was likely meant.
    MisspeltField(&'static str),
    Open,
    Close,
}

/// Returns the tokens of a query. Parentheses are text unless it has operators or fields.
pub fn tokens(text: &[char]) -> Vec<Token> {
    let grouped = Lexer::new(text, true).run();
    let uses_language = |token: &Token| {
        matches!(
            token.kind,
            TokenKind::And | TokenKind::Or | TokenKind::Not | TokenKind::Field(_)
        )
    };
    if grouped.iter().any(uses_language) {
        grouped
    } else {
        Lexer::new(text, false).run()
    }
}

struct Lexer<'a> {
    text: &'a [char],
    at: usize,
    /// Says whether parentheses group.
    grouping: bool,
    /// The number of open groups.
    groups: usize,
    /// The number of open parentheses that are text: `main(`.
    text_parentheses: usize,
    tokens: Vec<Token>,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a [char], grouping: bool) -> Self {
        Self {
            text,
            at: 0,
            grouping,
            groups: 0,
            text_parentheses: 0,
            tokens: vec![],
        }
    }

    fn run(mut self) -> Vec<Token> {
        while let Some(letter) = self.peek(0) {
            if letter.is_whitespace() {
                self.at += 1;
            } else {
                self.token(letter);
            }
        }
        self.tokens
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        self.tokens.push(Token {
            kind,
            start: self.at,
            end: self.at + length,
        });
        self.at += length;
    }

    fn token(&mut self, letter: char) {
        let begins_word = |letter: char| letter.is_alphabetic() || letter == '_' || letter == '"';
        let is_bound = self.is_bound();
        match letter {
            '(' if self.grouping => {
                self.groups += 1;
                self.push(TokenKind::Open, 1);
            }
            ')' if self.closes() => {
                self.groups = self.groups.saturating_sub(1);
                self.push(TokenKind::Close, 1);
            }
            '"' => self.phrase(),
            // A sign is an operator only before a word, a quote or a group, unlike `-1`, `->`, `--all` and `++`.
            '-' | '+'
                if !is_bound
                    && self
                        .peek(1)
                        .is_some_and(|next| begins_word(next) || self.opens(next)) =>
            {
                self.push(
                    if letter == '-' {
                        TokenKind::Minus
                    } else {
                        TokenKind::Plus
                    },
                    1,
                );
            }
            _ if self.field() => {}
            _ => self.word(is_bound),
        }
    }

    /// Returns whether the position is directly after `-`, `+` or a field.
    fn is_bound(&self) -> bool {
        let binds = |kind: &TokenKind| {
            matches!(
                kind,
                TokenKind::Minus
                    | TokenKind::Plus
                    | TokenKind::Field(_)
                    | TokenKind::MisspeltField(_)
            )
        };
        self.tokens
            .last()
            .is_some_and(|token| token.end == self.at && binds(&token.kind))
    }

    fn opens(&self, letter: char) -> bool {
        self.grouping && letter == '('
    }

    /// Returns whether a `)` at the position closes a group, or is an unmatched one.
    fn closes(&self) -> bool {
        let in_word = self.peek(1).is_some_and(char::is_alphanumeric);
        self.grouping && self.text_parentheses == 0 && (self.groups > 0 || !in_word)
    }

    /// Reads a phrase up to the next quote that is not escaped, or to the end.
    fn phrase(&mut self) {
        let begin = self.at;
        let mut text = String::new();
        let mut end = begin + 1;
        let mut is_closed = false;
        while let Some(&letter) = self.text.get(end) {
            let next = self.text.get(end + 1).copied();
            match (letter, next) {
                ('"', _) => {
                    is_closed = true;
                    end += 1;
                    break;
                }
                ('\\', Some(escaped @ ('"' | '\\'))) => {
                    text.push(escaped);
                    end += 2;
                }
                _ => {
                    text.push(letter);
                    end += 1;
                }
            }
        }
        let next = self.text.get(end);
        let stands_alone =
            is_closed && next.is_none_or(|&next| next.is_whitespace() || next == ')');
        self.push(TokenKind::Phrase { text, stands_alone }, end - begin);
    }

    fn word(&mut self, is_bound: bool) {
        let begin = self.at;
        let mut end = begin;
        while let Some(&letter) = self.text.get(end).filter(|letter| !letter.is_whitespace()) {
            match letter {
                '(' => self.text_parentheses += 1,
                ')' if self.grouping && self.groups > 0 && self.text_parentheses == 0 => break,
                ')' => self.text_parentheses = self.text_parentheses.saturating_sub(1),
                _ => {}
            }
            end += 1;
        }
        let word: String = self.text[begin..end].iter().collect();
        let kind = match word.as_str() {
            "AND" if !is_bound => TokenKind::And,
            "OR" if !is_bound => TokenKind::Or,
            "NOT" if !is_bound => TokenKind::Not,
            _ => TokenKind::Word(word),
        };
        if !matches!(kind, TokenKind::Word(_)) {
            // The arguments of a call do not continue after an operator.
            self.text_parentheses = 0;
        }
        self.push(kind, end - begin);
    }

    /// Reads a field and its colon. Returns whether there is one.
    fn field(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let letters = rest
            .iter()
            .take(LONGEST_FIELD + 1)
            .take_while(|letter| letter.is_ascii_alphabetic() || **letter == '_');
        let name: String = letters.map(char::to_ascii_lowercase).collect();
        let length = name.len();
        if length == 0
            || length > LONGEST_FIELD
            || rest.get(length) != Some(&':')
            || self.is_behind_field()
        {
            return false;
        }
        let value = &rest[length + 1..];
        let kind = match Field::NAMES.iter().find(|(known, _)| *known == name) {
            Some(&(_, field)) => match self.value(value) {
                Value::Something => TokenKind::Field(field),
                Value::Nothing => TokenKind::EmptyField,
                Value::Code => return false,
            },
            None => match meant_field(&name) {
                Some(meant) if is_plain(value) => TokenKind::MisspeltField(meant),
                _ => return false,
            },
        };
        self.push(kind, length + 1);
        true
    }

    fn is_behind_field(&self) -> bool {
        self.is_bound()
            && self
                .tokens
                .last()
                .is_some_and(|token| matches!(token.kind, TokenKind::Field(_)))
    }

    /// Classifies the text after the colon of a field.
    fn value(&self, value: &[char]) -> Value {
        match value {
            [] => Value::Nothing,
            [')', ..] if self.grouping && self.groups > 0 => Value::Nothing,
            // `path::to`, `file://` and `name:=`.
            [':' | '=', ..] | ['/', '/', ..] => Value::Code,
            [first, ..] if first.is_whitespace() => {
                // Punctuation after the space is code. A word after it was meant as the value of the field.
                match value.iter().find(|letter| !letter.is_whitespace()) {
                    Some(next) if next.is_alphanumeric() || matches!(next, '"' | '(' | ')') => {
                        Value::Nothing
                    }
                    Some(_) => Value::Code,
                    None => Value::Nothing,
                }
            }
            ['"' | '(', ..] => Value::Something,
            _ => {
                let word: String = value
                    .iter()
                    .take_while(|letter| !letter.is_whitespace())
                    .collect();
                if has_words(&word) {
                    Value::Something
                } else {
                    Value::Code
                }
            }
        }
    }
}

enum Value {
    Something,
    Nothing,
    Code,
}

/// Returns whether a value is a word, phrase or group, and not code: `a::b`.
fn is_plain(value: &[char]) -> bool {
    let begins = value
        .first()
        .is_some_and(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '"' | '('));
    begins
        && !value
            .iter()
            .take_while(|letter| !letter.is_whitespace())
            .any(|letter| *letter == ':')
}

/// Returns the field that an unfinished or misspelt name likely means.
fn meant_field(name: &str) -> Option<&'static str> {
    if name.len() < SHORTEST_MISSPELT {
        return None;
    }
    let unfinished = Field::NAMES
        .iter()
        .find(|(known, _)| known.starts_with(name));
    let misspelt = || {
        // Short names resemble many words, so their first letter must be right.
        let (tolerated, same_start) = match name.len() {
            ..=3 => return None,
            4..=5 => (1, true),
            _ => (2, false),
        };
        let distance = |known: &str| strsim::osa_distance(name, known);
        Field::NAMES
            .iter()
            .filter(|(known, _)| !same_start || known.chars().next() == name.chars().next())
            .min_by_key(|(known, _)| distance(known))
            .filter(|(known, _)| distance(known) <= tolerated)
    };
    unfinished.or_else(misspelt).map(|(known, _)| *known)
}
