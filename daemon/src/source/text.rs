//! Reads lines of text from bytes that may be anything, without holding more than requested.

use std::io::{self, Read};

use super::cancel::CancelToken;

/// The number of bytes at the start among which a zero byte means binary, as in git.
const SNIFFED: usize = 8000;
/// The most bytes of a file that are read to count its lines.
const COUNTED: u64 = 64 << 20;
const BLOCK: usize = 64 << 10;

/// The lines to read of a file.
#[derive(Clone, Copy, Debug)]
pub struct ExcerptRange {
    /// 1-based.
    pub first: u64,
    /// Inclusive.
    pub last: u64,
    pub most_characters: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// From the first requested line on, without line ends.
    pub lines: Vec<String>,
    /// The number of lines; `None` for a file that is too large to be counted.
    pub total: Option<u64>,
    /// The length of the last of `lines` in characters, if it was cut.
    pub last_cut_from: Option<u64>,
}

#[derive(Debug)]
pub enum TextError {
    /// A zero byte near the start.
    Binary,
    NotUtf8 {
        line: u64,
    },
    Cancelled,
    Io(io::Error),
}

/// Reads some lines and counts all of them.
pub fn read(
    mut bytes: impl Read,
    wanted: ExcerptRange,
    cancel: &CancelToken,
) -> Result<Excerpt, TextError> {
    let mut excerpt = ExcerptBuilder {
        wanted,
        line: 1,
        kept: vec![],
        pending: None,
        room: wanted.most_characters,
        is_full: false,
        cut_from: None,
    };
    let mut block = vec![0; BLOCK];
    let mut done: u64 = 0;
    let mut ends_with_newline = true;
    loop {
        if cancel.is_cancelled() {
            return Err(TextError::Cancelled);
        }
        let length = match bytes.read(&mut block) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(TextError::Io(error)),
        };
        let read = &block[..length];
        if done == 0 && read[..length.min(SNIFFED)].contains(&0) {
            return Err(TextError::Binary);
        }
        excerpt.take(read)?;
        ends_with_newline = read.ends_with(b"\n");
        done += length as u64;
        if done >= COUNTED {
            // The last line is incomplete: it is returned, cut, only if there is no other.
            if !excerpt.kept.is_empty() {
                excerpt.pending = None;
            }
            return excerpt.finish(None);
        }
    }
    let total = if ends_with_newline {
        excerpt.line - 1
    } else {
        excerpt.line
    };
    excerpt.finish(Some(total))
}

/// Counts lines; `None` for a file that is not text.
pub fn count_lines(mut bytes: impl Read) -> io::Result<Option<u64>> {
    let nothing = ExcerptRange {
        first: u64::MAX,
        last: 0,
        most_characters: 0,
    };
    match read(&mut bytes, nothing, &CancelToken::default()) {
        Ok(lines) => Ok(lines.total),
        Err(TextError::Io(error)) => Err(error),
        Err(TextError::Binary | TextError::NotUtf8 { .. } | TextError::Cancelled) => Ok(None),
    }
}

struct ExcerptBuilder {
    wanted: ExcerptRange,
    /// The number of the line of the next byte.
    line: u64,
    kept: Vec<String>,
    /// A requested line whose end has not been read.
    pending: Option<PendingLine>,
    /// The characters that still fit.
    room: usize,
    /// A line did not fit, so no later one is kept either.
    is_full: bool,
    cut_from: Option<u64>,
}

#[derive(Default)]
struct PendingLine {
    bytes: Vec<u8>,
    /// The number of characters that did not fit.
    beyond: u64,
}

impl ExcerptBuilder {
    fn take(&mut self, mut block: &[u8]) -> Result<(), TextError> {
        while !block.is_empty() {
            let end = block.iter().position(|byte| *byte == b'\n');
            let (part, rest) = block.split_at(end.map_or(block.len(), |at| at + 1));
            block = rest;
            self.take_part(part);
            if end.is_some() {
                self.end_line()?;
                self.line += 1;
            }
        }
        Ok(())
    }

    fn take_part(&mut self, part: &[u8]) {
        if self.is_full || !(self.wanted.first..=self.wanted.last).contains(&self.line) {
            return;
        }
        let pending = self.pending.get_or_insert_default();
        // A character has at most four bytes, and a line end two.
        let space = (self.room * 4 + 2).saturating_sub(pending.bytes.len());
        let (kept, beyond) = part.split_at(part.len().min(space));
        pending.bytes.extend_from_slice(kept);
        pending.beyond += beyond
            .iter()
            .filter(|byte| begins_character(**byte))
            .count() as u64;
    }

    fn end_line(&mut self) -> Result<(), TextError> {
        let Some(PendingLine { mut bytes, beyond }) = self.pending.take() else {
            return Ok(());
        };
        if bytes.ends_with(b"\n") {
            bytes.pop();
            if bytes.ends_with(b"\r") {
                bytes.pop();
            }
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            // The bytes were cut inside a character.
            Err(error) if beyond > 0 && error.utf8_error().error_len().is_none() => {
                let whole = error.utf8_error().valid_up_to();
                let mut bytes = error.into_bytes();
                bytes.truncate(whole);
                String::from_utf8(bytes).unwrap_or_default()
            }
            Err(_) => return Err(TextError::NotUtf8 { line: self.line }),
        };
        let text = if self.line == 1 {
            text.trim_start_matches('\u{feff}')
        } else {
            &text
        };
        let characters = text.chars().count();
        if characters <= self.room && beyond == 0 {
            // The line end counts too.
            self.room = self.room.saturating_sub(characters + 1);
            self.kept.push(text.to_owned());
            return Ok(());
        }
        if self.kept.is_empty() {
            let cut = text
                .char_indices()
                .nth(self.room)
                .map_or(text.len(), |(at, _)| at);
            self.kept.push(text[..cut].to_owned());
            self.cut_from = Some(characters as u64 + beyond);
        }
        self.is_full = true;
        Ok(())
    }

    fn finish(mut self, total: Option<u64>) -> Result<Excerpt, TextError> {
        self.end_line()?;
        Ok(Excerpt {
            lines: self.kept,
            total,
            last_cut_from: self.cut_from,
        })
    }
}

/// Returns whether a byte is neither a continuation byte nor a line end.
fn begins_character(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000 && byte != b'\n' && byte != b'\r'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(bytes: &[u8], first: u64, last: u64, most_characters: usize) -> Excerpt {
        read(
            bytes,
            ExcerptRange {
                first,
                last,
                most_characters,
            },
            &CancelToken::default(),
        )
        .expect("text")
    }

    #[test]
    fn lines_have_no_line_ends() {
        let lines = excerpt(b"\xef\xbb\xbfone\r\ntwo\nthree", 1, 2, 100);
        assert_eq!(
            lines,
            Excerpt {
                lines: vec!["one".into(), "two".into()],
                total: Some(3),
                last_cut_from: None
            }
        );
        assert_eq!(excerpt(b"one\ntwo\n", 2, 9, 100).lines, ["two"]);
        assert_eq!(
            excerpt(b"one\n\n", 1, 9, 100),
            Excerpt {
                lines: vec!["one".into(), String::new()],
                total: Some(2),
                last_cut_from: None
            }
        );
        assert_eq!(excerpt(b"", 1, 9, 100).total, Some(0));
    }

    #[test]
    fn lines_are_kept_whole_while_they_fit() {
        let lines = excerpt(b"1234\n5678\n90\n", 1, 3, 10);
        assert_eq!(
            (lines.lines, lines.total),
            (vec!["1234".to_owned(), "5678".to_owned()], Some(3))
        );
    }

    #[test]
    fn a_line_that_alone_is_too_long_is_cut_between_characters() {
        let lines = excerpt("üüüüüüüüüü\nnext\n".as_bytes(), 1, 2, 4);
        assert_eq!(
            lines,
            Excerpt {
                lines: vec!["üüüü".into()],
                total: Some(2),
                last_cut_from: Some(10)
            }
        );
        let long = "é".repeat(200_000);
        let lines = excerpt(long.as_bytes(), 1, 1, 50);
        assert_eq!(
            (lines.lines[0].chars().count(), lines.last_cut_from),
            (50, Some(200_000))
        );
    }

    #[test]
    fn binary_and_invalid_texts_are_errors() {
        let read = |bytes: &[u8]| {
            super::read(
                bytes,
                ExcerptRange {
                    first: 1,
                    last: 9,
                    most_characters: 99,
                },
                &CancelToken::default(),
            )
        };
        assert!(matches!(read(b"ELF\0\0"), Err(TextError::Binary)));
        assert!(matches!(
            read(b"ok\nbad \xff\n"),
            Err(TextError::NotUtf8 { line: 2 })
        ));
        assert_eq!(count_lines(&b"a\nb"[..]).expect("read"), Some(2));
        assert_eq!(count_lines(&b"a\0b"[..]).expect("read"), None);
    }
}
