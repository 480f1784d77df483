//! `map_code`: the folders, files and signatures of a root. What fits is cut later, by how connected symbols are.

use std::collections::BTreeMap;

use claudevil_protocol::ToolError;
use claudevil_protocol::model::map_code::{CodeMap, FolderCount, MapCode, MapDetail, MapFile, MapSymbol};
use claudevil_protocol::model::symbol::SymbolKind;
use claudevil_protocol::model::{Answer, Params};

use super::Context;
use super::connections::{self, Connections};
use super::indexed::{self, Indexed};
use crate::extract::facts::Symbol;
use crate::index::snapshot::IndexedFile;

/// What is sent at most, before it is cut to the budget: no budget shows more.
const MOST_SYMBOLS: usize = 6000;
/// Where so many files are shown, how connected symbols are is worked out for all there are, and kept.
const MANY_FILES: usize = 256;

pub fn map_code(context: &Context, params: &MapCode) -> Result<CodeMap, ToolError> {
    let language = indexed::language(params.language.as_deref())?;
    let indexed = Indexed::of(context)?.once_whole(context)?;
    let path = indexed.path(params.path.as_deref())?;
    let detail = params.detail.unwrap_or_default();
    let snapshot = &indexed.snapshot;
    let single = snapshot.place(&path);
    let places = single.map_or_else(|| snapshot.places_beneath(&path), |place| place..place + 1);
    let is_shown = |place: &usize| single.is_some() || indexed::is_in(&snapshot.files[*place], language);
    let files: Vec<(usize, &IndexedFile)> =
        places.filter(is_shown).map(|place| (place, &*snapshot.files[place])).collect();
    if files.is_empty() && !path.is_empty() {
        return Err(indexed.not_indexed(&path));
    }
    let depth = params.depth.map(|depth| depth as usize);
    let mut near = vec![];
    let mut folders = BTreeMap::<String, FolderCount>::new();
    for (place, file) in &files {
        match folder_beyond(&file.path, &path, depth) {
            Some(folder) => count(&mut folders, folder, file),
            None => near.push((*place, *file)),
        }
    }
    let mut connections = Connections::new(snapshot)?;
    let are_many = detail != MapDetail::Files && near.len() > MANY_FILES;
    let of_all = are_many.then(|| connections::of_all(snapshot)).transpose()?;
    let mut weighed: Vec<(&IndexedFile, Vec<u32>)> = vec![];
    for (place, file) in near {
        context.cancel.check()?;
        let symbols = if detail == MapDetail::Files { &[][..] } else { &file.outline.symbols };
        let weights = symbols.iter().enumerate().map(|(at, symbol)| {
            let mentions = of_all.map_or_else(|| connections.mentions(&symbol.name), |all| all[place][at]);
            weight(symbol, mentions)
        });
        weighed.push((file, weights.collect()));
    }
    let least = least_weight(&weighed);
    if let Some(least) = least {
        // Where so much is in the files, those that have nothing of weight are only counted.
        weighed.retain(|(file, weights)| {
            let has_weight = weights.iter().any(|weight| *weight > least);
            if !has_weight {
                let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
                count(&mut folders, folder.to_owned(), file);
            }
            has_weight
        });
    }
    let shown: Vec<MapFile> = weighed.iter().map(|(file, weights)| describe(file, detail, weights, least)).collect();
    let mut map = CodeMap {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.shared().max_tokens,
        freshness: indexed.freshness.clone(),
        path,
        detail,
        depth: params.depth,
        language: language.map(|language| language.id.to_owned()),
        total_files: files.len() as u64,
        total_symbols: files.iter().map(|(_, file)| file.outline.symbols.len() as u64).sum(),
        files: shown,
        folders: folders.into_values().collect(),
        truncated: false,
    };
    // Each takes a token at least: more cannot be shown, and need not be sent.
    map.keep(map.max_tokens as usize);
    Ok(map)
}

/// The folder in which a file is counted rather than shown, if it lies that deep.
fn folder_beyond(file: &str, top: &str, depth: Option<usize>) -> Option<String> {
    let below = file.strip_prefix(top)?.trim_start_matches('/');
    let folders: Vec<&str> = below.split('/').collect();
    let depth = depth.filter(|depth| folders.len() > *depth)?;
    let inside = folders[..depth].join("/");
    Some(if top.is_empty() { inside } else { format!("{top}/{inside}") })
}

/// Adds a file to what is counted of a folder.
fn count(folders: &mut BTreeMap<String, FolderCount>, folder: String, file: &IndexedFile) {
    let count =
        folders.entry(folder).or_insert_with_key(|path| FolderCount { path: path.clone(), files: 0, symbols: 0 });
    count.files += 1;
    count.symbols += file.outline.symbols.len() as u64;
}

/// A file with those of its symbols that weigh enough. Something around what stays, stays.
fn describe(file: &IndexedFile, detail: MapDetail, weights: &[u32], least: Option<u32>) -> MapFile {
    let mut levels: Vec<u32> = vec![];
    for symbol in &file.outline.symbols {
        levels.push(symbol.parent.map_or(0, |parent| levels[parent as usize] + 1));
    }
    let mut stays: Vec<bool> = weights.iter().map(|weight| least.is_none_or(|least| *weight > least)).collect();
    let mut level = 0;
    for (stays, own) in stays.iter_mut().zip(&levels).rev() {
        if *stays || *own < level {
            *stays = true;
            level = *own;
        }
    }
    let shown = |((at, symbol), level): ((usize, &Symbol), &u32)| {
        stays.get(at).is_some_and(|stays| *stays).then(|| MapSymbol {
            name: symbol.name.to_string(),
            kind: symbol.kind,
            start_line: symbol.start_line,
            end_line: symbol.end_line,
            level: *level,
            signature: symbol.signature.to_string(),
            doc: (detail == MapDetail::Full && !symbol.doc.is_empty()).then(|| first_sentence(&symbol.doc)),
            weight: weights[at],
        })
    };
    MapFile {
        path: file.path.clone(),
        language: file.language.map(|language| language.id.to_owned()),
        lines: file.skip().is_none().then_some(u64::from(file.outline.lines.total)),
        total_symbols: file.outline.symbols.len() as u64,
        symbols: file.outline.symbols.iter().enumerate().zip(&levels).filter_map(shown).collect(),
    }
}

fn first_sentence(doc: &str) -> String {
    doc.split_inclusive(". ").next().unwrap_or(doc).trim().to_owned()
}

/// How connected a symbol is.
fn weight(symbol: &Symbol, mentions: u32) -> u32 {
    // Parts of a type share common names; the type itself says more.
    match symbol.kind {
        SymbolKind::Field | SymbolKind::Property | SymbolKind::Variant | SymbolKind::Key => mentions / 4,
        SymbolKind::Method | SymbolKind::Constant | SymbolKind::Variable => mentions / 2,
        _ => mentions,
    }
}

/// A large root has more symbols than any answer shows: only those that weigh more than this are sent.
fn least_weight(files: &[(&IndexedFile, Vec<u32>)]) -> Option<u32> {
    let mut weights: Vec<u32> = files.iter().flat_map(|(_, weights)| weights).copied().collect();
    if weights.len() <= MOST_SYMBOLS {
        return None;
    }
    let (_, least, _) = weights.select_nth_unstable_by_key(MOST_SYMBOLS, |weight| std::cmp::Reverse(*weight));
    Some(*least)
}
