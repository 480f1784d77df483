//! `search_structure`: code by its syntax, from a pattern with holes.

use claudevil_protocol::ToolError;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::search_structure::{
    HoleValue, SearchStructure, StructureCursor, StructureHit, StructureResults, cursor_after,
};

use super::Context;
use super::shared::graph_root::GraphRoot;
use super::shared::paging::decode_cursor;
use super::shared::structure::{Candidates, FileChoice};
use crate::extract::code_pattern::{PatternSpec, PatternSyntax, StructureMatch};
use crate::extract::spans::ByteSpan;
use crate::index::snapshot::IndexedFile;

/// Files whose texts are in memory at once: few at first, then as many as the rest of the page is expected to take, because
/// what is parsed beyond it is parsed again for the next page.
const FIRST_BATCH: usize = 32;
const SMALLEST_BATCH: usize = 16;
const LARGEST_BATCH: usize = 128;
const MAX_PER_FILE: u32 = 2000;
const LONGEST_TEXT: usize = 400;
const LONGEST_HOLE: usize = 120;

pub fn search_structure(
    context: &Context,
    params: &SearchStructure,
) -> Result<StructureResults, ToolError> {
    let root = GraphRoot::open(context)?;
    let spec = PatternSpec {
        pattern: params.pattern.clone(),
        syntax: if params.is_query == Some(true) {
            PatternSyntax::Query
        } else {
            PatternSyntax::Code
        },
        inside: params.inside.clone(),
        not_inside: params.not_inside.clone(),
        most: MAX_PER_FILE,
        ..PatternSpec::default()
    };
    let choice = FileChoice {
        language: params.language.as_deref(),
        path: params.path.as_deref(),
    };
    let candidates = Candidates::choose(context, &root, &spec, &choice)?;
    let after = decode_cursor(params.cursor.as_deref(), StructureCursor::decode)?;
    let files = &root.indexed.snapshot.files;
    let is_ahead = |place: &&usize| {
        let path = &files[**place].path;
        after.as_ref().is_none_or(|last| *path >= last.path)
    };
    let places: Vec<usize> = candidates.places.iter().filter(is_ahead).copied().collect();
    let limit = params.limit() as usize;
    let (mut hits, mut parsed, mut is_cut) = (vec![], 0_u64, false);
    let mut ahead = places.as_slice();
    let mut start = |batch: usize| {
        let (now, later) = ahead.split_at(batch.min(ahead.len()));
        ahead = later;
        (!now.is_empty()).then(|| (now.len(), candidates.start(context, &root, now)))
    };
    let mut total_searched = 0;
    let mut next = None;
    while hits.len() <= limit {
        context.cancel.check()?;
        let missing = limit + 1 - hits.len();
        let running = next
            .take()
            .or_else(|| start(batch_size(total_searched, hits.len(), missing)));
        let Some((count, running)) = running else {
            break;
        };
        // The next files are searched meanwhile, unless these are expected to fill the page.
        if total_searched > 0 {
            let expected = (hits.len() * count).div_ceil(total_searched);
            let missing = missing.saturating_sub(expected);
            let size = batch_size(total_searched, hits.len(), missing);
            next = (missing > 0).then(|| start(size)).flatten();
        }
        total_searched += count;
        for searched in candidates.finish(context, running)? {
            let (file, start) = (&files[searched.place], searched.start);
            parsed += 1;
            is_cut |= searched.matches.is_cut;
            let last = after.as_ref().filter(|last| last.path == file.path);
            let mut before = None;
            for one in &searched.matches.matches {
                let earlier = match before {
                    Some((span, earlier)) if span == one.span => earlier + 1,
                    _ => 0,
                };
                before = Some((one.span, earlier));
                if last.is_none_or(|last| last.is_before(bytes_in_file(start, one), earlier)) {
                    let hit = describe(file, start, &searched.text, one);
                    hits.push(StructureHit { earlier, ..hit });
                }
            }
        }
    }
    let has_more = hits.len() > limit;
    hits.truncate(limit);
    Ok(StructureResults {
        root: root.indexed.root.path.clone(),
        root_name: root.indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness: root.indexed.freshness.clone(),
        pattern: params.pattern.clone(),
        is_query: params.is_query == Some(true),
        language: params.language.clone(),
        path: params.path.clone(),
        inside: params.inside.clone(),
        not_inside: params.not_inside.clone(),
        languages: candidates
            .languages
            .iter()
            .map(|one| one.id.to_owned())
            .collect(),
        cursor: hits.last().filter(|_| has_more).map(cursor_after),
        hits,
        total_files: candidates.total,
        parsed_files: parsed,
        skipped: candidates.skipped,
        is_cut,
        limit: params.limit(),
        truncated: false,
    })
}

/// Returns how many files to search next, from the hits in those that were searched.
fn batch_size(searched: usize, hits: usize, missing: usize) -> usize {
    if searched == 0 {
        return FIRST_BATCH;
    }
    (missing * searched)
        .div_ceil(hits.max(1))
        .clamp(SMALLEST_BATCH, LARGEST_BATCH)
}

fn describe(file: &IndexedFile, start: usize, text: &str, one: &StructureMatch) -> StructureHit {
    let line = |at: u32| {
        let before = &text.as_bytes()[..(at as usize).min(text.len())];
        u32::try_from(memchr::memchr_iter(b'\n', before).count() + 1).unwrap_or(u32::MAX)
    };
    let (from, to) = one.span;
    let (at, end) = bytes_in_file(start, one);
    let around = file.outline.symbols.iter().rev();
    let symbol = around
        .filter(|symbol| symbol.start_byte <= at && at < symbol.end_byte)
        .max_by_key(|symbol| symbol.start_byte);
    let holes = one.holes.iter().map(|hole| HoleValue {
        name: hole.name.to_string(),
        text: cut(text, hole.span, LONGEST_HOLE),
    });
    StructureHit {
        path: file.path.clone(),
        start_line: line(from),
        end_line: line(to.saturating_sub(1).max(from)),
        start_byte: at,
        end_byte: end,
        earlier: 0,
        text: cut(text, one.span, LONGEST_TEXT),
        symbol: symbol.map(|symbol| file.qualified(symbol)),
        holes: holes.collect(),
    }
}

/// Returns the bytes of a match in its file, whose text begins after a byte order mark of `start` bytes.
fn bytes_in_file(start: usize, one: &StructureMatch) -> ByteSpan {
    let start = u32::try_from(start).unwrap_or(0);
    (one.span.0 + start, one.span.1 + start)
}

fn cut(text: &str, (from, to): ByteSpan, longest: usize) -> String {
    let whole = text.get(from as usize..to as usize).unwrap_or_default();
    if whole.len() <= longest {
        return whole.to_owned();
    }
    format!("{}…", &whole[..whole.floor_char_boundary(longest)])
}
