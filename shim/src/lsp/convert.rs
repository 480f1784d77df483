//! Positions, ranges and kinds of the daemon as those of the Language Server Protocol, and back.

use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::editor::{TextPosition, TextRange};
use lsp_types::{Position, Range};

pub fn text_position(position: Position) -> TextPosition {
    TextPosition {
        line: position.line,
        column: position.character,
    }
}

pub fn text_range(range: Range) -> TextRange {
    TextRange {
        start: text_position(range.start),
        end: text_position(range.end),
    }
}

pub fn position(position: TextPosition) -> Position {
    Position::new(position.line, position.column)
}

pub fn range(range: TextRange) -> Range {
    Range::new(position(range.start), position(range.end))
}

/// Returns the kind of a name to complete; a local name is a variable.
pub fn completion_kind(kind: Option<SymbolKind>) -> lsp_types::CompletionItemKind {
    use lsp_types::CompletionItemKind as Lsp;
    match kind {
        Some(SymbolKind::Function | SymbolKind::Macro) => Lsp::FUNCTION,
        Some(SymbolKind::Method) => Lsp::METHOD,
        Some(SymbolKind::Constructor) => Lsp::CONSTRUCTOR,
        Some(SymbolKind::Class | SymbolKind::Alias) => Lsp::CLASS,
        Some(SymbolKind::Struct | SymbolKind::Union | SymbolKind::Table) => Lsp::STRUCT,
        Some(SymbolKind::Enum) => Lsp::ENUM,
        Some(SymbolKind::Variant) => Lsp::ENUM_MEMBER,
        Some(SymbolKind::Interface | SymbolKind::Trait) => Lsp::INTERFACE,
        Some(SymbolKind::Module) => Lsp::MODULE,
        Some(SymbolKind::Constant) => Lsp::CONSTANT,
        Some(SymbolKind::Variable) | None => Lsp::VARIABLE,
        Some(SymbolKind::Field) => Lsp::FIELD,
        Some(SymbolKind::Property | SymbolKind::Key) => Lsp::PROPERTY,
        Some(SymbolKind::Section | SymbolKind::Rule | SymbolKind::Resource) => Lsp::TEXT,
    }
}

pub fn symbol_kind(kind: SymbolKind) -> lsp_types::SymbolKind {
    use lsp_types::SymbolKind as Lsp;
    match kind {
        SymbolKind::Function | SymbolKind::Macro => Lsp::FUNCTION,
        SymbolKind::Method => Lsp::METHOD,
        SymbolKind::Constructor => Lsp::CONSTRUCTOR,
        SymbolKind::Class | SymbolKind::Alias => Lsp::CLASS,
        SymbolKind::Struct | SymbolKind::Union | SymbolKind::Table => Lsp::STRUCT,
        SymbolKind::Enum => Lsp::ENUM,
        SymbolKind::Variant => Lsp::ENUM_MEMBER,
        SymbolKind::Interface | SymbolKind::Trait => Lsp::INTERFACE,
        SymbolKind::Module => Lsp::MODULE,
        SymbolKind::Constant => Lsp::CONSTANT,
        SymbolKind::Variable => Lsp::VARIABLE,
        SymbolKind::Field => Lsp::FIELD,
        SymbolKind::Property => Lsp::PROPERTY,
        SymbolKind::Section => Lsp::STRING,
        SymbolKind::Key => Lsp::KEY,
        SymbolKind::Rule | SymbolKind::Resource => Lsp::OBJECT,
    }
}
