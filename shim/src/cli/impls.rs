//! `claudevil impls`.

use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::find_implementations::FindImplementations;
use claudevil_protocol::tools::find_implementations::text::{head, relation};

use super::target::{Named, Target, list_one, more, signature_below};
use super::terminal::{FAINT, Terminal, paint};
use super::{Failure, ask, exit};

pub const EXAMPLES: &str = "\
Examples:
  claudevil impls Store            what implements a trait or an interface, or extends a class
  claudevil impls Store::get       what overrides a method";

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    target: Target,
    /// Most symbols to show, up to 200
    #[arg(short = 'n', long, default_value_t = 100)]
    limit: u32,
    /// Go on where an earlier list ended
    #[arg(long)]
    cursor: Option<String>,
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let Named {
        symbol,
        path,
        line,
        context_file,
    } = arguments.target.named();
    let params = FindImplementations {
        symbol,
        path,
        line,
        context_file,
        limit: Some(arguments.limit),
        cursor: arguments.cursor,
        max_tokens: Some(MOST_TOKENS),
        ..FindImplementations::default()
    };
    let list = ask::ask(paths, arguments.target.root.root.as_deref(), params).await?;
    if terminal.json {
        terminal.json(&list)?;
    } else {
        terminal.about(&list.root, &list.freshness);
        for item in &list.implementations {
            list_one(&item.symbol(), &relation(item), terminal)?;
            signature_below(&item.signature, terminal)?;
        }
        terminal.note(paint(FAINT, head(&list)));
        more(list.remaining, list.cursor.as_deref(), terminal);
    }
    Ok(if list.total == 0 {
        ExitCode::from(exit::FAILED)
    } else {
        ExitCode::SUCCESS
    })
}
