//! Symbols of a root by a part of their name.

use claudevil_protocol::ToolError;
use claudevil_protocol::editor::EditorAnswer;
use claudevil_protocol::tools::find_symbol::SymbolMatch;

use super::symbols;
use super::view::EditorView;
use crate::graph::SymbolId;
use crate::query::shared::symbol_name::SymbolName;

/// The most symbols of an answer: the client asks again with every letter.
const MAX_SYMBOLS: usize = 200;

/// Finds symbols by the strictest comparison that matches any, or else by the letters of the query in order. The shortest name
/// comes first. Without a query, lists the first symbols outside tests.
pub fn find(view: &EditorView<'_>, query: &str) -> Result<EditorAnswer, ToolError> {
    let files = (0..).zip(&view.graph.snapshot.files);
    let all = files.flat_map(|(file, indexed)| {
        let places = 0..u32::try_from(indexed.outline.symbols.len()).unwrap_or(u32::MAX);
        places.map(move |symbol| SymbolId { file, symbol })
    });
    if query.trim().is_empty() {
        let first = all.filter(|at| !view.graph.tests().is_test(*at));
        let first: Vec<SymbolId> = first.take(MAX_SYMBOLS).collect();
        return Ok(symbols(None, view, &first));
    }
    let name = SymbolName::parse(query)?;
    let best_of = |mut found: Vec<(f64, SymbolId)>| {
        found.sort_by(|(one, first), (other, second)| other.total_cmp(one).then(first.cmp(second)));
        found.truncate(MAX_SYMBOLS);
        let found: Vec<SymbolId> = found.into_iter().map(|(_, at)| at).collect();
        symbols(None, view, &found)
    };
    for matching in SymbolMatch::LADDER {
        view.context.cancel.check()?;
        let scored = |at: SymbolId| {
            let (file, symbol) = (view.graph.file(at.file), view.graph.symbol(at));
            Some((name.score(file, symbol, matching)?, at))
        };
        let found: Vec<(f64, SymbolId)> = all.clone().filter_map(scored).collect();
        if !found.is_empty() {
            return Ok(best_of(found));
        }
    }
    let abbreviated = all.filter_map(|at| {
        let own = &view.graph.symbol(at).name;
        let length = u32::try_from(own.len()).ok()?;
        has_letters_in_order(own, query).then_some((-f64::from(length), at))
    });
    Ok(best_of(abbreviated.collect()))
}

/// Returns whether a name contains the letters of a query in order: `sqr` matches `Square`.
fn has_letters_in_order(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    let mut wanted = query.trim().chars().flat_map(char::to_lowercase);
    wanted.all(|letter| letters.any(|own| own == letter))
}
