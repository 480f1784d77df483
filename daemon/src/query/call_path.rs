//! `call_path`: the shortest chains of calls from one symbol to another.

use std::collections::HashMap;
use std::rc::Rc;

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::text::Line;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::call_path::{
    CallChain, CallChains, CallPath, ChainStep, NotFollowed,
};
use claudevil_protocol::{ErrorCode, ToolError};

use super::Context;
use super::shared::graph_root::GraphRoot;
use super::shared::symbol_info::describe_symbol;
use crate::graph::calls::{Call, Callees};
use crate::graph::{Graph, SymbolId};

/// The search gives up after it has reached this many symbols.
const MAX_REACHED: usize = 20_000;
const OVERRIDES: &str = "it overrides what is called";

pub fn call_path(context: &Context, params: &CallPath) -> Result<CallChains, ToolError> {
    let root = GraphRoot::open(context)?;
    let graph = root.graph();
    let from = root
        .find(&graph, params.from())
        .map_err(|error| with_parameter_hint(error, "from"))?;
    let to = root
        .find(&graph, params.to())
        .map_err(|error| with_parameter_hint(error, "to"))?;
    let [from, to] = [from, to].map(|at| graph.entities().first_clause(at));
    let mut search = Search::new(&graph);
    let mut is_found = false;
    for targets in CallTargets::ALL {
        search.restart(targets);
        is_found = search.run(from, to, params.max_depth(), context)?;
        if is_found {
            break;
        }
    }
    let mut chains = vec![];
    let mut total = 0;
    if is_found {
        search.not_followed = NotFollowed::default();
        let mut chain = vec![(to, None)];
        search.collect_chains(from, to, &mut chain, &mut chains, &mut total);
    }
    // Chains with the fewest uncertain calls come first.
    chains.sort_by_key(|chain: &CallChain| {
        chain.steps.iter().filter(|step| !is_resolved(step)).count()
    });
    let indexed = &root.indexed;
    Ok(CallChains {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness: root.freshness_of_uses(&graph, &[to]),
        from: describe_symbol(&graph, from),
        to: describe_symbol(&graph, to),
        max_depth: params.max_depth(),
        truncated: (chains.len() as u64) < total,
        chains,
        total,
        nodes_seen: search.reached.len() as u64 + 1,
        depth_cut: search.depth_cut,
        is_cut: search.is_cut,
        not_followed: search.not_followed,
    })
}

/// Replaces the hint of an error about an ambiguous symbol, because this tool takes each end of the path as a single
/// parameter.
fn with_parameter_hint(error: ToolError, end: &str) -> ToolError {
    match error.code {
        ErrorCode::AmbiguousSymbol => error.with_hint(
            Line::from("give ")
                .parameter(end)
                .text(" as one of their locations, `path:line`, or by its qualified name"),
        ),
        _ => error,
    }
}

fn is_resolved(step: &ChainStep) -> bool {
    step.resolution
        .is_none_or(|resolution| resolution == Resolution::Resolved)
}

/// The targets to which a symbol is followed, the surest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CallTargets {
    /// The symbols that its calls name.
    Named,
    /// Also the overrides of those symbols, which may run instead.
    Overrides,
    /// Also the functions that it passes on as values: `setTimeout(this.tick)`.
    Passed,
}

impl CallTargets {
    const ALL: [Self; 3] = [Self::Named, Self::Overrides, Self::Passed];
}

/// A breadth-first search that records for each symbol the calls by which it was first reached.
struct Search<'a> {
    graph: &'a Graph<'a>,
    targets: CallTargets,
    reached: HashMap<SymbolId, (u32, Vec<(SymbolId, Call)>)>,
    callees: HashMap<SymbolId, Rc<Callees>>,
    overriding: HashMap<SymbolId, Vec<SymbolId>>,
    depth_cut: bool,
    /// True if the search gave up because it reached too many symbols.
    is_cut: bool,
    not_followed: NotFollowed,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph<'a>) -> Self {
        Self {
            graph,
            targets: CallTargets::Named,
            reached: HashMap::new(),
            callees: HashMap::new(),
            overriding: HashMap::new(),
            depth_cut: false,
            is_cut: false,
            not_followed: NotFollowed::default(),
        }
    }

    /// Starts the search over with other targets, and keeps the cached callees.
    fn restart(&mut self, targets: CallTargets) {
        self.targets = targets;
        self.reached.clear();
        (self.depth_cut, self.is_cut) = (false, false);
        self.not_followed = NotFollowed::default();
    }

    /// Returns the calls of a symbol that are followed, and counts those that are not: calls by name only, and calls of values.
    fn calls(&mut self, at: SymbolId) -> Vec<(SymbolId, Call)> {
        let callees = self
            .callees
            .entry(at)
            .or_insert_with(|| Rc::new(self.graph.calls().callees(at)));
        let callees = Rc::clone(callees);
        self.not_followed.values += callees.values;
        let is_name_only = |call: &&Call| call.resolution == Resolution::NameOnly;
        // A call with several candidates is listed once for each, so lines are counted instead.
        let by_name = callees.calls.iter().filter(is_name_only);
        let mut lines: Vec<u32> = by_name
            .flat_map(|call| call.lines.iter().copied())
            .collect();
        lines.sort_unstable();
        lines.dedup();
        self.not_followed.by_name += lines.len() as u64;
        let mut found = vec![];
        for call in callees.calls.iter().filter(|call| !is_name_only(call)) {
            let Some(symbol) = call.symbol else { continue };
            if self.targets >= CallTargets::Overrides {
                let (graph, cache) = (self.graph, &mut self.overriding);
                let all = cache
                    .entry(symbol)
                    .or_insert_with(|| graph.members().overriding(symbol));
                let as_override = |one: &SymbolId| {
                    let call = Call {
                        symbol: Some(*one),
                        resolution: Resolution::Ambiguous,
                        reason: OVERRIDES,
                        candidates: all.len() + 1,
                        ..call.clone()
                    };
                    (graph.entities().definition(*one), call)
                };
                found.extend(all.iter().map(as_override));
            }
            found.push((symbol, call.clone()));
        }
        if self.targets == CallTargets::Passed {
            let passed = self.graph.calls().passed_functions(at).into_iter();
            found.extend(passed.filter_map(|call| Some((call.symbol?, call))));
        }
        found
    }

    /// Searches layer by layer, up to `most` calls deep, and returns whether `to` was reached.
    fn run(
        &mut self,
        from: SymbolId,
        to: SymbolId,
        most: u32,
        context: &Context,
    ) -> Result<bool, ToolError> {
        let mut layer = vec![from];
        for depth in 1..=most {
            let mut further = vec![];
            for at in layer {
                context.cancel.check()?;
                for (symbol, call) in self.calls(at) {
                    if symbol == from && to != from {
                        continue;
                    }
                    match self.reached.get_mut(&symbol) {
                        Some((known, ways)) if *known == depth => ways.push((at, call)),
                        Some(_) => {}
                        None => {
                            self.reached.insert(symbol, (depth, vec![(at, call)]));
                            further.push(symbol);
                        }
                    }
                }
            }
            if self.reached.contains_key(&to) {
                return Ok(true);
            }
            if self.reached.len() > MAX_REACHED {
                self.is_cut = true;
                return Ok(false);
            }
            layer = further;
            if layer.is_empty() {
                return Ok(false);
            }
        }
        self.depth_cut = true;
        Ok(false)
    }

    /// Walks back from `at` to the start; collects the chains that are listed, and counts the others.
    fn collect_chains(
        &self,
        from: SymbolId,
        at: SymbolId,
        chain: &mut Vec<(SymbolId, Option<Call>)>,
        chains: &mut Vec<CallChain>,
        total: &mut u64,
    ) {
        let is_end = at == from && chain.len() > 1;
        if is_end {
            *total += 1;
            if chains.len() < CallChains::MAX_CHAINS {
                chains.push(self.to_chain(chain));
            }
            return;
        }
        let Some((_, ways)) = self.reached.get(&at) else {
            return;
        };
        for (caller, call) in ways {
            if *total >= 10_000 {
                return;
            }
            chain.push((*caller, Some(call.clone())));
            self.collect_chains(from, *caller, chain, chains, total);
            chain.pop();
        }
    }

    fn to_chain(&self, chain: &[(SymbolId, Option<Call>)]) -> CallChain {
        let steps = chain.iter().rev().map(|(at, call)| ChainStep {
            call_line: call.as_ref().and_then(|call| call.lines.first().copied()),
            resolution: call.as_ref().map(|call| call.resolution),
            reason: call.as_ref().map(|call| call.reason.to_owned()),
            candidates: call
                .as_ref()
                .filter(|call| call.candidates > 1)
                .map(|call| u32::try_from(call.candidates).unwrap_or(u32::MAX)),
            ..ChainStep::from_symbol(describe_symbol(self.graph, *at))
        });
        CallChain {
            steps: steps.collect(),
        }
    }
}
