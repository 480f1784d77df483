//! `claudevil read`.

use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use claudevil_protocol::ToolError;
use claudevil_protocol::model::MOST_TOKENS;
use claudevil_protocol::model::read_file::{FileText, ReadFile};
use claudevil_protocol::paths::Paths;

use super::terminal::{FAINT, Terminal, WARN, paint};
use super::{Failure, RootOption, ask};

#[derive(clap::Args)]
pub struct Arguments {
    /// File, relative to the working directory or absolute; PATH:LINE and PATH:FIRST-LAST pick lines
    #[arg(value_name = "PATH[:LINES]")]
    path: String,
    /// Lines to add before and after those picked
    #[arg(short = 'C', long, default_value_t = 0)]
    context: u32,
    #[command(flatten)]
    root: RootOption,
}

pub async fn run(arguments: Arguments, paths: Paths, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
    let (path, start_line, end_line) = split(&arguments.path)?;
    let path = if arguments.root.root.is_none() { from_here(path) } else { path.to_owned() };
    let params = ReadFile {
        path,
        start_line,
        end_line,
        context_lines: Some(arguments.context),
        max_tokens: Some(MOST_TOKENS),
        ..ReadFile::default()
    };
    let root = arguments.root.root.as_deref();
    let mut file = ask::ask(paths.clone(), root, params.clone()).await?;
    if terminal.json {
        terminal.json(&file)?;
        return Ok(ExitCode::SUCCESS);
    }
    show(&file, terminal)?;
    // One answer is bounded for the sake of models; a person who asks for a file gets the file.
    while let Some(next) = file.next_line {
        let rest =
            ReadFile { start_line: Some(next), end_line: file.wanted_end, context_lines: None, ..params.clone() };
        file = ask::ask(paths.clone(), root, rest).await?;
        show(&file, terminal)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(file: &FileText, terminal: &mut Terminal) -> Result<(), Failure> {
    let width = file.end_line.to_string().len();
    for (number, line) in (file.start_line..).zip(&file.lines) {
        terminal.data(&format!("{} ", paint(FAINT, format_args!("{number:>width$}"))), line)?;
    }
    for mark in &file.secrets {
        terminal.note(paint(WARN, format_args!("line {} looks like a credential ({})", mark.line, mark.kind)));
    }
    if let Some(characters) = file.last_line_cut_from {
        terminal.note(format_args!("line {} is cut: it has {characters} characters", file.end_line));
    }
    Ok(())
}

/// `path`, `path:7`, `path:7-9`.
fn split(asked: &str) -> Result<(&str, Option<u64>, Option<u64>), ToolError> {
    let Some((path, lines)) = asked.rsplit_once(':') else { return Ok((asked, None, None)) };
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) => Ok((path, Some(first), Some(last))),
        _ if lines.is_empty() || lines.starts_with(|letter: char| letter.is_ascii_digit()) => {
            Err(ToolError::invalid_argument(format!("`{lines}` is not a line or a range of lines"))
                .with_hint("for example src/main.rs:12 or src/main.rs:12-40"))
        }
        // A colon that is part of the name.
        _ => Ok((asked, None, None)),
    }
}

/// People name files from where they stand; the daemon does not know where that is.
fn from_here(path: &str) -> String {
    let absolute = std::path::absolute(path).map_or_else(|_| PathBuf::from(path), |path| without_dots(&path));
    absolute.to_str().unwrap_or(path).to_owned()
}

fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_picked_behind_a_colon() {
        assert_eq!(split("a.rs").expect("plain"), ("a.rs", None, None));
        assert_eq!(split("a.rs:7").expect("a line"), ("a.rs", Some(7), Some(7)));
        assert_eq!(split("a.rs:7-9").expect("a range"), ("a.rs", Some(7), Some(9)));
        assert_eq!(split("odd:name").expect("a name"), ("odd:name", None, None));
        assert!(split("a.rs:7-x").is_err() && split("a.rs:").is_err());
    }
}
