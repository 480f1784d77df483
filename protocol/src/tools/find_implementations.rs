//! `find_implementations`: what implements, extends or overrides a symbol.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::answer::freshness::Freshness;
use crate::answer::graph::{ListPlace, Resolution, SymbolInfo, symbol_params, with_symbol};
use crate::answer::symbol::words;
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::Text;

const EXAMPLES: &str = "\
Examples:
  claudevil impls Store            what implements a trait or an interface, or extends a class
  claudevil impls Store::get       what overrides a method";

symbol_params! {
    FindImplementations {
        /// Default 20.
        #[schemars(range(min = 1, max = 200))]
        #[cfg_attr(feature = "cli", arg(long))]
        limit: u32,
        #[cfg_attr(feature = "cli", arg(long))]
        cursor: String,
    }
}

words! {
    /// How one symbol makes another real.
    #[derive(Default)]
    ImplRelation {
        #[default]
        Implements = "implements",
        Extends = "extends",
        // A method, of a method.
        Overrides = "overrides",
        // It has all the methods, and says so nowhere.
        MethodSet = "method_set",
    }
}

impl FindImplementations {
    pub const DEFAULT_LIMIT: u32 = 20;
    pub const MOST_IMPLEMENTATIONS: u32 = 200;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }
}

impl Tool for FindImplementations {
    type Answer = Implementations;

    const INFO: ToolInfo = ToolInfo {
        name: "find_implementations",
        title: "Find implementations",
        description: "What implements an interface or trait, extends a class, or overrides a method.",
        toolset: Toolset::Graph,
        core: true,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "impls",
            alias: Some("find-implementations"),
            about: "Show what implements, extends or overrides a symbol",
            examples: EXAMPLES,
            fails_when_empty: true,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        self.symbol_query().check()?;
        check_length("cursor", self.cursor.as_deref(), ListPlace::LONGEST)?;
        check_range("limit", self.limit, 1..=Self::MOST_IMPLEMENTATIONS)
    }
}

with_symbol! {
    Implementation {
        relation: ImplRelation,
        resolution: Resolution,
        reason: String,
        /// How many symbols the name of what it implements may mean, where that is ambiguous.
        candidates: Option<u32>,
        /// 1 is of the symbol itself, 2 of one that is of it.
        depth: u32,
        /// What it is directly of, where that is not the symbol itself.
        via: Option<String>,
    }
}

/// By depth, then by path and line. May be empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Implementations {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    pub symbol: SymbolInfo,
    pub implementations: Vec<Implementation>,
    pub total: u64,
    /// How many come after the last of `implementations`.
    pub remaining: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// How many were asked for at most.
    pub limit: u32,
}

impl Implementation {
    /// By which a page is gone on from.
    pub fn place(&self) -> (&str, u32) {
        (&self.path, self.line)
    }
}

impl Implementations {
    /// Says where to go on after those that are there.
    pub fn set_cursor(&mut self) {
        self.truncated = self.remaining > 0;
        let last = self.implementations.last().map(Implementation::place);
        self.cursor = ListPlace::behind(last, self.total, self.remaining);
    }
}

impl Answer for Implementations {
    fn items(&self) -> usize {
        self.implementations.len()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.implementations.len() {
            return;
        }
        self.remaining += (self.implementations.len() - items) as u64;
        self.implementations.truncate(items);
        self.set_cursor();
    }

    fn text(&self) -> Text {
        crate::tools::find_implementations::text::write(self).into()
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}
