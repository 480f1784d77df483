//! The parameters of a search, parsed.

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::hits::SearchCursor;
use claudevil_protocol::tools::search::{Search, SearchMode};

use super::filter::Filter;
use super::root::SearchRoot;
use crate::query::shared::paging::decode_cursor;
use crate::search::syntax;

pub struct SearchRequest<'a> {
    pub params: &'a Search,
    pub mode: SearchMode,
    pub filter: Filter,
    pub after: Option<SearchCursor>,
    /// Each result is shown with its root.
    pub asks_all_roots: bool,
}

impl<'a> SearchRequest<'a> {
    /// `root` is the path of the root that the glob is in, if it is absolute.
    pub fn new(
        params: &'a Search,
        root: Option<&str>,
        asks_all_roots: bool,
    ) -> Result<Self, ToolError> {
        let mode = match params.mode.unwrap_or_default() {
            SearchMode::Auto if syntax::has_operators(&params.query) => SearchMode::Keyword,
            mode => mode,
        };
        Ok(Self {
            params,
            mode,
            filter: Filter::new(params, root)?,
            after: decode_cursor(params.cursor.as_deref(), SearchCursor::decode)?,
            asks_all_roots,
        })
    }
}

impl SearchRequest<'_> {
    /// Returns the number of results before the page, which begins behind the last result of the page before, wherever that is
    /// now.
    pub fn offset(&self, is_last: impl Fn(&SearchCursor, usize) -> bool, length: usize) -> usize {
        let Some(after) = &self.after else { return 0 };
        let before = usize::try_from(after.before)
            .unwrap_or(usize::MAX)
            .min(length);
        if before > 0 && is_last(after, before - 1) {
            return before;
        }
        (0..length)
            .find(|at| is_last(after, *at))
            .map_or(before, |at| at + 1)
    }

    /// Returns the path of a file, with its root in a search of all roots.
    pub fn shown_path(&self, root: &SearchRoot, path: &str) -> String {
        if self.asks_all_roots {
            format!("{}/{path}", root.record.name)
        } else {
            path.to_owned()
        }
    }

    pub fn before(&self) -> u64 {
        self.after.as_ref().map_or(0, |after| after.before)
    }
}
