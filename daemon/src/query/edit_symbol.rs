//! `edit_symbol`: replaces a symbol or its body, inserts text beside it, or deletes it; a call makes all of its edits or none.
//!
//! A worker locates the symbol in its file (`extract/spans.rs`). The action becomes a splice of bytes (`placement.rs`,
//! `deletion.rs`) in the layout of the file (`shared/layout.rs`), unless other declarations depend on those bytes
//! (`shared_declarations.rs`). Nothing is written unless the new text parses and every symbol outside the splice is where it was
//! (`shared/edited_file.rs`).

mod deletion;
mod file_plan;
mod line_lookup;
mod line_part;
mod placement;
mod remaining_uses;
mod shared_declarations;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Range;

use claudevil_protocol::ToolError;
use claudevil_protocol::text::quantity::count;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::edit_symbol::{
    EditAction, EditReport, EditSymbol, EditedSymbol, SymbolEdit,
};

use self::file_plan::{FileEdit, FilePlan, PlacedEdit, outermost_new};
use self::remaining_uses::{UseCheck, count_uses};
use super::Context;
use super::shared::applied_change::note_applied;
use super::shared::diff::describe_changes;
use super::shared::edited_file::{
    CheckedText, EditedFile, check_preview, preview_name, span_parser,
};
use super::shared::graph_root::GraphRoot;
use super::shared::symbol_info::describe_symbol;
use crate::change::FileChange;
use crate::extract::facts::Symbol;
use crate::extract::spans::SymbolSpan;
use crate::graph::{Graph, SymbolId};

pub fn edit_symbol(context: &Context, params: &EditSymbol) -> Result<EditReport, ToolError> {
    let edits = params.all();
    let deletes = edits
        .iter()
        .any(|edit| edit.action == Some(EditAction::Delete));
    let root = if deletes {
        let root = GraphRoot::open_to_change(context)?;
        root.indexed.refuse_incomplete()?;
        root
    } else {
        GraphRoot::open(context)?
    };
    let graph = root.graph();
    let parse = span_parser(context);
    let mut found = vec![];
    for edit in &edits {
        let query = edit.symbol_query();
        found.push(line_lookup::find(&root, &graph, query, &parse)?);
    }
    let mut by_file: BTreeMap<u32, Vec<(usize, &SymbolEdit)>> = BTreeMap::new();
    for (place, (at, edit)) in found.iter().zip(&edits).enumerate() {
        by_file.entry(at.file).or_default().push((place, edit));
    }
    let mut plans = vec![];
    for (file, edits) in by_file {
        context.cancel.check()?;
        let file = EditedFile::open(&root, &graph.file(file).path, &parse)?;
        let edits = edits.into_iter().map(|(place, edit)| {
            Ok(FileEdit {
                at: found[place],
                place,
                symbol: find_span(&graph, &file, found[place])?,
                action: edit.action.unwrap_or(EditAction::Replace),
                text: edit.text.as_deref().unwrap_or_default(),
            })
        });
        let edits = edits.collect::<Result<Vec<_>, ToolError>>()?;
        plans.push(FilePlan::new(&parse, file, &edits)?);
    }
    // In the order of the call, because two edits may be about one symbol.
    let mut notes: Vec<Vec<String>> = vec![vec![]; edits.len()];
    for edit in plans.iter().flat_map(|plan| &plan.edits) {
        notes[edit.place].extend_from_slice(&edit.notes);
    }
    UseCheck {
        context,
        root: &root,
        graph: &graph,
        plans: &plans,
        refuses_possible_uses: !params.dry_run() && params.allow_possible_uses != Some(true),
    }
    .run(&mut notes)?;
    if deletes {
        // A use may be in a file whose facts could not be read.
        root.read_errors.check()?;
    }
    let mut files = vec![];
    let mut changes = vec![];
    for plan in &plans {
        context.cancel.check()?;
        let checked = plan.file.check(&parse, &plan.splices)?;
        for edit in &plan.edits {
            let names = describe_names(context, &graph, plan, edit, &checked)?;
            notes[edit.place].extend(names);
        }
        let described = describe_changes(
            &plan.file.path,
            &plan.file.text,
            &checked.text,
            plan.edits.len(),
        );
        if described.total_hunks > 0 {
            files.push(described);
        }
        changes.push(FileChange {
            path: plan.file.path.clone(),
            before: plan.file.text.clone().into_bytes(),
            after: checked.text.into_bytes(),
            new_name: None,
        });
    }
    let preview = preview_name(&changes);
    check_preview(params.preview.as_deref(), &preview)?;
    let mut freshness = root.freshness(&graph, &found);
    if !params.dry_run() {
        let applied = context.changes.apply_undoable(
            root.dir(),
            EditSymbol::NAME,
            &changes,
            context.cancel,
        )?;
        note_applied(&mut freshness, &applied);
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let edited = found.iter().zip(&edits).zip(notes);
    let edited = edited.map(|((at, edit), notes)| EditedSymbol {
        symbol: describe_symbol(&graph, *at),
        action: edit.action.unwrap_or(EditAction::Replace),
        notes,
    });
    let edits = edited.collect();
    Ok(EditReport {
        root: root.indexed.root.path.clone(),
        root_name: root.indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        edits,
        preview,
        applied: !params.dry_run() && !files.is_empty(),
        total_files: files.len() as u64,
        files,
        truncated: false,
    })
}

/// Returns the index of a symbol among the spans of its file.
fn find_span(graph: &Graph<'_>, file: &EditedFile, at: SymbolId) -> Result<usize, ToolError> {
    let symbol = graph.symbol(at);
    let symbols = &graph.file(at.file).outline.symbols;
    same_span(symbols, at.symbol as usize, &file.spans.symbols).ok_or_else(|| {
        let message = format!(
            "`{}` is no longer in {}; nothing was changed",
            symbol.name, file.path
        );
        ToolError::new(claudevil_protocol::ErrorCode::Stale, message)
            .with_hint("ask again in a moment")
    })
}

/// Returns the index of a symbol among the spans. Of several with the same name and bytes, it is the one with the same place
/// among them: `a` of `a = a = 1`.
fn same_span(symbols: &[Symbol], at: usize, spans: &[SymbolSpan]) -> Option<usize> {
    let symbol = symbols.get(at)?;
    let (name, bytes) = (&symbol.name, (symbol.start_byte, symbol.end_byte));
    let before = symbols[..at].iter();
    let before = before
        .filter(|other| other.name == *name && (other.start_byte, other.end_byte) == bytes)
        .count();
    let same = (0..).zip(spans);
    let mut same = same.filter(|(_, span)| span.name == *name && span.definition == bytes);
    same.nth(before).map(|(place, _)| place)
}

/// Describes the names that a new text no longer defines, and those that it defines a second time.
fn describe_names(
    context: &Context,
    graph: &Graph<'_>,
    plan: &FilePlan,
    edit: &PlacedEdit,
    checked: &CheckedText,
) -> Result<Vec<String>, ToolError> {
    let old = &plan.file.spans.symbols[edit.symbol];
    let ranges = plan.splices.with_ranges();
    let own: Vec<Range<usize>> = ranges
        .filter(|(splice, _)| **splice == edit.splice)
        .map(|(_, range)| range)
        .collect();
    let is_own = |symbol: &&SymbolSpan| {
        let at = symbol.name_at as usize;
        own.iter().any(|range| range.contains(&at))
    };
    let new: Vec<&SymbolSpan> = outermost_new(checked).filter(is_own).collect();
    let mut notes = vec![];
    if edit.action == EditAction::Replace && !new.iter().any(|symbol| symbol.name == old.name) {
        let names: Vec<String> = new
            .iter()
            .map(|symbol| format!("`{}`", symbol.name))
            .collect();
        let defined = if names.is_empty() {
            "nothing".to_owned()
        } else {
            names.join(", ")
        };
        let uses = count_uses(context, graph, edit.at)?;
        notes.push(format!(
            "`{}` is no longer defined: the text defines {defined}; {} remain{}",
            old.name,
            count(uses, "use"),
            if uses == 1 { "s" } else { "" }
        ));
    }
    for symbol in new {
        let twin = checked.spans.symbols.iter().find(|other| {
            other.name_at != symbol.name_at
                && other.name == symbol.name
                && other.kind == symbol.kind
                && (other.parent, &other.scope) == (symbol.parent, &symbol.scope)
        });
        let kinds = symbol.kind.is_callable() || symbol.kind.is_type();
        if let Some(twin) = twin.filter(|_| kinds) {
            let line = checked.text[..twin.name_at as usize].matches('\n').count() + 1;
            notes.push(format!(
                "`{}` is defined at line {line} as well",
                symbol.name
            ));
        }
    }
    Ok(notes)
}
