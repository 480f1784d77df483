//! Parts that notes and plans share: time, commit, tags, and files that could not be read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::{Line, NextCall, moment};

/// A note as `checkpoint` keeps it and `recall` finds it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    pub path: String,
    /// Milliseconds since 1970.
    pub created: i64,
    /// The checked-out commit at that time.
    pub commit: Option<String>,
    pub branch: Option<String>,
    pub tags: Vec<String>,
    pub symbols: Vec<String>,
    pub files: Vec<String>,
    pub text: String,
    /// There is more text in the file.
    pub cut: bool,
    /// Relevance to the query, 0 to 1 with two decimals.
    pub score: Option<f64>,
    /// A part of the file that could not be understood, and how it was read all the same.
    pub remark: Option<String>,
}

/// A file among the notes that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedNote {
    pub path: String,
    pub reason: String,
}

impl Note {
    /// Returns the first line with text, without Markdown marks such as `#`.
    pub fn title(&self) -> &str {
        title_of(&self.text)
    }

    /// Returns e.g. `2026-11-15 15:45  main@1a2b3c4  #parser #decision`.
    pub fn circumstances(&self) -> Line {
        let tags = self.tags.iter().map(|tag| tag_line(tag));
        let tags = Line::join(tags, " ");
        let parts = [
            Some(moment::minute(self.created).into()),
            checkout(self.branch.as_deref(), self.commit.as_deref()),
            (!tags.is_empty()).then_some(tags),
        ];
        Line::join(parts.into_iter().flatten(), "  ")
    }

    /// Returns a line each for the symbols and the files that the note is about.
    pub(crate) fn subjects(&self) -> impl Iterator<Item = Line> {
        let symbols = self.symbols.iter().map(|name| Line::new().name(name));
        let files = self.files.iter().map(|path| Line::new().path(path));
        let lists = [
            ("symbols: ", Line::join(symbols, ", ")),
            ("files: ", Line::join(files, ", ")),
        ];
        let lists = lists.into_iter().filter(|(_, names)| !names.is_empty());
        lists.map(|(label, names)| Line::from(label).line(names))
    }
}

/// Returns e.g. `#parser`.
pub(crate) fn tag_line(tag: &str) -> Line {
    Line::from("#").code(tag)
}

/// Returns e.g. `main@1a2b3c4`, as far as it is known.
pub(crate) fn checkout(branch: Option<&str>, commit: Option<&str>) -> Option<Line> {
    let line = branch.map_or_else(Line::new, |branch| Line::new().code(branch));
    let Some(commit) = commit else {
        return branch.map(|_| line);
    };
    let commit: String = commit.chars().take(7).collect();
    Some(line.text("@").code(&commit))
}

/// Describes the part of a file that could not be understood.
pub(crate) fn remark_line(remark: &str) -> Line {
    Line::from("note: ").code(remark)
}

/// Returns the call that shows the whole of a file whose text is cut.
pub(crate) fn rest_of_file(path: &str, root: &str) -> Line {
    let call = NextCall::new("read_file")
        .with("path", path)
        .with("root", root);
    Line::from("cut; all of it: ").call(call)
}

/// Names files among the notes that could not be read: `skipped: a.md (binary) and 2 more`.
pub fn skipped_warning(total: u64, skipped: &[SkippedNote]) -> Option<Line> {
    let names = skipped.iter().map(|one| {
        Line::new()
            .path(&one.path)
            .text(" (")
            .code(&one.reason)
            .text(")")
    });
    let line = Line::from("skipped: ").line(Line::join(names, ", "));
    match total.saturating_sub(skipped.len() as u64) {
        _ if total == 0 => None,
        0 => Some(line),
        unnamed => Some(line.text(" and ").number(unnamed).text(" more")),
    }
}

/// Says that secrets were left out.
pub fn redaction_warning(secrets: u64) -> Option<Line> {
    let were = if secrets == 1 { "was" } else { "were" };
    (secrets > 0).then(|| {
        Line::new()
            .count(secrets, "secret")
            .text(format!(" {were} left out, marked [redacted]"))
    })
}

/// Returns the first line with text, without Markdown marks such as `#`.
pub fn title_of(text: &str) -> &str {
    let lines = text
        .lines()
        .map(|line| line.trim().trim_start_matches(['#', '-', '*', '>']).trim());
    lines
        .into_iter()
        .find(|line| !line.is_empty())
        .unwrap_or_default()
}

/// Cuts a text in half, between lines if it has several. Returns false if it is too short for that.
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

/// Rejects lists that are too long, and words that are too long or contain control characters.
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
