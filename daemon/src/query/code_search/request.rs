//! The parameters of a search, parsed.

use std::borrow::Cow;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::ListCursor;
use claudevil_protocol::text::truncate;
use claudevil_protocol::tools::search::{Search, SearchMode};

use super::filter::Filter;
use super::recent_reports;
use super::root::SearchRoot;
use crate::query::shared::paging::decode_cursor;
use crate::search::report::Report;
use crate::search::syntax;

/// The most characters of a report's title that an answer repeats.
const LONGEST_TITLE: usize = 120;

pub struct SearchRequest<'a> {
    pub params: &'a Search,
    pub mode: SearchMode,
    /// The query as a report, if it is one.
    pub report: Option<Report>,
    /// The id by which a cursor finds the report again.
    pub report_id: Option<String>,
    pub filter: Filter,
    pub after: Option<ListCursor>,
    /// True if all roots are searched; each result is then shown with its root.
    pub asks_all_roots: bool,
}

impl<'a> SearchRequest<'a> {
    /// Parses the parameters; `root` is the root that contains the glob, if the glob is absolute.
    pub fn new(
        params: &'a Search,
        root: Option<&str>,
        asks_all_roots: bool,
    ) -> Result<Self, ToolError> {
        // The cursor of a report has its id; the query is then only its title.
        let (id, cursor) = match params.cursor.as_deref().and_then(ListCursor::report) {
            Some((id, cursor)) => (Some(id.to_owned()), Some(cursor)),
            None => (None, params.cursor.as_deref()),
        };
        let text = match &id {
            Some(id) => Cow::Owned(recent_reports::recall(id).ok_or_else(forgotten)?),
            None => Cow::Borrowed(params.query.as_str()),
        };
        // A line with operators is a query, unless it is longer than any pattern may be.
        let is_query = !text.contains('\n')
            && text.chars().count() <= Search::LONGEST_PATTERN
            && syntax::has_operators(&text);
        let report = match params.mode.unwrap_or_default() {
            SearchMode::Auto if !is_query => Report::parse(&text),
            _ => None,
        };
        let report_id = report.is_some().then(|| recent_reports::remember(&text));
        let mode = match params.mode.unwrap_or_default() {
            SearchMode::Auto if report.is_some() => SearchMode::Auto,
            SearchMode::Auto if syntax::has_operators(&params.query) => SearchMode::Keyword,
            mode => mode,
        };
        Ok(Self {
            params,
            mode,
            report,
            report_id,
            filter: Filter::new(params, root)?,
            after: decode_cursor(cursor, ListCursor::decode)?,
            asks_all_roots,
        })
    }
}

impl SearchRequest<'_> {
    /// Returns the number of results before the page. It begins after the last result of the previous page, wherever that
    /// result ranks now.
    pub fn offset(&self, is_last: impl Fn(&ListCursor, usize) -> bool, length: usize) -> usize {
        let Some(after) = &self.after else { return 0 };
        let before = usize::try_from(after.shown)
            .unwrap_or(usize::MAX)
            .min(length);
        if before > 0 && is_last(after, before - 1) {
            return before;
        }
        (0..length)
            .find(|at| is_last(after, *at))
            .map_or(before, |at| at + 1)
    }

    /// Returns the name of a root in a search of all roots.
    pub fn name_of<'r>(&self, root: &'r SearchRoot) -> Option<&'r str> {
        self.asks_all_roots.then_some(root.record.name.as_str())
    }

    /// Returns the path of a file, prefixed with the name of its root in a search of all roots.
    pub fn shown_path(&self, root: &SearchRoot, path: &str) -> String {
        if self.asks_all_roots {
            format!("{}/{path}", root.record.name)
        } else {
            path.to_owned()
        }
    }

    /// Returns the query as an answer repeats it: a report by its title.
    pub fn shown_query(&self) -> String {
        match &self.report {
            Some(report) => truncate(&report.title, LONGEST_TITLE),
            None => self.params.query.clone(),
        }
    }

    pub fn before(&self) -> u64 {
        self.after.as_ref().map_or(0, |after| after.shown)
    }
}

fn forgotten() -> ToolError {
    ToolError::invalid_argument("this cursor has expired")
        .with_hint("search again with the whole report")
}
