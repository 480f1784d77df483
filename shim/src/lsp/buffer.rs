//! The text of an open document, and the edits that a client makes to it.

use claudevil_protocol::editor::{ColumnUnit, TextPosition, TextRange};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buffer {
    text: String,
}

impl Buffer {
    pub fn new(text: String) -> Self {
        Self { text }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Replaces a range, or the whole text. A range whose end is before its start is empty.
    pub fn edit(&mut self, unit: ColumnUnit, range: Option<TextRange>, text: &str) {
        let Some(range) = range else {
            text.clone_into(&mut self.text);
            return;
        };
        let start = self.offset(unit, range.start);
        let end = self.offset(unit, range.end).max(start);
        self.text.replace_range(start..end, text);
    }

    /// Returns the byte offset of a position. A column beyond its line is the end of that line, and a line beyond the last is
    /// the end of the text.
    fn offset(&self, unit: ColumnUnit, position: TextPosition) -> usize {
        let mut start = 0;
        for _ in 0..position.line {
            match line_end(&self.text[start..]) {
                (_, 0) => return self.text.len(),
                (length, end) => start += length + end,
            }
        }
        let (length, _) = line_end(&self.text[start..]);
        start + unit.byte(&self.text[start..start + length], position.column)
    }
}

/// Returns the length of the first line, and that of its line end: `\n`, `\r\n` or `\r`. The last line has none.
fn line_end(text: &str) -> (usize, usize) {
    let bytes = text.as_bytes();
    match bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        None => (bytes.len(), 0),
        Some(at) if bytes[at..].starts_with(b"\r\n") => (at, 2),
        Some(at) => (at, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EDITS: usize = 10_000;
    const LONGEST: usize = 600;

    /// The client's side: characters, and positions found by walking over them.
    struct ClientText {
        letters: Vec<char>,
    }

    impl ClientText {
        fn position(&self, unit: ColumnUnit, at: usize) -> TextPosition {
            let mut position = TextPosition::default();
            for (place, letter) in self.letters[..at].iter().enumerate() {
                let is_line_end = match letter {
                    '\n' => true,
                    '\r' => self.letters.get(place + 1) != Some(&'\n'),
                    _ => false,
                };
                if is_line_end {
                    position = TextPosition {
                        line: position.line + 1,
                        column: 0,
                    };
                } else {
                    position.column += match (unit, u32::from(*letter)) {
                        (ColumnUnit::Utf8, 0x80..=0x7FF) | (ColumnUnit::Utf16, 0x1_0000..) => 2,
                        (ColumnUnit::Utf8, 0x800..=0xFFFF) => 3,
                        (ColumnUnit::Utf8, 0x1_0000..) => 4,
                        _ => 1,
                    };
                }
            }
            position
        }

        /// Returns whether a client can have its cursor here: none has it between the two characters of a line end.
        fn is_cursor(&self, at: usize) -> bool {
            let around = (
                at.checked_sub(1).and_then(|at| self.letters.get(at)),
                self.letters.get(at),
            );
            around != (Some(&'\r'), Some(&'\n'))
        }
    }

    /// A generator of numbers that are the same in every run.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            usize::try_from(self.0 % (bound as u64)).expect("small")
        }
    }

    #[test]
    fn ten_thousand_random_edits_leave_the_text_of_the_client() {
        let letters = [
            'a', '_', ' ', '\t', 'é', 'ß', '中', '€', '🦀', '𝒳', '\n', '\n', '\r',
        ];
        for (seed, unit) in [ColumnUnit::Utf8, ColumnUnit::Utf16, ColumnUnit::Utf32]
            .into_iter()
            .enumerate()
        {
            let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15 + seed as u64);
            let mut client = ClientText { letters: vec![] };
            let mut buffer = Buffer::default();
            for edit in 0..EDITS {
                let mut cursor = || loop {
                    let at = numbers.below(client.letters.len() + 1);
                    if client.is_cursor(at) {
                        return at;
                    }
                };
                let (one, other) = (cursor(), cursor());
                let (from, to) = (one.min(other), one.max(other));
                // Most edits are small; a text that has grown is cut.
                let to = if client.letters.len() > LONGEST || edit % 7 == 0 {
                    to
                } else {
                    from
                };
                let typed: Vec<char> = (0..numbers.below(6))
                    .map(|_| letters[numbers.below(letters.len())])
                    .collect();
                let range = TextRange {
                    start: client.position(unit, from),
                    end: client.position(unit, to),
                };
                buffer.edit(unit, Some(range), &typed.iter().collect::<String>());
                client.letters.splice(from..to, typed);
                let text: String = client.letters.iter().collect();
                assert_eq!(buffer.text(), text, "{unit:?}, edit {edit}, {range:?}");
            }
        }
    }

    #[test]
    fn positions_outside_of_the_text_are_its_ends() {
        let mut buffer = Buffer::new("ab\r\ncd".to_owned());
        let at = |line, column| TextPosition { line, column };
        let range = |start, end| Some(TextRange { start, end });
        buffer.edit(ColumnUnit::Utf16, range(at(0, 9), at(0, 9)), "!");
        assert_eq!(buffer.text(), "ab!\r\ncd");
        buffer.edit(ColumnUnit::Utf16, range(at(7, 0), at(7, 3)), "?");
        assert_eq!(buffer.text(), "ab!\r\ncd?");
        buffer.edit(ColumnUnit::Utf16, range(at(1, 1), at(0, 0)), "-");
        assert_eq!(buffer.text(), "ab!\r\nc-d?");
        buffer.edit(ColumnUnit::Utf16, None, "new");
        assert_eq!(buffer.text(), "new");
    }
}
