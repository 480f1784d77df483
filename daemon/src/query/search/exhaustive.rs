//! Every line that holds a text or matches a pattern, from the files as they are now.
//!
//! An index that is known to be current says which files there are and which cannot match. Otherwise the tree itself is
//! walked, and the index is believed only about files that have not changed: the answer is right at every moment, while
//! the root is loaded, indexed for the first time or behind its files.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::freshness::unused_rules;
use claudevil_protocol::answer::hits::SearchHit;
use claudevil_protocol::answer::index_summary::SkipCount;
use claudevil_protocol::tools::search::{Coverage, SearchMode, SearchTarget};

use super::{Answered, Asked, Project, TIME, unseen};
use crate::extract::facts::Symbol;
use crate::index::snapshot::IndexedFile;
use crate::lang::Language;
use crate::query::Context;
use crate::query::index_status::skip_reason;
use crate::query::list_files::{language_of, rules_of};
use crate::search::grep::lines::symbol_at_byte;
use crate::search::grep::reader::RedactedText;
use crate::search::grep::{
    self, GrepRequest, GrepResult, LineHit, MatchFilter, PageStart, Pattern, SearchableFile,
};
use crate::search::scan::FileListing;
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;
use crate::store::ledger::record::Skip;

pub fn search(
    context: &Context,
    asked: &Asked<'_>,
    projects: &[Project],
) -> Result<Answered, ToolError> {
    let pattern = match asked.mode {
        SearchMode::Regex => Pattern::regex(&asked.params.query)?,
        _ => Pattern::literal(&asked.params.query)?,
    };
    let last = asked
        .after
        .as_ref()
        .and_then(|after| last(asked, projects, &after.path));
    let only =
        |file: &IndexedFile, text: &RedactedText<'_>, at: usize| asked.takes_place(file, text, at);
    let only: Option<&MatchFilter<'_>> = asked.is_about_symbols().then_some(&only);
    let until = Instant::now() + TIME;
    let mut answered = Answered::default();
    let mut coverage = Coverage::default();
    let mut skipped = BTreeMap::<Skip, u64>::new();
    for (number, project) in projects.iter().enumerate() {
        context.cancel.check()?;
        let from = match (&asked.after, last) {
            (Some(_), Some((of, _))) if number < of => PageStart::Skipped(u64::MAX),
            (Some(after), Some((of, path))) if number == of => PageStart::Behind {
                path,
                line: after.start_line,
            },
            (Some(after), None) => PageStart::Skipped(after.before.saturating_sub(coverage.lines)),
            _ => PageStart::Skipped(0),
        };
        let request = GrepRequest {
            pattern: &pattern,
            from,
            limit: (asked.params.limit() as usize).saturating_sub(answered.hits.len()),
            largest_file: context.indexes.shared().settings.largest_file,
            until,
            cancel: context.cancel,
            only,
            share: project.share(),
        };
        let dir = &project.dir;
        let showing = Showing {
            dir,
            asked,
            project,
            largest: request.largest_file,
            cancel: context.cancel,
        };
        let snapshot = project.snapshot(context);
        if project.is_current() {
            let wanted = |file: &Arc<IndexedFile>| asked.takes_file(project, file);
            let found = grep::grep(dir, &snapshot.files, &wanted, &request)?;
            note(&mut answered, &mut coverage, &mut skipped, &found, &showing)?;
            answered.note_unreadable(
                project
                    .indexed
                    .as_ref()
                    .map_or(&[], |indexed| &indexed.unreadable),
            );
        } else {
            let listing = FileListing::new(
                project.root.path.as_ref(),
                &rules_of(&project.root)?,
                until,
                context.cancel,
            )?;
            answered.is_incomplete |= !listing.is_whole;
            answered.note_unreadable(&listing.unreadable);
            answered.notes.extend(unused_rules(&listing.unused_rules));
            let files = listing.joined(&snapshot);
            let found = grep::grep(
                dir,
                &files,
                &|file| asked.takes_file(project, file),
                &request,
            )?;
            note(&mut answered, &mut coverage, &mut skipped, &found, &showing)?;
            if only.is_some() && files.iter().any(|file| file.indexed().is_none()) {
                answered.notes.push(unseen::NO_SYMBOLS.to_owned());
            }
        }
        let has_secrets = |file: &&Arc<IndexedFile>| {
            !file.outline.redactions.is_empty() && asked.takes_file(project, *file)
        };
        let blanked = snapshot.files.iter().filter(has_secrets).count();
        if blanked > 0 && asked.after.is_none() {
            let files = if blanked == 1 {
                "1 file"
            } else {
                &format!("{blanked} files")
            };
            answered
                .notes
                .push(format!("secrets in {files} are blanked, and not searched"));
        }
    }
    coverage.skipped = skipped
        .into_iter()
        .map(|(skip, files)| SkipCount {
            reason: skip_reason(skip),
            files,
        })
        .collect();
    answered.is_incomplete |= coverage.unsearched > 0;
    answered.total = coverage.lines;
    answered.coverage = Some(coverage);
    Ok(answered)
}

/// Which project the last page ended in, and at which of its files; none if it is no longer among them.
fn last<'a>(asked: &Asked<'_>, projects: &[Project], path: &'a str) -> Option<(usize, &'a str)> {
    if !asked.is_of_many {
        return Some((0, path));
    }
    let (root, path) = path.split_once('/')?;
    Some((
        projects
            .iter()
            .position(|project| project.root.name == root)?,
        path,
    ))
}

fn note<F: SearchableFile>(
    answered: &mut Answered,
    coverage: &mut Coverage,
    skipped: &mut BTreeMap<Skip, u64>,
    found: &GrepResult<F>,
    showing: &Showing<'_>,
) -> Result<(), ToolError> {
    answered.offset += found.before;
    for hit in &found.hits {
        showing.cancel.check()?;
        answered.hits.push(showing.hit(hit));
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

impl Asked<'_> {
    /// Whether a match counts only at certain places of a file.
    fn is_about_symbols(&self) -> bool {
        self.filter.kind.is_some() || self.filter.target == SearchTarget::Definitions
    }

    fn takes_file(&self, project: &Project, file: &impl SearchableFile) -> bool {
        let folder = project.folder.as_deref();
        // Lines of documentation inside of a program are not told apart, so of documentation only prose is searched.
        let is_prose =
            |language: Option<&Language>| language.is_some_and(|language| language.prose);
        let wants_prose = self.filter.target == SearchTarget::Docs;
        match file.indexed() {
            Some(indexed) => {
                self.filter.takes(indexed, folder) && (!wants_prose || is_prose(indexed.language))
            }
            None => {
                self.filter
                    .takes_unindexed(&project.dir, file.path(), folder)
                    && (!wants_prose || is_prose(language_of(&project.dir, file.path())))
            }
        }
    }

    /// Whether a match there is in a symbol of the kind, and on a line that names what is defined.
    fn takes_place(&self, file: &IndexedFile, text: &RedactedText<'_>, at: usize) -> bool {
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

/// What is the same for all hits of one root.
struct Showing<'a> {
    dir: &'a RootDir,
    asked: &'a Asked<'a>,
    project: &'a Project,
    largest: u64,
    cancel: &'a CancelToken,
}

impl Showing<'_> {
    fn hit<F: SearchableFile>(&self, hit: &LineHit<F>) -> SearchHit {
        let indexed = hit.file.indexed();
        let symbol = indexed
            .zip(hit.symbol)
            .and_then(|(file, at)| Some((file, file.outline.symbols.get(at as usize)?)));
        let (before, after) = (
            if hit.is_cut_before { "…" } else { "" },
            if hit.is_cut_after { "…" } else { "" },
        );
        let own = format!("{before}{}{after}", hit.text);
        let around = self.asked.params.context_lines.filter(|lines| *lines > 0);
        let around = around
            .and_then(|lines| grep::around(self.dir, &hit.file, hit.line, lines, self.largest));
        let mut around = around.unwrap_or_else(|| vec![(hit.line, own.clone())]);
        // Of a long line, the part with the match.
        around
            .iter_mut()
            .filter(|(line, _)| *line == hit.line)
            .for_each(|(_, text)| text.clone_from(&own));
        let (snippet_lines, shown): (Vec<u32>, Vec<String>) = around.into_iter().unzip();
        let snippet = shown.join("\n");
        SearchHit {
            root: self
                .asked
                .is_of_many
                .then(|| self.project.root.name.clone()),
            path: hit.file.path().to_owned(),
            start_line: hit.line,
            end_line: hit.line,
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
