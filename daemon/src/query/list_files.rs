//! `list_files`: filters, sorts and pages the files of a root; lines are counted only for the files on the page.

use std::cmp::Reverse;
use std::sync::Arc;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::freshness;
use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::text::{Line, truncate};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::list_files::{
    Cursor, FileEntry, FileList, FileSort, ListFiles, PatternType,
};
use regex::Regex;

use super::Context;
use super::shared::languages::{detect_language, parse_language};
use crate::index::snapshot::Snapshot;
use crate::lang::Language;
use crate::roots::RootFolder;
use crate::source::beneath::RootDir;
use crate::source::globs::Globs;
use crate::source::text;
use crate::source::walk::{Rules, Scope, WalkedFile, walk};
use crate::store::roots::RootRecord;

const UNREADABLE_SHOWN: usize = 10;
const UNREADABLE_LENGTH: usize = 80;

pub fn list_files(context: &Context, params: &ListFiles) -> Result<FileList, ToolError> {
    let language = parse_language(params.language.as_deref())?;
    let sort = params.sort.unwrap_or_default();
    let after = params
        .cursor
        .as_deref()
        .map(|cursor| decode_cursor(cursor, sort))
        .transpose()?;

    let RootFolder { root, folder } = context.roots.resolve(context.call)?;
    let prefix = folder
        .as_ref()
        .map(|folder| format!("{folder}/"))
        .unwrap_or_default();
    let pattern = Pattern::new(params, &format!("{}/{prefix}", root.path))?;
    let dir = RootDir::open(root.path.as_ref(), &root.name)?;
    let Listing {
        mut files,
        unreadable,
        unused_rules,
        snapshot,
    } = Listing::load(context, &root)?;
    context.cancel.check()?;

    files.retain(|file| {
        let inside = file.path.strip_prefix(&prefix);
        inside.is_some_and(|inside| pattern.matches(inside))
            && language.is_none_or(|wanted| is_language(&dir, &snapshot, file, wanted))
    });
    context.cancel.check()?;
    sort_files(&mut files, sort);
    let total = files.len() as u64;
    if let Some(after) = &after {
        files.retain(|file| comes_after(file, after));
    }
    let shown = files.len().min(params.limit() as usize);
    let remaining = (files.len() - shown) as u64;
    files.truncate(shown);
    let cursor = files
        .last()
        .filter(|_| remaining > 0)
        .map(|last| cursor_at(last, sort).encode());
    let mut shown = Vec::with_capacity(files.len());
    for file in files {
        context.cancel.check()?;
        shown.extend(describe_file(&dir, &snapshot, file));
    }
    let mut freshness = Freshness::default();
    if let Some(note) = freshness::unused_rules(&unused_rules) {
        freshness.add_note(note);
    }
    Ok(FileList {
        root: root.path,
        root_name: root.name,
        folder,
        max_tokens: params.common().max_tokens,
        freshness,
        pattern: params.pattern.clone(),
        pattern_type: params.pattern_type.unwrap_or_default(),
        language: language.map(|language| language.id.to_owned()),
        sort,
        total,
        files: shown,
        remaining,
        truncated: remaining > 0,
        cursor,
        limit: params.limit(),
        unreadable_total: unreadable.len() as u64,
        unreadable: unreadable
            .iter()
            .take(UNREADABLE_SHOWN)
            .map(|name| truncate(name, UNREADABLE_LENGTH))
            .collect(),
    })
}

enum Pattern {
    Everything,
    Glob(Globs),
    Regex(Regex),
}

impl Pattern {
    /// Parses the pattern, which matches paths relative to a folder.
    fn new(params: &ListFiles, folder: &str) -> Result<Self, ToolError> {
        let Some(pattern) = &params.pattern else {
            return Ok(Self::Everything);
        };
        match params.pattern_type.unwrap_or_default() {
            PatternType::Glob => Globs::within(folder, &[pattern]).map(Self::Glob),
            PatternType::Regex => Regex::new(pattern).map(Self::Regex).map_err(|error| {
                let reason = error.to_string();
                let reason = reason
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .trim_start_matches("error: ")
                    .to_owned();
                ToolError::invalid_argument(format!(
                    "pattern `{pattern}` is not a valid regex: {reason}"
                ))
                .with_hint(
                    Line::from("escape special characters with `\\`, or ")
                        .either("use \"pattern_type\":\"glob\"", "leave `--regex` out"),
                )
            }),
        }
    }

    fn matches(&self, path: &str) -> bool {
        match self {
            Self::Everything => true,
            Self::Glob(globs) => globs.matches(path),
            Self::Regex(regex) => regex.is_match(path),
        }
    }
}

fn decode_cursor(cursor: &str, sort: FileSort) -> Result<Cursor, ToolError> {
    Cursor::decode(cursor)
        .filter(|place| place.sort == sort)
        .ok_or_else(|| {
            ToolError::invalid_argument(format!(
                "cursor `{cursor}` is not one of a list sorted by {}",
                sort.as_str()
            ))
            .with_hint(Line::new().words(
                "pass the `cursor` of the last answer with the same `sort`, or none to start over",
            ))
        })
}

fn is_language(dir: &RootDir, snapshot: &Snapshot, file: &WalkedFile, wanted: &Language) -> bool {
    let indexed = snapshot
        .file(&file.path)
        .and_then(|indexed| indexed.language);
    indexed
        .or_else(|| detect_language(dir, &file.path))
        .is_some_and(|language| language.id == wanted.id)
}

fn sort_files(files: &mut [WalkedFile], sort: FileSort) {
    match sort {
        FileSort::Path => files.sort_by(|one, other| one.path.cmp(&other.path)),
        FileSort::Size => {
            files.sort_by(|one, other| {
                (Reverse(one.size), &one.path).cmp(&(Reverse(other.size), &other.path))
            });
        }
        FileSort::Recent => {
            let place = |file: &WalkedFile| Reverse(file.modified_millis());
            files.sort_by(|one, other| (place(one), &one.path).cmp(&(place(other), &other.path)));
        }
    }
}

fn comes_after(file: &WalkedFile, place: &Cursor) -> bool {
    let own = cursor_at(file, place.sort);
    (Reverse(own.key), &own.path) > (Reverse(place.key), &place.path)
}

fn cursor_at(file: &WalkedFile, sort: FileSort) -> Cursor {
    Cursor::at(sort, &file.path, file.size, file.modified_millis())
}

/// Describes a file by its index entry, or by its content if the entry is missing or stale.
fn describe_file(dir: &RootDir, snapshot: &Snapshot, file: WalkedFile) -> Option<FileEntry> {
    let indexed = snapshot
        .file(&file.path)
        .filter(|indexed| indexed.record.stamp == file.stamp);
    if let Some(indexed) = indexed.filter(|indexed| indexed.skip().is_none()) {
        return Some(FileEntry {
            language: indexed.language.map(|language| language.id.to_owned()),
            lines: Some(u64::from(indexed.outline.lines.total)),
            chunks: u32::try_from(indexed.outline.chunks.len()).ok(),
            size: file.size,
            modified: file.modified_millis(),
            path: file.path,
        });
    }
    let stat = dir.stat(&file.path)?;
    let lines = dir
        .open_file(&file.path)
        .ok()
        .and_then(|open| text::count_lines(open.file).ok())
        .flatten();
    let language = detect_language(dir, &file.path).map(|language| language.id.to_owned());
    let chunks = indexed.map(|_| 0);
    Some(FileEntry {
        language,
        lines,
        chunks,
        size: stat.size,
        modified: stat.modified_millis(),
        path: file.path,
    })
}

/// The files of a root: from a complete and current index, or else from a walk.
struct Listing {
    files: Vec<WalkedFile>,
    unreadable: Vec<String>,
    unused_rules: Vec<String>,
    snapshot: Arc<Snapshot>,
}

impl Listing {
    fn load(context: &Context, root: &RootRecord) -> Result<Self, ToolError> {
        let fresh = context.indexes.fresh_snapshot(root)?;
        let snapshot = fresh.snapshot;
        if fresh.partial.is_none() && fresh.stale.is_none() {
            let files = snapshot.files.iter().map(|file| WalkedFile {
                path: file.path.clone(),
                size: file.record.size,
                modified_nanos: file.record.modified_nanos,
                stamp: file.record.stamp,
            });
            let (unreadable, unused_rules) = (fresh.unreadable, fresh.unused_rules);
            return Ok(Self {
                files: files.collect(),
                unreadable,
                unused_rules,
                snapshot,
            });
        }
        let seen = |files| (context.progress)(files, None, "files seen");
        let walked = walk(
            root.path.as_ref(),
            &Rules::new(&root.include, &root.exclude)?,
            Scope::Everything,
            context.cancel,
            &seen,
        );
        Ok(Self {
            files: walked.files,
            unreadable: walked.unreadable,
            unused_rules: walked.unused_rules,
            snapshot,
        })
    }
}
