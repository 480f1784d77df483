//! The callers of symbols. A macro counts as the caller of the calls inside it.

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;

use crate::extract::facts::Symbol;
use crate::graph::calls::Call;
use crate::graph::{Graph, SymbolId};
use crate::source::cancel::CancelToken;

/// Returns the callers of any of these symbols. A call outside all functions may be in a macro, which is then the caller.
pub fn callers(
    graph: &Graph<'_>,
    symbols: &[SymbolId],
    cancel: &CancelToken,
) -> Result<Vec<Call>, ToolError> {
    let mut found: Vec<Call> = vec![];
    for call in graph.calls().callers(symbols, cancel)? {
        if call.symbol.is_some() {
            found.push(call);
            continue;
        }
        let lines_by_macro = group_by_macro(graph, call.file, &call.lines);
        found.extend(lines_by_macro.into_iter().map(|(symbol, lines)| Call {
            symbol,
            lines,
            ..call.clone()
        }));
    }
    Ok(found)
}

/// Groups lines of a file by the innermost macro around them.
fn group_by_macro(
    graph: &Graph<'_>,
    file: u32,
    lines: &[u32],
) -> Vec<(Option<SymbolId>, Vec<u32>)> {
    let symbols = &graph.file(file).outline.symbols;
    let mut found: Vec<(Option<SymbolId>, Vec<u32>)> = vec![];
    for line in lines {
        let is_around = |symbol: &Symbol| {
            symbol.kind == SymbolKind::Macro && (symbol.start_line..=symbol.end_line).contains(line)
        };
        let place = symbols
            .iter()
            .rposition(is_around)
            .and_then(|place| u32::try_from(place).ok());
        let around = place.map(|symbol| SymbolId { file, symbol });
        match found.iter_mut().find(|(known, _)| *known == around) {
            Some((_, lines)) => lines.push(*line),
            None => found.push((around, vec![*line])),
        }
    }
    found
}
