//! Credentials in texts and in the names of files.
//!
//! [`find`] decides what is blanked before a text is stored anywhere, so it must be fast enough for every byte
//! that is indexed and must not blank code; [`mark`] tells a reader which lines hold one; [`is_secret_file`] names
//! the files that are never indexed at all. A text is first searched for a few literals, and only the surroundings
//! of their matches are examined. Nothing here stores or prints what it finds.
//!
//! The patterns are in two tables: `kinds.rs` (by its own shape or by the command, call or statement around it) and
//! `names.rs` (by the name that it is assigned to).

mod assignments;
mod blocks;
mod context;
mod files;
mod kinds;
mod names;
mod private_keys;
mod scan;
mod shapes;
#[cfg(test)]
mod tests;
mod values;

use std::ops::Range;

use self::files::is_environment_file;
pub use self::files::is_secret_file;

/// A credential in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    pub range: Range<usize>,
    /// The description: `AWS access key`, `password`.
    pub kind: &'static str,
}

/// The lines of a credential, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub line: usize,
    pub last_line: usize,
    pub kind: &'static str,
}

/// Returns the byte ranges of a text that hold credentials, in order and without overlaps. None crosses the end of a line, so
/// that lines stay where they are when the ranges are blanked.
pub fn find(text: &str) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = secrets(text)
        .into_iter()
        .flat_map(|secret| lines(text, secret.range))
        .filter_map(|line| {
            Some((
                u32::try_from(line.start).ok()?,
                u32::try_from(line.end).ok()?,
            ))
        })
        .collect();
    ranges.sort_unstable();
    ranges.dedup_by(|next, last| {
        let overlaps = next.0 < last.1;
        if overlaps {
            last.1 = last.1.max(next.1);
        }
        overlaps
    });
    ranges
}

/// Returns the credentials of a file's text by their lines, one for each line on which any begins. In a file of environment
/// variables every variable counts.
pub fn mark(file_name: &str, text: &str) -> Vec<Mark> {
    let mut marks: Vec<Mark> = vec![];
    let (mut line, mut from) = (0, 0);
    for Secret { range, kind } in secrets(text) {
        line += text[from..range.start].matches('\n').count();
        from = range.start;
        let last_line = line + text[range].trim_end().matches('\n').count();
        if marks.last().is_none_or(|last| last.line != line) {
            marks.push(Mark {
                line,
                last_line,
                kind,
            });
        }
    }
    if is_environment_file(file_name) {
        let settings = text
            .lines()
            .enumerate()
            .filter(|(_, line)| files::is_setting(line));
        let others: Vec<Mark> = settings
            .filter(|(line, _)| marks.iter().all(|mark| mark.line != *line))
            .map(|(line, _)| Mark {
                line,
                last_line: line,
                kind: "environment value",
            })
            .collect();
        marks.extend(others);
        marks.sort_by_key(|mark| mark.line);
    }
    marks
}

/// Returns the credentials of a text in order of their start. They may overlap.
pub fn secrets(text: &str) -> Vec<Secret> {
    let mut secrets = shapes::find(text);
    secrets.extend(assignments::find(text));
    secrets.extend(private_keys::find(text));
    secrets.sort_by_key(|secret| (secret.range.start, secret.range.end));
    secrets
}

/// Returns the names of all kinds that are recognised by their shape.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    kinds::KINDS.iter().map(|kind| kind.name)
}

/// Splits a range into its lines, without line ends and the white space around them.
fn lines(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut start = range.start;
    text[range].split_inclusive('\n').filter_map(move |line| {
        let from = start + (line.len() - line.trim_start().len());
        let inner = line.trim();
        start += line.len();
        (!inner.is_empty()).then(|| from..from + inner.len())
    })
}

/// Returns whether a byte may be part of a token.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}
