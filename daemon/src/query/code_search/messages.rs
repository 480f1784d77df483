//! Locates the source of error messages: a message has values (`cannot open a.txt`) where the source has placeholders
//! (`cannot open {path}`).

use tantivy::TantivyError;

use crate::index::snapshot::Snapshot;
use crate::search::lexical::LexicalSearcher;
use crate::search::message_template::share_in_literals;
use crate::search::paths::factor;
use crate::search::printed_message::{PrintedMessage, is_question};
use crate::search::question::{QueryKind, Question};
use crate::search::rank::{LocatedMessage, RankedChunk};
use crate::search::report::message::{share_in, without_error_type};
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
/// The same where the text has a literal with placeholders.
const SHORTEST_MESSAGE: usize = 3;
const LEAST_QUERY_COVERAGE: f32 = 0.8;
const LEAST_QUERY_SHARE: f32 = 0.8;
/// The same for a query with values, which its source lacks.
const LEAST_PRINTED_SHARE: f32 = 0.75;
/// The most chunks that are read for a query.
const MAX_QUERY_READ: usize = 8;
/// The same for a query that looks like a printed message, and the least share of its words, in any order, that they must
/// contain. Values without quotes are not known as such, and may be most of it.
const MAX_PRINTED_READ: usize = 64;
const LEAST_PRINTED_COVERAGE: f32 = 0.2;
/// The least share of a query's words in literals.
const LEAST_LITERAL_SHARE: f32 = 0.25;

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
    let sought = lower_words(without_error_type(query));
    let printed = PrintedMessage::parse(query);
    if question.kind == QueryKind::Name || printed.is_none() && sought.len() < SHORTEST_MESSAGE {
        return;
    }
    // A message may end with a question mark, and a question may have the words of a literal by chance.
    let has_values = !is_question(query.trim_end().trim_end_matches('?'));
    let share_of_runs = |one: &RankedChunk, text: &str| match &printed {
        Some(printed) => Some(printed.share_in(text)).filter(|own| *own >= LEAST_PRINTED_SHARE),
        None if sought.len() >= SHORTEST_QUERY && one.evidence.coverage >= LEAST_QUERY_COVERAGE => {
            let share = share_in(&sought, text).map(|(share, _)| share);
            share.filter(|share| *share >= LEAST_QUERY_SHARE)
        }
        None => None,
    };
    let best = ranked.first().map_or(0.0, |one| one.score);
    let (most, least_coverage) = if printed.is_some() || has_values && has_signs(query) {
        (MAX_PRINTED_READ, LEAST_PRINTED_COVERAGE)
    } else {
        (MAX_QUERY_READ, LEAST_QUERY_COVERAGE)
    };
    let mut covering: Vec<&mut RankedChunk> = ranked
        .iter_mut()
        .filter(|one| one.evidence.coverage >= least_coverage)
        .collect();
    // Tests and documentation quote messages, so they are read last.
    let coverage = |one: &&mut RankedChunk| {
        let conventions = snapshot.files[one.file].path_words().conventions;
        one.evidence.coverage * factor(conventions, question)
    };
    covering.sort_by(|one, other| coverage(other).total_cmp(&coverage(one)));
    for one in covering.into_iter().take(most) {
        let text = texts.chunk(one.file, one.chunk).unwrap_or_default();
        let in_literals = has_values
            .then(|| share_in_literals(&sought, &text))
            .filter(|share| *share >= LEAST_LITERAL_SHARE)
            // A whole literal of the source is certain, whatever share the values of the message have.
            .map_or(0.0, |share| 1.0 + share);
        let share = share_of_runs(one, &text)
            .unwrap_or_default()
            .max(in_literals);
        // For the same reason they gain less.
        let conventions = snapshot.files[one.file].path_words().conventions;
        one.score += best * share * factor(conventions, question);
    }
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
}

/// Returns whether a query has signs or digits as messages have and plain words do not: `no theme: dark`, `exit code 3`.
fn has_signs(query: &str) -> bool {
    query
        .trim_end_matches(['.', '?', '!'])
        .contains(|sign: char| {
            !(sign.is_alphabetic() || sign.is_whitespace() || ",.-'_".contains(sign))
        })
}

fn lower_words(text: &str) -> Vec<String> {
    let all = words(text).map(|(_, word)| word.to_lowercase());
    all.take(MAX_WORDS).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::with_ranked;
    use super::*;

    #[test]
    fn the_source_of_a_message_comes_before_places_with_its_values() {
        let files = [
            (
                "src/lookup.py",
                "class LookupFailure:\n    def text(self):\n        return f\"fixture '{self.name}' not found\"\n",
            ),
            (
                "src/foo.py",
                "def foo():\n    \"\"\"The fixture foo.\"\"\"\n    return found(foo)\n",
            ),
            (
                "tests/test_foo.py",
                "def test_foo():\n    assert message() == \"fixture 'foo' not found\"\n",
            ),
        ];
        for query in [
            "fixture 'foo' not found",
            "E       fixture \"foo\" not found",
            "fixture \"foo\" not found",
        ] {
            let first = with_ranked(&files, query, |ranked, snapshot, texts, question| {
                prefer_message(ranked, snapshot, texts, query, question);
                snapshot.files[ranked[0].file].path.clone()
            });
            assert_eq!(first, "src/lookup.py", "{query}");
        }
    }

    #[test]
    fn the_source_of_a_message_is_found_by_its_literal_if_values_have_no_quotes() {
        let files = [
            (
                "src/theme.rs",
                "fn load(name: &str) -> Result<Theme> {\n    bail!(\"Cycle found in inheriting: {}\", name)\n}\n",
            ),
            (
                "src/gruvbox.rs",
                "/// The colours of gruvbox, found in dark.\npub const GRUVBOX_DARK: &str = \"gruvbox dark found\";\n",
            ),
            (
                "tests/theme.rs",
                "fn inherits() {\n    assert!(error == \"Cycle found in inheriting: gruvbox_dark\");\n}\n",
            ),
        ];
        for query in [
            "Cycle found in inheriting: gruvbox_dark",
            "app.theme.ThemeException: Cycle found in inheriting: gruvbox_dark",
        ] {
            let first = with_ranked(&files, query, |ranked, snapshot, texts, question| {
                prefer_message(ranked, snapshot, texts, query, question);
                snapshot.files[ranked[0].file].path.clone()
            });
            assert_eq!(first, "src/theme.rs", "{query}");
        }
    }

    #[test]
    fn many_tests_that_quote_a_message_do_not_hide_its_source() {
        let source = (
            "src/Reporter.java".to_owned(),
            "class Reporter {\n  Error missing() {\n    return new Error(\"Wanted but not invoked:\");\n  }\n}\n".to_owned(),
        );
        let thrower = (
            "src/parser.js".to_owned(),
            "function fail(error) {\n  return `Parsing error: ${error.message}`;\n}\n".to_owned(),
        );
        let test = |number: usize| {
            let text = format!(
                "class Wanted{number} {{\n  void wanted() {{\n    check(\"Wanted but not invoked: Parsing error: Unexpected token\");\n  }}\n}}\n"
            );
            (format!("test/Wanted{number}Test.java"), text)
        };
        let all: Vec<(String, String)> = (0..80).map(test).chain([source, thrower]).collect();
        let files: Vec<(&str, &str)> = all.iter().map(|(path, text)| (&**path, &**text)).collect();
        for (query, path) in [
            ("Wanted but not invoked", "src/Reporter.java"),
            ("Parsing error: Unexpected token", "src/parser.js"),
        ] {
            let first = with_ranked(&files, query, |ranked, snapshot, texts, question| {
                prefer_message(ranked, snapshot, texts, query, question);
                snapshot.files[ranked[0].file].path.clone()
            });
            assert_eq!(first, path, "{query}");
        }
    }
}
