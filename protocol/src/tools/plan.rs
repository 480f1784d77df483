//! `plan`: working plans of a root, of which at most one is active.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Availability, CommandInfo, Effect, Replay, Tool, ToolInfo, Toolset, common_params, schema_of,
};
use crate::answer::note::{
    SkippedNote, check_line, checkout, halve, redaction_warning, remark_line, rest_of_file,
    skipped_warning,
};
use crate::answer::symbol::words;
use crate::answer::{Answer, Format};
use crate::check::check_length;
use crate::error::ToolError;
use crate::text::tokens::MAX_TOKENS;
use crate::text::{Line, NextCall, Text, moment};

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
    #[cfg_attr(feature = "cli", arg(skip))]
    pub action: PlanAction,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub title: Option<String>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub text: Option<String>,
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
pub enum PlanAction {
    Save,
    #[default]
    Show,
    List,
    Activate,
    Complete,
}

words! {
    #[derive(Default)]
    PlanStatus {
        Active = "active",
        #[default]
        Open = "open",
        Completed = "completed",
    }
}

impl Plan {
    pub const LONGEST_TITLE: usize = 120;
    pub const LONGEST_TEXT: usize = 50_000;

    /// Returns whether repeating the call has no further effect.
    pub fn is_repeatable(&self) -> bool {
        // Without a title, a repeated call could complete another plan, which is the active one by then.
        self.action != PlanAction::Complete || self.title.is_some()
    }
}

impl Tool for Plan {
    type Answer = Plans;

    const INFO: ToolInfo = ToolInfo {
        name: "plan",
        title: "Plan",
        description: "For work of many steps: plans that last; at most one is active.",
        toolset: Toolset::Memory,
        availability: Availability::OnRequest,
        replaces_reading: false,
        long_answers: false,
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

/// The plan that was asked for or changed, or all plans.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Path of the text that a save has replaced.
    pub replaced: Option<String>,
    /// The title of the plan that is active now.
    pub active: Option<String>,
    /// Number of secrets that were left out.
    pub redacted: u64,
    /// Files among the plans that could not be read.
    pub skipped: Vec<SkippedNote>,
    pub skipped_total: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanOutcome {
    #[default]
    Shown,
    Listed,
    Created,
    Updated,
    /// It was already in that state.
    Unchanged,
    Activated,
    Completed,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanEntry {
    pub title: String,
    pub path: String,
    pub status: PlanStatus,
    /// Milliseconds since 1970.
    pub created: i64,
    pub updated: i64,
    pub completed: Option<i64>,
    /// The checked-out commit when it was last saved.
    pub commit: Option<String>,
    pub branch: Option<String>,
    /// A part of the file that could not be understood, and how it was read all the same.
    pub remark: Option<String>,
}

impl Plans {
    fn summary(&self) -> Line {
        let root = Line::from(" in ").name(&self.root_name);
        let Some(plan) = &self.plan else {
            let call = NextCall::new(Plan::NAME)
                .with("action", "save")
                .with("title", "…")
                .with("text", "…");
            return match self.total {
                0 => Line::from("no plans")
                    .line(root)
                    .text(" yet: ")
                    .call(call)
                    .text(" saves one"),
                total => Line::new().count(total, "plan").line(root),
            };
        };
        let outcome = match self.outcome {
            PlanOutcome::Shown | PlanOutcome::Listed => "plan ",
            PlanOutcome::Created => "saved a new plan: ",
            PlanOutcome::Updated => "saved again: ",
            PlanOutcome::Unchanged => "unchanged: ",
            PlanOutcome::Activated => "activated: ",
            PlanOutcome::Completed => "completed: ",
        };
        Line::from(outcome)
            .line(plan.title_and_path())
            .text("  ")
            .line(plan.circumstances())
            .line(root)
    }

    fn next(&self) -> Option<Line> {
        let call = |action: &str| NextCall::new(Plan::NAME).with("action", action);
        let Some(plan) = &self.plan else {
            let left_out = self.total.saturating_sub(self.plans.len() as u64);
            let call = call("list")
                .with_budget(MAX_TOKENS)
                .with("root", &self.root_name);
            return (left_out > 0).then(|| Line::new().number(left_out).text(" more: ").call(call));
        };
        let is_saved = matches!(self.outcome, PlanOutcome::Created | PlanOutcome::Updated);
        if !is_saved || plan.status == PlanStatus::Active {
            return None;
        }
        let active = match &self.active {
            Some(active) => Line::from("`").code(active).text("` is active"),
            None => Line::from("no plan is active"),
        };
        let call = call("activate")
            .with("title", &plan.title)
            .with("root", &self.root_name);
        Some(active.text("; to work on this one: ").call(call))
    }
}

impl PlanEntry {
    /// Returns e.g. `The lexer (active)  .claudevil/memories/plans/the-lexer.md`.
    fn title_and_path(&self) -> Line {
        Line::new()
            .name(&self.title)
            .text(format!(" ({})  ", self.status.as_str()))
            .path(&self.path)
    }

    /// Returns e.g. `updated 2026-11-15 15:45  main@1a2b3c4`.
    fn circumstances(&self) -> Line {
        let time = match (self.status, self.completed) {
            (PlanStatus::Completed, Some(completed)) => {
                format!("completed {}", moment::minute(completed))
            }
            _ => format!("updated {}", moment::minute(self.updated)),
        };
        let checkout = checkout(self.branch.as_deref(), self.commit.as_deref());
        Line::join([time.into()].into_iter().chain(checkout), "  ")
    }
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
        let mut text = match self.outcome {
            PlanOutcome::Shown | PlanOutcome::Listed => Text::new(self.summary()),
            _ => Text::with_outcome(self.summary()),
        };
        if let Some(plan) = &self.plan {
            if let Some(remark) = &plan.remark {
                text.below(remark_line(remark));
            }
            if let (Some(written), PlanOutcome::Shown) = (&self.text, self.outcome) {
                text.quote(written);
                if self.cut {
                    text.below(rest_of_file(&plan.path, &self.root_name));
                }
            }
        }
        for plan in &self.plans {
            text.described_item(plan.title_and_path(), plan.circumstances());
            if let Some(remark) = &plan.remark {
                text.below(remark_line(remark));
            }
        }
        if let Some(path) = &self.replaced {
            text.note(Line::from("the former text is kept in ").path(path));
        }
        text.warnings(redaction_warning(self.redacted));
        text.warnings(skipped_warning(self.skipped_total, &self.skipped));
        text.next(self.next());
        text
    }

    fn root(&self) -> Option<&str> {
        Some(&self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::render::render;
    use crate::text::tokens::{self, DEFAULT_TOKENS};

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

    fn entry(title: &str, status: PlanStatus) -> PlanEntry {
        PlanEntry {
            title: title.to_owned(),
            path: format!(
                ".claudevil/memories/plans/{}.md",
                title.to_lowercase().replace(' ', "-")
            ),
            status,
            updated: 1_794_757_512_000,
            completed: (status == PlanStatus::Completed).then_some(1_794_757_512_000),
            branch: Some("main".to_owned()),
            ..PlanEntry::default()
        }
    }

    fn plans(outcome: PlanOutcome, plan: Option<PlanEntry>) -> Plans {
        Plans {
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            action: PlanAction::Show,
            outcome,
            text: plan
                .as_ref()
                .map(|_| "- [x] lexer\n- [ ] parser".to_owned()),
            plan,
            ..Plans::default()
        }
    }

    #[test]
    fn a_plan_is_shown_with_its_text() {
        insta::assert_snapshot!(plans(PlanOutcome::Shown, Some(entry("The lexer", PlanStatus::Active))).text().to_string(), @r"
        plan The lexer (active)  .claudevil/memories/plans/the-lexer.md  updated 2026-11-15 15:45  main in engine
        ```
        - [x] lexer
        - [ ] parser
        ```
        ");
        let saved = Plans {
            active: Some("The lexer".to_owned()),
            replaced: Some(".claudevil/memories/plans/earlier/a.md".to_owned()),
            ..plans(PlanOutcome::Updated, Some(entry("Docs", PlanStatus::Open)))
        };
        insta::assert_snapshot!(saved.text().to_string(), @r#"
        saved again: Docs (open)  .claudevil/memories/plans/docs.md  updated 2026-11-15 15:45  main in engine
        the former text is kept in .claudevil/memories/plans/earlier/a.md
        `The lexer` is active; to work on this one: plan {"action":"activate","title":"Docs","root":"engine"}
        "#);
    }

    #[test]
    fn lists_are_cut_between_plans() {
        let many: Vec<_> = (0..200)
            .map(|number| entry(&format!("Plan {number}"), PlanStatus::Completed))
            .collect();
        let list = Plans {
            total: 200,
            plans: many,
            ..plans(PlanOutcome::Listed, None)
        };
        let text = render(&list, Format::Text, 500);
        assert!(tokens::estimate(&text) <= 500, "{text}");
        assert!(
            text.starts_with("200 plans in engine\nPlan 0 (completed)"),
            "{text}"
        );
        assert!(
            text.ends_with(r#" more: plan {"action":"list","max_tokens":10000,"root":"engine"}"#),
            "{text}"
        );
        let none = plans(PlanOutcome::Listed, None);
        assert!(
            none.text()
                .to_string()
                .starts_with("no plans in engine yet"),
            "{}",
            none.text().to_string()
        );
        let long = Plans {
            text: Some("- [ ] a step\n".repeat(5000)),
            ..plans(PlanOutcome::Shown, Some(entry("Docs", PlanStatus::Open)))
        };
        for format in [Format::Text, Format::Json] {
            assert!(tokens::estimate(&render(&long, format, 500)) <= 500);
        }
        assert!(render(&long, Format::Text, 500).contains("cut; all of it: read_file"));
    }
}
