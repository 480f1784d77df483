//! What a diff changes: the symbols whose lines it touches, and the files in which it touches none.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::tools::impact_analysis::{ChangeKind, ImpactAnalysis, NotCompared};

use super::before::Before;
use crate::graph::{At, Graph};
use crate::lang::ImplicitScope;
use crate::query::Context;
use crate::query::linked::Linked;
use crate::source::cancel::CancelToken;
use crate::source::git::{Bounds, DiffKind, FileDiff, Repository, SkippedFiles};
use crate::source::walk::notes::is_note;

#[derive(Default)]
pub struct Changes {
    pub symbols: Vec<(At, ChangeKind)>,
    /// The signatures that changed symbols had before, where they have another now.
    pub old_signatures: HashMap<At, String>,
    /// Files that differ without a symbol in them doing so.
    pub other_files: Vec<String>,
    pub not_compared: NotCompared,
}

impl Changes {
    pub fn asked(symbols: Vec<At>) -> Self {
        let symbols = symbols
            .into_iter()
            .map(|at| (at, ChangeKind::Asked))
            .collect();
        Self {
            symbols,
            ..Self::default()
        }
    }

    /// The symbols whose lines a diff touches, the innermost ones, and the root as it was before.
    pub fn read(
        linked: &Linked<'_>,
        graph: &Graph<'_>,
        spec: &str,
        context: &Context,
    ) -> Result<(Self, Option<Before>), ToolError> {
        let cancel = context.cancel;
        let repository = Repository::open(Path::new(&linked.indexed.root.path))?;
        let spec = (spec != ImpactAnalysis::WORKING).then_some(spec);
        // A note that git does not know is no change of the code.
        let known = linked
            .indexed
            .snapshot
            .files
            .iter()
            .map(|file| file.path.as_str())
            .filter(|path| !is_note(path));
        let diff = repository.diff(spec, known, Bounds::default(), cancel)?;
        let before = Before::read(
            linked,
            &context.indexes.shared().pool,
            &repository,
            &diff.files,
            cancel,
        )?;
        let mut changes = Self {
            not_compared: not_compared(&diff.skipped, before.as_ref()),
            ..Self::default()
        };
        for changed in &diff.files {
            let Some(file) = graph.file_number(&changed.path) else {
                changes.other_files.push(changed.path.clone());
                continue;
            };
            let mut touched = touched(graph, file, changed, cancel)?;
            if touched.is_empty() {
                changes.other_files.push(changed.path.clone());
            }
            if let Some(before) = &before {
                changes.compare_with(before, graph, file, &mut touched);
            }
            changes.symbols.extend(touched);
        }
        Ok((changes, before))
    }

    /// Notes which of the touched symbols of a file are new, and which had another signature.
    fn compare_with(
        &mut self,
        before: &Before,
        graph: &Graph<'_>,
        file: u32,
        touched: &mut [(At, ChangeKind)],
    ) {
        let indexed = graph.file(file);
        let Some(old_names) = before.old_names(&indexed.path) else {
            return;
        };
        let mut old_signatures = before.old_signatures(&indexed.path, indexed);
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

fn not_compared(skipped: &SkippedFiles, before: Option<&Before>) -> NotCompared {
    NotCompared {
        binary: skipped.binary as u64,
        large: skipped.large as u64,
        unreadable: skipped.unreadable as u64,
        unnamed: skipped.unnamed as u64,
        beyond: skipped.beyond as u64,
        without_old_symbols: before.map_or(0, |before| before.missing_files),
    }
}

/// The innermost symbols of a file that its hunks touch, in their order. Hunks and symbols are gone through side by side:
/// a generated file has tens of thousands of either.
fn touched(
    graph: &Graph<'_>,
    file: u32,
    changed: &FileDiff,
    cancel: &CancelToken,
) -> Result<Vec<(At, ChangeKind)>, ToolError> {
    let symbols = &graph.file(file).outline.symbols;
    let parents: HashSet<u32> = symbols.iter().filter_map(|symbol| symbol.parent).collect();
    let mut by_start: Vec<u32> = (0..).take(symbols.len()).collect();
    by_start.sort_by_key(|symbol| symbols[*symbol as usize].start_line);
    let mut coming = by_start.into_iter().peekable();
    // Symbols that begin before the end of the hunk and end behind its beginning.
    let mut overlapping: Vec<u32> = vec![];
    let mut kinds: Vec<Option<ChangeKind>> = vec![None; symbols.len()];
    for (number, hunk) in changed.hunks.iter().enumerate() {
        if number.is_multiple_of(256) {
            cancel.check()?;
        }
        // Where lines are gone, what they stood in has changed.
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
    // The line in which a file says to what namespace it belongs: many files say so, and none of them defines it.
    let opens_namespace = |symbol: u32| {
        shares_namespaces
            && symbols[symbol as usize].kind == SymbolKind::Module
            && !parents.contains(&symbol)
    };
    let found = (0..)
        .zip(kinds)
        .filter(|(symbol, _)| !opens_namespace(*symbol));
    Ok(found
        .filter_map(|(symbol, kind)| Some((At { file, symbol }, kind?)))
        .collect())
}
