//! `find_callers` and `find_callees`: who calls a symbol, and what it calls, level by level.

use std::collections::HashMap;

use claudevil_protocol::ToolError;
use claudevil_protocol::model::Params;
use claudevil_protocol::model::calls::{CallItem, CalleeList, CallerList, ExternalCall, FindCallees, FindCallers};
use claudevil_protocol::model::graph::Resolution;

use super::Context;
use super::linked::{Linked, info, line_info};
use crate::graph::calls::Call;
use crate::graph::{At, Graph};

/// More than this nobody reads; the count goes on.
const MOST_FOLLOWED: usize = 3_000;

pub fn find_callers(context: &Context, params: &FindCallers) -> Result<CallerList, ToolError> {
    let linked = Linked::of(context)?;
    let graph = linked.graph();
    let target = linked.find(&graph, params.asked())?;
    let mut callers = follow(&graph, target, params.depth(), |at| graph.callers(at, context.cancel))?;
    callers.sort_by(|one, other| (one.depth, &one.path, one.line).cmp(&(other.depth, &other.path, other.line)));
    let total = callers.len() as u64;
    callers.truncate(params.limit() as usize);
    let remaining = total - callers.len() as u64;
    let indexed = &linked.indexed;
    Ok(CallerList {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.shared().max_tokens,
        freshness: linked.freshness(&graph, &[target]),
        symbol: info(&graph, target),
        depth: params.depth(),
        callers,
        total,
        remaining,
        truncated: remaining > 0,
        limit: params.limit(),
    })
}

pub fn find_callees(context: &Context, params: &FindCallees) -> Result<CalleeList, ToolError> {
    let linked = Linked::of(context)?;
    let graph = linked.graph();
    let target = linked.find(&graph, params.asked())?;
    let mut foreign: HashMap<String, u64> = HashMap::new();
    let mut callees = follow(&graph, target, params.depth(), |at| {
        context.cancel.check()?;
        let found = graph.callees(at);
        for (name, calls) in found.foreign {
            *foreign.entry(name).or_default() += calls;
        }
        Ok(found.calls)
    })?;
    let total = callees.len() as u64;
    callees.truncate(params.limit() as usize);
    let remaining = total - callees.len() as u64;
    let total_external = foreign.len() as u64;
    let mut external: Vec<ExternalCall> =
        foreign.into_iter().map(|(name, calls)| ExternalCall { name, calls }).collect();
    external.sort_by(|one, other| (other.calls, &one.name).cmp(&(one.calls, &other.name)));
    external.truncate(CalleeList::EXTERNAL_SHOWN);
    let indexed = &linked.indexed;
    Ok(CalleeList {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.shared().max_tokens,
        freshness: linked.freshness(&graph, &[target]),
        symbol: info(&graph, target),
        depth: params.depth(),
        callees,
        total,
        external,
        total_external,
        remaining,
        truncated: remaining > 0,
        limit: params.limit(),
    })
}

/// Level by level, each symbol once; what leads back to itself is marked.
fn follow(
    graph: &Graph<'_>,
    from: At,
    depth: u32,
    mut next: impl FnMut(At) -> Result<Vec<Call>, ToolError>,
) -> Result<Vec<CallItem>, ToolError> {
    let mut seen: Vec<At> = graph.entity(from);
    let mut items = vec![];
    let mut layer = vec![from];
    for level in 1..=depth {
        let mut further = vec![];
        for at in layer {
            let via = graph.file(at.file).qualified(graph.symbol(at));
            for call in next(at)? {
                if let Some(symbol) = call.symbol {
                    let is_cycle = graph.entity(from).contains(&symbol);
                    if seen.contains(&symbol) && !is_cycle {
                        continue;
                    }
                    items.push(item(graph, symbol, &call, level, &via, is_cycle));
                    // What only the name speaks for is shown, and leads no further.
                    if !is_cycle && call.resolution != Resolution::NameOnly {
                        further.push(symbol);
                    }
                    seen.push(symbol);
                } else {
                    items.push(top_of_file(graph, &call, level, &via));
                }
            }
            if items.len() >= MOST_FOLLOWED {
                return Ok(items);
            }
        }
        layer = further;
    }
    Ok(items)
}

fn item(graph: &Graph<'_>, symbol: At, call: &Call, depth: u32, via: &str, is_cycle: bool) -> CallItem {
    CallItem {
        depth,
        via: via.to_owned(),
        call_lines: call.lines.clone(),
        resolution: call.resolution,
        reason: call.reason.to_owned(),
        candidates: (call.candidates > 1).then(|| u32::try_from(call.candidates).unwrap_or(u32::MAX)),
        is_cycle,
        ..CallItem::of(info(graph, symbol))
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
        candidates: (call.candidates > 1).then(|| u32::try_from(call.candidates).unwrap_or(u32::MAX)),
        is_cycle: false,
        ..CallItem::of(line_info(graph, call.file, line))
    }
}
