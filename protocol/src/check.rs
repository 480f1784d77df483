//! Checks of parameters, made by clients before they send a call and by the daemon before it runs one.

use crate::error::ToolError;
use crate::text::moment;
use crate::text::tokens::{FEWEST_TOKENS, MAX_TOKENS};

/// Help for `--root`, which every command about a project has.
#[cfg(feature = "cli")]
pub(crate) const ROOT_HELP: &str = "Project: a folder, or the name of a known root [default: the repository around the \
                                    working directory]";

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
            "{name} is {value}; expected {} to {}",
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
            "{name} has {length} characters; expected 1 to {longest}"
        )))
    }
}

/// Checks a text that is searched by its words.
pub(crate) fn check_words(name: &str, text: &str) -> Result<(), ToolError> {
    if text.trim().is_empty() {
        return Err(ToolError::invalid_argument(format!("{name} is blank")));
    }
    Ok(())
}

/// Checks a point in time, given as a date or as a duration before now.
pub(crate) fn check_since(since: Option<&str>) -> Result<(), ToolError> {
    match since {
        Some(since) if moment::since(since, 0).is_none() => {
            let message = format!("since is `{since}`, which is not a valid time");
            Err(ToolError::invalid_argument(message).with_hint(
                "give a date (2026-11-15), a date and a time (2026-11-15T15:45), or how long ago: 30m, 24h, 7d, 2w",
            ))
        }
        _ => Ok(()),
    }
}

/// Checks the parameters that every tool has.
pub(crate) fn check_common(root: Option<&str>, max_tokens: Option<u32>) -> Result<(), ToolError> {
    check_length("root", root, 4096)?;
    check_range("max_tokens", max_tokens, FEWEST_TOKENS..=MAX_TOKENS)
}

/// Checks the parameters by which text without symbols is cut into chunks.
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
