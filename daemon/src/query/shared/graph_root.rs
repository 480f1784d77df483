//! The root of a call with its graph, for which it reads uses of names and whole files.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::text::Line;

use super::loaded_root::LoadedRoot;
use super::overlay::Overlay;
use super::read_errors::ReadErrors;
use crate::graph::precise::{self, PreciseNames};
use crate::graph::{Graph, Source, SymbolId, Uses};
use crate::index::Indexes;
use crate::precise::{ContentHash, RootIndexes};
use crate::query::Context;
use crate::roots::RootFolder;
use crate::search::text_cache::TextCache;
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;
use crate::store::error::StoreError;
use crate::store::ledger::record::FactsKey;

/// Larger files are read neither for the name of a package nor for the arguments of a call.
const LARGEST_READ: u64 = 1 << 20;

/// The most bytes of texts that are kept during a call.
const MAX_KEPT_TEXT: usize = 32 << 20;

/// The uses of a file, or why they cannot be read.
pub type StoredUses = Result<Option<Arc<Uses>>, StoreError>;

pub struct GraphRoot<'a> {
    pub indexed: LoadedRoot,
    pub read_errors: ReadErrors,
    indexes: &'a Indexes,
    cancel: CancelToken,
    dir: RootDir,
    largest: u64,
    /// The texts that the graph has read, by path.
    texts_read: RefCell<HashMap<String, Option<Rc<str>>>>,
    /// The bytes of these texts.
    kept_text: Cell<usize>,
    precise: RootIndexes,
    /// The unsaved texts of the caller.
    overlay: Option<Arc<Overlay>>,
}

impl<'a> GraphRoot<'a> {
    /// Opens the root of a call, and waits a while for a first index to be complete.
    pub fn open(context: &Context<'a>) -> Result<Self, ToolError> {
        let indexed = LoadedRoot::open(context)?.wait_until_complete(context)?;
        Self::with_index(context, indexed)
    }

    /// Opens the root of a call that changes files, and waits a while for every edit made before it to be indexed.
    pub fn open_to_change(context: &Context<'a>) -> Result<Self, ToolError> {
        let indexed = LoadedRoot::open(context)?
            .wait_until_complete(context)?
            .wait_until_current(context)?;
        Self::with_index(context, indexed)
    }

    /// Opens a given root, without waiting for its first index to be complete.
    pub fn open_at(context: &Context<'a>, place: RootFolder) -> Result<Self, ToolError> {
        Self::with_index(context, LoadedRoot::open_at(context, place)?)
    }

    fn with_index(context: &Context<'a>, indexed: LoadedRoot) -> Result<Self, ToolError> {
        let dir = RootDir::open(Path::new(&indexed.root.path), &indexed.root.name)?;
        let shared = context.indexes.shared();
        let largest = shared.settings.largest_file;
        context
            .indexes
            .add_own_precise(&indexed.root, &dir, &indexed.snapshot);
        let precise = shared.precise.get(indexed.root.id);
        Ok(Self {
            indexed,
            read_errors: ReadErrors::default(),
            indexes: context.indexes,
            cancel: context.cancel.clone(),
            dir,
            largest,
            texts_read: RefCell::default(),
            kept_text: Cell::default(),
            precise,
            overlay: None,
        })
    }

    /// Returns the same root with unsaved texts in place of its files.
    #[must_use]
    pub fn with_overlay(mut self, overlay: Arc<Overlay>) -> Self {
        self.indexed.snapshot = Arc::clone(&overlay.snapshot);
        self.overlay = Some(overlay);
        self
    }

    /// Returns whether answers depend on nothing but the snapshot: it is current and was read without errors, and there are
    /// neither unsaved texts nor imported indexes.
    pub fn is_as_indexed(&self) -> bool {
        let adds_nothing = self.overlay.is_none() && self.precise.is_empty();
        adds_nothing && self.indexed.is_current && self.read_errors.is_empty()
    }

    pub fn graph(&self) -> Graph<'_> {
        Graph::new(&self.indexed.snapshot, self).cancelled_by(&self.cancel)
    }

    pub fn dir(&self) -> &RootDir {
        &self.dir
    }

    pub fn texts(&self) -> TextCache<'_> {
        self.texts_by_thread()()
    }

    /// Returns a function that creates a cache of texts; each thread needs its own.
    pub fn texts_by_thread<'s>(&'s self) -> impl Fn() -> TextCache<'s> + Sync {
        let (dir, snapshot, largest) = (&self.dir, &*self.indexed.snapshot, self.largest);
        let overlay = self.overlay.as_deref();
        move || {
            let unsaved = overlay.into_iter().flat_map(Overlay::texts);
            TextCache::new(dir, snapshot, largest).with_unsaved(unsaved)
        }
    }

    /// Returns a function with which other threads read the uses of a file, if a name may be among them.
    pub fn uses_by_thread(&self) -> impl Fn(FactsKey, &str) -> StoredUses + Sync + use<'_, 'a> {
        let (indexes, overlay) = (self.indexes, self.overlay.as_deref());
        move |key, name| match overlay.and_then(|overlay| overlay.uses(key)) {
            Some(uses) => Ok(Some(uses)),
            None => indexes.uses_with(key, &[name]),
        }
    }

    /// Returns uses that another thread has read; records an error and returns none.
    pub fn record_uses(&self, key: FactsKey, uses: StoredUses) -> Option<Arc<Uses>> {
        let root = &self.indexed.root.name;
        self.read_errors.record(root, key, uses)
    }

    /// Returns the freshness of an answer about symbols, with a note if a symbol's language has no facts about uses.
    pub fn freshness(&self, graph: &Graph<'_>, symbols: &[SymbolId]) -> Freshness {
        let mut freshness = self.indexed.freshness.clone();
        self.read_errors.add_to(&mut freshness);
        let without_facts = symbols.iter().find(|at| !graph.has_uses(at.file));
        if let Some(language) = without_facts.and_then(|at| graph.file(at.file).language) {
            let name = language.name;
            freshness.add_note(format!(
                "uses are not analysed for {name}: every line that contains the word is counted"
            ));
        }
        freshness
    }
}

impl GraphRoot<'_> {
    /// Returns the freshness of an answer about the uses of symbols, with a note if code can use one without its name.
    pub fn freshness_of_uses(&self, graph: &Graph<'_>, symbols: &[SymbolId]) -> Freshness {
        let mut freshness = self.freshness(graph, symbols);
        if let Some(at) = symbols.iter().find(|at| graph.is_used_without_name(**at)) {
            let line = Line::from("uses of ").name(&graph.symbol(*at).name);
            freshness.add_note(line.text(" by an operator or implicitly are not searched for"));
        }
        add_note_of_values(graph, &mut freshness);
        freshness
    }

    fn unsaved_uses(&self, key: FactsKey) -> Option<Arc<Uses>> {
        self.overlay.as_ref()?.uses(key)
    }
}

impl Source for GraphRoot<'_> {
    fn uses(&self, key: FactsKey) -> Option<Arc<Uses>> {
        if let Some(uses) = self.unsaved_uses(key) {
            return Some(uses);
        }
        self.record_uses(key, self.indexes.uses(key).map(Some))
    }

    fn uses_with(&self, key: FactsKey, names: &[&str]) -> Option<Arc<Uses>> {
        if let Some(uses) = self.unsaved_uses(key) {
            return Some(uses);
        }
        self.record_uses(key, self.indexes.uses_with(key, names))
    }

    fn read(&self, path: &str) -> Option<Rc<str>> {
        if let Some(text) = self.texts_read.borrow().get(path) {
            return text.clone();
        }
        let unsaved = self.overlay.as_ref().and_then(|overlay| overlay.text(path));
        let text: Option<Rc<str>> = match unsaved {
            Some(text) => Some(Rc::from(&**text)),
            // Nearly every text is valid UTF-8, and checking it is much faster than replacing invalid bytes.
            None => self.dir.read(path, LARGEST_READ).map(|bytes| {
                str::from_utf8(&bytes)
                    .map_or_else(|_| Rc::from(String::from_utf8_lossy(&bytes)), Rc::from)
            }),
        };
        let mut kept = self.texts_read.borrow_mut();
        let length = text.as_ref().map_or(0, |text| text.len());
        if self.kept_text.get() + length > MAX_KEPT_TEXT {
            kept.clear();
            self.kept_text.set(0);
        }
        self.kept_text.set(self.kept_text.get() + length);
        kept.insert(path.to_owned(), text.clone());
        text
    }

    fn precise(&self, path: &str, hash: &ContentHash) -> Option<PreciseNames> {
        self.precise.iter().find_map(|index| {
            Some(PreciseNames {
                file: Rc::new(index.file(path, hash)?),
                reason: precise::reason(&index.info().tool),
            })
        })
    }

    fn precise_users(&self, path: &str, hash: &ContentHash) -> Vec<String> {
        let indexes = self
            .precise
            .iter()
            .filter(|index| index.describes(path, hash));
        indexes
            .flat_map(|index| index.users(path).map(str::to_owned))
            .collect()
    }
}

/// Adds a note if values were not followed to their end.
pub fn add_note_of_values(graph: &Graph<'_>, freshness: &mut Freshness) {
    if graph.flows().is_cut() {
        freshness.add_note(
            "calls through values may be missing or known by name only: there are too many values to follow",
        );
    }
}
