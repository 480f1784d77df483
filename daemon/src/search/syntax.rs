//! The language of keyword queries: a text becomes an [`Expr`], or an error that says where and what instead.
//!
//! Pure and total: every text gives one or the other, in linear time. What is not an operator is text, so code needs no
//! escaping. What a word of it means is left to the [`MatchTarget`]: nothing here knows an index, a language or a kind.
//!
//! - `AND` `OR` `NOT`, in upper case and standing alone, are operators; `-word` is `NOT word`. `NOT` binds tightest, then
//!   `AND`, then `OR`. Side by side means `AND` where the query has one of them, and inside parentheses.
//! - In any other query plain words side by side *rank*: one of them is enough. Fields, `"phrases"`, `+word` and `-word`
//!   *filter* beside them; where a phrase or a `+word` is demanded, the plain words are not needed at all.
//! - `field:` stands directly before a word, a phrase or parentheses, and holds for all inside that have none themselves.
//! - Parentheses group where the query has an operator or a field; else, and behind a word (`main()`), they are text.

mod detect;
mod error;
mod lexer;
mod parser;
#[cfg(test)]
mod tests;

pub use detect::has_operators;
pub use error::{Problem, QueryError};
pub use parser::parse;

/// Where a term is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Field {
    /// None was said.
    #[default]
    Any,
    Content,
    Path,
    Symbol,
    Language,
    Kind,
}

impl Field {
    /// What each may be called, the proper name of each first.
    const NAMES: &'static [(&'static str, Self)] = &[
        ("content", Self::Content),
        ("file_path", Self::Path),
        ("path", Self::Path),
        ("file", Self::Path),
        ("symbol", Self::Symbol),
        ("name", Self::Symbol),
        ("def", Self::Symbol),
        ("lang", Self::Language),
        ("language", Self::Language),
        ("kind", Self::Kind),
    ];
}

/// A word or phrase, as it was written: `foo->bar()` is one word here, whatever its parts. Only signs of sentences are no
/// part of a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    pub field: Field,
    /// Holds a letter or digit at least.
    pub text: String,
    pub is_phrase: bool,
    /// Where its text begins in the query, in characters from 1.
    pub position: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    Term(Term),
    /// Plain words side by side. They rank, and one of them is enough.
    Words(Vec<Term>),
    /// Plain words beside what is demanded. They only rank.
    Optional(Vec<Term>),
    All(Vec<Expr>),
    Any(Vec<Expr>),
    Not(Box<Expr>),
}

/// A document as an expression sees it.
pub trait MatchTarget {
    fn word(&self, field: Field, word: &str) -> bool;
    fn phrase(&self, field: Field, words: &str) -> bool;
}

impl Expr {
    /// Whether a document is an answer. Its rank is another matter.
    pub fn matches(&self, probe: &impl MatchTarget) -> bool {
        match self {
            Self::Term(term) => term.matches(probe),
            Self::Words(words) => words.iter().any(|word| word.matches(probe)),
            Self::Optional(_) => true,
            Self::All(parts) => parts.iter().all(|part| part.matches(probe)),
            Self::Any(parts) => parts.iter().any(|part| part.matches(probe)),
            Self::Not(part) => !part.matches(probe),
        }
    }

    /// What an answer may hold, in the order of the query: to retrieve by, and to highlight. Never empty.
    pub fn terms(&self) -> Vec<&Term> {
        let mut terms = vec![];
        self.collect(true, &mut terms);
        terms
    }

    fn collect<'a>(&'a self, positive: bool, terms: &mut Vec<&'a Term>) {
        match self {
            Self::Term(term) => terms.extend(positive.then_some(term)),
            Self::Words(words) | Self::Optional(words) => {
                terms.extend(words.iter().filter(|_| positive));
            }
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.collect(positive, terms);
                }
            }
            Self::Not(part) => part.collect(!positive, terms),
        }
    }
}

impl Term {
    fn matches(&self, probe: &impl MatchTarget) -> bool {
        if self.is_phrase {
            probe.phrase(self.field, &self.text)
        } else {
            probe.word(self.field, &self.text)
        }
    }
}

/// What can be looked for by words. Signs alone cannot.
fn has_words(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}
