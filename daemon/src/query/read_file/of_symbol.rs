//! Which lines are all of a symbol: the definition rather than its declarations, with the clauses, overloads or accessors
//! that are one thing with it and stand beside it.

use std::ops::RangeInclusive;

use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::symbol;
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::tools::read_file::ShownSymbol;
use claudevil_protocol::{ErrorCode, ToolError};

use crate::graph::{Graph, SymbolId};
use crate::query::Context;
use crate::query::linked::Linked;
use crate::query::naming::Asked;

const CANDIDATES: usize = 10;
/// Lines between parts of one thing: blank ones, comments, decorators.
const BETWEEN: u32 = 3;

/// Where a symbol is.
pub struct SymbolPlace {
    pub path: String,
    pub symbol: ShownSymbol,
    pub freshness: Freshness,
}

pub fn locate(context: &Context, name: &str, path: Option<&str>) -> Result<SymbolPlace, ToolError> {
    let linked = Linked::of(context)?;
    let indexed = &linked.indexed;
    let path = path.map(|path| indexed.path(Some(path))).transpose()?;
    if let Some(path) = &path {
        indexed.file(path)?;
    }
    let graph = linked.graph();
    let asked = Asked::new(name)?;
    let is_asked = |own: &str| path.as_deref().is_none_or(|path| path == own);
    let meant = linked.meant(&graph, &asked, is_asked);
    match meant[..] {
        [only] => {
            let (at, lines) = whole(&graph, only, is_asked);
            let (file, symbol) = (graph.file(at.file), graph.symbol(at));
            let symbol = ShownSymbol {
                name: file.qualified(symbol),
                kind: symbol.kind,
                start_line: *lines.start(),
                end_line: *lines.end(),
            };
            Ok(SymbolPlace {
                path: file.path.clone(),
                symbol,
                freshness: indexed.freshness.clone(),
            })
        }
        [] => {
            let elsewhere = linked.meant(&graph, &asked, |_| true);
            if let Some(path) = path.as_deref().filter(|_| !elsewhere.is_empty()) {
                return Err(in_another_file(&graph, name, path, &elsewhere));
            }
            let all: Vec<_> = indexed
                .snapshot
                .symbols()
                .filter(|(file, _)| is_asked(&file.path))
                .collect();
            Err(asked.not_found(indexed, &all))
        }
        _ => Err(ambiguous(&graph, name, &indexed.root.name, &meant)),
    }
}

fn in_another_file(graph: &Graph<'_>, name: &str, path: &str, elsewhere: &[SymbolId]) -> ToolError {
    let named = |at: &SymbolId| {
        let (file, symbol) = (graph.file(at.file), graph.symbol(*at));
        format!(
            "{} ({}:{})",
            file.qualified(symbol),
            file.path,
            symbol.name_line
        )
    };
    ToolError::new(
        ErrorCode::SymbolNotFound,
        format!("no symbol `{name}` in {path}"),
    )
    .with_candidates(elsewhere.iter().take(CANDIDATES).map(named).collect())
    .with_hint(Line::new().either(
        "leave out `path`, or give that of one of these",
        "leave its file out, or name one of these",
    ))
}

/// The part of a thing that says most, with the lines of all parts beside it.
fn whole(
    graph: &Graph<'_>,
    at: SymbolId,
    is_asked: impl Fn(&str) -> bool,
) -> (SymbolId, RangeInclusive<u32>) {
    let parts = || {
        graph
            .entities()
            .declarations(at)
            .into_iter()
            .filter(|part| is_asked(&graph.file(part.file).path))
    };
    let weight = |part: &SymbolId| {
        let symbol = graph.symbol(*part);
        // What runs is no mere declaration.
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

/// A range of lines with all of these, in order, that are close to it or to one that is.
fn with_neighbours(own: RangeInclusive<u32>, others: &[(u32, u32)]) -> RangeInclusive<u32> {
    let (mut first, mut last) = own.into_inner();
    for (start, end) in others.iter().rev() {
        if *start < first && end + BETWEEN + 1 >= first {
            first = *start;
        }
    }
    for (start, end) in others {
        if *end > last && *start <= last + BETWEEN + 1 {
            last = *end;
        }
    }
    first..=last
}

fn ambiguous(graph: &Graph<'_>, name: &str, root: &str, meant: &[SymbolId]) -> ToolError {
    let shown = meant.iter().take(CANDIDATES).map(|at| {
        let (file, symbol) = (graph.file(at.file), graph.symbol(*at));
        format!(
            "{} ({}:{})",
            file.qualified(symbol),
            file.path,
            symbol.start_line
        )
    });
    let error = symbol::ambiguous(name, root, shown.collect());
    let Some(first) = meant.first() else {
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
    fn parts_of_one_thing_that_stand_together_are_shown_together() {
        let clauses = [(10, 11), (13, 14), (18, 20), (40, 41)];
        assert_eq!(with_neighbours(13..=14, &clauses), 10..=20);
        assert_eq!(with_neighbours(10..=11, &clauses), 10..=20);
        assert_eq!(with_neighbours(40..=41, &clauses), 40..=41);
        assert_eq!(with_neighbours(5..=6, &[]), 5..=6);
    }
}
