//! Every line that holds a text or matches a pattern, out of the files as they are now.

use std::collections::BTreeMap;
use std::sync::Arc;

use claudevil_protocol::ToolError;
use claudevil_protocol::model::search::{Coverage, SearchHit, SearchMode, SkippedFiles};

use super::{Answered, Asked, Project, unseen};
use crate::index::snapshot::IndexedFile;
use crate::query::Context;
use crate::query::index_status::skip_reason;
use crate::query::indexed::Indexed;
use crate::search::grep::{self, Hit, Pattern, Request, Searched};
use crate::source::beneath::RootDir;
use crate::store::ledger::record::Skip;

pub fn search(context: &Context, asked: &Asked<'_>, projects: &[Project]) -> Result<Answered, ToolError> {
    let pattern = match asked.mode {
        SearchMode::Regex => Pattern::regex(&asked.params.query)?,
        _ => Pattern::literal(&asked.params.query)?,
    };
    let mut answered = Answered { offset: asked.before(), ..Answered::default() };
    let mut coverage = Coverage::default();
    let mut skipped = BTreeMap::<Skip, u64>::new();
    for project in projects {
        context.cancel.check()?;
        let request = Request {
            pattern: &pattern,
            skip: asked.before().saturating_sub(coverage.lines),
            limit: (asked.params.limit() as usize).saturating_sub(answered.hits.len()),
            largest_file: context.indexes.shared().settings.largest_file,
            within: grep::TIME,
            cancel: context.cancel,
            stale: project.indexed.as_ref().map_or(&[], |indexed| &indexed.freshness.stale),
        };
        let root = asked.is_of_many.then_some(project.root.name.as_str());
        match &project.indexed {
            Some(indexed) => {
                let found = in_index(asked, indexed, &request)?;
                let dir = RootDir::open(project.root.path.as_ref(), &project.root.name)?;
                answered.hits.extend(found.hits.iter().map(|hit| shown(&dir, asked, root, hit, request.largest_file)));
                note(&mut coverage, &mut skipped, &found);
            }
            None => {
                let found = unseen::lines(asked, project, &request)?;
                let dir = RootDir::open(project.root.path.as_ref(), &project.root.name)?;
                answered.hits.extend(found.hits.iter().map(|hit| shown(&dir, asked, root, hit, request.largest_file)));
                note(&mut coverage, &mut skipped, &found);
            }
        }
    }
    coverage.skipped = skipped
        .into_iter()
        .map(|(skip, files)| SkippedFiles { reason: skip_reason(skip).as_str().to_owned(), files })
        .collect();
    answered.total = coverage.lines;
    answered.coverage = Some(coverage);
    Ok(answered)
}

fn in_index(
    asked: &Asked<'_>,
    indexed: &Indexed,
    request: &Request<'_>,
) -> Result<grep::Outcome<Arc<IndexedFile>>, ToolError> {
    let dir = RootDir::open(indexed.root.path.as_ref(), &indexed.root.name)?;
    let folder = indexed.folder.as_deref();
    let wanted = |file: &Arc<IndexedFile>| asked.filter.takes(file, folder);
    grep::grep(&dir, &indexed.snapshot.files, &wanted, request)
}

fn note<F>(coverage: &mut Coverage, skipped: &mut BTreeMap<Skip, u64>, found: &grep::Outcome<F>) {
    coverage.lines += found.lines;
    coverage.matches += found.matches;
    coverage.files += found.files.len() as u64;
    coverage.searched += found.searched;
    coverage.unsearched += found.left;
    for (skip, files) in &found.skipped {
        *skipped.entry(*skip).or_default() += files;
    }
}

fn shown<F: Searched>(dir: &RootDir, asked: &Asked<'_>, root: Option<&str>, hit: &Hit<F>, largest: u64) -> SearchHit {
    let indexed = hit.file.indexed();
    let symbol = indexed.zip(hit.symbol).and_then(|(file, at)| Some((file, file.outline.symbols.get(at as usize)?)));
    let around = asked.params.context_lines.filter(|lines| *lines > 0);
    let around = around.and_then(|lines| grep::around(dir, &hit.file, hit.line, lines, largest));
    let (snippet, snippet_lines) = around.unwrap_or_else(|| {
        let (before, after) = (if hit.is_cut_before { "…" } else { "" }, if hit.is_cut_after { "…" } else { "" });
        (format!("{before}{}{after}", hit.text), vec![hit.line])
    });
    SearchHit {
        root: root.map(str::to_owned),
        path: hit.file.path().to_owned(),
        start_line: hit.line,
        end_line: hit.line,
        symbol: symbol.map(|(file, symbol)| file.qualified(symbol)),
        kind: symbol.map(|(_, symbol)| symbol.kind),
        language: indexed.and_then(|file| file.language).map(|language| language.id.to_owned()),
        score: 1.0,
        snippet,
        snippet_lines,
        ..SearchHit::default()
    }
}
