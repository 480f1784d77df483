//! Cuts a map that does not fit: the least connected symbols and files go first, then folders.
//!
//! The items of a map are put in the order of their worth: the map itself, its folders from the outside in, then files
//! and symbols. Of a large project folders alone would fill the map: beyond a few they take half of it at most. Keeping
//! the first items leaves the rest in the order of the tree. What goes is still counted in the nearest folder that stays.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::{CodeMap, FolderCount, MapFile};

/// Folders that are shown before anything in them.
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

/// Two numbers of each folder, added up.
fn sums<'a>(all: impl Iterator<Item = (&'a str, u64, u64)>) -> Vec<(&'a str, u64, u64)> {
    // What is in one folder stands mostly side by side, and there are many files to a folder.
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
        // Around one that is known all are.
        let _ =
            upwards(folder, &map.path).try_for_each(|around| found.insert(around).then_some(()));
    }
    found
}

/// Returns a folder and those around it, up to but without the one that is mapped.
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

/// A file that is named, or a symbol of it, by their places.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Content {
    File(usize),
    Symbol(usize, usize),
}

/// Files and symbols, the most connected first. Names of files alone would fill the map of a large project and leave no
/// room for what is in them, so each name is followed by two symbols, which bring their own file where it is not there.
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

/// Ranks symbols. A symbol is worth as much as the best in it, so that none is shown without its containers.
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

/// Returns the symbol around each symbol.
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

/// Takes out all files and symbols but those kept.
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

/// Returns the innermost folder that stays open around a path.
fn nearest<'a>(path: &'a str, top: &'a str, open: &HashSet<&str>) -> &'a str {
    upwards(path, top)
        .find(|folder| open.contains(folder))
        .unwrap_or(top)
}
