//! Notes and advice about words of a query that no file has.

use claudevil_protocol::text::Line;

use super::request::SearchRequest;
use super::root::SearchRoot;
use crate::query::shared::symbol_name::SymbolName;
use crate::search::query_coverage::QueryCoverage;

/// The most words that a note names.
const MAX_WORDS: usize = 8;

/// Returns a note about the words of a query that no file contains.
pub fn note_missing(coverage: &QueryCoverage, is_empty: bool) -> Option<String> {
    match coverage {
        QueryCoverage::Sufficient => None,
        QueryCoverage::Partial(words) => {
            (!words.is_empty()).then(|| format!("no match for: {}", listed(words)))
        }
        QueryCoverage::MeaningOnly(words) => Some(format!(
            "no match for: {}; found by meaning alone",
            listed(words)
        )),
        QueryCoverage::Absent(words) if is_empty => {
            Some(format!("no match for: {}", listed(words)))
        }
        QueryCoverage::Absent(words) => Some(format!(
            "no match for: {}; these are the closest in meaning, but not close matches",
            listed(words)
        )),
    }
}

/// Returns the nearest names as advice, for a search for a name that does not exist.
pub fn suggest_names(request: &SearchRequest<'_>, roots: &[SearchRoot]) -> Option<Line> {
    let name = SymbolName::parse(&request.params.query).ok()?;
    let indexed = roots.iter().filter_map(|root| root.indexed.as_ref());
    let files = indexed.flat_map(|indexed| {
        indexed
            .snapshot
            .beneath(indexed.folder.as_deref().unwrap_or_default())
    });
    let nearest = name.nearest(
        files.flat_map(|file| file.outline.symbols.iter().map(|symbol| (&**file, symbol))),
    );
    let names = nearest.iter().map(|name| Line::new().name(name));
    (!nearest.is_empty())
        .then(|| Line::from("nothing found: the nearest names are ").line(Line::join(names, ", ")))
}

fn listed(words: &[String]) -> String {
    let more = words.len().saturating_sub(MAX_WORDS);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{more}", words[..words.len().min(MAX_WORDS)].join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_words_are_noted() {
        let words = || ["chocolate", "cake"].map(str::to_owned).to_vec();
        for (coverage, is_empty, expected) in [
            (QueryCoverage::Sufficient, false, None),
            (QueryCoverage::Partial(vec![]), false, None),
            (
                QueryCoverage::Partial(words()),
                false,
                Some("no match for: chocolate, cake"),
            ),
            (
                QueryCoverage::MeaningOnly(words()),
                false,
                Some("no match for: chocolate, cake; found by meaning alone"),
            ),
            (
                QueryCoverage::Absent(words()),
                true,
                Some("no match for: chocolate, cake"),
            ),
            (
                QueryCoverage::Absent(words()),
                false,
                Some(
                    "no match for: chocolate, cake; these are the closest in meaning, but not close matches",
                ),
            ),
        ] {
            assert_eq!(
                note_missing(&coverage, is_empty).as_deref(),
                expected,
                "{coverage:?}"
            );
        }
        assert!(listed(&vec!["word".to_owned(); 20]).ends_with(", word and 12 more"));
    }
}
