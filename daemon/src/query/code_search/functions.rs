//! Selects the functions that hits for a report show: once the right file is found, the code to change is in one of its
//! functions.

use crate::index::snapshot::Snapshot;
use crate::search::rank::{RankedChunk, chunk_at};
use crate::search::report::Report;
use crate::search::report::functions::FunctionRanker;
use crate::search::text_cache::TextCache;

/// Files whose functions are ranked.
const MAX_FILES: usize = 12;
/// Larger files are not ranked: they are generated, or data.
const LARGEST: usize = 1 << 20;

/// Replaces the chunks of the first files with functions: the n-th chunk of a file becomes its n-th best function. The functions
/// of a stack trace stay as they are.
pub fn select(
    ranked: &mut [RankedChunk],
    snapshot: &Snapshot,
    texts: &TextCache<'_>,
    report: &Report,
) {
    let by_report = FunctionRanker::new(report);
    let mut files: Vec<(usize, std::vec::IntoIter<usize>)> = vec![];
    let is_framed = |one: &RankedChunk| one.evidence.location > 0.0;
    let framed: Vec<(usize, Option<usize>)> = ranked
        .iter()
        .filter(|one| is_framed(one))
        .map(|one| (one.file, one.symbol))
        .collect();
    for one in ranked.iter_mut().filter(|one| !is_framed(one)) {
        let at = match files.iter().position(|(file, _)| *file == one.file) {
            Some(at) => at,
            None if files.len() == MAX_FILES => continue,
            None => {
                let mut functions = rank_functions(&by_report, one.file, snapshot, texts);
                functions.retain(|function| !framed.contains(&(one.file, Some(*function))));
                files.push((one.file, functions.into_iter()));
                files.len() - 1
            }
        };
        let outline = &snapshot.files[one.file].outline;
        let Some(function) = files[at].1.next() else {
            continue;
        };
        let start = outline.symbols[function].start_byte;
        if let Some(chunk) = chunk_at(&outline.chunks, start) {
            if one.symbol != Some(function) {
                describe_named(one, report.names(&outline.symbols[function].name));
            }
            (one.chunk, one.symbol) = (chunk, Some(function));
            one.is_whole_symbol = true;
        }
    }
}

/// Replaces the evidence that the symbol of a chunk is named by that of another function.
fn describe_named(one: &mut RankedChunk, is_named: bool) {
    one.evidence.exact = 0.0;
    one.evidence.name = 0.0;
    one.evidence.mentioned_location = if is_named { 1.0 } else { 0.0 };
}

fn rank_functions(
    by_report: &FunctionRanker<'_>,
    file: usize,
    snapshot: &Snapshot,
    texts: &TextCache<'_>,
) -> Vec<usize> {
    let indexed = &snapshot.files[file];
    let Some(text) = texts.file(file).filter(|text| text.is_as_indexed) else {
        return vec![];
    };
    if text.whole().len() > LARGEST {
        return vec![];
    }
    by_report.rank(&indexed.path, &indexed.outline.symbols, |symbol| {
        let offset = |byte: u32| (byte as usize).saturating_sub(text.start);
        text.whole()
            .get(offset(symbol.start_byte)..offset(symbol.end_byte))
    })
}
