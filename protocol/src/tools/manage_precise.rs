//! `manage_precise`: the indexes by which compilers resolve names of a project.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::manage_roots::is_root_name;
use super::{
    Availability, CommandInfo, Effect, Replay, Tool, ToolInfo, Toolset, common_params, schema_of,
};
use crate::answer::index_summary::LanguageCoverage;
use crate::answer::{Answer, Format};
use crate::check::check_length;
use crate::error::ToolError;
use crate::text::{Line, NextCall, Text};

const EXAMPLES: &str = "\
Examples:
  scip-typescript index                     make an index of a TypeScript project
  claudevil precise add index.scip          resolve its names as the compiler does
  claudevil precise add rust.scip -n rust   a second one beside it
  claudevil precise status                  how much of the project they describe
  claudevil precise remove rust             back to resolving names without it

A file that changes is resolved without the index until it is made and added again. An index.scip in the project's
folder is added by itself.";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ManagePrecise {
    #[cfg_attr(feature = "cli", arg(skip))]
    pub action: PreciseAction,
    /// To add: an absolute path.
    #[cfg_attr(
        feature = "cli",
        arg(required = true, help = "SCIP index that an indexer wrote")
    )]
    pub file: Option<String>,
    #[cfg_attr(
        feature = "cli",
        arg(short, long, help = "Name of the index [default: the file's]")
    )]
    pub name: Option<String>,
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR|NAME", help = super::ROOT_HELP))]
    pub root: Option<String>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PreciseAction {
    #[default]
    List,
    Add,
    Remove,
    Status,
}

impl Tool for ManagePrecise {
    type Answer = PreciseIndexes;

    const INFO: ToolInfo = ToolInfo {
        name: "manage_precise",
        title: "Manage precise indexes",
        description: "For references as exact as a compiler's: SCIP indexes of a project.",
        toolset: Toolset::Index,
        availability: Availability::OnRequest,
        replaces_reading: false,
        long_answers: false,
        effect: Effect::Manages,
        deadline: Duration::from_secs(600),
        command: CommandInfo {
            verb: "precise",
            alias: None,
            about: "Add indexes made by compilers (SCIP)",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("file", self.file.as_deref(), 4096)?;
        if let Some(name) = &self.name
            && !is_root_name(name)
        {
            return Err(ToolError::invalid_argument(format!(
                "name `{name}` is not 1 to 64 letters, digits, `-` or `_`"
            )));
        }
        match (self.action, &self.file, &self.name) {
            (PreciseAction::Add, None, _) => Err(ToolError::invalid_argument(
                "add needs `file`, the SCIP index",
            )),
            (PreciseAction::Remove, _, None) => Err(ToolError::invalid_argument(
                "remove needs `name`, the index to remove",
            )),
            _ => Ok(()),
        }
    }

    fn replay(&self) -> Replay {
        match self.action {
            PreciseAction::List | PreciseAction::Status => Replay::Safe,
            PreciseAction::Add | PreciseAction::Remove => Replay::Never,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PreciseIndexes {
    pub root: String,
    pub root_name: String,
    pub action: PreciseAction,
    /// The index that was added or removed.
    pub subject: Option<PreciseIndexInfo>,
    pub total: u64,
    pub indexes: Vec<PreciseIndexInfo>,
    /// The files of each language that an index describes as they are now; for `status`.
    pub coverage: Vec<LanguageCoverage>,
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PreciseIndexInfo {
    pub name: String,
    /// The indexer and its version.
    pub tool: String,
    pub source: String,
    /// Milliseconds since 1970.
    pub added: i64,
    /// Files in the SCIP index.
    pub documents: u64,
    /// Those that are as they were when the index was made.
    pub current: u64,
    /// Those that the project does not index.
    pub not_indexed: u64,
    /// Names with a definition.
    pub occurrences: u64,
}

impl PreciseIndexInfo {
    /// Returns the number of files that have changed since the index was made.
    pub fn changed(&self) -> u64 {
        self.documents
            .saturating_sub(self.current + self.not_indexed)
    }

    fn line(&self) -> Line {
        let mut line = Line::new().name(&self.name).text("  ").code(&self.tool);
        line = line
            .text("  ")
            .number(self.current)
            .text(" of ")
            .count(self.documents, "file")
            .text(", ")
            .count(self.occurrences, "name");
        if self.changed() > 0 {
            line = line
                .text("; ")
                .number(self.changed())
                .text(" changed after it was made");
        }
        if self.not_indexed > 0 {
            line = line
                .text("; ")
                .number(self.not_indexed)
                .text(" not in the project's index");
        }
        line
    }
}

impl PreciseIndexes {
    fn summary(&self) -> Line {
        if self.total == 0 {
            let call = NextCall::new(ManagePrecise::NAME)
                .with("action", "add")
                .with("file", "/path/to/index.scip");
            return Line::from("no precise indexes: names are resolved from the source alone; ")
                .call(call);
        }
        Line::new().count(self.total, "precise index")
    }
}

impl Answer for PreciseIndexes {
    fn items(&self) -> usize {
        self.indexes.len()
    }

    fn keep(&mut self, items: usize) {
        if items < self.indexes.len() {
            self.indexes.truncate(items);
            self.truncated = true;
        }
    }

    fn text(&self) -> Text {
        if let Some(subject) = &self.subject {
            return Text::with_outcome(match self.action {
                PreciseAction::Remove => Line::from("removed ")
                    .name(&subject.name)
                    .text("; its file is untouched"),
                _ => Line::from("added ").line(subject.line()),
            });
        }
        let mut text = Text::new(self.summary());
        for index in &self.indexes {
            text.item(index.line());
        }
        for one in &self.coverage {
            text.item(one.line());
        }
        text
    }
}
