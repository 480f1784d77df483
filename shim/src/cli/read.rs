//! `claudevil read`.

use std::process::ExitCode;

use claudevil_protocol::ToolError;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::one_line;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::read_file::{FileText, ReadFile};

use super::terminal::{FAINT, Terminal, WARN, paint};
use super::{Failure, RootOption, ask};

pub const EXAMPLES: &str = "\
Examples:
  claudevil read src/main.rs                the whole file
  claudevil read src/main.rs:10-40 -C 3     some lines, and three around them
  claudevil read --symbol Parser::next      a symbol, wherever it is
  claudevil read src/lex.rs --symbol next   the one in this file";

#[derive(clap::Args)]
pub struct Arguments {
    /// File, relative to the working directory or absolute; PATH:LINE and PATH:FIRST-LAST pick lines
    #[arg(value_name = "PATH[:LINES]", required_unless_present = "symbol")]
    path: Option<String>,
    /// Show the whole of this symbol, plain or qualified; PATH tells which, if there are several
    #[arg(short, long, value_name = "NAME")]
    symbol: Option<String>,
    /// Lines to add before and after those picked
    #[arg(short = 'C', long, default_value_t = 0)]
    context: u32,
    #[command(flatten)]
    root: RootOption,
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let (path, start_line, end_line) = match arguments.path.as_deref().map(split).transpose()? {
        Some((path, start_line, end_line)) => {
            (Some(arguments.root.path(path)), start_line, end_line)
        }
        None => (None, None, None),
    };
    let params = ReadFile {
        path,
        symbol: arguments.symbol,
        start_line,
        end_line,
        context_lines: Some(arguments.context),
        max_tokens: Some(MOST_TOKENS),
        ..ReadFile::default()
    };
    read(params, &arguments.root, paths, terminal).await
}

/// All of a file.
pub async fn whole(
    path: &str,
    root: &RootOption,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let params = ReadFile {
        path: Some(path.to_owned()),
        max_tokens: Some(MOST_TOKENS),
        ..ReadFile::default()
    };
    read(params, root, paths, terminal).await
}

async fn read(
    params: ReadFile,
    root: &RootOption,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let root = root.root.as_deref();
    let mut file = ask::ask_at_once(paths.clone(), root, params.clone()).await?;
    if terminal.json {
        terminal.json(&file)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(symbol) = &file.symbol {
        let place = format!(
            "{}:{}-{}",
            one_line(&file.path),
            symbol.start_line,
            symbol.end_line
        );
        terminal.note(paint(
            FAINT,
            format_args!(
                "{place}  {} {}",
                symbol.kind.as_str(),
                one_line(&symbol.name)
            ),
        ));
    }
    terminal.about(&file.root, &file.freshness);
    show(&file, terminal)?;
    // One answer is bounded for the sake of models; a person who asks for a file gets the file.
    while let Some(next) = file.next_line {
        let rest = ReadFile {
            path: Some(format!("{}/{}", file.root, file.path)),
            start_line: Some(next),
            end_line: file.wanted_end,
            max_tokens: params.max_tokens,
            ..ReadFile::default()
        };
        file = ask::ask(paths.clone(), root, rest).await?;
        show(&file, terminal)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(file: &FileText, terminal: &mut Terminal) -> Result<(), Failure> {
    let width = file.end_line.to_string().len();
    for (number, line) in (file.start_line..).zip(&file.lines) {
        terminal.data(
            &format!("{} ", paint(FAINT, format_args!("{number:>width$}"))),
            line,
        )?;
    }
    for mark in &file.secrets {
        terminal.note(paint(
            WARN,
            format_args!("line {} looks like a credential ({})", mark.line, mark.kind),
        ));
    }
    if let Some(characters) = file.last_line_cut_from {
        terminal.note(format_args!(
            "line {} is cut: it has {characters} characters",
            file.end_line
        ));
    }
    Ok(())
}

/// `path`, `path:7`, `path:7-9`.
pub fn split(asked: &str) -> Result<(&str, Option<u64>, Option<u64>), ToolError> {
    let Some((path, lines)) = asked.rsplit_once(':') else {
        return Ok((asked, None, None));
    };
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) => Ok((path, Some(first), Some(last))),
        _ if lines.is_empty() || lines.starts_with(|letter: char| letter.is_ascii_digit()) => Err(
            ToolError::invalid_argument(format!("`{lines}` is not a line or a range of lines"))
                .with_hint("for example src/main.rs:12 or src/main.rs:12-40"),
        ),
        // A colon that is part of the name.
        _ => Ok((asked, None, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_picked_behind_a_colon() {
        assert_eq!(split("a.rs").expect("plain"), ("a.rs", None, None));
        assert_eq!(split("a.rs:7").expect("a line"), ("a.rs", Some(7), Some(7)));
        assert_eq!(
            split("a.rs:7-9").expect("a range"),
            ("a.rs", Some(7), Some(9))
        );
        assert_eq!(split("odd:name").expect("a name"), ("odd:name", None, None));
        assert!(split("a.rs:7-x").is_err() && split("a.rs:").is_err());
    }
}
