//! `map_code`: the folders, files and signatures of a root. The answer is cut to its budget later, by the weights of symbols.

use std::borrow::Cow;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::Answer;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::map_code::{
    CodeMap, FolderCount, MapCode, MapDetail, MapFile, MapSymbol,
};

use super::Context;
use super::shared::languages::{is_in_language, parse_language};
use super::shared::loaded_root::LoadedRoot;
use super::shared::mention_counts::{MentionCounts, all_weights};
use crate::extract::facts::Symbol;
use crate::index::path_words::PathConvention;
use crate::index::snapshot::{IndexedFile, Snapshot};

/// The fewest tokens that a file or a symbol takes, nearly always.
const FEWEST_TOKENS: usize = 3;
/// If there are fewer symbols than this, all are sent: symbols of equal weight are sent or cut together, and in a small set
/// they may be the majority.
const FEW_SYMBOLS: usize = 2000;
/// For more files than this, the weights of the whole root are computed and cached.
const MANY_FILES: usize = 256;
/// By this the weights of symbols in tests are divided.
const TEST_DIVISOR: u32 = 16;

pub fn map_code(context: &Context, params: &MapCode) -> Result<CodeMap, ToolError> {
    let language = parse_language(params.language.as_deref())?;
    let indexed = LoadedRoot::open(context)?.wait_until_complete(context)?;
    let path = indexed.path(params.path.as_deref())?;
    let detail = params.detail.unwrap_or_default();
    let snapshot = &indexed.snapshot;
    let single = snapshot.place(&path);
    let places = single.map_or_else(|| snapshot.places_beneath(&path), |place| place..place + 1);
    let is_shown =
        |place: &usize| single.is_some() || is_in_language(&snapshot.files[*place], language);
    let files: Vec<(usize, &IndexedFile)> = places
        .filter(is_shown)
        .map(|place| (place, &*snapshot.files[place]))
        .collect();
    if files.is_empty() && !path.is_empty() {
        return Err(indexed.not_indexed(&path));
    }
    if single.is_some() {
        indexed.file_with_symbols(&path)?;
    }
    let depth = params.depth.map(|depth| depth as usize);
    let mut near = vec![];
    let mut folders = FolderCounts::default();
    for (place, file) in &files {
        match folder_beyond(&file.path, &path, depth) {
            Some(folder) => folders.count(folder, file),
            None => near.push((*place, *file)),
        }
    }
    let mut weighed = weigh(context, snapshot, near, detail)?;
    lower_tests(&mut weighed);
    // More symbols do not fit into the answer.
    let most = params.common().max_tokens as usize / FEWEST_TOKENS;
    let least = least_weight(&weighed, most.max(FEW_SYMBOLS));
    let mut shown = vec![];
    for (file, weights) in &weighed {
        // Files without a symbol above the least weight are only counted.
        if least.is_some_and(|least| weights.iter().all(|weight| *weight <= least)) {
            folders.count(
                file.path.rsplit_once('/').map_or("", |(folder, _)| folder),
                file,
            );
        } else {
            shown.push(describe_file(file, detail, weights, least));
        }
    }
    let mut map = CodeMap {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness: indexed.freshness.clone(),
        path,
        detail,
        depth: params.depth,
        language: language.map(|language| language.id.to_owned()),
        total_files: files.len() as u64,
        total_symbols: files
            .iter()
            .map(|(_, file)| file.outline.symbols.len() as u64)
            .sum(),
        files: shown,
        folders: folders.sorted_by_path(),
        truncated: least.is_some(),
    };
    map.keep(most);
    Ok(map)
}

/// A file with the weight of each symbol.
type WeighedFile<'a> = (&'a IndexedFile, Cow<'a, [u32]>);

fn weigh<'a>(
    context: &Context,
    snapshot: &'a Snapshot,
    files: Vec<(usize, &'a IndexedFile)>,
    detail: MapDetail,
) -> Result<Vec<WeighedFile<'a>>, ToolError> {
    if detail == MapDetail::Files {
        return Ok(files
            .into_iter()
            .map(|(_, file)| (file, Cow::Borrowed(&[][..])))
            .collect());
    }
    if files.len() > MANY_FILES {
        let all = all_weights(snapshot)?;
        return Ok(files
            .into_iter()
            .map(|(place, file)| (file, Cow::Borrowed(&*all[place])))
            .collect());
    }
    let mut counts = MentionCounts::new(snapshot)?;
    let weighed = files.into_iter().map(|(_, file)| {
        context.cancel.check()?;
        Ok((file, Cow::Owned(counts.weights(file).into_vec())))
    });
    weighed.collect()
}

/// Lowers the weights of tests and copies, unless there is nothing else: their short names are mentioned everywhere, as other
/// things.
fn lower_tests(files: &mut [WeighedFile<'_>]) {
    let is_lower = |file: &IndexedFile| {
        let conventions = file.path_words().conventions;
        conventions.contains(PathConvention::Test) || conventions.contains(PathConvention::Copy)
    };
    if files.iter().all(|(file, _)| is_lower(file)) {
        return;
    }
    for (_, weights) in files.iter_mut().filter(|(file, _)| is_lower(file)) {
        for weight in weights.to_mut() {
            *weight /= TEST_DIVISOR;
        }
    }
}

/// Returns the folder in which a file is only counted, if the file is deeper than `depth` below `top`.
fn folder_beyond<'a>(file: &'a str, top: &str, depth: Option<usize>) -> Option<&'a str> {
    let below = file.strip_prefix(top)?.trim_start_matches('/');
    let (end, _) = below.match_indices('/').nth(depth?.checked_sub(1)?)?;
    Some(&file[..file.len() - below.len() + end])
}

/// Counts of files and symbols by folder. Files of one folder are mostly consecutive, so only the last count is compared.
#[derive(Default)]
struct FolderCounts<'a>(Vec<(&'a str, u64, u64)>);

impl<'a> FolderCounts<'a> {
    fn count(&mut self, folder: &'a str, file: &IndexedFile) {
        let symbols = file.outline.symbols.len() as u64;
        match self.0.last_mut() {
            Some(last) if last.0 == folder => *last = (folder, last.1 + 1, last.2 + symbols),
            _ => self.0.push((folder, 1, symbols)),
        }
    }

    fn sorted_by_path(mut self) -> Vec<FolderCount> {
        self.0.sort_unstable();
        let mut counts: Vec<FolderCount> = vec![];
        for (path, files, symbols) in self.0 {
            match counts.last_mut() {
                Some(last) if last.path == path => {
                    last.files += files;
                    last.symbols += symbols;
                }
                _ => counts.push(FolderCount {
                    path: path.to_owned(),
                    files,
                    symbols,
                }),
            }
        }
        counts
    }
}

/// Describes a file with the symbols above a weight, and the containers of those.
fn describe_file(
    file: &IndexedFile,
    detail: MapDetail,
    weights: &[u32],
    least: Option<u32>,
) -> MapFile {
    let mut levels: Vec<u32> = vec![];
    for symbol in &file.outline.symbols {
        levels.push(
            symbol
                .parent
                .map_or(0, |parent| levels[parent as usize] + 1),
        );
    }
    let mut is_sent: Vec<bool> = weights
        .iter()
        .map(|weight| least.is_none_or(|least| *weight > least))
        .collect();
    let mut level = 0;
    for (is_sent, own) in is_sent.iter_mut().zip(&levels).rev() {
        if *is_sent || *own < level {
            *is_sent = true;
            level = *own;
        }
    }
    let shown = |((at, symbol), level): ((usize, &Symbol), &u32)| {
        is_sent
            .get(at)
            .is_some_and(|is_sent| *is_sent)
            .then(|| MapSymbol {
                name: symbol.name.to_string(),
                kind: symbol.kind,
                start_line: symbol.start_line,
                end_line: symbol.end_line,
                level: *level,
                signature: symbol.signature.to_string(),
                doc: (detail == MapDetail::Full && !symbol.doc.is_empty())
                    .then(|| first_sentence(&symbol.doc)),
                weight: weights[at],
            })
    };
    MapFile {
        path: file.path.clone(),
        language: file.language.map(|language| language.id.to_owned()),
        lines: file
            .skip()
            .is_none()
            .then_some(u64::from(file.outline.lines.total)),
        total_symbols: file.outline.symbols.len() as u64,
        symbols: file
            .outline
            .symbols
            .iter()
            .enumerate()
            .zip(&levels)
            .filter_map(shown)
            .collect(),
    }
}

fn first_sentence(doc: &str) -> String {
    doc.split_inclusive(". ")
        .next()
        .unwrap_or(doc)
        .trim()
        .to_owned()
}

/// Returns the weight above which symbols are sent, if there are more than an answer can show.
fn least_weight(files: &[WeighedFile<'_>], most: usize) -> Option<u32> {
    let mut weights: Vec<u32> = files
        .iter()
        .flat_map(|(_, weights)| weights.iter())
        .copied()
        .collect();
    if weights.len() <= most {
        return None;
    }
    let (_, least, _) =
        weights.select_nth_unstable_by_key(most, |weight| std::cmp::Reverse(*weight));
    Some(*least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;

    #[test]
    fn symbols_of_tests_are_cut_first_unless_only_tests_are_asked_for() {
        let files = Files::new(
            "python",
            &[
                ("lib/run.py", "def run(): pass\n"),
                ("tests/test_run.py", "def env(): pass\n"),
            ],
        );
        let all = &files.snapshot.files;
        let weighed = |places: &[usize]| {
            let weigh = |place: &usize| (&*all[*place], Cow::Owned(vec![160]));
            let mut weighed: Vec<WeighedFile<'_>> = places.iter().map(weigh).collect();
            lower_tests(&mut weighed);
            let weights = weighed.iter().map(|(_, weights)| weights[0]);
            weights.collect::<Vec<_>>()
        };
        assert_eq!(weighed(&[0, 1]), [160, 10]);
        assert_eq!(weighed(&[1]), [160]);
    }
}
