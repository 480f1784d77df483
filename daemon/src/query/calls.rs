//! `find_callers` and `find_callees`: who calls a symbol, and what it calls, level by level.

use std::collections::{HashMap, HashSet};

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::{ListCursor, Resolution};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::calls::{
    CallItem, CalleeList, CallerList, ExternalCall, FindCallees, FindCallers,
};

use super::Context;
use super::shared::callers::callers;
use super::shared::confidence::GUESSES_SHOWN;
use super::shared::graph_root::GraphRoot;
use super::shared::occurrences::{NameAccount, NameOccurrences};
use super::shared::paging::{Page, decode_cursor};
use super::shared::recent_answers;
use super::shared::symbol_info::{describe_line, describe_symbol};
use super::shared::symbol_lookup::count_overloads;
use crate::graph::calls::Call;
use crate::graph::follow_budget::FollowBudget;
use crate::graph::{Graph, SymbolId};

/// The most calls that are followed; an answer that stops there says that its count is a lower bound.
const MAX_FOLLOWED: usize = 3_000;
/// The most files that are read to follow indirect calls; an answer that stops there says so.
const MAX_FILES: usize = 4_000;

pub fn find_callers(context: &Context, params: &FindCallers) -> Result<CallerList, ToolError> {
    let root = GraphRoot::open(context)?;
    recent_answers::get_or_make(
        &root,
        context,
        params,
        |_| true,
        || list_callers(context, params, &root),
    )
}

fn list_callers(
    context: &Context,
    params: &FindCallers,
    root: &GraphRoot<'_>,
) -> Result<CallerList, ToolError> {
    let after = decode_cursor(params.cursor.as_deref(), ListCursor::decode)?;
    let graph = root.graph();
    let targets = root.find_all(&graph, params.symbol_query())?;
    let occurrences = NameOccurrences {
        graph: &graph,
        target: targets[0],
    };
    // The account is made first, because the callers are found among the references that it caches.
    let account = match after {
        None => occurrences.account(&targets, root, context)?,
        Some(_) => NameAccount::default(),
    };
    let budget = FollowBudget::new(MAX_FILES);
    let is_followed = |at| budget.take_users(&graph, at);
    let mut tree = follow(&graph, &targets, params.depth(), is_followed, |of| {
        callers(&graph, of, context.cancel)
    })?;
    tree.items
        .sort_by(|one, other| caller_order(one).cmp(&caller_order(other)));
    let more_by_name = drop_guesses(&mut tree.items);
    let Page {
        items: callers,
        total,
        remaining,
    } = Page::cut(tree.items, after.as_ref(), params.limit(), CallItem::place);
    let indexed = &root.indexed;
    let freshness = root.freshness_of_uses(&graph, &targets);
    let mut freshness = freshness.with_changed(account.changed);
    freshness.add_notes(budget.note());
    let mut answer = CallerList {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        symbol: describe_symbol(&graph, targets[0]),
        depth: params.depth(),
        callers,
        total,
        more_by_name,
        accounting: account.accounting,
        remaining,
        truncated: false,
        cursor: None,
        is_least: tree.is_cut,
        limit: params.limit(),
        overloads: count_overloads(&targets),
    };
    answer.set_cursor();
    Ok(answer)
}

/// Sorts callers by name only last, and production code before tests.
fn caller_order(item: &CallItem) -> (u32, bool, bool, &str, u32, &str) {
    (
        item.depth,
        is_guess(item),
        item.is_test,
        &item.path,
        item.line,
        &item.via,
    )
}

fn is_guess(item: &CallItem) -> bool {
    item.resolution == Resolution::NameOnly
}

/// Drops all but the first callers by name only if there are more certain ones, and returns how many it drops.
fn drop_guesses(items: &mut Vec<CallItem>) -> u64 {
    if items.iter().all(is_guess) {
        return 0;
    }
    let before = items.len();
    let mut guesses = 0;
    items.retain(|item| {
        guesses += usize::from(is_guess(item));
        !is_guess(item) || guesses <= GUESSES_SHOWN
    });
    (before - items.len()) as u64
}

pub fn find_callees(context: &Context, params: &FindCallees) -> Result<CalleeList, ToolError> {
    let after = decode_cursor(params.cursor.as_deref(), ListCursor::decode)?;
    let root = GraphRoot::open(context)?;
    let graph = root.graph();
    let targets = root.find_all(&graph, params.symbol_query())?;
    let mut external_calls: HashMap<String, u64> = HashMap::new();
    let budget = FollowBudget::new(MAX_FILES);
    let is_followed = |at| budget.take_callees(&graph, at);
    let tree = follow(&graph, &targets, params.depth(), is_followed, |of| {
        context.cancel.check()?;
        let found = graph.calls().callees_of_any(of);
        for (name, calls) in found.foreign {
            *external_calls.entry(name).or_default() += calls;
        }
        Ok(found.calls)
    })?;
    let Page {
        items: callees,
        total,
        remaining,
    } = Page::cut(tree.items, after.as_ref(), params.limit(), CallItem::place);
    let total_external = external_calls.len() as u64;
    let mut external: Vec<ExternalCall> = external_calls
        .into_iter()
        .map(|(name, calls)| ExternalCall { name, calls })
        .collect();
    external.sort_by(|one, other| (other.calls, &one.name).cmp(&(one.calls, &other.name)));
    // Only the first page lists external calls.
    external.truncate(if after.is_none() {
        CalleeList::EXTERNAL_SHOWN
    } else {
        0
    });
    let indexed = &root.indexed;
    let mut freshness = root.freshness(&graph, &targets);
    freshness.add_notes(budget.note());
    let mut answer = CalleeList {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        symbol: describe_symbol(&graph, targets[0]),
        depth: params.depth(),
        callees,
        total,
        external,
        total_external,
        remaining,
        truncated: false,
        cursor: None,
        is_least: tree.is_cut,
        limit: params.limit(),
        overloads: count_overloads(&targets),
    };
    answer.set_cursor();
    Ok(answer)
}

struct CallTree {
    items: Vec<CallItem>,
    /// True if there are more calls than were followed.
    is_cut: bool,
}

/// Follows calls level by level, each symbol once; a call back to a start is marked as a cycle. The first level is always
/// complete.
fn follow(
    graph: &Graph<'_>,
    from: &[SymbolId],
    depth: u32,
    is_followed: impl Fn(SymbolId) -> bool,
    mut next: impl FnMut(&[SymbolId]) -> Result<Vec<Call>, ToolError>,
) -> Result<CallTree, ToolError> {
    let own: Vec<SymbolId> = from
        .iter()
        .flat_map(|at| graph.entities().declarations(*at))
        .collect();
    let mut seen: HashSet<SymbolId> = own.iter().copied().collect();
    let mut items = vec![];
    let mut is_cut = false;
    let mut layer = vec![from.to_vec()];
    for level in 1..=depth {
        let mut further = vec![];
        for of in layer {
            if level > 1 && !of.iter().all(|at| is_followed(*at)) {
                is_cut = true;
                continue;
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
                    items.push(item(graph, &call, level, &via, is_cycle));
                    // A call by name only is listed but not followed.
                    if !is_cycle && call.resolution != Resolution::NameOnly {
                        further.push(vec![symbol]);
                    }
                    seen.insert(symbol);
                } else {
                    items.push(item(graph, &call, level, &via, false));
                }
            }
            if items.len() >= MAX_FOLLOWED {
                return Ok(CallTree {
                    items,
                    is_cut: true,
                });
            }
        }
        layer = further;
    }
    Ok(CallTree { items, is_cut })
}

/// Describes a call by the function around it, or else by its file.
fn item(graph: &Graph<'_>, call: &Call, depth: u32, via: &str, is_cycle: bool) -> CallItem {
    let around = call.symbol.map(|symbol| describe_symbol(graph, symbol));
    let first_line = call.lines.first().copied().unwrap_or(1);
    let around = around.unwrap_or_else(|| describe_line(graph, call.file, first_line));
    CallItem {
        depth,
        via: via.to_owned(),
        call_lines: call.lines.clone(),
        resolution: call.resolution,
        reason: call.reason.to_owned(),
        candidates: (call.candidates > 1)
            .then(|| u32::try_from(call.candidates).unwrap_or(u32::MAX)),
        is_cycle,
        ..CallItem::from_symbol(around)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;
    use crate::source::cancel::CancelToken;

    #[test]
    fn direct_calls_are_always_followed_and_others_within_the_budget() {
        let text = "def base(): pass\n\ndef near(): base()\n\ndef far(): near()\n";
        let files = Files::new("python", &[("lib.py", text)]);
        let graph = Graph::new(&files.snapshot, &files);
        let base = SymbolId { file: 0, symbol: 0 };
        let within = |files| {
            let budget = FollowBudget::new(files);
            let is_followed = |at| budget.take_users(&graph, at);
            let next = |of: &[SymbolId]| callers(&graph, of, &CancelToken::default());
            let tree = follow(&graph, &[base], 3, is_followed, next).expect("not cancelled");
            (
                tree.items
                    .iter()
                    .map(|item| item.name.clone())
                    .collect::<Vec<_>>(),
                tree.is_cut,
            )
        };
        assert_eq!(
            within(usize::MAX),
            (vec!["near".to_owned(), "far".to_owned()], false)
        );
        assert_eq!(within(0), (vec!["near".to_owned()], true));
    }
}
