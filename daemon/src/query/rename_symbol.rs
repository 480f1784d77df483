//! `rename_symbol`: another name for a symbol, in all files or in none.
//!
//! What the graph knows to mean the symbol gets the new name. What has the name and may mean it, or may not, stops an apply
//! until somebody says what is to become of it (`places.rs`); what else stands in the way of a name is refused at once
//! (`names.rs`, `family.rs`). A file that is called like what is in it gets its new name too (`files.rs`).

mod family;
mod files;
mod names;
mod places;
mod text;
mod unread;
mod words;

use std::collections::BTreeMap;

use claudevil_protocol::answer::hits::{LONGEST_LINE, shortened};
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::read_file::SecretMark;
use claudevil_protocol::tools::rename_symbol::{
    DiffHunk, FileEdits, LeftOut, RenameSymbol, Renaming,
};
use claudevil_protocol::{ErrorCode, ToolError};

use self::family::Family;
use self::files::{Move, moved};
use self::names::refuse_what_is_no_name;
use self::places::{Found, Places, Verdict, Writing};
use self::text::Reading;
use super::Context;
use super::linked::{Linked, info, rounded};
use crate::change::diff::unified;
use crate::change::{Edit, Expected, FileChange, LARGEST_FILE};
use crate::extract::type_expr;
use crate::graph::{Graph, SymbolId};
use crate::secrets;

const CANDIDATES: usize = 10;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub fn rename_symbol(context: &Context, params: &RenameSymbol) -> Result<Renaming, ToolError> {
    let linked = Linked::of(context)?;
    let indexed = &linked.indexed;
    if let Some(partial) = &indexed.freshness.partial {
        let message = format!(
            "{} of {} files are indexed: not all uses are known yet",
            partial.done, partial.total
        );
        return Err(ToolError::new(ErrorCode::Indexing, message).with_hint(
            Line::from("ask again when ")
                .call(NextCall::new("index_status"))
                .text(" says it is done"),
        ));
    }
    let graph = linked.graph();
    let target = named_by(&graph, linked.find(&graph, params.symbol_query())?)?;
    let name = last_part(&graph.symbol(target).name).to_owned();
    let new_name = params.new_name();
    if new_name == name {
        return Err(ToolError::invalid_argument(format!(
            "it is already called `{name}`"
        )));
    }
    refuse_what_is_no_name(&graph, target, &name, new_name)?;
    let texts = linked.texts();
    let reading = Reading::new(&graph, &texts);
    let family = Family::new(&graph, target, context)?;
    family.refuse_what_others_name(&reading)?;
    family.refuse_to_hide(new_name)?;
    family.refuse_collisions(&reading, new_name)?;
    let moved = moved(&graph, &family, new_name)?;
    let places = Places {
        graph: &graph,
        reading: &reading,
        family: &family,
    }
    .find(context)?;
    let mut left_out: Vec<LeftOut> = vec![];
    let mut spots: BTreeMap<u32, Vec<Spot>> = BTreeMap::new();
    for found in &places {
        let is_wanted = match found.verdict {
            Verdict::Change => true,
            Verdict::Doubt { .. } => params.include_low_confidence == Some(true),
            Verdict::Mention { .. } => false,
        };
        if is_wanted {
            spots.entry(found.file).or_default().push(Spot::of(found));
        } else {
            left_out.extend(left(&graph, &reading, found));
        }
    }
    // Those that may break something first.
    left_out.sort_by_key(|place| !place.is_doubtful);
    let doubtful: Vec<&LeftOut> = left_out.iter().filter(|place| place.is_doubtful).collect();
    if !doubtful.is_empty() && !params.dry_run() && params.include_low_confidence.is_none() {
        return Err(too_doubtful(&name, &doubtful));
    }
    let moving = moved
        .as_ref()
        .map(|moved| {
            graph
                .file_number(&moved.from)
                .ok_or_else(|| gone(&moved.from))
        })
        .transpose()?;
    if let Some(file) = moving {
        spots.entry(file).or_default();
    }
    let mut files = vec![];
    let mut work = vec![];
    for (file, spots) in spots {
        let path = graph.file(file).path.clone();
        let moved = moved.as_ref().filter(|moved| moved.from == path);
        let bytes = linked
            .dir()
            .read(&path, LARGEST_FILE)
            .ok_or_else(|| gone(&path))?;
        let edits = edits(&bytes, &path, spots, &name, new_name)?;
        files.push(shown(&path, moved, &bytes, &edits)?);
        let new_name = moved
            .and_then(|moved| moved.to.rsplit('/').next())
            .map(str::to_owned);
        work.push(FileChange {
            path,
            expected: Expected::Bytes(bytes),
            edits,
            new_name,
        });
    }
    let mut freshness = linked.freshness(&graph, &[target]);
    if let Some(unread) = unread::note(&linked, &name) {
        freshness.add_note(unread);
    }
    if !params.dry_run() {
        linked.lack.refuse()?;
        let applied = context.changes.apply(linked.dir(), &work, context.cancel)?;
        if !applied.kept.is_empty() {
            let kept = applied
                .kept
                .iter()
                .map(|kept| format!("{} ({})", kept.path, kept.at.display()));
            let kept: Vec<String> = kept.collect();
            freshness.add_note(format!(
                "edited at the same moment, and kept as they were: {}",
                kept.join(", ")
            ));
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(Renaming {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        symbol: info(&graph, target),
        new_name: new_name.to_owned(),
        include_low_confidence: params.include_low_confidence,
        applied: !params.dry_run(),
        total_files: files.len() as u64,
        total_edits: files.iter().map(|file| file.edits).sum(),
        files,
        total_doubtful: doubtful.len() as u64,
        total_left_out: left_out.len() as u64,
        left_out,
        truncated: false,
    })
}

/// What has the name that is to be changed: of a constructor that is called like its type, the type.
fn named_by(graph: &Graph<'_>, target: SymbolId) -> Result<SymbolId, ToolError> {
    let symbol = graph.symbol(target);
    if symbol.kind != SymbolKind::Constructor {
        return Ok(target);
    }
    let owner = graph
        .members()
        .owner(target)
        .filter(|owner| graph.symbol(*owner).name == symbol.name);
    owner.ok_or_else(|| {
        let message = format!(
            "`{}` is what its language calls a constructor; nothing was changed",
            symbol.name
        );
        ToolError::invalid_argument(message)
    })
}

/// Of a name that is a whole path, the part that is its own.
fn last_part(name: &str) -> &str {
    name.rsplit(['.', '\\'])
        .next()
        .filter(|last| !last.is_empty())
        .unwrap_or(name)
}

fn left(graph: &Graph<'_>, reading: &Reading<'_>, found: &Found) -> Option<LeftOut> {
    let (is_doubtful, confidence, reason) = match found.verdict {
        Verdict::Change => return None,
        Verdict::Doubt { confidence, reason } => (true, confidence, reason),
        Verdict::Mention { confidence, reason } => (false, confidence, reason),
    };
    let text = reading
        .open(found.file)
        .map(|opened| opened.shown(found.word.line, found.word.column));
    Some(LeftOut {
        path: graph.file(found.file).path.clone(),
        line: found.word.line,
        column: found.word.column + 1,
        confidence: rounded(confidence),
        reason: reason.to_owned(),
        text: text.unwrap_or_default(),
        is_doubtful,
    })
}

fn too_doubtful(name: &str, doubtful: &[&LeftOut]) -> ToolError {
    let places = doubtful
        .iter()
        .take(CANDIDATES)
        .map(|place| format!("{}:{} ({})", place.path, place.line, place.reason));
    let several = match doubtful.len() {
        1 => "1 place".to_owned(),
        several => format!("{several} places"),
    };
    ToolError::new(
        ErrorCode::AmbiguousSymbol,
        format!("{several} may mean `{name}` or something else of that name; nothing was changed"),
    )
    .with_candidates(places.collect())
    .with_hint(Line::from("look at them; ").either(
        "\"include_low_confidence\": true changes them too, false leaves them as they are",
        "`--include-low-confidence` changes them too, `--leave-doubtful` leaves them as they are",
    ))
}

/// What becomes of a file, as a diff.
fn shown(
    path: &str,
    moved: Option<&Move>,
    bytes: &[u8],
    edits: &[Edit],
) -> Result<FileEdits, ToolError> {
    let text = String::from_utf8_lossy(bytes);
    let diff = unified(path, &text, edits).map_err(ToolError::invalid_argument)?;
    let hunks = hunks(&diff);
    Ok(FileEdits {
        secrets: marks(path, &text, &hunks),
        path: path.to_owned(),
        new_path: moved.map(|moved| moved.to.clone()),
        edits: edits.len() as u64,
        total_hunks: hunks.len() as u64,
        hunks,
    })
}

/// Marks the lines of the hunks that hold credentials, by their numbers before the change.
fn marks(path: &str, text: &str, hunks: &[DiffHunk]) -> Vec<SecretMark> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_shown = |first: u64, last: u64| {
        hunks.iter().any(|hunk| {
            let start = u64::from(hunk.old_start);
            first < start + u64::from(hunk.old_lines) && start <= last
        })
    };
    let marks = secrets::mark(name, text)
        .into_iter()
        .map(|mark| (mark.line as u64 + 1, mark.last_line as u64 + 1, mark.kind));
    marks
        .filter(|(first, last, _)| is_shown(*first, *last))
        .map(|(line, _, kind)| SecretMark {
            line,
            kind: kind.to_owned(),
        })
        .collect()
}

fn gone(path: &str) -> ToolError {
    ToolError::new(
        ErrorCode::FileNotFound,
        format!("{path} cannot be read any more; nothing was changed"),
    )
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    line: u32,
    column: u32,
    writing: Writing,
}

impl Spot {
    fn of(found: &Found) -> Self {
        Self {
            line: found.word.line,
            column: found.word.column,
            writing: found.writing,
        }
    }
}

/// The edits of a file; an error where its text is not what the index knows.
fn edits(
    bytes: &[u8],
    path: &str,
    mut spots: Vec<Spot>,
    name: &str,
    new_name: &str,
) -> Result<Vec<Edit>, ToolError> {
    spots.sort_by_key(|spot| (spot.line, spot.column));
    spots.dedup_by_key(|spot| (spot.line, spot.column));
    let mark = if bytes.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    let mut starts = vec![mark];
    starts.extend(
        bytes
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at + 1),
    );
    let stale = || {
        ToolError::invalid_argument(format!(
            "{path} is not what it was when it was indexed; nothing was changed"
        ))
        .with_hint("ask again in a moment")
    };
    let mut edits = vec![];
    for spot in spots {
        let line = *starts
            .get(spot.line.saturating_sub(1) as usize)
            .ok_or_else(stale)?;
        let start = line + spot.column as usize;
        let end = start + name.len();
        let is_word =
            |at: Option<&u8>| at.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let goes_on = name.ends_with(type_expr::is_word) && is_word(bytes.get(end));
        if bytes.get(start..end) != Some(name.as_bytes()) || goes_on {
            return Err(stale());
        }
        edits.push(match spot.writing {
            Writing::Plain => Edit {
                range: start..end,
                replacement: new_name.to_owned(),
            },
            Writing::Value => Edit {
                range: start..end,
                replacement: format!("{name}: {new_name}"),
            },
            Writing::Field(column) => {
                let before = line + column as usize;
                Edit {
                    range: before..before,
                    replacement: format!("{new_name}: "),
                }
            }
        });
    }
    Ok(edits)
}

/// A unified diff taken apart.
fn hunks(diff: &str) -> Vec<DiffHunk> {
    let mut hunks: Vec<DiffHunk> = vec![];
    for line in diff.split_inclusive('\n').skip(2) {
        let line = line.trim_end_matches('\n');
        if let Some(header) = line.strip_prefix("@@ -") {
            let mut spans = header.split(['+', '@']).map(|span| {
                let mut numbers = span
                    .trim()
                    .split(',')
                    .map(|number| number.parse().unwrap_or(0));
                (numbers.next().unwrap_or(0), numbers.next().unwrap_or(1))
            });
            let (old_start, old_lines) = spans.next().unwrap_or_default();
            let (new_start, new_lines) = spans.next().unwrap_or_default();
            hunks.push(DiffHunk {
                old_start,
                old_lines,
                new_start,
                new_lines,
                lines: vec![],
            });
        } else if let Some(hunk) = hunks.last_mut() {
            // The files are changed by edits; this is to be read.
            hunk.lines.push(if line.len() > LONGEST_LINE {
                shortened(line)
            } else {
                line.to_owned()
            });
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_line_and_byte() {
        let spot = |(line, column): &(u32, u32)| Spot {
            line: *line,
            column: *column,
            writing: Writing::Plain,
        };
        let spots = |all: &[(u32, u32)]| all.iter().map(spot).collect();
        let text = "\u{feff}run();\r\nä run();\r\n".as_bytes();
        let edits =
            edits(text, "a", spots(&[(1, 0), (2, 3), (2, 3)]), "run", "start").expect("there");
        let changed = crate::change::edit::apply(text, &edits).expect("applied");
        assert_eq!(
            String::from_utf8(changed).expect("text"),
            "\u{feff}start();\r\nä start();\r\n"
        );
        assert!(
            super::edits(b"runs()", "a", spots(&[(1, 0)]), "run", "start").is_err(),
            "another name"
        );
        assert!(
            super::edits(b"", "a", spots(&[(3, 0)]), "run", "start").is_err(),
            "no such line"
        );
    }

    #[test]
    fn one_word_for_a_field_and_its_value_becomes_two() {
        let text = b"Cfg { ref width, height }";
        let spot = |column, writing| {
            vec![Spot {
                line: 1,
                column,
                writing,
            }]
        };
        for (spots, name, expected) in [
            (
                spot(10, Writing::Field(6)),
                "width",
                "Cfg { w: ref width, height }",
            ),
            (
                spot(17, Writing::Field(17)),
                "height",
                "Cfg { ref width, w: height }",
            ),
            (
                spot(17, Writing::Value),
                "height",
                "Cfg { ref width, height: w }",
            ),
        ] {
            let edits = edits(text, "a", spots, name, "w").expect("there");
            let changed = crate::change::edit::apply(text, &edits).expect("applied");
            assert_eq!(String::from_utf8(changed).expect("text"), expected);
        }
    }

    #[test]
    fn credentials_are_marked_where_the_diff_shows_them() {
        let text = "run();\npassword = \"Tangerine-9\"\n\n\n\n\n\n\n\n\ntoken = \"a1b2c3d4e5f6a7b8c9d0\"\n";
        let edits = [Edit {
            range: 0..3,
            replacement: "start".to_owned(),
        }];
        let shown = shown("src/a.py", None, text.as_bytes(), &edits).expect("a diff");
        assert_eq!(
            shown.secrets,
            [SecretMark {
                line: 2,
                kind: "password".to_owned()
            }]
        );
    }

    #[test]
    fn a_diff_is_taken_apart_into_hunks() {
        let text = "one\ntwo\nthree\n";
        let diff = unified(
            "a",
            text,
            &[Edit {
                range: 4..7,
                replacement: "2".to_owned(),
            }],
        )
        .expect("made");
        let hunks = hunks(&diff);
        assert_eq!(hunks.len(), 1);
        assert_eq!(
            (
                hunks[0].old_start,
                hunks[0].old_lines,
                hunks[0].new_start,
                hunks[0].new_lines
            ),
            (1, 3, 1, 3)
        );
        assert_eq!(hunks[0].lines, [" one", "-two", "+2", " three"]);
    }
}
