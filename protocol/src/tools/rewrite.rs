//! `rewrite`: replaces every match of a code pattern, in all files or in none.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::search_structure::{LONGEST_PATTERN, pattern_params};
use super::{
    Availability, CommandInfo, Effect, Replay, Tool, ToolInfo, Toolset, common_params, schema_of,
};
use crate::answer::diff::{FileEdits, add_diff, credentials, hunk_count, keep_hunks};
use crate::answer::freshness::Freshness;
use crate::answer::index_summary::SkipCount;
use crate::answer::symbol::words;
use crate::answer::{Answer, one_root};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::{Line, Text};

const EXAMPLES: &str = "\
Examples:
  claudevil rewrite '$X.unwrap()' '$X?' --language rust    show what would change
  claudevil rewrite 'assert($A == $B)' 'assertEqual($A, $B)' --path 'tests/**' --apply";

pattern_params! {
    #[schemars(extend("required" = ["pattern", "replacement"]))]
    Rewrite, pattern,
    {
        #[cfg_attr(
            feature = "cli",
            arg(
                required = true,
                allow_hyphen_values = true,
                help = "Code to put in place of each match, with the holes of the pattern"
            )
        )]
        replacement: String,
    }
    {
        /// Default 100.
        #[schemars(range(min = 1, max = 1000))]
        #[cfg_attr(
            feature = "cli",
            arg(
                long,
                value_name = "1-1000",
                help = "Maximum number of files to change [default: 100]"
            )
        )]
        max_files: Option<u32>,
        /// Default true.
        #[cfg_attr(feature = "cli", arg(
            long, hide = true, num_args = 0, default_missing_value = "true", conflicts_with = "no_dry_run",
            help = "Show what would change, as without `--apply`"
        ))]
        dry_run: Option<bool>,
        #[cfg_attr(
            feature = "cli",
            arg(long, help = "Preview to apply: refused if the same call would now change something else")
        )]
        preview: Option<String>,
        // An option of the command line alone.
        #[serde(skip)]
        #[cfg_attr(
            feature = "cli",
            arg(
                id = "no_dry_run",
                long = "apply",
                num_args = 0,
                default_missing_value = "true",
                help = "Change the files, all of them or none"
            )
        )]
        apply: Option<bool>,
    }
}

impl Rewrite {
    const DEFAULT_FILES: u32 = 100;

    /// Returns true unless the change is to be applied.
    pub fn dry_run(&self) -> bool {
        self.dry_run.unwrap_or(true)
    }

    pub fn max_files(&self) -> u32 {
        self.max_files.unwrap_or(Self::DEFAULT_FILES)
    }
}

impl Tool for Rewrite {
    type Answer = RewriteReport;

    const INFO: ToolInfo = ToolInfo {
        name: "rewrite",
        title: "Rewrite",
        description: "To replace every match of a search_structure pattern; `dry_run` false applies it.",
        toolset: Toolset::Change,
        availability: Availability::OnRequest,
        replaces_reading: false,
        long_answers: false,
        effect: Effect::Edits,
        deadline: Duration::from_secs(120),
        command: CommandInfo {
            verb: "rewrite",
            alias: None,
            about: "Replace every match of a pattern of code",
            examples: EXAMPLES,
            fails_when_empty: true,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn glob_mut(&mut self) -> Option<&mut String> {
        self.path.as_mut()
    }

    fn check(&self) -> Result<(), ToolError> {
        self.check_pattern()?;
        if self.replacement.len() > LONGEST_PATTERN {
            return Err(ToolError::invalid_argument("`replacement` is too long"));
        }
        check_length("preview", self.preview.as_deref(), 64)?;
        check_range("max_files", self.max_files, 1..=1000)
    }

    fn replay(&self) -> Replay {
        Replay::for_edit(self.dry_run())
    }

    fn read_command_line(&mut self, _: &dyn Fn(&str) -> String) {
        self.dry_run = Some(self.apply.is_none());
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RewriteReport {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    pub pattern: String,
    pub replacement: String,
    /// Names the state of the files that the diff is for.
    pub preview: String,
    /// The files were changed; false for a dry run.
    pub applied: bool,
    /// By path.
    pub files: Vec<FileEdits>,
    pub total_files: u64,
    /// Matches that change, in all files.
    pub total_edits: u64,
    /// Matches that are left as they are because they hold something like a credential.
    pub left_alone: u64,
    /// Matches that are left as they are because a rewrite would lose or change code: the first ones.
    pub not_rewritten: Vec<KeptMatch>,
    pub total_not_rewritten: u64,
    /// Matches inside those that change, still there afterwards.
    pub nested: u64,
    /// Files in the languages of the pattern that are not indexed, so not searched.
    pub skipped: Vec<SkipCount>,
    pub truncated: bool,
}

/// A match that stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeptMatch {
    pub path: String,
    pub line: u32,
    pub reason: KeptReason,
}

words! {
    /// The reason why a match stays as it is.
    KeptReason {
        /// The match has words or signs that the pattern does not have: `async` before `def $F()`.
        MoreThanPattern = "more_than_pattern",
        /// A comment in it would be lost.
        Comment = "comment",
        /// The new code would be read as something else: `1 + c ** 2` for `h(1, c) ** 2`.
        ReadDifferently = "read_differently",
    }
}

impl KeptReason {
    fn explanation(self) -> &'static str {
        match self {
            Self::MoreThanPattern => "words or signs that the pattern does not have would be lost",
            Self::Comment => "a comment would be lost",
            Self::ReadDifferently => {
                "the code would not be read as written, because of operators, indentation or line ends around it"
            }
        }
    }
}

impl RewriteReport {
    /// The most matches in `not_rewritten`.
    pub const MOST_KEPT: usize = 20;

    fn not_rewritten(&self) -> Option<Line> {
        let line = Line::new().count(self.total_not_rewritten, "match");
        let reasons = KeptReason::ALL.iter().filter_map(|reason| {
            let kept = self
                .not_rewritten
                .iter()
                .filter(|kept| kept.reason == *reason);
            let places = kept.map(|kept| Line::new().location(&kept.path, kept.line, kept.line));
            let places = Line::join(places, ", ");
            (!places.is_empty()).then(|| {
                Line::from(reason.explanation())
                    .text(" (")
                    .line(places)
                    .text(")")
            })
        });
        let line = line
            .text(" not rewritten: ")
            .line(Line::join(reasons, "; "));
        let shown = self.not_rewritten.len() as u64;
        let line = match self.total_not_rewritten.checked_sub(shown) {
            Some(more @ 1..) => line.text(" and ").number(more).text(" more"),
            _ => line,
        };
        (self.total_not_rewritten > 0).then_some(line)
    }
}

impl Answer for RewriteReport {
    fn items(&self) -> usize {
        hunk_count(&self.files)
    }

    fn keep(&mut self, items: usize) {
        if items < self.items() {
            keep_hunks(&mut self.files, items);
            self.truncated = true;
        }
    }

    fn text(&self) -> Text {
        let summary = Line::from("rewrite ")
            .code(&self.pattern)
            .text(" to ")
            .code(&self.replacement)
            .text(" in ")
            .name(&self.root_name)
            .text(": ")
            .count(self.total_edits, "edit")
            .text(" in ")
            .count(self.total_files, "file")
            .text(match (self.applied, self.total_edits) {
                (true, _) => "; applied",
                (false, 0) => "",
                (false, _) => "; a dry run, nothing changed yet",
            });
        let mut text = Text::new(summary);
        text.warnings(self.freshness.warnings());
        text.warnings(SkipCount::not_searched(&self.skipped));
        text.warnings(credentials(&self.files));
        if self.left_alone > 0 {
            let line = Line::new().count(self.left_alone, "match");
            text.warning(line.text(" left alone: something like a credential is in it"));
        }
        text.warnings(self.not_rewritten());
        if self.nested > 0 {
            let line = Line::new().count(self.nested, "match");
            text.warning(line.text(if self.applied {
                " inside rewritten ones left: run it again"
            } else {
                " inside rewritten ones left: run it again after this one is applied"
            }));
        }
        add_diff(&mut text, &self.files, self.truncated);
        if !self.applied && self.total_edits > 0 {
            text.next(Line::from("to apply: the same with ").either(
                &format!(r#""dry_run": false, "preview": "{}""#, self.preview),
                &format!("--apply --preview {}", self.preview),
            ));
        }
        text
    }

    fn is_empty(&self) -> bool {
        self.total_edits == 0
    }

    one_root!();
}
