//! `call_path`: how one symbol reaches another by calls.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::freshness::Freshness;
use crate::answer::graph::{Resolution, SymbolAsked, SymbolInfo, with_symbol};
use crate::answer::{Answer, Format};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::Text;

const EXAMPLES: &str = "\
Examples:
  claudevil path main Engine::run               the shortest ways of calls from one to the other
  claudevil path src/main.rs:3 src/db.rs:40     between the symbols at two lines";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallPath {
    /// Name or `path:line`.
    pub from: String,
    /// Likewise.
    pub to: String,
    /// Most calls in a chain. Default 8.
    #[serde(default)]
    #[schemars(range(min = 1, max = 20))]
    pub max_depth: Option<u32>,
    #[serde(default)]
    pub root: Option<String>,
    /// Default 4000.
    #[serde(default)]
    #[schemars(range(max = 10000))]
    pub max_tokens: Option<u32>,
    #[serde(default)]
    pub format: Option<Format>,
}

impl CallPath {
    pub const DEFAULT_DEPTH: u32 = 8;
    pub const DEEPEST: u32 = 20;

    pub fn max_depth(&self) -> u32 {
        self.max_depth.unwrap_or(Self::DEFAULT_DEPTH)
    }

    pub fn from(&self) -> SymbolAsked<'_> {
        SymbolAsked::parse(&self.from)
    }

    pub fn to(&self) -> SymbolAsked<'_> {
        SymbolAsked::parse(&self.to)
    }
}

impl Tool for CallPath {
    type Answer = CallChains;

    const INFO: ToolInfo = ToolInfo {
        name: "call_path",
        title: "Call path",
        description: "The shortest chains of calls from one symbol to another, or that there is none.",
        toolset: Toolset::Graph,
        core: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "path",
            about: "Show how one symbol reaches another by calls",
            examples: EXAMPLES,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        for (name, given) in [("from", &self.from), ("to", &self.to)] {
            let asked = SymbolAsked::parse(given);
            let longest = if asked.symbol.is_some() {
                SymbolAsked::LONGEST_NAME
            } else {
                4096
            };
            check_length(name, Some(given), longest)?;
            asked.check()?;
        }
        check_range("max_depth", self.max_depth, 1..=Self::DEEPEST)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallChains {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    pub from: SymbolInfo,
    pub to: SymbolInfo,
    pub max_depth: u32,
    /// The shortest ones, the surest first. Empty when there is none.
    pub chains: Vec<CallChain>,
    /// How many of the shortest there are in all.
    pub total: u64,
    /// How many symbols were looked at.
    pub nodes_seen: u64,
    /// Some calls were not followed, because they are more than `max_depth` away: there may be a longer chain.
    pub depth_cut: bool,
    /// Calls of the symbols that were looked at which lead nowhere here. Nothing is counted where there is a chain.
    #[serde(default)]
    pub not_followed: NotFollowed,
    pub truncated: bool,
}

/// Calls of which it is not known what they run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotFollowed {
    /// Only their name speaks for what they mean.
    pub by_name: u64,
    /// Of what a variable, a parameter or a field holds.
    pub values: u64,
}

impl NotFollowed {
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallChain {
    /// From the first symbol to the last.
    pub steps: Vec<ChainStep>,
}

with_symbol! {
    ChainStep {
        /// The line, in this symbol's file, where it calls the next. None of the last.
        call_line: Option<u32>,
        /// How sure that call is.
        resolution: Option<Resolution>,
        reason: Option<String>,
        /// How many symbols that call may mean, where it is ambiguous.
        candidates: Option<u32>,
    }
}

impl CallChains {
    /// How many chains are listed at most: of many equally short ones the first tell enough.
    pub const MOST_CHAINS: usize = 20;
}

impl Answer for CallChains {
    fn items(&self) -> usize {
        self.chains.len()
    }

    fn keep(&mut self, items: usize) {
        if items < self.chains.len() {
            self.chains.truncate(items);
            self.truncated = true;
        }
    }

    fn shorten(&mut self) -> bool {
        let mut steps = self.chains.iter_mut().flat_map(|chain| &mut chain.steps);
        // Names and places tell the chain.
        let shorter = |step: &mut ChainStep| {
            !std::mem::take(&mut step.signature).is_empty() | step.reason.take().is_some()
        };
        steps
            .by_ref()
            .map(shorter)
            .filter(|is_shorter| *is_shorter)
            .count()
            > 0
    }

    fn text(&self) -> Text {
        crate::tools::call_path::text::write(self).into()
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_names_or_places() {
        let path = |from: &str, to: &str| CallPath {
            from: from.to_owned(),
            to: to.to_owned(),
            ..CallPath::default()
        };
        assert!(path("main", "src/a.rs:12").validate().is_ok());
        assert_eq!(path("main", "src/a.rs:12").to().line, Some(12));
        let deep = CallPath {
            max_depth: Some(21),
            ..path("a", "b")
        };
        for wrong in [
            path("", "b"),
            path("a", ""),
            path("a", "b.rs:0"),
            path(&"x".repeat(201), "b"),
            deep,
        ] {
            assert!(wrong.validate().is_err(), "{wrong:?}");
        }
    }
}
