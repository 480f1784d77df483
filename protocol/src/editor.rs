//! Requests of editors, by positions in files instead of names.
//!
//! They are not tools: an editor needs every use with its exact columns, renders it itself, and asks about text that is not
//! saved yet. Nothing here is cut to a budget; only the limit of one message holds.

use serde::{Deserialize, Serialize};

use crate::answer::graph::{Resolution, UseRole};
use crate::answer::symbol::SymbolKind;

/// The largest part of a text that one message carries, in bytes.
pub const LARGEST_PART: usize = 512 << 10;

/// The unit in which columns are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColumnUnit {
    Utf8,
    #[default]
    Utf16,
    Utf32,
}

impl ColumnUnit {
    /// Returns the number of units of a character.
    pub fn width(self, character: char) -> u32 {
        let width = match self {
            Self::Utf8 => character.len_utf8(),
            Self::Utf16 => character.len_utf16(),
            Self::Utf32 => 1,
        };
        u32::try_from(width).unwrap_or(1)
    }

    /// Returns the byte offset of a column in a line: the end of the line for a column beyond it, the start of the character
    /// for a column inside one.
    pub fn byte(self, line: &str, column: u32) -> usize {
        let mut before = 0;
        for (byte, character) in line.char_indices() {
            before += self.width(character);
            if before > column {
                return byte;
            }
        }
        line.len()
    }

    /// Returns the column of a byte offset in a line.
    pub fn column(self, line: &str, byte: usize) -> u32 {
        line.char_indices()
            .take_while(|(start, _)| *start < byte)
            .map(|(_, character)| self.width(character))
            .sum()
    }
}

/// A line and a column, counted from 0.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct TextPosition {
    pub line: u32,
    pub column: u32,
}

/// A range of text; its end is exclusive.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct TextRange {
    pub start: TextPosition,
    pub end: TextPosition,
}

/// A position in a file, by its absolute path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePoint {
    pub path: String,
    pub position: TextPosition,
}

/// A change of the texts that a session has open. They belong to one connection and are gone with it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BufferChange {
    /// The revision that this change applies to. Any other is refused as `stale`, except for a reset.
    pub base: u64,
    /// The revision after this change. Questions name the revision that they are about.
    pub revision: u64,
    pub action: BufferAction,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum BufferAction {
    /// Drops all texts.
    Reset,
    /// A part of a text; parts are sent in order. The text replaces that of the file once its last part has arrived.
    Text {
        path: String,
        /// The byte offset at which the part begins.
        start: u64,
        part: String,
        /// The length of the whole text in bytes.
        total: u64,
    },
    Close {
        path: String,
    },
}

/// The outcome of a change of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BufferState {
    Accepted,
    /// The text is larger than a file may be, or the texts of the session are too large together: the file is served as it is
    /// on disk.
    TooLarge,
}

/// A question, in the columns of the client, about the texts that it has sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EditorRequest {
    pub unit: ColumnUnit,
    /// The revision of the last [`BufferChange`]. Any other is refused as `stale`, and the client sends its texts again.
    pub revision: u64,
    pub question: EditorQuestion,
}

/// Bincode numbers these by position: new ones go to the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum EditorQuestion {
    /// Waits for the index of the root to be complete, and reports its progress.
    Readiness,
    Definition(FilePoint),
    Declaration(FilePoint),
    TypeDefinition(FilePoint),
    Implementations(FilePoint),
    References(FilePoint),
    /// Uses in the same file.
    Highlights(FilePoint),
    Hover(FilePoint),
    DocumentSymbols {
        path: String,
    },
    WorkspaceSymbols {
        query: String,
    },
    /// The symbol that is defined or meant at a position.
    Symbol(FilePoint),
    IncomingCalls(FilePoint),
    OutgoingCalls(FilePoint),
    Supertypes(FilePoint),
    Subtypes(FilePoint),
    RenameRange(FilePoint),
    Rename {
        at: FilePoint,
        new_name: String,
    },
    FoldingRanges {
        path: String,
    },
    SelectionRanges {
        path: String,
        positions: Vec<TextPosition>,
    },
    Links {
        path: String,
    },
    /// Names that may be written at a position.
    Completions(FilePoint),
}

/// Each question has one kind of answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum EditorAnswer {
    /// To [`EditorQuestion::Readiness`].
    Readiness {
        is_complete: bool,
    },
    /// Definitions, implementations, types and symbols.
    Symbols(SymbolLocations),
    /// References and highlights.
    Uses(Vec<UseLocation>),
    Hover(Option<HoverInfo>),
    Outline(Vec<OutlineSymbol>),
    Calls(Vec<CallLocations>),
    RenameRange(Option<RenameRange>),
    Rename(RenameEdits),
    Folds(Vec<FoldingRange>),
    /// For each position the ranges around it, the innermost first.
    Selections(Vec<Vec<TextRange>>),
    Links(Vec<FileLink>),
    Completions(CompletionNames),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SymbolLocations {
    /// The name that was asked about.
    pub origin: Option<TextRange>,
    pub symbols: Vec<EditorSymbol>,
}

/// A symbol with its exact location.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EditorSymbol {
    pub name: String,
    /// The name of its container.
    pub container: Option<String>,
    pub kind: SymbolKind,
    pub signature: String,
    /// The absolute path.
    pub path: String,
    pub range: TextRange,
    pub name_range: TextRange,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UseLocation {
    /// The absolute path.
    pub path: String,
    pub range: TextRange,
    /// None for the definition itself.
    pub role: Option<UseRole>,
}

/// The text that an editor shows beside a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HoverInfo {
    pub range: TextRange,
    pub name: String,
    /// The first of the symbols that the name may mean; none for a local name or one from outside the project.
    pub symbol: Option<HoverSymbol>,
    /// The number of symbols that it may mean.
    pub candidates: u32,
    pub resolution: Resolution,
    /// Why the name means this.
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HoverSymbol {
    pub qualified: String,
    pub kind: SymbolKind,
    pub signature: String,
    pub documentation: String,
    pub language: String,
    /// The path and line of the definition, relative to the root: `src/engine.rs:12`.
    pub location: String,
}

/// A symbol of a file's outline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutlineSymbol {
    pub name: String,
    pub kind: SymbolKind,
    pub signature: String,
    pub range: TextRange,
    pub name_range: TextRange,
    /// The symbol around it, by its position in the list, which is before its own.
    pub parent: Option<u32>,
}

/// A caller or callee, with the names of the calls in the caller's file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallLocations {
    pub symbol: EditorSymbol,
    pub calls: Vec<TextRange>,
}

/// The name that a rename changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RenameRange {
    pub range: TextRange,
    pub name: String,
}

/// The edits of a rename. Nothing is changed by the daemon.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RenameEdits {
    pub edits: Vec<RenameEdit>,
    /// A file that is named after the symbol, with its absolute path before and after.
    pub file_move: Option<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RenameEdit {
    /// The absolute path.
    pub path: String,
    pub range: TextRange,
    pub new_text: String,
    /// Why the place may mean something else; none where it is certain.
    pub doubt: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoldingRange {
    /// Counted from 0.
    pub first_line: u32,
    /// Inclusive.
    pub last_line: u32,
    pub kind: FoldingKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FoldingKind {
    Code,
    Imports,
}

/// A module path of an import, and the file that it leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLink {
    pub range: TextRange,
    /// The absolute path.
    pub target: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletionNames {
    /// The letters that a name replaces.
    pub range: TextRange,
    /// The nearest first.
    pub names: Vec<CompletionName>,
    /// There are more, to be asked for with more letters.
    pub is_incomplete: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletionName {
    pub name: String,
    /// None for a local name, a module, and a name from outside the project.
    pub kind: Option<SymbolKind>,
    pub signature: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_the_units_of_an_encoding() {
        let line = "a\u{e9}\u{1f980}b";
        let columns = [
            (ColumnUnit::Utf8, [0, 1, 3, 7, 8]),
            (ColumnUnit::Utf16, [0, 1, 2, 4, 5]),
            (ColumnUnit::Utf32, [0, 1, 2, 3, 4]),
        ];
        for (unit, columns) in columns {
            for (column, byte) in columns.into_iter().zip([0, 1, 3, 7, 8]) {
                assert_eq!(unit.byte(line, column), byte, "{unit:?} {column}");
                assert_eq!(unit.column(line, byte), column, "{unit:?} {byte}");
            }
            assert_eq!(unit.byte(line, 99), line.len());
        }
        assert_eq!(ColumnUnit::Utf16.byte(line, 3), 3, "inside a character");
    }
}
