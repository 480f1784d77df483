//! From characters to tokens. Never fails: what is wrong is a token too, since only the parser knows whether it matters.

use super::{Field, has_words};

/// Longer words before a colon are no field, nor nearly one.
const LONGEST_FIELD: usize = 12;

/// Shorter words are near to others by chance.
const SHORTEST_NEAR: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    /// In characters from 0.
    pub start: usize,
    /// Exclusive.
    pub end: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Word(String),
    Phrase {
        text: String,
        /// Nothing stuck to its quotes.
        stands_alone: bool,
    },
    And,
    Or,
    Not,
    /// `-` directly before what it denies.
    Minus,
    /// `+` directly before what it demands.
    Plus,
    /// A field directly before what it holds for.
    Field(Field),
    /// A field with nothing directly behind its colon.
    EmptyField,
    /// Nearly a field.
    NearField(&'static str),
    Open,
    Close,
}

/// The tokens of a query, and whether it uses operators. Parentheses are text unless it has operators or fields.
pub fn tokens(text: &[char]) -> Vec<Token> {
    let grouped = Lexer::new(text, true).run();
    let uses_language = |token: &Token| {
        matches!(
            token.kind,
            Kind::And | Kind::Or | Kind::Not | Kind::Field(_)
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
    /// Whether parentheses may group.
    grouping: bool,
    /// Groups that are open.
    groups: usize,
    /// Parentheses behind a word, which wait for their partners.
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
        while let Some(sign) = self.peek(0) {
            if sign.is_whitespace() {
                self.at += 1;
            } else {
                self.token(sign);
            }
        }
        self.tokens
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn push(&mut self, kind: Kind, length: usize) {
        self.tokens.push(Token {
            kind,
            start: self.at,
            end: self.at + length,
        });
        self.at += length;
    }

    fn token(&mut self, sign: char) {
        let begins_word = |sign: char| sign.is_alphabetic() || sign == '_' || sign == '"';
        let is_bound = self.is_bound();
        match sign {
            '(' if self.grouping => {
                self.groups += 1;
                self.push(Kind::Open, 1);
            }
            ')' if self.closes() => {
                self.groups = self.groups.saturating_sub(1);
                self.push(Kind::Close, 1);
            }
            '"' => self.phrase(),
            // Not a number, an arrow, an option or an increment.
            '-' | '+'
                if !is_bound
                    && self
                        .peek(1)
                        .is_some_and(|next| begins_word(next) || self.opens(next)) =>
            {
                self.push(if sign == '-' { Kind::Minus } else { Kind::Plus }, 1);
            }
            _ if self.field() => {}
            _ => self.word(is_bound),
        }
    }

    /// Directly behind a sign or a field.
    fn is_bound(&self) -> bool {
        let binds = |kind: &Kind| {
            matches!(
                kind,
                Kind::Minus | Kind::Plus | Kind::Field(_) | Kind::NearField(_)
            )
        };
        self.tokens
            .last()
            .is_some_and(|token| token.end == self.at && binds(&token.kind))
    }

    fn opens(&self, sign: char) -> bool {
        self.grouping && sign == '('
    }

    /// Whether the parenthesis here closes a group, or would if there were one.
    fn closes(&self) -> bool {
        let in_word = self.peek(1).is_some_and(char::is_alphanumeric);
        self.grouping && self.text_parentheses == 0 && (self.groups > 0 || !in_word)
    }

    /// To the next quote that is not escaped, or to the end.
    fn phrase(&mut self) {
        let begin = self.at;
        let mut text = String::new();
        let mut end = begin + 1;
        let mut is_closed = false;
        while let Some(&sign) = self.text.get(end) {
            let next = self.text.get(end + 1).copied();
            match (sign, next) {
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
                    text.push(sign);
                    end += 1;
                }
            }
        }
        let next = self.text.get(end);
        let stands_alone =
            is_closed && next.is_none_or(|&next| next.is_whitespace() || next == ')');
        self.push(Kind::Phrase { text, stands_alone }, end - begin);
    }

    fn word(&mut self, is_bound: bool) {
        let begin = self.at;
        let mut end = begin;
        while let Some(&sign) = self.text.get(end).filter(|sign| !sign.is_whitespace()) {
            match sign {
                '(' => self.text_parentheses += 1,
                ')' if self.grouping && self.groups > 0 && self.text_parentheses == 0 => break,
                ')' => self.text_parentheses = self.text_parentheses.saturating_sub(1),
                _ => {}
            }
            end += 1;
        }
        let word: String = self.text[begin..end].iter().collect();
        let kind = match word.as_str() {
            "AND" if !is_bound => Kind::And,
            "OR" if !is_bound => Kind::Or,
            "NOT" if !is_bound => Kind::Not,
            _ => Kind::Word(word),
        };
        if !matches!(kind, Kind::Word(_)) {
            // No call of a function goes on behind an operator.
            self.text_parentheses = 0;
        }
        self.push(kind, end - begin);
    }

    /// Takes a field and its colon, if they are here.
    fn field(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let letters = rest
            .iter()
            .take(LONGEST_FIELD + 1)
            .take_while(|sign| sign.is_ascii_alphabetic() || **sign == '_');
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
                Value::Something => Kind::Field(field),
                Value::Nothing => Kind::EmptyField,
                Value::Code => return false,
            },
            None => match near(&name) {
                Some(meant) if is_plain(value) => Kind::NearField(meant),
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
                .is_some_and(|token| matches!(token.kind, Kind::Field(_)))
    }

    /// What is behind the colon of a field.
    fn value(&self, value: &[char]) -> Value {
        match value {
            [] => Value::Nothing,
            [')', ..] if self.grouping && self.groups > 0 => Value::Nothing,
            // Paths of other languages, addresses and assignments.
            [':' | '=', ..] | ['/', '/', ..] => Value::Code,
            [first, ..] if first.is_whitespace() => {
                // Types and braces behind a space are code; a word was meant for the field.
                match value.iter().find(|sign| !sign.is_whitespace()) {
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
                    .take_while(|sign| !sign.is_whitespace())
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

/// A word, phrase or group, and none that goes on as code does.
fn is_plain(value: &[char]) -> bool {
    let begins = value
        .first()
        .is_some_and(|sign| sign.is_alphanumeric() || matches!(sign, '_' | '"' | '('));
    begins
        && !value
            .iter()
            .take_while(|sign| !sign.is_whitespace())
            .any(|sign| *sign == ':')
}

/// The field that was likely meant: an unfinished or misspelt one.
fn near(name: &str) -> Option<&'static str> {
    if name.len() < SHORTEST_NEAR {
        return None;
    }
    let unfinished = Field::NAMES
        .iter()
        .find(|(known, _)| known.starts_with(name));
    let misspelt = || {
        // Four letters are near to many words; who misspells so short a name begins it right.
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
