//! The errors of queries, with their position and a suggestion.

use claudevil_protocol::text::Line;
use claudevil_protocol::{ErrorCode, ToolError};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("character {position}: {problem}")]
pub struct QueryError {
    pub problem: QueryProblem,
    /// The character of the query, counted from 1.
    pub position: usize,
    /// The corrected query, which is always valid.
    pub suggestion: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryProblem {
    #[error("the query is empty")]
    Empty,
    #[error("the query has no words to look for")]
    NoWords,
    #[error("the query only says what must not be there")]
    OnlyNegations,
    #[error("{0} has nothing before it")]
    NothingBefore(&'static str),
    #[error("{0} has nothing behind it")]
    NothingAfter(&'static str),
    #[error("the field has nothing directly behind its colon")]
    EmptyField,
    #[error("there is no such field; `{0}:` is one")]
    UnknownField(&'static str),
    #[error("this parenthesis is never closed")]
    Unclosed,
    #[error("this parenthesis closes nothing")]
    Unopened,
    #[error("parentheses are too deep inside of each other")]
    TooDeep,
}

impl QueryProblem {
    pub fn hint(self) -> Line {
        let words = match self {
            Self::Empty => "write a question, a name, or words to look for",
            Self::NoWords => {
                return Line::new()
                    .mode("literal")
                    .text(" finds special characters as they are");
            }
            Self::OnlyNegations => "add a word that must be there",
            Self::NothingBefore(_) | Self::NothingAfter(_) => {
                "write a word on either side; between quotes or in lower case it is a word like others"
            }
            Self::EmptyField => {
                return Line::from("write the word right behind the colon; ")
                    .mode("literal")
                    .text(" finds the text as it is");
            }
            Self::UnknownField(_) => {
                "fields are content, file_path, symbol, lang and kind; between quotes it is text like any other"
            }
            Self::Unclosed | Self::Unopened => {
                return Line::from("pair it, or put the text between quotes, or use ")
                    .mode("literal");
            }
            Self::TooDeep => "write fewer parentheses",
        };
        words.into()
    }
}

impl From<QueryError> for ToolError {
    fn from(error: QueryError) -> Self {
        Self::new(ErrorCode::InvalidQuery, error.to_string())
            .with_hint(error.problem.hint())
            .with_candidates(error.suggestion.into_iter().collect())
    }
}
