//! `claudevil plan`.

use std::io;
use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::tokens::MAX_TOKENS;
use claudevil_protocol::tools::plan::{Plan, PlanAction, Plans};

use super::notes::text_or_input;
use super::terminal::Terminal;
use super::tool::read_command_line;
use super::{Failure, ask};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Show a plan
    Show {
        /// Title, or a unique part of it [default: the active plan]
        title: Option<String>,
        #[command(flatten)]
        params: Plan,
    },
    /// List all plans: the active one, open ones, completed ones
    List(Plan),
    /// Save a plan, or replace the text of the one with this title; secrets are left out
    Save {
        title: String,
        /// The plan; without it, standard input
        #[arg(allow_hyphen_values = true)]
        text: Option<String>,
        #[command(flatten)]
        params: Plan,
    },
    /// Make a plan the active one
    Activate {
        /// Title, or a unique part of it
        title: String,
        #[command(flatten)]
        params: Plan,
    },
    /// Mark a plan as done
    Complete {
        /// Title, or a unique part of it [default: the active plan]
        title: Option<String>,
        #[command(flatten)]
        params: Plan,
    },
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let Some(command) = arguments.command else {
        return overview(paths, terminal).await;
    };
    let (action, title, mut params) = match command {
        Command::Show { title, params } => (PlanAction::Show, title, params),
        Command::List(params) => (PlanAction::List, None, params),
        Command::Save {
            title,
            text,
            mut params,
        } => {
            params.text = Some(text_or_input(text.as_slice(), "the plan")?);
            (PlanAction::Save, Some(title), params)
        }
        Command::Activate { title, params } => (PlanAction::Activate, Some(title), params),
        Command::Complete { title, params } => (PlanAction::Complete, title, params),
    };
    let root = read_command_line(&mut params);
    let params = Plan {
        action,
        title,
        max_tokens: Some(MAX_TOKENS),
        ..params
    };
    let plans = ask::ask(paths, root.as_deref(), params).await?;
    show(&plans, terminal)?;
    Ok(ExitCode::SUCCESS)
}

/// Shows the active plan, or else the list of plans.
async fn overview(paths: Paths, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
    let asked = |action, title| Plan {
        action,
        title,
        max_tokens: Some(MAX_TOKENS),
        ..Plan::default()
    };
    let mut plans = ask::ask(paths.clone(), None, asked(PlanAction::List, None)).await?;
    if plans.active.is_some() {
        plans = ask::ask(paths, None, asked(PlanAction::Show, plans.active)).await?;
    }
    show(&plans, terminal)?;
    if plans.total > 0 && plans.active.is_none() && !terminal.json {
        terminal.note("no plan is active: `claudevil plan activate TITLE` makes one active");
    }
    Ok(ExitCode::SUCCESS)
}

fn show(plans: &Plans, terminal: &mut Terminal) -> io::Result<()> {
    if terminal.json {
        terminal.json(plans)
    } else {
        terminal.answer::<Plan>(plans)
    }
}
