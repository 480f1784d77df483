//! Converts between the positions of facts and those of a client.

use std::rc::Rc;

use claudevil_protocol::editor::{ColumnUnit, TextPosition};

use crate::search::text_cache::FileText;

/// The lines of a text. Facts count lines from 1, and columns from 0 in bytes of the file, including a byte order mark, which
/// is not part of the text.
pub struct SourceLines {
    /// None for a file that cannot be read: columns are then left as they are.
    text: Option<Rc<FileText>>,
    /// The byte of the text at which each line begins.
    starts: Vec<usize>,
}

impl SourceLines {
    pub fn new(text: Option<Rc<FileText>>) -> Self {
        let mut starts = vec![0];
        if let Some(text) = &text {
            let ends = memchr::memchr_iter(b'\n', text.whole().as_bytes());
            starts.extend(ends.map(|end| end + 1));
        }
        Self { text, starts }
    }

    /// Converts a line and column from facts to a position.
    pub fn position(&self, unit: ColumnUnit, line: u32, column: u32) -> TextPosition {
        let mark = u32::try_from(self.mark(line.saturating_sub(1))).unwrap_or(0);
        self.position_in_text(unit, line, column.saturating_sub(mark))
    }

    /// Returns the position of a line and a column in bytes of the text, without a byte order mark.
    pub fn position_in_text(&self, unit: ColumnUnit, line: u32, column: u32) -> TextPosition {
        let line = line.saturating_sub(1);
        let column = match self.line(line) {
            Some(text) => unit.column(text, column as usize),
            None => column,
        };
        TextPosition { line, column }
    }

    /// Returns the position of a byte of the file.
    pub fn position_of_byte(&self, unit: ColumnUnit, byte: u32) -> TextPosition {
        let start = self.text.as_ref().map_or(0, |text| text.start);
        let byte = (byte as usize).saturating_sub(start);
        let line = self.starts.partition_point(|start| *start <= byte) - 1;
        let column = byte - self.starts[line];
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let column = self.line(line).map_or(0, |text| unit.column(text, column));
        TextPosition { line, column }
    }

    /// Converts a position to the line and column that facts use.
    pub fn to_facts(&self, unit: ColumnUnit, position: TextPosition) -> (u32, u32) {
        let byte = match self.line(position.line) {
            Some(text) => unit.byte(text, position.column) + self.mark(position.line),
            None => position.column as usize,
        };
        (
            position.line.saturating_add(1),
            u32::try_from(byte).unwrap_or(u32::MAX),
        )
    }

    /// Returns the text without a byte order mark, and the byte in it at a position.
    pub fn text_and_byte(&self, unit: ColumnUnit, position: TextPosition) -> Option<(&str, usize)> {
        let line = self.line(position.line)?;
        let start = *self.starts.get(position.line as usize)?;
        let byte = start + unit.byte(line, position.column);
        Some((self.text.as_ref()?.whole(), byte))
    }

    /// Returns the end of a line, counted from 0, without its line end.
    pub fn line_end(&self, unit: ColumnUnit, line: u32) -> TextPosition {
        let column = self
            .line(line)
            .map_or(0, |text| unit.column(text, text.len()));
        TextPosition { line, column }
    }

    /// Returns the position at the end of the text.
    pub fn end(&self, unit: ColumnUnit) -> TextPosition {
        let last = u32::try_from(self.starts.len() - 1).unwrap_or(u32::MAX);
        self.line_end(unit, last)
    }

    /// Returns a line, counted from 0, without its line end.
    pub fn line(&self, line: u32) -> Option<&str> {
        let text = self.text.as_ref()?.whole();
        let start = *self.starts.get(line as usize)?;
        let end = self
            .starts
            .get(line as usize + 1)
            .map_or(text.len(), |next| next - 1);
        let line = text.get(start..end)?;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// Returns the length of the byte order mark before a line, counted from 0.
    fn mark(&self, line: u32) -> usize {
        match &self.text {
            Some(text) if line == 0 => text.start,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_facts_and_of_clients_are_converted() {
        let text = "let a = 1;\r\nlet é = \"\u{1f980}\", b;\n";
        let lines = SourceLines::new(Some(Rc::new(FileText::from_text(text))));
        let b = u32::try_from(
            text.lines()
                .nth(1)
                .expect("a line")
                .find('b')
                .expect("there"),
        );
        let b = b.expect("small");
        for (unit, column) in [
            (ColumnUnit::Utf8, b),
            (ColumnUnit::Utf16, 14),
            (ColumnUnit::Utf32, 13),
        ] {
            let position = TextPosition { line: 1, column };
            assert_eq!(lines.position(unit, 2, b), position);
            assert_eq!(lines.to_facts(unit, position), (2, b));
            assert_eq!(lines.position_of_byte(unit, 12 + b), position);
        }
        let end = TextPosition {
            line: 0,
            column: 10,
        };
        assert_eq!(lines.line_end(ColumnUnit::Utf16, 0), end);
        assert_eq!(
            lines.end(ColumnUnit::Utf8),
            TextPosition { line: 2, column: 0 }
        );
    }
}
