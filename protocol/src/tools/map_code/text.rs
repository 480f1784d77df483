//! The text of `map_code`: folders by their path, files beneath them, symbols beneath those.

use std::collections::BTreeMap;

use crate::answer::freshness;
use crate::text::NextCall;
use crate::text::quantity::{count, grouped};
use crate::text::tokens::MOST_TOKENS;
use crate::text::{leading, one_line, signature, tokens};
use crate::tools::Tool;
use crate::tools::map_code::{CodeMap, FolderCount, MapCode, MapDetail, MapFile, MapSymbol};

pub fn write(map: &CodeMap) -> String {
    let mut text = vec![head(map)];
    text.extend(freshness::lines(&map.freshness));
    text.extend(lines(map).iter().map(Line::text));
    let mut text = text.join("\n");
    let sums = sums(map);
    // The last lines cost something too, but for the number that says so.
    let tokens = tokens::estimate(&text) + tokens::estimate(&sums) + 4;
    text = format!("{text}\n{sums}, {} tokens", grouped(tokens as u64));
    if map.truncated {
        text = format!("{text}\nmore: {}", next(map));
    }
    text
}

/// One line of the tree.
pub enum Line<'a> {
    /// A folder, and what of it is only counted.
    Folder {
        path: &'a str,
        files: usize,
        rest: Option<&'a FolderCount>,
    },
    File {
        file: &'a MapFile,
        indent: usize,
    },
    Symbol {
        symbol: &'a MapSymbol,
        indent: usize,
    },
}

impl Line<'_> {
    pub fn text(&self) -> String {
        match self {
            Self::Folder { path, files, rest } => folder_line(path, *files, *rest),
            Self::File { file, indent } => {
                format!("{:indent$}{}", "", file_line(file, *indent > 0))
            }
            Self::Symbol { symbol, indent } => {
                format!(
                    "{:indent$}{}  {}",
                    "",
                    symbol.start_line,
                    symbol_text(symbol)
                )
            }
        }
    }
}

/// The tree: a folder before what is in it, its files before its folders.
pub fn lines(map: &CodeMap) -> Vec<Line<'_>> {
    let mut folders = BTreeMap::<Vec<&str>, (&str, Vec<&MapFile>, Option<&FolderCount>)>::new();
    for file in &map.files {
        let path = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        folders
            .entry(parts(path))
            .or_insert((path, vec![], None))
            .1
            .push(file);
    }
    for count in &map.folders {
        folders
            .entry(parts(&count.path))
            .or_insert((&count.path, vec![], None))
            .2 = Some(count);
    }
    let mut lines = vec![];
    for (path, mut files, rest) in folders.into_values() {
        // An outline of one file is headed by the file.
        let is_outline = files.iter().any(|file| file.path == map.path);
        let is_headed = !is_outline && (!path.is_empty() || rest.is_some());
        if is_headed {
            lines.push(Line::Folder {
                path,
                files: files.len(),
                rest,
            });
        }
        let indent = if is_headed && !path.is_empty() { 2 } else { 0 };
        files.sort_by(|one, other| one.path.cmp(&other.path));
        for file in files {
            lines.push(Line::File { file, indent });
            let beneath = |symbol: &MapSymbol| indent + 2 + 2 * symbol.level as usize;
            lines.extend(file.symbols.iter().map(|symbol| Line::Symbol {
                symbol,
                indent: beneath(symbol),
            }));
        }
    }
    lines
}

fn parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

fn head(map: &CodeMap) -> String {
    let place = if map.path.is_empty() {
        map.root_name.clone()
    } else {
        format!("{} in {}", one_line(&map.path), map.root_name)
    };
    let language = map
        .language
        .as_ref()
        .map_or_else(String::new, |language| format!(", {language} only"));
    format!("map of {place}{language}")
}

/// What is shown, of how much.
pub fn sums(map: &CodeMap) -> String {
    let (files, symbols) = (map.files.len() as u64, map.shown_symbols());
    let of = |shown: u64, total: u64, noun: &str| {
        if shown == total {
            count(total, noun)
        } else {
            format!("{} of {}", grouped(shown), count(total, noun))
        }
    };
    let symbols = match map.detail {
        MapDetail::Files => count(map.total_symbols, "symbol"),
        MapDetail::Signatures | MapDetail::Full => of(symbols, map.total_symbols, "symbol"),
    };
    format!("{}, {symbols}", of(files, map.total_files, "file"))
}

fn folder_line(path: &str, files: usize, rest: Option<&FolderCount>) -> String {
    let path = if path.is_empty() {
        "./".to_owned()
    } else {
        format!("{}/", leading(path))
    };
    let Some(rest) = rest else { return path };
    let (more, symbols) = (grouped(rest.files), count(rest.symbols, "symbol"));
    match (files, rest.files) {
        (0, files) => format!("{path}  {}, {symbols}", count(files, "file")),
        (_, 1) => format!("{path}  and 1 more file, {symbols}"),
        _ => format!("{path}  and {more} more files, {symbols}"),
    }
}

fn file_line(file: &MapFile, is_headed: bool) -> String {
    let path = if is_headed {
        file.path.rsplit('/').next().unwrap_or(&file.path)
    } else {
        &file.path
    };
    let mut line = leading(path);
    if let Some(lines) = file.lines {
        line = format!("{line}  {}", count(lines, "line"));
    }
    let shown = file.symbols.len() as u64;
    if shown == file.total_symbols {
        line
    } else if shown == 0 {
        format!("{line}  {}", count(file.total_symbols, "symbol"))
    } else {
        format!(
            "{line}  {} of {}",
            grouped(shown),
            count(file.total_symbols, "symbol")
        )
    }
}

/// A symbol as its own language writes it, and what its documentation says first.
pub fn symbol_text(symbol: &MapSymbol) -> String {
    let written = match symbol.signature.as_str() {
        "" => format!("{} {}", symbol.kind.as_str(), one_line(&symbol.name)),
        text => signature(text),
    };
    match &symbol.doc {
        Some(doc) => format!("{written}  // {}", signature(doc)),
        None => written,
    }
}

/// The same with the largest budget; beyond it, the folder or file of which most is missing.
pub fn next(map: &CodeMap) -> NextCall {
    let path = if map.max_tokens < MOST_TOKENS {
        &map.path
    } else {
        most_missing(map).unwrap_or(&map.path)
    };
    let detail = (map.detail != MapDetail::default()).then(|| map.detail.as_str());
    NextCall::new(MapCode::NAME)
        .with_some("path", (!path.is_empty()).then(|| path.clone()))
        .with_some("detail", detail)
        .with_some("depth", map.depth)
        .with_some("language", map.language.as_deref())
        .with("root", map.root_name.as_str())
        .with_budget(MOST_TOKENS)
}

/// Which folder or file lacks most, other than the one that is mapped.
pub fn most_missing(map: &CodeMap) -> Option<&String> {
    let folders = map
        .folders
        .iter()
        .map(|count| (count.symbols + count.files, &count.path));
    let files = map
        .files
        .iter()
        .map(|file| (file.total_symbols - file.symbols.len() as u64, &file.path));
    let narrower = folders
        .chain(files)
        .filter(|(missing, path)| *missing > 0 && **path != map.path);
    narrower
        .max_by_key(|(missing, _)| *missing)
        .map(|(_, path)| path)
}

#[cfg(test)]
mod tests;
