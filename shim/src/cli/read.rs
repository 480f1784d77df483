//! `claudevil read`: whole files, in a pipe byte for byte.

use std::path::Path;
use std::process::ExitCode;

use claudevil_protocol::ToolError;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::tokens::MAX_TOKENS;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::read_file::{FileText, ReadFile};

use super::syntax::Lexer;
use super::terminal::{CodeLine, FAINT, PLAIN, Terminal, WARN, paint};
use super::tool::read_command_line;
use super::{Failure, RootOption, ask};
use crate::project;

pub async fn run(
    mut params: ReadFile,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let root = read_command_line(&mut params);
    if let Some(given) = &params.path {
        let (path, start_line, end_line) = split(given)?;
        let path = match root {
            None => project::from_here(path),
            Some(_) => path.to_owned(),
        };
        (params.start_line, params.end_line) = (start_line, end_line);
        params.path = Some(path);
    }
    read(params, root.as_deref(), paths, terminal).await
}

/// Prints a whole file.
pub async fn whole(
    path: &str,
    root: &RootOption,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let params = ReadFile {
        path: Some(path.to_owned()),
        ..ReadFile::default()
    };
    read(params, root.root.as_deref(), paths, terminal).await
}

async fn read(
    mut params: ReadFile,
    root: Option<&Path>,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    params.max_tokens = Some(MAX_TOKENS);
    let mut file = ask::ask_at_once(paths.clone(), root, params).await?;
    if terminal.json {
        terminal.json(&file)?;
        return Ok(ExitCode::SUCCESS);
    }
    terminal.about(&file.root, &file.freshness);
    if let Some(line) = file.symbol_title() {
        terminal.remark(ReadFile::NAME, FAINT, &line);
    }
    let mut lexer = terminal.lexer(&file.path);
    if let Some(lexer) = &mut lexer
        && file.start_line > 1
    {
        lexer.begin(file.lines.iter().map(String::as_str));
    }
    show(&file, &mut lexer, terminal)?;
    // One answer is bounded for the sake of models; a person who asks for a file gets the file.
    while let Some(next) = file.next_line {
        let rest = ReadFile {
            path: Some(format!("{}/{}", file.root, file.path)),
            start_line: Some(next),
            end_line: file.wanted_end,
            max_tokens: Some(MAX_TOKENS),
            ..ReadFile::default()
        };
        file = ask::ask(paths.clone(), root, rest).await?;
        show(&file, &mut lexer, terminal)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(
    file: &FileText,
    lexer: &mut Option<Lexer>,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let width = file.end_line.to_string().len();
    for (number, text) in (file.start_line..).zip(&file.lines) {
        let tokens = lexer
            .as_mut()
            .map_or_else(Vec::new, |lexer| lexer.line(text));
        let prefix = format!("{} ", paint(FAINT, format_args!("{number:>width$}")));
        let line = CodeLine {
            text,
            found: &[],
            tokens: &tokens,
        };
        terminal.whole_code(&prefix, line)?;
    }
    if let Some(line) = file.credentials_warning() {
        terminal.remark(ReadFile::NAME, WARN, &line);
    }
    if let Some(line) = file.cut_line_note() {
        terminal.remark(ReadFile::NAME, PLAIN, &line);
    }
    Ok(())
}

/// Splits `path`, `path:7` or `path:7-9` into the path and the range of lines.
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
