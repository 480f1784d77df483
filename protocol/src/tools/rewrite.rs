//! `rewrite`: other code for every match of a pattern, in all files or in none.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::search_structure::SearchStructure;
use super::{CommandInfo, Effect, Replay, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::diff::{FileEdits, credentials, keep_hunks};
use crate::answer::freshness::Freshness;
use crate::answer::{Answer, Format};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::{Line, Text};

const EXAMPLES: &str = "\
Examples:
  claudevil rewrite '$X.unwrap()' '$X?' --language rust    show what would change
  claudevil rewrite 'assert($A == $B)' 'assertEqual($A, $B)' --path 'tests/**' --apply";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("required" = ["pattern", "replacement"]))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Rewrite {
    #[cfg_attr(
        feature = "cli",
        arg(
            required = true,
            help = "Code with holes: $X is any node, $$$X any number of them"
        )
    )]
    pub pattern: String,
    #[cfg_attr(
        feature = "cli",
        arg(
            required = true,
            help = "Code for each match, with the holes of the pattern"
        )
    )]
    pub replacement: String,
    #[cfg_attr(
        feature = "cli",
        arg(
            short,
            long,
            value_name = "NAME",
            help = "Language of the pattern [default: all that it parses in]"
        )
    )]
    pub language: Option<String>,
    /// Glob.
    #[cfg_attr(
        feature = "cli",
        arg(short, long, value_name = "GLOB", help = "Only files that match")
    )]
    pub path: Option<String>,
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "PATTERN",
            help = "Pattern of code that must be around a match"
        )
    )]
    pub inside: Option<String>,
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "PATTERN",
            help = "Pattern of code that must not be around a match"
        )
    )]
    pub not_inside: Option<String>,
    /// Default 100.
    #[schemars(range(min = 1, max = 1000))]
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "1-1000",
            help = "Most files that may change [default: 100]"
        )
    )]
    pub max_files: Option<u32>,
    /// Default true.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub dry_run: Option<bool>,
    #[cfg_attr(
        feature = "cli",
        arg(long, help = "Preview to apply: refused if a file has changed since")
    )]
    pub preview: Option<String>,
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
    pub apply: Option<bool>,
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR|NAME", help = crate::check::ROOT_HELP))]
    pub root: Option<String>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
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
        description: "To replace every match of a search_structure pattern. Shows the diff; `dry_run` false applies it.",
        toolset: Toolset::Change,
        core: false,
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

    fn check(&self) -> Result<(), ToolError> {
        check_length(
            "pattern",
            Some(&self.pattern),
            SearchStructure::LONGEST_PATTERN,
        )?;
        for (name, pattern) in [("inside", &self.inside), ("not_inside", &self.not_inside)] {
            check_length(name, pattern.as_deref(), SearchStructure::LONGEST_PATTERN)?;
        }
        if self.replacement.len() > SearchStructure::LONGEST_PATTERN {
            return Err(ToolError::invalid_argument("`replacement` is too long"));
        }
        check_length("path", self.path.as_deref(), 500)?;
        check_length("language", self.language.as_deref(), 50)?;
        check_length("preview", self.preview.as_deref(), 64)?;
        check_range("max_files", self.max_files, 1..=1000)
    }

    fn replay(&self) -> Replay {
        if self.dry_run() {
            Replay::Safe
        } else {
            Replay::Never
        }
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
    pub truncated: bool,
}

impl Answer for RewriteReport {
    fn items(&self) -> usize {
        self.files.iter().map(|file| file.hunks.len()).sum()
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
        text.warnings(credentials(&self.files));
        if self.left_alone > 0 {
            let line = Line::new().count(self.left_alone, "match");
            text.warning(line.text(" left alone: something like a credential is in it"));
        }
        text.diff(self.files.iter().flat_map(FileEdits::diff).collect());
        if self.truncated {
            text.note("the diff is cut to fit the budget");
        }
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

    fn root(&self) -> Option<&str> {
        Some(&self.root)
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}
