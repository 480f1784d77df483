//! Ranks the files of a root whose first index is not complete, by words alone.

use std::time::Instant;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::freshness::unused_rules;
use claudevil_protocol::answer::hits::SearchHit;
use claudevil_protocol::tools::search::SearchTarget;

use super::request::SearchRequest;
use super::root::SearchRoot;
use super::{HitPage, TIME};
use crate::query::Context;
use crate::search::grep::reader::{FileContent, Reader};
use crate::search::scan::{self, FileListing, UnindexedFile};
use crate::search::syntax::Expr;
use crate::source::walk::{Rules, WalkedFile};

/// Files that are ranked for a keyword query, most of which may not match it.
const MAX_FOR_KEYWORDS: usize = 100;

/// Lines of a window that are shown.
const LINES_SHOWN: usize = 6;

/// The note about files that are not indexed, if the search filters by symbols.
pub const NO_SYMBOLS: &str =
    "`kind` and `target` need the index: lines of files that are not indexed yet are all listed";

/// Returns the windows of lines that rank best by words; for a keyword query, only those of files that match the whole query.
pub fn rank_files(
    context: &Context,
    request: &SearchRequest<'_>,
    root: &SearchRoot,
    expression: Option<&Expr>,
    words: &str,
    page: &mut HitPage,
) -> Result<Vec<(f32, SearchHit)>, ToolError> {
    let until = Instant::now() + TIME;
    page.notes
        .push("this project is new: ranked by words alone until it is indexed".into());
    if request.filter.kind.is_some() || request.filter.target == SearchTarget::Definitions {
        page.notes.push(NO_SYMBOLS.to_owned());
    }
    let Some(question) = scan::WordQuery::new(words) else {
        return Ok(vec![]);
    };
    let listing = FileListing::new(
        root.record.path.as_ref(),
        &Rules::new(&root.record.include, &root.record.exclude)?,
        until,
        context.cancel,
    )?;
    let folder = root.folder.as_deref();
    let is_wanted = |file: &WalkedFile| {
        request
            .filter
            .matches_unindexed(&root.dir, &file.path, folder)
    };
    let largest_file = context.indexes.shared().settings.largest_file;
    // One extra result is requested, to find out whether there is another page.
    let shown = usize::try_from(request.before())
        .unwrap_or(MAX_FOR_KEYWORDS)
        .saturating_add(request.params.limit() as usize + 1);
    let scan_request = scan::ScanRequest {
        question: &question,
        limit: if expression.is_some() {
            MAX_FOR_KEYWORDS.max(shown)
        } else {
            shown
        }
        .min(super::ranked::MAX_RESULTS),
        largest_file,
        until,
        share: root.share(),
        cancel: context.cancel,
    };
    let mut found = scan::scan_words(&root.dir, &listing.files, &is_wanted, &scan_request)?;
    if !found.complete || !listing.is_whole {
        page.is_incomplete = true;
        page.notes.push(format!(
            "only {} of {} files were searched in time",
            found.searched,
            listing.files.len()
        ));
    }
    page.note_unreadable(&listing.unreadable);
    page.notes.extend(unused_rules(&listing.unused_rules));
    if let Some(expression) = expression {
        let mut reader = Reader::new(&root.dir, largest_file);
        found.windows.retain(|window| {
            let file = listing
                .files
                .binary_search_by(|file| file.path.cmp(&window.path));
            file.is_ok_and(|at| match reader.open(&listing.files[at]) {
                FileContent::Text(text) => {
                    expression.matches(&UnindexedFile::new(&window.path, text.bytes))
                }
                FileContent::Gone | FileContent::Skipped(_) => false,
            })
        });
    }
    let hits = found.windows.into_iter().map(|window| {
        let (snippet_lines, lines): (Vec<u32>, Vec<String>) =
            window.lines.into_iter().take(LINES_SHOWN).unzip();
        let hit = SearchHit {
            root: request.asks_all_roots.then(|| root.record.name.clone()),
            path: window.path,
            start_line: window.start_line,
            end_line: window.end_line,
            snippet: lines.join("\n"),
            snippet_lines,
            ..SearchHit::default()
        };
        (window.score, hit)
    });
    Ok(hits.collect())
}
