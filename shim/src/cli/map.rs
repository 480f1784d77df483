//! `claudevil map`.

use std::process::ExitCode;

use claudevil_protocol::answer::Format;
use claudevil_protocol::answer::render::fit;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::one_line;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::map_code::text::{Line, lines, most_missing, sums, symbol_text};
use claudevil_protocol::tools::map_code::{CodeMap, MapCode, MapDetail};

use super::terminal::{FAINT, STRONG, Terminal, paint};
use super::{Failure, RootOption, ask};

pub const EXAMPLES: &str = "\
Examples:
  claudevil map                          this project, its most connected symbols first
  claudevil map src --detail full        a folder, with the first line of docs
  claudevil map src/main.rs              the outline of a file
  claudevil map --detail files --depth 2  names alone, two levels deep";

#[derive(clap::Args)]
pub struct Arguments {
    /// Folder to map, or file to outline [default: the whole project]
    path: Option<String>,
    /// How many levels of folders to open
    #[arg(short, long, value_name = "1-20")]
    depth: Option<u32>,
    /// How much to show of each file
    #[arg(long, default_value = "signatures")]
    detail: Detail,
    /// Only this language
    #[arg(short, long)]
    language: Option<String>,
    /// How much to show in all; what is least connected is left out
    #[arg(long, value_name = "TOKENS", default_value_t = MOST_TOKENS)]
    max_tokens: u32,
    #[command(flatten)]
    root: RootOption,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Detail {
    /// Names and lines
    Files,
    Signatures,
    /// With the first line of docs
    Full,
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let params = MapCode {
        path: arguments
            .path
            .as_deref()
            .map(|path| arguments.root.path(path)),
        depth: arguments.depth,
        detail: Some(match arguments.detail {
            Detail::Files => MapDetail::Files,
            Detail::Signatures => MapDetail::Signatures,
            Detail::Full => MapDetail::Full,
        }),
        language: arguments.language,
        max_tokens: Some(arguments.max_tokens),
        ..MapCode::default()
    };
    let map = ask::ask(paths, arguments.root.root.as_deref(), params).await?;
    if terminal.json {
        terminal.json(&map)?;
    } else {
        show(
            fit(&map, Format::Text, arguments.max_tokens).as_ref(),
            terminal,
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(map: &CodeMap, terminal: &mut Terminal) -> Result<(), Failure> {
    terminal.about(&map.root, &map.freshness);
    for line in lines(map) {
        match line {
            Line::Folder { .. } => terminal.row(paint(STRONG, line.text()))?,
            Line::File { .. } => terminal.row(line.text())?,
            Line::Symbol { symbol, indent } => {
                let number = paint(FAINT, format_args!("{:>5}", symbol.start_line));
                terminal.row(format_args!(
                    "{:indent$}{number}  {}",
                    "",
                    symbol_text(symbol)
                ))?;
            }
        }
    }
    terminal.note(paint(FAINT, sums(map)));
    if let (true, Some(path)) = (map.truncated, most_missing(map)) {
        let more = format!("most is left out of {0}: claudevil map {0}", one_line(path));
        terminal.note(paint(FAINT, more));
    }
    Ok(())
}
