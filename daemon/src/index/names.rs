//! An index of the names of a snapshot: definitions, aliases, and relations between types.
//!
//! Sorted lists of hashes: a few bytes per symbol, made in milliseconds when a question first needs them, and thrown away
//! with the snapshot. Whoever looks a name up compares it, so a hash that two names share does no harm.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use claudevil_protocol::answer::symbol::SymbolKind;

use super::snapshot::{IndexedFile, Snapshot};
use crate::extract::facts::{Import, Relation};
use crate::lang::ModuleSystem;

/// A symbol, by the place of its file in the snapshot and its own in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct At {
    pub file: u32,
    pub symbol: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Names {
    /// By the hash of the name in small letters, then in the order of the files.
    symbols: Vec<(u64, At)>,
    /// Relations by the hash of what is derived: file and place in its list.
    subjects: Vec<(u64, (u32, u32))>,
    /// By the hash of what it is derived from.
    targets: Vec<(u64, (u32, u32))>,
    /// Imports with an alias, by the hash of the imported name: file and place in its list.
    aliased: Vec<(u64, (u32, u32))>,
    /// Imports of whole namespaces that hold for other files too: file and place in its list.
    passed_on: Vec<(u32, u32)>,
    /// Names that files give themselves, and the symbols that say so.
    namespaces: HashMap<Box<str>, Vec<At>>,
    /// Those that only lead to others.
    outer: HashSet<Box<str>>,
    /// Files that say how a package is called.
    manifests: Vec<u32>,
}

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
    pub fn new(files: &[std::sync::Arc<IndexedFile>]) -> Self {
        let mut names = Self::default();
        let mut small = String::new();
        for (number, file) in (0..).zip(files) {
            for (place, symbol) in (0..).zip(&file.outline.symbols) {
                names.symbols.push((
                    hash(in_small(&symbol.name, &mut small)),
                    At {
                        file: number,
                        symbol: place,
                    },
                ));
            }
            for (place, relation) in (0..).zip(&file.outline.relations) {
                names
                    .subjects
                    .push((hash(&relation.subject), (number, place)));
                names
                    .targets
                    .push((hash(&relation.target), (number, place)));
            }
            for (place, import) in (0..)
                .zip(&file.outline.imports)
                .filter(|(_, import)| import.alias.is_some())
            {
                names
                    .aliased
                    .extend(imported(import).map(|name| (hash(name), (number, place))));
            }
            let rules = file
                .language
                .and_then(|language| language.facts.as_ref())
                .map(|facts| &facts.names);
            if rules.is_some_and(|rules| rules.modules == ModuleSystem::Namespace) {
                let passed_on = (0..)
                    .zip(&file.outline.imports)
                    .filter(|(_, import)| import.is_of_all());
                names
                    .passed_on
                    .extend(passed_on.map(|(place, _)| (number, place)));
                for (place, symbol) in (0..).zip(&file.outline.symbols) {
                    if symbol.kind == SymbolKind::Module {
                        let name = namespace_at(file, place as usize);
                        names
                            .outer
                            .extend(name.match_indices('.').map(|(dot, _)| name[..dot].into()));
                        names.namespaces.entry(name.into()).or_default().push(At {
                            file: number,
                            symbol: place,
                        });
                    }
                }
            }
            if MANIFESTS.contains(&file.path.rsplit('/').next().unwrap_or_default()) {
                names.manifests.push(number);
            }
        }
        names.symbols.sort_unstable();
        names.subjects.sort_unstable();
        names.targets.sort_unstable();
        names.aliased.sort_unstable();
        names
    }

    /// The definitions of a name, in the order of the files.
    pub fn symbols<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        name: &'a str,
    ) -> impl Iterator<Item = At> + 'a {
        self.symbols_within(snapshot, name, 0..snapshot.files.len())
    }

    /// Those of some files, without a look at the others: thousands may have one name.
    pub fn symbols_within<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        name: &'a str,
        files: Range<usize>,
    ) -> impl Iterator<Item = At> + 'a {
        let all = run(&self.symbols, hash(in_small(name, &mut String::new())));
        let from = all.partition_point(|(_, at)| (at.file as usize) < files.start);
        let is_it = move |at: &At| {
            let file = &snapshot.files[at.file as usize];
            *file.outline.symbols[at.symbol as usize].name == *name
        };
        all[from..]
            .iter()
            .map(|(_, at)| *at)
            .take_while(move |at| (at.file as usize) < files.end)
            .filter(is_it)
    }

    /// The same with large and small letters alike, and with any other name of the same hash.
    pub fn in_any_case(&self, name: &str) -> impl Iterator<Item = At> {
        run(&self.symbols, hash(in_small(name, &mut String::new())))
            .iter()
            .map(|(_, at)| *at)
    }

    /// Returns the relations whose subject is a type of this name, with their files.
    pub fn above<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        name: &'a str,
    ) -> impl Iterator<Item = (u32, &'a Relation)> + 'a {
        relations(run(&self.subjects, hash(name)), snapshot)
            .filter(move |(_, relation)| *relation.subject == *name)
    }

    /// Returns the relations whose target is a type of this name, with their files.
    pub fn below<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        name: &'a str,
    ) -> impl Iterator<Item = (u32, &'a Relation)> + 'a {
        relations(run(&self.targets, hash(name)), snapshot)
            .filter(move |(_, relation)| *relation.target == *name)
    }

    /// Imports that may give something of this name another one: their files, and the imports.
    pub fn aliased<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        name: &str,
    ) -> impl Iterator<Item = (u32, &'a Import)> + 'a {
        let found = run(&self.aliased, hash(name)).iter();
        found.map(|(_, (file, place))| {
            (
                *file,
                &snapshot.files[*file as usize].outline.imports[*place as usize],
            )
        })
    }

    /// Imports of whole namespaces that hold for other files too.
    pub fn passed_on<'a>(
        &'a self,
        snapshot: &'a Snapshot,
    ) -> impl Iterator<Item = (u32, &'a Import)> + 'a {
        let import =
            |file: u32, place: u32| &snapshot.files[file as usize].outline.imports[place as usize];
        self.passed_on
            .iter()
            .map(move |(file, place)| (*file, import(*file, *place)))
    }

    /// The symbols that open a namespace.
    pub fn namespace(&self, name: &str) -> &[At] {
        self.namespaces.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns whether there is such a namespace, or one inside it.
    pub fn has_namespace(&self, name: &str) -> bool {
        self.namespaces.contains_key(name) || self.outer.contains(name)
    }

    pub fn manifests(&self) -> &[u32] {
        &self.manifests
    }
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

/// Returns the names that an import stands for: the imported name, or the last part of the module where it imports all or the
/// default export.
fn imported(import: &Import) -> impl Iterator<Item = &str> {
    let name = import.name.as_deref().map(last_of_name);
    let is_whole = name.is_none_or(|name| name == DEFAULT);
    name.into_iter()
        .chain(last_of_module(&import.module).filter(|_| is_whole))
}

/// The name of a default export.
pub const DEFAULT: &str = "default";

/// The last part of a name that is imported.
pub fn last_of_name(name: &str) -> &str {
    name.rsplit(['.', '\\']).next().unwrap_or(name)
}

/// The last part of a module that says something.
pub fn last_of_module(module: &str) -> Option<&str> {
    module
        .rsplit(['/', '.', ':', '\\'])
        .find(|part| !matches!(*part, "" | "js" | "ts"))
}

/// The entries under one hash.
fn run<T>(sorted: &[(u64, T)], hash: u64) -> &[(u64, T)] {
    let from = sorted.partition_point(|(own, _)| *own < hash);
    let length = sorted[from..].partition_point(|(own, _)| *own == hash);
    &sorted[from..from + length]
}

fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// A name in small letters; `room` is used again.
fn in_small<'a>(name: &str, room: &'a mut String) -> &'a str {
    room.clear();
    if name.is_ascii() {
        room.push_str(name);
        room.make_ascii_lowercase();
    } else {
        *room = name.to_lowercase();
    }
    room
}

/// A qualified name with dots between its parts, whatever its language puts there.
pub fn dotted(name: &str) -> String {
    let parts: Vec<&str> = name
        .split(['.', ':', '\\', '/'])
        .filter(|part| !part.is_empty())
        .collect();
    parts.join(".")
}

/// The full name of the module that a symbol opens, with those that stand around it or right above it.
fn namespace_at(file: &IndexedFile, place: usize) -> String {
    let symbols = &file.outline.symbols;
    let symbol = &symbols[place];
    let mut name = dotted(&file.qualified(symbol));
    // Headers one under the other continue each other.
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

/// The namespace that a place in a file is in: of the symbol around it, or of the header above it.
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
    // A header has nothing in it.
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
