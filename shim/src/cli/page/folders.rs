//! The page of a map: folders, files and symbols as a tree.

use std::collections::{BTreeMap, BTreeSet};

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::text::escape::escape;
use claudevil_protocol::text::quantity::count;
use claudevil_protocol::text::signature;
use claudevil_protocol::tools::map_code::{CodeMap, MapFile};

use super::{Page, PageEdge, PageKind, PageNode};

/// All levels: the picture opens folders until it is full.
const ALL_LEVELS: u32 = 100;

/// Makes a page of a map. The source is added later.
pub fn map_page(map: &CodeMap) -> Page {
    let mut tree = Tree::default();
    let outlined = map.files.iter().find(|file| file.path == map.path);
    if let Some(file) = outlined {
        tree.add_file(file, None);
    } else {
        tree.add_folders(map);
    }
    if let Some(first) = tree.nodes.first_mut() {
        first.is_start = true;
    }
    let title = if map.path.is_empty() {
        &map.root_name
    } else {
        &map.path
    };
    Page {
        kind: PageKind::Map,
        title: escape(title),
        summary: format!("{}: {}", map.summary(), map.totals()),
        notes: notes(map),
        depth: ALL_LEVELS,
        nodes: tree.nodes,
        edges: tree.edges,
        sources: BTreeMap::new(),
    }
}

fn notes(map: &CodeMap) -> Vec<String> {
    let warnings = map.freshness.warnings();
    let mut notes: Vec<_> = warnings.iter().map(ToString::to_string).collect();
    let symbols = map.total_symbols.saturating_sub(map.shown_symbols());
    let files = map.total_files.saturating_sub(map.files.len() as u64);
    if symbols + files > 0 {
        notes.push(format!(
            "{} and {} left out of this page: the least connected",
            count(files, "file"),
            count(symbols, "symbol")
        ));
    }
    notes
}

#[derive(Default)]
struct Tree {
    nodes: Vec<PageNode>,
    edges: Vec<PageEdge>,
}

impl Tree {
    /// Adds each folder before what is in it, its files before its folders.
    fn add_folders(&mut self, map: &CodeMap) {
        let mut folders = BTreeSet::from([parts(&map.path)]);
        let mapped = folders.iter().next().map_or(0, Vec::len);
        let parents = map.files.iter().map(|file| parent(&file.path));
        for folder in parents.chain(map.folders.iter().map(|folder| folder.path.as_str())) {
            let folder = parts(folder);
            folders.extend((mapped..=folder.len()).map(|length| folder[..length].to_vec()));
        }
        let mut added: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
        for folder in folders {
            let path = folder.join("/");
            let above = folder.split_last().and_then(|(_, above)| added.get(above));
            let name = match (folder.last(), above) {
                (Some(last), Some(_)) => format!("{last}/"),
                (Some(_), None) => format!("{path}/"),
                (None, _) => map.root_name.clone(),
            };
            let files: Vec<_> = map
                .files
                .iter()
                .filter(|file| parent(&file.path) == path)
                .collect();
            let shown = files.len() as u64;
            let counted = map.folders.iter().find(|counted| counted.path == path);
            let detail = match counted {
                Some(counted) => format!("{shown} of {}", count(shown + counted.files, "file")),
                None => count(shown, "file"),
            };
            let node = PageNode {
                name: escape(&name),
                kind: "folder",
                path: escape(&path),
                detail,
                ..PageNode::default()
            };
            let at = self.add(node, above.copied());
            for file in files {
                self.add_file(file, Some(at));
            }
            added.insert(folder, at);
        }
    }

    fn add_file(&mut self, file: &MapFile, folder: Option<usize>) {
        let name = if folder.is_some() {
            file.path.rsplit('/').next().unwrap_or(&file.path)
        } else {
            &file.path
        };
        let shown = file.symbols.len() as u64;
        let symbols = if shown == file.total_symbols {
            count(shown, "symbol")
        } else {
            format!("{shown} of {}", count(file.total_symbols, "symbol"))
        };
        let lines = file
            .lines
            .map(|lines| format!("{}, ", count(lines, "line")));
        let node = PageNode {
            name: escape(name),
            kind: "file",
            path: escape(&file.path),
            detail: format!("{}{symbols}", lines.unwrap_or_default()),
            ..PageNode::default()
        };
        let mut around = vec![self.add(node, folder)];
        for symbol in &file.symbols {
            around.truncate(1 + symbol.level as usize);
            let node = PageNode {
                name: escape(&symbol.name),
                kind: symbol.kind.as_str(),
                path: escape(&file.path),
                line: symbol.start_line,
                start_line: symbol.start_line,
                end_line: symbol.end_line,
                signature: signature(&symbol.signature),
                detail: symbol.doc.as_deref().map(escape).unwrap_or_default(),
                weight: symbol.weight,
                ..PageNode::default()
            };
            let at = self.add(node, around.last().copied());
            around.push(at);
        }
    }

    fn add(&mut self, node: PageNode, container: Option<usize>) -> usize {
        let to = self.nodes.len();
        self.nodes.push(node);
        if let Some(from) = container {
            self.edges.push(PageEdge {
                from,
                to,
                resolution: Resolution::Resolved.as_str(),
                lines: vec![],
                is_cycle: false,
            });
        }
        to
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::answer::freshness::Freshness;
    use claudevil_protocol::answer::symbol::SymbolKind;
    use claudevil_protocol::tools::map_code::{FolderCount, MapDetail, MapSymbol};

    use super::*;

    fn symbol(name: &str, level: u32) -> MapSymbol {
        MapSymbol {
            name: name.to_owned(),
            kind: SymbolKind::Method,
            start_line: 3,
            end_line: 5,
            level,
            signature: format!("fn {name}()"),
            doc: None,
            weight: 1,
        }
    }

    fn file(path: &str, symbols: Vec<MapSymbol>) -> MapFile {
        MapFile {
            path: path.to_owned(),
            language: None,
            lines: Some(9),
            total_symbols: symbols.len() as u64,
            symbols,
        }
    }

    fn map(path: &str, files: Vec<MapFile>) -> CodeMap {
        CodeMap {
            root: "/p".to_owned(),
            root_name: "p".to_owned(),
            max_tokens: 4000,
            freshness: Freshness::default(),
            path: path.to_owned(),
            detail: MapDetail::Signatures,
            depth: None,
            language: None,
            total_files: files.len() as u64 + 3,
            total_symbols: 10,
            files,
            folders: vec![FolderCount {
                path: "src/deep/er".to_owned(),
                files: 3,
                symbols: 7,
            }],
            truncated: true,
        }
    }

    /// Returns each node with its container: `a.rs < src/`.
    fn tree(page: &Page) -> Vec<String> {
        let container = |to: usize| page.edges.iter().find(|edge| edge.to == to);
        let nodes = page.nodes.iter().enumerate().map(|(at, node)| {
            let container = container(at).map_or("", |edge| page.nodes[edge.from].name.as_str());
            format!("{} < {container}", node.name)
        });
        nodes.collect()
    }

    #[test]
    fn symbols_are_in_what_contains_them_and_folders_in_folders() {
        let symbols = vec![symbol("Engine", 0), symbol("run", 1), symbol("main", 0)];
        let page = map_page(&map(
            "src",
            vec![file("src/a.rs", symbols), file("src/deep/b.rs", vec![])],
        ));
        assert_eq!(
            tree(&page),
            [
                "src/ < ",
                "a.rs < src/",
                "Engine < a.rs",
                "run < Engine",
                "main < a.rs",
                "deep/ < src/",
                "b.rs < deep/",
                "er/ < deep/",
            ]
        );
        assert_eq!(page.nodes[7].detail, "0 of 3 files");
        assert_eq!(
            page.notes,
            ["3 files and 7 symbols left out of this page: the least connected"]
        );
        assert!(page.nodes[0].is_start);
    }

    #[test]
    fn the_outline_of_a_file_begins_with_the_file() {
        let page = map_page(&map(
            "src/a.rs",
            vec![file("src/a.rs", vec![symbol("run", 0)])],
        ));
        assert_eq!(tree(&page), ["src/a.rs < ", "run < src/a.rs"]);
    }
}
