//! The text of `get_call_graph`: as a list of calls, or as Mermaid or DOT to be drawn.

use crate::answer::freshness;
use crate::answer::graph::Resolution;
use crate::answer::graph::text::{asked, at, numbers, of_total};
use crate::text::NextCall;
use crate::text::quantity::grouped;
use crate::text::tokens::MOST_TOKENS;
use crate::text::{leading, one_line};
use crate::tools::Tool;
use crate::tools::get_call_graph::{
    CallDirection, CallGraph, GetCallGraph, GraphEdge, GraphFormat, GraphNode,
};

pub fn write(graph: &CallGraph) -> String {
    match graph.format {
        GraphFormat::Text | GraphFormat::Json => plain(graph),
        GraphFormat::Mermaid => mermaid(graph),
        GraphFormat::Dot => dot(graph),
    }
}

/// What was asked and how much was found.
pub fn head(graph: &CallGraph) -> String {
    let of = match (&graph.symbol, &graph.path) {
        (Some(symbol), _) => asked(symbol),
        (None, path) => one_line(path.as_deref().unwrap_or_default()),
    };
    let direction = match graph.direction {
        CallDirection::Both => String::new(),
        one => format!(", {}", one.as_str()),
    };
    let nodes = of_total(graph.nodes.len(), graph.total_nodes, "symbol");
    let edges = of_total(graph.edges.len(), graph.total_edges, "edge");
    format!(
        "call graph of {of} in {}{direction}, depth {}: {nodes}, {edges}",
        graph.root_name, graph.depth
    )
}

fn plain(graph: &CallGraph) -> String {
    let mut lines = vec![head(graph)];
    lines.extend(freshness::lines(&graph.freshness));
    for node in &graph.nodes {
        let calls: Vec<_> = graph
            .edges
            .iter()
            .filter(|edge| edge.from == node.id)
            .collect();
        let is_called = graph.edges.iter().any(|edge| edge.to == node.id);
        // Who neither calls nor is called is there because it was asked about.
        if calls.is_empty() && is_called {
            continue;
        }
        lines.push(format!(
            "{}  {}",
            leading(&node.qualified),
            at(&node.symbol())
        ));
        for edge in calls {
            if let Some(target) = find(graph, edge.to) {
                lines.push(format!(
                    "  -> {}  {}  {}",
                    one_line(&target.qualified),
                    at(&target.symbol()),
                    manner(edge)
                ));
            }
        }
    }
    lines.extend(next(graph));
    lines.join("\n")
}

/// `at 12, 15, ambiguous, cycle`.
fn manner(edge: &GraphEdge) -> String {
    let mut parts = vec![format!("at {}", numbers(&edge.lines))];
    parts.extend(doubt(edge.resolution).map(str::to_owned));
    if edge.is_cycle {
        parts.push("cycle".to_owned());
    }
    parts.join(", ")
}

/// What to say of a call that is not sure.
pub fn doubt(resolution: Resolution) -> Option<&'static str> {
    match resolution {
        Resolution::Resolved => None,
        Resolution::Ambiguous => Some("ambiguous"),
        Resolution::NameOnly => Some("name only"),
    }
}

fn find(graph: &CallGraph, id: u32) -> Option<&GraphNode> {
    graph.nodes.iter().find(|node| node.id == id)
}

fn mermaid(graph: &CallGraph) -> String {
    let mut lines = vec![format!("%% {}", head(graph))];
    lines.extend(
        freshness::lines(&graph.freshness)
            .iter()
            .map(|line| format!("%% {line}")),
    );
    lines.push("flowchart LR".to_owned());
    for node in &graph.nodes {
        let (name, place) = (
            one_line(&node.qualified),
            format!("{}:{}", one_line(&node.path), node.line),
        );
        // Of lines with these words Mermaid takes colons to be its own.
        let is_taken = |word: &str| name.contains(word) || place.contains(word);
        let has_words = is_taken("style") || is_taken("classDef");
        let label = format!(
            "{}<br/>{}",
            mermaid_text(&name, has_words),
            mermaid_text(&place, has_words)
        );
        let brackets = if node.distance == 0 {
            ("([\"", "\"])")
        } else {
            ("[\"", "\"]")
        };
        lines.push(format!("  n{}{}{label}{}", node.id, brackets.0, brackets.1));
    }
    for edge in &graph.edges {
        let arrow = if edge.resolution == Resolution::Resolved {
            "-->"
        } else {
            "-.->"
        };
        let label = edge_label(edge).map_or_else(String::new, |label| format!("|{label}|"));
        lines.push(format!("  n{} {arrow}{label} n{}", edge.from, edge.to));
    }
    lines.extend(next(graph).map(|next| format!("%% {next}")));
    lines.join("\n")
}

fn edge_label(edge: &GraphEdge) -> Option<String> {
    let parts: Vec<_> = doubt(edge.resolution)
        .into_iter()
        .chain(edge.is_cycle.then_some("cycle"))
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Text between Mermaid's quotes: what means something to it, or to the HTML that it makes, by its number.
fn mermaid_text(text: &str, without_colons: bool) -> String {
    let is_plain = |letter: char| {
        letter.is_alphanumeric()
            || " _-./,()=+*@".contains(letter)
            || (letter == ':' && !without_colons)
    };
    let escaped = text.chars().map(|letter| {
        if is_plain(letter) {
            letter.to_string()
        } else {
            format!("#{};", u32::from(letter))
        }
    });
    escaped.collect()
}

fn dot(graph: &CallGraph) -> String {
    let mut lines = vec![format!("// {}", head(graph))];
    lines.extend(
        freshness::lines(&graph.freshness)
            .iter()
            .map(|line| format!("// {line}")),
    );
    lines.push("digraph calls {".to_owned());
    lines.push("  rankdir=LR;".to_owned());
    lines.push("  node [shape=box, fontname=\"sans-serif\"];".to_owned());
    for node in &graph.nodes {
        let (name, place) = (
            dot_text(&node.qualified),
            dot_text(&format!("{}:{}", node.path, node.line)),
        );
        let style = if node.distance == 0 {
            ", style=bold"
        } else {
            ""
        };
        lines.push(format!(
            "  n{} [label=\"{name}\\n{place}\"{style}];",
            node.id
        ));
    }
    for edge in &graph.edges {
        let mut attributes = vec![];
        if edge.resolution != Resolution::Resolved {
            attributes.push("style=dashed".to_owned());
        }
        attributes.extend(edge_label(edge).map(|label| format!("label=\"{label}\"")));
        let attributes = if attributes.is_empty() {
            String::new()
        } else {
            format!(" [{}]", attributes.join(", "))
        };
        lines.push(format!("  n{} -> n{}{attributes};", edge.from, edge.to));
    }
    lines.push("}".to_owned());
    lines.extend(next(graph).map(|next| format!("// {next}")));
    lines.join("\n")
}

/// Text between DOT's quotes, in which entities of HTML mean what they mean there.
fn dot_text(text: &str) -> String {
    one_line(text)
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('&', "&amp;")
}

/// The same with the largest budget; beyond it, one level less.
fn next(graph: &CallGraph) -> Option<String> {
    if !graph.truncated {
        return None;
    }
    let left_out = grouped(graph.total_nodes.saturating_sub(graph.nodes.len() as u64));
    let is_widest = graph.max_tokens >= MOST_TOKENS;
    if is_widest && graph.depth == 1 {
        return Some(format!("{left_out} symbols left out"));
    }
    let call = NextCall::new(GetCallGraph::NAME);
    let call = match (&graph.symbol, &graph.path) {
        (Some(symbol), _) => call
            .with("path", symbol.path.as_str())
            .with("line", symbol.line),
        (None, path) => call.with_some("path", path.as_deref()),
    };
    let call = call
        .with_some(
            "direction",
            (graph.direction != CallDirection::Both).then(|| graph.direction.as_str()),
        )
        .with(
            "depth",
            if is_widest {
                graph.depth - 1
            } else {
                graph.depth
            },
        )
        .with_some(
            "format",
            (graph.format != GraphFormat::Text).then(|| graph.format.as_str()),
        )
        .with_budget(MOST_TOKENS)
        .with("root", graph.root_name.as_str());
    Some(format!("{left_out} symbols left out; more: {call}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::freshness::Freshness;
    use crate::answer::graph::text::samples::{run, symbol};
    use crate::answer::render::render;
    use crate::answer::symbol::SymbolKind;
    use crate::answer::{Answer, Format};
    use crate::text::tokens;
    use crate::text::tokens::DEFAULT_TOKENS;

    fn graph(names: &[&str], edges: Vec<GraphEdge>) -> CallGraph {
        let node = |(id, name): (u32, &&str)| GraphNode {
            id,
            distance: id.min(1),
            ..GraphNode::of(symbol(
                name,
                SymbolKind::Function,
                "src/engine.rs",
                (10 * id + 2, 10 * id + 5),
            ))
        };
        CallGraph {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            path: None,
            symbol: Some(run()),
            direction: CallDirection::Both,
            depth: 2,
            format: GraphFormat::Text,
            nodes: (0..).zip(names).map(node).collect(),
            total_nodes: names.len() as u64,
            total_edges: edges.len() as u64,
            edges,
            truncated: false,
        }
    }

    fn edge(from: u32, to: u32, resolution: Resolution) -> GraphEdge {
        GraphEdge {
            from,
            to,
            resolution,
            lines: vec![7],
            is_cycle: false,
        }
    }

    fn small(format: GraphFormat) -> CallGraph {
        let round = GraphEdge {
            is_cycle: true,
            ..edge(2, 0, Resolution::Resolved)
        };
        let edges = vec![
            edge(0, 1, Resolution::Resolved),
            edge(0, 2, Resolution::Ambiguous),
            round,
            edge(3, 0, Resolution::NameOnly),
        ];
        CallGraph {
            format,
            ..graph(&["Engine::run", "step", "log", "main"], edges)
        }
    }

    #[test]
    fn a_graph_is_a_list_of_calls() {
        insta::assert_snapshot!(small(GraphFormat::Text).text().to_string(), @r"
        call graph of method Engine::run (src/engine.rs:12-40) in engine, depth 2: 4 symbols, 4 edges
        Engine::run  src/engine.rs:2-5
          -> step  src/engine.rs:12-15  at 7
          -> log  src/engine.rs:22-25  at 7, ambiguous
        log  src/engine.rs:22-25
          -> Engine::run  src/engine.rs:2-5  at 7, cycle
        main  src/engine.rs:32-35
          -> Engine::run  src/engine.rs:2-5  at 7, name only
        ");
    }

    #[test]
    fn a_graph_can_be_drawn() {
        insta::assert_snapshot!(small(GraphFormat::Mermaid).text().to_string(), @r#"
        %% call graph of method Engine::run (src/engine.rs:12-40) in engine, depth 2: 4 symbols, 4 edges
        flowchart LR
          n0(["Engine::run<br/>src/engine.rs:2"])
          n1["step<br/>src/engine.rs:12"]
          n2["log<br/>src/engine.rs:22"]
          n3["main<br/>src/engine.rs:32"]
          n0 --> n1
          n0 -.->|ambiguous| n2
          n2 -->|cycle| n0
          n3 -.->|name only| n0
        "#);
        insta::assert_snapshot!(small(GraphFormat::Dot).text().to_string(), @r#"
        // call graph of method Engine::run (src/engine.rs:12-40) in engine, depth 2: 4 symbols, 4 edges
        digraph calls {
          rankdir=LR;
          node [shape=box, fontname="sans-serif"];
          n0 [label="Engine::run\nsrc/engine.rs:2", style=bold];
          n1 [label="step\nsrc/engine.rs:12"];
          n2 [label="log\nsrc/engine.rs:22"];
          n3 [label="main\nsrc/engine.rs:32"];
          n0 -> n1;
          n0 -> n2 [style=dashed, label="ambiguous"];
          n2 -> n0 [label="cycle"];
          n3 -> n0 [style=dashed, label="name only"];
        }
        "#);
    }

    #[test]
    fn no_name_breaks_out_of_its_quotes() {
        let names = [
            "a\"]; x[\"b",
            "op<T>&#quot;",
            "`md`\\",
            "style::of#1",
            "line\nend",
            "größe|{}",
        ];
        let labels = |format| {
            let text = CallGraph {
                format,
                ..graph(&names, vec![])
            }
            .text()
            .to_string();
            text.lines()
                .filter(|line| line.starts_with("  n") && !line.contains("shape"))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        insta::assert_snapshot!(labels(GraphFormat::Mermaid).join("\n"), @r##"
        n0(["a#34;#93;#59; x#91;#34;b<br/>src/engine.rs:2"])
        n1["op#60;T#62;#38;#35;quot#59;<br/>src/engine.rs:12"]
        n2["#96;md#96;#92;<br/>src/engine.rs:22"]
        n3["style#58;#58;of#35;1<br/>src/engine.rs#58;32"]
        n4["line#92;nend<br/>src/engine.rs:42"]
        n5["größe#124;#123;#125;<br/>src/engine.rs:52"]
        "##);
        insta::assert_snapshot!(labels(GraphFormat::Dot).join("\n"), @r#"
        n0 [label="a\"]; x[\"b\nsrc/engine.rs:2", style=bold];
        n1 [label="op<T>&amp;#quot;\nsrc/engine.rs:12"];
        n2 [label="`md`\\\nsrc/engine.rs:22"];
        n3 [label="style::of#1\nsrc/engine.rs:32"];
        n4 [label="line\\nend\nsrc/engine.rs:42"];
        n5 [label="größe|{}\nsrc/engine.rs:52"];
        "#);
    }

    #[test]
    fn what_is_cut_is_still_a_graph() {
        let names: Vec<_> = (0..300).map(|index| format!("function_{index}")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let edges: Vec<_> = (1..300)
            .map(|to| edge(to / 2, to, Resolution::Resolved))
            .collect();
        for format in [GraphFormat::Text, GraphFormat::Mermaid, GraphFormat::Dot] {
            let many = CallGraph {
                format,
                ..graph(&names, edges.clone())
            };
            let text = render(&many, Format::Text, 600);
            assert!(tokens::estimate(&text) <= 600, "{text}");
            let shown: Vec<_> = (0..300)
                .filter(|id| {
                    text.contains(&format!("function_{id}  ")) || text.contains(&format!("n{id} "))
                })
                .collect();
            assert!(text.contains("left out; more: get_call_graph"), "{text}");
            assert!(shown.len() > 3, "{text}");
            assert!(tokens::estimate(&render(&many, Format::Json, 1000)) <= 1000);
        }
        let last = render(
            &CallGraph {
                max_tokens: MOST_TOKENS,
                ..graph(&names, edges)
            },
            Format::Text,
            600,
        );
        insta::assert_snapshot!(last.lines().last().expect("a line"), @r#"280 symbols left out; more: get_call_graph {"path":"src/engine.rs","line":12,"depth":1,"max_tokens":10000,"root":"engine"}"#);
    }
}
