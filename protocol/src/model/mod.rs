//! What can be asked, and what is answered: plain data with public fields, one file per tool.
//!
//! The same types cross the socket as bincode and reach agents as JSON, so they use no serde attribute that bincode
//! cannot follow (no `flatten`, `untagged`, `skip_serializing_if`). Lines are 1-based and inclusive; paths are
//! relative to the root, with `/` between their parts.

pub mod analyze_complexity;
pub mod call;
pub mod call_path;
pub mod calls;
pub mod checkpoint;
pub mod daemon;
pub mod deep_dive;
pub mod explore;
pub mod find_implementations;
pub mod find_references;
pub mod find_similar;
pub mod find_symbol;
pub mod freshness;
pub mod get_call_graph;
pub mod get_dependencies;
pub mod graph;
pub mod impact_analysis;
pub mod index_status;
pub mod index_summary;
pub mod list_files;
pub mod manage_roots;
pub mod map_code;
pub mod models;
pub mod note;
pub mod plan;
pub mod read_file;
pub mod recall;
pub mod reindex;
pub mod rename_symbol;
pub mod search;
pub mod symbol;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use self::freshness::Freshness;
use crate::error::ToolError;

/// The most tokens that any answer may cost.
pub const MOST_TOKENS: u32 = 10_000;
/// Less would not hold the frame around an answer.
pub const FEWEST_TOKENS: u32 = 500;
/// What an answer costs at most when nothing is said.
pub const DEFAULT_TOKENS: u32 = 4_000;

/// What a tool takes.
pub trait Params: Serialize + DeserializeOwned + JsonSchema {
    /// The tool's name.
    const TOOL: &'static str;

    /// Refuses what is out of range. Clients check before they send, the daemon before it believes.
    fn validate(&self) -> Result<(), ToolError>;

    /// What every tool takes.
    fn shared(&self) -> Shared<'_>;
}

/// The parameters that all tools have.
#[derive(Clone, Copy, Debug)]
pub struct Shared<'a> {
    /// The project that the caller named, if any.
    pub root: Option<&'a str>,
    pub format: Format,
    /// The budget of the answer.
    pub max_tokens: u32,
}

/// What a tool answers.
pub trait Answer: Serialize + Clone {
    /// How many items could be left out to fit a budget.
    fn items(&self) -> usize;

    /// Leaves out all items but the first `items`, and says how to ask for the rest. First is what is worth most, which
    /// need not be the order in which items are shown.
    fn keep(&mut self, items: usize);

    /// Shows less of what is left, for when the one item that is always shown is too much by itself. False once there is
    /// nothing more to take away.
    fn shorten(&mut self) -> bool {
        false
    }

    /// The whole answer as text for a model.
    fn text(&self) -> String;

    /// What an answer from the index may lack. None for an answer from the files themselves.
    fn freshness(&self) -> Option<&Freshness> {
        None
    }
}

// How an answer is written. Words about an enum would stand in every schema that has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    #[default]
    Text,
    Json,
}

pub(crate) fn check_range<T>(
    name: &str,
    value: Option<T>,
    range: std::ops::RangeInclusive<T>,
) -> Result<(), ToolError>
where
    T: PartialOrd + std::fmt::Display,
{
    match value {
        Some(value) if !range.contains(&value) => Err(ToolError::invalid_argument(format!(
            "{name} is {value}; it takes {} to {}",
            range.start(),
            range.end()
        ))),
        _ => Ok(()),
    }
}

pub(crate) fn check_length(
    name: &str,
    value: Option<&str>,
    longest: usize,
) -> Result<(), ToolError> {
    let length = value.map_or(1, |value| value.chars().count());
    if (1..=longest).contains(&length) {
        Ok(())
    } else {
        Err(ToolError::invalid_argument(format!(
            "{name} has {length} characters; it takes 1 to {longest}"
        )))
    }
}

/// The parts that every tool's parameters have.
pub(crate) fn check_shared(root: Option<&str>, max_tokens: Option<u32>) -> Result<(), ToolError> {
    check_length("root", root, 4096)?;
    check_range("max_tokens", max_tokens, FEWEST_TOKENS..=MOST_TOKENS)
}

/// How text without symbols is cut into chunks.
pub(crate) fn check_chunks(chunk_size: Option<u32>, overlap: Option<u32>) -> Result<(), ToolError> {
    check_range("chunk_size", chunk_size, 100..=2000)?;
    check_range("overlap", overlap, 0..=500)?;
    match (chunk_size, overlap) {
        (Some(chunk_size), Some(overlap)) if overlap >= chunk_size => {
            Err(ToolError::invalid_argument(format!(
                "overlap {overlap} is not less than chunk_size {chunk_size}"
            )))
        }
        _ => Ok(()),
    }
}
