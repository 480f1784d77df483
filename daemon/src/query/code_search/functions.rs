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

/// Replaces the chunks of the first files with functions: the n-th chunk of a file becomes its n-th best function.
pub fn select(
    ranked: &mut [RankedChunk],
    snapshot: &Snapshot,
    texts: &TextCache<'_>,
    report: &Report,
) {
    let by_report = FunctionRanker::new(report);
    let mut files: Vec<(usize, std::vec::IntoIter<usize>)> = vec![];
    for one in ranked {
        let at = match files.iter().position(|(file, _)| *file == one.file) {
            Some(at) => at,
            None if files.len() == MAX_FILES => continue,
            None => {
                let functions = rank_functions(&by_report, one.file, snapshot, texts);
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
            (one.chunk, one.symbol) = (chunk, Some(function));
            one.is_whole_symbol = true;
        }
    }
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
