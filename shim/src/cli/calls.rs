//! `claudevil callers` and `claudevil callees`.

use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::calls::text::{callees_head, callers_head, external, relation};
use claudevil_protocol::tools::calls::{CallItem, FindCallees, FindCallers};

use super::target::{Named, Target, list_one, more, signature_below};
use super::terminal::{FAINT, Terminal, paint};
use super::{Failure, ask, exit};

pub const CALLERS: &str = "\
Examples:
  claudevil callers Engine::run            who calls it
  claudevil callers src/engine.rs:12 -d 3  and who calls those, three levels up";

pub const CALLEES: &str = "\
Examples:
  claudevil callees main                   what it calls
  claudevil callees src/main.rs:3 -d 2     and what those call";

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    target: Target,
    /// How many levels of calls to follow
    #[arg(short, long, value_name = "1-5", default_value_t = 1)]
    depth: u32,
    /// Most symbols to show, up to 200
    #[arg(short = 'n', long, default_value_t = 100)]
    limit: u32,
    /// Go on where an earlier list ended
    #[arg(long)]
    cursor: Option<String>,
}

pub async fn callers(
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
    let params = FindCallers {
        symbol,
        path,
        line,
        context_file,
        depth: Some(arguments.depth),
        limit: Some(arguments.limit),
        cursor: arguments.cursor,
        max_tokens: Some(MOST_TOKENS),
        ..FindCallers::default()
    };
    let list = ask::ask(paths, arguments.target.root.root.as_deref(), params).await?;
    if terminal.json {
        terminal.json(&list)?;
    } else {
        terminal.about(&list.root, &list.freshness);
        levels(&list.callers, list.depth, terminal)?;
        terminal.note(paint(FAINT, callers_head(&list)));
        more(list.remaining, list.cursor.as_deref(), terminal);
    }
    Ok(found(list.total))
}

pub async fn callees(
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
    let params = FindCallees {
        symbol,
        path,
        line,
        context_file,
        depth: Some(arguments.depth),
        limit: Some(arguments.limit),
        cursor: arguments.cursor,
        max_tokens: Some(MOST_TOKENS),
        ..FindCallees::default()
    };
    let list = ask::ask(paths, arguments.target.root.root.as_deref(), params).await?;
    if terminal.json {
        terminal.json(&list)?;
    } else {
        terminal.about(&list.root, &list.freshness);
        levels(&list.callees, list.depth, terminal)?;
        if let Some(external) = external(&list) {
            terminal.line(paint(FAINT, external))?;
        }
        terminal.note(paint(FAINT, callees_head(&list)));
        more(list.remaining, list.cursor.as_deref(), terminal);
    }
    Ok(found(list.total + list.total_external))
}

fn found(total: u64) -> ExitCode {
    if total == 0 {
        ExitCode::from(exit::FAILED)
    } else {
        ExitCode::SUCCESS
    }
}

fn levels(items: &[CallItem], depth: u32, terminal: &mut Terminal) -> Result<(), Failure> {
    for level in items.chunk_by(|one, other| one.depth == other.depth) {
        if depth > 1 {
            terminal.line(paint(FAINT, format_args!("level {}", level[0].depth)))?;
        }
        for item in level {
            list_one(&item.symbol(), &relation(item), terminal)?;
            signature_below(&item.signature, terminal)?;
        }
    }
    Ok(())
}
