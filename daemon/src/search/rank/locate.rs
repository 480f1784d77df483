//! Maps documents of the text index to chunks and symbols of the snapshot.
//!
//! A document leads to its file, outline, symbol and chunk, and each step is likely a cache miss. So each step is taken for all
//! documents before the next one, and the processor overlaps the misses.

use tantivy::DocAddress;

use super::chunk_at;
use crate::extract::facts::{Outline, Symbol};
use crate::index::snapshot::Snapshot;
use crate::search::lexical::{DocItem, LexicalSearcher};

/// A symbol, and the chunk in which it begins.
pub struct LocatedSymbol<'a> {
    pub file: usize,
    /// The position of the symbol in the outline.
    pub position: usize,
    pub symbol: &'a Symbol,
    pub chunk: usize,
}

/// Returns the file and the chunk of each document that is a chunk, with the document's value.
pub fn chunks<T>(
    snapshot: &Snapshot,
    lexical: &LexicalSearcher<'_>,
    docs: impl Iterator<Item = (DocAddress, T)>,
) -> Vec<(usize, usize, T)> {
    let mut all: Vec<(usize, usize, T)> = docs
        .filter_map(|(doc, value)| {
            let location = lexical.locate(doc);
            let DocItem::Chunk(chunk) = location.item else {
                return None;
            };
            Some((snapshot.by_number(location.file)?, chunk, value))
        })
        .collect();
    all.retain(|(file, chunk, _)| *chunk < snapshot.files[*file].outline.chunks.len());
    all
}

/// Returns the symbol of each document that is a symbol, with the document's value, for the files that are allowed.
pub fn symbols<'a, T>(
    snapshot: &'a Snapshot,
    lexical: &LexicalSearcher<'_>,
    docs: impl Iterator<Item = (DocAddress, T)>,
    allows: impl Fn(usize) -> bool,
) -> Vec<(LocatedSymbol<'a>, T)> {
    let located: Vec<(usize, usize, T)> = docs
        .filter_map(|(doc, value)| {
            let location = lexical.locate(doc);
            match (snapshot.by_number(location.file)?, location.item) {
                (file, DocItem::Symbol(position)) if allows(file) => Some((file, position, value)),
                _ => None,
            }
        })
        .collect();
    let outlines: Vec<&Outline> = located
        .iter()
        .map(|(file, ..)| &*snapshot.files[*file].outline)
        .collect();
    let symbols: Vec<Option<(&Symbol, u32)>> = located
        .iter()
        .zip(&outlines)
        .map(|((_, position, _), outline)| {
            let symbol = outline.symbols.get(*position)?;
            Some((symbol, symbol.start_byte))
        })
        .collect();
    let all = located.into_iter().zip(outlines).zip(symbols);
    all.filter_map(|(((file, position, value), outline), symbol)| {
        let (symbol, start) = symbol?;
        let chunk = chunk_at(&outline.chunks, start)?;
        let located = LocatedSymbol {
            file,
            position,
            symbol,
            chunk,
        };
        Some((located, value))
    })
    .collect()
}
