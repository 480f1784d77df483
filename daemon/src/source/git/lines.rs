//! Which lines differ between two texts.

use std::borrow::Cow;

use imara_diff::{Algorithm, Diff, InternedInput};

/// Git looks at so much of a file for a zero byte.
const BEGINNING: usize = 8000;

/// Lines that others have taken the place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hunk {
    pub old: Span,
    pub new: Span,
}

/// Lines, counted from 1, the last one included. Of no lines the last is the one before the place, and the first the one
/// behind it: what is deleted before line 5 has the new span from 5 to 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub first: u32,
    pub last: u32,
}

impl Span {
    pub fn is_empty(self) -> bool {
        self.last < self.first
    }

    fn of(range: &std::ops::Range<u32>) -> Self {
        Self { first: range.start + 1, last: range.end }
    }
}

pub fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, &bytes[..bytes.len().min(BEGINNING)]).is_some()
}

pub fn hunks(old: &[u8], new: &[u8]) -> Vec<Hunk> {
    let new = as_stored(old, new);
    let input = InternedInput::new(old, &*new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    diff.hunks().map(|hunk| Hunk { old: Span::of(&hunk.before), new: Span::of(&hunk.after) }).collect()
}

/// Git may have stored a text with other line ends than it gave the file: where the old text has none of `\r\n` and the
/// new one no other, these are no changes.
fn as_stored<'n>(old: &[u8], new: &'n [u8]) -> Cow<'n, [u8]> {
    let only_these = |text: &[u8]| {
        memchr::memchr(b'\n', text).is_some()
            && memchr::memchr_iter(b'\n', text).all(|at| at > 0 && text[at - 1] == b'\r')
    };
    if memchr::memmem::find(old, b"\r\n").is_some() || memchr::memchr(b'\n', old).is_none() || !only_these(new) {
        return Cow::Borrowed(new);
    }
    let mut stored = Vec::with_capacity(new.len());
    for line in new.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\r\n") {
            Some(line) => stored.extend([line, b"\n"].concat()),
            None => stored.extend_from_slice(line),
        }
    }
    Cow::Owned(stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_say_which_lines_and_where_lines_were() {
        type Spans = Vec<((u32, u32), (u32, u32))>;
        let cases: [(&str, &str, Spans); 11] = [
            ("a\nb\nc\n", "a\nB\nc\n", vec![((2, 2), (2, 2))]),
            ("a\nb\nc\n", "a\nc\n", vec![((2, 2), (2, 1))]),
            ("a\nc\n", "a\nb\nb2\nc\n", vec![((2, 1), (2, 3))]),
            ("b\n", "a\nb\n", vec![((1, 0), (1, 1))]),
            ("a\nb\n", "b\n", vec![((1, 1), (1, 0))]),
            ("a\nb\n", "a\n", vec![((2, 2), (2, 1))]),
            ("", "a\nb", vec![((1, 0), (1, 2))]),
            ("a\nb", "", vec![((1, 2), (1, 0))]),
            ("a\nb", "a\nb\n", vec![((2, 2), (2, 2))]),
            ("a\nb\n", "a\r\nb\r\n", vec![]),
            ("a\nb\n", "a\r\nc\r\n", vec![((2, 2), (2, 2))]),
        ];
        for (old, new, expected) in cases {
            let found: Spans = hunks(old.as_bytes(), new.as_bytes())
                .iter()
                .map(|hunk| ((hunk.old.first, hunk.old.last), (hunk.new.first, hunk.new.last)))
                .collect();
            assert_eq!(found, expected, "{old:?} {new:?}");
        }
        // Mixed line ends are the file's own.
        assert_eq!(hunks(b"a\nb\n", b"a\r\nb\n").len(), 1);
        assert_eq!(hunks(b"a\r\nb\r\n", b"a\nb\n").len(), 1);
        assert!(is_binary(b"a\0") && !is_binary(b"a"));
    }
}
