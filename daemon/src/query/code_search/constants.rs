//! Finds a name as text that no symbol has: an environment variable (`STARSHIP_CONFIG`), an option (`maxmemory-policy`), a key of a
//! configuration (`health_uri`).

use std::collections::HashSet;

use tantivy::TantivyError;

use crate::index::snapshot::Snapshot;
use crate::search::lexical::LexicalSearcher;
use crate::search::question::Question;
use crate::search::rank::RankedChunk;
use crate::search::text_cache::TextCache;
use crate::store::text::words;

/// The most chunks that are read.
const MAX_READ: usize = 40;

/// Puts chunks with the text of a name of several parts first, unless a symbol has the name. One in capitals has to be defined in
/// this case: the definitions of other cases then rank as any other chunk. Returns whether a chunk has the text.
pub fn prefer_text(
    ranked: &mut [RankedChunk],
    snapshot: &Snapshot,
    texts: &TextCache<'_>,
    question: &Question,
    query: &str,
) -> Result<bool, TantivyError> {
    let (Some(name), Some(view)) = (question.compound_name(query), &snapshot.text) else {
        return Ok(false);
    };
    let is_constant = question.constant().is_some();
    let is_defined = |one: &RankedChunk| {
        let symbol = one.symbol.filter(|_| one.is_definition());
        symbol.is_some_and(|at| {
            !is_constant || *snapshot.files[one.file].outline.symbols[at].name == *name
        })
    };
    if ranked.iter().any(is_defined) {
        return Ok(false);
    }
    let lexical = LexicalSearcher::new(view, snapshot.size())?;
    let mut having: Option<HashSet<(usize, usize)>> = None;
    for (_, word) in words(name) {
        let docs = lexical.chunks_with(&word.to_lowercase())?.into_iter();
        let own = docs.filter_map(|doc| lexical.chunk_of(doc, snapshot));
        having = Some(match having {
            Some(having) => own.filter(|one| having.contains(one)).collect(),
            None => own.collect(),
        });
    }
    let having = having.unwrap_or_default();
    let has_text = |one: &RankedChunk| {
        let text = texts.chunk(one.file, one.chunk);
        text.is_some_and(|text| contains_name(&text, name))
    };
    let may_have = |one: &RankedChunk| having.contains(&(one.file, one.chunk));
    let all = ranked.iter().enumerate().filter(|(_, one)| may_have(one));
    let found: Vec<usize> = all
        .take(MAX_READ)
        .filter(|(_, one)| has_text(one))
        .map(|(place, _)| place)
        .collect();
    if found.is_empty() {
        return Ok(false);
    }
    let best = ranked.iter().map(|one| one.score).fold(0.0, f32::max);
    for place in found {
        ranked[place].score += best;
    }
    for one in ranked.iter_mut() {
        one.definition = None;
    }
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
    Ok(true)
}

/// Returns whether a text has a name that is not a part of a longer one.
fn contains_name(text: &str, name: &str) -> bool {
    let is_word = |sign: char| sign.is_alphanumeric() || "_-".contains(sign);
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::with_ranked;
    use super::*;

    fn paths(files: &[(&str, &str)], query: &str) -> Vec<(String, bool)> {
        with_ranked(files, query, |ranked, snapshot, texts, question| {
            prefer_text(ranked, snapshot, texts, question, query).expect("read");
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

    #[test]
    fn an_option_that_no_symbol_has_is_found_as_text() {
        let files = [
            (
                "src/policy.c",
                "/* The policy for maxmemory. */\nint maxmemory;\nint policy(void) { return maxmemory; }\n",
            ),
            (
                "src/config.c",
                "config all[] = {\n  createEnumConfig(\"maxmemory-policy\", NULL),\n};\n",
            ),
            (
                "src/samples.c",
                "char *all[] = {\"maxmemory-policy-samples\", \"maxmemory-policy-time\"};\n",
            ),
        ];
        assert_eq!(
            paths(&files, "maxmemory-policy")[0],
            ("src/config.c".to_owned(), false)
        );
    }
}
