//! Answers the questions of editors: from positions in a file, saved or not, to ranges.
//!
//! The answers come from the same graph as those of the tools, over the session's unsaved texts. The questions are not tools:
//! nothing here is cut to a budget or rendered as text.

mod buffers;
mod completion;
mod hierarchy;
mod hover;
mod navigation;
mod outline;
mod rename;
mod source_lines;
mod uses;
mod view;
mod workspace_symbols;

use std::time::Duration;

use claudevil_protocol::editor::{
    EditorAnswer, EditorQuestion, EditorRequest, SymbolLocations, TextRange,
};
use claudevil_protocol::text::Line;
use claudevil_protocol::{ErrorCode, ToolError};

pub use self::buffers::Buffers;
use self::view::EditorView;
use super::Context;
use super::shared::graph_root::GraphRoot;
use super::shared::progress::report_to_caller;

/// The longest that a request waits for a first index; the client shows the progress, and asks again.
const READINESS_WAIT: Duration = Duration::from_secs(30);

pub fn answer(
    context: &Context,
    buffers: &Buffers,
    request: &EditorRequest,
) -> Result<EditorAnswer, ToolError> {
    if matches!(request.question, EditorQuestion::Readiness) {
        return wait_for_index(context);
    }
    let place = context.roots.resolve(context.call)?;
    let indexes = context.indexes;
    if indexes.is_new(&place.root) {
        if is_about_one_text(&request.question) {
            let root = GraphRoot::open_at(context, place.clone())?;
            let early = answer_from(context, buffers, request, root);
            // A document that is not open has to be indexed first.
            if !matches!(&early, Err(error) if error.code == ErrorCode::Indexing) {
                return early;
            }
        }
        indexes.wait_until_whole(&place.root, READINESS_WAIT, report_to_caller(context))?;
    }
    let root = match request.question {
        EditorQuestion::Rename { .. } => GraphRoot::open_to_change(context)?,
        _ => GraphRoot::open_at(context, place)?,
    };
    let freshness = &root.indexed.freshness;
    let progress = freshness
        .is_unfinished()
        .then(|| Line::join(freshness.warnings(), "; "));
    let answer = answer_from(context, buffers, request, root)?;
    match progress {
        // An editor cannot mark an answer as provisional, so it gets none.
        Some(progress) if may_change(&answer, &request.question) => {
            let message = Line::from("the project is still being indexed (")
                .line(progress)
                .text(")");
            Err(ToolError::new(ErrorCode::Indexing, message))
        }
        _ => Ok(answer),
    }
}

/// Returns whether an answer from an unfinished index may mislead. Some of the matching workspace symbols do not: an editor
/// asks again with every letter.
fn may_change(answer: &EditorAnswer, question: &EditorQuestion) -> bool {
    match (question, answer) {
        (EditorQuestion::WorkspaceSymbols { .. }, EditorAnswer::Symbols(found)) => {
            found.symbols.is_empty()
        }
        _ => !is_about_one_text(question),
    }
}

/// Returns whether the text of a document is enough for an answer: its symbols, for example, need no index.
fn is_about_one_text(question: &EditorQuestion) -> bool {
    matches!(
        question,
        EditorQuestion::DocumentSymbols { .. }
            | EditorQuestion::FoldingRanges { .. }
            | EditorQuestion::SelectionRanges { .. }
    )
}

fn answer_from(
    context: &Context,
    buffers: &Buffers,
    request: &EditorRequest,
    root: GraphRoot<'_>,
) -> Result<EditorAnswer, ToolError> {
    let overlay = buffers.overlay(context, &root.indexed, request.revision)?;
    let root = root.with_overlay(overlay);
    let graph = root.graph();
    let view = EditorView::new(context, &root, &graph, request.unit);
    match &request.question {
        EditorQuestion::Readiness => Ok(EditorAnswer::Readiness { is_complete: true }),
        EditorQuestion::Definition(at) | EditorQuestion::Symbol(at) => {
            navigation::definitions(&view, at)
        }
        EditorQuestion::Declaration(at) => navigation::declarations(&view, at),
        EditorQuestion::TypeDefinition(at) => navigation::type_definitions(&view, at),
        EditorQuestion::Implementations(at) => navigation::implementations(&view, at),
        EditorQuestion::References(at) => uses::references(&view, at),
        EditorQuestion::Highlights(at) => uses::highlights(&view, at),
        EditorQuestion::Hover(at) => hover::hover(&view, at),
        EditorQuestion::DocumentSymbols { path } => outline::document_symbols(&view, path),
        EditorQuestion::FoldingRanges { path } => outline::folding_ranges(&view, path),
        EditorQuestion::SelectionRanges { path, positions } => {
            outline::selection_ranges(&view, path, positions)
        }
        EditorQuestion::Links { path } => outline::links(&view, path),
        EditorQuestion::WorkspaceSymbols { query } => workspace_symbols::find(&view, query),
        EditorQuestion::IncomingCalls(at) => hierarchy::incoming_calls(&view, at),
        EditorQuestion::OutgoingCalls(at) => hierarchy::outgoing_calls(&view, at),
        EditorQuestion::Supertypes(at) => hierarchy::supertypes(&view, at),
        EditorQuestion::Subtypes(at) => hierarchy::subtypes(&view, at),
        EditorQuestion::RenameRange(at) => rename::rename_range(&view, at),
        EditorQuestion::Rename { at, new_name } => rename::rename(&view, at, new_name),
        EditorQuestion::Completions(at) => completion::completions(&view, at),
    }
}

fn wait_for_index(context: &Context) -> Result<EditorAnswer, ToolError> {
    let place = context.roots.resolve(context.call)?;
    let indexes = context.indexes;
    indexes.wait_until_loaded(&place.root, report_to_caller(context))?;
    indexes.wait_until_whole(&place.root, READINESS_WAIT, report_to_caller(context))?;
    let is_complete = !indexes.is_new(&place.root);
    Ok(EditorAnswer::Readiness { is_complete })
}

/// Builds the answer that lists symbols; `origin` is the range of the name that was asked about.
fn symbols(
    origin: Option<TextRange>,
    view: &EditorView<'_>,
    found: &[crate::graph::SymbolId],
) -> EditorAnswer {
    let mut symbols: Vec<_> = found.iter().map(|at| view.symbol(*at)).collect();
    symbols.dedup();
    EditorAnswer::Symbols(SymbolLocations { origin, symbols })
}
