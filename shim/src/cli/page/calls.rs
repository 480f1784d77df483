//! The page of a call graph.

use claudevil_protocol::text::escape::escape;
use claudevil_protocol::text::quantity::count;
use claudevil_protocol::text::signature;
use claudevil_protocol::tools::calls::DEEPEST;
use claudevil_protocol::tools::get_call_graph::{CallGraph, GraphNode};

use super::{Page, PageEdge, PageKind, PageNode};

/// Levels of calls that are sent along beyond those that the picture shows at first.
const LEVELS_BEYOND: u32 = 2;

/// Returns the depth of the graph that a page needs in order to show `depth` levels and expand more.
pub fn page_depth(depth: u32) -> u32 {
    (depth + LEVELS_BEYOND).min(DEEPEST)
}

/// Makes a page of a graph that shows the first `depth` levels. The source is added later.
pub fn call_graph_page(graph: &CallGraph, depth: u32) -> Page {
    let places: std::collections::HashMap<u32, usize> = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(at, node)| (node.id, at))
        .collect();
    let edges = graph.edges.iter().filter_map(|edge| {
        Some(PageEdge {
            from: *places.get(&edge.from)?,
            to: *places.get(&edge.to)?,
            resolution: edge.resolution.as_str(),
            lines: edge.lines.clone(),
            is_cycle: edge.is_cycle,
        })
    });
    let title = match (&graph.symbol, &graph.path) {
        (Some(symbol), _) => &symbol.qualified,
        (None, path) => path.as_deref().unwrap_or_default(),
    };
    Page {
        kind: PageKind::Calls,
        title: escape(title),
        summary: graph.summary().to_string(),
        notes: notes(graph),
        depth,
        nodes: graph.nodes.iter().map(page_node).collect(),
        edges: edges.collect(),
        sources: std::collections::BTreeMap::new(),
    }
}

fn page_node(node: &GraphNode) -> PageNode {
    PageNode {
        name: escape(&node.qualified),
        kind: node.kind.as_str(),
        path: escape(&node.path),
        line: node.line,
        start_line: node.start_line,
        end_line: node.end_line,
        signature: signature(&node.signature),
        detail: String::new(),
        is_test: node.is_test,
        is_start: node.distance == 0,
        weight: u32::MAX - node.distance,
    }
}

fn notes(graph: &CallGraph) -> Vec<String> {
    let warnings = graph.freshness.warnings();
    let mut notes: Vec<_> = warnings.iter().map(ToString::to_string).collect();
    let left_out = graph.total_nodes.saturating_sub(graph.nodes.len() as u64);
    if left_out > 0 {
        notes.push(format!(
            "{} of the graph left out of this page: the farthest",
            count(left_out, "symbol")
        ));
    }
    notes.push(format!(
        "Calls more than {} away are not on this page",
        count(u64::from(graph.depth), "level")
    ));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::graph::svg::tests::sample;
    use claudevil_protocol::answer::graph::Resolution;

    #[test]
    fn a_page_says_what_is_left_out_of_it() {
        let mut graph = sample(&["main", "run"], &[(0, 1, Resolution::Ambiguous, false)]);
        graph.total_nodes = 9;
        let page = call_graph_page(&graph, 1);
        assert_eq!(
            page.notes,
            [
                "7 symbols of the graph left out of this page: the farthest",
                "Calls more than 2 levels away are not on this page"
            ]
        );
        assert_eq!((page.nodes.len(), page.edges.len(), page.depth), (2, 1, 1));
        assert_eq!(page.edges[0].resolution, "ambiguous");
        assert!(page.nodes[0].is_start && !page.nodes[1].is_start);
        assert_eq!([1, 2, 4, 5].map(page_depth), [3, 4, 5, 5]);
    }
}
