//! How a place that was found is shown: its symbol, its span, the lines of it that matter.

use claudevil_protocol::answer::hits::{MatchDetail, SearchHit};
use claudevil_protocol::answer::symbol::SymbolKind;

use crate::extract::facts::{Chunk, Symbol};
use crate::index::snapshot::Snapshot;
use crate::search::rank::{Evidence, RankedChunk, symbol_at_line};
use crate::search::snippet::{ScoredLines, Snippet, WordMatcher};
use crate::search::text_cache::TextCache;

/// What is the same for all hits of one root.
pub struct Showing<'a> {
    pub snapshot: &'a Snapshot,
    pub texts: &'a TextCache<'a>,
    pub sought: &'a WordMatcher<'a>,
    pub context: Option<u32>,
    pub is_detailed: bool,
    /// The root's name, where several are asked.
    pub root: Option<&'a str>,
}

/// None if the file is gone or cannot be shown any more. Also whether its text is still what the index knows.
pub fn describe(showing: &Showing<'_>, one: &RankedChunk) -> Option<(SearchHit, bool)> {
    let file = showing.snapshot.files.get(one.file)?;
    let chunk = file.outline.chunks.get(one.chunk)?;
    let text = showing.texts.file(one.file)?;
    let symbols = &file.outline.symbols;
    let own = one.symbol.and_then(|symbol| symbols.get(symbol));
    // A definition is shown as the whole that it is, anything else as the piece that was found.
    let (start_line, end_line) = match own.filter(|_| one.is_definition) {
        Some(own) => (own.start_line, own.end_line),
        None => (chunk.start_line, chunk.end_line),
    };
    let lines = ScoredLines::new(&text, start_line, end_line, showing.sought);
    let symbol: Option<&Symbol> = own.or_else(|| spoken_of(symbols, chunk, lines.best()));
    let head = symbol.map(|symbol| symbol.name_line);
    let Snippet {
        text: lines,
        lines: numbers,
    } = lines.snippet(head, showing.context);
    let why = showing.is_detailed.then(|| MatchDetail {
        start_byte: chunk.start_byte.into(),
        end_byte: chunk.end_byte.into(),
        chunk: u32::try_from(one.chunk).ok(),
        reasons: reasons(&one.evidence),
    });
    let hit = SearchHit {
        root: showing.root.map(str::to_owned),
        path: file.path.clone(),
        start_line,
        end_line,
        symbol: symbol.map(|symbol| file.qualified(symbol)),
        kind: symbol.map(|symbol| symbol.kind),
        language: file.language.map(|language| language.id.to_owned()),
        score: 0.0,
        snippet: lines,
        snippet_lines: numbers,
        definition: one.is_definition,
        visibility: own
            .filter(|_| one.is_definition)
            .and_then(|own| own.visibility),
        signature: own
            .filter(|_| one.is_definition)
            .map(|own| own.signature.to_string()),
        why,
    };
    Some((hit, text.is_as_indexed))
}

/// The symbol that a chunk was found for, where no name says so: the one around its best line, or behind a comment.
fn spoken_of<'a>(symbols: &'a [Symbol], chunk: &Chunk, best: Option<u32>) -> Option<&'a Symbol> {
    let line = best.unwrap_or(chunk.start_line);
    let is_in = |symbol: &&Symbol| {
        chunk.start_byte <= symbol.start_byte && symbol.start_byte < chunk.end_byte
    };
    let around = symbol_at_line(symbols, line).map(|symbol| &symbols[symbol]);
    let next = || {
        symbols
            .iter()
            .filter(is_in)
            .find(|symbol| symbol.start_line >= line)
    };
    // A comment at the top of a class is about what comes next in it, unless that is far.
    match around {
        Some(around) if around.start_line < line && has_members(around.kind) => next()
            .filter(|next| next.start_line - line <= NEAR)
            .or(Some(around)),
        Some(around) => Some(around),
        None => next().or_else(|| symbols.iter().find(is_in)),
    }
}

fn has_members(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Interface, Module, Struct, Trait};
    matches!(kind, Class | Enum | Interface | Module | Struct | Trait)
}

/// Lines between a comment and what it is about.
const NEAR: u32 = 12;

fn reasons(evidence: &Evidence) -> Vec<String> {
    let Evidence {
        body,
        coverage,
        doc,
        name,
        exact,
        meaning,
        path,
    } = *evidence;
    let all = [
        ("name", exact),
        ("part of a name", name),
        ("words", body),
        ("share of the words", coverage),
        ("documentation", doc),
        ("path", path),
        ("meaning", meaning),
    ];
    all.into_iter()
        .filter(|(_, much)| *much >= 0.005)
        .map(|(what, much)| format!("{what} {much:.2}"))
        .collect()
}
