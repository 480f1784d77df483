//! `claudevil path`.

use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::call_path::text::{head, not_followed, step};
use claudevil_protocol::tools::call_path::{CallChains, CallPath};

use super::target::end;
use super::terminal::{FAINT, Terminal, paint};
use super::{Failure, RootOption, ask, exit};

pub const EXAMPLES: &str = "\
Examples:
  claudevil path main Engine::run               the shortest ways of calls from one to the other
  claudevil path src/main.rs:3 src/db.rs:40     between the symbols at two lines";

#[derive(clap::Args)]
pub struct Arguments {
    /// Where it begins: a name, plain or qualified, or a place in a file
    #[arg(value_name = "SYMBOL|FILE:LINE")]
    from: String,
    /// Where it ends
    #[arg(value_name = "SYMBOL|FILE:LINE")]
    to: String,
    /// Most calls in a chain
    #[arg(short = 'd', long, value_name = "1-20", default_value_t = CallPath::DEFAULT_DEPTH)]
    max_depth: u32,
    #[command(flatten)]
    root: RootOption,
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let params = CallPath {
        from: end(&arguments.from, &arguments.root),
        to: end(&arguments.to, &arguments.root),
        max_depth: Some(arguments.max_depth),
        max_tokens: Some(MOST_TOKENS),
        ..CallPath::default()
    };
    let answer = ask::ask(paths, arguments.root.root.as_deref(), params).await?;
    if terminal.json {
        terminal.json(&answer)?;
    } else {
        show(&answer, terminal)?;
    }
    Ok(if answer.chains.is_empty() {
        ExitCode::from(exit::FAILED)
    } else {
        ExitCode::SUCCESS
    })
}

fn show(answer: &CallChains, terminal: &mut Terminal) -> Result<(), Failure> {
    terminal.about(&answer.root, &answer.freshness);
    for (index, chain) in answer.chains.iter().enumerate() {
        if answer.chains.len() > 1 {
            terminal.line(paint(FAINT, format_args!("chain {}", index + 1)))?;
        }
        for one in &chain.steps {
            terminal.row(step(one))?;
        }
    }
    terminal.note(paint(FAINT, head(answer)));
    if let Some(line) = not_followed(answer) {
        terminal.note(paint(FAINT, line));
    }
    Ok(())
}
