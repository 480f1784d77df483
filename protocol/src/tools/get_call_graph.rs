//! `get_call_graph`: the calls of a file or around a symbol, as text or as a picture's source.

mod diagram;

use std::collections::HashSet;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Availability, CommandInfo, Common, Effect, Tool, ToolInfo, Toolset, schema_of};
use crate::answer::freshness::Freshness;
use crate::answer::graph::text::line_numbers;
use crate::answer::graph::{Resolution, SymbolInfo, SymbolQuery, with_symbol};
use crate::answer::symbol::words;
use crate::answer::{Answer, Format, one_root};
use crate::check::check_range;
use crate::error::ToolError;
use crate::text::tokens::{DEFAULT_TOKENS, MAX_TOKENS};
use crate::text::{Line, NextCall, Text};

const EXAMPLES: &str = "\
Examples:
  claudevil graph Engine::run                     who calls it and what it calls, two levels each way
  claudevil graph src/engine.rs --open            all of a file, as a page in the browser
  claudevil graph Engine::run --html run.html     the page, written to a file
  claudevil graph main -d callees --depth 4 --svg main.svg
  claudevil graph main --format mermaid           to be pasted into a page";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct GetCallGraph {
    #[cfg_attr(
        feature = "cli",
        arg(
            value_name = "SYMBOL|FILE:LINE",
            required = true,
            help = "Name, plain or qualified, a line of a file, or a file"
        )
    )]
    pub symbol: Option<String>,
    /// With line: one symbol.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub path: Option<String>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub line: Option<u32>,
    /// File to prefer.
    #[cfg_attr(
        feature = "cli",
        arg(
            short = 'f',
            long,
            value_name = "FILE",
            help = "File that chooses between symbols with the same name"
        )
    )]
    pub context_file: Option<String>,
    /// Default both.
    #[cfg_attr(
        feature = "cli",
        arg(short = 'd', long, help = "Calls to follow [default: both]")
    )]
    pub direction: Option<CallDirection>,
    /// Default 2.
    #[schemars(range(min = 1, max = 5))]
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "1-5",
            help = "Levels of calls to follow [default: 2]"
        )
    )]
    pub depth: Option<u32>,
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR|NAME", help = super::ROOT_HELP))]
    pub root: Option<String>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(
        feature = "cli",
        arg(long, value_parser = printed_formats(), help = "Output format [default: text]")
    )]
    pub format: Option<GraphFormat>,
}

words! {
    CallDirection {
        Both = "both",
        Callers = "callers",
        Callees = "callees",
    }
}

words! {
    GraphFormat {
        Text = "text",
        Mermaid = "mermaid",
        Dot = "dot",
        Json = "json",
    }
}

/// Parses the formats of the command line, which has `--json` for all commands.
#[cfg(feature = "cli")]
fn printed_formats() -> impl clap::builder::TypedValueParser<Value = GraphFormat> {
    use clap::builder::TypedValueParser;
    clap::builder::PossibleValuesParser::new(["text", "mermaid", "dot"])
        .map(|word| GraphFormat::from_word(&word).unwrap_or(GraphFormat::Text))
}

impl GetCallGraph {
    pub const DEFAULT_DEPTH: u32 = 2;
    /// Maximum number of nodes: a larger graph is unreadable.
    pub const MAX_NODES: usize = 400;

    /// Returns the symbol that is asked for; with a path alone, all of that file.
    pub fn symbol_query(&self) -> SymbolQuery<'_> {
        SymbolQuery {
            symbol: self.symbol.as_deref(),
            path: self.path.as_deref(),
            line: self.line,
            context_file: self.context_file.as_deref(),
        }
    }

    pub fn depth(&self) -> u32 {
        self.depth.unwrap_or(Self::DEFAULT_DEPTH)
    }

    pub fn direction(&self) -> CallDirection {
        self.direction.unwrap_or(CallDirection::Both)
    }

    pub fn format(&self) -> GraphFormat {
        self.format.unwrap_or(GraphFormat::Text)
    }
}

impl Tool for GetCallGraph {
    type Answer = CallGraph;

    const INFO: ToolInfo = ToolInfo {
        name: "get_call_graph",
        title: "Get call graph",
        description: "To draw the calls of a file or around a symbol.",
        toolset: Toolset::Graph,
        availability: Availability::OnRequest,
        replaces_reading: true,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "graph",
            alias: Some("get-call-graph"),
            about: "Show the calls of a file or around a symbol, also as a picture",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    fn common(&self) -> Common<'_> {
        Common {
            root: self.root.as_deref(),
            format: if self.format() == GraphFormat::Json {
                Format::Json
            } else {
                Format::Text
            },
            max_tokens: self.max_tokens.unwrap_or(DEFAULT_TOKENS),
        }
    }

    fn take_root(&mut self) -> Option<String> {
        self.root.take()
    }

    fn max_tokens(&self) -> Option<u32> {
        self.max_tokens
    }

    fn max_tokens_mut(&mut self) -> &mut Option<u32> {
        &mut self.max_tokens
    }

    fn check(&self) -> Result<(), ToolError> {
        check_range("depth", self.depth, 1..=super::calls::DEEPEST)?;
        let query = self.symbol_query();
        if query.symbol.is_none() && query.path.is_some() {
            query.check_ranges()
        } else {
            query.check()
        }
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        if let Some(given) = self.symbol.take() {
            let query = SymbolQuery::parse(&given);
            self.symbol = query.symbol.map(str::to_owned);
            self.path = query.path.map(str::to_owned);
            self.line = query.line;
        }
        self.path = self.path.as_deref().map(locate);
        self.context_file = self.context_file.as_deref().map(locate);
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallGraph {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    /// The file, if all of one was asked about.
    pub path: Option<String>,
    /// The symbol otherwise.
    pub symbol: Option<SymbolInfo>,
    pub direction: CallDirection,
    pub depth: u32,
    /// The format of its text.
    pub format: GraphFormat,
    /// Nearest first. The first `items` of them are a graph too.
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
    /// The number of all nodes, those left out included.
    pub total_nodes: u64,
    pub total_edges: u64,
    pub truncated: bool,
}

with_symbol! {
    GraphNode {
        /// Index that edges refer to.
        id: u32,
        /// Calls away from what was asked about; 0 for that itself.
        distance: u32,
    }
}

/// `from` calls `to`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GraphEdge {
    pub from: u32,
    pub to: u32,
    pub resolution: Resolution,
    /// Lines of the calls, in the file of `from`.
    pub lines: Vec<u32>,
    /// Closes a circle of calls.
    pub is_cycle: bool,
}

impl CallGraph {
    /// Returns e.g. `call graph of method Engine::run (src/engine.rs:12-40) in engine, depth 2: 4 symbols, 4 edges`.
    pub fn summary(&self) -> Line {
        let line = Line::from("call graph of ");
        let line = match (&self.symbol, &self.path) {
            (Some(symbol), _) => line.line(symbol.title_and_location()),
            (None, path) => line.path(path.as_deref().unwrap_or_default()),
        };
        let direction = match self.direction {
            CallDirection::Both => String::new(),
            one => format!(", {}", one.as_str()),
        };
        line.text(" in ")
            .name(&self.root_name)
            .text(format!("{direction}, depth {}: ", self.depth))
            .count_shown(self.nodes.len() as u64, self.total_nodes, "symbol")
            .text(", ")
            .count_shown(self.edges.len() as u64, self.total_edges, "edge")
    }

    /// Lists each symbol with its calls below.
    fn list(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        for node in &self.nodes {
            let mut calls = self
                .edges
                .iter()
                .filter(|edge| edge.from == node.id)
                .peekable();
            let is_called = self.edges.iter().any(|edge| edge.to == node.id);
            // A symbol without calls of its own is listed below its callers. Without callers either, it is there because it was
            // asked about.
            if calls.peek().is_none() && is_called {
                continue;
            }
            text.item(node.item());
            for call in calls {
                let called = self.nodes.iter().find(|node| node.id == call.to);
                if let Some(called) = called {
                    let line = Line::from("-> ").line(called.item()).text("  ");
                    text.below(line.line(call.line_in(&node.path)));
                }
            }
        }
        text.next(self.next());
        text
    }

    /// Returns the same call with the largest budget or, if that is in force, with one level less.
    fn next(&self) -> Option<Line> {
        if !self.truncated {
            return None;
        }
        let left_out = self.total_nodes.saturating_sub(self.nodes.len() as u64);
        let line = Line::new().count(left_out, "symbol").text(" left out");
        let is_widest = self.max_tokens >= MAX_TOKENS;
        if is_widest && self.depth == 1 {
            return Some(line);
        }
        let call = NextCall::new(GetCallGraph::NAME);
        let call = match (&self.symbol, &self.path) {
            (Some(symbol), _) => call.with("path", &symbol.path).with("line", symbol.line),
            (None, path) => call.with_some("path", path.as_ref()),
        };
        let direction = (self.direction != CallDirection::Both).then(|| self.direction.as_str());
        let format = (self.format != GraphFormat::Text).then(|| self.format.as_str());
        let call = call
            .with_some("direction", direction)
            .with("depth", self.depth - u32::from(is_widest))
            .with_some("format", format)
            .with_budget(MAX_TOKENS)
            .with("root", &self.root_name);
        Some(line.text("; more: ").call(call))
    }
}

impl GraphNode {
    /// Returns e.g. `Engine::run  src/engine.rs:12-40`.
    fn item(&self) -> Line {
        Line::new()
            .name(&self.qualified)
            .text("  ")
            .line(self.symbol().location())
    }
}

impl GraphEdge {
    /// Returns e.g. `at 12, 15, ambiguous, cycle`.
    fn line_in(&self, path: &str) -> Line {
        let line = Line::from("at ").line(line_numbers(path, &self.lines));
        match self.label() {
            Some(label) => line.text(format!(", {label}")),
            None => line,
        }
    }

    /// Returns e.g. `ambiguous, cycle`. None for a certain call that closes no cycle.
    fn label(&self) -> Option<String> {
        let doubt = self.resolution.doubt().into_iter();
        let words: Vec<_> = doubt.chain(self.is_cycle.then_some("cycle")).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

impl Answer for CallGraph {
    fn items(&self) -> usize {
        self.nodes.len()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.nodes.len() {
            return;
        }
        self.nodes.truncate(items);
        let kept: HashSet<u32> = self.nodes.iter().map(|node| node.id).collect();
        self.edges
            .retain(|edge| kept.contains(&edge.from) && kept.contains(&edge.to));
        self.truncated = true;
    }

    fn text(&self) -> Text {
        match self.format {
            GraphFormat::Text | GraphFormat::Json => self.list(),
            GraphFormat::Mermaid => diagram::mermaid(self).into(),
            GraphFormat::Dot => diagram::dot(self).into(),
        }
    }

    one_root!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::graph::text::samples::{run, symbol};
    use crate::answer::render::render;
    use crate::answer::symbol::SymbolKind;
    use crate::text::tokens;

    #[test]
    fn a_graph_is_of_a_symbol_or_of_a_file() {
        let file = GetCallGraph {
            path: Some("a.rs".to_owned()),
            ..GetCallGraph::default()
        };
        let symbol = GetCallGraph {
            symbol: Some("run".to_owned()),
            ..GetCallGraph::default()
        };
        let place = GetCallGraph {
            line: Some(3),
            ..file.clone()
        };
        assert!(file.validate().is_ok() && symbol.validate().is_ok() && place.validate().is_ok());
        let picked = GetCallGraph {
            path: file.path.clone(),
            ..symbol.clone()
        };
        assert!(
            picked.validate().is_ok(),
            "the symbol of that name in the file"
        );
        let deep = GetCallGraph {
            depth: Some(6),
            ..symbol
        };
        for wrong in [GetCallGraph::default(), deep] {
            assert!(wrong.validate().is_err(), "{wrong:?}");
        }
        let json = GetCallGraph {
            format: Some(GraphFormat::Json),
            ..file.clone()
        };
        assert_eq!(json.common().format, Format::Json);
        assert_eq!(
            GetCallGraph {
                format: Some(GraphFormat::Dot),
                ..file
            }
            .common()
            .format,
            Format::Text
        );
    }

    pub fn graph(names: &[&str], edges: Vec<GraphEdge>) -> CallGraph {
        let node = |(id, name): (u32, &&str)| GraphNode {
            id,
            distance: id.min(1),
            ..GraphNode::from_symbol(symbol(
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

    pub fn small(format: GraphFormat) -> CallGraph {
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
    fn a_cut_graph_is_still_valid_in_every_format() {
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
                max_tokens: MAX_TOKENS,
                ..graph(&names, edges)
            },
            Format::Text,
            600,
        );
        insta::assert_snapshot!(last.lines().last().expect("a line"), @r#"280 symbols left out; more: get_call_graph {"path":"src/engine.rs","line":12,"depth":1,"max_tokens":10000,"root":"engine"}"#);
    }
}
