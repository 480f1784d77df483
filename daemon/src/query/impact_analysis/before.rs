//! The root as it was before a diff: what is gone now can only be asked about there.
//!
//! Files that the diff does not touch are those of the index. The others are read from git and their facts made anew, by the
//! same workers that make all facts.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use claudevil_protocol::model::symbol::SymbolKind;

use crate::extract::ChunkSizes;
use crate::extract::facts::Symbol;
use crate::graph::{At, Graph, Source, Uses};
use crate::index::prepare::{content_hash, language_of};
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::index::worker::{Job, Outcome, Pace, Pool};
use crate::query::linked::Linked;
use crate::source::git::{FileDiff, Kind, Repository};
use crate::source::judge::judge;
use crate::store::ledger::record::{self, FactsKey, FileRecord, FileState};

/// Files whose old facts are made at most.
const MOST_FILES: usize = 200;
/// Larger ones are rarely written by anybody.
const LARGEST_FILE: u64 = 1 << 20;

pub struct Before {
    pub snapshot: Snapshot,
    uses: HashMap<FactsKey, Arc<Uses>>,
    texts: HashMap<String, Rc<str>>,
    /// The lines of each file that are gone or others.
    gone: HashMap<String, Vec<(u32, u32)>>,
}

impl Before {
    /// None where nothing is gone that could be asked about.
    pub fn of(linked: &Linked<'_>, pool: &Pool, repository: &Repository, files: &[FileDiff]) -> Option<Self> {
        let has_lost =
            |file: &&FileDiff| file.kind != Kind::Added && file.hunks.iter().any(|hunk| !hunk.old.is_empty());
        let mut jobs = vec![];
        let mut old: Vec<(String, FileRecord)> = vec![];
        let mut texts = HashMap::new();
        for file in files.iter().filter(has_lost).take(MOST_FILES) {
            let Some(bytes) = repository.before(file, LARGEST_FILE) else { continue };
            let Ok(text) = judge(&file.path, &bytes) else { continue };
            let language = language_of(&file.path, &bytes);
            if language.is_none_or(|language| language.facts.is_none()) {
                continue;
            }
            jobs.push(Job { language, sizes: ChunkSizes::default(), text: text.into() });
            texts.insert(file.path.clone(), Rc::from(text));
            old.push((file.path.clone(), record_of(&bytes, language.map(|language| language.id))));
        }
        if jobs.is_empty() {
            return None;
        }
        let languages: Vec<_> = jobs.iter().map(|job| job.language).collect();
        let outcomes = pool.submit(Pace::Prompt, jobs).recv().unwrap_or_default();
        let mut all: BTreeMap<String, Arc<IndexedFile>> =
            linked.indexed.snapshot.files.iter().map(|file| (file.path.clone(), Arc::clone(file))).collect();
        // What came with the diff was not there.
        for file in files.iter().filter(|file| file.kind == Kind::Added) {
            all.remove(&file.path);
        }
        let mut uses = HashMap::new();
        for (((path, record), language), outcome) in old.into_iter().zip(languages).zip(outcomes) {
            let Outcome::Facts(facts) = outcome else { continue };
            let Some(outline) = record::outline(&facts.outline) else { continue };
            if let (FileState::Indexed(key), Some(found)) = (record.state, record::occurrences(&facts.occurrences)) {
                uses.insert(key, Arc::new(Uses::new(found)));
            }
            all.insert(path.clone(), Arc::new(IndexedFile::new(path, record, language, Arc::new(outline))));
        }
        let lines = |file: &FileDiff| file.hunks.iter().map(|hunk| (hunk.old.first, hunk.old.last)).collect();
        let gone =
            files.iter().filter(|file| texts.contains_key(&file.path)).map(|file| (file.path.clone(), lines(file)));
        let gone = gone.collect();
        Some(Self { snapshot: Snapshot::new(all.into_values().collect(), 0, None), uses, texts, gone })
    }

    /// What was defined there and is so no longer.
    pub fn removed(&self, before: &Graph<'_>, now: &Graph<'_>) -> Vec<At> {
        let mut removed = vec![];
        let mut paths: Vec<&String> = self.gone.keys().collect();
        paths.sort();
        for path in paths {
            let Some(file) = before.number(path) else { continue };
            let indexed = before.file(file);
            let still: Vec<String> = now.number(path).map_or_else(Vec::new, |file| {
                let indexed = now.file(file);
                indexed.outline.symbols.iter().map(|symbol| indexed.qualified(symbol)).collect()
            });
            let is_gone = |symbol: &Symbol| {
                let has = |(first, last): &(u32, u32)| (*first..=*last).contains(&symbol.name_line);
                self.gone[path].iter().any(has) && !still.contains(&indexed.qualified(symbol))
            };
            for (symbol, one) in (0..).zip(&indexed.outline.symbols) {
                let at = At { file, symbol };
                let of_function =
                    one.parent.is_some_and(|parent| before.symbol(At { file, symbol: parent }).kind.is_callable());
                let is_asked = one.kind != SymbolKind::Module && !of_function;
                if is_asked && is_gone(one) {
                    removed.push(at);
                }
            }
        }
        removed
    }

    /// Whether a file is another now, or gone: then its lines are not those that are seen here.
    pub fn is_changed(&self, path: &str) -> bool {
        self.gone.contains_key(path)
    }
}

fn record_of(bytes: &[u8], language: Option<&str>) -> FileRecord {
    let hash = content_hash(bytes);
    FileRecord {
        size: bytes.len() as u64,
        modified_nanos: 0,
        stamp: 0,
        hash,
        language: language.map(str::to_owned),
        state: FileState::Indexed(FactsKey(hash)),
    }
}

/// Where the graph of what was gets its facts.
pub struct BeforeSource<'a> {
    pub before: &'a Before,
    pub now: &'a Linked<'a>,
}

impl Source for BeforeSource<'_> {
    fn uses(&self, key: FactsKey) -> Option<Arc<Uses>> {
        self.before.uses.get(&key).cloned().or_else(|| self.now.uses(key))
    }

    fn read(&self, path: &str) -> Option<Rc<str>> {
        self.before.texts.get(path).cloned().or_else(|| self.now.read(path))
    }
}
