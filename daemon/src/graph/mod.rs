//! The symbol graph of a root: the symbols that names refer to, and their uses.
//!
//! Facts describe one file each. Relations between files are computed here, per query, from names, scopes, imports and types.
//! Every relation is resolved, likely, ambiguous or by name only, and has a reason. Nothing here depends on a particular
//! language: the differences between languages are in `lang/`.

mod argument_types;
mod arguments;
mod by_text;
pub mod calls;
mod closures;
mod collections;
pub mod completion;
pub mod dependencies;
mod entity;
mod expression;
mod flow;
pub mod follow_budget;
mod imports;
pub mod members;
mod modules;
mod other_root_imports;
mod patterns;
pub mod precise;
pub mod reaching_tests;
pub mod references;
mod resolve;
mod scope;
pub mod test_blocks;
#[cfg(test)]
pub mod tests;
mod types;
pub mod usage;
mod value;
mod value_members;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::{Deref, Range};
use std::rc::Rc;
use std::sync::Arc;

use foldhash::fast::RandomState;

pub use claudevil_protocol::answer::graph::Resolution;
use precise::PreciseNames;
pub use resolve::{Outcome, PASSED_BY_NAME, Targets};

pub use crate::extract::facts::OccurrenceRow as Use;
use crate::extract::facts::Symbol;
use crate::index::name_lookup;
use crate::index::names::Names;
pub use crate::index::names::SymbolId;
use crate::index::path_words::PathConvention;
use crate::index::prepare::content_hash;
use crate::index::snapshot::{IndexedFile, Snapshot};
pub use crate::index::uses::Uses;
use crate::lang::{self, NameRules};
use crate::precise::ContentHash;
use crate::source::cancel::CancelToken;
use crate::store::ledger::record::FactsKey;

/// A position in a file from which names are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pub file: u32,
    /// The innermost symbol around it.
    pub symbol: Option<u32>,
    pub line: u32,
    pub column: u32,
}

/// The source of facts and texts that the snapshot does not have in memory.
pub trait Source {
    fn uses(&self, key: FactsKey) -> Option<Arc<Uses>>;
    /// Returns the uses of a file; may return none if no use has one of these names.
    fn uses_with(&self, key: FactsKey, _names: &[&str]) -> Option<Arc<Uses>> {
        self.uses(key)
    }
    /// Returns the text of a file of the root; none for a large file.
    fn read(&self, path: &str) -> Option<Rc<str>>;

    /// Returns the names of a file with this content, if an imported index has them.
    fn precise(&self, _path: &str, _hash: &ContentHash) -> Option<PreciseNames> {
        None
    }

    /// Returns the paths of the files that use definitions of a file with this content, according to imported indexes.
    fn precise_users(&self, _path: &str, _hash: &ContentHash) -> Vec<String> {
        vec![]
    }
}

/// A name to resolve: its file, the innermost symbol around it, and the name.
type ScopedName = (u32, Option<u32>, String);

/// The facts of a root, with memos of what one query has derived from them. Each kind of question is answered by a view of the
/// graph that has memos of its own.
pub struct Graph<'a> {
    pub snapshot: &'a Snapshot,
    names: &'a Names,
    source: &'a dyn Source,
    /// Cancelled when the caller no longer waits.
    cancel: CancelToken,
    uses: RefCell<HashMap<u32, Arc<Uses>, RandomState>>,
    files_with_word: Memo<String, Rc<[u32]>>,
    indexed_texts: Memo<u32, Option<Rc<str>>>,
    scope_memo: scope::ScopeMemo,
    module_memo: modules::ModuleMemo<'a>,
    member_memo: members::MemberMemo<'a>,
    type_memo: types::TypeMemo,
    flow_memo: flow::FlowMemo,
    resolver_memo: resolve::ResolverMemo,
    reference_memo: references::ReferenceMemo,
    precise_memo: precise::PreciseMemo,
    test_memo: reaching_tests::TestMemo,
    /// The depth of recursion, which is limited because code can refer to itself in cycles.
    depth: Cell<u32>,
}

/// Declares the views of the graph. A view is a copyable reference to the graph with the methods for one kind of question; for
/// other questions it calls the graph or another view.
macro_rules! views {
    ($($(#[$about:meta])* $view:ident: $accessor:ident;)+) => {
        $(
            $(#[$about])*
            #[derive(Clone, Copy)]
            pub struct $view<'g, 'a>(&'g Graph<'a>);

            impl<'a> Deref for $view<'_, 'a> {
                type Target = Graph<'a>;

                fn deref(&self) -> &Self::Target {
                    self.0
                }
            }
        )+

        impl<'a> Graph<'a> {
            $($(#[$about])*
            pub fn $accessor(&self) -> $view<'_, 'a> {
                $view(self)
            })+
        }
    };
}

views! {
    /// Resolution of unqualified names, from the innermost scope outwards.
    Scopes: scopes;
    /// Resolution of imports: the modules that they name, and the names that can be imported from those.
    Modules: modules;
    /// The members of types, and their supertypes and subtypes.
    Members: members;
    /// Entities: symbols that are one thing, such as a declaration and its definition.
    Entities: entities;
    /// The types that are named in code, and the types of symbols.
    Types: types;
    /// The values of short expressions.
    Values: values;
    /// The values that flow into an expression.
    Flows: flows;
    /// The symbols that one use of a name refers to.
    Resolver: resolver;
    /// The definitions that imported indexes know.
    Precise: precise;
    /// The uses of a symbol.
    References: references;
    /// The callers and callees of a function.
    Calls: calls;
    /// The tests that reach a symbol.
    Tests: tests;
    /// The imports between files.
    Dependencies: dependencies;
}

thread_local! {
    /// The number of answers on this thread that are incomplete, because code refers to itself or a limit was reached.
    static INCOMPLETE: Cell<u64> = const { Cell::new(0) };
}

fn count_incomplete() {
    INCOMPLETE.set(INCOMPLETE.get() + 1);
}

/// Computed answers by key. A key that is requested again while its answer is being computed gets the default, because code can
/// refer to itself in cycles.
struct Memo<K, V>(RefCell<HashMap<K, Option<V>, RandomState>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Eq + Hash + Clone, V: Clone + Default> Memo<K, V> {
    fn known(&self, key: &K) -> Option<V> {
        let answers = self.0.borrow();
        let answer = answers.get(key)?;
        if answer.is_none() {
            count_incomplete();
        }
        Some(answer.clone().unwrap_or_default())
    }

    fn get(&self, key: K, compute: impl FnOnce() -> V) -> V {
        if let Some(answer) = self.known(&key) {
            return answer;
        }
        self.0.borrow_mut().insert(key.clone(), None);
        let answer = compute();
        self.0.borrow_mut().insert(key, Some(answer.clone()));
        answer
    }
}

/// Computed answers by key, where the answer for a key consists of those for others, along very many paths. A key that is
/// requested again while its answer is being computed gets the default. Answers that lack it are used until the outermost request
/// is answered, which finds what they lack elsewhere.
struct CyclicMemo<K, V> {
    complete: RefCell<HashMap<K, AtDepth<V>, RandomState>>,
    partial: RefCell<HashMap<K, Option<AtDepth<V>>, RandomState>>,
    /// True if the answer that is being computed lacks something.
    is_partial: Cell<bool>,
}

/// An answer with the depth of recursion at which it was computed.
type AtDepth<V> = (u32, V);

impl<K, V> Default for CyclicMemo<K, V> {
    fn default() -> Self {
        Self {
            complete: RefCell::default(),
            partial: RefCell::default(),
            is_partial: Cell::default(),
        }
    }
}

impl<K: Eq + Hash + Clone, V: Clone + Default> CyclicMemo<K, V> {
    /// Returns the answer for a key; at a smaller depth than before, it is computed again.
    fn get(&self, depth: u32, key: K, compute: impl FnOnce() -> V) -> V {
        let is_deep = |(computed, _): &&(u32, V)| *computed <= depth;
        if let Some((_, answer)) = self.complete.borrow().get(&key).filter(is_deep) {
            return answer.clone();
        }
        let is_outermost = self.partial.borrow().is_empty();
        let running = match self.partial.borrow().get(&key) {
            Some(None) => Some(V::default()),
            Some(Some(known)) => Some(known)
                .filter(is_deep)
                .map(|(_, answer)| answer.clone()),
            None => None,
        };
        if let Some(answer) = running {
            self.is_partial.set(true);
            return answer;
        }
        self.partial.borrow_mut().insert(key.clone(), None);
        let around = self.is_partial.replace(false);
        let answer = compute();
        let is_partial = self.is_partial.get() && !is_outermost;
        self.is_partial.set(around || is_partial);
        let known = (depth, answer.clone());
        if is_partial {
            self.partial.borrow_mut().insert(key, Some(known));
            return answer;
        }
        let mut partial = self.partial.borrow_mut();
        partial.remove(&key);
        if is_outermost {
            partial.clear();
        }
        self.complete.borrow_mut().insert(key, known);
        answer
    }
}

const MAX_DEPTH: u32 = 24;
/// The most files whose uses are kept during a query.
const MAX_USES: usize = 4_000;

impl<'a> Graph<'a> {
    pub fn new(snapshot: &'a Snapshot, source: &'a dyn Source) -> Self {
        Self {
            snapshot,
            names: snapshot.names(),
            source,
            cancel: CancelToken::default(),
            uses: RefCell::default(),
            files_with_word: Memo::default(),
            indexed_texts: Memo::default(),
            scope_memo: scope::ScopeMemo::default(),
            module_memo: modules::ModuleMemo::default(),
            member_memo: members::MemberMemo::default(),
            type_memo: types::TypeMemo::default(),
            flow_memo: flow::FlowMemo::default(),
            resolver_memo: resolve::ResolverMemo::default(),
            reference_memo: references::ReferenceMemo::default(),
            precise_memo: precise::PreciseMemo::default(),
            test_memo: reaching_tests::TestMemo::default(),
            depth: Cell::new(0),
        }
    }

    /// Attaches a cancellation token: searches for references end when it is cancelled.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &CancelToken) -> Self {
        self.cancel = cancel.clone();
        self
    }

    pub fn file(&self, number: u32) -> &'a Arc<IndexedFile> {
        &self.snapshot.files[number as usize]
    }

    pub fn symbol(&self, at: SymbolId) -> &'a Symbol {
        &self.file(at.file).outline.symbols[at.symbol as usize]
    }

    /// Returns the symbol directly around a symbol.
    pub fn parent(&self, at: SymbolId) -> Option<SymbolId> {
        let symbol = self.symbol(at).parent?;
        Some(SymbolId { symbol, ..at })
    }

    /// Returns the rules for resolving the names in a file; none for a language without facts.
    pub fn rules(&self, file: u32) -> Option<&'static NameRules> {
        Some(&self.file(file).language?.facts.as_ref()?.names)
    }

    /// Returns the number of a file by its path.
    pub fn file_number(&self, path: &str) -> Option<u32> {
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

    /// Returns the uses of a file; none if it is known to use none of these names, as most files that are searched for a name
    /// do.
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

    /// Adds the uses of a file that were read elsewhere.
    pub fn keep_uses(&self, file: u32, uses: &Arc<Uses>) {
        let mut all = self.uses.borrow_mut();
        if all.len() >= MAX_USES {
            all.clear();
        }
        all.insert(file, Arc::clone(uses));
    }

    /// Returns the text of a file if it is the one that the facts describe, so that their positions are valid in it.
    fn indexed_text(&self, file: u32) -> Option<Rc<str>> {
        self.indexed_texts.get(file, || {
            let file = self.file(file);
            let text = self.source.read(&file.path)?;
            let is_as_indexed = content_hash(text.as_bytes()) == file.record.hash
                // Bytes that are not UTF-8 were replaced, so the content cannot be compared.
                || text.contains(char::REPLACEMENT_CHARACTER);
            is_as_indexed.then_some(text)
        })
    }

    /// Runs a step of a recursion; returns the default value beyond `MAX_DEPTH` levels. Code that refers to itself several times
    /// has very many paths, so a cancelled question goes half as deep.
    fn deeper<T: Default>(&self, look: impl FnOnce() -> T) -> T {
        let depth = self.depth.get();
        if depth >= MAX_DEPTH || depth > MAX_DEPTH / 2 && self.cancel.is_cancelled() {
            count_incomplete();
            return T::default();
        }
        self.depth.set(self.depth.get() + 1);
        let found = look();
        self.depth.set(self.depth.get() - 1);
        found
    }

    /// Runs a step of a recursion like [`Graph::deeper`], and once per key.
    fn deeper_once<K: Eq + Hash + Clone, V: Clone + Default>(
        &self,
        memo: &CyclicMemo<K, V>,
        key: K,
        look: impl FnOnce() -> V,
    ) -> V {
        memo.get(self.depth.get(), key, || self.deeper(look))
    }

    /// Returns the symbol itself, then the symbols around it, the innermost first.
    fn enclosing(
        &self,
        file: u32,
        symbol: Option<u32>,
    ) -> impl Iterator<Item = SymbolId> + use<'a> {
        let symbols = &self.file(file).outline.symbols;
        std::iter::successors(symbol, move |at| symbols.get(*at as usize)?.parent)
            .map(move |symbol| SymbolId { file, symbol })
    }

    /// Returns the innermost symbol around a line.
    fn innermost_symbol(&self, file: u32, line: u32) -> Option<u32> {
        let symbols = &self.file(file).outline.symbols;
        let place = symbols
            .iter()
            .rposition(|symbol| (symbol.start_line..=symbol.end_line).contains(&line))?;
        u32::try_from(place).ok()
    }

    /// Returns whether names of one file can refer to symbols of the other.
    pub fn same_language_family(&self, one: u32, other: u32) -> bool {
        let languages = self.file(one).language.zip(self.file(other).language);
        languages.is_some_and(|(one, other)| lang::same_language_family(one, other))
    }

    /// Returns all symbols with this name.
    pub fn named<'b>(&'b self, name: &'b str) -> impl Iterator<Item = SymbolId> + 'b {
        self.names.symbols(self.snapshot, name)
    }

    /// Returns the symbols with this name in a range of files.
    fn named_within<'b>(
        &'b self,
        name: &'b str,
        files: Range<usize>,
    ) -> impl Iterator<Item = SymbolId> + 'b {
        self.names.symbols_within(self.snapshot, name, files)
    }

    /// Returns the files whose text may contain a word.
    pub fn files_with(&self, word: &str) -> Rc<[u32]> {
        self.files_with_word.get(word.to_owned(), || {
            let mut files = name_lookup::files_with_name(self.snapshot, word);
            files.retain(|file| !self.file(*file).outline.chunks.is_empty());
            files.into()
        })
    }

    /// Drops the symbols in build output and third-party code, unless there are no others.
    fn prefer_originals(&self, symbols: &mut Vec<SymbolId>) {
        let is_copy = |at: &SymbolId| {
            let conventions = self.file(at.file).path_words().conventions;
            conventions.contains(PathConvention::Copy)
        };
        if symbols.len() > 1 && !symbols.iter().all(is_copy) {
            symbols.retain(|at| !is_copy(at));
        }
    }

    /// Returns whether the names in a file can be resolved; if not, they can only be searched as text.
    pub fn has_uses(&self, file: u32) -> bool {
        self.rules(file).is_some()
    }
}

impl Position {
    /// Returns the end of a symbol, after all names that it binds.
    pub fn inside(graph: &Graph, at: SymbolId) -> Self {
        let symbol = graph.symbol(at);
        Self {
            file: at.file,
            symbol: Some(at.symbol),
            line: symbol.end_line,
            column: u32::MAX,
        }
    }

    /// Returns the position of a symbol's name in its declaration.
    pub fn declaration(graph: &Graph, at: SymbolId) -> Self {
        let symbol = graph.symbol(at);
        Self {
            file: at.file,
            symbol: Some(at.symbol),
            line: symbol.name_line,
            column: symbol.name_column,
        }
    }

    /// Returns the position of a symbol's declaration, in the scope around the symbol.
    pub fn outside(graph: &Graph, at: SymbolId) -> Self {
        Self {
            symbol: graph.symbol(at).parent,
            ..Self::declaration(graph, at)
        }
    }

    /// Returns the position of a use.
    pub fn from_use(file: u32, row: &Use) -> Self {
        Self {
            file,
            symbol: row.symbol,
            line: row.line,
            column: row.column,
        }
    }

    /// Returns the start of a line of a file, outside all symbols.
    pub fn at_line(file: u32, line: u32) -> Self {
        Self {
            file,
            symbol: None,
            line,
            column: 0,
        }
    }
}
