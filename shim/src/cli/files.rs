//! `claudevil files`.

use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::one_line;
use claudevil_protocol::text::quantity::{bytes, count, grouped};
use claudevil_protocol::tools::list_files::{
    FileEntry, FileList, FileSort, ListFiles, PatternType,
};

use super::terminal::{FAINT, Terminal, paint};
use super::{Failure, RootOption, ask, exit, pages};

pub const EXAMPLES: &str = "\
Examples:
  claudevil files                     every file of this project
  claudevil files '*.rs' -s size      the largest of some names
  claudevil files 'src/**'            all below a folder
  claudevil files -s recent -n 5      those edited last
  claudevil files | xargs wc -l       in a pipe, a path a line

Nothing found by a pattern is exit code 1.";

/// Longer paths push what stands beside them to the right.
const LONGEST_PATH: usize = 60;

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
    /// Most files to show [default: all]; up to 500, with a pattern 10000
    #[arg(short = 'n', long)]
    limit: Option<u32>,
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

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let wants_all = arguments.limit.is_none();
    let largest_page = ListFiles::most(arguments.pattern.as_deref());
    let mut params = ListFiles {
        pattern: arguments.pattern,
        pattern_type: arguments.regex.then_some(PatternType::Regex),
        language: arguments.language,
        sort: Some(match arguments.sort {
            Sort::Path => FileSort::Path,
            Sort::Size => FileSort::Size,
            Sort::Recent => FileSort::Recent,
        }),
        limit: arguments.limit.or(Some(largest_page)),
        cursor: arguments.cursor,
        ..ListFiles::default()
    };
    let is_search = params.pattern.is_some() || params.language.is_some();
    let root = arguments.root.root.as_deref();
    let list = if wants_all {
        let mut list = pages::page(&paths, root, &mut params).await?;
        pages::append_rest(&paths, root, &mut params, &mut list).await?;
        list
    } else {
        ask::ask_at_once(paths, root, params).await?
    };
    if terminal.json {
        terminal.json(&list)?;
    } else {
        show(&list, terminal)?;
    }
    Ok(if is_search && list.total == 0 {
        ExitCode::from(exit::FAILED)
    } else {
        ExitCode::SUCCESS
    })
}

fn show(list: &FileList, terminal: &mut Terminal) -> Result<(), Failure> {
    terminal.about(&list.root, &list.freshness);
    if Terminal::is_interactive() {
        for row in rows(&list.files) {
            terminal.row(row)?;
        }
    } else {
        for file in &list.files {
            terminal.data("", &file.path)?;
        }
    }
    if list.unreadable_total > 0 {
        let (count, first) = (grouped(list.unreadable_total), list.unreadable.join(", "));
        terminal.note(format_args!(
            "{count} not readable, so files may be missing: {first}"
        ));
    }
    if list.total == 0 {
        terminal.note(format_args!(
            "no files match in {} (ignored files are not listed)",
            list.root
        ));
    } else if let (true, Some(cursor)) = (list.remaining > 0, &list.cursor) {
        let (more, sort, cursor) = (grouped(list.remaining), list.sort.as_str(), quoted(cursor));
        terminal.note(paint(
            FAINT,
            format_args!("{more} more: the same with --sort {sort} --cursor {cursor}"),
        ));
    }
    Ok(())
}

/// Files with what is known of each, in columns that are as wide as they have to be.
fn rows(files: &[FileEntry]) -> Vec<String> {
    let cells = files.iter().map(|file| {
        let lines = file
            .lines
            .map(|lines| count(lines, "line"))
            .unwrap_or_default();
        let chunks = file
            .chunks
            .map(|chunks| count(u64::from(chunks), "chunk"))
            .unwrap_or_default();
        [
            one_line(&file.path),
            file.language.clone().unwrap_or_default(),
            lines,
            chunks,
            bytes(file.size),
        ]
    });
    let cells: Vec<_> = cells.collect();
    let widest = |column: usize| {
        cells
            .iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let [path, language, lines, chunks, size] = [0, 1, 2, 3, 4].map(widest);
    // One long path should not push the facts of all others away.
    let path = path.min(LONGEST_PATH);
    let row = |cells: &[String; 5]| {
        let [name, written_in, has_lines, has_chunks, bytes] = cells;
        let facts = format!(
            "{written_in:<language$} {has_lines:>lines$} {has_chunks:>chunks$} {bytes:>size$}"
        );
        format!("{name:<path$}  {}", paint(FAINT, facts))
    };
    cells.iter().map(row).collect()
}

/// A word that a shell takes as it is.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
