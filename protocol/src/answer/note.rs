//! What notes and plans have in common: who wrote them when and at which commit, and what could not be read.

pub mod text;

use serde::{Deserialize, Serialize};

use crate::error::ToolError;

use crate::check::{check_length, check_range};

/// A note as `checkpoint` keeps it and `recall` finds it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub path: String,
    /// Milliseconds since 1970.
    pub created: i64,
    /// What was checked out then.
    pub commit: Option<String>,
    pub branch: Option<String>,
    pub tags: Vec<String>,
    pub symbols: Vec<String>,
    pub files: Vec<String>,
    pub text: String,
    /// There is more text in the file.
    pub cut: bool,
    /// How well it fits the query, 0 to 1 with two decimals.
    pub score: Option<f64>,
    /// What of the file could not be understood, and how it was read all the same.
    pub remark: Option<String>,
}

/// A file among the notes that is not one that can be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedNote {
    pub path: String,
    pub reason: String,
}

impl Note {
    /// The first line that says something, without the marks of a heading.
    pub fn title(&self) -> &str {
        title_of(&self.text)
    }
}

/// The first line of a text that says something, without the marks of a heading.
pub fn title_of(text: &str) -> &str {
    let lines = text
        .lines()
        .map(|line| line.trim().trim_start_matches(['#', '-', '*', '>']).trim());
    lines
        .into_iter()
        .find(|line| !line.is_empty())
        .unwrap_or_default()
}

/// Half of a text, cut between lines where it has some; false when it is too short for that.
pub(crate) fn halve(text: &mut String) -> bool {
    const SHORTEST: usize = 80;
    if text.len() <= SHORTEST {
        return false;
    }
    let half = text.floor_char_boundary(text.len() / 2);
    let end = text[..half]
        .rfind('\n')
        .filter(|end| *end >= half / 2)
        .unwrap_or(half);
    text.truncate(end);
    true
}

/// A list of short texts that each stay on their line.
pub(crate) fn check_words(
    name: &str,
    words: Option<&[String]>,
    most: usize,
    longest: usize,
) -> Result<(), ToolError> {
    let words = words.unwrap_or_default();
    check_range(name, Some(words.len()), 0..=most)
        .map_err(|error| error.with_hint(format!("give fewer {name}")))?;
    for word in words {
        check_length(name, Some(word.trim()), longest)?;
        check_line(name, word)?;
    }
    Ok(())
}

pub(crate) fn check_line(name: &str, text: &str) -> Result<(), ToolError> {
    if text.contains(char::is_control) {
        return Err(ToolError::invalid_argument(format!(
            "{name} holds a line end or another control character"
        )));
    }
    Ok(())
}
