//! Finds a name in capitals as text: `STARSHIP_CONFIG` is more often an environment variable, which no symbol defines, than a
//! symbol in another case.

use std::collections::HashSet;

use tantivy::TantivyError;

use crate::index::snapshot::Snapshot;
use crate::search::lexical::LexicalSearcher;
use crate::search::question::Question;
use crate::search::rank::RankedChunk;
use crate::search::text_cache::TextCache;

/// The most chunks that are read.
const MAX_READ: usize = 40;

/// Puts chunks with the text of a constant first, unless a symbol has its name in this case. The definitions of other cases
/// then rank as any other chunk.
pub fn prefer_text(
    ranked: &mut [RankedChunk],
    snapshot: &Snapshot,
    texts: &TextCache<'_>,
    question: &Question,
) -> Result<(), TantivyError> {
    let (Some(constant), Some(view)) = (question.constant(), &snapshot.text) else {
        return Ok(());
    };
    let is_defined = |one: &RankedChunk| {
        let symbol = one.symbol.filter(|_| one.is_definition());
        symbol.is_some_and(|at| *snapshot.files[one.file].outline.symbols[at].name == *constant)
    };
    if ranked.iter().any(is_defined) {
        return Ok(());
    }
    let lexical = LexicalSearcher::new(view, snapshot.size())?;
    let docs = lexical.chunks_with(&constant.to_lowercase())?.into_iter();
    let having: HashSet<(usize, usize)> = docs
        .filter_map(|doc| lexical.chunk_of(doc, snapshot))
        .collect();
    let has_text = |one: &RankedChunk| {
        let text = texts.chunk(one.file, one.chunk);
        text.is_some_and(|text| text.contains(constant))
    };
    let may_have = |one: &RankedChunk| having.contains(&(one.file, one.chunk));
    let all = ranked.iter().enumerate().filter(|(_, one)| may_have(one));
    let found: Vec<usize> = all
        .take(MAX_READ)
        .filter(|(_, one)| has_text(one))
        .map(|(place, _)| place)
        .collect();
    if found.is_empty() {
        return Ok(());
    }
    let best = ranked.iter().map(|one| one.score).fold(0.0, f32::max);
    for place in found {
        ranked[place].score += best;
    }
    for one in ranked.iter_mut() {
        one.definition = None;
    }
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::with_ranked;
    use super::*;

    fn paths(files: &[(&str, &str)], query: &str) -> Vec<(String, bool)> {
        with_ranked(files, query, |ranked, snapshot, texts, question| {
            prefer_text(ranked, snapshot, texts, question).expect("read");
            let path = |one: &RankedChunk| {
                let is_definition = one.is_definition();
                (snapshot.files[one.file].path.clone(), is_definition)
            };
            ranked.iter().map(path).collect()
        })
    }

    #[test]
    fn a_constant_that_no_symbol_has_in_its_case_is_found_as_text() {
        let files = [
            (
                "src/config.rs",
                "pub struct Shop {\n    shop_config: u32,\n}\n",
            ),
            ("src/shop_config.rs", "pub fn load() -> u32 {\n    3\n}\n"),
            (
                "src/start.rs",
                "pub fn path() -> String {\n    std::env::var(\"SHOP_CONFIG\").unwrap()\n}\n",
            ),
        ];
        let found = paths(&files, "SHOP_CONFIG");
        assert_eq!(found[0], ("src/start.rs".to_owned(), false));
        assert!(
            found.iter().all(|(_, is_definition)| !is_definition),
            "{found:?}"
        );
        // Where no text has it, a symbol in another case is the best there is.
        assert_eq!(
            paths(&files[..2], "SHOP_CONFIG")[0],
            ("src/config.rs".to_owned(), true)
        );
        let defined = [
            files[2],
            ("src/names.rs", "pub const SHOP_CONFIG: u32 = 3;\n"),
        ];
        assert_eq!(
            paths(&defined, "SHOP_CONFIG")[0],
            ("src/names.rs".to_owned(), true)
        );
    }
}
