//! `claudevil files`: columns on a terminal; in a pipe one path per line, byte for byte.

use std::path::Path;
use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::one_line;
use claudevil_protocol::text::quantity::{bytes, count};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::list_files::{FileEntry, FileList, ListFiles};

use super::terminal::{FAINT, Terminal, WARN, paint};
use super::tool::read_command_line;
use super::{Failure, ask, exit, pages};
use crate::project::seen_from;

/// The widest column of paths; a longer path moves the rest of its own row to the right.
const LONGEST_PATH: usize = 60;

pub async fn run(
    mut params: ListFiles,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let root = read_command_line(&mut params);
    let root = root.as_deref();
    let is_search = params.pattern.is_some() || params.language.is_some();
    let list = if params.limit.is_none() {
        params.limit = Some(ListFiles::most(params.pattern.as_deref()));
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
    Ok(exit::failed_if(is_search && list.total == 0))
}

fn show(list: &FileList, terminal: &mut Terminal) -> Result<(), Failure> {
    terminal.about(&list.root, &list.freshness);
    if Terminal::is_interactive() {
        for row in rows(&list.files) {
            terminal.row(row)?;
        }
    } else {
        // Other programs take the paths, in the folder where the command was typed.
        let here = std::env::current_dir().ok();
        for file in &list.files {
            let seen = |here: &Path| seen_from(here, Path::new(&list.root), &file.path);
            let path = here.as_deref().map_or_else(|| file.path.clone(), seen);
            terminal.data("", &path)?;
        }
    }
    if let Some(line) = list.unreadable_warning() {
        terminal.remark(ListFiles::NAME, WARN, &line);
    }
    let summary = (list.total == 0).then(|| list.summary());
    for line in summary.into_iter().chain(list.next()) {
        terminal.remark(ListFiles::NAME, FAINT, &line);
    }
    Ok(())
}

/// Returns a row for each file, in columns as wide as their contents.
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
    // One long path must not widen the column for all others.
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
