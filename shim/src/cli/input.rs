//! Texts from files and standard input: bug reports, stack traces, the output of tests.

use std::fs::File;
use std::io::{self, Read};

use claudevil_protocol::ToolError;
use claudevil_protocol::text::Line;
use claudevil_protocol::tools::Tool;

use super::Failure;
use super::terminal::{Terminal, WARN};

/// The most bytes of a text that is taken whole.
const LONGEST_TEXT: u64 = 1 << 20;
/// The share of a shortened text that is its beginning. Compilers and tests print their errors last.
const BEGINNING: f64 = 0.25;
/// The most bytes of a character.
const WIDEST: usize = 4;

/// Reads the text of a call from the file that its command line names, or from standard input for `-`.
pub fn read_text<P: Tool>(params: &mut P, terminal: &mut Terminal) -> Result<(), Failure> {
    let Some(name) = params.take_text_file() else {
        return Ok(());
    };
    let source: Box<dyn Read> = if name == "-" {
        Box::new(io::stdin())
    } else {
        let file = File::open(&name).map_err(|error| {
            ToolError::invalid_argument(format!("{name} cannot be read: {error}"))
        })?;
        Box::new(file)
    };
    let text = if let Some(most) = params.longest_text() {
        let log = Log::read(source, most)?;
        if let Some(lines) = log.lines_left_out {
            let line = Line::from("the text is longer than ")
                .count(most as u64, "character")
                .text(": ")
                .count(lines, "line")
                .text(" in its middle were left out");
            terminal.remark(P::NAME, WARN, &line);
        }
        log.text
    } else {
        let mut text = String::new();
        // A text that is too long is refused by the checks of parameters.
        source.take(LONGEST_TEXT).read_to_string(&mut text)?;
        text
    };
    params.set_text(text.trim_end().to_owned());
    Ok(())
}

/// A text for reading, in which bytes that are no text are replaced.
#[derive(Debug, PartialEq, Eq)]
struct Log {
    /// Without its middle if it is too long.
    text: String,
    lines_left_out: Option<u64>,
}

impl Log {
    /// Reads a text of any length, and keeps its first and last lines.
    fn read(mut source: impl Read, most: usize) -> io::Result<Self> {
        let most_bytes = most * WIDEST;
        let next = |source: &mut dyn Read, bytes: &mut Vec<u8>| {
            source.take(most_bytes as u64).read_to_end(bytes)
        };
        let (mut bytes, mut last) = (vec![], vec![]);
        next(&mut source, &mut bytes)?;
        let mut lines = 0;
        while next(&mut source, &mut last)? > 0 {
            let gone = last.len().saturating_sub(most_bytes);
            lines += line_ends(&last[..gone]);
            last.drain(..gone);
        }
        bytes.append(&mut last);
        let whole = String::from_utf8_lossy(&bytes);
        let length = whole.chars().count();
        if length <= most {
            return Ok(Self {
                text: whole.into_owned(),
                lines_left_out: None,
            });
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a share of a length"
        )]
        let first = (most as f64 * BEGINNING) as usize;
        let start = byte_of(&whole, first);
        let start = whole[..start].rfind('\n').map_or(start, |at| at + 1);
        let end = byte_of(&whole, length - (most - first - 1));
        let end = whole[end..].find('\n').map_or(end, |at| end + at + 1);
        lines += line_ends(whole[start..end].as_bytes());
        Ok(Self {
            text: format!("{}\n{}", &whole[..start], &whole[end..]),
            lines_left_out: Some(lines.max(1)),
        })
    }
}

fn line_ends(bytes: &[u8]) -> u64 {
    bytes.split(|byte| *byte == b'\n').count() as u64 - 1
}

/// Returns the byte at which a character begins.
fn byte_of(text: &str, character: usize) -> usize {
    text.char_indices()
        .nth(character)
        .map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let log = Log::read(&b"one \xff two\n"[..], 100).expect("read");
        assert_eq!(log.text, "one \u{fffd} two\n");
        assert_eq!(log.lines_left_out, None);
    }

    #[test]
    fn a_long_text_keeps_its_first_and_last_lines() {
        let text: String = (0..5000).map(|line| format!("line {line}\n")).collect();
        for most in [200, 4000, 40_000] {
            let log = Log::read(text.as_bytes(), most).expect("read");
            let kept: Vec<&str> = log.text.lines().filter(|line| !line.is_empty()).collect();
            assert!(log.text.chars().count() <= most, "{most}");
            assert!(log.text.chars().count() > most - 30, "{most}");
            assert_eq!((kept[0], kept[kept.len() - 1]), ("line 0", "line 4999"));
            assert!(kept.iter().all(|line| text.contains(&format!("{line}\n"))));
            let left_out = log.lines_left_out.expect("cut");
            assert_eq!(kept.len() as u64 + left_out, 5000, "{most}");
        }
        let all = Log::read(text.as_bytes(), text.len()).expect("read");
        assert_eq!((all.text, all.lines_left_out), (text, None));
        let wide = Log::read("ü".repeat(500).as_bytes(), 100).expect("read");
        assert_eq!(wide.text.chars().count(), 100);
    }
}
