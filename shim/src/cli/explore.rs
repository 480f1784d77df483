//! `claudevil explore`.

use std::process::ExitCode;

use claudevil_protocol::answer::Format;
use claudevil_protocol::answer::render::fit;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::one_line;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::explore::text::{
    connection_line, dependent_line, head, read_next_line,
};
use claudevil_protocol::tools::explore::{Exploration, Explore};
use claudevil_protocol::tools::search::SearchMode;

use super::hits::{excerpt, sought};
use super::target::{list_one, signature_below};
use super::terminal::{FAINT, STRONG, Terminal, paint};
use super::{Failure, RootOption, ask, exit, hint};

pub const EXAMPLES: &str = "\
Examples:
  claudevil explore how are answers cut to a budget   the code that matters, and what hangs on it
  claudevil explore retry -p 'src/**' -l rust         in some files only";

#[derive(clap::Args)]
pub struct Arguments {
    /// A question or a task
    #[arg(required = true, value_name = "WORDS")]
    question: Vec<String>,
    /// Only this language
    #[arg(short, long)]
    language: Option<String>,
    /// Only files that match this glob
    #[arg(short, long, value_name = "GLOB")]
    path: Option<String>,
    /// How much to show in all
    #[arg(long, value_name = "TOKENS", default_value_t = MOST_TOKENS)]
    max_tokens: u32,
    #[command(flatten)]
    root: RootOption,
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let params = Explore {
        question: arguments.question.join(" "),
        path: arguments.path,
        language: arguments.language,
        max_tokens: Some(arguments.max_tokens),
        ..Explore::default()
    };
    let found = ask::ask(paths, arguments.root.root.as_deref(), params).await?;
    if terminal.json {
        terminal.json(&found)?;
    } else {
        show(
            fit(&found, Format::Text, arguments.max_tokens).as_ref(),
            terminal,
        )?;
    }
    Ok(if found.symbols.is_empty() {
        ExitCode::from(exit::FAILED)
    } else {
        ExitCode::SUCCESS
    })
}

fn show(found: &Exploration, terminal: &mut Terminal) -> Result<(), Failure> {
    terminal.about(&found.root, &found.freshness);
    let words = sought(&found.question, SearchMode::Auto);
    for symbol in &found.symbols {
        list_one(&symbol.symbol(), &one_line(&symbol.why), terminal)?;
        match &symbol.source {
            Some(source) => excerpt(source, &words, terminal)?,
            None => signature_below(&symbol.signature, terminal)?,
        }
        terminal.line("")?;
    }
    section(
        "how they connect",
        found.connections.iter().map(connection_line),
        terminal,
    )?;
    section(
        "who depends on them",
        found.dependents.iter().map(dependent_line),
        terminal,
    )?;
    section(
        "tests that reach them",
        found.tests.iter().map(dependent_line),
        terminal,
    )?;
    section(
        "read next",
        found.read_next.iter().map(read_next_line),
        terminal,
    )?;
    terminal.note(paint(FAINT, head(found)));
    if let Some(advice) = &found.advice {
        terminal.note(hint::next_step(&one_line(advice)));
    }
    Ok(())
}

fn section(
    title: &str,
    lines: impl ExactSizeIterator<Item = String>,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    if lines.len() > 0 {
        terminal.line(paint(STRONG, title))?;
    }
    for line in lines {
        terminal.row(format_args!("  {line}"))?;
    }
    Ok(())
}
