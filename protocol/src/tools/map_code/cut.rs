//! Cuts a map that does not fit: the least connected symbols and files go first, then folders.
//!
//! The items of a map are ordered by value: the map itself, its folders from the outside in, then files and symbols. In a large
//! project folders alone would fill the map, so beyond a few they take at most half of it. The items that are kept stay in the
//! order of the tree. Files and symbols that are cut are still counted in the nearest folder that stays.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::{CodeMap, FolderCount, MapFile};

/// Number of folders that are kept before any file or symbol in them.
const FEW_FOLDERS: usize = 20;

pub fn items(map: &CodeMap) -> usize {
    let symbols: usize = map.files.iter().map(|file| file.symbols.len()).sum();
    1 + folders(map).len() + map.files.len() + symbols
}

pub fn keep(map: &mut CodeMap, items: usize) {
    let ranked = ranked_folders(map);
    let rest = items.saturating_sub(1);
    let most_folders = ranked
        .len()
        .min(rest)
        .min(FEW_FOLDERS.max(rest.div_ceil(2)));
    let rest = rest - most_folders;
    let kept: HashSet<_> = ranked_content(&map.files).into_iter().take(rest).collect();
    let cut = cut_content(&mut map.files, &kept);
    let open: HashSet<&str> = ranked[..most_folders].iter().map(String::as_str).collect();
    let counted = map
        .folders
        .iter()
        .map(|count| (count.path.as_str(), count.files, count.symbols));
    let cut = cut
        .iter()
        .map(|file| (folder_of(&file.path), 1, file.total_symbols));
    let mut merged = BTreeMap::<&str, (u64, u64)>::new();
    for (folder, files, symbols) in sums(counted.chain(cut)) {
        let into = merged.entry(nearest(folder, &map.path, &open)).or_default();
        *into = (into.0 + files, into.1 + symbols);
    }
    let counts = merged.into_iter();
    map.folders = counts
        .map(|(path, (files, symbols))| FolderCount {
            path: path.to_owned(),
            files,
            symbols,
        })
        .collect();
}

/// Adds up two numbers for each folder.
fn sums<'a>(all: impl Iterator<Item = (&'a str, u64, u64)>) -> Vec<(&'a str, u64, u64)> {
    // Entries of one folder are mostly adjacent and there are many files per folder, so runs are added up first.
    let mut runs: Vec<(&str, u64, u64)> = vec![];
    for (folder, one, other) in all {
        match runs.last_mut() {
            Some(last) if last.0 == folder => *last = (folder, last.1 + one, last.2 + other),
            _ => runs.push((folder, one, other)),
        }
    }
    runs
}

/// Returns the folder of a path; empty at the top.
pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns all folders below the one that is mapped.
fn folders(map: &CodeMap) -> HashSet<&str> {
    let direct = map.files.iter().map(|file| folder_of(&file.path));
    let counted = map.folders.iter().map(|count| count.path.as_str());
    let mut found = HashSet::new();
    for (folder, ..) in sums(direct.chain(counted).map(|folder| (folder, 0, 0))) {
        // If a folder is known, so are all folders around it.
        let _ =
            upwards(folder, &map.path).try_for_each(|around| found.insert(around).then_some(()));
    }
    found
}

/// Returns a folder and the folders around it, up to but excluding the one that is mapped.
fn upwards<'a>(folder: &'a str, top: &str) -> impl Iterator<Item = &'a str> {
    let top = top.len();
    std::iter::successors(Some(folder), |inner| Some(folder_of(inner)))
        .take_while(move |path| path.len() > top)
}

/// Ranks folders from the outside in, and among equals the most connected first.
fn ranked_folders(map: &CodeMap) -> Vec<String> {
    let mut weights: HashMap<&str, u64> =
        folders(map).into_iter().map(|folder| (folder, 0)).collect();
    for (folder, own, _) in sums(
        map.files
            .iter()
            .map(|file| (folder_of(&file.path), weight(file), 0)),
    ) {
        for around in upwards(folder, &map.path).filter(|_| own > 0) {
            *weights.entry(around).or_default() += own;
        }
    }
    let mut ranked: Vec<_> = weights.into_iter().collect();
    ranked
        .sort_by_cached_key(|(path, weight)| (path.matches('/').count(), Reverse(*weight), *path));
    ranked
        .into_iter()
        .map(|(path, _)| path.to_owned())
        .collect()
}

/// The name of a file, or one of its symbols, by index.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Content {
    File(usize),
    Symbol(usize, usize),
}

/// Ranks files and symbols, the most connected first. File names alone would fill the map of a large project, so each name is
/// followed by two symbols; each symbol brings its own file if that is missing.
fn ranked_content(files: &[MapFile]) -> Vec<Content> {
    let mut names: Vec<_> = (0..files.len()).collect();
    names.sort_by_cached_key(|&place| Reverse((weight(&files[place]), files[place].total_symbols)));
    let mut names = names.into_iter();
    let mut symbols = ranked_symbols(files).into_iter();
    let mut is_named = vec![false; files.len()];
    let mut ranked = vec![];
    loop {
        let before = ranked.len();
        let next = names.find(|&place| !is_named[place]);
        let two: Vec<_> = symbols.by_ref().take(2).collect();
        for (place, symbol) in next.map(|place| (place, None)).into_iter().chain(two) {
            if !std::mem::replace(&mut is_named[place], true) {
                ranked.push(Content::File(place));
            }
            ranked.extend(symbol.map(|symbol| Content::Symbol(place, symbol)));
        }
        if ranked.len() == before {
            return ranked;
        }
    }
}

/// Ranks symbols. A symbol ranks as high as the best symbol inside it, so that none is shown without its containers.
fn ranked_symbols(files: &[MapFile]) -> Vec<(usize, Option<usize>)> {
    let mut ranked = vec![];
    for (place, file) in files.iter().enumerate() {
        let mut worth: Vec<u32> = file.symbols.iter().map(|symbol| symbol.weight).collect();
        for (inner, outer) in containers(file).into_iter().enumerate().rev() {
            if let Some(outer) = outer {
                worth[outer] = worth[outer].max(worth[inner]);
            }
        }
        let rank = |(index, worth): (usize, u32)| {
            (Reverse(worth), file.symbols[index].level, place, index)
        };
        ranked.extend(worth.into_iter().enumerate().map(rank));
    }
    ranked.sort_unstable();
    ranked
        .into_iter()
        .map(|(_, _, place, index)| (place, Some(index)))
        .collect()
}

/// Returns the container of each symbol, by index.
fn containers(file: &MapFile) -> Vec<Option<usize>> {
    let mut around = vec![];
    let mut found = vec![];
    for (index, symbol) in file.symbols.iter().enumerate() {
        while around
            .last()
            .is_some_and(|&outer: &usize| file.symbols[outer].level >= symbol.level)
        {
            around.pop();
        }
        found.push(around.last().copied());
        around.push(index);
    }
    found
}

/// Removes all files and symbols but those kept, and returns them.
fn cut_content(files: &mut Vec<MapFile>, kept: &HashSet<Content>) -> Vec<MapFile> {
    let mut cut = vec![];
    for (place, mut file) in std::mem::take(files).into_iter().enumerate() {
        if !kept.contains(&Content::File(place)) {
            cut.push(file);
            continue;
        }
        let mut index = 0..;
        file.symbols.retain(|_| {
            index
                .next()
                .is_some_and(|index| kept.contains(&Content::Symbol(place, index)))
        });
        files.push(file);
    }
    cut
}

fn weight(file: &MapFile) -> u64 {
    file.symbols
        .iter()
        .map(|symbol| u64::from(symbol.weight))
        .sum()
}

/// Returns the innermost folder around a path that is kept.
fn nearest<'a>(path: &'a str, top: &'a str, open: &HashSet<&str>) -> &'a str {
    upwards(path, top)
        .find(|folder| open.contains(folder))
        .unwrap_or(top)
}
