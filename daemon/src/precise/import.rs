//! Builds a precise index from a SCIP index and the current files.
//!
//! Positions in a SCIP index are valid for the texts that the indexer read. A file is imported only if it was not written after
//! the index, and has the names of its definitions where the index says they are.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::BufRead;

use scip::symbol::{is_global_symbol, parse_symbol};
use scip::types::descriptor::Suffix;
use scip::types::{Document, Metadata, Occurrence};

use super::ImportError;
use super::scip::{ColumnUnit, Part, column_unit, is_definition, line_range, read};
use super::stored::{
    ContentHash, DefinitionPosition, PreciseFile, PreciseImplementation, PreciseTarget, PreciseUse,
    Writer,
};

/// The smallest share of definitions whose names have to be at their positions in the text.
const MATCHING_DEFINITIONS: f64 = 0.9;

/// A file of the root, as it is now.
pub struct CurrentFile {
    pub hash: ContentHash,
    pub modified_nanos: i64,
    pub text: String,
}

/// The root into which an index is imported.
pub trait ImportRoot {
    /// Returns an indexed file by its path below the root.
    fn file(&self, path: &str) -> Option<CurrentFile>;

    /// Returns the path below the root of the folder that an index describes; empty for the root itself.
    fn folder(&self, project_root: &str) -> String;

    /// Reports progress. Returns an error once the import is cancelled.
    fn report(&self, documents: u64) -> Result<(), ImportError>;
}

/// The result of an import, in numbers.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub tool: String,
    pub documents: u64,
    pub changed: u64,
    pub not_indexed: u64,
    pub occurrences: u64,
}

/// A hash of a symbol's name: an index may have millions.
type SymbolKey = [u8; 16];

/// A position of a definition: the index of its file, its line and its column.
type Position = (u32, u32, u32);

/// Imports an index, which is read twice through `open`: first its definitions, then the names that refer to them.
pub fn import<R: BufRead>(
    open: impl Fn() -> std::io::Result<R>,
    modified_nanos: i64,
    root: &dyn ImportRoot,
    writer: &mut Writer,
) -> Result<(Summary, Vec<Vec<u32>>), ImportError> {
    let mut summary = Summary::default();
    let mut folder = String::new();
    let mut paths: Vec<String> = vec![];
    let mut current: HashMap<String, ContentHash> = HashMap::new();
    let mut definitions: HashMap<SymbolKey, Vec<Position>> = HashMap::new();
    let mut packages: HashSet<String> = HashSet::new();
    read(&mut open()?, |part| {
        let document = match part {
            Part::Metadata(metadata) => {
                summary.tool = tool(&metadata);
                folder = root.folder(&metadata.project_root);
                return Ok(());
            }
            Part::Document(document) => document,
        };
        root.report(summary.documents)?;
        summary.documents += 1;
        let path = path_in_root(&folder, &document.relative_path);
        let Some(file) = path.as_deref().and_then(|path| root.file(path)) else {
            summary.not_indexed += 1;
            return Ok(());
        };
        let path = path.unwrap_or_default();
        let names = DocumentNames::new(&document, &summary.tool, &file.text);
        if file.modified_nanos > modified_nanos || !names.fit() || current.contains_key(&path) {
            summary.changed += 1;
            return Ok(());
        }
        for name in names.definitions() {
            packages.extend(package(name.symbol));
            let positions = definitions.entry(key(name.symbol)).or_default();
            positions.push((number(paths.len()), name.line, name.column));
        }
        paths.push(path.clone());
        current.insert(path, file.hash);
        Ok(())
    })?;
    let read_order = paths.clone();
    paths.sort_unstable();
    let places: HashMap<&str, u32> = paths.iter().map(String::as_str).zip(0..).collect();
    for (place, _, _) in definitions.values_mut().flatten() {
        *place = places[&*read_order[*place as usize]];
    }
    let mut users: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); paths.len()];
    let mut written = HashSet::new();
    read(&mut open()?, |part| {
        let Part::Document(document) = part else {
            return Ok(());
        };
        let Some(path) = path_in_root(&folder, &document.relative_path) else {
            return Ok(());
        };
        let (Some(hash), Some(place)) = (current.get(&path), places.get(&*path)) else {
            return Ok(());
        };
        if !written.insert(*place) {
            return Ok(());
        }
        // A file that changed between the two passes gets no names. It is stored under its old hash, which does not match the
        // new content.
        let Some(file) = root.file(&path).filter(|file| file.hash == *hash) else {
            writer.add(&path, *hash, &PreciseFile::default())?;
            return Ok(());
        };
        root.report(written.len() as u64)?;
        let mut builder = FileBuilder {
            paths: &paths,
            hashes: &current,
            definitions: &definitions,
            own_packages: &packages,
            file: PreciseFile::default(),
            file_places: HashMap::new(),
            package_places: HashMap::new(),
        };
        let names = DocumentNames::new(&document, &summary.tool, &file.text);
        for name in names.uses() {
            builder.add(&name);
        }
        builder.add_implementations(*place, &document);
        for target in builder.file_places.keys() {
            users[*target as usize].insert(*place);
        }
        let mut file = builder.file;
        file.rows.sort_unstable();
        file.rows.dedup();
        file.implementations.sort_unstable();
        file.implementations.dedup();
        summary.occurrences += file.rows.len() as u64;
        writer.add(&path, *hash, &file)?;
        Ok(())
    })?;
    let users = users.into_iter().map(|all| all.into_iter().collect());
    Ok((summary, users.collect()))
}

/// A name in a document, at a position of the text.
struct Name<'a> {
    symbol: &'a str,
    /// Counted from 1.
    line: u32,
    /// In bytes, counted from 0.
    column: u32,
    text: &'a str,
}

/// The names of a document in its text.
struct DocumentNames<'a> {
    document: &'a Document,
    unit: ColumnUnit,
    lines: Vec<&'a str>,
}

impl<'a> DocumentNames<'a> {
    fn new(document: &'a Document, tool: &str, text: &'a str) -> Self {
        let tool = tool.split(' ').next().unwrap_or_default();
        Self {
            document,
            unit: column_unit(document, tool),
            lines: text.split('\n').collect(),
        }
    }

    fn name(&self, occurrence: &'a Occurrence) -> Option<Name<'a>> {
        let range = line_range(occurrence)?;
        let line = *self.lines.get(range.line as usize)?;
        let column = self.unit.offset(line, range.start)?;
        let end = self.unit.offset(line, range.end)?;
        Some(Name {
            symbol: &occurrence.symbol,
            line: range.line + 1,
            column,
            text: line.get(column as usize..end as usize)?,
        })
    }

    /// Returns the definitions of global symbols: those that other files can refer to.
    fn definitions(&self) -> impl Iterator<Item = Name<'a>> {
        let all = self.document.occurrences.iter();
        all.filter(|one| is_definition(one) && is_global_symbol(&one.symbol))
            .filter_map(|one| self.name(one))
    }

    fn uses(&self) -> impl Iterator<Item = Name<'a>> {
        let all = self.document.occurrences.iter();
        all.filter(|one| !is_definition(one) && !one.symbol.is_empty())
            .filter_map(|one| self.name(one))
    }

    /// Returns whether the document describes this text.
    fn fit(&self) -> bool {
        if !self.document.text.is_empty() {
            return self
                .document
                .text
                .split('\n')
                .eq(self.lines.iter().copied());
        }
        let all = &self.document.occurrences;
        let lies_in_text = |one: &Occurrence| match line_range(one) {
            Some(range) => (range.line as usize) < self.lines.len() && self.name(one).is_some(),
            None => true,
        };
        if !all.iter().all(lies_in_text) {
            return false;
        }
        let (mut named, mut matching) = (0_u32, 0_u32);
        for name in self.definitions() {
            // Indexers name constructors and modules by words that are not in the text.
            let expected = declared_name(name.symbol).filter(|_| !name.text.is_empty());
            let Some(expected) = expected else { continue };
            named += 1;
            matching += u32::from(expected == name.text.trim_matches(['"', '\'', '`', '#']));
        }
        f64::from(matching) >= MATCHING_DEFINITIONS * f64::from(named)
    }
}

/// Builds the rows of one file.
struct FileBuilder<'a> {
    paths: &'a [String],
    hashes: &'a HashMap<String, ContentHash>,
    definitions: &'a HashMap<SymbolKey, Vec<Position>>,
    own_packages: &'a HashSet<String>,
    file: PreciseFile,
    /// Indices into `file.files`, by the index of the path in `paths`.
    file_places: HashMap<u32, u32>,
    package_places: HashMap<String, u32>,
}

impl FileBuilder<'_> {
    fn add(&mut self, name: &Name<'_>) {
        let push = |rows: &mut Vec<PreciseUse>, target| {
            rows.push(PreciseUse {
                line: name.line,
                column: name.column,
                target,
            });
        };
        if !is_global_symbol(name.symbol) {
            push(&mut self.file.rows, PreciseTarget::Local);
            return;
        }
        if let Some(positions) = self.definitions.get(&key(name.symbol)) {
            for position in positions {
                let target = PreciseTarget::Definition(self.definition(*position));
                push(&mut self.file.rows, target);
            }
            return;
        }
        // A symbol of the project whose definition is in a file that has changed is left to the graph.
        let package = package(name.symbol).filter(|package| !self.own_packages.contains(package));
        if let Some(package) = package {
            let packages = &mut self.file.packages;
            let place = *self
                .package_places
                .entry(package)
                .or_insert_with_key(|package| {
                    packages.push(package.clone());
                    number(packages.len() - 1)
                });
            push(&mut self.file.rows, PreciseTarget::Package(place));
        }
    }
}

impl FileBuilder<'_> {
    /// Converts a position for the rows of this file, which refer to other files by their index in `file.files`.
    fn definition(&mut self, (place, line, column): Position) -> DefinitionPosition {
        let path = &self.paths[place as usize];
        let files = &mut self.file.files;
        let file = *self.file_places.entry(place).or_insert_with(|| {
            files.push((path.clone(), self.hashes[path]));
            number(files.len() - 1)
        });
        DefinitionPosition { file, line, column }
    }

    /// Adds the implementations and overrides that a document declares for its symbols.
    fn add_implementations(&mut self, place: u32, document: &Document) {
        let related = document.symbols.iter().flat_map(|symbol| {
            let all = symbol.relationships.iter();
            let implemented = all.filter(|one| one.is_implementation);
            implemented.map(|one| (&symbol.symbol, &one.symbol))
        });
        for (symbol, implemented) in related {
            let definitions = self.definitions;
            let positions = |symbol: &str| definitions.get(&key(symbol)).into_iter().flatten();
            for (_, line, column) in positions(symbol).filter(|(file, ..)| *file == place) {
                for position in positions(implemented) {
                    let implemented = self.definition(*position);
                    self.file.implementations.push(PreciseImplementation {
                        line: *line,
                        column: *column,
                        implemented,
                    });
                }
            }
        }
    }
}

fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

fn key(symbol: &str) -> SymbolKey {
    let mut key = [0; 16];
    key.copy_from_slice(&blake3::hash(symbol.as_bytes()).as_bytes()[..16]);
    key
}

fn tool(metadata: &Metadata) -> String {
    let tool = &metadata.tool_info;
    let name = if tool.name.is_empty() {
        "a SCIP indexer"
    } else {
        &tool.name
    };
    // Only the first word is the version: rust-analyzer's is `1.95.0 (abc 2026-01-01)`.
    let version = tool.version.split_whitespace().next().unwrap_or_default();
    format!("{name} {version}").trim_end().to_owned()
}

/// Returns the package of a global symbol: `zod` in `scip-typescript npm zod 3.2.1 src/…`.
fn package(symbol: &str) -> Option<String> {
    let package = parse_symbol(symbol).ok()?.package.into_option()?;
    Some(package.name).filter(|name| !name.is_empty() && name != ".")
}

/// Returns the name that a symbol's definition has in the text: `run` in `… src/a.ts/Job#run().`.
fn declared_name(symbol: &str) -> Option<String> {
    let descriptor = parse_symbol(symbol).ok()?.descriptors.pop()?;
    let is_named = matches!(
        descriptor.suffix.enum_value_or_default(),
        Suffix::Term | Suffix::Type | Suffix::Method | Suffix::Macro
    );
    let is_word = |name: &str| {
        name.chars()
            .all(|char| char.is_alphanumeric() || char == '_')
    };
    let name = descriptor.name;
    // `typeLiteral12` and the like are made-up names of anonymous types.
    let is_made_up = name.ends_with(|char: char| char.is_ascii_digit());
    let is_constructor = matches!(name.as_str(), "constructor" | "__init__" | "__call");
    (is_named && is_word(&name) && !is_made_up && !is_constructor).then_some(name)
}

/// Returns a document's path below the root; none if it leads out of the root.
fn path_in_root(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!relative.starts_with('/')).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_symbol_is_its_last_part() {
        for (symbol, expected) in [
            (
                "scip-typescript npm zod 3.2.1 src/`a.ts`/Job#run().",
                Some("run"),
            ),
            ("rust-analyzer cargo core 0.1.0 job/Job#", Some("Job")),
            ("scip-typescript npm zod 3.2.1 src/`a.ts`/", None),
            (
                "scip-typescript npm zod 3.2.1 src/`a.ts`/Job#`<constructor>`().",
                None,
            ),
            ("scip-typescript npm zod 3.2.1 src/`a.ts`/size0:", None),
            ("local 3", None),
        ] {
            assert_eq!(declared_name(symbol).as_deref(), expected, "{symbol}");
        }
        assert_eq!(
            package("scip-typescript npm zod 3.2.1 src/`a.ts`/Job#").as_deref(),
            Some("zod")
        );
    }

    #[test]
    fn documents_stay_below_the_root() {
        for (folder, relative, expected) in [
            ("", "src/a.ts", Some("src/a.ts")),
            ("packages/zod", "./src/a.ts", Some("packages/zod/src/a.ts")),
            ("packages/zod", "../core/a.ts", Some("packages/core/a.ts")),
            ("", "../a.ts", None),
            ("", "/etc/passwd", None),
        ] {
            assert_eq!(path_in_root(folder, relative).as_deref(), expected);
        }
    }
}
