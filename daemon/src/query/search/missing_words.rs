//! What is said where a root has little or nothing of what was asked.

use claudevil_protocol::text::Line;

use super::{Asked, Project};
use crate::query::naming;
use crate::search::query_coverage::QueryCoverage;

/// Words that are named.
const MOST_WORDS: usize = 8;

/// What to know of an answer that stands on this.
pub fn note(coverage: &QueryCoverage, is_empty: bool) -> Option<String> {
    match coverage {
        QueryCoverage::Sufficient => None,
        QueryCoverage::Partial(words) => {
            (!words.is_empty()).then(|| format!("nothing here has: {}", listed(words)))
        }
        QueryCoverage::MeaningOnly(words) => Some(format!(
            "nothing here has: {}; found by meaning alone",
            listed(words)
        )),
        QueryCoverage::Absent(words) if is_empty => {
            Some(format!("nothing here has: {}", listed(words)))
        }
        QueryCoverage::Absent(words) => Some(format!(
            "nothing here has: {}; these are only nearest in meaning, and not near",
            listed(words)
        )),
    }
}

/// What to try instead of a name that nothing has.
pub fn nearest_names(asked: &Asked<'_>, projects: &[Project]) -> Option<Line> {
    let name = naming::Asked::new(&asked.params.query).ok()?;
    let indexed = projects
        .iter()
        .filter_map(|project| project.indexed.as_ref());
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
    let more = words.len().saturating_sub(MOST_WORDS);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{more}", words[..words.len().min(MOST_WORDS)].join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said() {
        let words = || ["chocolate", "cake"].map(str::to_owned).to_vec();
        for (coverage, is_empty, expected) in [
            (QueryCoverage::Sufficient, false, None),
            (QueryCoverage::Partial(vec![]), false, None),
            (
                QueryCoverage::Partial(words()),
                false,
                Some("nothing here has: chocolate, cake"),
            ),
            (
                QueryCoverage::MeaningOnly(words()),
                false,
                Some("nothing here has: chocolate, cake; found by meaning alone"),
            ),
            (
                QueryCoverage::Absent(words()),
                true,
                Some("nothing here has: chocolate, cake"),
            ),
            (
                QueryCoverage::Absent(words()),
                false,
                Some(
                    "nothing here has: chocolate, cake; these are only nearest in meaning, and not near",
                ),
            ),
        ] {
            assert_eq!(
                note(&coverage, is_empty).as_deref(),
                expected,
                "{coverage:?}"
            );
        }
        assert!(listed(&vec!["word".to_owned(); 20]).ends_with(", word and 12 more"));
    }
}
