//! Turns the parameters of a search into hits, for the tools `search` and `explore`: opens the roots, searches lines or ranks
//! chunks depending on the mode, and cuts a page. [`crate::search`] decides what matches and in which order.

mod advice;
mod constants;
mod filter;
mod functions;
pub mod hit;
mod lines;
mod messages;
mod missing_words;
mod near_names;
mod ranked;
mod recent_pages;
mod recent_reports;
mod request;
mod root;
mod root_ranking;
#[cfg(test)]
mod testing;
mod unindexed;

use std::time::{Duration, Instant};

use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::hits::SearchHit;
use claudevil_protocol::answer::scope::ALL_ROOTS;
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::search::{Coverage, Search, SearchMode, SearchResults};
use claudevil_protocol::{ErrorCode, ToolError};

pub use self::recent_pages::release as release_pages;
use self::request::SearchRequest;
use self::root::SearchRoot;
use super::Context;
use super::shared::all_roots;
use super::shared::progress::to_answer;
use crate::index::similarity::QueryVectors;
use crate::roots::RootFolder;
use crate::search::rank::Evidence;
use crate::source::globs::relative;

/// The time limit of a search through files, including the walk. It is below the deadline of the call, so that results found by
/// then are still returned.
const TIME: Duration = Duration::from_secs(20);

/// Search results, with the evidence that `explore` needs to select among them.
pub struct CodeSearch {
    pub results: SearchResults,
    /// The evidence for each result of a ranking.
    pub evidence: Vec<Evidence>,
    /// True if no result has a word of the query or is near in meaning.
    pub has_no_match: bool,
    /// The vectors of the query, if it was ranked by meaning.
    pub meaning: Option<QueryVectors>,
}

pub fn search(context: &Context, params: &Search) -> Result<CodeSearch, ToolError> {
    let started = Instant::now();
    let mut places = context.roots.resolve_all(context.call)?;
    let asks_all_roots = all_roots::asks_all(context);
    if places.is_empty() {
        return Err(
            ToolError::new(ErrorCode::RootNotFound, "no roots are known yet").with_hint(
                Line::from(
                    NextCall::new("manage_roots")
                        .with("action", "add")
                        .with("path", "…"),
                )
                .text(" adds one"),
            ),
        );
    }
    let owner = params
        .path
        .as_deref()
        .and_then(|glob| root_of_glob(&places, glob));
    if let Some(owner) = &owner {
        places.retain(|place| place.root.path == *owner);
    }
    let request = SearchRequest::new(params, owner.as_deref(), asks_all_roots)?;
    let (roots, mut freshness) = open_roots(context, places, &request)?;
    let page = match request.mode {
        SearchMode::Literal | SearchMode::Regex => lines::search(context, &request, &roots)?,
        _ => recent_pages::get_or_rank(&request, &roots, || {
            ranked::search(context, &request, &roots)
        })?,
    };
    // Indexing starts only now, because it takes all processors while the caller waits for this answer.
    for root in roots.iter().filter(|root| root.indexed.is_none()) {
        context.indexes.warm(&root.record)?;
    }
    if page.is_incomplete && page.total == 0 && !asks_all_roots {
        return Err(advice::out_of_time(&page));
    }
    for note in &page.notes {
        freshness.add_note(note.clone());
    }
    let freshness = freshness.with_stale(page.stale.clone());
    let is_behind = freshness.is_unfinished() || freshness.stale_total > 0;
    let advice = page
        .hits
        .is_empty()
        .then(|| advice::advise(&request, &roots, &page, is_behind));
    let (root, root_name, folder) = match &roots[..] {
        [only] if !asks_all_roots => (
            only.record.path.clone(),
            only.record.name.clone(),
            only.folder.clone(),
        ),
        _ => (ALL_ROOTS.to_owned(), "all roots".to_owned(), None),
    };
    let shown = page.offset + page.hits.len() as u64 + page.gone;
    let mut results = SearchResults {
        root,
        root_name,
        folder,
        max_tokens: params.common().max_tokens,
        freshness,
        query: request.shown_query(),
        report: request.report_id.clone(),
        mode: request.mode,
        target: params.target.unwrap_or_default(),
        language: request
            .filter
            .language
            .map(|language| language.id.to_owned()),
        path: params.path.clone(),
        kind: params.kind,
        context_lines: params.context_lines,
        detailed: params.detailed.unwrap_or(false),
        remaining: page.total.saturating_sub(shown),
        total: page.total,
        coverage: page.coverage,
        offset: page.offset,
        truncated: false,
        cursor: None,
        limit: params.limit(),
        advice,
        results: page.hits,
        elapsed_ms: (started.elapsed().as_secs_f64() * 100_000.0).round() / 100.0,
    };
    results.set_cursor();
    Ok(CodeSearch {
        results,
        evidence: page.evidence,
        has_no_match: page.has_no_match,
        meaning: page.meaning,
    })
}

/// Returns the path of the innermost root that contains an absolute glob.
fn root_of_glob(places: &[RootFolder], glob: &str) -> Option<String> {
    let owners = places
        .iter()
        .map(|place| &place.root.path)
        .filter(|root| relative(root, glob).is_some());
    owners.max_by_key(|root| root.len()).cloned()
}

/// Opens the roots, and merges their freshness. In a search of all roots, those that cannot be opened are left out and noted.
fn open_roots(
    context: &Context,
    places: Vec<RootFolder>,
    request: &SearchRequest<'_>,
) -> Result<(Vec<SearchRoot>, Freshness), ToolError> {
    let (roots, unavailable) = all_roots::open_each(context, places, |place| {
        SearchRoot::open(context, place, request)
    })?;
    let mut freshness = Freshness::default();
    for root in &roots {
        if request.mode.is_exhaustive() && !root.is_current() {
            // The search reads the tree itself, so gaps in the index do not matter.
            continue;
        }
        if let Some(indexed) = &root.indexed {
            let name = request.asks_all_roots.then_some(root.record.name.as_str());
            all_roots::merge_freshness(&mut freshness, &indexed.freshness, name);
        } else {
            let progress = context
                .indexes
                .loaded(root.record.id)
                .map(|index| index.progress());
            freshness.partial = Some(to_answer(&progress.unwrap_or_default()));
        }
    }
    all_roots::note_unavailable(&mut freshness, &unavailable);
    Ok((roots, freshness))
}

/// A page of hits from all roots that are searched.
#[derive(Clone, Default)]
struct HitPage {
    hits: Vec<SearchHit>,
    /// The evidence for each hit of a ranking.
    evidence: Vec<Evidence>,
    /// True if no hit has a word of the query or is near in meaning.
    has_no_match: bool,
    /// The vectors of the query, if it was ranked by meaning.
    meaning: Option<QueryVectors>,
    /// Hits on all pages.
    total: u64,
    /// Hits before the page.
    offset: u64,
    coverage: Option<Coverage>,
    /// Hits of the page whose files have been removed since they were indexed.
    gone: u64,
    notes: Vec<String>,
    /// Advice for an empty page that is more specific than the general one.
    advice: Option<Line>,
    /// Files that have changed since they were indexed.
    stale: Vec<String>,
    /// True if not every file could be searched.
    is_incomplete: bool,
    /// True if the chosen model did not answer. The same query may soon rank differently, so the page is not cached.
    is_provisional: bool,
}

impl HitPage {
    /// Prefixes the notes from `first` on with the name of their root. `root` is none if only one root is searched.
    fn name_notes(&mut self, first: usize, root: Option<&str>) {
        if let Some(root) = root {
            for note in &mut self.notes[first..] {
                *note = format!("{root}: {note}");
            }
        }
    }

    fn note_unreadable(&mut self, paths: &[String]) {
        if let Some((first, more)) = paths.split_first() {
            let more = if more.is_empty() {
                String::new()
            } else {
                format!(" and {} more", more.len())
            };
            self.notes.push(format!(
                "not searched, because it cannot be read: {first}{more}"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_name_their_root_if_there_are_several() {
        let mut page = HitPage {
            notes: vec!["of all".to_owned()],
            ..HitPage::default()
        };
        page.note_unreadable(&["a".to_owned()]);
        page.name_notes(1, None);
        let first = page.notes.len();
        page.note_unreadable(&["b".to_owned(), "c".to_owned()]);
        page.name_notes(first, Some("shop"));
        assert_eq!(
            page.notes,
            [
                "of all",
                "not searched, because it cannot be read: a",
                "shop: not searched, because it cannot be read: b and 1 more",
            ]
        );
    }
}
