//! `claudevil complexity`.

use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::quantity::{count, grouped};
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::text::{one_line, place};
use claudevil_protocol::tools::analyze_complexity::text::{cyclomatic, line_counts, symbols};
use claudevil_protocol::tools::analyze_complexity::{AnalyzeComplexity, Complexity};

use super::terminal::{FAINT, STRONG, Terminal, WARN, paint};
use super::{Failure, RootOption, ask};

/// From here on a function is hard to test.
const HIGH: u32 = 15;

pub const EXAMPLES: &str = "\
Examples:
  claudevil complexity               this project and its hot spots
  claudevil complexity src -n 50     the fifty worst of a folder
  claudevil complexity src/main.rs   each function of a file";

#[derive(clap::Args)]
pub struct Arguments {
    /// File or folder [default: the whole project]
    path: Option<String>,
    /// Most functions to show, up to 200
    #[arg(short = 'n', long, default_value_t = AnalyzeComplexity::DEFAULT_LIMIT)]
    limit: u32,
    #[command(flatten)]
    root: RootOption,
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let params = AnalyzeComplexity {
        path: arguments
            .path
            .as_deref()
            .map(|path| arguments.root.path(path)),
        limit: Some(arguments.limit),
        max_tokens: Some(MOST_TOKENS),
        ..AnalyzeComplexity::default()
    };
    let answer = ask::ask(paths, arguments.root.root.as_deref(), params).await?;
    if terminal.json {
        terminal.json(&answer)?;
    } else {
        show(&answer, terminal)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(answer: &Complexity, terminal: &mut Terminal) -> Result<(), Failure> {
    terminal.about(&answer.root, &answer.freshness);
    let name = if answer.path.is_empty() {
        &answer.root_name
    } else {
        &answer.path
    };
    terminal.line(format_args!(
        "{}  {}",
        paint(STRONG, one_line(name)),
        count(answer.files, "file")
    ))?;
    terminal.line(format_args!("lines       {}", line_counts(&answer.lines)))?;
    if !answer.symbols.is_empty() {
        terminal.line(format_args!("symbols     {}", symbols(answer)))?;
    }
    terminal.line(format_args!("calls       {}", grouped(answer.calls)))?;
    terminal.line(format_args!(
        "cyclomatic  {}",
        cyclomatic(&answer.cyclomatic)
    ))?;
    for one in answer
        .languages
        .iter()
        .filter(|_| answer.languages.len() > 1)
    {
        let facts = format!(
            "{}, {} code",
            count(one.files, "file"),
            grouped(one.lines.code)
        );
        terminal.row(format_args!(
            "{:<11} {facts}, cyclomatic {}",
            one.language,
            cyclomatic(&one.cyclomatic)
        ))?;
    }
    for one in &answer.functions {
        let number = format!("{:>5}", one.cyclomatic);
        let number = if one.cyclomatic >= HIGH {
            paint(WARN, number)
        } else {
            number
        };
        let place = paint(FAINT, place(&one.path, one.start_line, one.end_line));
        terminal.row(format_args!("{number}  {}  {place}", one_line(&one.name)))?;
    }
    if answer.remaining > 0 {
        let more = grouped(answer.remaining);
        terminal.note(paint(
            FAINT,
            format_args!("{more} more: a larger --limit, or a part of it"),
        ));
    }
    Ok(())
}
