//! `claudevil rename`: shows the diff, and with `--apply` makes the change.

use std::process::ExitCode;

use claudevil_protocol::model::MOST_TOKENS;
use claudevil_protocol::model::rename_symbol::{RenameSymbol, Renaming};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::rename_symbol::{diff_lines, head, left_out_line};

use super::target::{Named, Target};
use super::terminal::{BAD, FAINT, GOOD, PLAIN, STRONG, Terminal, WARN, paint};
use super::{Failure, ask};

pub const EXAMPLES: &str = "\
Examples:
  claudevil rename Engine::run start            show what would change
  claudevil rename Engine::run start --apply    change all files, or none
  claudevil rename run start > rename.patch     the diff for later";

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    target: Target,
    /// The new name, without its containers
    new_name: String,
    /// Change the files, all of them or none
    #[arg(long)]
    apply: bool,
    /// Change doubtful places too
    #[arg(long)]
    include_low_confidence: bool,
}

pub async fn run(arguments: Arguments, paths: Paths, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
    let Named { symbol, path, line, context_file } = arguments.target.named();
    let params = RenameSymbol {
        symbol,
        path,
        line,
        context_file,
        new_name: Some(arguments.new_name),
        dry_run: Some(!arguments.apply),
        include_low_confidence: Some(arguments.include_low_confidence),
        max_tokens: Some(MOST_TOKENS),
        ..RenameSymbol::default()
    };
    let renaming = ask::ask(paths, arguments.target.root.root.as_deref(), params).await?;
    if terminal.json {
        terminal.json(&renaming)?;
    } else {
        show(&renaming, terminal)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(renaming: &Renaming, terminal: &mut Terminal) -> Result<(), Failure> {
    terminal.about(&renaming.root, &renaming.freshness);
    for file in &renaming.files {
        for line in diff_lines(file) {
            let style = match line.as_bytes() {
                [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => STRONG,
                [b'-', ..] => BAD,
                [b'+', ..] => GOOD,
                [b'@', ..] => FAINT,
                _ => PLAIN,
            };
            terminal.styled(style, &line)?;
        }
    }
    if renaming.total_left_out > 0 {
        let places = renaming.total_left_out;
        terminal.note(paint(WARN, format_args!("{places} doubtful places are left as they are:")));
        for place in &renaming.left_out {
            terminal.note(left_out_line(place));
        }
    }
    terminal.note(paint(FAINT, head(renaming)));
    if !renaming.applied {
        terminal.note("the same with --apply changes the files");
    }
    Ok(())
}
