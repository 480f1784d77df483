//! `undo`: takes back the last change that a tool made to the files of a root.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Availability, CommandInfo, Effect, Replay, Tool, ToolInfo, Toolset, common_params, schema_of,
};
use crate::answer::diff::{FileEdits, add_diff, credentials, hunk_count, keep_hunks};
use crate::answer::freshness::Freshness;
use crate::answer::{Answer, Format};
use crate::error::ToolError;
use crate::text::{Line, Text, moment};

const EXAMPLES: &str = "\
Examples:
  claudevil undo              take back the last rename, edit or rewrite
  claudevil undo --dry-run    show what that would change

It is refused if a file has changed since. Changes can be taken back for a day.";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Undo {
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            num_args = 0,
            default_missing_value = "true",
            help = "Only show what would change"
        )
    )]
    pub dry_run: Option<bool>,
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR|NAME", help = crate::check::ROOT_HELP))]
    pub root: Option<String>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

impl Undo {
    pub fn dry_run(&self) -> bool {
        self.dry_run.unwrap_or(false)
    }
}

impl Tool for Undo {
    type Answer = UndoReport;

    const INFO: ToolInfo = ToolInfo {
        name: "undo",
        title: "Undo",
        description: "To take back the last change of these tools.",
        toolset: Toolset::Change,
        availability: Availability::OnRequest,
        replaces_reading: false,
        long_answers: false,
        effect: Effect::Edits,
        deadline: Duration::from_secs(120),
        command: CommandInfo {
            verb: "undo",
            alias: None,
            about: "Take back the last rename, edit or rewrite",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        Ok(())
    }

    fn replay(&self) -> Replay {
        Replay::for_edit(self.dry_run())
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UndoReport {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    /// Has a note if another program edited a file meanwhile.
    pub freshness: Freshness,
    /// The tool that made the change.
    pub tool: String,
    /// The time of the change, in milliseconds since 1970.
    pub made: i64,
    /// The files were restored; false for a dry run.
    pub applied: bool,
    /// By path.
    pub files: Vec<FileEdits>,
    pub total_files: u64,
    pub truncated: bool,
}

impl Answer for UndoReport {
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
        let summary = Line::from("undo ")
            .name(&self.tool)
            .text(format!(" of {} in ", moment::minute(self.made)))
            .name(&self.root_name)
            .text(": ")
            .count(self.total_files, "file")
            .text(if self.applied {
                " restored"
            } else {
                "; a dry run, nothing changed yet"
            });
        let mut text = Text::new(summary);
        text.warnings(self.freshness.warnings());
        text.warnings(credentials(&self.files));
        add_diff(&mut text, &self.files, self.truncated);
        text
    }

    fn root(&self) -> Option<&str> {
        Some(&self.root)
    }
}
