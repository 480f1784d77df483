//! A call graph as an SVG image: boxes with names and locations, arrows for calls, dashed for uncertain calls.

use std::fmt::Write;

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::text::one_line;
use claudevil_protocol::text::signature;
use claudevil_protocol::tools::get_call_graph::{CallGraph, GraphEdge, GraphNode};

use super::super::page::escape_markup;
use super::layout::layout;

const MARGIN: i64 = 24;
const HEAD: i64 = 56;
const BOX_HEIGHT: i64 = 40;
/// The width of a letter in the larger and in the smaller font, in tenths of a pixel.
const LETTER: i64 = 75;
const SMALL_LETTER: i64 = 63;
/// A longer name is shown by its end, which tells more than its beginning.
const LONGEST: usize = 44;

const STYLE: &str = "\
svg{background:#fff;color:#1f2328;font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}
text{fill:#1f2328;font-size:12px}
.place,.legend{fill:#59636e;font-size:10px}
.box{fill:#f6f8fa;stroke:#8c959f}
.asked{fill:#ddf4ff;stroke:#0969da;stroke-width:2}
.test{fill:#dafbe1}
.call{fill:none;stroke:#59636e;stroke-width:1.3}
.doubt{stroke-dasharray:5 4}
.cycle{stroke:#cf222e}
@media(prefers-color-scheme:dark){
svg{background:#0d1117}text{fill:#e6edf3}.place,.legend{fill:#9198a1}
.box{fill:#151b23;stroke:#656c76}.asked{fill:#121d2f;stroke:#4493f8}.test{fill:#12261e}
.call{stroke:#9198a1}.cycle{stroke:#f85149}}";

/// Draws a graph as SVG, which a browser shows.
pub fn draw(graph: &CallGraph) -> String {
    let places: std::collections::HashMap<u32, usize> = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(at, node)| (node.id, at))
        .collect();
    let drawn: Vec<_> = graph
        .edges
        .iter()
        .filter_map(|edge| Some((edge, (*places.get(&edge.from)?, *places.get(&edge.to)?))))
        .collect();
    let sizes: Vec<_> = graph.nodes.iter().map(size).collect();
    let ends: Vec<_> = drawn.iter().map(|(_, ends)| *ends).collect();
    let layout = layout(&sizes, &ends);
    let title = graph.summary().to_string();
    let width = (layout.width + 2 * MARGIN).max(width_of(&title, LETTER) + 2 * MARGIN);
    let height = layout.height + HEAD + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <title>{0}</title>\n<style>{STYLE}</style>\n\
         <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#6e7781\"/></marker></defs>\n\
         <text x=\"{MARGIN}\" y=\"28\">{0}</text>\n\
         <text class=\"legend\" x=\"{MARGIN}\" y=\"46\">dashed: not certain what is called; red: calls form a cycle; \
         green: a test</text>\n<g transform=\"translate({MARGIN} {1})\">\n",
        escape_markup(&title),
        HEAD + MARGIN,
    );
    for ((edge, (from, _)), points) in drawn.iter().zip(&layout.routes) {
        let own = (layout.boxes[*from], sizes[*from]);
        arrow(edge, graph, points, own, &mut svg);
    }
    for (node, (place, size)) in graph.nodes.iter().zip(layout.boxes.iter().zip(&sizes)) {
        draw_box(node, *place, *size, &mut svg);
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

fn size(node: &GraphNode) -> (i64, i64) {
    let name = width_of(&shortened(&node.qualified), LETTER);
    let place = width_of(&shortened(&place(node)), SMALL_LETTER);
    (name.max(place) + 20, BOX_HEIGHT)
}

/// Estimates the width of a text in pixels.
fn width_of(text: &str, letter: i64) -> i64 {
    // East Asian characters take two columns.
    let places: i64 = text
        .chars()
        .map(|letter| if letter >= '\u{1100}' { 2 } else { 1 })
        .sum();
    places * letter / 10
}

fn place(node: &GraphNode) -> String {
    format!("{}:{}", node.path, node.line)
}

fn shortened(text: &str) -> String {
    let text = one_line(text);
    let count = text.chars().count();
    if count <= LONGEST {
        text
    } else {
        format!(
            "…{}",
            text.chars().skip(count + 1 - LONGEST).collect::<String>()
        )
    }
}

fn draw_box(
    node: &GraphNode,
    (left, top): (i64, i64),
    (width, height): (i64, i64),
    svg: &mut String,
) {
    let mut class = "box".to_owned();
    if node.is_test {
        class.push_str(" test");
    }
    if node.distance == 0 {
        class.push_str(" asked");
    }
    let about = format!(
        "{} {}\n{}",
        node.kind.as_str(),
        one_line(&node.qualified),
        signature(&node.signature)
    );
    let middle = left + width / 2;
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<g><title>{}</title><rect class=\"{class}\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" \
         rx=\"5\"/><text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text><text class=\"place\" x=\"{middle}\" \
         y=\"{}\" text-anchor=\"middle\">{}</text></g>",
        escape_markup(about.trim_end()),
        top + 17,
        escape_markup(&shortened(&node.qualified)),
        top + 32,
        escape_markup(&shortened(&place(node))),
    );
}

fn arrow(
    edge: &GraphEdge,
    graph: &CallGraph,
    points: &[(i64, i64)],
    ((left, top), (width, _)): ((i64, i64), (i64, i64)),
    svg: &mut String,
) {
    let mut class = "call".to_owned();
    if edge.resolution != Resolution::Resolved {
        class.push_str(" doubt");
    }
    if edge.is_cycle {
        class.push_str(" cycle");
    }
    let path = if points.is_empty() {
        // A call of itself: a loop above the right corner.
        let right = left + width;
        format!(
            "M{} {top}C{} {} {} {} {right} {}",
            right - 24,
            right - 20,
            top - 26,
            right + 26,
            top - 16,
            top + 12
        )
    } else {
        curve(points)
    };
    let name = |id: u32| {
        graph
            .nodes
            .iter()
            .find(|node| node.id == id)
            .map_or("", |node| node.qualified.as_str())
    };
    let lines: Vec<_> = edge.lines.iter().map(u32::to_string).collect();
    let (sure, lines) = (edge.resolution.as_str().replace('_', " "), lines.join(", "));
    let about = format!(
        "{} calls {} at {lines}: {sure}",
        name(edge.from),
        name(edge.to)
    );
    let _ = writeln!(
        svg,
        "<path class=\"{class}\" d=\"{path}\" marker-end=\"url(#arrow)\"><title>{}</title></path>",
        escape_markup(&one_line(&about)),
    );
}

/// Returns an SVG path through the points, horizontal at each of them.
fn curve(points: &[(i64, i64)]) -> String {
    let (first, rest) = (points[0], &points[1..]);
    let mut path = format!("M{} {}", first.0, first.1);
    let mut before = first;
    for point in rest {
        let bend = (point.0 - before.0) / 2;
        let _ = write!(
            path,
            "C{} {} {} {} {} {}",
            before.0 + bend,
            before.1,
            point.0 - bend,
            point.1,
            point.0,
            point.1
        );
        before = *point;
    }
    path
}

#[cfg(test)]
pub mod tests {
    use claudevil_protocol::answer::freshness::Freshness;
    use claudevil_protocol::answer::graph::SymbolInfo;
    use claudevil_protocol::answer::symbol::SymbolKind;
    use claudevil_protocol::tools::get_call_graph::{CallDirection, GraphFormat};

    use super::*;

    pub fn sample(names: &[&str], edges: &[(u32, u32, Resolution, bool)]) -> CallGraph {
        let symbol = |name: &str, line: u32| SymbolInfo {
            name: name.to_owned(),
            qualified: name.to_owned(),
            kind: SymbolKind::Function,
            path: "src/engine.rs".to_owned(),
            start_line: line,
            end_line: line + 3,
            line,
            signature: format!("fn {name}() -> Vec<u8>"),
            visibility: None,
            language: "rust".to_owned(),
            is_test: name.starts_with("test"),
        };
        let node = |(id, name): (u32, &&str)| GraphNode {
            id,
            distance: id.min(1),
            ..GraphNode::from_symbol(symbol(name, 10 * id + 1))
        };
        CallGraph {
            root: "/p".to_owned(),
            root_name: "p".to_owned(),
            max_tokens: 4000,
            freshness: Freshness::default(),
            path: Some("src/engine.rs".to_owned()),
            symbol: None,
            direction: CallDirection::Both,
            depth: 2,
            format: GraphFormat::Text,
            nodes: (0..).zip(names).map(node).collect(),
            edges: edges
                .iter()
                .map(|&(from, to, resolution, is_cycle)| GraphEdge {
                    from,
                    to,
                    resolution,
                    lines: vec![7],
                    is_cycle,
                })
                .collect(),
            total_nodes: names.len() as u64,
            total_edges: edges.len() as u64,
            truncated: false,
        }
    }

    #[test]
    fn every_box_and_arrow_is_drawn_and_no_name_breaks_out() {
        let evil = "</text><script>alert(\"1\")</script>&\u{1b}\n";
        let long = "a::very::long::qualified::name::that::goes::on::and::on::run";
        let edges = [
            (0, 1, Resolution::Resolved, false),
            (0, 2, Resolution::Ambiguous, false),
            (2, 0, Resolution::NameOnly, true),
            (1, 1, Resolution::Resolved, true),
            // An edge to a box that does not exist.
            (0, 9, Resolution::Resolved, false),
        ];
        let svg = draw(&sample(&[evil, long, "test_it"], &edges));
        assert_eq!(svg.matches("<rect ").count(), 3);
        assert_eq!(svg.matches("marker-end").count(), 4);
        assert_eq!(svg.matches("class=\"call doubt").count(), 2);
        assert_eq!(svg.matches(" cycle\"").count(), 2);
        assert!(
            !svg.contains("<script") && svg.contains("&lt;script&gt;") && !svg.contains('\u{1b}'),
            "{svg}"
        );
        assert!(
            svg.contains("…long::qualified::name::that::goes::on::and::on::run")
                || svg.contains("::on::and::on::run")
        );
        assert!(svg.contains("class=\"box test\"") && svg.contains("class=\"box asked\""));
        let tags = |name: &str| {
            (
                svg.matches(&format!("<{name}")).count(),
                svg.matches(&format!("</{name}>")).count(),
            )
        };
        assert_eq!(tags("text").0, tags("text").1);
        assert_eq!(tags("svg"), (1, 1));
    }
}
