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
use super::linked::{Linked, info};
use crate::graph::calls::{Call, Callees};
use crate::graph::{At, Graph};

/// Symbols that are looked at before the search is given up.
const MOST_SEEN: usize = 20_000;
const OVERRIDES: &str = "it overrides what is called";

pub fn call_path(context: &Context, params: &CallPath) -> Result<CallChains, ToolError> {
    let linked = Linked::of(context)?;
    let graph = linked.graph();
    let from = linked
        .find(&graph, params.from())
        .map_err(|error| for_end(error, "from"))?;
    let to = linked
        .find(&graph, params.to())
        .map_err(|error| for_end(error, "to"))?;
    let mut search = Search::new(&graph);
    let is_found = search.run(from, to, params.max_depth(), context)?
        || search
            .again(Follows::Overriding)
            .run(from, to, params.max_depth(), context)?;
    let mut chains = vec![];
    let mut total = 0;
    if is_found {
        search.not_followed = NotFollowed::default();
        let mut chain = vec![(to, None)];
        search.back(from, to, &mut chain, &mut chains, &mut total);
    }
    // The surest first; the order of what was found otherwise.
    chains
        .sort_by_key(|chain: &CallChain| chain.steps.iter().filter(|step| !is_sure(step)).count());
    let indexed = &linked.indexed;
    Ok(CallChains {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness: linked.freshness(&graph, &[from, to]),
        from: info(&graph, from),
        to: info(&graph, to),
        max_depth: params.max_depth(),
        truncated: (chains.len() as u64) < total,
        chains,
        total,
        nodes_seen: search.reached.len() as u64 + 1,
        depth_cut: search.depth_cut,
        not_followed: search.not_followed,
    })
}

/// What to do about an end that may be several symbols: it is given in one word, whatever other tools take.
fn for_end(error: ToolError, end: &str) -> ToolError {
    match error.code {
        ErrorCode::AmbiguousSymbol => error.with_hint(
            Line::from("give ")
                .parameter(end)
                .text(" as one of their locations, `path:line`, or by its qualified name"),
        ),
        _ => error,
    }
}

fn is_sure(step: &ChainStep) -> bool {
    step.resolution
        .is_none_or(|resolution| resolution == Resolution::Resolved)
}

/// Where a call leads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follows {
    /// To what it names.
    Calls,
    /// Also to what overrides that, and may run instead.
    Overriding,
}

/// Breadth first: each symbol with the calls by which it was first reached.
struct Search<'a> {
    graph: &'a Graph<'a>,
    follows: Follows,
    reached: HashMap<At, (u32, Vec<(At, Call)>)>,
    callees: HashMap<At, Rc<Callees>>,
    overriding: HashMap<At, Vec<At>>,
    depth_cut: bool,
    not_followed: NotFollowed,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph<'a>) -> Self {
        Self {
            graph,
            follows: Follows::Calls,
            reached: HashMap::new(),
            callees: HashMap::new(),
            overriding: HashMap::new(),
            depth_cut: false,
            not_followed: NotFollowed::default(),
        }
    }

    /// Forgets what was reached, and follows calls in another way.
    fn again(&mut self, follows: Follows) -> &mut Self {
        self.follows = follows;
        self.reached.clear();
        (self.depth_cut, self.not_followed) = (false, NotFollowed::default());
        self
    }

    /// What a symbol calls, as far as that is known.
    fn calls(&mut self, at: At) -> Vec<(At, Call)> {
        let callees = self
            .callees
            .entry(at)
            .or_insert_with(|| Rc::new(self.graph.calls().callees(at)));
        let callees = Rc::clone(callees);
        self.not_followed.values += callees.values;
        let is_by_name = |call: &&Call| call.resolution == Resolution::NameOnly;
        // One call may mean several, each of which is listed.
        let by_name = callees.calls.iter().filter(is_by_name);
        let mut lines: Vec<u32> = by_name
            .flat_map(|call| call.lines.iter().copied())
            .collect();
        lines.sort_unstable();
        lines.dedup();
        self.not_followed.by_name += lines.len() as u64;
        let mut found = vec![];
        for call in callees.calls.iter().filter(|call| !is_by_name(call)) {
            let Some(symbol) = call.symbol else { continue };
            if self.follows == Follows::Overriding {
                let (graph, known) = (self.graph, &mut self.overriding);
                let all = known
                    .entry(symbol)
                    .or_insert_with(|| graph.members().overriding(symbol));
                let instead = |one: &At| {
                    let call = Call {
                        symbol: Some(*one),
                        resolution: Resolution::Ambiguous,
                        reason: OVERRIDES,
                        candidates: all.len() + 1,
                        ..call.clone()
                    };
                    (graph.entities().definition(*one), call)
                };
                found.extend(all.iter().map(instead));
            }
            found.push((symbol, call.clone()));
        }
        found
    }

    /// Whether there is a chain.
    fn run(&mut self, from: At, to: At, most: u32, context: &Context) -> Result<bool, ToolError> {
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
            if self.reached.len() > MOST_SEEN {
                self.depth_cut = true;
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

    /// All chains back to the start, as many as are listed; the rest are counted.
    fn back(
        &self,
        from: At,
        at: At,
        chain: &mut Vec<(At, Option<Call>)>,
        chains: &mut Vec<CallChain>,
        total: &mut u64,
    ) {
        let is_end = at == from && chain.len() > 1;
        if is_end {
            *total += 1;
            if chains.len() < CallChains::MOST_CHAINS {
                chains.push(self.written(chain));
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
            self.back(from, *caller, chain, chains, total);
            chain.pop();
        }
    }

    fn written(&self, chain: &[(At, Option<Call>)]) -> CallChain {
        let steps = chain.iter().rev().map(|(at, call)| ChainStep {
            call_line: call.as_ref().and_then(|call| call.lines.first().copied()),
            resolution: call.as_ref().map(|call| call.resolution),
            reason: call.as_ref().map(|call| call.reason.to_owned()),
            candidates: call
                .as_ref()
                .filter(|call| call.candidates > 1)
                .map(|call| u32::try_from(call.candidates).unwrap_or(u32::MAX)),
            ..ChainStep::from_symbol(info(self.graph, *at))
        });
        CallChain {
            steps: steps.collect(),
        }
    }
}
