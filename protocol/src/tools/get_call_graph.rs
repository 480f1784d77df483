//! `get_call_graph`: the calls of a file or around a symbol, as text or as a picture's source.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Common, Effect, Tool, ToolInfo, Toolset, schema_of};
use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::freshness::Freshness;
use crate::answer::graph::{Resolution, SymbolInfo, SymbolQuery, with_symbol};
use crate::answer::symbol::words;
use crate::answer::{Answer, Format};
use crate::check::check_range;
use crate::error::ToolError;
use crate::text::Text;
use crate::text::tokens::DEFAULT_TOKENS;

const EXAMPLES: &str = "\
Examples:
  claudevil graph Engine::run                     who calls it and what it calls, two levels each way
  claudevil graph src/engine.rs --open            all of a file, as a picture
  claudevil graph main -d callees --depth 4 --svg main.svg
  claudevil graph main --format mermaid           to be pasted into a page";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct GetCallGraph {
    /// Or path.
    #[cfg_attr(feature = "cli", arg(long))]
    pub symbol: Option<String>,
    /// All of it, or with line one symbol.
    #[cfg_attr(feature = "cli", arg(long))]
    pub path: Option<String>,
    #[cfg_attr(feature = "cli", arg(long))]
    pub line: Option<u32>,
    /// Picks among equals.
    #[cfg_attr(feature = "cli", arg(long))]
    pub context_file: Option<String>,
    /// Default both.
    #[cfg_attr(feature = "cli", arg(long))]
    pub direction: Option<CallDirection>,
    /// Default 2.
    #[schemars(range(min = 1, max = 5))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub depth: Option<u32>,
    #[cfg_attr(feature = "cli", arg(long))]
    pub root: Option<String>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
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

impl GetCallGraph {
    pub const DEFAULT_DEPTH: u32 = 2;
    /// A graph of more is not read by anybody.
    pub const MOST_NODES: usize = 400;

    /// Which symbol is asked for; with a path alone, all of that file.
    pub fn asked(&self) -> SymbolQuery<'_> {
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
        description: "Calls of a file or around a symbol, as text, Mermaid, DOT or JSON.",
        toolset: Toolset::Graph,
        core: false,
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
            given_max_tokens: self.max_tokens,
        }
    }

    fn take_root(&mut self) -> Option<String> {
        self.root.take()
    }

    fn set_max_tokens(&mut self, max_tokens: u32) {
        self.max_tokens = Some(max_tokens);
    }

    fn check(&self) -> Result<(), ToolError> {
        check_range("depth", self.depth, 1..=super::calls::DEEPEST)?;
        let asked = self.asked();
        if asked.symbol.is_none() && asked.path.is_some() {
            asked.check_ranges()
        } else {
            asked.check()
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// How its text is written.
    pub format: GraphFormat,
    /// Nearest first. The first `items` of them are a graph too.
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
    /// How many there are in all.
    pub total_nodes: u64,
    pub total_edges: u64,
    pub truncated: bool,
}

with_symbol! {
    GraphNode {
        /// By which edges name it: its place in the list.
        id: u32,
        /// Calls away from what was asked about; 0 for that itself.
        distance: u32,
    }
}

/// `from` calls `to`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphEdge {
    pub from: u32,
    pub to: u32,
    pub resolution: Resolution,
    /// Lines of the calls, in the file of `from`.
    pub lines: Vec<u32>,
    /// Closes a circle of calls.
    pub is_cycle: bool,
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
        crate::tools::get_call_graph::text::write(self).into()
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
