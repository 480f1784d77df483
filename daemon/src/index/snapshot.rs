//! Immutable snapshots of a root's index, one per commit. Queries read nothing else.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use claudevil_protocol::answer::symbol::SymbolKind;

use super::manifests::Manifests;
use super::model_tier::ModelTier;
use super::names::Names;
use super::number_map::NumberMap;
use super::path_lexicon::PathLexicon;
use super::path_words::PathWords;
use super::vectors::{FileVectors, Runs};
use crate::extract::facts::{Outline, Symbol};
use crate::lang::{self, Detection, Language, conventions};
use crate::store::ledger::record::{Counts, FactsKey, FileRecord, FileState, Skip};
use crate::store::text::{self, TextView};

/// The index of a root after one commit. Indexes that are derived from it are made when a query first needs them.
#[derive(Default)]
pub struct Snapshot {
    /// Sorted by path.
    pub files: Vec<Arc<IndexedFile>>,
    pub generation: u64,
    /// None until something has been committed.
    pub text: Option<TextView>,
    /// Positions of files by their numbers in the text index.
    numbers: OnceLock<NumberMap<u64, usize>>,
    /// The first chunk of each file among all.
    starts: OnceLock<Arc<[usize]>>,
    size: OnceLock<Size>,
    weight: OnceLock<usize>,
    /// Shared with earlier and later snapshots of the same paths.
    paths: Arc<OnceLock<PathLexicon>>,
    names: OnceLock<Names>,
    /// The manifests as they were indexed.
    pub manifests: OnceLock<Arc<Manifests>>,
    /// The centrality of each file as bits of an `f32`; NaN until it is computed.
    centralities: OnceLock<Box<[AtomicU32]>>,
    connections: OnceLock<ConnectionCounts>,
    /// Positions of files that the text index may lack.
    doubtful: OnceLock<Box<[usize]>>,
    /// The numbers of unindexed files of code, by language.
    unindexed: OnceLock<Vec<(&'static Language, u64)>>,
    /// The rows of each model in the order of the files.
    pub(super) runs: [OnceLock<Runs>; 2],
}

/// The number of connections of each symbol, by file and symbol.
pub type ConnectionCounts = Vec<Box<[u32]>>;

/// The size of a snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pub chunks: usize,
    pub symbols: usize,
}

#[derive(Clone, Debug)]
pub struct IndexedFile {
    pub path: String,
    pub record: FileRecord,
    pub language: Option<&'static Language>,
    /// Empty for a file that is skipped.
    pub outline: Arc<Outline>,
    /// The vectors of each model, which come later than the rest.
    pub(super) vectors: [Option<Arc<FileVectors>>; 2],
    /// Made when first needed, and shared by all snapshots with the file.
    pub(super) ranking_data: Arc<OnceLock<RankingData>>,
}

/// The data of a file that every ranking reads.
#[derive(Debug)]
pub(super) struct RankingData {
    number: u64,
    path: PathWords,
    tests: Box<[(u32, u32)]>,
}

impl Snapshot {
    pub fn new(files: Vec<Arc<IndexedFile>>, generation: u64, text: Option<TextView>) -> Self {
        Self {
            files,
            generation,
            text,
            ..Self::default()
        }
    }

    /// Reuses the path lexicon of the previous snapshot if the paths are the same.
    #[must_use]
    pub fn reusing_paths(mut self, before: &Self) -> Self {
        let same = |(one, other): (&Arc<IndexedFile>, &Arc<IndexedFile>)| {
            Arc::ptr_eq(one, other) || one.path == other.path
        };
        if self.files.len() == before.files.len() && self.files.iter().zip(&before.files).all(same)
        {
            self.paths = Arc::clone(&before.paths);
        }
        self
    }

    /// Reuses the index of names of another snapshot of the same paths, except for the files that have changed.
    #[must_use]
    pub fn reusing_names(self, before: &Self, changed: &[u32]) -> Self {
        let names = before.names().with_changed(&self.files, changed);
        Self {
            names: OnceLock::from(names),
            ..self
        }
    }

    pub fn size(&self) -> Size {
        *self.size.get_or_init(|| Size {
            chunks: self
                .files
                .iter()
                .map(|file| file.outline.chunks.len())
                .sum(),
            symbols: self
                .files
                .iter()
                .map(|file| file.outline.symbols.len())
                .sum(),
        })
    }

    /// Counts the files of code that are not indexed, such as generated ones: all, or those that may use symbols of a language.
    pub fn unindexed_files(&self, language: Option<&Language>) -> u64 {
        let count = || {
            let mut counts: Vec<(&'static Language, u64)> = vec![];
            for file in self.files.iter().filter(|file| file.skip().is_some()) {
                let name = file.path.rsplit('/').next().unwrap_or_default();
                let Detection::Known(own) = lang::by_path(name) else {
                    continue;
                };
                match counts.iter_mut().find(|(one, _)| std::ptr::eq(*one, own)) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((own, 1)),
                }
            }
            counts.retain(|(own, _)| own.facts.is_some());
            counts
        };
        let may_use =
            |own| language.is_none_or(|language| lang::same_language_family(own, language));
        let counts = self.unindexed.get_or_init(count).iter();
        counts
            .filter(|(own, _)| may_use(own))
            .map(|(_, count)| count)
            .sum()
    }

    /// Estimates the size in memory.
    pub fn weight(&self) -> usize {
        *self
            .weight
            .get_or_init(|| self.files.iter().map(|file| file.weight()).sum())
    }

    /// Returns the position of the first chunk of each file among all, and the end of the last.
    pub fn chunk_starts(&self) -> &Arc<[usize]> {
        self.starts.get_or_init(|| {
            let mut starts = Vec::with_capacity(self.files.len() + 1);
            starts.push(0);
            for file in &self.files {
                starts.push(starts[starts.len() - 1] + file.outline.chunks.len());
            }
            starts.into()
        })
    }

    /// Returns the centrality of a file, if it has been computed.
    pub fn centrality(&self, file: usize) -> Option<f32> {
        let bits = self.centralities().get(file)?.load(Ordering::Relaxed);
        Some(f32::from_bits(bits)).filter(|centrality| !centrality.is_nan())
    }

    pub fn set_centrality(&self, file: usize, centrality: f32) {
        if let Some(slot) = self.centralities().get(file) {
            slot.store(centrality.to_bits(), Ordering::Relaxed);
        }
    }

    fn centralities(&self) -> &[AtomicU32] {
        self.centralities.get_or_init(|| {
            self.files
                .iter()
                .map(|_| AtomicU32::new(f32::NAN.to_bits()))
                .collect()
        })
    }

    /// Returns the positions of files that the text index may lack.
    pub fn doubtful(&self) -> &[usize] {
        let is_doubtful = |place: &usize| self.files[*place].record.is_doubtful();
        self.doubtful
            .get_or_init(|| (0..self.files.len()).filter(is_doubtful).collect())
    }

    /// Returns the connections of its symbols, if they have been computed.
    pub fn connections(&self) -> Option<&ConnectionCounts> {
        self.connections.get()
    }

    pub fn set_connections(&self, connections: ConnectionCounts) -> &ConnectionCounts {
        self.connections.get_or_init(|| connections)
    }

    pub fn path_lexicon(&self) -> &PathLexicon {
        self.paths.get_or_init(|| PathLexicon::new(&self.files))
    }

    /// Returns the index of its names.
    pub fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::new(&self.files))
    }

    /// Returns the index of its names, if an earlier query has made it.
    pub fn cached_names(&self) -> Option<&Names> {
        self.names.get()
    }

    /// Returns the position of a file by its number in the text index.
    pub fn by_number(&self, number: u64) -> Option<usize> {
        let all = || {
            self.files
                .iter()
                .enumerate()
                .map(|(place, file)| (file.number(), place))
                .collect()
        };
        self.numbers.get_or_init(all).get(&number).copied()
    }

    pub fn file(&self, path: &str) -> Option<&Arc<IndexedFile>> {
        self.place(path).map(|at| &self.files[at])
    }

    /// Returns the position of a file.
    pub fn place(&self, path: &str) -> Option<usize> {
        self.files
            .binary_search_by(|file| file.path.as_str().cmp(path))
            .ok()
    }

    /// Returns the files in a folder and below; all of them for the root itself.
    pub fn beneath<'a>(&'a self, folder: &str) -> &'a [Arc<IndexedFile>] {
        &self.files[self.places_beneath(folder)]
    }

    /// Returns the positions of the files in a folder and below.
    pub fn places_beneath(&self, folder: &str) -> Range<usize> {
        if folder.is_empty() {
            return 0..self.files.len();
        }
        let prefix = format!("{folder}/");
        let from = self.files.partition_point(|file| *file.path < *prefix);
        let length = self.files[from..].partition_point(|file| file.path.starts_with(&prefix));
        from..from + length
    }

    /// Returns every symbol of every file.
    pub fn symbols(&self) -> impl Iterator<Item = (&Arc<IndexedFile>, &Symbol)> {
        self.files.iter().flat_map(|file| {
            file.outline
                .symbols
                .iter()
                .map(move |symbol| (file, symbol))
        })
    }
}

impl IndexedFile {
    pub fn new(
        path: String,
        record: FileRecord,
        language: Option<&'static Language>,
        outline: Arc<Outline>,
    ) -> Self {
        Self {
            path,
            record,
            language,
            outline,
            vectors: [None, None],
            ranking_data: Arc::default(),
        }
    }

    /// Returns its number in the text index.
    pub fn number(&self) -> u64 {
        self.ranking_data().number
    }

    /// Returns the words of its path.
    pub fn path_words(&self) -> &PathWords {
        &self.ranking_data().path
    }

    /// Returns the byte ranges of its test modules: `mod tests`.
    pub fn test_modules(&self) -> &[(u32, u32)] {
        &self.ranking_data().tests
    }

    fn ranking_data(&self) -> &RankingData {
        let is_test_module = |symbol: &&Symbol| {
            symbol.kind == SymbolKind::Module && conventions::is_inline_test_module(&symbol.name)
        };
        self.ranking_data.get_or_init(|| RankingData {
            number: text::file_number(&self.path),
            path: PathWords::new(&self.path, self.language),
            tests: self
                .outline
                .symbols
                .iter()
                .filter(is_test_module)
                .map(|symbol| (symbol.start_byte, symbol.end_byte))
                .collect(),
        })
    }

    pub fn facts_key(&self) -> Option<FactsKey> {
        self.record.facts_key()
    }

    pub fn skip(&self) -> Option<Skip> {
        match self.record.state {
            FileState::Indexed(_) => None,
            FileState::Skipped(skip) => Some(skip),
        }
    }

    /// Returns its part of the size of the root's index.
    pub fn counts(&self) -> Counts {
        if self.skip().is_some() {
            return Counts {
                skipped: 1,
                ..Counts::default()
            };
        }
        Counts {
            files: 1,
            skipped: 0,
            chunks: self.outline.chunks.len() as u64,
            symbols: self.outline.symbols.len() as u64,
            source_bytes: self.record.size,
        }
    }

    pub fn vectors(&self, tier: ModelTier) -> Option<&Arc<FileVectors>> {
        self.vectors[tier.index()].as_ref()
    }

    /// Returns the same file with these vectors.
    #[must_use]
    pub fn with_vectors(&self, tier: ModelTier, vectors: Option<Arc<FileVectors>>) -> Self {
        let mut file = self.clone();
        file.vectors[tier.index()] = vectors;
        file
    }

    /// Returns the qualified name of a symbol.
    pub fn qualified(&self, symbol: &Symbol) -> String {
        let separator = self
            .language
            .and_then(|language| language.facts.as_ref())
            .map_or(".", |facts| facts.separator);
        let mut names = vec![&*symbol.name];
        names.extend(self.containers(symbol));
        names.reverse();
        names.join(separator)
    }

    /// Returns the names around a symbol, the innermost first.
    pub fn containers<'a>(&'a self, symbol: &'a Symbol) -> impl Iterator<Item = &'a str> {
        let get = |at: u32| self.outline.symbols.get(at as usize);
        let mut scope = symbol.scope.as_deref();
        let mut parent = symbol.parent;
        // A field that a method defines belongs to the class around the method: `self.x = 1` in `__init__`.
        let mut around = std::iter::successors(parent, |at| get(*at)?.parent);
        if let Some(owner) = scope
            .and_then(|scope| around.find(|at| get(*at).is_some_and(|one| *one.name == *scope)))
        {
            (scope, parent) = (None, Some(owner));
        }
        std::iter::from_fn(move || {
            if let Some(scope) = scope.take() {
                return Some(scope);
            }
            let around = self.outline.symbols.get(parent? as usize)?;
            parent = around.parent;
            scope = around.scope.as_deref();
            Some(&around.name)
        })
    }

    /// Estimates the size in memory.
    pub fn weight(&self) -> usize {
        let symbols = self.outline.symbols.iter().map(|symbol| {
            size_of::<Symbol>() + symbol.name.len() + symbol.signature.len() + symbol.doc.len() + 48
        });
        let vectors: usize = self
            .vectors
            .iter()
            .flatten()
            .map(|vectors| vectors.weight())
            .sum();
        let (filter, chunks) = (self.outline.trigrams.size(), self.outline.chunks.len() * 32);
        size_of::<Self>()
            + self.path.len()
            + symbols.sum::<usize>()
            + chunks
            + filter
            + vectors
            + 300
    }
}
