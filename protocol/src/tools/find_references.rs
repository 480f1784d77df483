//! `find_references`: every use of a symbol, and how sure each is.
//!
//! For agents, uses are grouped by level and file, and the reason why a line counts as a use is given once for a level or a
//! file and again only where it differs. The command line lists the uses one by one.

mod by_file;

use std::cmp::Reverse;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::by_file::{FileCommon, FileUses, most_common_confidence};
use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::accounting::Accounting;
use crate::answer::freshness::Freshness;
use crate::answer::graph::text::{
    Counts, all_overloads_call, confidence, next_page, next_page_call, usage_in,
};
use crate::answer::graph::{Excerpt, Resolution, SymbolInfo, UseRole, symbol_params};
use crate::answer::symbol::words;
use crate::answer::{Answer, one_root};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::{Line, NextCall, Text};

const EXAMPLES: &str = "\
Examples:
  claudevil refs Engine::run                 every use, the surest first, and the files to update
  claudevil refs src/engine.rs:12 -C 2       of the symbol at a line, with lines around
  claudevil refs run --role call -m high     only calls that are sure";

symbol_params! {
    #[cfg_attr(feature = "cli", command(mut_arg("symbol", |symbol| symbol.required(true))))]
    FindReferences {
        /// Default any.
        #[cfg_attr(feature = "cli", arg(short, long, help = "Only uses of this role"))]
        role: RoleFilter,
        #[cfg_attr(feature = "cli", arg(
            short = 'd', long = "definition", action = clap::ArgAction::SetTrue,
            help = "Also show where it is defined"
        ))]
        include_definition: bool,
        /// File to leave out.
        #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", help = "Leave out the uses in this file"))]
        defined_in: String,
        #[schemars(range(min = 0, max = 100))]
        #[cfg_attr(feature = "cli", arg(
            short = 'C', long = "context", value_name = "0-100", default_value = "0",
            help = "Lines to show around each use"
        ))]
        context_lines: u32,
        /// Default low.
        #[cfg_attr(feature = "cli", arg(
            short, long, value_name = "LEVEL",
            help = "Only uses with at least this confidence"
        ))]
        min_confidence: ConfidenceLevel,
        /// Default 50.
        #[schemars(range(min = 1, max = 200))]
        #[cfg_attr(feature = "cli", arg(
            short = 'n', long,
            help = "Maximum number of uses, up to 200 [default: all]"
        ))]
        limit: u32,
        #[cfg_attr(feature = "cli", arg(long, help = "Continue from this cursor"))]
        cursor: String,
    }
}

words! {
    RoleFilter {
        Any = "any",
        Call = "call",
        Type = "type",
        Import = "import",
        Read = "read",
        Write = "write",
        Mention = "mention",
    }
}

words! {
    /// The certainty that a use means the symbol, the surest first.
    ConfidenceLevel {
        High = "high",
        Medium = "medium",
        Low = "low",
    }
}

impl ConfidenceLevel {
    pub const LEAST_HIGH: f64 = 0.8;
    pub const LEAST_MEDIUM: f64 = 0.5;

    pub fn from_confidence(confidence: f64) -> Self {
        if confidence >= Self::LEAST_HIGH {
            Self::High
        } else if confidence >= Self::LEAST_MEDIUM {
            Self::Medium
        } else {
            Self::Low
        }
    }
}

impl FindReferences {
    pub const DEFAULT_LIMIT: u32 = 50;
    pub const MAX_REFERENCES: u32 = 200;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }

    /// Returns the role that uses must have. None for all.
    pub fn role(&self) -> Option<UseRole> {
        UseRole::from_word(self.role?.as_str())
    }

    /// Returns true if all mentions in prose, comments and strings are to be listed, and not only the surest few.
    pub fn wants_mentions(&self) -> bool {
        self.role() == Some(UseRole::Mention) || self.min_confidence == Some(ConfidenceLevel::Low)
    }

    /// Returns true if the accounting lists the place of every occurrence: all references are asked for, on the first page.
    pub fn wants_places(&self) -> bool {
        self.min_confidence == Some(ConfidenceLevel::Low) && self.cursor.is_none()
    }

    /// Returns the lowest level that is listed.
    pub fn min_confidence(&self) -> ConfidenceLevel {
        self.min_confidence.unwrap_or(ConfidenceLevel::Low)
    }
}

impl Tool for FindReferences {
    type Answer = References;

    const INFO: ToolInfo = ToolInfo {
        name: "find_references",
        title: "Find references",
        description: "Before changing or removing a symbol: every use by confidence, with role and enclosing symbol; \
                      files to update.",
        toolset: Toolset::Graph,
        availability: Availability::AlwaysLoaded,
        replaces_reading: true,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "refs",
            alias: Some("find-references"),
            about: "Find every use of a symbol, and the files to update",
            examples: EXAMPLES,
            fails_when_empty: true,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        self.symbol_query().check()?;
        check_length("defined_in", self.defined_in.as_deref(), 4096)?;
        check_length("cursor", self.cursor.as_deref(), 8192)?;
        check_range("context_lines", self.context_lines, 0..=100)?;
        check_range("limit", self.limit, 1..=Self::MAX_REFERENCES)
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        self.read_symbol(locate);
        self.defined_in = self.defined_in.as_deref().map(locate);
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct References {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    /// Its note says where text search stands in for facts.
    pub freshness: Freshness,
    pub symbol: SymbolInfo,
    /// Its definitions: several for overloads, partial classes, and declarations apart from their bodies.
    pub definitions: Vec<SymbolInfo>,
    /// The filters in force.
    pub role: Option<UseRole>,
    pub include_definition: bool,
    pub defined_in: Option<String>,
    pub context_lines: u32,
    pub min_confidence: ConfidenceLevel,
    /// In the order of [`ReferenceCursor`].
    pub references: Vec<Reference>,
    /// Numbers of all references, by level.
    pub counts: ConfidenceCounts,
    pub total: u64,
    /// Words in prose, comments and strings that are neither listed nor counted above: they are where `role` is `mention`.
    pub more_mentions: u64,
    /// Uses of which only the name is known, and that are neither listed nor counted above because there are many and
    /// surer ones: they are where `min_confidence` is `low`.
    pub more_by_name: u64,
    /// Every occurrence of the name, where all references are asked for.
    pub accounting: Option<Accounting>,
    /// Files to update: those with references, the most first, then by path. Definitions count where they are asked for.
    pub files: Vec<FileReferences>,
    pub total_files: u64,
    /// Number of references after the last of `references`.
    pub remaining: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// The limit in force.
    pub limit: u32,
    /// Number of overloads treated as one symbol; 0 for anything else.
    pub overloads: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfidenceCounts {
    pub high: u64,
    pub medium: u64,
    pub low: u64,
}

impl ConfidenceCounts {
    pub fn at(&self, level: ConfidenceLevel) -> u64 {
        match level {
            ConfidenceLevel::High => self.high,
            ConfidenceLevel::Medium => self.medium,
            ConfidenceLevel::Low => self.low,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reference {
    pub path: String,
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
    pub role: UseRole,
    /// Its relation to the symbol around it: `call in`, `return type of`, `argument of`, `import in`.
    pub usage: String,
    /// 0 to 1, with two decimals.
    pub confidence: f64,
    pub level: ConfidenceLevel,
    pub resolution: Resolution,
    /// Why it is taken for a reference, and no surer.
    pub reason: String,
    /// Number of symbols that it may mean, if it is ambiguous.
    pub candidates: Option<u32>,
    /// The symbol around it, with its containers.
    pub enclosing: Option<String>,
    /// The line itself.
    pub text: String,
    /// The lines around it, itself included, where they were asked for.
    pub context: Option<Excerpt>,
    pub is_test: bool,
}

impl Reference {
    /// Returns e.g. `call in setup, test, 0.95 resolved: imported`.
    pub fn description(&self) -> Line {
        self.description_beside(&FileCommon::default())
    }

    /// Returns the description without the properties that its file shows for all uses.
    fn description_beside(&self, common: &FileCommon) -> Line {
        let confidence = self.confidence();
        let test = (self.is_test && !common.is_test).then(|| Line::from("test"));
        let confidence = (confidence != common.confidence).then(|| Line::from(confidence));
        let usage = usage_in(&self.usage, self.enclosing.as_deref());
        Line::join([usage].into_iter().chain(test).chain(confidence), ", ")
    }

    /// Returns e.g. `0.95 resolved: imported`.
    fn confidence(&self) -> String {
        let words = confidence(self.resolution, self.candidates, &self.reason);
        format!("{:.2} {words}", self.confidence)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileReferences {
    pub path: String,
    pub references: u64,
}

/// A place in the order of references that stays valid while others come and go: the surest first, then by path and place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReferenceCursor {
    /// 1 minus the confidence, in hundredths. A mention is never as sure as a use.
    doubt: u32,
    path: String,
    line: u32,
    column: u32,
}

impl ReferenceCursor {
    pub fn new(reference: &Reference) -> Self {
        let (line, column) = (reference.line, reference.column);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of one, in hundredths"
        )]
        let doubt = 100 - (reference.confidence.clamp(0.0, 1.0) * 100.0).round() as u32;
        Self {
            doubt,
            path: reference.path.clone(),
            line,
            column,
        }
    }

    /// Returns whether a reference of the same confidence comes after the cursor.
    pub fn is_before(&self, path: &str, line: u32, column: u32) -> bool {
        (&*self.path, self.line, self.column) < (path, line, column)
    }

    pub fn encode(&self) -> String {
        format!("{}:{}:{}:{}", self.doubt, self.line, self.column, self.path)
    }

    pub fn decode(text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, ':');
        let doubt = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        let column = parts.next()?.parse().ok()?;
        Some(Self {
            doubt,
            line,
            column,
            path: parts.next()?.to_owned(),
        })
    }
}

impl References {
    /// Sorts files by the number of references, then by path: a list that is cut keeps the files with most of them.
    pub fn sort_files(files: &mut [FileReferences]) {
        files.sort_by(|one, other| {
            (Reverse(one.references), &one.path).cmp(&(Reverse(other.references), &other.path))
        });
    }

    /// Sets the cursor after the last reference.
    pub fn set_cursor(&mut self) {
        self.truncated = self.remaining > 0;
        self.cursor = self
            .references
            .last()
            .filter(|_| self.remaining > 0)
            .map(|last| ReferenceCursor::new(last).encode());
    }

    /// Says how many uses there are at each level, and which of them are shown.
    pub fn summary(&self) -> Line {
        let counts = Counts {
            total: self.total,
            remaining: self.remaining,
            shown: self.references.len() as u64,
        };
        self.totals().text(counts.page_suffix())
    }

    /// Says how many uses there are at each level.
    pub fn totals(&self) -> Line {
        let line = match self.total {
            0 => Line::from("no references"),
            total => Line::new().count(total, "reference"),
        };
        let line = match self.role {
            Some(role) => line.text(format!(" ({})", role.as_str())),
            None => line,
        };
        let line = line
            .text(" to ")
            .line(self.symbol.title_of_overloads(self.overloads))
            .text(" in ")
            .name(&self.root_name);
        let line = match &self.defined_in {
            Some(path) => line.text(" outside ").path(path),
            None => line,
        };
        let levels = ConfidenceLevel::ALL.iter().copied();
        let levels = levels.filter(|level| self.counts.at(*level) > 0);
        let levels = levels.map(|level| {
            let line = Line::new().number(self.counts.at(level));
            line.text(format!(" {}", level.as_str()))
        });
        match self.total {
            0 => line,
            total if self.counts.low == total => line.text(": all are guesses, by the name alone"),
            _ => line.text(": ").line(Line::join(levels, ", ")),
        }
    }

    /// Returns e.g. `high confidence (3)`.
    pub fn level_heading(&self, level: ConfidenceLevel) -> Line {
        Line::from(format!("{} confidence (", level.as_str()))
            .number(self.counts.at(level))
            .text(")")
    }

    fn list_level(&self, text: &mut Text, level: ConfidenceLevel) {
        let uses = self.references.iter().filter(|one| one.level == level);
        let uses: Vec<&Reference> = uses.collect();
        if uses.is_empty() {
            return;
        }
        let confidence = most_common_confidence(&uses);
        let exceptions = if uses.iter().all(|one| one.confidence() == confidence) {
            ""
        } else {
            ", unless said otherwise"
        };
        let heading = self.level_heading(level);
        text.heading(heading.text(format!(", {confidence}{exceptions}")));
        for uses in uses.chunk_by(|one, other| one.path == other.path) {
            let file = FileUses::new(uses);
            let path = Line::new().path(&uses[0].path);
            text.described_item(path, file.detail(&confidence));
            text.verbatim(file.source(self.context_lines > 0));
        }
    }

    /// Adds what follows the uses: the files to update, and the calls for what is not listed.
    pub fn conclude(&self, text: &mut Text) {
        if !self.files.is_empty() {
            let heading = Line::from("files to update (").number(self.total_files);
            text.heading(heading.text(match &self.accounting {
                Some(accounting) if accounting.is_complete() => ", complete)",
                _ => ")",
            }));
        }
        for file in &self.files {
            let item = Line::from("  ").path(&file.path);
            text.item(item.text("  ").number(file.references));
        }
        let more = self.total_files.saturating_sub(self.files.len() as u64);
        if more > 0 && !self.files.is_empty() {
            text.item(Line::from("  and ").count(more, "more file"));
        }
        if let Some(accounting) = self.accounting.as_ref().filter(|one| one.total > 0) {
            text.item(accounting.line());
        }
        if self.more_mentions > 0 {
            let call = self.call().with("role", UseRole::Mention.as_str());
            let line = Line::from("… and ")
                .count(self.more_mentions, "more mention")
                .text(" in prose, comments and strings: ");
            text.next(line.call(call.with("root", &self.root_name)));
        }
        if self.more_by_name > 0 {
            let call = self
                .call()
                .with("min_confidence", ConfidenceLevel::Low.as_str());
            let line = Line::from("… and ")
                .count(self.more_by_name, "more use")
                .text(" known by name only: ");
            text.next(line.call(call.with("root", &self.root_name)));
        }
        text.next(self.next());
    }

    /// Returns the call for the next page.
    fn next(&self) -> Option<Line> {
        let least = self.min_confidence;
        let call = self
            .call()
            .with_some("role", self.role.map(UseRole::as_str))
            .with_some(
                "include_definition",
                self.include_definition.then_some(true),
            )
            .with_some("defined_in", self.defined_in.as_deref())
            .with_some(
                "context_lines",
                (self.context_lines > 0).then_some(self.context_lines),
            )
            .with_some(
                "min_confidence",
                (least != ConfidenceLevel::Low).then(|| least.as_str()),
            )
            .with_some(
                "limit",
                (self.limit != FindReferences::DEFAULT_LIMIT).then_some(self.limit),
            );
        let call = next_page_call(
            call,
            self.max_tokens,
            &self.root_name,
            self.cursor.as_deref(),
        );
        next_page(self.remaining, call)
    }

    /// Returns a call for uses of the same symbol. Lines of text have no symbol at their location, so the call has the name.
    fn call(&self) -> NextCall {
        if self.definitions.is_empty() {
            return NextCall::new(FindReferences::NAME)
                .with("symbol", self.symbol.qualified.as_str());
        }
        all_overloads_call(FindReferences::NAME, &self.symbol, self.overloads)
    }
}

impl Answer for References {
    fn items(&self) -> usize {
        let has_places = |one: &Accounting| one.places.is_some();
        self.references.len() + usize::from(self.accounting.as_ref().is_some_and(has_places))
    }

    fn keep(&mut self, items: usize) {
        if items >= self.items() {
            return;
        }
        // The places of the accounting count as one item, and are dropped first.
        if let Some(accounting) = &mut self.accounting {
            accounting.places = None;
        }
        if items >= self.references.len() {
            return;
        }
        self.remaining += (self.references.len() - items) as u64;
        self.references.truncate(items);
        // The list of files is to be worked through; it is cut only if it would leave no room.
        self.files.truncate(10 + 2 * items);
        self.set_cursor();
    }

    fn shorten(&mut self) -> bool {
        let context = self
            .references
            .iter_mut()
            .filter_map(|reference| reference.context.take())
            .count();
        let files = self.files.len();
        self.files.truncate(10);
        let definitions = self.definitions.len();
        self.definitions.truncate(3);
        context > 0 || self.files.len() < files || self.definitions.len() < definitions
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        for symbol in self.definitions.iter().filter(|_| self.include_definition) {
            text.item(Line::from("defined at ").line(symbol.list_item()));
        }
        for level in ConfidenceLevel::ALL {
            self.list_level(&mut text, *level);
        }
        self.conclude(&mut text);
        text
    }

    fn is_empty(&self) -> bool {
        self.total == 0
    }

    one_root!();
}

#[cfg(test)]
mod tests;
