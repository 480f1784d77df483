//! The calls behind one search: its pages, and one search for each of several languages.

use std::path::Path;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::hits::SearchHit;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::Line;
use claudevil_protocol::tools::search::{Search, SearchResults};

use crate::cli::{ask, pages};

pub struct Request<'a> {
    paths: &'a Paths,
    root: Option<&'a Path>,
    pub params: Search,
    /// Several languages, each of which is asked about on its own, because a call is about one.
    languages: Vec<String>,
    /// True if every page is wanted.
    wants_all: bool,
}

impl<'a> Request<'a> {
    pub fn new(
        paths: &'a Paths,
        root: Option<&'a Path>,
        mut params: Search,
        wants_all: bool,
    ) -> Result<Self, ToolError> {
        let languages = std::mem::take(&mut params.languages);
        if languages.len() > 1 && params.cursor.is_some() {
            return Err(ToolError::invalid_argument("a cursor belongs to one -t"));
        }
        if wants_all {
            params.limit = Some(Search::MAX_LINES);
        }
        Ok(Self {
            paths,
            root,
            params,
            languages,
            wants_all,
        })
    }

    /// Fetches the first page; for several languages, everything.
    pub async fn first(&mut self) -> Result<SearchResults, ToolError> {
        if self.languages.len() < 2 {
            return self.first_page().await;
        }
        let mut lists: Vec<SearchResults> = vec![];
        for language in self.languages.clone() {
            self.params.language = Some(language);
            self.params.cursor = None;
            let mut list = self.first_page().await?;
            // `rs` and `rust` are one language.
            if lists.iter().any(|known| known.language == list.language) {
                continue;
            }
            if self.wants_all {
                pages::append_rest(self.paths, self.root, &mut self.params, &mut list).await?;
            }
            lists.push(list);
        }
        let most = (!self.wants_all).then(|| self.params.limit() as usize);
        Ok(merge(lists, most))
    }

    /// Fetches the page after one, if every page is wanted and there is another.
    pub async fn next(&mut self, last: &SearchResults) -> Result<Option<SearchResults>, ToolError> {
        if !self.wants_all {
            return Ok(None);
        }
        pages::next(self.paths, self.root, &mut self.params, last).await
    }

    /// Appends all further pages, if every page is wanted.
    pub async fn append_rest(&mut self, list: &mut SearchResults) -> Result<(), ToolError> {
        if self.wants_all {
            pages::append_rest(self.paths, self.root, &mut self.params, list).await?;
        }
        Ok(())
    }

    /// Fetches the first page. When every page is wanted, it may be made smaller; a limit that the person set is kept.
    async fn first_page(&mut self) -> Result<SearchResults, ToolError> {
        if self.wants_all {
            pages::page(self.paths, self.root, &mut self.params).await
        } else {
            ask::ask_at_once(self.paths.clone(), self.root, self.params.clone()).await
        }
    }
}

/// Merges the results for several languages, which have no file in common.
fn merge(lists: Vec<SearchResults>, most: Option<usize>) -> SearchResults {
    let mut lists = lists.into_iter();
    let mut merged = lists.next().unwrap_or_default();
    for list in lists {
        merged.results.extend(list.results);
        merged.total += list.total;
        merged.elapsed_ms += list.elapsed_ms;
        merged.freshness = pages::worse(std::mem::take(&mut merged.freshness), list.freshness);
        if let (Some(coverage), Some(other)) = (&mut merged.coverage, list.coverage) {
            coverage.lines += other.lines;
            coverage.matches += other.matches;
            coverage.files += other.files;
            coverage.searched += other.searched;
            coverage.skipped.extend(other.skipped);
            coverage.unsearched += other.unsearched;
        }
        if let (Some(all), Some(language)) = (&mut merged.language, list.language) {
            *all = format!("{all}, {language}");
        }
    }
    if merged.mode.is_exhaustive() {
        let place = |hit: &SearchHit| (hit.root.clone(), hit.path.clone(), hit.start_line);
        merged.results.sort_by_cached_key(place);
    } else {
        merged.results.sort_by(|one, other| {
            let by_score = other.score.total_cmp(&one.score);
            other.definition.cmp(&one.definition).then(by_score)
        });
    }
    merged.results.truncate(most.unwrap_or(usize::MAX));
    // No cursor leads on in several lists.
    (merged.cursor, merged.remaining) = (None, 0);
    let left = merged.total.saturating_sub(merged.results.len() as u64);
    merged.truncated = left > 0;
    if merged.truncated {
        let line = Line::new().number(left).text(" more: raise ");
        merged.advice = Some(line.parameter("limit"));
    } else if !merged.results.is_empty() {
        merged.advice = None;
    }
    merged
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::tools::search::{Coverage, SearchMode};

    use super::*;

    fn list(mode: SearchMode, language: &str, hits: &[(&str, u32, f64)]) -> SearchResults {
        SearchResults {
            mode,
            language: Some(language.to_owned()),
            total: hits.len() as u64,
            results: hits
                .iter()
                .map(|(path, line, score)| SearchHit {
                    path: (*path).to_owned(),
                    start_line: *line,
                    score: *score,
                    ..SearchHit::default()
                })
                .collect(),
            coverage: mode.is_exhaustive().then(|| Coverage {
                lines: hits.len() as u64,
                searched: 10,
                ..Coverage::default()
            }),
            advice: Some("try something else".into()),
            ..SearchResults::default()
        }
    }

    #[test]
    fn lines_of_several_languages_are_in_the_order_of_paths() {
        let mode = SearchMode::Literal;
        let merged = merge(
            vec![
                list(mode, "rust", &[("a.rs", 3, 1.0), ("c.rs", 1, 1.0)]),
                list(mode, "python", &[("b.py", 2, 1.0)]),
            ],
            None,
        );
        let places: Vec<_> = merged.results.iter().map(|hit| hit.path.as_str()).collect();
        assert_eq!(places, ["a.rs", "b.py", "c.rs"]);
        let coverage = merged.coverage.expect("coverage");
        assert_eq!(
            (merged.total, coverage.lines, coverage.searched),
            (3, 3, 20)
        );
        assert_eq!(merged.language.as_deref(), Some("rust, python"));
        assert_eq!((merged.truncated, merged.advice), (false, None));
    }

    #[test]
    fn ranked_results_of_several_languages_are_in_the_order_of_scores() {
        let mode = SearchMode::Auto;
        let mut second = list(mode, "python", &[("b.py", 2, 0.7), ("d.py", 2, 0.9)]);
        second.results[1].definition = true;
        let merged = merge(
            vec![
                list(mode, "rust", &[("a.rs", 3, 1.0), ("c.rs", 1, 0.2)]),
                second,
            ],
            Some(3),
        );
        let places: Vec<_> = merged.results.iter().map(|hit| hit.path.as_str()).collect();
        assert_eq!(places, ["d.py", "a.rs", "b.py"]);
        assert_eq!((merged.total, merged.truncated), (4, true));
        let advice = merged.advice.expect("advice").to_string();
        assert!(advice.starts_with("1 more"), "{advice}");
    }
}
