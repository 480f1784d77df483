//! `claudevil rename`: shows the diff, and with `--apply` makes the change.

use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::rename_symbol::text::{
    credentials, diff_lines, head, left_out, left_out_line,
};
use claudevil_protocol::tools::rename_symbol::{RenameSymbol, Renaming};

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
    /// Leave doubtful places as they are, and change the rest
    #[arg(long, conflicts_with = "include_low_confidence")]
    leave_doubtful: bool,
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
    // Nothing said is neither: then they stop the change.
    let said = arguments
        .include_low_confidence
        .then_some(true)
        .or(arguments.leave_doubtful.then_some(false));
    let params = RenameSymbol {
        symbol,
        path,
        line,
        context_file,
        new_name: Some(arguments.new_name),
        dry_run: Some(!arguments.apply),
        include_low_confidence: said,
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
                [b'-', b'-', b'-', b' ', ..]
                | [b'+', b'+', b'+', b' ', ..]
                | [b'd', b'i', b'f', b'f', ..]
                | [b'r', b'e', b'n', b'a', ..] => STRONG,
                [b'-', ..] => BAD,
                [b'+', ..] => GOOD,
                [b'@', ..] => FAINT,
                _ => PLAIN,
            };
            terminal.styled(style, &line)?;
        }
    }
    if let Some(credentials) = credentials(renaming) {
        terminal.note(paint(WARN, credentials));
    }
    for (head, places) in left_out(renaming) {
        terminal.note(paint(WARN, head));
        for place in places {
            terminal.note(left_out_line(place));
        }
    }
    terminal.note(paint(FAINT, head(renaming)));
    let stops = renaming.total_doubtful > 0 && renaming.include_low_confidence.is_none();
    match (renaming.applied, stops) {
        (true, _) => {}
        (false, false) => terminal.note("the same with --apply changes the files"),
        (false, true) => terminal.note(
            "--apply changes the files together with --include-low-confidence, which changes doubtful places too, or \
             --leave-doubtful",
        ),
    }
    Ok(())
}
