//! The syntax of keyword queries: parses a text into an [`Expr`], or into an error with its position and a suggestion.
//!
//! Parsing is total and takes linear time. Everything but the operators is text, so code needs no escaping. A [`MatchTarget`]
//! decides what a word matches: nothing here knows an index, a language or a kind.
//!
//! - `AND` `OR` `NOT`, in upper case and standing alone, are operators; `-word` is `NOT word`. `NOT` binds tightest, then
//!   `AND`, then `OR`. Side by side means `AND` where the query has one of them, and inside parentheses.
//! - In any other query plain words side by side *rank*: one of them is enough. Fields, `"phrases"`, `+word` and `-word`
//!   *filter* beside them; with a phrase or a `+word`, the plain words are optional.
//! - `field:` is directly before a word, a phrase or parentheses, and holds for all inside that have no field.
//! - Parentheses group if the query has an operator or a field; otherwise, and after a word (`main()`), they are text.

mod detect;
mod error;
mod lexer;
mod parser;
#[cfg(test)]
mod tests;

pub use detect::has_operators;
pub use error::{QueryError, QueryProblem};
pub use parser::parse;

/// The part of a document that a term has to match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Field {
    /// The term has no field.
    #[default]
    Any,
    Content,
    Path,
    Symbol,
    Language,
    Kind,
}

impl Field {
    /// The names of each field, the preferred one first.
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

/// A word or phrase as it was written: `foo->bar()` is one word. Only sentence punctuation is stripped from words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    pub field: Field,
    /// Has at least one letter or digit.
    pub text: String,
    pub is_phrase: bool,
    /// The character of the query at which the text begins, counted from 1.
    pub position: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    Term(Term),
    /// Plain words side by side. They rank, and one of them is enough.
    Words(Vec<Term>),
    /// Plain words beside a phrase or `+word`. They only rank.
    Optional(Vec<Term>),
    All(Vec<Expr>),
    Any(Vec<Expr>),
    Not(Box<Expr>),
}

/// A document that an expression is matched with.
pub trait MatchTarget {
    /// Returns whether the content of a field of the document is known.
    fn knows(&self, _field: Field) -> bool {
        true
    }
    fn word(&self, field: Field, word: &str) -> bool;
    fn phrase(&self, field: Field, words: &str) -> bool;
}

impl Expr {
    /// Returns whether a document may match: terms in unknown fields are decided in its favour. The rank is decided elsewhere.
    pub fn matches(&self, target: &impl MatchTarget) -> bool {
        self.matches_with(target, true)
    }

    /// `unknown` is the result of terms in unknown fields.
    fn matches_with(&self, target: &impl MatchTarget, unknown: bool) -> bool {
        let matches = |part: &Self| part.matches_with(target, unknown);
        match self {
            Self::Term(term) => term.matches(target, unknown),
            Self::Words(words) => words.iter().any(|word| word.matches(target, unknown)),
            Self::Optional(_) => true,
            Self::All(parts) => parts.iter().all(matches),
            Self::Any(parts) => parts.iter().any(matches),
            Self::Not(part) => !part.matches_with(target, !unknown),
        }
    }

    /// Returns the terms that a match may contain, in the order of the query; never empty.
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
    fn matches(&self, target: &impl MatchTarget, unknown: bool) -> bool {
        if !target.knows(self.field) {
            unknown
        } else if self.is_phrase {
            target.phrase(self.field, &self.text)
        } else {
            target.word(self.field, &self.text)
        }
    }
}

/// Returns whether a text has words, and not only punctuation.
fn has_words(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}
