//! `impact_analysis`: what a change of a symbol, or of all that a diff touches, may break.

mod by_file;
#[cfg(test)]
mod tests;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find_implementations::{FindImplementations, Implementation};
use super::find_references::FindReferences;
use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::accounting::Accounting;
use crate::answer::commit::{CoChangedFile, add_co_changed};
use crate::answer::freshness::Freshness;
use crate::answer::graph::text::all_overloads_call;
use crate::answer::graph::{Resolution, UseRole, shares, symbol_params, with_symbol};
use crate::answer::symbol::words;
use crate::answer::{Answer, one_root};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::quantity::{count, grouped};
use crate::text::tokens::MAX_TOKENS;
use crate::text::{Line, NextCall, Rating, Span, Text, one_line, signature};

const EXAMPLES: &str = "\
Examples:
  claudevil impact Engine::run         what a change of it may break, and which tests reach it
  claudevil impact                     of everything that is changed and not committed
  claudevil impact --diff main..HEAD   of all commits since";

#[cfg(feature = "cli")]
const SYMBOL_HELP: &str =
    "Name, plain or qualified, or a line of a file [default: the changes that are not committed]";

symbol_params! {
    #[cfg_attr(feature = "cli", command(mut_arg("symbol", |symbol| symbol.required(false).help(SYMBOL_HELP))))]
    ImpactAnalysis {
        /// Or `working`, or `a..b`.
        #[cfg_attr(feature = "cli", arg(
            long, value_name = "RANGE", conflicts_with = "symbol",
            help = "Git range instead of a symbol, e.g. main..HEAD, or `working`"
        ))]
        diff: String,
        /// Default 1.
        #[schemars(range(min = 1, max = 5))]
        #[cfg_attr(feature = "cli", arg(
            short = 'd', long, value_name = "1-5", help = "Levels of dependents to follow [default: 1]"
        ))]
        depth: u32,
    }
}

impl ImpactAnalysis {
    /// The value of `diff` for the working tree against its last commit.
    pub const WORKING: &'static str = "working";
    pub const DEEPEST: u32 = 5;

    pub fn depth(&self) -> u32 {
        self.depth.unwrap_or(1)
    }
}

impl Tool for ImpactAnalysis {
    type Answer = Impact;

    const INFO: ToolInfo = ToolInfo {
        name: "impact_analysis",
        title: "Impact analysis",
        description: "Before or after a change of a symbol, or for a git diff: what may break, dependents, tests to \
                      run, risk.",
        toolset: Toolset::Graph,
        availability: Availability::Core,
        replaces_reading: true,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(60),
        command: CommandInfo {
            verb: "impact",
            alias: Some("impact-analysis"),
            about: "Show what a change may break, and which tests reach it",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_range("depth", self.depth, 1..=Self::DEEPEST)?;
        let Some(diff) = &self.diff else {
            if self.symbol.is_none() && self.path.is_none() && self.line.is_none() {
                let message = Line::from("give ")
                    .parameter("symbol")
                    .text(", or ")
                    .span(Span::PathAndLine)
                    .text(", or ")
                    .parameter("diff");
                let hint = Line::new()
                    .call(NextCall::new(Self::NAME).with("diff", Self::WORKING))
                    .text(" is about the changes since the last commit");
                return Err(ToolError::invalid_argument(message).with_hint(hint));
            }
            return self.symbol_query().check();
        };
        check_length("diff", Some(diff), 200)?;
        if self.symbol.is_some() || self.path.is_some() || self.line.is_some() {
            return Err(ToolError::invalid_argument(
                "give either a symbol or `diff`",
            ));
        }
        if diff != Self::WORKING && !diff.contains("..") {
            let message = format!("diff is `{diff}`; expected `working` or a range `a..b`");
            // The changes since the last commit are those of the working tree.
            let meant = if diff == "HEAD" {
                Self::WORKING.to_owned()
            } else {
                format!("{diff}..HEAD")
            };
            let call = NextCall::new(Self::NAME).with("diff", meant);
            return Err(ToolError::invalid_argument(message).with_hint(call));
        }
        Ok(())
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        self.read_symbol(locate);
        // As `git diff HEAD` means it: the working tree against the last commit.
        let is_working = self.diff.as_deref() == Some("HEAD");
        let is_default = self.symbol.is_none() && self.path.is_none() && self.diff.is_none();
        if is_working || is_default {
            self.diff = Some(Self::WORKING.to_owned());
        }
    }
}

words! {
    /// The kind of change of a symbol.
    #[derive(Default)]
    ChangeKind {
        // It was asked about; nothing has happened to it yet.
        #[default]
        Asked = "asked",
        Modified = "modified",
        Added = "added",
        Removed = "removed",
    }
}

words! {
    Risk {
        Low = "low",
        Medium = "medium",
        High = "high",
    }
}

/// Each list has a total beside it, and may hold fewer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Impact {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    /// The diff that was asked about, if it was one.
    pub diff: Option<String>,
    pub depth: u32,
    /// The symbol that was asked about, or the symbols that the diff touches.
    pub changed: Vec<ChangedSymbol>,
    pub total_changed: u64,
    /// The number of changed symbols that were followed: of a large diff not all are.
    pub total_followed: u64,
    /// The number of changed symbols with another signature than before.
    pub total_signatures: u64,
    /// Files of the diff in which no symbol changed.
    pub other_files: Vec<String>,
    pub total_other_files: u64,
    /// Parts of the diff that were not compared.
    pub not_compared: NotCompared,
    /// Methods that override or implement what changes, and types that implement or extend it.
    pub overrides: Vec<Implementation>,
    pub total_overrides: u64,
    /// Direct usages, tests included, by folder: the folder with most first.
    pub areas: Vec<ImpactArea>,
    pub total_usages: u64,
    /// Places of which nothing is known but that they have the name of something that changes; none of them is in `areas`.
    pub total_name_only: u64,
    /// Every occurrence of the name, where one symbol is asked about.
    pub accounting: Option<Accounting>,
    /// Symbols that depend on it, directly or through others, nearest first; without tests.
    pub dependents: Vec<ImpactDependent>,
    pub total_dependents: u64,
    /// More depend on it than were counted.
    pub is_least: bool,
    /// Tests that reach it, nearest first. Where none does, tests whose names contain its name; these have no `distance`
    /// and are not counted in `total_tests`.
    pub tests: Vec<ImpactTest>,
    pub total_tests: u64,
    /// Files of the tests that reach it, in the order of their nearest test.
    pub test_files: Vec<TestFile>,
    pub total_test_files: u64,
    /// Uses between tests and what changes that were not followed: they may mean something else, or a macro makes them.
    pub total_uncertain: u64,
    /// Files with usages or dependents, by path.
    pub files: Vec<String>,
    pub total_files: u64,
    /// The number of functions and methods with usages in them or that depend on it.
    pub total_functions: u64,
    /// Files that usually change together with the changed ones and that the diff does not touch.
    pub together: Vec<CoChangedFile>,
    pub risk: Risk,
    pub risk_reasons: Vec<String>,
    pub truncated: bool,
    /// The number of overloads that are taken together, where the name means several of one owner; else 0.
    pub overloads: u32,
}

with_symbol! {
    ChangedSymbol {
        change: ChangeKind,
        /// The signature before the diff, where it differs from `signature`.
        old_signature: Option<String>,
    }
}

/// Files of a diff that were not compared, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotCompared {
    pub binary: u64,
    /// Larger than the limit for one file.
    pub large: u64,
    /// Unreadable files, and objects that a partial clone lacks.
    pub unreadable: u64,
    /// Names that are not UTF-8.
    pub unnamed: u64,
    /// Beyond the limits on the number of files and on their total size.
    pub beyond: u64,
    /// Compared line by line, but removed symbols and old signatures were not looked for.
    pub without_old_symbols: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImpactArea {
    /// A folder, relative to the root; empty for the root itself.
    pub area: String,
    pub usages: Vec<ImpactUsage>,
    pub total: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImpactUsage {
    pub path: String,
    pub line: u32,
    pub column: u32,
    pub role: UseRole,
    /// Its role for the symbol around it: `call in`, `return type of`.
    pub usage: String,
    /// The symbol around it, with its containers.
    pub enclosing: Option<String>,
    /// The changed symbol that is used, where there are several.
    pub of: Option<String>,
    pub resolution: Resolution,
    pub is_test: bool,
}

with_symbol! {
    ImpactDependent {
        /// 1 uses the changed symbol itself.
        depth: u32,
        /// The symbol that it depends on, one level nearer.
        via: String,
        resolution: Resolution,
        reason: String,
    }
}

with_symbol! {
    ImpactTest {
        /// Calls between the test and what changes: 0 for a changed test, 1 for one that uses it. None where only the
        /// test's name suggests that it belongs.
        distance: Option<u32>,
        /// The function that the test uses and that leads to what changes; none for a test that uses it directly.
        via: Option<String>,
        resolution: Resolution,
    }
}

/// A file with tests that reach what changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestFile {
    pub path: String,
    /// The number of its tests that do.
    pub total: u64,
}

impl Impact {
    /// Says what changes, how far that reaches, and how risky it is.
    fn summary(&self) -> Line {
        let line = Line::from("impact of ");
        let line = match (&self.diff, self.changed.first()) {
            (Some(diff), _) => {
                let line = if diff == ImpactAnalysis::WORKING {
                    line.text("the changes in the working tree")
                } else {
                    line.name(diff)
                };
                line.text(" (")
                    .count(self.total_changed, "symbol")
                    .text(")")
            }
            (None, Some(symbol)) => line
                .text("changing ")
                .line(symbol.symbol().title_of_overloads(self.overloads)),
            (None, None) => line.text("changing nothing"),
        };
        let rating = match self.risk {
            Risk::Low => Rating::Good,
            Risk::Medium => Rating::Warning,
            Risk::High => Rating::Bad,
        };
        line.text(" in ")
            .name(&self.root_name)
            .text(": ")
            .rated(format!("risk {}", self.risk.as_str()), rating)
            .text("; ")
            .count(self.total_usages, "direct usage")
            .text(", ")
            .count(self.total_functions, "function")
            .text(" in ")
            .count(self.total_files, "file")
            .text(", ")
            .count(self.total_tests, "test")
    }

    /// Lists what a diff changes, and the parts of it that were not looked at.
    fn add_changes(&self, text: &mut Text) {
        text.heading(title("changed", self.changed.len(), self.total_changed));
        for symbol in &self.changed {
            symbol.add_to(text);
        }
        if self.total_other_files > 0 {
            let files = self.other_files.iter().map(|path| Line::new().path(path));
            let line = Line::from("and files without changed symbols: ");
            let line = line.line(Line::join(files, ", "));
            let more = self
                .total_other_files
                .saturating_sub(self.other_files.len() as u64);
            let line = match more {
                0 => line,
                more => line.text(" and ").number(more).text(" more"),
            };
            text.nested(1, line, "");
        }
        let warnings = self.not_followed().into_iter();
        for warning in warnings.chain(self.not_compared.reasons()) {
            text.nested(1, Line::new().rated(warning, Rating::Warning), "");
        }
    }

    /// Says that some symbols of a large diff were not followed, and what to do about it.
    fn not_followed(&self) -> Option<String> {
        let left = self.total_changed.saturating_sub(self.total_followed);
        (left > 0).then(|| {
            let (left, followed) = (count(left, "symbol"), grouped(self.total_followed));
            format!(
                "of these only {followed} were followed, and {left} not: ask about a smaller range, or about one symbol"
            )
        })
    }

    fn add_overrides(&self, text: &mut Text) {
        if self.total_overrides == 0 {
            return;
        }
        let shown = self.overrides.len();
        text.heading(title(
            "overridden or implemented by",
            shown,
            self.total_overrides,
        ));
        for one in &self.overrides {
            text.nested(1, one.symbol().list_item(), one.relation());
        }
        let symbol = self.changed.first().filter(|_| self.diff.is_none());
        if let Some(symbol) = symbol.filter(|_| self.total_overrides > shown as u64) {
            let call = all_overloads_call(FindImplementations::NAME, &symbol.symbol(), 0);
            let call = call.with("root", &self.root_name);
            text.nested(1, Line::from("all: ").call(call), "");
        }
    }

    /// Says that there are places of which only the name is known, and how to see them.
    fn name_only(&self) -> Option<Line> {
        let places = self.total_name_only;
        let line = (places > 0).then(|| Line::new().count(places, "more place"))?;
        let line = line.text(" matched by name alone: ");
        let symbol = self.changed.first().filter(|_| self.total_changed == 1);
        Some(match symbol {
            Some(symbol) => line.call(self.references(symbol)),
            None => line
                .call(NextCall::new(FindReferences::NAME))
                .text(" shows them"),
        })
    }

    /// Returns the call for all references to a symbol.
    fn references(&self, symbol: &ChangedSymbol) -> NextCall {
        all_overloads_call(FindReferences::NAME, &symbol.symbol(), self.overloads)
            .with("root", &self.root_name)
    }

    /// Returns the call for the items that were left out, or for all names of tests.
    fn next(&self, has_hidden_tests: bool) -> Option<Line> {
        if !self.truncated && !has_hidden_tests {
            return None;
        }
        let first = self.changed.first();
        let call = match (&self.diff, first) {
            (Some(diff), _) => NextCall::new(ImpactAnalysis::NAME).with("diff", diff),
            (None, symbol) => {
                all_overloads_call(ImpactAnalysis::NAME, &symbol?.symbol(), self.overloads)
            }
        };
        if self.max_tokens < MAX_TOKENS {
            let call = call
                .with_some("depth", (self.depth > 1).then_some(self.depth))
                .with_budget(MAX_TOKENS)
                .with("root", &self.root_name);
            let line = if self.truncated {
                "cut to fit; more: "
            } else {
                "more: "
            };
            return Some(Line::from(line).call(call));
        }
        // No budget is larger: offer all usages of one symbol instead.
        let line = Line::from("cut to fit; all usages of one symbol: ");
        Some(line.call(self.references(first?)))
    }

    fn lengths(&self) -> [usize; 8] {
        [
            self.changed.len(),
            self.areas.iter().map(|area| area.usages.len()).sum(),
            self.dependents.len(),
            self.tests.len(),
            self.files.len(),
            self.other_files.len(),
            self.overrides.len(),
            self.test_files.len(),
        ]
    }
}

/// Returns the heading of a list: `dependents (3)`, `dependents (3 of 7)`, `dependents: none`.
fn title(name: &str, shown: usize, total: u64) -> Line {
    let line = Line::from(name);
    match (shown as u64, total) {
        (_, 0) => line.text(": none"),
        (shown, total) if shown == total => line.text(" (").number(total).text(")"),
        (shown, total) => line
            .text(" (")
            .number(shown)
            .text(" of ")
            .number(total)
            .text(")"),
    }
}

impl ChangedSymbol {
    /// Adds the symbol and what happened to it, with its signature before and after if that differs.
    fn add_to(&self, text: &mut Text) {
        let change = match self.change {
            ChangeKind::Asked => "",
            change => change.as_str(),
        };
        let item = self.symbol().list_item();
        let Some(old) = &self.old_signature else {
            text.nested(1, item, change);
            return;
        };
        text.nested(1, item, format!("{change}, signature changed"));
        for (sign, written) in [("- ", old), ("+ ", &self.signature)] {
            text.nested(2, Line::from(sign).code(&signature(written)), "");
        }
    }
}

impl NotCompared {
    /// Says which files were not compared, and why.
    fn reasons(&self) -> Option<String> {
        let reasons = [
            (self.binary, "binary"),
            (self.large, "too large"),
            (self.unreadable, "not readable"),
            (self.unnamed, "with names that are not UTF-8"),
            (self.beyond, "beyond the limit of one diff"),
        ];
        let skipped: u64 = reasons.iter().map(|(files, _)| files).sum();
        let listed: Vec<_> = reasons
            .iter()
            .filter(|(files, _)| *files > 0)
            .map(|(files, why)| format!("{} {why}", grouped(*files)))
            .collect();
        let skipped = (skipped > 0).then(|| {
            let files = count(skipped, "file");
            format!("not compared: {files} ({})", listed.join(", "))
        });
        let without = (self.without_old_symbols > 0).then(|| {
            let files = count(self.without_old_symbols, "file");
            format!("removed symbols and old signatures were not looked for in {files}")
        });
        let all: Vec<_> = skipped.into_iter().chain(without).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

/// All lists are cut to the same length, so the longest loses items first.
impl Answer for Impact {
    fn items(&self) -> usize {
        self.lengths().iter().sum()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.items() {
            return;
        }
        let kept = shares(items, &self.lengths());
        self.changed.truncate(kept[0]);
        let areas: Vec<_> = self.areas.iter().map(|area| area.usages.len()).collect();
        for (area, kept) in self.areas.iter_mut().zip(shares(kept[1], &areas)) {
            area.usages.truncate(kept);
        }
        self.dependents.truncate(kept[2]);
        self.tests.truncate(kept[3]);
        self.files.truncate(kept[4]);
        self.other_files.truncate(kept[5]);
        self.overrides.truncate(kept[6]);
        self.test_files.truncate(kept[7]);
        self.truncated = true;
    }

    fn shorten(&mut self) -> bool {
        let areas = self.areas.len();
        self.areas.truncate(5);
        let reasons = self.risk_reasons.len();
        self.risk_reasons.truncate(3);
        let had_together = !std::mem::take(&mut self.together).is_empty();
        had_together || self.areas.len() < areas || self.risk_reasons.len() < reasons
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        if !self.risk_reasons.is_empty() {
            let reasons = one_line(&self.risk_reasons.join("; "));
            text.note(format!("because {reasons}"));
        }
        if self.diff.is_some() {
            self.add_changes(&mut text);
        }
        self.add_overrides(&mut text);
        let shown = self.areas.iter().map(|area| area.usages.len()).sum();
        text.heading(title("direct usages", shown, self.total_usages));
        for area in &self.areas {
            by_file::add_usages(area, &mut text);
        }
        if let Some(line) = self.name_only() {
            text.nested(1, line, "");
        }
        if let Some(accounting) = self.accounting.as_ref().filter(|one| one.total > 0) {
            text.nested(1, accounting.line(), "");
        }
        let dependents = self.dependents.len();
        text.heading(title("dependents", dependents, self.total_dependents));
        if self.is_least {
            text.nested(1, "and more, which were not counted", "");
        }
        by_file::add_dependents(&self.dependents, &mut text);
        let has_hidden_tests = by_file::add_tests(self, &mut text);
        text.heading(title("files affected", self.files.len(), self.total_files));
        by_file::add_files(&self.files, &mut text);
        add_co_changed(&mut text, &self.together);
        text.next(self.next(has_hidden_tests));
        text
    }

    one_root!();
}
