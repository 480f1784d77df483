//! `map_code`: the folders, files and signatures of a root. What fits is cut later, by how connected symbols are.

use claudevil_protocol::ToolError;
use claudevil_protocol::model::Params;
use claudevil_protocol::model::map_code::{CodeMap, FolderCount, MapCode, MapDetail, MapFile, MapSymbol};
use claudevil_protocol::model::symbol::SymbolKind;
use std::collections::BTreeMap;
use tantivy::Term;

use super::Context;
use super::indexed::{self, Indexed};
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::store::text;

/// What is sent at most, before it is cut to the budget: no budget shows more.
const MOST_SYMBOLS: usize = 6000;

pub fn map_code(context: &Context, params: &MapCode) -> Result<CodeMap, ToolError> {
    let language = indexed::language(params.language.as_deref())?;
    let indexed = Indexed::of(context)?.once_whole(context)?;
    let path = indexed.path(params.path.as_deref())?;
    let detail = params.detail.unwrap_or_default();
    let single = indexed.snapshot.file(&path);
    let files: Vec<_> = match single {
        Some(file) => vec![file],
        None => indexed.snapshot.beneath(&path).iter().filter(|file| indexed::is_in(file, language)).collect(),
    };
    if files.is_empty() && !path.is_empty() {
        return Err(indexed.not_indexed(&path));
    }
    let mut connections = Connections::new(&indexed.snapshot);
    let depth = params.depth.map(|depth| depth as usize);
    let mut shown = vec![];
    let mut folders = BTreeMap::<String, FolderCount>::new();
    for file in &files {
        context.cancel.check()?;
        match folder_beyond(&file.path, &path, depth) {
            Some(folder) => {
                let count = folders.entry(folder.clone()).or_insert(FolderCount { path: folder, files: 0, symbols: 0 });
                count.files += 1;
                count.symbols += file.outline.symbols.len() as u64;
            }
            None => shown.push(describe(file, detail, &mut connections)),
        }
    }
    keep_best(&mut shown);
    Ok(CodeMap {
        root: indexed.root.path,
        root_name: indexed.root.name,
        max_tokens: params.shared().max_tokens,
        freshness: indexed.freshness,
        path,
        detail,
        depth: params.depth,
        language: language.map(|language| language.id.to_owned()),
        total_files: files.len() as u64,
        total_symbols: files.iter().map(|file| file.outline.symbols.len() as u64).sum(),
        files: shown,
        folders: folders.into_values().collect(),
        truncated: false,
    })
}

/// The folder in which a file is counted rather than shown, if it lies that deep.
fn folder_beyond(file: &str, top: &str, depth: Option<usize>) -> Option<String> {
    let below = file.strip_prefix(top)?.trim_start_matches('/');
    let folders: Vec<&str> = below.split('/').collect();
    let depth = depth.filter(|depth| folders.len() > *depth)?;
    let inside = folders[..depth].join("/");
    Some(if top.is_empty() { inside } else { format!("{top}/{inside}") })
}

fn describe(file: &IndexedFile, detail: MapDetail, connections: &mut Connections) -> MapFile {
    let mut levels: Vec<u32> = vec![];
    let mut symbols = vec![];
    for symbol in &file.outline.symbols {
        let level = symbol.parent.map_or(0, |parent| levels[parent as usize] + 1);
        levels.push(level);
        if detail == MapDetail::Files {
            continue;
        }
        symbols.push(MapSymbol {
            name: symbol.name.to_string(),
            kind: symbol.kind,
            start_line: symbol.start_line,
            end_line: symbol.end_line,
            level,
            signature: symbol.signature.to_string(),
            doc: (detail == MapDetail::Full && !symbol.doc.is_empty()).then(|| first_sentence(&symbol.doc)),
            weight: connections.weight(&symbol.name, symbol.kind),
        });
    }
    MapFile {
        path: file.path.clone(),
        language: file.language.map(|language| language.id.to_owned()),
        lines: file.skip().is_none().then_some(u64::from(file.outline.lines.total)),
        total_symbols: file.outline.symbols.len() as u64,
        symbols,
    }
}

fn first_sentence(doc: &str) -> String {
    doc.split_inclusive(". ").next().unwrap_or(doc).trim().to_owned()
}

/// How often a name is written in the root, in chunks that hold it.
struct Connections<'a> {
    snapshot: &'a Snapshot,
    known: BTreeMap<String, u32>,
}

impl<'a> Connections<'a> {
    fn new(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, known: BTreeMap::new() }
    }

    fn weight(&mut self, name: &str, kind: SymbolKind) -> u32 {
        let lower = name.to_lowercase();
        let snapshot = self.snapshot;
        let count = *self.known.entry(lower).or_insert_with_key(|lower| {
            let Some(text::TextView { searcher, .. }) = &snapshot.text else { return 0 };
            let term = Term::from_field_text(text::fields().body, lower);
            searcher.doc_freq(&term).map_or(0, |count| u32::try_from(count).unwrap_or(u32::MAX))
        });
        // Parts of a type share common names; the type itself says more.
        match kind {
            SymbolKind::Field | SymbolKind::Property | SymbolKind::Variant | SymbolKind::Key => count / 4,
            SymbolKind::Method | SymbolKind::Constant | SymbolKind::Variable => count / 2,
            _ => count,
        }
    }
}

/// A large root has more symbols than any answer shows: only the best are sent.
fn keep_best(files: &mut [MapFile]) {
    let mut weights: Vec<u32> = files.iter().flat_map(|file| file.symbols.iter().map(|symbol| symbol.weight)).collect();
    if weights.len() <= MOST_SYMBOLS {
        return;
    }
    weights.sort_unstable_by_key(|weight| std::cmp::Reverse(*weight));
    let least = weights[MOST_SYMBOLS];
    for file in files {
        // Something around what stays, stays.
        let mut keep: Vec<bool> = file.symbols.iter().map(|symbol| symbol.weight > least).collect();
        let mut level = 0;
        for at in (0..file.symbols.len()).rev() {
            let own = file.symbols[at].level;
            if keep[at] {
                level = own;
            } else if own < level {
                keep[at] = true;
                level = own;
            }
        }
        let mut keep = keep.into_iter();
        file.symbols.retain(|_| keep.next().unwrap_or(false));
    }
}
