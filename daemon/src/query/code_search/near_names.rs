//! Finds the symbol that a name means, if no symbol is called exactly so: `is_safe_attribute` for `isSafeAttribute`
//! or `is_safe_atribute`, and `undo` of the `History` in the crate for `helix_core::history::History::undo`.

use std::collections::HashSet;

use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::tools::find_symbol::SymbolMatch;

use crate::index::path_words::PathConvention;
use crate::index::snapshot::Snapshot;
use crate::query::shared::similarity::NameComparison;
use crate::query::shared::symbol_name::SymbolName;
use crate::search::paths::factor;
use crate::search::question::{Question, plain_letters};
use crate::search::rank::{DefinitionRank, Evidence, FileEvidence, RankedChunk, chunk_at};
use crate::store::text::parts;

/// The most symbols that are raised.
const MAX_RAISED: usize = 5;
/// Shorter names are similar by chance.
const SHORTEST: usize = 5;
/// The least similarity of a misspelt or shortened name.
const LEAST_SIMILARITY: f64 = 0.85;
/// The factor of names in another style: `key_binding` for `KeyBindnig`.
const OTHER_STYLE: f32 = 0.95;
/// The factor of fields, variables and keys, which share the names of types and functions.
const MEMBER_FACTOR: f32 = 0.9;

/// A symbol with the similarity of its name to the query.
struct NearSymbol {
    file: usize,
    symbol: usize,
    similarity: f32,
    /// The name is the queried one, in the containers that the query names.
    is_queried: bool,
}

impl NearSymbol {
    fn new(file: usize, symbol: usize, similarity: f64, is_queried: bool) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "a share")]
        let similarity = similarity as f32;
        Self {
            file,
            symbol,
            similarity,
            is_queried,
        }
    }
}

/// Puts the symbols first that the query means, unless it names a definition. Returns a note if they have other names. A query
/// that no text has a word of finds nothing, and gets suggestions instead.
pub fn prefer(
    ranked: &mut Vec<RankedChunk>,
    snapshot: &Snapshot,
    question: &Question,
    query: &str,
    allows: impl Fn(usize) -> bool,
) -> Option<String> {
    let is_found = ranked.iter().any(RankedChunk::is_definition);
    let has_words = ranked.iter().any(|one| one.evidence.has_words());
    if !question.is_symbol() || is_found || !has_words {
        return None;
    }
    let name = SymbolName::parse(query).ok()?;
    let mut near = find(ranked, snapshot, &name, allows);
    let weight = |one: &NearSymbol| {
        let conventions = snapshot.files[one.file].path_words().conventions;
        let symbol = &snapshot.files[one.file].outline.symbols[one.symbol];
        let kind = symbol.kind;
        let by_kind = if kind.is_type() || kind.is_callable() || kind == SymbolKind::Alias {
            1.0
        } else {
            MEMBER_FACTOR
        };
        let by_style = if has_style_of(&symbol.name, name.name()) {
            1.0
        } else {
            OTHER_STYLE
        };
        one.similarity * by_kind * by_style * factor(conventions, question)
    };
    near.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
    // The best symbol of a chunk stands for it.
    let mut chunks = HashSet::new();
    near.retain(|one| {
        let outline = &snapshot.files[one.file].outline;
        let start = outline.symbols[one.symbol].start_byte;
        chunks.insert((one.file, chunk_at(&outline.chunks, start)))
    });
    near.truncate(MAX_RAISED);
    let note = match near.first() {
        Some(first) if !first.is_queried => Some(format!(
            "nothing is called {query}: similar names come first"
        )),
        _ => None,
    };
    let best = ranked.first().map_or(1.0, |one| one.score);
    for one in &near {
        raise(ranked, snapshot, one, best * (1.0 + weight(one)));
    }
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
    note
}

/// Returns the symbols that have the name of the query in its containers, or else those with the same letters, or else those with
/// similar ones.
fn find(
    ranked: &[RankedChunk],
    snapshot: &Snapshot,
    name: &SymbolName,
    allows: impl Fn(usize) -> bool,
) -> Vec<NearSymbol> {
    let named = snapshot.names().symbols_in_any_case(name.name());
    let named = named.map(|at| (at.file as usize, at.symbol as usize));
    let queried: Vec<NearSymbol> = named
        .filter(|(file, _)| allows(*file) && !is_copy(snapshot, *file))
        .filter_map(|(file, symbol)| {
            let indexed = &snapshot.files[file];
            let own = &indexed.outline.symbols[symbol];
            let score = name.score(indexed, own, SymbolMatch::Exact)?;
            Some(NearSymbol::new(file, symbol, score, true))
        })
        .collect();
    let letters = plain_letters(name.name());
    if !queried.is_empty() || !name.is_bare() || letters.len() < SHORTEST {
        return queried;
    }
    if parts(name.name()).count() == 1 {
        // A plain word that texts have is a topic, even if a name is like it.
        return vec![];
    }
    // A similar name has a part in common with the query, so it is in one of the ranked files.
    let mut files: Vec<usize> = ranked.iter().map(|one| one.file).collect();
    files.sort_unstable();
    files.dedup();
    let symbols = files.into_iter().flat_map(|file| {
        let count = snapshot.files[file].outline.symbols.len();
        (0..count).map(move |symbol| (file, symbol))
    });
    similar_symbols(snapshot, &letters, symbols)
}

/// Returns the symbols with the same letters, or else those with similar ones.
fn similar_symbols(
    snapshot: &Snapshot,
    letters: &str,
    symbols: impl Iterator<Item = (usize, usize)>,
) -> Vec<NearSymbol> {
    let comparison = NameComparison::new(letters);
    // Separators may double the length of a name, and most others differ too much.
    let lengths = letters.len() * 2 / 3..=letters.len() * 2;
    let (mut same, mut similar) = (vec![], vec![]);
    for (file, symbol) in symbols {
        let name = &snapshot.files[file].outline.symbols[symbol].name;
        if !lengths.contains(&name.len()) || is_copy(snapshot, file) {
            continue;
        }
        let own = plain_letters(name);
        if own == letters {
            same.push(NearSymbol::new(file, symbol, 1.0, false));
        } else if let Some(similarity) = comparison.similarity_above(&own, LEAST_SIMILARITY) {
            similar.push(NearSymbol::new(file, symbol, similarity, false));
        }
    }
    if same.is_empty() { similar } else { same }
}

/// Returns whether two names are written alike: both begin with a capital or neither does, both have separators or neither has.
fn has_style_of(one: &str, other: &str) -> bool {
    let style = |name: &str| {
        (
            name.starts_with(char::is_uppercase),
            name.contains(['_', '-']),
        )
    };
    style(one) == style(other)
}

fn is_copy(snapshot: &Snapshot, file: usize) -> bool {
    let conventions = snapshot.files[file].path_words().conventions;
    conventions.contains(PathConvention::Copy)
}

/// Gives the chunk with a symbol a score, and adds it if it is not among the ranked ones.
fn raise(ranked: &mut Vec<RankedChunk>, snapshot: &Snapshot, near: &NearSymbol, score: f32) {
    let outline = &snapshot.files[near.file].outline;
    let symbol = &outline.symbols[near.symbol];
    let Some(chunk) = chunk_at(&outline.chunks, symbol.start_byte) else {
        return;
    };
    let is_same = |one: &RankedChunk| (one.file, one.chunk) == (near.file, chunk);
    let known = ranked.iter().position(is_same);
    let known = known.map(|place| ranked.remove(place));
    ranked.push(RankedChunk {
        file: near.file,
        chunk,
        symbol: Some(near.symbol),
        definition: near.is_queried.then_some(DefinitionRank::Main),
        is_namesake: false,
        is_whole_symbol: true,
        score,
        evidence: Evidence {
            name: near.similarity,
            ..known.as_ref().map(|one| one.evidence).unwrap_or_default()
        },
        file_evidence: known.map_or_else(FileEvidence::default, |one| one.file_evidence),
    });
}

#[cfg(test)]
mod tests {
    use super::super::testing::with_ranked;
    use super::*;

    #[test]
    fn a_name_that_no_symbol_has_leads_to_the_similar_ones() {
        let files = [
            (
                "helix-core/src/history.rs",
                "pub struct History;\n\nimpl History {\n    pub fn undo(&mut self) -> bool {\n        true\n    }\n}\n",
            ),
            (
                "helix-term/src/commands.rs",
                "pub fn undo(history: History) {\n    history.undo();\n}\n",
            ),
            (
                "src/sandbox.rs",
                "/// Says whether an attribute is safe.\npub fn is_safe_attribute(name: &str) -> bool {\n    true\n}\n",
            ),
            (
                "src/safe.rs",
                "pub fn safe(attribute: &str) -> bool {\n    is(attribute)\n}\n",
            ),
            (
                "src/cache.rs",
                "pub struct Bucket {\n    pub environment: u8,\n}\n",
            ),
            ("src/environment.rs", "pub struct Environment;\n"),
            (
                "src/result.py",
                "class AsyncResult:\n    def async_result(self):\n        return self.async_results\n\n    def result(self):\n        return 1\n",
            ),
            (
                "src/bindings.rs",
                "pub fn key_binding() -> u8 {\n    1\n}\n\npub struct KeyBindings;\n",
            ),
            ("src/config.rs", "pub type KeyBinding = Binding<u8>;\n"),
        ];
        for (query, path, name, is_noted) in [
            (
                "isSafeAttribute",
                "src/sandbox.rs",
                "is_safe_attribute",
                true,
            ),
            (
                "is_safe_atribute",
                "src/sandbox.rs",
                "is_safe_attribute",
                true,
            ),
            ("AsyncResutl", "src/result.py", "AsyncResult", true),
            ("KeyBindnig", "src/config.rs", "KeyBinding", true),
            (
                "helix_core::history::History::undo",
                "helix-core/src/history.rs",
                "undo",
                false,
            ),
        ] {
            let found = with_ranked(&files, query, |ranked, snapshot, _, question| {
                let note = prefer(ranked, snapshot, question, query, |_| true);
                let file = &snapshot.files[ranked[0].file];
                let symbol = ranked[0].symbol.expect("a symbol");
                let name = file.outline.symbols[symbol].name.to_string();
                (file.path.clone(), name, note.is_some())
            });
            assert_eq!(
                found,
                (path.to_owned(), name.to_owned(), is_noted),
                "{query}"
            );
        }
        // Nothing is like it.
        let count = with_ranked(&files, "quicksort", |ranked, snapshot, _, question| {
            prefer(ranked, snapshot, question, "quicksort", |_| true);
            ranked.len()
        });
        assert_eq!(count, 0);
    }
}
