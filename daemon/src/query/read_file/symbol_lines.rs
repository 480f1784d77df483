//! The lines of a symbol: its definition rather than its declarations, along with adjacent parts of the same entity, such as
//! clauses, overloads or accessors.

use std::ops::RangeInclusive;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::symbol;
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::tools::read_file::ShownSymbol;

use crate::graph::{Graph, SymbolId};
use crate::query::Context;
use crate::query::shared::graph_root::GraphRoot;
use crate::query::shared::symbol_lookup::not_in_file;
use crate::query::shared::symbol_name::SymbolName;

const CANDIDATES: usize = 10;
/// The most lines between adjacent parts of an entity: blank lines, comments, decorators.
const MAX_LINES_BETWEEN: u32 = 3;

pub struct SymbolLocation {
    pub path: String,
    pub symbol: ShownSymbol,
    pub freshness: Freshness,
}

pub fn locate_symbol(
    context: &Context,
    name: &str,
    path: Option<&str>,
) -> Result<SymbolLocation, ToolError> {
    let root = GraphRoot::open(context)?;
    let indexed = &root.indexed;
    let path = path.map(|path| indexed.path(Some(path))).transpose()?;
    if let Some(path) = &path {
        indexed.file(path)?;
    }
    let graph = root.graph();
    let wanted = SymbolName::parse(name)?;
    let is_wanted = |own: &str| match path.as_deref() {
        Some(path) => path == own,
        None => indexed.is_in_folder(own),
    };
    let found = root.candidates(&graph, &wanted, is_wanted);
    match found[..] {
        [only] => {
            let (at, lines) = whole_entity(&graph, only, is_wanted);
            let (file, symbol) = (graph.file(at.file), graph.symbol(at));
            let symbol = ShownSymbol {
                name: file.qualified(symbol),
                kind: symbol.kind,
                start_line: *lines.start(),
                end_line: *lines.end(),
            };
            Ok(SymbolLocation {
                path: file.path.clone(),
                symbol,
                freshness: indexed.freshness.clone(),
            })
        }
        [] => {
            let elsewhere = root.candidates(&graph, &wanted, |own| indexed.is_in_folder(own));
            if let Some(path) = path.as_deref().filter(|_| !elsewhere.is_empty()) {
                return Err(not_in_file(&graph, name, path, &elsewhere));
            }
            let all: Vec<_> = indexed
                .snapshot
                .symbols()
                .filter(|(file, _)| is_wanted(&file.path))
                .collect();
            Err(wanted.not_found(indexed, &all))
        }
        _ => Err(ambiguous(&graph, name, &indexed.root.name, &found)),
    }
}

/// Returns the main part of an entity, with the lines of all parts beside it.
fn whole_entity(
    graph: &Graph<'_>,
    at: SymbolId,
    is_wanted: impl Fn(&str) -> bool,
) -> (SymbolId, RangeInclusive<u32>) {
    let parts = || {
        graph
            .entities()
            .declarations(at)
            .into_iter()
            .filter(|part| is_wanted(&graph.file(part.file).path))
    };
    let weight = |part: &SymbolId| {
        let symbol = graph.symbol(*part);
        // A part with executable code is not a mere declaration.
        (
            symbol.complexity > 0,
            symbol.end_line - symbol.start_line,
            *part == at,
        )
    };
    let at = parts().max_by_key(weight).unwrap_or(at);
    let mut lines: Vec<(u32, u32)> = parts()
        .filter(|part| part.file == at.file)
        .map(|part| (graph.symbol(part).start_line, graph.symbol(part).end_line))
        .collect();
    lines.sort_unstable();
    let symbol = graph.symbol(at);
    (
        at,
        with_neighbours(symbol.start_line..=symbol.end_line, &lines),
    )
}

/// Extends a range of lines by those of the others, which are sorted, that are close to it.
fn with_neighbours(own: RangeInclusive<u32>, others: &[(u32, u32)]) -> RangeInclusive<u32> {
    let (mut first, mut last) = own.into_inner();
    for (start, end) in others.iter().rev() {
        if *start < first && end + MAX_LINES_BETWEEN + 1 >= first {
            first = *start;
        }
    }
    for (start, end) in others {
        if *end > last && *start <= last + MAX_LINES_BETWEEN + 1 {
            last = *end;
        }
    }
    first..=last
}

fn ambiguous(graph: &Graph<'_>, name: &str, root: &str, found: &[SymbolId]) -> ToolError {
    let shown = found.iter().take(CANDIDATES).map(|at| {
        let (file, symbol) = (graph.file(at.file), graph.symbol(*at));
        format!(
            "{} ({}:{})",
            file.qualified(symbol),
            file.path,
            symbol.start_line
        )
    });
    let error = symbol::ambiguous(name, root, shown.collect(), found.len());
    let Some(first) = found.first() else {
        return error;
    };
    let (path, symbol) = (&graph.file(first.file).path, graph.symbol(*first));
    let call = NextCall::new("read_file")
        .with("path", &**path)
        .with("start_line", symbol.start_line)
        .with("end_line", symbol.end_line);
    error.with_hint(
        Line::from("give one of them by its qualified name, ")
            .either("add `path`", "name its file too")
            .text(", or read its lines: ")
            .call(call),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_parts_of_an_entity_are_shown_together() {
        let clauses = [(10, 11), (13, 14), (18, 20), (40, 41)];
        assert_eq!(with_neighbours(13..=14, &clauses), 10..=20);
        assert_eq!(with_neighbours(10..=11, &clauses), 10..=20);
        assert_eq!(with_neighbours(40..=41, &clauses), 40..=41);
        assert_eq!(with_neighbours(5..=6, &[]), 5..=6);
    }
}
