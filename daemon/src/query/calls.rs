//! `find_callers` and `find_callees`: who calls a symbol, and what it calls, level by level.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::{ListCursor, Resolution};
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::text::Line;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::calls::{
    CallItem, CalleeList, CallerList, ExternalCall, FindCallees, FindCallers,
};

use super::Context;
use super::linked::{Linked, info, line_info};
use crate::extract::facts::Symbol;
use crate::graph::calls::Call;
use crate::graph::{At, Graph};
use crate::source::cancel::CancelToken;

/// More than this nobody reads; then the count is only of these, and says so.
const MOST_FOLLOWED: usize = 3_000;
/// For how long the calls of calls are followed. What takes longer is said to be more, and its pages may differ.
const LONGEST_FOLLOWED: Duration = Duration::from_secs(5);

pub fn find_callers(context: &Context, params: &FindCallers) -> Result<CallerList, ToolError> {
    let after = cursor(params.cursor.as_deref())?;
    let linked = Linked::of(context)?;
    let graph = linked.graph();
    let targets = linked.find_all(&graph, params.symbol_query())?;
    let mut followed = follow(&graph, &targets, params.depth(), LONGEST_FOLLOWED, |of| {
        callers(&graph, of, context.cancel)
    })?;
    followed
        .items
        .sort_by(|one, other| caller_order(one).cmp(&caller_order(other)));
    let Page {
        items: callers,
        total,
        remaining,
    } = page(
        followed.items,
        after.as_ref(),
        params.limit(),
        CallItem::place,
    );
    let indexed = &linked.indexed;
    let mut answer = CallerList {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness: linked.freshness(&graph, &targets),
        symbol: info(&graph, targets[0]),
        depth: params.depth(),
        callers,
        total,
        remaining,
        truncated: false,
        cursor: None,
        is_least: followed.is_cut,
        limit: params.limit(),
        overloads: overloads(&targets),
    };
    answer.set_cursor();
    Ok(answer)
}

/// Production code comes before tests.
fn caller_order(item: &CallItem) -> (u32, bool, &str, u32, &str) {
    (item.depth, item.is_test, &item.path, item.line, &item.via)
}

pub fn find_callees(context: &Context, params: &FindCallees) -> Result<CalleeList, ToolError> {
    let after = cursor(params.cursor.as_deref())?;
    let linked = Linked::of(context)?;
    let graph = linked.graph();
    let targets = linked.find_all(&graph, params.symbol_query())?;
    let mut foreign: HashMap<String, u64> = HashMap::new();
    let followed = follow(&graph, &targets, params.depth(), LONGEST_FOLLOWED, |of| {
        context.cancel.check()?;
        let found = graph.calls().callees_of_any(of);
        for (name, calls) in found.foreign {
            *foreign.entry(name).or_default() += calls;
        }
        Ok(found.calls)
    })?;
    let Page {
        items: callees,
        total,
        remaining,
    } = page(
        followed.items,
        after.as_ref(),
        params.limit(),
        CallItem::place,
    );
    let total_external = foreign.len() as u64;
    let mut external: Vec<ExternalCall> = foreign
        .into_iter()
        .map(|(name, calls)| ExternalCall { name, calls })
        .collect();
    external.sort_by(|one, other| (other.calls, &one.name).cmp(&(one.calls, &other.name)));
    // Of a later page they would be said again.
    external.truncate(if after.is_none() {
        CalleeList::EXTERNAL_SHOWN
    } else {
        0
    });
    let indexed = &linked.indexed;
    let mut answer = CalleeList {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness: linked.freshness(&graph, &targets),
        symbol: info(&graph, targets[0]),
        depth: params.depth(),
        callees,
        total,
        external,
        total_external,
        remaining,
        truncated: false,
        cursor: None,
        is_least: followed.is_cut,
        limit: params.limit(),
        overloads: overloads(&targets),
    };
    answer.set_cursor();
    Ok(answer)
}

/// How many are asked about as one; 0 of one alone.
pub fn overloads(targets: &[At]) -> u32 {
    u32::try_from(targets.len())
        .ok()
        .filter(|overloads| *overloads > 1)
        .unwrap_or(0)
}

/// Who calls a symbol, or one of several that are asked about as one. What stands in no function may still stand in a macro, and whoever uses that makes the call.
pub fn callers(graph: &Graph<'_>, of: &[At], cancel: &CancelToken) -> Result<Vec<Call>, ToolError> {
    let mut found: Vec<Call> = vec![];
    for call in graph.calls().callers(of, cancel)? {
        if call.symbol.is_some() {
            found.push(call);
            continue;
        }
        let lines_by_macro = by_macro(graph, call.file, &call.lines);
        found.extend(lines_by_macro.into_iter().map(|(symbol, lines)| Call {
            symbol,
            lines,
            ..call.clone()
        }));
    }
    Ok(found)
}

/// Lines of a file by the innermost macro around them.
fn by_macro(graph: &Graph<'_>, file: u32, lines: &[u32]) -> Vec<(Option<At>, Vec<u32>)> {
    let symbols = &graph.file(file).outline.symbols;
    let mut found: Vec<(Option<At>, Vec<u32>)> = vec![];
    for line in lines {
        let is_around = |symbol: &Symbol| {
            symbol.kind == SymbolKind::Macro && (symbol.start_line..=symbol.end_line).contains(line)
        };
        let place = symbols
            .iter()
            .rposition(is_around)
            .and_then(|place| u32::try_from(place).ok());
        let around = place.map(|symbol| At { file, symbol });
        match found.iter_mut().find(|(known, _)| *known == around) {
            Some((_, lines)) => lines.push(*line),
            None => found.push((around, vec![*line])),
        }
    }
    found
}

/// A part of a list.
pub struct Page<T> {
    pub items: Vec<T>,
    /// Of the whole list.
    pub total: u64,
    /// Behind this page.
    pub remaining: u64,
}

pub fn cursor(text: Option<&str>) -> Result<Option<ListCursor>, ToolError> {
    let unknown = |text: &str| {
        ToolError::invalid_argument(format!("cursor `{text}` is not one of this tool")).with_hint(
            Line::new().words("pass the `cursor` of the last answer, or none to start over"),
        )
    };
    text.map(|text| ListCursor::decode(text).ok_or_else(|| unknown(text)))
        .transpose()
}

pub fn page<T>(
    all: Vec<T>,
    after: Option<&ListCursor>,
    limit: u32,
    place: fn(&T) -> (&str, u32),
) -> Page<T> {
    let total = all.len() as u64;
    let skipped = after.map_or(0, |after| after.skipped(&all, place));
    let items: Vec<T> = all.into_iter().skip(skipped).take(limit as usize).collect();
    let remaining = total - (skipped + items.len()) as u64;
    Page {
        items,
        total,
        remaining,
    }
}

/// What calls lead to.
struct Followed {
    items: Vec<CallItem>,
    /// There is more than was followed.
    is_cut: bool,
}

/// Level by level, each symbol once; what leads back to itself is marked. The first level is followed to its end, others for
/// some time.
fn follow(
    graph: &Graph<'_>,
    from: &[At],
    depth: u32,
    patience: Duration,
    mut next: impl FnMut(&[At]) -> Result<Vec<Call>, ToolError>,
) -> Result<Followed, ToolError> {
    let began = Instant::now();
    let own: Vec<At> = from
        .iter()
        .flat_map(|at| graph.entities().declarations(*at))
        .collect();
    let mut seen: HashSet<At> = own.iter().copied().collect();
    let mut items = vec![];
    let mut layer = vec![from.to_vec()];
    for level in 1..=depth {
        let mut further = vec![];
        for of in layer {
            if level > 1 && began.elapsed() >= patience {
                return Ok(Followed {
                    items,
                    is_cut: true,
                });
            }
            let via = of
                .first()
                .map(|at| graph.file(at.file).qualified(graph.symbol(*at)))
                .unwrap_or_default();
            for call in next(&of)? {
                if let Some(symbol) = call.symbol {
                    let is_cycle = own.contains(&symbol);
                    if seen.contains(&symbol) && !is_cycle {
                        continue;
                    }
                    items.push(item(graph, symbol, &call, level, &via, is_cycle));
                    // What only the name speaks for is shown, and leads no further.
                    if !is_cycle && call.resolution != Resolution::NameOnly {
                        further.push(vec![symbol]);
                    }
                    seen.insert(symbol);
                } else {
                    items.push(top_of_file(graph, &call, level, &via));
                }
            }
            if items.len() >= MOST_FOLLOWED {
                return Ok(Followed {
                    items,
                    is_cut: true,
                });
            }
        }
        layer = further;
    }
    Ok(Followed {
        items,
        is_cut: false,
    })
}

fn item(
    graph: &Graph<'_>,
    symbol: At,
    call: &Call,
    depth: u32,
    via: &str,
    is_cycle: bool,
) -> CallItem {
    CallItem {
        depth,
        via: via.to_owned(),
        call_lines: call.lines.clone(),
        resolution: call.resolution,
        reason: call.reason.to_owned(),
        candidates: (call.candidates > 1)
            .then(|| u32::try_from(call.candidates).unwrap_or(u32::MAX)),
        is_cycle,
        ..CallItem::from_symbol(info(graph, symbol))
    }
}

/// A call that stands in no function: of the file itself.
fn top_of_file(graph: &Graph<'_>, call: &Call, depth: u32, via: &str) -> CallItem {
    let line = call.lines.first().copied().unwrap_or(1);
    CallItem {
        depth,
        via: via.to_owned(),
        call_lines: call.lines.clone(),
        resolution: call.resolution,
        reason: call.reason.to_owned(),
        candidates: (call.candidates > 1)
            .then(|| u32::try_from(call.candidates).unwrap_or(u32::MAX)),
        is_cycle: false,
        ..CallItem::from_symbol(line_info(graph, call.file, line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;

    #[test]
    fn the_nearest_calls_are_always_followed_and_others_while_there_is_time() {
        let text = "def base(): pass\n\ndef near(): base()\n\ndef far(): near()\n";
        let files = Files::new("python", &[("lib.py", text)]);
        let graph = Graph::new(&files.snapshot, &files);
        let base = At { file: 0, symbol: 0 };
        let within = |patience| {
            let next = |of: &[At]| callers(&graph, of, &CancelToken::default());
            let followed = follow(&graph, &[base], 3, patience, next).expect("not cancelled");
            (
                followed
                    .items
                    .iter()
                    .map(|item| item.name.clone())
                    .collect::<Vec<_>>(),
                followed.is_cut,
            )
        };
        assert_eq!(
            within(Duration::MAX),
            (vec!["near".to_owned(), "far".to_owned()], false)
        );
        assert_eq!(within(Duration::ZERO), (vec!["near".to_owned()], true));
    }
}
