//! Locates the source of error messages: a message has values (`cannot open a.txt`) where the source has placeholders
//! (`cannot open {path}`).

use tantivy::TantivyError;

use crate::index::snapshot::Snapshot;
use crate::search::lexical::LexicalSearcher;
use crate::search::paths::factor;
use crate::search::question::{QueryKind, Question};
use crate::search::rank::{LocatedMessage, RankedChunk};
use crate::search::report::message::share_in;
use crate::search::text_cache::TextCache;
use crate::store::text::words;

/// The most chunks that are read for one message.
const MAX_READ: usize = 24;
/// The least share of a message's words, in any order, that a chunk must contain to be read.
const LEAST_COVERAGE: f32 = 0.4;
/// The least share of a message's words, in their order, that a chunk must contain.
const LEAST_SHARE: f32 = 0.5;
const MAX_WORDS: usize = 40;

/// A query of fewer words is not taken for a message that a program prints.
const SHORTEST_QUERY: usize = 4;
const MAX_QUERY_READ: usize = 8;
const LEAST_QUERY_COVERAGE: f32 = 0.8;
const LEAST_QUERY_SHARE: f32 = 0.8;

/// Returns the chunks that contain the messages of a report.
pub fn locate(
    snapshot: &Snapshot,
    texts: &TextCache<'_>,
    messages: &[String],
) -> Result<Vec<LocatedMessage>, TantivyError> {
    let Some(view) = &snapshot.text else {
        return Ok(vec![]);
    };
    let lexical = LexicalSearcher::new(view, snapshot.size())?;
    let mut located = vec![];
    for message in messages {
        let sought = lower_words(message);
        let mut chunks = lexical.find(&Question::new(message), None)?.chunks;
        chunks.sort_by(|one, other| other.2.total_cmp(&one.2));
        for (doc, _, coverage) in chunks.into_iter().take(MAX_READ) {
            if coverage < LEAST_COVERAGE {
                break;
            }
            let Some((file, chunk)) = lexical.chunk_of(doc, snapshot) else {
                continue;
            };
            let text = texts.chunk(file, chunk).unwrap_or_default();
            if let Some((share, _)) = share_in(&sought, &text)
                && share >= LEAST_SHARE
            {
                located.push(LocatedMessage { file, chunk, share });
            }
        }
    }
    Ok(located)
}

/// Raises the scores of chunks that contain the words of a query in order, because the query may be a message or part of one.
pub fn prefer_message(
    ranked: &mut [RankedChunk],
    snapshot: &Snapshot,
    texts: &TextCache<'_>,
    query: &str,
    question: &Question,
) {
    let sought = lower_words(query);
    if question.kind == QueryKind::Name || sought.len() < SHORTEST_QUERY {
        return;
    }
    let best = ranked.first().map_or(0.0, |one| one.score);
    let covering = ranked
        .iter_mut()
        .filter(|one| one.evidence.coverage >= LEAST_QUERY_COVERAGE);
    for one in covering.take(MAX_QUERY_READ) {
        let text = texts.chunk(one.file, one.chunk).unwrap_or_default();
        if let Some((share, _)) = share_in(&sought, &text)
            && share >= LEAST_QUERY_SHARE
        {
            // Tests and documentation quote messages, so they gain less.
            let conventions = snapshot.files[one.file].path_words().conventions;
            one.score += best * share * factor(conventions, question);
        }
    }
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
}

fn lower_words(text: &str) -> Vec<String> {
    let all = words(text).map(|(_, word)| word.to_lowercase());
    all.take(MAX_WORDS).collect()
}
