//! `read_file`: lines of one file, which is opened beneath the root.

mod symbol_lines;

use std::path::Path;

use claudevil_protocol::answer::Format;
use claudevil_protocol::answer::diff::SecretMark;
use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::text::NextCall;
use claudevil_protocol::text::tokens;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::read_file::{FileText, ReadFile};
use claudevil_protocol::{ErrorCode, ToolError};

use self::symbol_lines::locate_symbol;
use super::Context;
use super::shared::languages::detect_language;
use super::shared::loaded_root::LoadedRoot;
use crate::roots::RootFolder;
use crate::secrets;
use crate::source::beneath::{OpenFile, RootDir};
use crate::source::text::{self, Excerpt, ExcerptRange, TextError};

/// The tokens of an answer's head, fence and last line, for paths of ordinary length.
const FRAME_TOKENS: usize = 180;

/// Lines before the first shown one in which a credential may begin: a private key has some fifty.
const LINES_BEFORE: u64 = 100;

pub fn read_file(context: &Context, params: &ReadFile) -> Result<FileText, ToolError> {
    let RootFolder { root, folder } = context.roots.resolve(context.call)?;
    let dir = RootDir::open(root.path.as_ref(), &root.name)?;
    let place = params
        .symbol
        .as_deref()
        .map(|symbol| locate_symbol(context, symbol, params.path.as_deref()))
        .transpose()?;
    let (path, folder) = match (&place, &params.path) {
        (Some(place), _) => (place.path.as_str(), None),
        (None, Some(path)) => (path.as_str(), folder.as_deref()),
        (None, None) => {
            return Err(ToolError::invalid_argument(
                "read_file needs `path`, `symbol`, or both",
            ));
        }
    };
    let open = open(&dir, folder, path).map_err(|error| advise(context, error, path))?;
    let lines = place.as_ref().map(|place| {
        (
            u64::from(place.symbol.start_line),
            u64::from(place.symbol.end_line),
        )
    });
    let start_line = lines.map(|(start, _)| start).or(params.start_line);
    let end_line = lines.map(|(_, end)| end).or(params.end_line);
    let around = u64::from(params.context_lines.unwrap_or(0));
    let first = start_line.unwrap_or(1).saturating_sub(around).max(1);
    let last = end_line.map_or(u64::MAX, |end| end.saturating_add(around));
    let wanted = ExcerptRange {
        first,
        last,
        most_characters: ReadFile::MAX_CHARACTERS,
    };
    let read = text::read(&open.file, wanted, context.cancel)
        .map_err(|why| unreadable(&open.path, why))?;
    if let (Some(start), Some(total)) = (start_line, read.total)
        && start > total.max(1)
    {
        return Err(ToolError::invalid_argument(format!(
            "start_line is {start}; {} has {total} lines",
            open.path
        )));
    }
    let Excerpt {
        mut lines,
        total,
        mut last_cut_from,
    } = read;
    if lines.is_empty() && total.is_none() {
        return Err(ToolError::invalid_argument(format!(
            "line {first} of {} lies beyond its first 64 MB",
            open.path
        ))
        .with_hint("only the first 64 MB of a file are read"));
    }
    cut_to_budget(&mut lines, &mut last_cut_from, params);
    if let Some(index) = context.indexes.loaded(root.id) {
        index.count_shown(&open.path);
    }

    let shown_end = first + lines.len() as u64 - 1;
    let wanted_end = total.map_or(last, |total| last.min(total));
    let is_more = shown_end < wanted_end;
    let name = open.path.rsplit('/').next().unwrap_or(&open.path);
    let before = lines_before(&dir, &open.path, first, context);
    let secrets = mark(name, &before, &lines, first);
    Ok(FileText {
        language: detect_language(&dir, &open.path).map(|language| language.id.to_owned()),
        root: root.path,
        root_name: root.name,
        max_tokens: params.common().max_tokens,
        freshness: place
            .as_ref()
            .map_or_else(Freshness::default, |place| place.freshness.clone()),
        symbol: place.map(|place| place.symbol),
        size: open.size,
        total_lines: total,
        start_line: first,
        end_line: shown_end,
        lines,
        last_line_cut_from: last_cut_from,
        secrets,
        truncated: is_more || last_cut_from.is_some(),
        next_line: is_more.then_some(shown_end + 1),
        wanted_end: (wanted_end != u64::MAX).then_some(wanted_end),
        path: open.path,
    })
}

/// Reads the lines before the first one that is shown, in which a credential may begin.
fn lines_before(dir: &RootDir, path: &str, first: u64, context: &Context) -> Vec<String> {
    let wanted = ExcerptRange {
        first: first.saturating_sub(LINES_BEFORE).max(1),
        last: first - 1,
        most_characters: ReadFile::MAX_CHARACTERS,
    };
    let read = || text::read(&dir.open_file(path).ok()?.file, wanted, context.cancel).ok();
    if first == 1 {
        vec![]
    } else {
        read().map(|read| read.lines).unwrap_or_default()
    }
}

/// Marks the shown lines that hold credentials.
fn mark(file_name: &str, before: &[String], lines: &[String], first: u64) -> Vec<SecretMark> {
    let text = before
        .iter()
        .chain(lines)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join("\n");
    let mut marks: Vec<SecretMark> = vec![];
    for found in secrets::mark(file_name, &text) {
        let last = found
            .last_line
            .checked_sub(before.len())
            .map(|last| first + last as u64);
        let line = first + found.line.saturating_sub(before.len()) as u64;
        if last.is_some() && marks.last().is_none_or(|mark| mark.line != line) {
            marks.push(SecretMark {
                line,
                kind: found.kind.to_owned(),
            });
        }
    }
    marks
}

/// Opens a path, which may be relative to the folder of the session or to the root.
fn open(dir: &RootDir, folder: Option<&str>, path: &str) -> Result<OpenFile, ToolError> {
    let nearer = folder
        .filter(|_| Path::new(path).is_relative())
        .map(|folder| dir.open_file(&format!("{folder}/{path}")));
    match nearer {
        Some(Ok(open)) => Ok(open),
        _ => dir.open_file(path),
    }
}

/// Adds the call that was probably intended, or the nearest paths, to an error.
fn advise(context: &Context, error: ToolError, path: &str) -> ToolError {
    let intended = match error.code {
        ErrorCode::FileNotFound => call_with_lines(path),
        ErrorCode::PathOutsideRoot => {
            // A link that leads out of its root is in that root, which has refused it.
            let own = context.roots.resolve(context.call).ok();
            let root = context
                .roots
                .containing(context.call, Path::new(path))
                .filter(|_| Path::new(path).is_absolute())
                .filter(|root| own.as_ref().is_none_or(|own| own.root.id != root.id));
            root.map(|root| {
                NextCall::new(ReadFile::NAME)
                    .with("root", &root.name)
                    .with("path", path)
            })
        }
        _ => None,
    };
    match intended {
        Some(call) => error.with_hint(call),
        None if error.code == ErrorCode::FileNotFound => suggest_paths(context, error, path),
        None => error,
    }
}

/// Adds the paths of indexed files that are most like a missing one.
fn suggest_paths(context: &Context, error: ToolError, path: &str) -> ToolError {
    let Ok(indexed) = LoadedRoot::open(context) else {
        return error;
    };
    let Ok(path) = indexed.path(Some(path)) else {
        return error;
    };
    // The path exists: it is a folder or an unreadable file.
    if indexed.snapshot.file(&path).is_some() || !indexed.snapshot.beneath(&path).is_empty() {
        return error;
    }
    let hint = error.hint.clone();
    let error = indexed.with_nearest_paths(error, &path);
    if error.candidates.is_empty() {
        ToolError { hint, ..error }
    } else {
        error
    }
}

/// Returns the call for a path with lines: `path:7`, `path:7-9`.
fn call_with_lines(path: &str) -> Option<NextCall> {
    let (path, lines) = path.rsplit_once(':')?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let (first, last) = (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
    let call = NextCall::new(ReadFile::NAME)
        .with("path", path)
        .with("start_line", first)
        .with("end_line", last);
    Some(call)
}

/// Cuts a first line that alone costs more than the budget, so that something is shown.
fn cut_to_budget(lines: &mut Vec<String>, cut_from: &mut Option<u64>, params: &ReadFile) {
    let budget = (params.common().max_tokens as usize - FRAME_TOKENS) * 9 / 10;
    let cost = |text: &str| match params.common().format {
        Format::Text => tokens::estimate(text),
        Format::Json => tokens::estimate(&serde_json::Value::from(text).to_string()),
    };
    let Some(first) = lines.first_mut() else {
        return;
    };
    if cost(first) <= budget {
        return;
    }
    let ends: Vec<_> = first.char_indices().map(|(at, _)| at).collect();
    let fitting = ends.partition_point(|end| cost(&first[..*end]) <= budget);
    let end = ends[fitting.saturating_sub(1)];
    cut_from.get_or_insert(ends.len() as u64);
    first.truncate(end);
    lines.truncate(1);
}

fn unreadable(path: &str, why: TextError) -> ToolError {
    match why {
        TextError::Binary => ToolError::new(ErrorCode::BinaryFile, format!("{path} is binary")),
        TextError::NotUtf8 { line } => ToolError::new(
            ErrorCode::BinaryFile,
            format!("{path} is not UTF-8 (line {line})"),
        ),
        TextError::Cancelled => ToolError::new(ErrorCode::Cancelled, "the caller gave up"),
        TextError::Io(error) => claudevil_protocol::error::from_io(path, &error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_that_begins_before_the_first_line_is_marked_on_it() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let key = "MIIEpAIBAAKCAQEA1c7fGh2kLmN3pQ4rS5tU6vW7xY8zA9bC0dE1fG2hI3jK4l";
        let before = lines(&format!("x\n-----BEGIN PRIVATE KEY-----\n{key}"));
        let shown = lines(&format!(
            "{key}\n-----END PRIVATE KEY-----\ny\npassword = \"Tangerine-9\""
        ));
        let marks = mark("a.txt", &before, &shown, 4);
        let expected = [(4, "private key"), (7, "password")];
        assert_eq!(
            marks
                .iter()
                .map(|mark| (mark.line, mark.kind.as_str()))
                .collect::<Vec<_>>(),
            expected
        );
    }

    #[test]
    fn one_endless_line_still_shows_something() {
        for format in [Format::Text, Format::Json] {
            let mut lines = vec!["\"x\":1,".repeat(4000), "next".to_owned()];
            let mut cut_from = None;
            let params = ReadFile {
                max_tokens: Some(500),
                format: Some(format),
                ..ReadFile::default()
            };
            cut_to_budget(&mut lines, &mut cut_from, &params);
            assert_eq!((lines.len(), cut_from), (1, Some(24_000)));
            assert!(
                tokens::estimate(&lines[0]) <= 500 && lines[0].len() > 200,
                "{}",
                lines[0].len()
            );
        }
    }
}
