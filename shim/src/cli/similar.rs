//! `claudevil similar`.

use std::io::Read;
use std::process::ExitCode;

use claudevil_protocol::ToolError;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::quantity::grouped;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::find_similar::FindSimilar;
use claudevil_protocol::tools::find_similar::text::head;

use super::files::quoted;
use super::search::RootsOption;
use super::terminal::{FAINT, Terminal, paint};
use super::{Failure, ask, exit, hits, read};
use crate::project;

pub const EXAMPLES: &str = "\
Examples:
  claudevil similar src/lexer.rs:120              code like that around this line
  claudevil similar --code 'fn retry(' -l rust    code like this
  pbpaste | claudevil similar --code -            code like what is piped in

Nothing found is exit code 1.";

#[derive(clap::Args)]
pub struct Arguments {
    /// A line of the code, in a file relative to the working directory or absolute
    #[arg(
        value_name = "PATH:LINE",
        required_unless_present = "code",
        conflicts_with = "code"
    )]
    place: Option<String>,
    /// The code itself; - reads it from standard input
    #[arg(long, value_name = "CODE|-", allow_hyphen_values = true)]
    code: Option<String>,
    /// Only this language
    #[arg(short, long)]
    language: Option<String>,
    /// Most results to show, up to 100
    #[arg(short = 'n', long, default_value_t = FindSimilar::DEFAULT_LIMIT)]
    limit: u32,
    /// Go on where an earlier list ended
    #[arg(long)]
    cursor: Option<String>,
    #[command(flatten)]
    roots: RootsOption,
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let (path, line) = match &arguments.place {
        Some(place) => {
            let (path, line) = split(place)?;
            let path = if arguments.roots.root.is_none() {
                project::from_here(path)
            } else {
                path.to_owned()
            };
            (Some(path), Some(line))
        }
        None => (None, None),
    };
    let code = match arguments.code {
        Some(dash) if dash == "-" => Some(from_input()?),
        code => code,
    };
    let params = FindSimilar {
        code,
        path,
        line,
        language: arguments.language,
        limit: Some(arguments.limit),
        cursor: arguments.cursor,
        max_tokens: Some(MOST_TOKENS),
        ..FindSimilar::default()
    };
    let list = ask::ask(paths, arguments.roots.root(), params).await?;
    if terminal.json {
        terminal.json(&list)?;
    } else {
        terminal.about(&list.root, &list.freshness);
        hits::show(&list.results, &[], terminal)?;
        terminal.note(paint(FAINT, head(&list)));
        if let (true, Some(cursor)) = (list.remaining > 0, &list.cursor) {
            let (more, cursor) = (grouped(list.remaining), quoted(cursor));
            terminal.note(paint(
                FAINT,
                format_args!("{more} more: the same with --cursor {cursor}"),
            ));
        }
    }
    Ok(if list.results.is_empty() {
        ExitCode::from(exit::FAILED)
    } else {
        ExitCode::SUCCESS
    })
}

/// As much as may be asked about: more is refused where everything is.
fn from_input() -> Result<String, Failure> {
    let mut code = String::new();
    let most = FindSimilar::LONGEST_CODE as u64 * 4 + 1;
    std::io::stdin().take(most).read_to_string(&mut code)?;
    Ok(code.trim_end().to_owned())
}

fn split(place: &str) -> Result<(&str, u32), ToolError> {
    match read::split(place)? {
        (path, Some(line), _) if u32::try_from(line).is_ok_and(|line| line > 0) => {
            Ok((path, u32::try_from(line).unwrap_or(u32::MAX)))
        }
        _ => Err(
            ToolError::invalid_argument(format!("`{place}` names no line"))
                .with_hint("for example src/main.rs:12, or the code itself behind --code"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_a_line() {
        assert_eq!(split("src/a.rs:12").expect("a line"), ("src/a.rs", 12));
        assert_eq!(
            split("src/a.rs:12-40").expect("the first of them"),
            ("src/a.rs", 12)
        );
        for wrong in [
            "src/a.rs",
            "src/a.rs:0",
            "src/a.rs:x",
            "src/a.rs:99999999999",
        ] {
            assert!(split(wrong).is_err(), "{wrong}");
        }
    }
}
