//! Credentials in texts and in the names of files.
//!
//! `find` decides what is blanked before a text is stored anywhere, so it must be fast enough for every byte that is
//! indexed and must not blank code; `recognise` marks lines for a reader; `is_secret_file` names the files that are
//! never indexed at all. A text is searched for a few literals first, and only what stands around one is looked at.
//! Nothing here keeps or prints what it found.

mod assigned;
mod files;
mod private_keys;
mod surroundings;
#[cfg(test)]
mod tests;
mod tokens;
mod values;

use std::ops::Range;

use self::files::is_environment_file;
pub use self::files::is_secret_file;

/// A secret and what it looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Secret {
    range: Range<usize>,
    kind: &'static str,
}

/// What a line of a file looks like, if it looks like a credential.
pub fn recognise(file_name: &str, line: &str) -> Option<&'static str> {
    if private_keys::begins_on(line) {
        return Some(private_keys::KIND);
    }
    let rule = secrets(line).first().map(|secret| secret.kind);
    rule.or_else(|| (is_environment_file(file_name) && assigned::is_setting(line)).then_some("environment value"))
}

/// The byte ranges of a text that hold secrets, in order and apart from each other. None crosses the end of a line, so
/// that lines stay where they are when the ranges are blanked.
pub fn find(text: &str) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = vec![];
    for Secret { range, .. } in secrets(text) {
        for line in lines(text, range) {
            let (Ok(start), Ok(end)) = (u32::try_from(line.start), u32::try_from(line.end)) else { return ranges };
            match ranges.last_mut() {
                Some(last) if start < last.1 => last.1 = last.1.max(end),
                _ => ranges.push((start, end)),
            }
        }
    }
    ranges
}

/// In order of their start.
fn secrets(text: &str) -> Vec<Secret> {
    let mut found = tokens::find(text);
    found.extend(assigned::find(text));
    found.extend(private_keys::find(text));
    found.sort_by_key(|secret| (secret.range.start, secret.range.end));
    found
}

/// A range without its line ends and the white space around them.
fn lines(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut start = range.start;
    text[range].split_inclusive('\n').filter_map(move |line| {
        let from = start + (line.len() - line.trim_start().len());
        let inner = line.trim();
        start += line.len();
        (!inner.is_empty()).then(|| from..from + inner.len())
    })
}

/// Whether a byte may be a part of a token.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}
