//! `index_status`: the health of the daemon, and the state of each root.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::freshness::{self, IndexProgress};
use crate::answer::index_summary::{IndexSummary, LanguageCoverage};
use crate::answer::symbol::words;
use crate::answer::{Answer, Format};
use crate::daemon_info::DaemonInfo;
use crate::error::ToolError;
use crate::text::quantity::{bytes, duration};
use crate::text::{Line, NextCall, Text};

const EXAMPLES: &str = "\
Examples:
  claudevil status             this project, a line for each other one, and the health of the daemon
  claudevil status .           this project alone
  claudevil status --watch     as it changes, until q or Ctrl-C
  claudevil status --detailed  with versions, tools, and every setting and where it is from";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct IndexStatus {
    /// Default: all.
    #[cfg_attr(feature = "cli", arg(long, value_name = "ROOT", help = "Same as ROOT"))]
    pub root: Option<String>,
    #[cfg_attr(
        feature = "cli",
        arg(
            short,
            long,
            action = clap::ArgAction::SetTrue,
            help = "Add versions, tools, and the configuration with the source of each value"
        )
    )]
    pub detailed: Option<bool>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

impl Tool for IndexStatus {
    type Answer = Status;

    const INFO: ToolInfo = ToolInfo {
        name: "index_status",
        title: "Index status",
        description: "If answers seem incomplete: health, state of each project, what was skipped.",
        toolset: Toolset::Index,
        availability: Availability::Core,
        replaces_reading: false,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "status",
            alias: None,
            about: "Show the health of the daemon and what it knows of each project",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        Ok(())
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Status {
    pub health: Health,
    pub parts: Vec<Part>,
    pub daemon: DaemonInfo,
    /// When this was answered, in milliseconds since 1970.
    pub now: i64,
    pub total_roots: u64,
    pub roots: Vec<RootStatus>,
    pub truncated: bool,
    pub details: Option<Details>,
}

words! {
    /// Healthy: all parts work. Degraded: answers come, but a part is down. Unhealthy: no answers can be given.
    Health {
        Healthy = "healthy",
        Degraded = "degraded",
        Unhealthy = "unhealthy",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    pub name: String,
    pub health: Health,
    /// Time that a trivial operation on it took.
    pub latency_micros: u64,
    pub detail: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RootStatus {
    pub name: String,
    pub path: String,
    /// The project of the session that asks.
    pub is_session: bool,
    /// Milliseconds since 1970.
    pub added: i64,
    pub last_used: i64,
    pub state: RootState,
    /// Why the folder cannot be used right now.
    pub unavailable: Option<String>,
    /// Present while the root is being indexed.
    pub progress: Option<IndexProgress>,
    /// None until the root has been indexed once.
    pub index: Option<IndexSummary>,
    /// The files of each language that precise indexes describe as they are now, while the root is loaded.
    pub precise: Vec<LanguageCoverage>,
    pub watch: WatchMode,
    /// Why it is not watched by events.
    pub watch_reason: Option<String>,
    /// Ignore files that are not used: the path of each, and why in brackets. At most [`crate::answer::freshness::MAX_UNUSED_RULES`].
    pub unused_rules: Vec<String>,
    /// The reason why changes could not be stored.
    pub trouble: Option<String>,
    /// None until a question about it has been answered.
    pub savings: Option<Savings>,
    /// The cost of the same answers by tool, the most frequent first.
    pub answer_costs: Vec<AnswerCost>,
}

/// The tokens that one answer of a tool puts into a context. Half of the answers cost `p50` at most, and 95 of a hundred
/// `p95`, both to within an eighth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerCost {
    pub tool: String,
    pub calls: u64,
    pub p50: u64,
    pub p95: u64,
}

/// The cost of answers, and that of the files that they show parts of. Both are estimates of tokens, counted on this machine
/// alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Savings {
    /// Answers that were counted.
    pub calls: u64,
    /// The cost of the answers.
    pub tokens: u64,
    /// The cost of the files that they show parts of, read whole.
    pub whole_tokens: u64,
    /// When counting began, in milliseconds since 1970.
    pub since: i64,
}

impl Savings {
    /// Returns how much less the answers cost, in percent. None where they cost more.
    pub fn percent_less(&self) -> Option<u64> {
        let less = self
            .whole_tokens
            .checked_sub(self.tokens)
            .filter(|less| *less > 0)?;
        less.saturating_mul(100).checked_div(self.whole_tokens)
    }
}

words! {
    RootState {
        /// Being indexed; answers come, and say that they are partial.
        Indexing = "indexing",
        Ready = "ready",
        /// The folder cannot be used right now; the index is kept.
        Unavailable = "unavailable",
        NeverIndexed = "never indexed",
        /// Indexed and not in memory; the next question loads it.
        Unloaded = "unloaded",
    }
}

words! {
    /// The way in which a root follows edits.
    WatchMode {
        /// The system tells of every change.
        Events = "events",
        /// Polled.
        Polling = "polling",
        /// Checked whenever a call needs it, so every answer is fresh.
        Unwatched = "unwatched",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Details {
    pub index_format: u32,
    pub compiler: String,
    pub tools: Vec<String>,
    pub settings: Vec<Setting>,
    /// Configuration that was not understood.
    pub warnings: Vec<String>,
    pub bytes_on_disk: u64,
    pub free_bytes: Option<u64>,
    pub memory_bytes: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Setting {
    pub key: String,
    pub value: String,
    /// `default`, the configuration file, or a variable's name.
    pub source: String,
}

impl Status {
    fn summary(&self) -> Line {
        Line::from(format!("{}; ", self.health.as_str())).count(self.total_roots, "root")
    }

    fn next(&self) -> Option<Line> {
        let left_out = self.total_roots.saturating_sub(self.roots.len() as u64);
        (self.truncated && left_out > 0).then(|| {
            Line::new()
                .count(left_out, "more root")
                .text(": ")
                .call(NextCall::new(IndexStatus::NAME).with("root", "NAME"))
                .text(" shows one, or raise ")
                .parameter("max_tokens")
        })
    }
}

impl Part {
    /// Returns e.g. `registry: healthy (130 µs) 3 roots`.
    fn line(&self) -> Line {
        let latency = match self.latency_micros / 1000 {
            0 => format!("{} µs", self.latency_micros),
            millis => format!("{millis} ms"),
        };
        let (name, health) = (&self.name, self.health.as_str());
        let line = Line::from(format!("{name}: {health} ({latency})"));
        if self.detail.is_empty() {
            line
        } else {
            line.text(" ").code(&self.detail)
        }
    }
}

impl RootStatus {
    fn title(&self) -> Line {
        let mark = if self.is_session {
            " (this session)"
        } else {
            ""
        };
        Line::new()
            .name(&self.name)
            .text(format!("{mark}  "))
            .path(&self.path)
    }

    /// Returns e.g. `ready  6,611 files, 31,000 symbols  watch: events`.
    fn state_line(&self) -> Line {
        let mut line = Line::from(self.state.as_str());
        if let Some(why) = &self.unavailable {
            line = line.text(": ").code(why);
        }
        if let Some(index) = &self.index {
            line = line
                .text("  ")
                .count(index.files, "file")
                .text(", ")
                .count(index.symbols, "symbol");
        }
        let line = line.text(format!("  watch: {}", self.watch.as_str()));
        match &self.watch_reason {
            Some(why) => line.text(" (").code(why).text(")"),
            None => line,
        }
    }

    /// Returns the other facts about a root, one line each.
    pub fn facts(&self, now: i64) -> Vec<Line> {
        let progress = self.progress.as_ref().map(freshness::progress);
        let mut lines: Vec<Line> = progress.into_iter().map(Line::from).collect();
        let trouble = self.trouble.as_ref();
        lines.extend(trouble.map(|why| Line::from("behind: ").code(why)));
        lines.extend(freshness::unused_rules(&self.unused_rules).map(Line::from));
        lines.extend(self.index.iter().flat_map(|index| index.facts(now)));
        lines.extend(self.precise.iter().map(LanguageCoverage::line));
        lines.extend(self.savings.as_ref().map(|savings| savings.line(now)));
        lines
    }
}

impl Savings {
    /// Returns e.g. `answered 12 questions in 3 days with about 4,300 tokens; the files shown have 61,000 (92% less)`.
    fn line(&self, now: i64) -> Line {
        let mut line = Line::from("answered ")
            .count(self.calls, "question")
            .text(format!(" in {} with about ", duration(now - self.since)))
            .number(self.tokens)
            .text(" tokens");
        // Answers about projects, or that found nothing, show no file.
        if self.whole_tokens > 0 {
            line = line
                .text("; the files shown have ")
                .number(self.whole_tokens);
        }
        if let Some(less) = self.percent_less() {
            line = line.text(format!(" ({less}% less)"));
        }
        line
    }
}

impl Details {
    fn write(&self, daemon: &DaemonInfo, text: &mut Text) {
        text.item(format!(
            "versions: protocol {}-{}, index format {}, {}",
            daemon.oldest_protocol, daemon.newest_protocol, self.index_format, self.compiler
        ));
        text.item(Line::from("socket: ").path(&daemon.address));
        text.item(Line::from("logs: ").path(&daemon.log_directory));
        let free = self
            .free_bytes
            .map_or_else(String::new, |free| format!(", {} free", bytes(free)));
        let memory = self
            .memory_bytes
            .map_or_else(String::new, |memory| format!("; memory: {}", bytes(memory)));
        let used = bytes(self.bytes_on_disk);
        text.item(format!("disk: {used} used{free}{memory}"));
        text.item(format!("tools: {}", self.tools.join(" ")));
        for setting in &self.settings {
            text.item(
                Line::from(format!("{} = ", setting.key))
                    .code(&setting.value)
                    .text(" (")
                    .code(&setting.source)
                    .text(")"),
            );
        }
        let warnings = self.warnings.iter();
        text.warnings(warnings.map(|warning| Line::from("warning: ").code(warning)));
    }
}

/// Number of languages of a root that are kept when little fits.
const FEW_LANGUAGES: usize = 1;
const FEW_UNUSED_RULES: usize = 1;

impl Answer for Status {
    fn items(&self) -> usize {
        // The details are dropped last.
        self.roots.len() + 1
    }

    fn keep(&mut self, items: usize) {
        if items >= self.items() {
            return;
        }
        self.truncated = true;
        self.roots.truncate(items.saturating_sub(1).max(1));
        if items > 1 {
            return;
        }
        self.details = None;
        for part in self
            .parts
            .iter_mut()
            .filter(|part| part.health == Health::Healthy)
        {
            part.detail.clear();
        }
        for root in &mut self.roots {
            if let Some(index) = &mut root.index {
                index.languages.truncate(FEW_LANGUAGES);
                index.skipped.examples.clear();
            }
            root.unused_rules.truncate(FEW_UNUSED_RULES);
            root.precise.truncate(FEW_LANGUAGES);
            root.answer_costs.clear();
        }
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        for root in &self.roots {
            text.described_item(root.title(), root.state_line());
            if root.is_session || self.roots.len() == 1 {
                for line in root.facts(self.now) {
                    text.below(line);
                }
            }
        }
        for part in &self.parts {
            text.item(part.line());
        }
        let daemon = &self.daemon;
        text.item(
            Line::from(format!("daemon {} pid {}: ", daemon.build, daemon.pid))
                .count(u64::from(daemon.connections), "connection")
                .text(", ")
                .count(u64::from(daemon.calls_in_flight), "call")
                .text(" in flight"),
        );
        if let Some(details) = &self.details {
            details.write(daemon, &mut text);
        }
        text.next(self.next());
        text
    }
}

#[cfg(test)]
mod tests;
