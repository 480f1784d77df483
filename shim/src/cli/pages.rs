//! Fetches whole lists, page by page, each page as large as one message allows.

use std::path::Path;

use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::service::RemoteTool;
use claudevil_protocol::tools::list_files::{FileList, ListFiles};
use claudevil_protocol::tools::search::{Coverage, Search, SearchResults};
use claudevil_protocol::{ErrorCode, ToolError};

use super::ask;

/// A tool whose answer is a page of a list.
pub trait PagedTool: RemoteTool {
    fn cursor(&mut self) -> &mut Option<String>;
    fn limit(&mut self) -> &mut Option<u32>;
    /// Returns the cursor of the page after this one.
    fn after(page: &Self::Answer) -> Option<&String>;
    /// Adds the next page to those before it.
    fn append(list: &mut Self::Answer, next: Self::Answer);
}

/// Fetches a page. If it is too large for a message, smaller pages are fetched from here on.
pub async fn page<P: PagedTool>(
    paths: &Paths,
    root: Option<&Path>,
    params: &mut P,
) -> Result<P::Answer, ToolError> {
    loop {
        match (
            ask::ask_at_once(paths.clone(), root, params.clone()).await,
            *params.limit(),
        ) {
            (Err(error), Some(limit)) if error.code == ErrorCode::TooLarge && limit > 1 => {
                *params.limit() = Some(limit / 2);
            }
            (answer, _) => return answer,
        }
    }
}

/// Fetches the page after one, if there is any.
pub async fn next<P: PagedTool>(
    paths: &Paths,
    root: Option<&Path>,
    params: &mut P,
    last: &P::Answer,
) -> Result<Option<P::Answer>, ToolError> {
    let after = P::after(last).cloned();
    // A cursor that does not advance is not followed.
    if after.is_none() || after == *params.cursor() {
        return Ok(None);
    }
    *params.cursor() = after;
    page(paths, root, params).await.map(Some)
}

/// Fetches all pages after the first and appends them to it.
pub async fn append_rest<P: PagedTool>(
    paths: &Paths,
    root: Option<&Path>,
    params: &mut P,
    list: &mut P::Answer,
) -> Result<(), ToolError> {
    while let Some(next) = next(paths, root, params, list).await? {
        P::append(list, next);
    }
    Ok(())
}

impl PagedTool for Search {
    fn cursor(&mut self) -> &mut Option<String> {
        &mut self.cursor
    }

    fn limit(&mut self) -> &mut Option<u32> {
        &mut self.limit
    }

    fn after(page: &SearchResults) -> Option<&String> {
        page.cursor.as_ref()
    }

    fn append(list: &mut SearchResults, next: SearchResults) {
        list.results.extend(next.results);
        list.limit = at_least(list.limit, list.results.len());
        list.freshness = worse(std::mem::take(&mut list.freshness), next.freshness);
        (list.remaining, list.truncated, list.cursor) =
            (next.remaining, next.truncated, next.cursor);
        list.total = next.total;
        list.coverage = worse_coverage(list.coverage.take(), next.coverage);
        list.elapsed_ms += next.elapsed_ms;
    }
}

impl PagedTool for ListFiles {
    fn cursor(&mut self) -> &mut Option<String> {
        &mut self.cursor
    }

    fn limit(&mut self) -> &mut Option<u32> {
        &mut self.limit
    }

    fn after(page: &FileList) -> Option<&String> {
        page.cursor.as_ref()
    }

    fn append(list: &mut FileList, next: FileList) {
        list.files.extend(next.files);
        list.limit = at_least(list.limit, list.files.len());
        list.freshness = worse(std::mem::take(&mut list.freshness), next.freshness);
        (list.remaining, list.truncated, list.cursor) =
            (next.remaining, next.truncated, next.cursor);
        list.total = next.total;
    }
}

fn at_least(limit: u32, items: usize) -> u32 {
    limit.max(u32::try_from(items).unwrap_or(u32::MAX))
}

/// Returns the freshness of a list of two pages, with the gaps of both.
pub fn worse(one: Freshness, other: Freshness) -> Freshness {
    let (stale, stale_total) = if other.stale_total > one.stale_total {
        (other.stale, other.stale_total)
    } else {
        (one.stale, one.stale_total)
    };
    Freshness {
        partial: one.partial.or(other.partial),
        stale,
        stale_total,
        note: one.note.or(other.note),
    }
}

/// Returns the coverage of a list of two pages. Each page searches the files again: the later one is returned, unless fewer files
/// were searched for the other.
pub fn worse_coverage(one: Option<Coverage>, other: Option<Coverage>) -> Option<Coverage> {
    let unsearched = |coverage: &Option<Coverage>| {
        let coverage = coverage.as_ref();
        coverage.map_or(0, |coverage| coverage.unsearched)
    };
    if unsearched(&one) > unsearched(&other) {
        one
    } else {
        other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_the_gaps_of_each_page() {
        let page = |stale: &[&str], note: Option<&str>, unsearched| SearchResults {
            freshness: Freshness {
                note: note.map(Into::into),
                ..Freshness::default().with_stale(stale.iter().map(|file| (*file).to_owned()))
            },
            coverage: Some(Coverage {
                unsearched,
                ..Coverage::default()
            }),
            ..SearchResults::default()
        };
        for (first, second) in [
            (page(&["a.rs"], Some("slow"), 2), page(&[], None, 0)),
            (page(&[], None, 0), page(&["a.rs"], Some("slow"), 2)),
            (page(&["a.rs"], None, 0), page(&[], Some("slow"), 2)),
        ] {
            let mut list = first;
            Search::append(&mut list, second);
            let expected = page(&["a.rs"], Some("slow"), 2);
            assert_eq!(list.freshness, expected.freshness);
            assert_eq!(list.coverage, expected.coverage);
        }
    }
}
