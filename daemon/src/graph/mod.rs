//! How the code of a root hangs together: what a name means where it stands, and who uses what.
//!
//! Facts are of one file each; everything between files is worked out here, when somebody asks, from names, scopes,
//! imports and types. What cannot be known is said so: every relation is resolved, ambiguous or by name only, with its
//! reason. Nothing here knows a language: what differs between them is in the `[names]` of their `lang.toml`.

mod arguments;
mod by_text;
pub mod calls;
pub mod dependencies;
mod entity;
mod expression;
mod imports;
mod manifests;
pub mod members;
mod modules;
mod patterns;
pub mod reaching_tests;
pub mod references;
mod resolve;
mod scope;
pub mod signature;
pub mod test_blocks;
#[cfg(test)]
pub mod tests;
mod types;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;

pub use claudevil_protocol::model::graph::Resolution;
pub use resolve::{Outcome, Targets};

use self::manifests::Manifests;
use self::test_blocks::TestBlocks;
pub use crate::extract::facts::OccurrenceRow as Use;
use crate::extract::facts::{RelationKind, Role, Symbol};
pub use crate::index::names::At;
use crate::index::names::Names;
use crate::index::snapshot::{IndexedFile, Snapshot};
pub use crate::index::uses::Uses;
use crate::lang::{self, NameRules};
use crate::store::ledger::record::FactsKey;

/// A place in a file from which names are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Here {
    pub file: u32,
    /// The innermost symbol around it.
    pub symbol: Option<u32>,
    pub line: u32,
    pub column: u32,
}

/// Where the graph gets what the snapshot does not have in memory.
pub trait Source {
    fn uses(&self, key: FactsKey) -> Option<Arc<Uses>>;
    /// None where it is known that none of these names is among them.
    fn uses_with(&self, key: FactsKey, _names: &[&str]) -> Option<Arc<Uses>> {
        self.uses(key)
    }
    /// A file of the root, as text, unless it is large.
    fn read(&self, path: &str) -> Option<Rc<str>>;
}

/// A name in a file, seen from a symbol of it.
type Named = (u32, Option<u32>, String);

/// Everything that one question works out, kept until it is answered.
pub struct Graph<'a> {
    pub snapshot: &'a Snapshot,
    names: &'a Names,
    source: &'a dyn Source,
    uses: RefCell<HashMap<u32, Arc<Uses>>>,
    references: RefCell<HashMap<At, Rc<[references::Reference]>>>,
    owners: Known<At, Option<At>>,
    owning: Known<At, bool>,
    manifests: RefCell<Option<Rc<Manifests>>>,
    types: RefCell<HashMap<Named, Option<At>>>,
    /// Files by the text of an include that does not lie beside its file.
    includes: Known<String, Option<u32>>,
    meanings: Known<Named, scope::Meaning>,
    modules: Known<Named, Option<modules::Module>>,
    in_modules: Known<(modules::Module, String), Vec<At>>,
    /// By the name, how it is used, and the language.
    by_names: Known<(String, Role, &'static str), Outcome>,
    /// Symbols by their name, and by that of what they say to be in.
    claimed: Known<String, Rc<HashMap<&'a str, Vec<At>>>>,
    given: Known<At, expression::Value>,
    above: Known<At, Vec<(At, RelationKind)>>,
    below: Known<At, Vec<(At, RelationKind)>>,
    /// What folders are called by who imports them.
    packages: Known<Rc<str>, Option<&'a str>>,
    test_blocks: Known<u32, Rc<TestBlocks>>,
    /// How deep one question has led to others: code can refer to itself in circles.
    depth: Cell<u32>,
}

/// Answers that many questions come back to. What is asked again while it is being found out is answered with nothing:
/// code refers to itself in circles.
struct Known<K, V>(RefCell<HashMap<K, Option<V>>>);

impl<K, V> Default for Known<K, V> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Eq + Hash + Clone, V: Clone + Default> Known<K, V> {
    fn get(&self, key: K, find: impl FnOnce() -> V) -> V {
        if let Some(known) = self.0.borrow().get(&key) {
            return known.clone().unwrap_or_default();
        }
        self.0.borrow_mut().insert(key.clone(), None);
        let found = find();
        self.0.borrow_mut().insert(key, Some(found.clone()));
        found
    }
}

const DEEPEST: u32 = 24;
/// Files whose uses are kept while a question is answered.
const MOST_USES: usize = 4_000;

impl<'a> Graph<'a> {
    pub fn new(snapshot: &'a Snapshot, source: &'a dyn Source) -> Self {
        Self {
            snapshot,
            names: snapshot.names(),
            source,
            uses: RefCell::default(),
            references: RefCell::default(),
            owners: Known::default(),
            owning: Known::default(),
            manifests: RefCell::default(),
            types: RefCell::default(),
            includes: Known::default(),
            meanings: Known::default(),
            modules: Known::default(),
            in_modules: Known::default(),
            by_names: Known::default(),
            claimed: Known::default(),
            given: Known::default(),
            above: Known::default(),
            below: Known::default(),
            packages: Known::default(),
            test_blocks: Known::default(),
            depth: Cell::new(0),
        }
    }

    pub fn file(&self, number: u32) -> &'a Arc<IndexedFile> {
        &self.snapshot.files[number as usize]
    }

    pub fn symbol(&self, at: At) -> &'a Symbol {
        &self.file(at.file).outline.symbols[at.symbol as usize]
    }

    /// None for a language without facts.
    pub fn rules(&self, file: u32) -> Option<&'static NameRules> {
        Some(&self.file(file).language?.facts.as_ref()?.names)
    }

    /// The place of a file by its path.
    pub fn number(&self, path: &str) -> Option<u32> {
        self.snapshot
            .place(path)
            .and_then(|place| u32::try_from(place).ok())
    }

    pub fn uses(&self, file: u32) -> Arc<Uses> {
        if let Some(known) = self.uses.borrow().get(&file) {
            return Arc::clone(known);
        }
        let uses = self
            .file(file)
            .facts_key()
            .and_then(|key| self.source.uses(key))
            .unwrap_or_default();
        self.keep_uses(file, &uses);
        uses
    }

    /// The same where any of these names may be among them: most files that are asked about one name do not have it.
    pub fn uses_with(&self, file: u32, names: &[&str]) -> Option<Arc<Uses>> {
        if let Some(known) = self.uses.borrow().get(&file) {
            return Some(Arc::clone(known));
        }
        let uses = self
            .file(file)
            .facts_key()
            .and_then(|key| self.source.uses_with(key, names))?;
        self.keep_uses(file, &uses);
        Some(uses)
    }

    /// The tests with titles of a file, as its text has them.
    fn test_blocks(&self, file: u32) -> Rc<TestBlocks> {
        self.test_blocks.get(file, || {
            let text = self.source.read(&self.file(file).path);
            text.map(|text| Rc::new(TestBlocks::parse(&text)))
                .unwrap_or_default()
        })
    }

    fn keep_uses(&self, file: u32, uses: &Arc<Uses>) {
        let mut all = self.uses.borrow_mut();
        if all.len() >= MOST_USES {
            all.clear();
        }
        all.insert(file, Arc::clone(uses));
    }

    /// Runs what may lead to itself; nothing once that is too deep.
    fn deeper<T: Default>(&self, look: impl FnOnce() -> T) -> T {
        if self.depth.get() >= DEEPEST {
            return T::default();
        }
        self.depth.set(self.depth.get() + 1);
        let found = look();
        self.depth.set(self.depth.get() - 1);
        found
    }

    /// The symbol itself, then what stands around it, innermost first.
    fn around(&self, file: u32, symbol: Option<u32>) -> impl Iterator<Item = At> + use<'a> {
        let symbols = &self.file(file).outline.symbols;
        std::iter::successors(symbol, move |at| symbols.get(*at as usize)?.parent)
            .map(move |symbol| At { file, symbol })
    }

    /// Whether names of one file can mean something in the other: one language, or two that are used as one.
    pub fn are_kin(&self, one: u32, other: u32) -> bool {
        let languages = self.file(one).language.zip(self.file(other).language);
        languages.is_some_and(|(one, other)| lang::same_language_family(one, other))
    }
}

impl Here {
    /// Inside a symbol, after all that it binds.
    pub fn within(graph: &Graph, at: At) -> Self {
        let symbol = graph.symbol(at);
        Self {
            file: at.file,
            symbol: Some(at.symbol),
            line: symbol.end_line,
            column: u32::MAX,
        }
    }

    /// Where a symbol is declared.
    pub fn of(graph: &Graph, at: At) -> Self {
        let symbol = graph.symbol(at);
        Self {
            file: at.file,
            symbol: Some(at.symbol),
            line: symbol.name_line,
            column: symbol.name_column,
        }
    }
}
