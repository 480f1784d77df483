//! `get_call_graph`: the calls around a symbol, or of a file.

use std::collections::{HashMap, HashSet};

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::get_call_graph::{
    CallDirection, CallGraph, GetCallGraph, GraphEdge, GraphNode,
};

use super::Context;
use super::shared::callers::callers;
use super::shared::graph_root::GraphRoot;
use super::shared::occurrences::recent_accounts;
use super::shared::symbol_info::describe_symbol;
use crate::graph::calls::Call;
use crate::graph::follow_budget::FollowBudget;
use crate::graph::{Graph, SymbolId};

/// The most nodes that are followed; the nearest of them are shown.
const MAX_NODES_FOLLOWED: usize = 2_000;
/// The most files that are read to follow indirect calls, in each direction.
const MAX_FILES: usize = 2_000;

pub fn get_call_graph(context: &Context, params: &GetCallGraph) -> Result<CallGraph, ToolError> {
    let root = GraphRoot::open(context)?;
    let graph = root.graph();
    let query = params.symbol_query();
    let (path, target) = match (query.symbol, query.path, query.line) {
        (None, Some(path), None) => (Some(root.indexed.path(Some(path))?), None),
        _ => (None, Some(root.find(&graph, query)?)),
    };
    let starts: Vec<SymbolId> = match (&path, target) {
        (Some(path), _) => {
            root.indexed.file(path)?;
            let file = graph
                .file_number(path)
                .ok_or_else(|| root.indexed.not_indexed(path))?;
            let symbols = (0..).zip(&graph.file(file).outline.symbols);
            symbols
                .filter(|(_, one)| one.kind.is_callable())
                .map(|(symbol, _)| SymbolId { file, symbol })
                .collect()
        }
        (None, target) => target.into_iter().collect(),
    };
    // The result is not needed: the call gives the graph the references that an earlier question has found.
    recent_accounts::get(&graph, &root, &starts);
    let mut builder = GraphBuilder::new(&graph, &starts, MAX_FILES);
    // By default, the graph of a whole file has the calls inside it and one step beyond.
    let depth = if path.is_some() {
        params.depth.unwrap_or(1)
    } else {
        params.depth()
    };
    let direction = params.direction();
    if matches!(direction, CallDirection::Both | CallDirection::Callees) {
        builder.walk(&starts, depth, false, |at| {
            context.cancel.check()?;
            Ok(graph.calls().callees(at).calls)
        })?;
    }
    if matches!(direction, CallDirection::Both | CallDirection::Callers) {
        builder.walk(&starts, depth, true, |at| {
            callers(&graph, &[at], context.cancel)
        })?;
    }
    let is_cut = builder.is_cut;
    let (nodes, edges, total_nodes, total_edges) = builder.finish();
    let mut freshness = match direction {
        CallDirection::Callees => root.freshness(&graph, &starts),
        _ => root.freshness_of_uses(&graph, &starts),
    };
    if is_cut {
        freshness.add_note("there are more calls than were followed");
    }
    let indexed = &root.indexed;
    Ok(CallGraph {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        path,
        symbol: target.map(|at| describe_symbol(&graph, at)),
        direction,
        depth,
        format: params.format(),
        truncated: (nodes.len() as u64) < total_nodes,
        nodes,
        edges,
        total_nodes,
        total_edges,
    })
}

struct GraphBuilder<'a> {
    graph: &'a Graph<'a>,
    nodes: Vec<(SymbolId, u32)>,
    places: HashMap<SymbolId, usize>,
    edges: Vec<GraphEdge>,
    /// The nodes that each node calls, by their positions.
    calls: HashMap<u32, Vec<u32>>,
    most_files: usize,
    /// True if there are more calls than were followed.
    is_cut: bool,
}

impl<'a> GraphBuilder<'a> {
    fn new(graph: &'a Graph<'a>, starts: &[SymbolId], most_files: usize) -> Self {
        let nodes = starts.iter().map(|at| (*at, 0)).collect();
        let places = starts.iter().copied().zip(0..).collect();
        Self {
            graph,
            nodes,
            places,
            edges: vec![],
            calls: HashMap::new(),
            most_files,
            is_cut: false,
        }
    }

    fn walk(
        &mut self,
        starts: &[SymbolId],
        depth: u32,
        against: bool,
        mut next: impl FnMut(SymbolId) -> Result<Vec<Call>, ToolError>,
    ) -> Result<(), ToolError> {
        let budget = FollowBudget::new(self.most_files);
        let is_followed = |at| {
            if against {
                budget.take_users(self.graph, at)
            } else {
                budget.take_callees(self.graph, at)
            }
        };
        let mut layer = starts.to_vec();
        let mut walked: HashSet<SymbolId> = HashSet::new();
        for distance in 1..=depth {
            let mut further = vec![];
            for at in layer {
                if !walked.insert(at) {
                    continue;
                }
                if self.nodes.len() >= MAX_NODES_FOLLOWED || distance > 1 && !is_followed(at) {
                    self.is_cut = true;
                    continue;
                }
                for call in next(at)? {
                    let Some(symbol) = call
                        .symbol
                        .filter(|_| call.resolution != Resolution::NameOnly)
                    else {
                        continue;
                    };
                    let other = self.node(symbol, distance);
                    let own = self.node(at, distance);
                    let (from, to) = if against { (other, own) } else { (own, other) };
                    self.edge(from, to, &call);
                    // A symbol that the walk in the other direction has found is followed in this one too.
                    if !walked.contains(&symbol) {
                        further.push(symbol);
                    }
                }
            }
            layer = further;
        }
        Ok(())
    }

    fn node(&mut self, at: SymbolId, distance: u32) -> u32 {
        let place = *self.places.entry(at).or_insert_with(|| {
            self.nodes.push((at, distance));
            self.nodes.len() - 1
        });
        let nearest = &mut self.nodes[place].1;
        *nearest = distance.min(*nearest);
        u32::try_from(place).unwrap_or(u32::MAX)
    }

    fn edge(&mut self, from: u32, to: u32, call: &Call) {
        if self.callees(from).contains(&to) {
            return;
        }
        let is_cycle = from == to || self.leads(to, from);
        self.calls.entry(from).or_default().push(to);
        self.edges.push(GraphEdge {
            from,
            to,
            resolution: call.resolution,
            lines: call.lines.clone(),
            is_cycle,
        });
    }

    fn callees(&self, node: u32) -> &[u32] {
        self.calls.get(&node).map_or(&[], Vec::as_slice)
    }

    fn leads(&self, from: u32, to: u32) -> bool {
        let mut seen = HashSet::from([from]);
        let mut next = vec![from];
        while let Some(at) = next.pop() {
            for callee in self.callees(at) {
                if *callee == to {
                    return true;
                }
                if seen.insert(*callee) {
                    next.push(*callee);
                }
            }
        }
        false
    }

    fn finish(mut self) -> (Vec<GraphNode>, Vec<GraphEdge>, u64, u64) {
        let (total_nodes, total_edges) = (self.nodes.len() as u64, self.edges.len() as u64);
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|place| (self.nodes[*place].1, *place));
        order.truncate(GetCallGraph::MAX_NODES);
        let mut ids: HashMap<u32, u32> = HashMap::new();
        let mut nodes = vec![];
        for (id, place) in (0..).zip(&order) {
            let (at, distance) = self.nodes[*place];
            ids.insert(u32::try_from(*place).unwrap_or(u32::MAX), id);
            nodes.push(GraphNode {
                id,
                distance,
                ..GraphNode::from_symbol(describe_symbol(self.graph, at))
            });
        }
        self.edges
            .retain_mut(|edge| match (ids.get(&edge.from), ids.get(&edge.to)) {
                (Some(from), Some(to)) => {
                    (edge.from, edge.to) = (*from, *to);
                    true
                }
                _ => false,
            });
        (nodes, self.edges, total_nodes, total_edges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;
    use crate::source::cancel::CancelToken;

    #[test]
    fn direct_calls_are_always_in_the_graph_and_others_within_the_budget() {
        let text = "def base(): pass\n\ndef near(): base()\n\ndef far(): near()\n";
        let files = Files::new("python", &[("lib.py", text)]);
        let graph = Graph::new(&files.snapshot, &files);
        let within = |most_files| {
            let base = [SymbolId { file: 0, symbol: 0 }];
            let mut builder = GraphBuilder::new(&graph, &base, most_files);
            let walked = builder.walk(&base, 3, true, |at| {
                callers(&graph, &[at], &CancelToken::default())
            });
            walked.expect("not cancelled");
            let is_cut = builder.is_cut;
            let (nodes, edges, ..) = builder.finish();
            (
                nodes
                    .into_iter()
                    .map(|node| node.name)
                    .collect::<Vec<_>>()
                    .join(" "),
                edges.len(),
                is_cut,
            )
        };
        assert_eq!(within(usize::MAX), ("base near far".to_owned(), 2, false));
        assert_eq!(within(0), ("base near".to_owned(), 1, true));
    }

    #[test]
    fn a_caller_that_is_a_callee_too_is_followed_in_both_directions() {
        let text = "def base(): mid()\n\ndef mid(): base()\n\ndef top(): mid()\n";
        let files = Files::new("python", &[("lib.py", text)]);
        let graph = Graph::new(&files.snapshot, &files);
        let base = [SymbolId { file: 0, symbol: 0 }];
        let mut builder = GraphBuilder::new(&graph, &base, usize::MAX);
        let walked = builder.walk(&base, 2, false, |at| Ok(graph.calls().callees(at).calls));
        walked.expect("not cancelled");
        let walked = builder.walk(&base, 2, true, |at| {
            callers(&graph, &[at], &CancelToken::default())
        });
        walked.expect("not cancelled");
        let (nodes, ..) = builder.finish();
        let nodes: Vec<(String, u32)> = nodes
            .into_iter()
            .map(|node| (node.name, node.distance))
            .collect();
        let expected = [("base", 0), ("mid", 1), ("top", 2)];
        assert_eq!(
            nodes,
            expected.map(|(name, distance)| (name.to_owned(), distance))
        );
    }
}
