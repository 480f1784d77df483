//! Symbols of a root by a part of their name.

use claudevil_protocol::ToolError;
use claudevil_protocol::editor::EditorAnswer;
use claudevil_protocol::tools::find_symbol::SymbolMatch;

use super::symbols;
use super::view::EditorView;
use crate::graph::SymbolId;
use crate::query::shared::symbol_name::SymbolName;

/// The most symbols of an answer: the client asks again with every letter.
const MOST_SYMBOLS: usize = 200;

/// Finds symbols by the strictest comparison that finds any. Without a query, lists the first ones outside of tests.
pub fn find(view: &EditorView<'_>, query: &str) -> Result<EditorAnswer, ToolError> {
    let files = (0..).zip(&view.graph.snapshot.files);
    let all = files.flat_map(|(file, indexed)| {
        let places = 0..u32::try_from(indexed.outline.symbols.len()).unwrap_or(u32::MAX);
        places.map(move |symbol| SymbolId { file, symbol })
    });
    if query.trim().is_empty() {
        let first = all.filter(|at| !view.graph.tests().is_test(*at));
        let first: Vec<SymbolId> = first.take(MOST_SYMBOLS).collect();
        return Ok(symbols(None, view, &first));
    }
    let name = SymbolName::parse(query)?;
    for matching in SymbolMatch::LADDER {
        view.context.cancel.check()?;
        let scored = |at: SymbolId| {
            let (file, symbol) = (view.graph.file(at.file), view.graph.symbol(at));
            Some((name.score(file, symbol, matching)?, at))
        };
        let mut found: Vec<(f64, SymbolId)> = all.clone().filter_map(scored).collect();
        if !found.is_empty() {
            found.sort_by(|(one, first), (other, second)| {
                other.total_cmp(one).then(first.cmp(second))
            });
            found.truncate(MOST_SYMBOLS);
            let found: Vec<SymbolId> = found.into_iter().map(|(_, at)| at).collect();
            return Ok(symbols(None, view, &found));
        }
    }
    Ok(symbols(None, view, &[]))
}
