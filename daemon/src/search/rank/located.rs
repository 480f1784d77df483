//! Where the documents that a search has found are in the snapshot.
//!
//! Each is some steps away, from file to outline to symbol to chunk, and each step waits for memory. So one step is taken
//! for all documents, then the next: the processor waits for many of them at once.

use super::chunk_at;
use crate::extract::facts::{Outline, Symbol};
use crate::index::snapshot::Snapshot;
use crate::search::lexical::{Doc, DocItem, LexicalSearcher};

/// A symbol, and the chunk in which it begins.
pub struct SymbolAt<'a> {
    pub file: usize,
    pub place: usize,
    pub symbol: &'a Symbol,
    pub chunk: usize,
}

/// The file and the place in it of each document that is a chunk, with what is known of the document.
pub fn chunks<T>(
    snapshot: &Snapshot,
    lexical: &LexicalSearcher<'_>,
    docs: impl Iterator<Item = (Doc, T)>,
) -> Vec<(usize, usize, T)> {
    let mut all: Vec<(usize, usize, T)> = docs
        .filter_map(|(doc, known)| {
            let located = lexical.locate(doc);
            let DocItem::Chunk(chunk) = located.place else {
                return None;
            };
            Some((snapshot.by_number(located.file)?, chunk, known))
        })
        .collect();
    all.retain(|(file, chunk, _)| *chunk < snapshot.files[*file].outline.chunks.len());
    all
}

/// The symbols that documents stand for, those that are wanted by their files, with what is known of each document.
pub fn symbols<'a, T>(
    snapshot: &'a Snapshot,
    lexical: &LexicalSearcher<'_>,
    docs: impl Iterator<Item = (Doc, T)>,
    is_wanted: impl Fn(usize) -> bool,
) -> Vec<(SymbolAt<'a>, T)> {
    let located: Vec<(usize, usize, T)> = docs
        .filter_map(|(doc, known)| {
            let located = lexical.locate(doc);
            match (snapshot.by_number(located.file)?, located.place) {
                (file, DocItem::Symbol(place)) if is_wanted(file) => Some((file, place, known)),
                _ => None,
            }
        })
        .collect();
    let outlines: Vec<&Outline> = located
        .iter()
        .map(|(file, ..)| &*snapshot.files[*file].outline)
        .collect();
    let found: Vec<Option<(&Symbol, u32)>> = located
        .iter()
        .zip(&outlines)
        .map(|((_, place, _), outline)| {
            outline
                .symbols
                .get(*place)
                .map(|symbol| (symbol, symbol.start_byte))
        })
        .collect();
    let all = located.into_iter().zip(outlines).zip(found);
    all.filter_map(|(((file, place, known), outline), found)| {
        let (symbol, start) = found?;
        Some((
            SymbolAt {
                file,
                place,
                symbol,
                chunk: chunk_at(&outline.chunks, start)?,
            },
            known,
        ))
    })
    .collect()
}
