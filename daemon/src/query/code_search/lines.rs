//! Finds every line that contains a text or matches a pattern, in the files as they are now.
//!
//! A current index lists the files, and rules out those that cannot match. Otherwise the tree is walked, and the index is used
//! only for files that have not changed, so the answer is correct even while the root is being loaded or first indexed, or its
//! index is stale.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::freshness::unused_rules;
use claudevil_protocol::answer::hits::SearchHit;
use claudevil_protocol::tools::search::{Coverage, SearchMode, SearchTarget};

use super::request::SearchRequest;
use super::root::SearchRoot;
use super::{HitPage, TIME, unindexed};
use crate::extract::facts::Symbol;
use crate::index::snapshot::IndexedFile;
use crate::lang::Language;
use crate::query::Context;
use crate::query::shared::languages::detect_language;
use crate::query::shared::skip_reasons::skip_counts;
use crate::search::grep::lines::symbol_at_byte;
use crate::search::grep::reader::RedactedText;
use crate::search::grep::{
    self, GrepRequest, GrepResult, LineHit, MatchFilter, PageStart, Pattern, SearchableFile,
};
use crate::search::scan::FileListing;
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;
use crate::source::walk::Rules;
use crate::store::ledger::record::Skip;

pub fn search(
    context: &Context,
    request: &SearchRequest<'_>,
    roots: &[SearchRoot],
) -> Result<HitPage, ToolError> {
    let pattern = match request.mode {
        SearchMode::Regex => Pattern::regex(&request.params.query)?,
        _ => Pattern::literal(&request.params.query)?,
    };
    let last = request
        .after
        .as_ref()
        .and_then(|after| last_location(request, roots, &after.path));
    let only = |file: &IndexedFile, text: &RedactedText<'_>, at: usize| {
        request.matches_location(file, text, at)
    };
    let only: Option<&MatchFilter<'_>> = request.is_about_symbols().then_some(&only);
    let until = Instant::now() + TIME;
    let mut page = HitPage::default();
    let mut coverage = Coverage::default();
    let mut skipped = BTreeMap::<Skip, u64>::new();
    for (number, root) in roots.iter().enumerate() {
        context.cancel.check()?;
        let first_note = page.notes.len();
        let from = match (&request.after, last) {
            (Some(_), Some((of, _))) if number < of => PageStart::AfterMatches(u64::MAX),
            (Some(after), Some((of, path))) if number == of => PageStart::AfterLine {
                path,
                line: after.line,
            },
            (Some(after), None) => {
                PageStart::AfterMatches(after.shown.saturating_sub(coverage.lines))
            }
            _ => PageStart::AfterMatches(0),
        };
        let grep_request = GrepRequest {
            pattern: &pattern,
            from,
            limit: (request.params.limit() as usize).saturating_sub(page.hits.len()),
            largest_file: context.indexes.shared().settings.largest_file,
            until,
            cancel: context.cancel,
            only,
            share: root.share(),
        };
        let dir = &root.dir;
        let builder = LineHitBuilder {
            dir,
            request,
            root,
            largest: grep_request.largest_file,
            cancel: context.cancel,
        };
        let snapshot = root.snapshot(context);
        if root.is_current() {
            let is_wanted = |file: &Arc<IndexedFile>| request.matches_file(root, file);
            let found = grep::grep(dir, &snapshot.files, &is_wanted, &grep_request)?;
            add_found(&mut page, &mut coverage, &mut skipped, &found, &builder)?;
            page.note_unreadable(
                root.indexed
                    .as_ref()
                    .map_or(&[], |indexed| &indexed.unreadable),
            );
        } else {
            let listing = FileListing::new(
                root.record.path.as_ref(),
                &Rules::new(&root.record.include, &root.record.exclude)?,
                until,
                context.cancel,
            )?;
            page.is_incomplete |= !listing.is_whole;
            page.note_unreadable(&listing.unreadable);
            page.notes.extend(unused_rules(&listing.unused_rules));
            let files = listing.join(&snapshot);
            let found = grep::grep(
                dir,
                &files,
                &|file| request.matches_file(root, file),
                &grep_request,
            )?;
            add_found(&mut page, &mut coverage, &mut skipped, &found, &builder)?;
            if only.is_some() && files.iter().any(|file| file.indexed().is_none()) {
                page.notes.push(unindexed::NO_SYMBOLS.to_owned());
            }
        }
        let has_secrets = |file: &&Arc<IndexedFile>| {
            !file.outline.redactions.is_empty() && request.matches_file(root, *file)
        };
        let blanked = snapshot.files.iter().filter(has_secrets).count();
        if blanked > 0 && request.after.is_none() {
            let files = if blanked == 1 {
                "1 file"
            } else {
                &format!("{blanked} files")
            };
            page.notes
                .push(format!("secrets in {files} are blanked, and not searched"));
        }
        page.name_notes(first_note, request.name_of(root));
    }
    coverage.skipped = skip_counts(skipped);
    page.is_incomplete |= coverage.unsearched > 0;
    page.total = coverage.lines;
    page.coverage = Some(coverage);
    Ok(page)
}

/// Returns the root and the path at which the previous page ended; none if the root has been removed.
fn last_location<'a>(
    request: &SearchRequest<'_>,
    roots: &[SearchRoot],
    path: &'a str,
) -> Option<(usize, &'a str)> {
    if !request.asks_all_roots {
        return Some((0, path));
    }
    let (root, path) = path.split_once('/')?;
    Some((
        roots
            .iter()
            .position(|searched| searched.record.name == root)?,
        path,
    ))
}

/// Adds the hits and counts of one root.
fn add_found<F: SearchableFile>(
    page: &mut HitPage,
    coverage: &mut Coverage,
    skipped: &mut BTreeMap<Skip, u64>,
    found: &GrepResult<F>,
    builder: &LineHitBuilder<'_>,
) -> Result<(), ToolError> {
    page.offset += found.before;
    for hit in &found.hits {
        builder.cancel.check()?;
        page.hits.push(builder.build(hit));
    }
    coverage.lines += found.lines;
    coverage.matches += found.matches;
    coverage.files += found.files.len() as u64;
    coverage.searched += found.searched;
    coverage.unsearched += found.left;
    for (skip, files) in &found.skipped {
        *skipped.entry(*skip).or_default() += files;
    }
    Ok(())
}

impl SearchRequest<'_> {
    /// Returns whether the request limits matches to symbols of a kind or to definitions.
    fn is_about_symbols(&self) -> bool {
        self.filter.kind.is_some() || self.filter.target == SearchTarget::Definitions
    }

    fn matches_file(&self, root: &SearchRoot, file: &impl SearchableFile) -> bool {
        let folder = root.folder.as_deref();
        // Line search does not distinguish comments from code, so documentation means prose files only.
        let is_prose =
            |language: Option<&Language>| language.is_some_and(|language| language.prose);
        let wants_prose = self.filter.target == SearchTarget::Docs;
        match file.indexed() {
            Some(indexed) => {
                self.filter.matches(indexed, folder) && (!wants_prose || is_prose(indexed.language))
            }
            None => {
                self.filter
                    .matches_unindexed(&root.dir, file.path(), folder)
                    && (!wants_prose || is_prose(detect_language(&root.dir, file.path())))
            }
        }
    }

    /// Returns whether a match is inside a symbol of the wanted kind and, if definitions are wanted, on the line of its name.
    fn matches_location(&self, file: &IndexedFile, text: &RedactedText<'_>, at: usize) -> bool {
        let symbols = &file.outline.symbols;
        let byte = text.start + at;
        let is_of_kind = |symbol: &Symbol| self.filter.kind.is_none_or(|kind| symbol.kind == kind);
        let is_named = |symbol: &Symbol| {
            let start = (symbol.start_byte as usize).saturating_sub(text.start);
            let lines = text
                .bytes
                .get(start..at)
                .map_or(0, |before| memchr::memchr_iter(b'\n', before).count());
            symbol.start_line as usize + lines == symbol.name_line as usize
        };
        let innermost = symbol_at_byte(symbols, u32::try_from(byte).unwrap_or(u32::MAX));
        let mut around = std::iter::successors(
            innermost.and_then(|at| symbols.get(at as usize)),
            |symbol| symbols.get(symbol.parent? as usize),
        );
        around.any(|symbol| {
            is_of_kind(symbol)
                && (self.filter.target != SearchTarget::Definitions || is_named(symbol))
        })
    }
}

/// Builds the hits of one root from its matched lines.
struct LineHitBuilder<'a> {
    dir: &'a RootDir,
    request: &'a SearchRequest<'a>,
    root: &'a SearchRoot,
    largest: u64,
    cancel: &'a CancelToken,
}

impl LineHitBuilder<'_> {
    fn build<F: SearchableFile>(&self, hit: &LineHit<F>) -> SearchHit {
        let indexed = hit.file.indexed();
        let symbol = indexed
            .zip(hit.symbol)
            .and_then(|(file, at)| Some((file, file.outline.symbols.get(at as usize)?)));
        let (before, after) = (
            if hit.is_cut_before { "…" } else { "" },
            if hit.is_cut_after { "…" } else { "" },
        );
        let own = format!("{before}{}{after}", hit.text);
        let around = self.request.params.context_lines.filter(|lines| *lines > 0);
        let around = around
            .and_then(|lines| grep::around(self.dir, &hit.file, hit.line, lines, self.largest));
        let mut around = around.unwrap_or_else(|| vec![(hit.line, own.clone())]);
        // The matched line stays cut to the part around the match, if it is long.
        around
            .iter_mut()
            .filter(|(line, _)| *line == hit.line)
            .for_each(|(_, text)| text.clone_from(&own));
        let (snippet_lines, shown): (Vec<u32>, Vec<String>) = around.into_iter().unzip();
        let snippet = shown.join("\n");
        SearchHit {
            root: self
                .request
                .asks_all_roots
                .then(|| self.root.record.name.clone()),
            path: hit.file.path().to_owned(),
            start_line: hit.line,
            end_line: hit.line,
            columns: Some(hit.columns.iter().map(|column| column + 1).collect()),
            symbol: symbol.map(|(file, symbol)| file.qualified(symbol)),
            kind: symbol.map(|(_, symbol)| symbol.kind),
            language: indexed
                .and_then(|file| file.language)
                .map(|language| language.id.to_owned()),
            score: 1.0,
            snippet,
            snippet_lines,
            ..SearchHit::default()
        }
    }
}
