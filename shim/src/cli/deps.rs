//! `claudevil deps`.

use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::get_dependencies::text::{dependent_text, import_text, known};
use claudevil_protocol::tools::get_dependencies::{
    Dependencies, DependencyDirection, GetDependencies,
};

use super::terminal::{FAINT, STRONG, Terminal, paint};
use super::{Failure, RootOption, ask};

pub const EXAMPLES: &str = "\
Examples:
  claudevil deps src/main.rs                        both directions
  claudevil deps src/main.rs --direction imports    what it imports
  claudevil deps src/lexer.rs --direction dependents";

#[derive(clap::Args)]
pub struct Arguments {
    /// File, relative to the working directory or absolute
    path: String,
    /// What to show
    #[arg(short, long, default_value = "both")]
    direction: Direction,
    #[command(flatten)]
    root: RootOption,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Direction {
    /// What it imports
    Imports,
    /// Who imports it
    Dependents,
    Both,
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let params = GetDependencies {
        path: arguments.root.path(&arguments.path),
        direction: Some(match arguments.direction {
            Direction::Imports => DependencyDirection::Imports,
            Direction::Dependents => DependencyDirection::Dependents,
            Direction::Both => DependencyDirection::Both,
        }),
        max_tokens: Some(MOST_TOKENS),
        ..GetDependencies::default()
    };
    let answer = ask::ask(paths, arguments.root.root.as_deref(), params).await?;
    if terminal.json {
        terminal.json(&answer)?;
    } else {
        show(&answer, terminal)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(answer: &Dependencies, terminal: &mut Terminal) -> Result<(), Failure> {
    terminal.about(&answer.root, &answer.freshness);
    if answer.direction != DependencyDirection::Dependents {
        let none = if answer.imports.is_empty() {
            "  none"
        } else {
            ""
        };
        terminal.line(format_args!("{}{none}", paint(STRONG, "imports")))?;
        for import in &answer.imports {
            let number = paint(FAINT, format_args!("{:>5}", import.line));
            terminal.row(format_args!("{number}  {}", import_text(import)))?;
        }
    }
    if !answer.dependents.is_empty() {
        terminal.line(paint(STRONG, "dependents"))?;
        for dependent in &answer.dependents {
            terminal.row(format_args!("  {}", dependent_text(dependent)))?;
        }
    }
    if let Some(known) = known(answer.dependents_known) {
        terminal.note(paint(FAINT, known));
    }
    Ok(())
}
