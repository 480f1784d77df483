//! `find_callers` and `find_callees`: who calls a symbol, and what it calls, level by level.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find_references::{ConfidenceLevel, FindReferences};
use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::accounting::Accounting;
use crate::answer::freshness::Freshness;
use crate::answer::graph::text::{
    Counts, all_overloads_call, confidence, next_page, next_page_call, numbers,
};
use crate::answer::graph::{
    ListCursor, Resolution, SymbolInfo, UseRole, symbol_params, with_symbol,
};
use crate::answer::{Answer, cut, one_root};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::{Line, Text};

const CALLEES_EXAMPLES: &str = "\
Examples:
  claudevil callees main                   what it calls
  claudevil callees src/main.rs:3 -d 2     and what those call";

const CALLERS_EXAMPLES: &str = "\
Examples:
  claudevil callers Engine::run            who calls it
  claudevil callers src/engine.rs:12 -d 3  and who calls those, three levels up";

/// Maximum number of levels of calls.
pub const DEEPEST: u32 = 5;
pub const MAX_CALLS: u32 = 200;

symbol_params! {
    #[cfg_attr(feature = "cli", command(mut_arg("symbol", |symbol| symbol.required(true))))]
    FindCallers {
        /// Default 1.
        #[schemars(range(min = 1, max = 5))]
        #[cfg_attr(feature = "cli", arg(
            short, long, value_name = "1-5", default_value = "1",
            help = "Number of levels of calls to follow"
        ))]
        depth: u32,
        /// Default 20.
        #[schemars(range(min = 1, max = 200))]
        #[cfg_attr(feature = "cli", arg(
            short = 'n', long, default_value = "100",
            help = "Maximum number of symbols, up to 200"
        ))]
        limit: u32,
        #[cfg_attr(feature = "cli", arg(long, help = "Continue from this cursor"))]
        cursor: String,
    }
}

symbol_params! {
    #[cfg_attr(feature = "cli", command(mut_arg("symbol", |symbol| symbol.required(true))))]
    FindCallees {
        /// Default 1.
        #[schemars(range(min = 1, max = 5))]
        #[cfg_attr(feature = "cli", arg(
            short, long, value_name = "1-5", default_value = "1",
            help = "Number of levels of calls to follow"
        ))]
        depth: u32,
        /// Default 30.
        #[schemars(range(min = 1, max = 200))]
        #[cfg_attr(feature = "cli", arg(
            short = 'n', long, default_value = "100",
            help = "Maximum number of symbols, up to 200"
        ))]
        limit: u32,
        #[cfg_attr(feature = "cli", arg(long, help = "Continue from this cursor"))]
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
        description: "To see who calls a function, by level, and how sure that is.",
        toolset: Toolset::Graph,
        availability: Availability::OnRequest,
        replaces_reading: true,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "callers",
            alias: Some("find-callers"),
            about: "Show who calls a symbol",
            examples: CALLERS_EXAMPLES,
            fails_when_empty: true,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        self.symbol_query().check()?;
        check_range("depth", self.depth, 1..=DEEPEST)?;
        check_length("cursor", self.cursor.as_deref(), ListCursor::LONGEST)?;
        check_range("limit", self.limit, 1..=MAX_CALLS)
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        self.read_symbol(locate);
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
        description: "To see what a function calls, by level, and how sure that is.",
        toolset: Toolset::Graph,
        availability: Availability::OnRequest,
        replaces_reading: true,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "callees",
            alias: Some("find-callees"),
            about: "Show what a symbol calls",
            examples: CALLEES_EXAMPLES,
            fails_when_empty: true,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        self.symbol_query().check()?;
        check_range("depth", self.depth, 1..=DEEPEST)?;
        check_length("cursor", self.cursor.as_deref(), ListCursor::LONGEST)?;
        check_range("limit", self.limit, 1..=MAX_CALLS)
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        self.read_symbol(locate);
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
        /// Number of symbols that the call may mean, if it is ambiguous.
        candidates: Option<u32>,
        /// True if it is already on the way here: the calls form a cycle.
        is_cycle: bool,
    }
}

/// Nearest first: by depth, then by path and line. May be empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Callers of which only the name is known, and that are neither listed nor counted because there are many and surer
    /// ones.
    pub more_by_name: u64,
    /// Every occurrence of the name, on the first page.
    pub accounting: Option<Accounting>,
    /// Number of callers after the last of `callers`.
    pub remaining: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// There are more than were counted: calls are followed only so far.
    pub is_least: bool,
    /// The limit in force.
    pub limit: u32,
    /// Number of overloads treated as one symbol; 0 for anything else.
    pub overloads: u32,
}

/// Nearest first: by depth, then in the order of their first call. May be empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Names that are called and not defined in the root, most often called first. Only the first are listed.
    pub external: Vec<ExternalCall>,
    pub total_external: u64,
    /// Number of callees after the last of `callees`.
    pub remaining: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// There are more than were counted: calls are followed only so far.
    pub is_least: bool,
    /// The limit in force.
    pub limit: u32,
    /// Number of overloads treated as one symbol; 0 for anything else.
    pub overloads: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExternalCall {
    pub name: String,
    /// Places.
    pub calls: u64,
}

impl CallItem {
    /// Returns the position that a cursor names.
    pub fn place(&self) -> (&str, u32) {
        (&self.path, self.line)
    }

    /// Returns e.g. `calls at 12, 15 through Engine::step, test, resolved: imported`.
    fn relation(&self) -> Line {
        let calls = match self.call_lines.as_slice() {
            [] => None,
            [line] => Some(Line::from(format!("call at {line}"))),
            lines => Some(Line::from(format!("calls at {}", numbers(lines)))),
        };
        let via = (self.depth > 1).then(|| Line::from("through ").name(&self.via));
        let way = Line::join(calls.into_iter().chain(via), " ");
        let confidence = confidence(self.resolution, self.candidates, &self.reason);
        let parts = [
            Some(way).filter(|way| !way.is_empty()),
            self.is_test.then(|| Line::from("test")),
            self.is_cycle.then(|| Line::from("cycle")),
            Some(Line::from(confidence)),
        ];
        Line::join(parts.into_iter().flatten(), ", ")
    }
}

/// A page of callers or callees, whose texts have the same form.
struct CallPage<'a> {
    tool: &'static str,
    noun: &'static str,
    default_limit: u32,
    items: &'a [CallItem],
    symbol: &'a SymbolInfo,
    overloads: u32,
    root_name: &'a str,
    depth: u32,
    limit: u32,
    max_tokens: u32,
    total: u64,
    remaining: u64,
    is_least: bool,
    cursor: Option<&'a str>,
}

impl CallPage<'_> {
    fn summary(&self) -> Line {
        let line = Line::from(if self.is_least { "at least " } else { "" });
        let line = match self.total {
            0 => line.text(format!("no {}s", self.noun)),
            total => line.count(total, self.noun),
        };
        let line = line
            .text(" of ")
            .line(self.symbol.title_of_overloads(self.overloads))
            .text(" in ")
            .name(self.root_name);
        let line = match self.depth {
            0 | 1 => line,
            depth => line.text(format!(", {depth} levels")),
        };
        let counts = Counts {
            total: self.total,
            remaining: self.remaining,
            shown: self.items.len() as u64,
        };
        let line = line.text(counts.page_suffix());
        let is_guess = |item: &CallItem| item.resolution == Resolution::NameOnly;
        if !self.items.is_empty() && self.items.iter().all(is_guess) {
            return line.text("; all are guesses, by the name alone");
        }
        line
    }

    fn list(&self, text: &mut Text) {
        for level in self.items.chunk_by(|one, other| one.depth == other.depth) {
            if self.depth > 1 {
                text.heading(format!("level {}", level[0].depth));
            }
            for item in level {
                item.symbol().list(text, item.relation());
            }
        }
    }

    /// Returns the call for the next page.
    fn next(&self) -> Option<Line> {
        let call = all_overloads_call(self.tool, self.symbol, self.overloads)
            .with_some("depth", (self.depth > 1).then_some(self.depth))
            .with_some(
                "limit",
                (self.limit != self.default_limit).then_some(self.limit),
            );
        let call = next_page_call(call, self.max_tokens, self.root_name, self.cursor);
        next_page(self.remaining, call)
    }
}

impl CallerList {
    /// Sets the cursor after the last caller.
    pub fn set_cursor(&mut self) {
        self.truncated = self.remaining > 0;
        self.cursor = ListCursor::behind(
            self.callers.last().map(CallItem::place),
            self.total,
            self.remaining,
        );
    }

    fn page(&self) -> CallPage<'_> {
        CallPage {
            tool: FindCallers::NAME,
            noun: "caller",
            default_limit: FindCallers::DEFAULT_LIMIT,
            items: &self.callers,
            symbol: &self.symbol,
            overloads: self.overloads,
            root_name: &self.root_name,
            depth: self.depth,
            limit: self.limit,
            max_tokens: self.max_tokens,
            total: self.total,
            remaining: self.remaining,
            is_least: self.is_least,
            cursor: self.cursor.as_deref(),
        }
    }
}

impl CalleeList {
    /// Maximum number of external callees that are named.
    pub const EXTERNAL_SHOWN: usize = 20;

    /// Sets the cursor after the last callee.
    pub fn set_cursor(&mut self) {
        self.truncated = self.remaining > 0;
        self.cursor = ListCursor::behind(
            self.callees.last().map(CallItem::place),
            self.total,
            self.remaining,
        );
    }

    fn page(&self) -> CallPage<'_> {
        CallPage {
            tool: FindCallees::NAME,
            noun: "callee",
            default_limit: FindCallees::DEFAULT_LIMIT,
            items: &self.callees,
            symbol: &self.symbol,
            overloads: self.overloads,
            root_name: &self.root_name,
            depth: self.depth,
            limit: self.limit,
            max_tokens: self.max_tokens,
            total: self.total,
            remaining: self.remaining,
            is_least: self.is_least,
            cursor: self.cursor.as_deref(),
        }
    }

    /// Returns the names that are called and not defined in the project: `println (3), drop and 7 more`.
    fn external_names(&self) -> Option<Line> {
        let named = self.external.iter().map(|call| {
            let line = Line::new().name(&call.name);
            match call.calls {
                0 | 1 => line,
                calls => line.text(" (").number(calls).text(")"),
            }
        });
        let line = Line::from("not defined in this project: ").line(Line::join(named, ", "));
        let more = self
            .total_external
            .saturating_sub(self.external.len() as u64);
        match (self.total_external, more) {
            (0, _) => None,
            (_, 0) => Some(line),
            _ => Some(line.text(" and ").number(more).text(" more")),
        }
    }
}

impl Answer for CallerList {
    fn items(&self) -> usize {
        self.callers.len()
    }

    fn keep(&mut self, items: usize) {
        if cut(&mut self.callers, items, &mut self.remaining) {
            self.set_cursor();
        }
    }

    fn text(&self) -> Text {
        let page = self.page();
        let mut text = Text::new(page.summary());
        text.warnings(self.freshness.warnings());
        page.list(&mut text);
        if let Some(accounting) = self.accounting.as_ref().filter(|one| one.total > 0) {
            text.note(accounting.line());
        }
        if self.more_by_name > 0 {
            let call = all_overloads_call(FindReferences::NAME, &self.symbol, self.overloads)
                .with("role", UseRole::Call.as_str())
                .with("min_confidence", ConfidenceLevel::Low.as_str())
                .with("root", &self.root_name);
            let line = Line::from("… and ").count(self.more_by_name, "more caller");
            text.next(line.text(" known by name only: ").call(call));
        }
        if self.total == 0 {
            let call = all_overloads_call(FindReferences::NAME, &self.symbol, self.overloads);
            let call = call.with("root", &self.root_name);
            text.next(Line::from("other uses than calls: ").call(call));
        }
        text.next(page.next());
        text
    }

    fn is_empty(&self) -> bool {
        self.total == 0
    }

    one_root!();
}

impl Answer for CalleeList {
    fn items(&self) -> usize {
        self.callees.len()
    }

    fn keep(&mut self, items: usize) {
        if cut(&mut self.callees, items, &mut self.remaining) {
            self.set_cursor();
        }
    }

    fn shorten(&mut self) -> bool {
        let more = self.external.len() > 5;
        self.external.truncate(5);
        more
    }

    fn text(&self) -> Text {
        let page = self.page();
        let mut text = Text::new(page.summary());
        text.warnings(self.freshness.warnings());
        page.list(&mut text);
        if let Some(line) = self.external_names() {
            text.item(line);
        }
        text.next(page.next());
        text
    }

    fn is_empty(&self) -> bool {
        self.total + self.total_external == 0
    }

    one_root!();
}

#[cfg(test)]
mod tests;
