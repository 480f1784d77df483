//! Reads a SCIP index one document at a time, so that a large index is never in memory as a whole.

use std::io::BufRead;

use protobuf::{CodedInputStream, Message};
use scip::types::{Document, Metadata, Occurrence, PositionEncoding, SymbolRole, occurrence};

use super::ImportError;

/// A document larger than this is refused: no source file has so many names.
const LARGEST_DOCUMENT: u64 = 256 << 20;

/// The fields of the message `Index` that are read. The others describe symbols of other packages.
const METADATA: u32 = 1;
const DOCUMENTS: u32 = 2;

/// A part of an index, in the order of the file.
pub enum Part {
    Metadata(Metadata),
    Document(Document),
}

/// Calls `visit` with each part of an index.
pub fn read(
    input: &mut dyn BufRead,
    mut visit: impl FnMut(Part) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let mut input = CodedInputStream::from_buf_read(input);
    while let Some(tag) = input.read_raw_tag_or_eof()? {
        match tag >> 3 {
            METADATA => visit(Part::Metadata(message(&mut input)?))?,
            DOCUMENTS => visit(Part::Document(message(&mut input)?))?,
            _ => protobuf::rt::skip_field_for_tag(tag, &mut input)?,
        }
    }
    Ok(())
}

fn message<M: Message>(input: &mut CodedInputStream<'_>) -> Result<M, ImportError> {
    let length = input.read_raw_varint64()?;
    if length > LARGEST_DOCUMENT {
        return Err(ImportError::NotScip(format!(
            "a document of {length} bytes exceeds the limit"
        )));
    }
    let outer = input.push_limit(length)?;
    let mut message = M::new();
    message.merge_from(input)?;
    input.check_eof()?;
    input.pop_limit(outer);
    Ok(message)
}

/// A range on one line. Line and columns are counted from 0, columns in the unit of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    pub line: u32,
    pub start: u32,
    pub end: u32,
}

/// Returns the range of a name; none for a range over several lines, which is not a name.
pub fn line_range(occurrence: &Occurrence) -> Option<LineRange> {
    let (line, start, end) = match (&occurrence.typed_range, occurrence.range.as_slice()) {
        (Some(occurrence::Typed_range::SingleLineRange(range)), _) => {
            (range.line, range.start_character, range.end_character)
        }
        (None, [line, start, end]) => (*line, *start, *end),
        (None, [line, start, last, end]) if line == last => (*line, *start, *end),
        _ => return None,
    };
    Some(LineRange {
        line: u32::try_from(line).ok()?,
        start: u32::try_from(start).ok()?,
        end: u32::try_from(end).ok()?,
    })
}

pub fn is_definition(occurrence: &Occurrence) -> bool {
    occurrence.symbol_roles & SymbolRole::Definition as i32 != 0
}

/// The unit in which a document counts columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnUnit {
    Byte,
    Utf16,
    Char,
}

/// Returns the unit of a document. If the document does not name it, the indexer determines it: bytes for Rust, Go and C++,
/// UTF-16 for other languages.
pub fn column_unit(document: &Document, tool: &str) -> ColumnUnit {
    match document.position_encoding.enum_value_or_default() {
        PositionEncoding::UTF8CodeUnitOffsetFromLineStart => ColumnUnit::Byte,
        PositionEncoding::UTF16CodeUnitOffsetFromLineStart => ColumnUnit::Utf16,
        PositionEncoding::UTF32CodeUnitOffsetFromLineStart => ColumnUnit::Char,
        PositionEncoding::UnspecifiedPositionEncoding => match tool {
            "rust-analyzer" | "scip-go" | "scip-clang" => ColumnUnit::Byte,
            _ => ColumnUnit::Utf16,
        },
    }
}

impl ColumnUnit {
    /// Returns the offset in bytes of a column, if the line is that long.
    pub fn offset(self, line: &str, column: u32) -> Option<u32> {
        let column = column as usize;
        let offset = match self {
            _ if line.is_ascii() => (column <= line.len()).then_some(column),
            Self::Byte => line.is_char_boundary(column).then_some(column),
            Self::Char => line
                .char_indices()
                .map(|(offset, _)| offset)
                .chain([line.len()])
                .nth(column),
            Self::Utf16 => {
                let mut units = 0;
                let widths = line.char_indices().map(|(offset, char)| {
                    let start = units;
                    units += char.len_utf16();
                    (start, offset)
                });
                let found = widths.into_iter().find(|(start, _)| *start == column);
                found
                    .map(|(_, offset)| offset)
                    .or_else(|| (line.encode_utf16().count() == column).then_some(line.len()))
            }
        };
        offset.and_then(|offset| u32::try_from(offset).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_offsets_in_every_unit() {
        let line = "é𝒳ab";
        for (unit, column, expected) in [
            (ColumnUnit::Byte, 6, Some(6)),
            (ColumnUnit::Byte, 1, None),
            (ColumnUnit::Char, 2, Some(6)),
            (ColumnUnit::Char, 4, Some(8)),
            (ColumnUnit::Char, 5, None),
            (ColumnUnit::Utf16, 3, Some(6)),
            (ColumnUnit::Utf16, 2, None),
            (ColumnUnit::Utf16, 5, Some(8)),
            (ColumnUnit::Utf16, 6, None),
        ] {
            assert_eq!(unit.offset(line, column), expected, "{unit:?} {column}");
        }
        assert_eq!(ColumnUnit::Utf16.offset("abc", 3), Some(3));
        assert_eq!(ColumnUnit::Utf16.offset("abc", 4), None);
    }

    #[test]
    fn ranges_of_several_lines_are_no_names() {
        let range = |range: &[i32]| {
            line_range(&Occurrence {
                range: range.to_vec(),
                ..Occurrence::default()
            })
        };
        let expected = LineRange {
            line: 3,
            start: 4,
            end: 9,
        };
        assert_eq!(range(&[3, 4, 9]), Some(expected));
        assert_eq!(range(&[3, 4, 3, 9]), Some(expected));
        assert_eq!(range(&[3, 4, 5, 9]), None);
        assert_eq!(range(&[-3, 4, 9]), None);
        assert_eq!(range(&[]), None);
    }
}
