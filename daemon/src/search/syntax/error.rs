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
    #[error("the query has no words to search for")]
    NoWords,
    #[error("the query only has exclusions")]
    OnlyNegations,
    #[error("{0} has nothing before it")]
    NothingBefore(&'static str),
    #[error("{0} has nothing after it")]
    NothingAfter(&'static str),
    #[error("the field has nothing directly after its colon")]
    EmptyField,
    #[error("unknown field; did you mean `{0}:`?")]
    UnknownField(&'static str),
    #[error("unclosed `(`")]
    Unclosed,
    #[error("unmatched `)`")]
    Unopened,
    #[error("parentheses are nested too deeply")]
    TooDeep,
}

impl QueryProblem {
    pub fn hint(self) -> Line {
        let words = match self {
            Self::Empty => "write a question, a name, or words to search for",
            Self::NoWords => {
                return Line::new()
                    .mode("literal")
                    .text(" finds special characters as written");
            }
            Self::OnlyNegations => "add a word that must match",
            Self::NothingBefore(_) | Self::NothingAfter(_) => {
                "write a word on either side; in quotes or lower case it is an ordinary word"
            }
            Self::EmptyField => {
                return Line::from("write the word right after the colon; ")
                    .mode("literal")
                    .text(" finds the text as written");
            }
            Self::UnknownField(_) => {
                "fields are content, file_path, symbol, lang and kind; in quotes it is ordinary text"
            }
            Self::Unclosed | Self::Unopened => {
                return Line::from("add the missing parenthesis, or quote the text, or use ")
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
