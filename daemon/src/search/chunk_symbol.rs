//! The symbol that a ranked chunk is shown with.

use claudevil_protocol::answer::symbol::SymbolKind;

use super::rank::{RankedChunk, symbol_at_line};
use crate::extract::facts::{Chunk, Symbol};
use crate::index::snapshot::Snapshot;

/// The most lines between a comment and the symbol that it documents.
const FARTHEST_COMMENT: u32 = 12;

impl RankedChunk {
    /// Returns the first line of the symbol, if it is shown whole, or else of the chunk.
    pub fn start_line(&self, snapshot: &Snapshot) -> u32 {
        let outline = &snapshot.files[self.file].outline;
        let symbol = self
            .symbol
            .filter(|_| self.is_whole_symbol)
            .and_then(|symbol| outline.symbols.get(symbol));
        symbol.map_or_else(
            || outline.chunks[self.chunk].start_line,
            |symbol| symbol.start_line,
        )
    }

    /// Selects a symbol of this kind that begins in the chunk or encloses it.
    pub fn select_symbol(&mut self, snapshot: &Snapshot, kind: SymbolKind) {
        let outline = &snapshot.files[self.file].outline;
        let (symbols, chunk) = (&outline.symbols, &outline.chunks[self.chunk]);
        if self
            .symbol
            .is_some_and(|symbol| symbols[symbol].kind == kind)
        {
            return;
        }
        let starts_in_chunk = |symbol: &Symbol| {
            chunk.start_byte <= symbol.start_byte && symbol.start_byte < chunk.end_byte
        };
        let inside = symbols
            .iter()
            .position(|symbol| symbol.kind == kind && starts_in_chunk(symbol));
        let around = || {
            let until = symbols.partition_point(|symbol| symbol.start_byte <= chunk.start_byte);
            symbols[..until]
                .iter()
                .rposition(|symbol| symbol.kind == kind && symbol.end_byte > chunk.start_byte)
        };
        self.definition = None;
        self.is_whole_symbol = false;
        self.symbol = inside.or_else(around);
    }
}

/// Returns the symbol that a chunk is about: the one around its best line, or the one that follows a comment there.
pub fn symbol_at_best_line<'a>(
    symbols: &'a [Symbol],
    chunk: &Chunk,
    best: Option<u32>,
) -> Option<&'a Symbol> {
    let line = best.unwrap_or(chunk.start_line);
    let starts_in_chunk = |symbol: &&Symbol| {
        chunk.start_byte <= symbol.start_byte && symbol.start_byte < chunk.end_byte
    };
    let around = symbol_at_line(symbols, line).map(|symbol| &symbols[symbol]);
    let next = || {
        symbols
            .iter()
            .filter(starts_in_chunk)
            .find(|symbol| symbol.start_line >= line)
    };
    // A comment in the body of a class is about the next member, unless that is far away.
    match around {
        Some(around) if around.start_line < line && has_members(around.kind) => next()
            .filter(|next| next.start_line - line <= FARTHEST_COMMENT)
            .or(Some(around)),
        Some(around) => Some(around),
        None => next().or_else(|| symbols.iter().find(starts_in_chunk)),
    }
}

fn has_members(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Interface, Module, Struct, Trait};
    matches!(kind, Class | Enum | Interface | Module | Struct | Trait)
}
