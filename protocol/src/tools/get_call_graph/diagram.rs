//! Renders a call graph as the source of a diagram, in Mermaid or DOT.

use crate::answer::graph::Resolution;
use crate::text::{Line, one_line};
use crate::tools::get_call_graph::CallGraph;

pub fn mermaid(graph: &CallGraph) -> String {
    let mut lines = vec!["flowchart LR".to_owned()];
    for node in &graph.nodes {
        let (name, place) = (
            one_line(&node.qualified),
            format!("{}:{}", one_line(&node.path), node.line),
        );
        // In lines with these words, Mermaid parses colons as its own syntax: `style::new`.
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
        let label = edge
            .label()
            .map_or_else(String::new, |label| format!("|{label}|"));
        lines.push(format!("  n{} {arrow}{label} n{}", edge.from, edge.to));
    }
    with_comments(graph, "%%", lines)
}

/// Escapes text between Mermaid's quotes: characters special to Mermaid or HTML become numeric entities, `<` → `#60;`.
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

pub fn dot(graph: &CallGraph) -> String {
    let mut lines = vec!["digraph calls {".to_owned(), "  rankdir=LR;".to_owned()];
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
        attributes.extend(edge.label().map(|label| format!("label=\"{label}\"")));
        let attributes = if attributes.is_empty() {
            String::new()
        } else {
            format!(" [{}]", attributes.join(", "))
        };
        lines.push(format!("  n{} -> n{}{attributes};", edge.from, edge.to));
    }
    lines.push("}".to_owned());
    with_comments(graph, "//", lines)
}

/// Escapes text between DOT's quotes, in which HTML entities are decoded: `&` → `&amp;`.
fn dot_text(text: &str) -> String {
    one_line(text)
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('&', "&amp;")
}

/// Puts the summary and warnings above a diagram's source, and the next call below it, as comments.
fn with_comments(graph: &CallGraph, comment: &str, source: Vec<String>) -> String {
    let comment = |line: Line| format!("{comment} {line}");
    let above = std::iter::once(graph.summary()).chain(graph.freshness.warnings());
    let lines: Vec<_> = above
        .map(comment)
        .chain(source)
        .chain(graph.next().map(comment))
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use crate::answer::Answer;
    use crate::tools::get_call_graph::tests::{graph, small};
    use crate::tools::get_call_graph::{CallGraph, GraphFormat};

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
}
