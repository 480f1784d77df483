//! The changes of a diff: the symbols whose lines it touches, and the files in which it touches none.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::tools::impact_analysis::{ChangeKind, ImpactAnalysis, NotCompared};

use super::old_revision::OldRevision;
use crate::graph::{Graph, SymbolId};
use crate::lang::ImplicitScope;
use crate::query::Context;
use crate::query::shared::graph_root::GraphRoot;
use crate::source::cancel::CancelToken;
use crate::source::git::{Bounds, DiffKind, FileDiff, Repository, SkippedFiles};
use crate::source::walk::notes::is_note;

#[derive(Default)]
pub struct ChangeSet {
    pub symbols: Vec<(SymbolId, ChangeKind)>,
    /// The old signatures of changed symbols that have another one now.
    pub old_signatures: HashMap<SymbolId, String>,
    /// Files that differ outside their symbols.
    pub other_files: Vec<String>,
    pub not_compared: NotCompared,
}

impl ChangeSet {
    pub fn from_query(symbols: Vec<SymbolId>) -> Self {
        let symbols = symbols
            .into_iter()
            .map(|at| (at, ChangeKind::Asked))
            .collect();
        Self {
            symbols,
            ..Self::default()
        }
    }

    /// Returns the innermost symbols whose lines a diff touches, and the root as it was before.
    pub fn read(
        root: &GraphRoot<'_>,
        graph: &Graph<'_>,
        spec: &str,
        context: &Context,
    ) -> Result<(Self, Option<OldRevision>), ToolError> {
        let cancel = context.cancel;
        let repository = Repository::open(Path::new(&root.indexed.root.path))?;
        let spec = (spec != ImpactAnalysis::WORKING).then_some(spec);
        // Notes are not part of the code, so untracked ones are not changes.
        let paths = root
            .indexed
            .snapshot
            .files
            .iter()
            .map(|file| file.path.as_str())
            .filter(|path| !is_note(path));
        let diff = repository.diff(spec, paths, Bounds::default(), cancel)?;
        let old_revision = OldRevision::read(
            root,
            &context.indexes.shared().pool,
            &repository,
            &diff.files,
            cancel,
        )?;
        let mut changes = Self {
            not_compared: not_compared(&diff.skipped, old_revision.as_ref()),
            ..Self::default()
        };
        for changed in &diff.files {
            let Some(file) = graph.file_number(&changed.path) else {
                changes.other_files.push(changed.path.clone());
                continue;
            };
            let mut touched = touched_symbols(graph, file, changed, cancel)?;
            if touched.is_empty() {
                changes.other_files.push(changed.path.clone());
            }
            if let Some(old_revision) = &old_revision {
                changes.compare_with(old_revision, graph, file, &mut touched);
            }
            changes.symbols.extend(touched);
        }
        Ok((changes, old_revision))
    }

    /// Marks the touched symbols of a file that are new, and records the old signatures of those that have another one now.
    fn compare_with(
        &mut self,
        old_revision: &OldRevision,
        graph: &Graph<'_>,
        file: u32,
        touched: &mut [(SymbolId, ChangeKind)],
    ) {
        let indexed = graph.file(file);
        let Some(old_names) = old_revision.old_names(&indexed.path) else {
            return;
        };
        let mut old_signatures = old_revision.old_signatures(&indexed.path, indexed);
        for (at, change) in touched {
            if !old_names.contains(&indexed.qualified(graph.symbol(*at))) {
                *change = ChangeKind::Added;
            }
            self.old_signatures.extend(
                old_signatures
                    .remove(&at.symbol)
                    .map(|signature| (*at, signature)),
            );
        }
    }
}

fn not_compared(skipped: &SkippedFiles, old_revision: Option<&OldRevision>) -> NotCompared {
    NotCompared {
        binary: skipped.binary as u64,
        large: skipped.large as u64,
        unreadable: skipped.unreadable as u64,
        unnamed: skipped.unnamed as u64,
        beyond: skipped.beyond as u64,
        without_old_symbols: old_revision.map_or(0, |old_revision| old_revision.missing_files),
    }
}

/// Returns the innermost symbols of a file that its hunks touch, in their order. Hunks and symbols are merged in one pass: a
/// generated file has tens of thousands of either.
fn touched_symbols(
    graph: &Graph<'_>,
    file: u32,
    changed: &FileDiff,
    cancel: &CancelToken,
) -> Result<Vec<(SymbolId, ChangeKind)>, ToolError> {
    let symbols = &graph.file(file).outline.symbols;
    let parents: HashSet<u32> = symbols.iter().filter_map(|symbol| symbol.parent).collect();
    let mut by_start: Vec<u32> = (0..).take(symbols.len()).collect();
    by_start.sort_by_key(|symbol| symbols[*symbol as usize].start_line);
    let mut coming = by_start.into_iter().peekable();
    // Symbols that begin before the end of the hunk and end after its beginning.
    let mut overlapping: Vec<u32> = vec![];
    let mut kinds: Vec<Option<ChangeKind>> = vec![None; symbols.len()];
    for (number, hunk) in changed.hunks.iter().enumerate() {
        if number.is_multiple_of(256) {
            cancel.check()?;
        }
        // Removed lines change the symbol around them.
        let (first, last) = (
            hunk.new.first.min(hunk.new.last.max(1)),
            hunk.new.last.max(hunk.new.first),
        );
        while let Some(symbol) =
            coming.next_if(|symbol| symbols[*symbol as usize].start_line <= last)
        {
            overlapping.push(symbol);
        }
        overlapping.retain(|symbol| symbols[*symbol as usize].end_line >= first);
        let has_hunk = |symbol: &&u32| {
            let one = &symbols[**symbol as usize];
            one.start_line <= first && last <= one.end_line
        };
        let outer: HashSet<u32> = overlapping
            .iter()
            .filter(has_hunk)
            .filter_map(|symbol| symbols[*symbol as usize].parent)
            .collect();
        for &symbol in &overlapping {
            let one = &symbols[symbol as usize];
            if kinds[symbol as usize].is_some() || outer.contains(&symbol) {
                continue;
            }
            let is_whole = first <= one.start_line && one.end_line <= last && hunk.old.is_empty();
            let is_new = is_whole || changed.kind == DiffKind::Added;
            kinds[symbol as usize] = Some(if is_new {
                ChangeKind::Added
            } else {
                ChangeKind::Modified
            });
        }
    }
    let shares_namespaces = graph
        .rules(file)
        .is_some_and(|rules| rules.implicit_scope == ImplicitScope::Namespace);
    // A namespace declaration of a file, `package shop;`, defines no symbol.
    let opens_namespace = |symbol: u32| {
        shares_namespaces
            && symbols[symbol as usize].kind == SymbolKind::Module
            && !parents.contains(&symbol)
    };
    let found = (0..)
        .zip(kinds)
        .filter(|(symbol, _)| !opens_namespace(*symbol));
    Ok(found
        .filter_map(|(symbol, kind)| Some((SymbolId { file, symbol }, kind?)))
        .collect())
}
