//! Callers and callees, supertypes and subtypes, one level at a time.

use std::collections::HashSet;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::editor::{
    CallLocations, EditorAnswer, EditorSymbol, FilePoint, TextPosition, TextRange,
};
use claudevil_protocol::tools::find_references::ConfidenceLevel;

use super::outline::line_range;
use super::symbols;
use super::view::EditorView;
use crate::extract::facts::Role;
use crate::graph::SymbolId;
use crate::graph::calls::Call;
use crate::graph::references::Reference;
use crate::query::shared::callers::callers;
use crate::query::shared::confidence::confidence;

/// Lists callers that are resolved, or whose calls have at least medium confidence.
pub fn incoming_calls(view: &EditorView<'_>, at: &FilePoint) -> Result<EditorAnswer, ToolError> {
    let targets = targets(view, at)?;
    if targets.is_empty() {
        return Ok(EditorAnswer::Calls(vec![]));
    }
    let mut calls = callers(view.graph, &targets, view.context.cancel)?;
    let references = view
        .graph
        .references()
        .to_any(&targets, view.context.cancel)?;
    let is_sure = |one: &&Reference| {
        ConfidenceLevel::from_confidence(confidence(one)) <= ConfidenceLevel::Medium
    };
    let sure_lines: HashSet<(u32, u32)> = references
        .iter()
        .filter(is_sure)
        .map(|one| (one.file, one.row.line))
        .collect();
    // An editor cannot show how certain a call is.
    calls.retain(|call| {
        call.resolution == Resolution::Resolved
            || call
                .lines
                .iter()
                .any(|line| sure_lines.contains(&(call.file, *line)))
    });
    let name = &view.graph.symbol(targets[0]).name;
    let describe = |call: &Call| CallLocations {
        symbol: call.symbol.map_or_else(
            || describe_file(view, call.file),
            |symbol| view.symbol(symbol),
        ),
        calls: call_names(view, call.file, &call.lines, name),
    };
    Ok(EditorAnswer::Calls(calls.iter().map(describe).collect()))
}

/// Lists callees; those by name only are listed if there are no more certain ones.
pub fn outgoing_calls(view: &EditorView<'_>, at: &FilePoint) -> Result<EditorAnswer, ToolError> {
    let targets = targets(view, at)?;
    let mut found = vec![];
    for caller in targets {
        let mut calls = view.graph.calls().callees(caller).calls;
        drop_guesses(&mut calls);
        for call in &calls {
            let Some(callee) = call.symbol else { continue };
            let name = &view.graph.symbol(callee).name;
            found.push(CallLocations {
                symbol: view.symbol(callee),
                calls: call_names(view, caller.file, &call.lines, name),
            });
        }
    }
    Ok(EditorAnswer::Calls(found))
}

pub fn supertypes(view: &EditorView<'_>, at: &FilePoint) -> Result<EditorAnswer, ToolError> {
    let of = |at: SymbolId| view.graph.members().supertypes(at);
    related_types(view, at, of)
}

pub fn subtypes(view: &EditorView<'_>, at: &FilePoint) -> Result<EditorAnswer, ToolError> {
    let of = |at: SymbolId| view.graph.members().subtypes(at).to_vec();
    related_types(view, at, of)
}

fn related_types<R>(
    view: &EditorView<'_>,
    at: &FilePoint,
    related: impl Fn(SymbolId) -> Vec<(SymbolId, R)>,
) -> Result<EditorAnswer, ToolError> {
    let types = targets(view, at)?.into_iter();
    let mut all: Vec<SymbolId> = types.flat_map(&related).map(|(symbol, _)| symbol).collect();
    all.sort_unstable();
    all.dedup();
    Ok(symbols(None, view, &all))
}

fn targets(view: &EditorView<'_>, at: &FilePoint) -> Result<Vec<SymbolId>, ToolError> {
    Ok(view
        .name(at)?
        .map(|found| found.name.symbols)
        .unwrap_or_default())
}

/// Drops calls by name only if there are more certain ones.
fn drop_guesses(calls: &mut Vec<Call>) {
    let is_guess = |call: &Call| call.resolution == Resolution::NameOnly;
    if !calls.iter().all(is_guess) {
        calls.retain(|call| !is_guess(call));
    }
}

/// Returns the ranges of a called name on some lines of a file; the whole line where a value is called: `self.handler()`.
fn call_names(view: &EditorView<'_>, file: u32, lines: &[u32], name: &str) -> Vec<TextRange> {
    let uses = view.graph.uses(file);
    let mut ranges = vec![];
    for line in lines {
        let before = ranges.len();
        let named = uses
            .named(name)
            .filter(|row| row.role == Role::Call && row.line == *line);
        ranges.extend(named.map(|row| view.word(file, (row.line, row.column), name)));
        if ranges.len() == before {
            ranges.extend(line_range(view, file, line.saturating_sub(1)));
        }
    }
    ranges
}

/// Describes the top level of a file, as the caller of calls outside all functions.
fn describe_file(view: &EditorView<'_>, file: u32) -> EditorSymbol {
    let path = view.path(file);
    let start = TextPosition::default();
    EditorSymbol {
        name: path.rsplit('/').next().unwrap_or(&path).to_owned(),
        container: None,
        kind: SymbolKind::Module,
        signature: String::new(),
        range: TextRange {
            start,
            end: view.lines(file).end(view.unit),
        },
        name_range: TextRange { start, end: start },
        path,
    }
}
