//! `find_callers` and `find_callees`: who calls a symbol, and what it calls, level by level.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::answer::freshness::Freshness;
use crate::answer::graph::{ListPlace, Resolution, SymbolInfo, symbol_params, with_symbol};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::Text;

const FINDCALLEES_EXAMPLES: &str = "\
Examples:
  claudevil callees main                   what it calls
  claudevil callees src/main.rs:3 -d 2     and what those call";

const FINDCALLERS_EXAMPLES: &str = "\
Examples:
  claudevil callers Engine::run            who calls it
  claudevil callers src/engine.rs:12 -d 3  and who calls those, three levels up";

/// How many levels of calls can be followed.
pub const DEEPEST: u32 = 5;
pub const MOST_CALLS: u32 = 200;

symbol_params! {
    FindCallers {
        /// Default 1.
        #[schemars(range(min = 1, max = 5))]
        #[cfg_attr(feature = "cli", arg(long))]
        depth: u32,
        /// Default 20.
        #[schemars(range(min = 1, max = 200))]
        #[cfg_attr(feature = "cli", arg(long))]
        limit: u32,
        #[cfg_attr(feature = "cli", arg(long))]
        cursor: String,
    }
}

symbol_params! {
    FindCallees {
        /// Default 1.
        #[schemars(range(min = 1, max = 5))]
        #[cfg_attr(feature = "cli", arg(long))]
        depth: u32,
        /// Default 30.
        #[schemars(range(min = 1, max = 200))]
        #[cfg_attr(feature = "cli", arg(long))]
        limit: u32,
        #[cfg_attr(feature = "cli", arg(long))]
        cursor: String,
    }
}

impl FindCallers {
    pub const DEFAULT_LIMIT: u32 = 20;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }

    pub fn depth(&self) -> u32 {
        self.depth.unwrap_or(1)
    }
}

impl Tool for FindCallers {
    type Answer = CallerList;

    const INFO: ToolInfo = ToolInfo {
        name: "find_callers",
        title: "Find callers",
        description: "Who calls a function, by level, and how sure each call is.",
        toolset: Toolset::Graph,
        core: true,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "callers",
            alias: Some("find-callers"),
            about: "Show who calls a symbol",
            examples: FINDCALLERS_EXAMPLES,
            fails_when_empty: true,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        self.symbol_query().check()?;
        check_range("depth", self.depth, 1..=DEEPEST)?;
        check_length("cursor", self.cursor.as_deref(), ListPlace::LONGEST)?;
        check_range("limit", self.limit, 1..=MOST_CALLS)
    }
}

impl FindCallees {
    pub const DEFAULT_LIMIT: u32 = 30;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }

    pub fn depth(&self) -> u32 {
        self.depth.unwrap_or(1)
    }
}

impl Tool for FindCallees {
    type Answer = CalleeList;

    const INFO: ToolInfo = ToolInfo {
        name: "find_callees",
        title: "Find callees",
        description: "What a function calls, by level, and how sure each call is.",
        toolset: Toolset::Graph,
        core: true,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "callees",
            alias: Some("find-callees"),
            about: "Show what a symbol calls",
            examples: FINDCALLEES_EXAMPLES,
            fails_when_empty: true,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        self.symbol_query().check()?;
        check_range("depth", self.depth, 1..=DEEPEST)?;
        check_length("cursor", self.cursor.as_deref(), ListPlace::LONGEST)?;
        check_range("limit", self.limit, 1..=MOST_CALLS)
    }
}

with_symbol! {
    /// A symbol that calls, or is called, and how it is reached.
    CallItem {
        /// 1 is next to the symbol that was asked about.
        depth: u32,
        /// The symbol one level nearer, with its containers: what this one calls, or is called by.
        via: String,
        /// Lines of the calls between the two, in the file of the one that calls.
        call_lines: Vec<u32>,
        resolution: Resolution,
        reason: String,
        /// How many symbols the call may mean, where that is ambiguous.
        candidates: Option<u32>,
        /// It is already on the way here: calls go round.
        is_cycle: bool,
    }
}

/// Nearest first: by depth, then by path and line. May be empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallerList {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    pub symbol: SymbolInfo,
    pub depth: u32,
    pub callers: Vec<CallItem>,
    pub total: u64,
    /// How many come after the last of `callers`.
    pub remaining: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// There are more than were counted: calls are followed only so far.
    pub is_least: bool,
    /// How many were asked for at most.
    pub limit: u32,
    /// How many overloads are taken together, where the name means several of one owner; else 0.
    pub overloads: u32,
}

/// Nearest first: by depth, then in the order of their first call. May be empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalleeList {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    pub symbol: SymbolInfo,
    pub depth: u32,
    pub callees: Vec<CallItem>,
    pub total: u64,
    /// What is called and not defined in the root, most often first. Only the first are named.
    pub external: Vec<ExternalCall>,
    pub total_external: u64,
    /// How many come after the last of `callees`.
    pub remaining: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// There are more than were counted: calls are followed only so far.
    pub is_least: bool,
    /// How many were asked for at most.
    pub limit: u32,
    /// How many overloads are taken together, where the name means several of one owner; else 0.
    pub overloads: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalCall {
    pub name: String,
    /// Places.
    pub calls: u64,
}

impl CallItem {
    /// By which a page is gone on from.
    pub fn place(&self) -> (&str, u32) {
        (&self.path, self.line)
    }
}

impl CallerList {
    /// Says where to go on after the callers that are there.
    pub fn set_cursor(&mut self) {
        self.truncated = self.remaining > 0;
        self.cursor = ListPlace::behind(
            self.callers.last().map(CallItem::place),
            self.total,
            self.remaining,
        );
    }
}

impl CalleeList {
    /// How many external callees are named.
    pub const EXTERNAL_SHOWN: usize = 20;

    /// Says where to go on after the callees that are there.
    pub fn set_cursor(&mut self) {
        self.truncated = self.remaining > 0;
        self.cursor = ListPlace::behind(
            self.callees.last().map(CallItem::place),
            self.total,
            self.remaining,
        );
    }
}

impl Answer for CallerList {
    fn items(&self) -> usize {
        self.callers.len()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.callers.len() {
            return;
        }
        self.remaining += (self.callers.len() - items) as u64;
        self.callers.truncate(items);
        self.set_cursor();
    }

    fn text(&self) -> Text {
        text::callers(self).into()
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}

impl Answer for CalleeList {
    fn items(&self) -> usize {
        self.callees.len()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.callees.len() {
            return;
        }
        self.remaining += (self.callees.len() - items) as u64;
        self.callees.truncate(items);
        self.set_cursor();
    }

    fn shorten(&mut self) -> bool {
        let more = self.external.len() > 5;
        self.external.truncate(5);
        more
    }

    fn text(&self) -> Text {
        text::callees(self).into()
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}
