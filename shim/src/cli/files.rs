//! `claudevil files`.

use std::process::ExitCode;

use claudevil_protocol::model::list_files::{FileList, FileSort, ListFiles, PatternType};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::one_line;
use claudevil_protocol::text::quantity::{bytes, count, grouped};

use super::terminal::{FAINT, Terminal, paint};
use super::{Failure, RootOption, ask};

#[derive(clap::Args)]
pub struct Arguments {
    /// Only paths that match this glob; without `/` it matches file names anywhere
    pattern: Option<String>,
    /// Read the pattern as a regular expression
    #[arg(long, requires = "pattern")]
    regex: bool,
    /// Only files of this language
    #[arg(short, long)]
    language: Option<String>,
    /// Order of the list
    #[arg(short, long, default_value = "path")]
    sort: Sort,
    /// Most files to show; above 500 only with a pattern
    #[arg(short = 'n', long, default_value_t = ListFiles::DEFAULT_LIMIT)]
    limit: u32,
    /// Go on where an earlier list ended
    #[arg(long)]
    cursor: Option<String>,
    #[command(flatten)]
    root: RootOption,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Sort {
    Path,
    /// Largest first
    Size,
    /// Newest first
    Recent,
}

pub async fn run(arguments: Arguments, paths: Paths, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
    let params = ListFiles {
        pattern: arguments.pattern,
        pattern_type: arguments.regex.then_some(PatternType::Regex),
        language: arguments.language,
        sort: Some(match arguments.sort {
            Sort::Path => FileSort::Path,
            Sort::Size => FileSort::Size,
            Sort::Recent => FileSort::Recent,
        }),
        limit: Some(arguments.limit),
        cursor: arguments.cursor,
        ..ListFiles::default()
    };
    let list = ask::ask(paths, arguments.root.root.as_deref(), params).await?;
    if terminal.json {
        terminal.json(&list)?;
    } else {
        show(&list, terminal)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(list: &FileList, terminal: &mut Terminal) -> Result<(), Failure> {
    terminal.about(&list.root, &list.freshness);
    let widest = list.files.iter().map(|file| file.path.chars().count()).max().unwrap_or(0).min(60);
    for file in &list.files {
        if !Terminal::is_interactive() {
            terminal.data("", &file.path)?;
            continue;
        }
        let lines = file.lines.map(|lines| count(lines, "line")).unwrap_or_default();
        let chunks = file.chunks.map(|chunks| count(u64::from(chunks), "chunk")).unwrap_or_default();
        let language = file.language.as_deref().unwrap_or("");
        let facts = format!("{language:<12} {lines:>14} {chunks:>12} {:>8}", bytes(file.size));
        terminal.line(format_args!("{:<widest$}  {}", one_line(&file.path), paint(FAINT, facts)))?;
    }
    if list.unreadable_total > 0 {
        let (count, first) = (grouped(list.unreadable_total), list.unreadable.join(", "));
        terminal.note(format_args!("{count} not readable, so files may be missing: {first}"));
    }
    if list.total == 0 {
        terminal.note(format_args!("no files match in {} (ignored files are not listed)", list.root));
    } else if let (true, Some(cursor)) = (list.remaining > 0, &list.cursor) {
        let (more, sort, cursor) = (grouped(list.remaining), list.sort.as_str(), quoted(cursor));
        terminal.note(paint(FAINT, format_args!("{more} more: the same with --sort {sort} --cursor {cursor}")));
    }
    Ok(())
}

/// A word that a shell takes as it is.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
