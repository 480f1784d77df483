//! `plan`: working plans of a root, of which at most one is active.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Replay, Tool, ToolInfo, Toolset, common_params, schema_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::note::{SkippedNote, check_line, halve};
use crate::answer::{Answer, Format};
use crate::check::check_length;
use crate::error::ToolError;
use crate::text::Text;

const EXAMPLES: &str = "\
Examples:
  claudevil plan                                      the active plan
  claudevil plan list                                 all of them
  claudevil plan save 'New lexer' < plan.md           keep one, or give it another text
  claudevil plan activate 'New lexer'                 work on this one; no other is active then
  claudevil plan complete                             the active one is done

Plans are Markdown files in .claudevil/memories/plans/ of the project: edit them as you like. What a save \
replaces is kept in the folder earlier beside them.";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Plan {
    #[cfg_attr(feature = "cli", arg(long))]
    pub action: PlanAction,
    /// show and complete: the active one without it.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub title: Option<String>,
    /// To save; Markdown.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub text: Option<String>,
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub root: Option<String>,
    /// Default 4000.
    #[serde(default)]
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "cli",
    derive(clap::ValueEnum),
    value(rename_all = "snake_case")
)]
pub enum PlanAction {
    Save,
    #[default]
    Show,
    List,
    Activate,
    Complete,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    Active,
    #[default]
    Open,
    Completed,
}

impl PlanStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Open => "open",
            Self::Completed => "completed",
        }
    }
}

impl Plan {
    pub const LONGEST_TITLE: usize = 120;
    pub const LONGEST_TEXT: usize = 50_000;

    /// Whether making the call twice is as good as once.
    pub fn is_repeatable(&self) -> bool {
        // Without a title another plan may be the active one by then.
        self.action != PlanAction::Complete || self.title.is_some()
    }
}

impl Tool for Plan {
    type Answer = Plans;

    const INFO: ToolInfo = ToolInfo {
        name: "plan",
        title: "Plan",
        description: "Working plans that last; at most one is active.",
        toolset: Toolset::Memory,
        core: false,
        effect: Effect::Keeps,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "plan",
            alias: None,
            about: "Keep, show and finish working plans",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length(
            "title",
            self.title.as_deref().map(str::trim),
            Self::LONGEST_TITLE,
        )?;
        check_line("title", self.title.as_deref().unwrap_or_default())?;
        check_length(
            "text",
            self.text.as_deref().map(str::trim),
            Self::LONGEST_TEXT,
        )?;
        let missing = match self.action {
            PlanAction::Save | PlanAction::Activate if self.title.is_none() => "title",
            PlanAction::Save if self.text.is_none() => "text",
            _ => return Ok(()),
        };
        Err(
            ToolError::invalid_argument(format!("`{missing}` is missing")).with_hint(
                "save takes `title` and `text`, activate `title`; list shows the titles there are",
            ),
        )
    }

    fn replay(&self) -> Replay {
        if self.is_repeatable() {
            Replay::Safe
        } else {
            Replay::Never
        }
    }
}

/// What became of the plans.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plans {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub action: PlanAction,
    pub outcome: PlanOutcome,
    /// The plan that was saved, shown, activated or completed.
    pub plan: Option<PlanEntry>,
    /// Its text; of a plan that was only activated or completed none.
    pub text: Option<String>,
    /// There is more text in the file.
    pub cut: bool,
    /// All plans where they were asked for: the active one, then open and completed ones, the newest first.
    pub plans: Vec<PlanEntry>,
    pub total: u64,
    pub truncated: bool,
    /// Where the text lies that a save has replaced.
    pub replaced: Option<String>,
    /// The title of the plan that is active now.
    pub active: Option<String>,
    /// How many secrets were left out.
    pub redacted: u64,
    /// Files among the plans that could not be read.
    pub skipped: Vec<SkippedNote>,
    pub skipped_total: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanOutcome {
    #[default]
    Shown,
    Listed,
    Created,
    Updated,
    /// It was so already.
    Unchanged,
    Activated,
    Completed,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanEntry {
    pub title: String,
    pub path: String,
    pub status: PlanStatus,
    /// Milliseconds since 1970.
    pub created: i64,
    pub updated: i64,
    pub completed: Option<i64>,
    /// What was checked out when it was last saved.
    pub commit: Option<String>,
    pub branch: Option<String>,
    /// What of the file could not be understood, and how it was read all the same.
    pub remark: Option<String>,
}

impl Answer for Plans {
    fn items(&self) -> usize {
        self.plans.len()
    }

    fn keep(&mut self, items: usize) {
        if items < self.plans.len() {
            self.plans.truncate(items);
            self.truncated = true;
        }
    }

    fn shorten(&mut self) -> bool {
        let halved = self.text.as_mut().is_some_and(halve);
        self.cut |= halved;
        halved
    }

    fn text(&self) -> Text {
        crate::tools::plan::text::write(self).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_action_takes_what_it_needs() {
        let plan = |action, title: Option<&str>, text: Option<&str>| Plan {
            action,
            title: title.map(str::to_owned),
            text: text.map(str::to_owned),
            ..Plan::default()
        };
        for right in [
            plan(PlanAction::Save, Some("Parser"), Some("- [ ] lexer")),
            plan(PlanAction::Show, None, None),
            plan(PlanAction::List, None, None),
            plan(PlanAction::Activate, Some("Parser"), None),
            plan(PlanAction::Complete, None, None),
        ] {
            assert!(right.validate().is_ok(), "{right:?}");
        }
        for wrong in [
            plan(PlanAction::Save, Some("Parser"), None),
            plan(PlanAction::Save, None, Some("x")),
            plan(PlanAction::Save, Some("a\nb"), Some("x")),
            plan(PlanAction::Save, Some("  "), Some("x")),
            plan(PlanAction::Activate, None, None),
        ] {
            assert!(wrong.validate().is_err(), "{wrong:?}");
        }
        assert!(!plan(PlanAction::Complete, None, None).is_repeatable());
    }
}
