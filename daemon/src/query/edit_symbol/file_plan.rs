//! Turns the edits of one file into splices that are applied together.

use std::ops::Range;

use claudevil_protocol::ToolError;
use claudevil_protocol::tools::edit_symbol::EditAction;

use super::deletion;
use super::placement::Target;
use super::shared_declarations::{check_declarations, check_deletion};
use crate::extract::spans::SymbolSpan;
use crate::graph::SymbolId;
use crate::query::shared::edited_file::{CheckedText, EditedFile, ParseSpans};
use crate::query::shared::splice::{Splice, Splices};

/// An edit of a symbol, which has an index among the spans of its file.
pub struct FileEdit<'a> {
    pub at: SymbolId,
    /// Its place in the call.
    pub place: usize,
    pub symbol: usize,
    pub action: EditAction,
    pub text: &'a str,
}

/// An edit with its place in the file.
pub struct PlacedEdit {
    pub at: SymbolId,
    /// Its place in the call.
    pub place: usize,
    pub action: EditAction,
    /// The index of the symbol among the spans of its file.
    pub symbol: usize,
    pub splice: Splice,
    pub notes: Vec<String>,
}

/// A file with all of its edits.
pub struct FilePlan {
    pub file: EditedFile,
    pub edits: Vec<PlacedEdit>,
    pub splices: Splices,
}

impl FilePlan {
    pub fn new(
        parse: &ParseSpans<'_>,
        file: EditedFile,
        edits: &[FileEdit<'_>],
    ) -> Result<Self, ToolError> {
        let deleted: Vec<usize> = edits
            .iter()
            .filter(|edit| edit.action == EditAction::Delete)
            .map(|edit| edit.symbol)
            .collect();
        let mut placed = vec![];
        for edit in edits {
            let target = Target {
                parse,
                file: &file,
                symbol: &file.spans.symbols[edit.symbol],
            };
            let (splice, notes) = match edit.action {
                EditAction::Replace => replace(&target, edit.text)?,
                action => {
                    if action == EditAction::Delete {
                        check_deletion(&file, edit.symbol, &deleted)?;
                    }
                    (target.place(action, edit.text)?, vec![])
                }
            };
            placed.push(PlacedEdit {
                at: edit.at,
                place: edit.place,
                action: edit.action,
                symbol: edit.symbol,
                splice,
                notes,
            });
        }
        join_deletions(&file, &mut placed)?;
        let splices = join_splices(&file, &placed)?;
        Ok(Self {
            file,
            edits: placed,
            splices,
        })
    }
}

/// Replaces a symbol, but not what its text lacks and its declaration needs.
fn replace(target: &Target<'_>, text: &str) -> Result<(Splice, Vec<String>), ToolError> {
    let splice = target.place(EditAction::Replace, text)?;
    let alone = Splices::new(vec![splice.clone()]).unwrap_or_default();
    let replaced = target.file.check(target.parse, &alone)?;
    let first = outermost_new(&replaced).next();
    if target.shares_line() {
        let end = splice.range.start + splice.text.trim_end().len();
        let is_same_part = first.is_some_and(|new| {
            new.whole.0 as usize == splice.range.start && new.kind == target.symbol.kind
        }) && outermost_new(&replaced).any(|new| new.whole.1 as usize >= end);
        if !is_same_part || target.repeats_line(text) {
            return Err(target.refuse_part());
        }
    }
    check_declarations(target, &splice, &replaced, text)?;
    let same = outermost_new(&replaced).find(|new| new.name == target.symbol.name);
    target.replace_with_own(text, splice, same.or(first))
}

/// Joins the deletions of symbols of one block with nothing but white space or a comma between them, because they remove the same
/// blank lines, or the same comma.
fn join_deletions(file: &EditedFile, placed: &mut [PlacedEdit]) -> Result<(), ToolError> {
    let mut deleted: Vec<(Range<usize>, usize)> = placed
        .iter()
        .enumerate()
        .filter(|(_, edit)| edit.action == EditAction::Delete)
        .map(|(at, edit)| (deletion::range(file, &file.spans.symbols[edit.symbol]), at))
        .collect();
    deleted.sort_by_key(|(range, _)| (range.start, range.end));
    let mut groups: Vec<(Range<usize>, Vec<usize>)> = vec![];
    for (range, at) in deleted {
        let parent = |at: usize| file.spans.symbols[placed[at].symbol].parent;
        let last = groups.last_mut().filter(|(before, edits)| {
            let between = file.text.get(before.end..range.start).unwrap_or_default();
            let between = between.trim();
            let is_adjacent = between.is_empty() || between == ",";
            let is_sibling = edits.last().is_some_and(|last| parent(*last) == parent(at));
            range.start < before.end || is_adjacent && is_sibling
        });
        match last {
            Some((before, edits)) => {
                before.end = before.end.max(range.end);
                edits.push(at);
            }
            None => groups.push((range, vec![at])),
        }
    }
    for (range, edits) in groups.into_iter().filter(|(_, edits)| edits.len() > 1) {
        let symbols = edits
            .iter()
            .map(|at| &file.spans.symbols[placed[*at].symbol]);
        let names: Vec<&str> = symbols.clone().map(|symbol| &*symbol.name).collect();
        let code_end = symbols.map(|symbol| symbol.whole.1 as usize).max();
        let code_end = code_end.unwrap_or(range.end);
        let splice = deletion::remove(file, &names.join("`, `"), range, code_end)?;
        for at in edits {
            placed[at].splice = splice.clone();
        }
    }
    Ok(())
}

fn join_splices(file: &EditedFile, placed: &[PlacedEdit]) -> Result<Splices, ToolError> {
    let mut splices: Vec<Splice> = vec![];
    for edit in placed {
        if edit.action != EditAction::Delete || !splices.contains(&edit.splice) {
            splices.push(edit.splice.clone());
        }
    }
    Splices::new(splices).map_err(|(one, _)| {
        let line = file.text[..one.range.start].matches('\n').count() + 1;
        ToolError::invalid_argument(format!(
            "two edits of {} overlap from line {line} on; nothing was changed",
            file.path
        ))
    })
}

/// Returns the outermost symbols of the new texts.
pub fn outermost_new(checked: &CheckedText) -> impl Iterator<Item = &SymbolSpan> {
    let is_new = |symbol: &SymbolSpan| {
        let at = symbol.name_at as usize;
        checked.ranges.iter().any(|range| range.contains(&at))
    };
    let symbols = &checked.spans.symbols;
    symbols.iter().filter(move |symbol| {
        let parent = symbol
            .parent
            .and_then(|parent| symbols.get(parent as usize));
        is_new(symbol) && !parent.is_some_and(is_new)
    })
}
