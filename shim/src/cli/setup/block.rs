//! Our lines in a file that belongs to a person, between two markers.
//!
//! Everything outside the markers stays as it is.

use std::ops::Range;

use super::config_text::{StrippedText, Unreadable};

/// The lines before and after ours: comments in the language of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Markers {
    pub begin: &'static str,
    pub end: &'static str,
}

/// Puts lines into a text, in place of our earlier ones or at its end. A new file begins with `head`.
pub fn put(markers: Markers, text: &str, head: &str, lines: &[&str]) -> Result<String, Unreadable> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = std::iter::once(&markers.begin)
        .chain(lines)
        .chain([&markers.end])
        .copied()
        .collect::<Vec<_>>()
        .join(newline);
    Ok(match find(markers, text)? {
        Some(Range { start, end }) => format!("{}{block}{}", &text[..start], &text[end..]),
        None if text.is_empty() => format!("{head}{block}\n"),
        None => {
            let end = if text.ends_with('\n') { "" } else { newline };
            format!("{text}{end}{newline}{block}{newline}")
        }
    })
}

/// Removes our lines, and the empty line before them.
pub fn take(markers: Markers, text: &str, head: &str) -> Result<Option<StrippedText>, Unreadable> {
    let Some(Range { start, end }) = find(markers, text)? else {
        return Ok(None);
    };
    let (mut before, mut after) = (&text[..start], &text[end..]);
    after = strip_newline(after).unwrap_or(after);
    let is_last = after.trim().is_empty();
    if is_last && before != head {
        let without = before.strip_suffix("\r\n").or(before.strip_suffix('\n'));
        before = without
            .filter(|text| text.ends_with('\n'))
            .unwrap_or(before);
    }
    let text = format!("{before}{after}");
    let is_bare = [head.trim(), ""].contains(&text.trim());
    Ok(Some(StrippedText { text, is_bare }))
}

/// Returns whether our lines are in a text.
pub fn is_there(markers: Markers, text: &str) -> Result<bool, Unreadable> {
    Ok(find(markers, text)?.is_some())
}

/// Returns the bytes of our lines, with the markers.
fn find(markers: Markers, text: &str) -> Result<Option<Range<usize>>, Unreadable> {
    let Markers { begin, end } = markers;
    let (Some(start), last) = (text.find(begin), text.find(end)) else {
        return Ok(None);
    };
    match last {
        Some(last) if last > start && text.matches(begin).count() == 1 => {
            Ok(Some(start..last + end.len()))
        }
        _ => Err(Unreadable(format!("its `{begin}` has no matching `{end}`"))),
    }
}

fn strip_newline(text: &str) -> Option<&str> {
    text.strip_prefix("\r\n").or(text.strip_prefix('\n'))
}
