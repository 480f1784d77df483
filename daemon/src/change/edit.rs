//! Edits of a text's bytes.

use std::ops::Range;

/// The replacement of a range of bytes. A byte order mark counts like any other bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub range: Range<usize>,
    pub replacement: String,
}

/// Returns the edits in the order of the text; an error if they overlap. Insertions at one place stay in the given order.
pub fn in_order(edits: &[Edit], length: usize) -> Result<Vec<&Edit>, String> {
    let mut ordered: Vec<&Edit> = edits.iter().collect();
    // An insertion comes before the edit of what follows it.
    ordered.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut end = 0;
    for edit in &ordered {
        let Range {
            start,
            end: edit_end,
        } = edit.range;
        if start > edit_end || edit_end > length {
            return Err(format!(
                "an edit of bytes {start}..{edit_end}, but it has {length}"
            ));
        }
        if start < end {
            return Err(format!("two edits of the bytes at {start}"));
        }
        end = edit_end;
    }
    Ok(ordered)
}

pub fn apply(bytes: &[u8], edits: &[Edit]) -> Result<Vec<u8>, String> {
    let mut edited = Vec::with_capacity(bytes.len());
    let mut copied = 0;
    for edit in in_order(edits, bytes.len())? {
        edited.extend_from_slice(&bytes[copied..edit.range.start]);
        edited.extend_from_slice(edit.replacement.as_bytes());
        copied = edit.range.end;
    }
    edited.extend_from_slice(&bytes[copied..]);
    Ok(edited)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn edit(start: usize, end: usize, replacement: &str) -> Edit {
        Edit {
            range: start..end,
            replacement: replacement.to_owned(),
        }
    }

    #[test]
    fn bytes_are_edited_and_nothing_else() {
        type Case<'a> = (&'a [u8], Vec<Edit>, Option<&'a [u8]>);
        let cases: [Case; 10] = [
            (
                b"one two",
                vec![edit(4, 7, "2"), edit(0, 3, "1")],
                Some(b"1 2"),
            ),
            (
                b"\xef\xbb\xbfa\r\nb",
                vec![edit(3, 4, "long")],
                Some(b"\xef\xbb\xbflong\r\nb"),
            ),
            (
                b"\xff\xfe latin \xe9",
                vec![edit(3, 8, "x")],
                Some(b"\xff\xfe x \xe9"),
            ),
            (
                b"ab",
                vec![edit(1, 1, "1"), edit(1, 1, "2"), edit(1, 2, "B")],
                Some(b"a12B"),
            ),
            (b"ab", vec![edit(2, 2, "\n")], Some(b"ab\n")),
            (b"", vec![edit(0, 0, "x")], Some(b"x")),
            (b"abc", vec![edit(0, 2, ""), edit(2, 3, "")], Some(b"")),
            (b"abc", vec![edit(0, 2, ""), edit(1, 3, "")], None),
            (b"abc", vec![edit(3, 4, "")], None),
            (
                b"abc",
                vec![Edit {
                    range: std::ops::Range { start: 2, end: 1 },
                    replacement: String::new(),
                }],
                None,
            ),
        ];
        for (bytes, edits, expected) in cases {
            assert_eq!(apply(bytes, &edits).ok().as_deref(), expected, "{edits:?}");
        }
    }
}
