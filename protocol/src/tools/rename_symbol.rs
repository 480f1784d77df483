//! `rename_symbol`: renames a symbol, in all files or in none.

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Availability, CommandInfo, Effect, Replay, Tool, ToolInfo, Toolset, common_params, schema_of,
};
use crate::answer::accounting::Accounting;
use crate::answer::diff::{FileEdits, credentials, hunk_count, keep_hunks};
use crate::answer::freshness::Freshness;
use crate::answer::graph::text::same_symbol_call;
use crate::answer::graph::{SymbolInfo, SymbolQuery, shares, symbol_params};
use crate::answer::{Answer, one_root};
use crate::check::check_length;
use crate::error::ToolError;
use crate::text::tokens::MAX_TOKENS;
use crate::text::{INDENT, Line, NextCall, Text, one_line};

const LONGEST_PREVIEW: usize = 64;

const EXAMPLES: &str = "\
Examples:
  claudevil rename Engine::run start            show what would change
  claudevil rename Engine::run start --apply    change all files, or none; asks about doubtful places
  claudevil rename run start > rename.patch     the diff for later";

symbol_params! {
    #[schemars(extend("required" = ["new_name"]))]
    RenameSymbol {
        #[cfg_attr(feature = "cli", arg(required = true, help = "New name, without its containers"))]
        new_name: String,
        /// Default true.
        #[cfg_attr(feature = "cli", arg(
            long, hide = true, num_args = 0, default_missing_value = "true", conflicts_with = "no_dry_run",
            help = "Show what would change, as without `--apply`"
        ))]
        dry_run: bool,
        /// Unset, doubtful places stop an apply.
        #[cfg_attr(feature = "cli", arg(
            long, num_args = 0, default_missing_value = "true", help = "Change doubtful places too"
        ))]
        include_low_confidence: bool,
        /// Doubtful places, by number.
        #[cfg_attr(feature = "cli", arg(
            long, value_name = "NUMBERS", value_delimiter = ',', requires = "preview",
            help = "Change these doubtful places of a preview, and leave the others"
        ))]
        include: Vec<u32>,
        #[cfg_attr(feature = "cli", arg(
            long, value_name = "NUMBERS", value_delimiter = ',', requires = "preview",
            help = "Leave these doubtful places of a preview, and change the others"
        ))]
        exclude: Vec<u32>,
        #[cfg_attr(feature = "cli", arg(long, help = "Preview that the numbers are from"))]
        preview: String,
        // Options of the command line alone, for parameters that are false.
        #[serde(skip)]
        #[cfg_attr(feature = "cli", arg(
            id = "no_dry_run", long = "apply", num_args = 0, default_missing_value = "true",
            help = "Change the files, all of them or none"
        ))]
        apply: bool,
        #[serde(skip)]
        #[cfg_attr(feature = "cli", arg(
            id = "no_include_low_confidence", long = "leave-doubtful", num_args = 0, default_missing_value = "true",
            conflicts_with = "include_low_confidence",
            help = "Leave doubtful places as they are, and change the rest"
        ))]
        leave_doubtful: bool,
    }
}

impl RenameSymbol {
    /// Returns true unless the change is to be applied.
    pub fn dry_run(&self) -> bool {
        self.dry_run.unwrap_or(true)
    }

    /// Returns whether a doubtful place is to change; None without a decision.
    pub fn decision(&self, number: u32) -> Option<bool> {
        let has = |numbers: &Option<Vec<u32>>| numbers.as_ref().map(|all| all.contains(&number));
        match (has(&self.include), has(&self.exclude)) {
            (Some(true), _) => Some(true),
            (_, Some(true)) => Some(false),
            _ if self.include_low_confidence.is_some() => self.include_low_confidence,
            (Some(false), None) => Some(false),
            (None, Some(false)) => Some(true),
            (None, None) | (Some(false), Some(false)) => None,
        }
    }

    /// Returns the numbers in `include` and `exclude`.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        let given = [&self.include, &self.exclude].into_iter().flatten();
        given.flatten().copied()
    }

    /// Returns the new name; empty when it is missing, which `validate` refuses.
    pub fn new_name(&self) -> &str {
        self.new_name.as_deref().unwrap_or_default()
    }
}

impl Tool for RenameSymbol {
    type Answer = Renaming;

    const INFO: ToolInfo = ToolInfo {
        name: "rename_symbol",
        title: "Rename symbol",
        description: "To rename a symbol in all files or none. Shows the diff; `dry_run` false applies it.",
        toolset: Toolset::Change,
        availability: Availability::OnRequest,
        replaces_reading: false,
        long_answers: false,
        effect: Effect::Edits,
        deadline: Duration::from_secs(120),
        command: CommandInfo {
            verb: "rename",
            alias: Some("rename-symbol"),
            about: "Rename a symbol in all files, or none",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        self.symbol_query().check()?;
        if self.new_name.is_none() {
            return Err(ToolError::invalid_argument("`new_name` is missing"));
        }
        check_length(
            "new_name",
            self.new_name.as_deref(),
            SymbolQuery::LONGEST_NAME,
        )?;
        // Each language has its own rules for names, but none allows these characters.
        let is_unfit = |letter: char| {
            letter.is_whitespace() || letter.is_control() || "\"`(){}[],;/\\".contains(letter)
        };
        if self.new_name().contains(is_unfit) {
            let message = format!(
                "new_name is `{}`; expected one plain name, without its containers",
                self.new_name()
            );
            return Err(ToolError::invalid_argument(message));
        }
        check_length("preview", self.preview.as_deref(), LONGEST_PREVIEW)?;
        let has_numbers = self.include.is_some() || self.exclude.is_some();
        if has_numbers && self.preview.is_none() {
            let message = "`preview` is missing: `include` and `exclude` number the places of one";
            return Err(ToolError::invalid_argument(message));
        }
        let mut given = HashSet::new();
        if let Some(twice) = self.numbers().find(|number| !given.insert(*number)) {
            return Err(ToolError::invalid_argument(format!(
                "place {twice} is given twice"
            )));
        }
        Ok(())
    }

    fn replay(&self) -> Replay {
        Replay::for_edit(self.dry_run())
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        self.read_symbol(locate);
        self.dry_run = Some(self.apply.is_none());
        if self.leave_doubtful.is_some() {
            self.include_low_confidence = Some(false);
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Renaming {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    /// As it was before.
    pub symbol: SymbolInfo,
    pub new_name: String,
    /// The caller's decisions about doubtful places.
    pub include_low_confidence: Option<bool>,
    pub include: Option<Vec<u32>>,
    pub exclude: Option<Vec<u32>>,
    /// Names the state of the files for which the numbers of doubtful places hold.
    pub preview: String,
    /// The files were changed; false for a dry run.
    pub applied: bool,
    /// By path.
    pub files: Vec<FileEdits>,
    pub total_files: u64,
    /// Places that change, in all files.
    pub total_edits: u64,
    /// Places with the name that do not change: those that may mean the symbol first, then words in comments, strings and
    /// prose.
    pub left_out: Vec<LeftOut>,
    pub total_left_out: u64,
    /// Doubtful places, which may mean the symbol.
    pub total_doubtful: u64,
    /// Undecided places, which stop an apply.
    pub total_undecided: u64,
    /// Every occurrence of the name.
    pub accounting: Option<Accounting>,
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    pub path: String,
    pub line: u32,
    pub column: u32,
    /// 0 to 1, with two decimals.
    pub confidence: f64,
    pub reason: String,
    /// The line itself.
    pub text: String,
    /// It may mean the symbol: an apply is refused until the place is included or excluded.
    pub is_doubtful: bool,
    /// The number of a doubtful place, for `include` and `exclude`.
    pub number: Option<u32>,
}

impl Renaming {
    /// Says what changes, and whether it has.
    fn summary(&self) -> Line {
        Line::from("rename ")
            .line(self.symbol.title_and_location())
            .text(" to ")
            .name(&self.new_name)
            .text(" in ")
            .name(&self.root_name)
            .text(": ")
            .count(self.total_edits, "edit")
            .text(" in ")
            .count(self.total_files, "file")
            .text(if self.applied {
                "; applied"
            } else {
                "; a dry run, nothing changed yet"
            })
    }

    /// Lists the places that do not change but may mean the symbol.
    fn doubtful(&self) -> Vec<Line> {
        if self.total_doubtful == 0 {
            return vec![];
        }
        let heading = Line::from("left as they are")
            .text(if self.total_undecided > 0 {
                ", which stops an apply: "
            } else {
                ": "
            })
            .count(self.total_doubtful, "doubtful place");
        self.list_left_out(heading, self.total_doubtful, |place| place.is_doubtful)
    }

    /// Lists the words in comments, strings and prose that do not change.
    fn words(&self) -> Vec<Line> {
        let total = self.total_left_out.saturating_sub(self.total_doubtful);
        if total == 0 {
            return vec![];
        }
        let heading = Line::from("left as they are: ")
            .count(total, "word")
            .text(" in comments, strings and prose");
        self.list_left_out(heading, total, |place| !place.is_doubtful)
    }

    fn list_left_out(
        &self,
        heading: Line,
        total: u64,
        is_listed: impl Fn(&LeftOut) -> bool,
    ) -> Vec<Line> {
        let places: Vec<_> = self
            .left_out
            .iter()
            .filter(|place| is_listed(place))
            .collect();
        let shown = places.len() as u64;
        let heading = if shown == total {
            heading
        } else {
            heading.text("; ").number(shown).text(" shown")
        };
        let places = places.into_iter().flat_map(LeftOut::lines_below);
        std::iter::once(heading).chain(places).collect()
    }

    fn next(&self) -> Option<Line> {
        if self.applied {
            return None;
        }
        let call =
            same_symbol_call(RenameSymbol::NAME, &self.symbol).with("new_name", &self.new_name);
        if self.truncated && self.max_tokens < MAX_TOKENS {
            let call = self
                .with_decisions(call, self.include_low_confidence)
                .with_budget(MAX_TOKENS)
                .with("root", &self.root_name);
            return Some(Line::from("cut to fit; the whole diff: ").call(call));
        }
        let is_undecided = self.total_undecided > 0;
        let line = if is_undecided {
            Line::from("to apply, and change doubtful places too (")
                .either("false leaves them", "--leave-doubtful leaves them")
                .words("; to choose some, give their numbers as `include`, and `preview` ")
                .code(&self.preview)
                .text("): ")
        } else {
            "to apply: ".into()
        };
        let decision = self.include_low_confidence.or(is_undecided.then_some(true));
        let call = self
            .with_decisions(call, decision)
            .with("dry_run", false)
            .with("root", &self.root_name);
        Some(line.call(call))
    }

    /// Adds the decisions about doubtful places to a call.
    fn with_decisions(&self, call: NextCall, include_low_confidence: Option<bool>) -> NextCall {
        let has_numbers = self.include.is_some() || self.exclude.is_some();
        call.with_some("include_low_confidence", include_low_confidence)
            .with_some("include", self.include.as_deref())
            .with_some("exclude", self.exclude.as_deref())
            .with_some("preview", has_numbers.then_some(&self.preview))
    }
}

impl LeftOut {
    /// Returns e.g. `README.md:7  0.35 in prose`, to be shown below a heading. A doubtful place has its number in front and its
    /// source line below.
    fn lines_below(&self) -> Vec<Line> {
        let number = self.number.map(|number| format!("{number}  "));
        let place = Line::from(INDENT)
            .text(number.unwrap_or_default())
            .location(&self.path, self.line, self.line)
            .text(format!(
                "  {:.2} {}",
                self.confidence,
                one_line(&self.reason)
            ));
        let source = self.number.map(|_| Line::from("      ").code(&self.text));
        std::iter::once(place).chain(source).collect()
    }
}

impl Answer for Renaming {
    fn items(&self) -> usize {
        hunk_count(&self.files) + self.left_out.len()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.items() {
            return;
        }
        let kept = shares(items, &[hunk_count(&self.files), self.left_out.len()]);
        keep_hunks(&mut self.files, kept[0]);
        self.left_out.truncate(kept[1]);
        self.truncated = true;
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        text.warnings(credentials(&self.files));
        text.diff(self.files.iter().flat_map(FileEdits::diff).collect());
        text.warnings(self.doubtful());
        for line in self.words() {
            text.note(line);
        }
        if let Some(accounting) = self.accounting.as_ref().filter(|one| one.total > 0) {
            text.note(accounting.line());
        }
        text.next(self.next());
        text
    }

    one_root!();
}
