//! Advice for a search without results.

use claudevil_protocol::text::quantity::count;
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::tools::search::SearchMode;
use claudevil_protocol::{ErrorCode, ToolError};

use super::HitPage;
use super::request::SearchRequest;
use super::root::SearchRoot;
use crate::query::shared::loaded_root::LoadedRoot;

/// The advice if not every file could be searched.
const NOT_YET: &str =
    "nothing found so far: not every file has been searched; ask again in a few seconds";

/// Returns the advice for an empty page; `is_incomplete` means that the index is unfinished or stale.
pub fn advise(
    request: &SearchRequest<'_>,
    roots: &[SearchRoot],
    page: &HitPage,
    is_incomplete: bool,
) -> Line {
    no_files(roots)
        .or_else(|| no_such_files(request, roots))
        .or_else(|| page.advice.clone())
        .unwrap_or_else(|| {
            if page.is_incomplete || is_incomplete {
                NOT_YET.into()
            } else {
                other_words(request)
            }
        })
}

/// Returns the error of a search that found nothing and could not search every file.
pub fn out_of_time(page: &HitPage) -> ToolError {
    let searched = page
        .coverage
        .as_ref()
        .map_or(0, |coverage| coverage.searched);
    let message = format!(
        "nothing found in the {} that could be searched in time",
        count(searched, "file")
    );
    ToolError::new(ErrorCode::Cancelled, message).with_hint(
        Line::new().words("narrow the search with `path` or `language`, or use a simpler pattern"),
    )
}

/// Returns the advice for roots that have no files.
fn no_files(roots: &[SearchRoot]) -> Option<Line> {
    let is_empty = |root: &SearchRoot| {
        root.indexed.as_ref().is_some_and(|indexed| {
            indexed.freshness.partial.is_none() && indexed.snapshot.files.is_empty()
        })
    };
    roots.iter().all(is_empty).then(|| {
        Line::from("nothing found: there are no files to search; ")
            .call(NextCall::new("index_status"))
            .text(" shows what is left out")
    })
}

/// Returns the advice for a search whose glob matches no file.
pub fn no_such_files(request: &SearchRequest<'_>, roots: &[SearchRoot]) -> Option<Line> {
    let glob = request.params.path.as_deref()?;
    let mut indexed = roots
        .iter()
        .map(|root| Some((root, root.indexed.as_ref()?)));
    let has_none = |(root, indexed): (&SearchRoot, &LoadedRoot)| {
        let is_complete = indexed.freshness.partial.is_none();
        let folder = root.folder.as_deref();
        is_complete
            && !indexed
                .snapshot
                .files
                .iter()
                .any(|file| request.filter.matches_path(&file.path, folder))
    };
    indexed.all(|root| root.is_some_and(has_none)).then(|| {
        Line::from("nothing found: no file matches ")
            .either("`path` ", "")
            .name(glob)
            .text("; ")
            .call(NextCall::new("map_code"))
            .text(" shows which files there are")
    })
}

fn other_words(request: &SearchRequest<'_>) -> Line {
    let line = Line::from("nothing found: ");
    let line = if request.filter.is_narrow() {
        line.words("drop `path`, `language`, `kind` or `target`; ")
    } else {
        line
    };
    match request.mode {
        SearchMode::Literal => line
            .mode("auto")
            .text(" finds words in any order and case; ")
            .mode("regex")
            .text(" takes (?i)"),
        SearchMode::Regex => line
            .mode("literal")
            .text(" takes the text as it is; ")
            .mode("auto")
            .text(" finds words in any order and case"),
        SearchMode::Keyword => line
            .text("fewer words, or OR between them, find more; ")
            .mode("auto")
            .text(" ranks what comes nearest"),
        SearchMode::Auto | SearchMode::Semantic => line
            .text("try other words, or ")
            .call(NextCall::new("find_symbol"))
            .text(" with a part of the name"),
    }
}
