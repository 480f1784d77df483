//! An index of the names of a snapshot: definitions, aliases, and relations between types.
//!
//! It consists of sorted lists of hashes: a few bytes per symbol, made in milliseconds when a query first needs them, and
//! dropped with the snapshot. A lookup compares the names, so a hash that two names share does no harm.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use claudevil_protocol::answer::symbol::SymbolKind;

use super::snapshot::{IndexedFile, Snapshot};
use crate::extract::facts::{Import, Relation};
use crate::lang::ModuleSystem;
use crate::lang::conventions::DEFAULT_EXPORT;

/// A symbol, by the position of its file in the snapshot and its own in the outline of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId {
    pub file: u32,
    pub symbol: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Sorted by the hash of the name in lower case, then by file.
    symbols: Vec<(u64, SymbolId)>,
    /// Relations by the hash of the subtype: the file and the position in its list.
    subjects: Vec<(u64, (u32, u32))>,
    /// Relations by the hash of the supertype.
    targets: Vec<(u64, (u32, u32))>,
    /// Imports with an alias, by the hash of the imported name: the file and the position in its list.
    aliased: Vec<(u64, (u32, u32))>,
    /// Imports of whole namespaces that hold for other files too, as `global using` does: the file and the position in its
    /// list.
    global_imports: Vec<(u32, u32)>,
    /// Declared namespaces, with the symbols that open them.
    namespaces: HashMap<Box<str>, Vec<SymbolId>>,
    /// The namespaces around them: `a` and `a.b` of `a.b.c`.
    enclosing_namespaces: HashSet<Box<str>>,
    /// Manifests of packages: `Cargo.toml`.
    manifests: Vec<u32>,
}

/// Extensions of manifests under any name.
const PROJECT_EXTENSIONS: [&str; 3] = ["csproj", "props", "targets"];

const MANIFESTS: [&str; 7] = [
    "Cargo.toml",
    "go.mod",
    "package.json",
    "tsconfig.json",
    "jsconfig.json",
    "pubspec.yaml",
    "composer.json",
];

impl Names {
    pub fn new(files: &[Arc<IndexedFile>]) -> Self {
        let mut names = Self::default();
        for (number, file) in (0..).zip(files) {
            names.add(number, file);
        }
        names.symbols.sort_unstable();
        names.subjects.sort_unstable();
        names.targets.sort_unstable();
        names.aliased.sort_unstable();
        names
    }

    /// Returns the index of the same files after the facts of some of them have changed.
    #[expect(
        clippy::stable_sort_primitive,
        reason = "a stable sort is faster where nearly all is in order"
    )]
    #[must_use]
    pub fn with_changed(&self, files: &[Arc<IndexedFile>], changed: &[u32]) -> Self {
        let is_same = |file: u32| !changed.contains(&file);
        let mut names = self.clone();
        names.symbols.retain(|(_, at)| is_same(at.file));
        names.subjects.retain(|(_, (file, _))| is_same(*file));
        names.targets.retain(|(_, (file, _))| is_same(*file));
        names.aliased.retain(|(_, (file, _))| is_same(*file));
        names.global_imports.retain(|(file, _)| is_same(*file));
        names.manifests.retain(|file| is_same(*file));
        names.namespaces.retain(|_, symbols| {
            symbols.retain(|at| is_same(at.file));
            !symbols.is_empty()
        });
        names.enclosing_namespaces = names
            .namespaces
            .keys()
            .flat_map(|name| enclosing_namespaces(name))
            .collect();
        for number in changed {
            names.add(*number, &files[*number as usize]);
        }
        names.symbols.sort();
        names.subjects.sort();
        names.targets.sort();
        names.aliased.sort();
        names.global_imports.sort_unstable();
        names.manifests.sort_unstable();
        for symbols in names.namespaces.values_mut() {
            symbols.sort_unstable();
        }
        names
    }

    /// Adds the names of a file, at the end of each list.
    fn add(&mut self, number: u32, file: &IndexedFile) {
        let mut lower = String::new();
        for (place, symbol) in (0..).zip(&file.outline.symbols) {
            self.symbols.push((
                hash(to_lowercase(&symbol.name, &mut lower)),
                SymbolId {
                    file: number,
                    symbol: place,
                },
            ));
        }
        for (place, relation) in (0..).zip(&file.outline.relations) {
            self.subjects
                .push((hash(&relation.subject), (number, place)));
            self.targets.push((hash(&relation.target), (number, place)));
        }
        for (place, import) in (0..)
            .zip(&file.outline.imports)
            .filter(|(_, import)| import.alias.is_some())
        {
            self.aliased
                .extend(imported(import).map(|name| (hash(name), (number, place))));
        }
        let rules = file
            .language
            .and_then(|language| language.facts.as_ref())
            .map(|facts| &facts.names);
        if rules.is_some_and(|rules| rules.modules == ModuleSystem::Namespace) {
            let global_imports = (0..)
                .zip(&file.outline.imports)
                .filter(|(_, import)| import.reexports_all());
            self.global_imports
                .extend(global_imports.map(|(place, _)| (number, place)));
            for (place, symbol) in (0..).zip(&file.outline.symbols) {
                if symbol.kind == SymbolKind::Module {
                    let name = namespace_at(file, place as usize);
                    self.enclosing_namespaces
                        .extend(enclosing_namespaces(&name));
                    self.namespaces
                        .entry(name.into())
                        .or_default()
                        .push(SymbolId {
                            file: number,
                            symbol: place,
                        });
                }
            }
        }
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        let is_project = extension.is_some_and(|one| PROJECT_EXTENSIONS.contains(&one));
        if is_project || MANIFESTS.contains(&name) {
            self.manifests.push(number);
        }
    }

    /// Returns the definitions of a name, in the order of the files.
    pub fn symbols<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        name: &'a str,
    ) -> impl Iterator<Item = SymbolId> + 'a {
        self.symbols_within(snapshot, name, 0..snapshot.files.len())
    }

    /// Returns the definitions of a name in a range of files. Others are not read: thousands of definitions may have one name.
    pub fn symbols_within<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        name: &'a str,
        files: Range<usize>,
    ) -> impl Iterator<Item = SymbolId> + 'a {
        let all = entries_with_hash(&self.symbols, hash(to_lowercase(name, &mut String::new())));
        let from = all.partition_point(|(_, at)| (at.file as usize) < files.start);
        let is_it = move |at: &SymbolId| {
            let file = &snapshot.files[at.file as usize];
            *file.outline.symbols[at.symbol as usize].name == *name
        };
        all[from..]
            .iter()
            .map(|(_, at)| *at)
            .take_while(move |at| (at.file as usize) < files.end)
            .filter(is_it)
    }

    /// Returns the definitions of a name, ignoring case. Definitions of other names with the same hash may be among them.
    pub fn symbols_in_any_case(&self, name: &str) -> impl Iterator<Item = SymbolId> {
        entries_with_hash(&self.symbols, hash(to_lowercase(name, &mut String::new())))
            .iter()
            .map(|(_, at)| *at)
    }

    /// Returns the relations whose subject is a type with this name, and their files.
    pub fn supertype_relations<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        name: &'a str,
    ) -> impl Iterator<Item = (u32, &'a Relation)> + 'a {
        relations(entries_with_hash(&self.subjects, hash(name)), snapshot)
            .filter(move |(_, relation)| *relation.subject == *name)
    }

    /// Returns the relations whose target is a type with this name, and their files.
    pub fn subtype_relations<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        name: &'a str,
    ) -> impl Iterator<Item = (u32, &'a Relation)> + 'a {
        relations(entries_with_hash(&self.targets, hash(name)), snapshot)
            .filter(move |(_, relation)| *relation.target == *name)
    }

    /// Returns the imports that may give an alias to something with this name, and their files: `import a as b`.
    pub fn aliased_imports<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        name: &str,
    ) -> impl Iterator<Item = (u32, &'a Import)> + 'a {
        let found = entries_with_hash(&self.aliased, hash(name)).iter();
        found.map(|(_, (file, place))| {
            (
                *file,
                &snapshot.files[*file as usize].outline.imports[*place as usize],
            )
        })
    }

    /// Returns the imports of whole namespaces that hold for other files too, with their files.
    pub fn global_imports<'a>(
        &'a self,
        snapshot: &'a Snapshot,
    ) -> impl Iterator<Item = (u32, &'a Import)> + 'a {
        let import =
            |file: u32, place: u32| &snapshot.files[file as usize].outline.imports[place as usize];
        self.global_imports
            .iter()
            .map(move |(file, place)| (*file, import(*file, *place)))
    }

    /// Returns the symbols that open a namespace.
    pub fn namespace(&self, name: &str) -> &[SymbolId] {
        self.namespaces.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns whether there is such a namespace, or one inside it.
    pub fn has_namespace(&self, name: &str) -> bool {
        self.namespaces.contains_key(name) || self.enclosing_namespaces.contains(name)
    }

    pub fn manifests(&self) -> &[u32] {
        &self.manifests
    }
}

/// Returns the namespaces around a namespace: `a` and `a.b` of `a.b.c`.
fn enclosing_namespaces(name: &str) -> impl Iterator<Item = Box<str>> {
    name.match_indices('.').map(|(dot, _)| name[..dot].into())
}

fn relations<'a>(
    found: &'a [(u64, (u32, u32))],
    snapshot: &'a Snapshot,
) -> impl Iterator<Item = (u32, &'a Relation)> + 'a {
    found.iter().map(|(_, (file, place))| {
        (
            *file,
            &snapshot.files[*file as usize].outline.relations[*place as usize],
        )
    })
}

/// Returns the names that an import may refer to: the imported name, or the last part of the module where it imports the whole
/// module or its default export.
fn imported(import: &Import) -> impl Iterator<Item = &str> {
    let name = import.name.as_deref().map(last_of_name);
    let is_whole = name.is_none_or(|name| name == DEFAULT_EXPORT);
    let module = is_whole.then(|| last_of_module(&import.module).unwrap_or(UNNAMED_MODULE));
    name.into_iter().chain(module)
}

/// The name that is used for modules whose paths name no file or folder: `..`, `../..`.
pub const UNNAMED_MODULE: &str = "";

/// Returns the last part of an imported name: `c` of `a.b.c`.
pub fn last_of_name(name: &str) -> &str {
    name.rsplit(['.', '\\']).next().unwrap_or(name)
}

/// Returns the last part of a module, without its extension: `store` of `./lib/store.js`.
pub fn last_of_module(module: &str) -> Option<&str> {
    module.rsplit(['/', '.', ':', '\\']).find(|part| {
        !matches!(
            *part,
            "" | "js" | "cjs" | "mjs" | "jsx" | "ts" | "cts" | "mts" | "tsx"
        )
    })
}

/// Returns the entries under one hash.
fn entries_with_hash<T>(sorted: &[(u64, T)], hash: u64) -> &[(u64, T)] {
    let found = &sorted[sorted.partition_point(|(own, _)| *own < hash)..];
    // Most names have few entries, so the end is searched for from the start.
    let mut near = 1;
    while found.get(near).is_some_and(|(own, _)| *own == hash) {
        near *= 2;
    }
    let near = &found[..found.len().min(near)];
    &near[..near.partition_point(|(own, _)| *own == hash)]
}

pub(super) fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// Returns a name in lower case. `buffer` is reused.
fn to_lowercase<'a>(name: &str, buffer: &'a mut String) -> &'a str {
    buffer.clear();
    if name.is_ascii() {
        buffer.push_str(name);
        buffer.make_ascii_lowercase();
    } else {
        *buffer = name.to_lowercase();
    }
    buffer
}

/// Returns a qualified name with dots between its parts: `a::b` → `a.b`.
pub fn dotted(name: &str) -> String {
    let parts: Vec<&str> = name
        .split(['.', ':', '\\', '/'])
        .filter(|part| !part.is_empty())
        .collect();
    parts.join(".")
}

/// Returns the full name of the namespace that a symbol opens, with the namespaces around it or right above it.
fn namespace_at(file: &IndexedFile, place: usize) -> String {
    let symbols = &file.outline.symbols;
    let symbol = &symbols[place];
    let mut name = dotted(&file.qualified(symbol));
    // Headers on consecutive lines are nested.
    let mut first = place;
    while let Some(above) = first.checked_sub(1).map(|above| &symbols[above]) {
        let continues = above.kind == SymbolKind::Module
            && above.parent.is_none()
            && symbols[first].parent.is_none()
            && above.end_line + 1 >= symbols[first].start_line
            && above.end_byte < symbols[first].start_byte;
        if !continues {
            break;
        }
        name = format!("{}.{name}", dotted(&above.name));
        first -= 1;
    }
    name
}

/// Returns the namespace that a symbol is in: of a module around it, or of the header above it.
pub fn namespace_of(file: &IndexedFile, symbol: Option<u32>) -> Option<String> {
    let symbols = &file.outline.symbols;
    let mut around = symbol;
    let mut start = u32::MAX;
    while let Some(at) = around {
        let one = symbols.get(at as usize)?;
        if one.kind == SymbolKind::Module && Some(at) != symbol {
            return Some(namespace_at(file, at as usize));
        }
        start = one.start_byte;
        around = one.parent;
    }
    // A header has no members.
    let is_header = |(place, one): &(usize, &crate::extract::facts::Symbol)| {
        one.kind == SymbolKind::Module
            && one.parent.is_none()
            && one.start_byte < start
            && symbols
                .get(place + 1)
                .is_none_or(|next| next.parent != u32::try_from(*place).ok())
    };
    let header = symbols.iter().enumerate().rfind(is_header)?;
    Some(namespace_at(file, header.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{ChunkSizes, extract};
    use crate::index::prepare::language_of;
    use crate::store::ledger::record::{FactsKey, FileRecord, FileState};

    fn file(path: &str, text: &str) -> Arc<IndexedFile> {
        let language = language_of(path, text.as_bytes());
        let facts = extract(language, text, ChunkSizes::default());
        let record = FileRecord {
            stamp: 1,
            ..FileRecord::with_state(FileState::Indexed(FactsKey([0; 16])))
        };
        let outline = Arc::new(facts.outline);
        Arc::new(IndexedFile::new(path.to_owned(), record, language, outline))
    }

    #[test]
    fn an_index_with_changed_files_is_that_of_the_files() {
        let before = [
            file("Cargo.toml", "[package]\nname = \"a\"\n"),
            file(
                "a.cs",
                "namespace Farm.Barn { class Cow : Animal { void Low() {} } }\n",
            ),
            file(
                "b.rs",
                "use a::cow as ox;\nstruct Cow;\nimpl Animal for Cow {}\n",
            ),
            file(
                "c.cs",
                "global using Farm;\nnamespace Farm { class Animal {} }\n",
            ),
        ];
        let mut after = before.clone();
        after[1] = file("a.cs", "namespace Mill.Stone { class Miller {} }\n");
        after[2] = file("b.rs", "use a::hen as bird;\nfn cow() {}\nstruct Hen;\n");
        let names = Names::new(&before);
        assert_eq!(names.with_changed(&after, &[1, 2]), Names::new(&after));
        assert_eq!(names.with_changed(&before, &[]), names);
        assert_ne!(names, Names::new(&after));
    }
}
