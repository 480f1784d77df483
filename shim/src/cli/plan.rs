//! `claudevil plan`.

use std::process::ExitCode;

use claudevil_protocol::answer::note::text::{checkout, skipped};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::text::{moment, one_line};
use claudevil_protocol::tools::checkpoint::text::redacted;
use claudevil_protocol::tools::plan::{
    Plan, PlanAction, PlanEntry, PlanOutcome, PlanStatus, Plans,
};

use super::notes::given;
use super::terminal::{FAINT, GOOD, PLAIN, STRONG, Terminal, WARN, paint};
use super::{Failure, RootOption, ask};

pub const EXAMPLES: &str = "\
Examples:
  claudevil plan                                      the active plan
  claudevil plan list                                 all of them
  claudevil plan save 'New lexer' < plan.md           keep one, or give it another text
  claudevil plan activate 'New lexer'                 work on this one; no other is active then
  claudevil plan complete                             the active one is done

Plans are Markdown files in .claudevil/memories/plans/ of the project: edit them as you like. What a save \
replaces is kept in the folder earlier beside them.";

#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Show a plan
    Show {
        /// Title, or a part of it that no other has [default: the active plan]
        title: Option<String>,
        #[command(flatten)]
        root: RootOption,
    },
    /// List all plans: the active one, open ones, completed ones
    List {
        #[command(flatten)]
        root: RootOption,
    },
    /// Keep a plan, or give the one of this title another text; secrets are left out
    Save {
        title: String,
        /// The plan; without it, standard input
        #[arg(allow_hyphen_values = true)]
        text: Option<String>,
        #[command(flatten)]
        root: RootOption,
    },
    /// Make a plan the active one
    Activate {
        /// Title, or a part of it that no other has
        title: String,
        #[command(flatten)]
        root: RootOption,
    },
    /// Mark a plan as done
    Complete {
        /// Title, or a part of it that no other has [default: the active plan]
        title: Option<String>,
        #[command(flatten)]
        root: RootOption,
    },
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let (action, title, text, root) = match arguments.command {
        None => return overview(paths, terminal).await,
        Some(Command::Show { title, root }) => (PlanAction::Show, title, None, root),
        Some(Command::List { root }) => (PlanAction::List, None, None, root),
        Some(Command::Save { title, text, root }) => (
            PlanAction::Save,
            Some(title),
            Some(given(text.as_slice(), "the plan")?),
            root,
        ),
        Some(Command::Activate { title, root }) => (PlanAction::Activate, Some(title), None, root),
        Some(Command::Complete { title, root }) => (PlanAction::Complete, title, None, root),
    };
    let params = Plan {
        action,
        title,
        text,
        max_tokens: Some(MOST_TOKENS),
        ..Plan::default()
    };
    let plans = ask::ask(paths, root.root.as_deref(), params).await?;
    show(&plans, terminal)?;
    Ok(ExitCode::SUCCESS)
}

/// The active plan where there is one, and else what there is.
async fn overview(paths: Paths, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
    let asked = |action, title| Plan {
        action,
        title,
        max_tokens: Some(MOST_TOKENS),
        ..Plan::default()
    };
    let mut plans = ask::ask(paths.clone(), None, asked(PlanAction::List, None)).await?;
    if plans.active.is_some() {
        plans = ask::ask(paths, None, asked(PlanAction::Show, plans.active)).await?;
    }
    show(&plans, terminal)?;
    if plans.total > 0 && plans.active.is_none() && !terminal.json {
        terminal.note("no plan is active: `claudevil plan activate TITLE` makes one so");
    }
    Ok(ExitCode::SUCCESS)
}

fn show(plans: &Plans, terminal: &mut Terminal) -> Result<(), Failure> {
    if terminal.json {
        return Ok(terminal.json(plans)?);
    }
    if let Some(plan) = &plans.plan {
        let done = match plans.outcome {
            PlanOutcome::Shown | PlanOutcome::Listed => "",
            PlanOutcome::Created => "saved ",
            PlanOutcome::Updated => "saved again ",
            PlanOutcome::Unchanged => "unchanged: ",
            PlanOutcome::Activated => "activated ",
            PlanOutcome::Completed => "completed ",
        };
        describe(done, plan, terminal)?;
        if plans.outcome == PlanOutcome::Shown {
            terminal.line("")?;
            for line in plans.text.as_deref().unwrap_or_default().lines() {
                terminal.styled(PLAIN, line)?;
            }
        }
    }
    for plan in &plans.plans {
        describe("", plan, terminal)?;
    }
    if let Some(path) = &plans.replaced {
        terminal.note(paint(
            FAINT,
            format_args!("the text before is kept in {}", one_line(path)),
        ));
    }
    for line in [
        redacted(plans.redacted),
        skipped(plans.skipped_total, &plans.skipped),
    ]
    .into_iter()
    .flatten()
    {
        terminal.note(paint(WARN, line));
    }
    if plans.plan.is_none() && plans.total == 0 {
        terminal.note(format_args!(
            "no plans in {} yet: `claudevil plan save TITLE TEXT` keeps one",
            plans.root_name
        ));
    }
    let is_new = matches!(plans.outcome, PlanOutcome::Created | PlanOutcome::Updated);
    if let (true, Some(active), Some(plan)) = (is_new, &plans.active, &plans.plan)
        && plan.status != PlanStatus::Active
    {
        terminal.note(paint(
            FAINT,
            format_args!("`{}` is still the active one", one_line(active)),
        ));
    }
    Ok(())
}

fn describe(done: &str, plan: &PlanEntry, terminal: &mut Terminal) -> Result<(), Failure> {
    let style = match plan.status {
        PlanStatus::Active => GOOD,
        PlanStatus::Open => PLAIN,
        PlanStatus::Completed => FAINT,
    };
    let (status, title) = (
        paint(style, plan.status.as_str()),
        paint(STRONG, one_line(&plan.title)),
    );
    let when = moment::minute(plan.completed.unwrap_or(plan.updated));
    let at = checkout(plan.branch.as_deref(), plan.commit.as_deref())
        .map_or_else(String::new, |at| format!("  {at}"));
    terminal.line(format_args!(
        "{done}{title}  {status}  {}",
        paint(FAINT, format_args!("{when}{at}  {}", one_line(&plan.path)))
    ))?;
    if let Some(remark) = &plan.remark {
        terminal.note(paint(WARN, format_args!("    {}", one_line(remark))));
    }
    Ok(())
}
