//! The root as it was before a diff, in which uses of removed symbols can be resolved.
//!
//! Files that the diff does not touch come from the index. The others are read from git, and workers extract their facts.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;

use crate::extract::ChunkSizes;
use crate::extract::facts::Symbol;
use crate::graph::{Graph, Source, SymbolId, Uses};
use crate::index::prepare::{content_hash, language_of};
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::index::worker::{Job, Outcome, Pool, Priority, Task};
use crate::lang::Language;
use crate::query::shared::graph_root::GraphRoot;
use crate::query::shared::worker_batches::receive_batch;
use crate::source::cancel::CancelToken;
use crate::source::git::{DiffKind, FileDiff, Repository};
use crate::source::judge::judge;
use crate::store::ledger::record::{self, FactsKey, FileRecord, FileState};

/// The most files whose old facts are extracted.
const MAX_FILES: usize = 200;
/// Larger files are not read: they are rarely written by hand.
const LARGEST_FILE: u64 = 1 << 20;

/// Files whose old facts are extracted in one batch.
const BATCH: usize = 16;

pub struct OldRevision {
    pub snapshot: Snapshot,
    uses: HashMap<FactsKey, Arc<Uses>>,
    texts: HashMap<String, Rc<str>>,
    /// The lines of each file that the diff removes or replaces, in order.
    removed_lines: BTreeMap<String, Vec<(u32, u32)>>,
    /// Changed files whose old facts are not known.
    pub missing_files: u64,
}

struct OldFile {
    path: String,
    record: FileRecord,
    language: Option<&'static Language>,
}

impl OldRevision {
    /// Reads the old revision of a root; none if the diff changes no file of the old revision.
    pub fn read(
        root: &GraphRoot<'_>,
        pool: &Pool,
        repository: &Repository,
        files: &[FileDiff],
        cancel: &CancelToken,
    ) -> Result<Option<Self>, ToolError> {
        let mut jobs = vec![];
        let mut old: Vec<OldFile> = vec![];
        let mut texts = HashMap::new();
        let mut missing_files = 0;
        for file in files.iter().filter(|file| file.kind != DiffKind::Added) {
            cancel.check()?;
            let bytes = if jobs.len() < MAX_FILES {
                repository.before(file, LARGEST_FILE)
            } else {
                None
            };
            let Some(bytes) = bytes else {
                let has_facts =
                    language_of(&file.path, &[]).is_some_and(|language| language.facts.is_some());
                missing_files += u64::from(has_facts);
                continue;
            };
            let Ok(text) = judge(&file.path, &bytes) else {
                continue;
            };
            let language = language_of(&file.path, &bytes);
            if language.is_none_or(|language| language.facts.is_none()) {
                continue;
            }
            jobs.push(Job {
                language,
                task: Task::Facts(ChunkSizes::default()),
                text: text.into(),
            });
            texts.insert(file.path.clone(), Rc::from(text));
            let record = new_record(&bytes, language.map(|language| language.id));
            old.push(OldFile {
                path: file.path.clone(),
                record,
                language,
            });
        }
        if jobs.is_empty() && missing_files == 0 {
            return Ok(None);
        }
        let outcomes = extract(pool, jobs, cancel)?
            .into_iter()
            .map(Some)
            .chain(std::iter::repeat_with(|| None));
        let mut all: BTreeMap<String, Arc<IndexedFile>> = root
            .indexed
            .snapshot
            .files
            .iter()
            .map(|file| (file.path.clone(), Arc::clone(file)))
            .collect();
        // Files that the diff adds are not in the old revision.
        for file in files.iter().filter(|file| file.kind == DiffKind::Added) {
            all.remove(&file.path);
        }
        let mut uses = HashMap::new();
        for (
            OldFile {
                path,
                record,
                language,
            },
            outcome,
        ) in old.into_iter().zip(outcomes)
        {
            let outline = match &outcome {
                Some(Outcome::Facts(facts)) => record::outline(&facts.outline).zip(Some(facts)),
                Some(_) | None => None,
            };
            let Some((outline, facts)) = outline else {
                texts.remove(&path);
                missing_files += 1;
                continue;
            };
            if let (FileState::Indexed(key), Some(found)) =
                (record.state, record::occurrences(&facts.occurrences))
            {
                uses.insert(key, Arc::new(Uses::new(found)));
            }
            all.insert(
                path.clone(),
                Arc::new(IndexedFile::new(path, record, language, Arc::new(outline))),
            );
        }
        let lines = |file: &FileDiff| {
            file.hunks
                .iter()
                .map(|hunk| (hunk.old.first, hunk.old.last))
                .collect()
        };
        let read_files = files.iter().filter(|file| texts.contains_key(&file.path));
        let removed_lines = read_files
            .map(|file| (file.path.clone(), lines(file)))
            .collect();
        let snapshot = Snapshot::new(all.into_values().collect(), 0, None);
        Ok(Some(Self {
            snapshot,
            uses,
            texts,
            removed_lines,
            missing_files,
        }))
    }

    /// Returns the symbols that were defined in removed lines and are no longer defined in their files.
    pub fn removed_symbols(&self, now: &Graph<'_>) -> Vec<SymbolId> {
        let mut removed = vec![];
        for (path, removed_lines) in &self.removed_lines {
            let Some((file, indexed)) = self.file(path) else {
                continue;
            };
            let remaining: HashSet<String> =
                now.file_number(path).map_or_else(HashSet::new, |file| {
                    let indexed = now.file(file);
                    indexed
                        .outline
                        .symbols
                        .iter()
                        .map(|symbol| indexed.qualified(symbol))
                        .collect()
                });
            let symbols = &indexed.outline.symbols;
            let is_in_function = |symbol: &Symbol| {
                symbol
                    .parent
                    .and_then(|parent| symbols.get(parent as usize))
                    .is_some_and(|one| one.kind.is_callable())
            };
            for (symbol, one) in (0..).zip(symbols) {
                let counts = one.kind != SymbolKind::Module && !is_in_function(one);
                if counts
                    && has_line(removed_lines, one.name_line)
                    && !remaining.contains(&indexed.qualified(one))
                {
                    removed.push(SymbolId { file, symbol });
                }
            }
        }
        removed
    }

    /// Returns the qualified names that a file of the diff had; none if its old facts are not known.
    pub fn old_names(&self, path: &str) -> Option<HashSet<String>> {
        let (_, before) = self
            .file(path)
            .filter(|_| self.removed_lines.contains_key(path))?;
        Some(
            before
                .outline
                .symbols
                .iter()
                .map(|symbol| before.qualified(symbol))
                .collect(),
        )
    }

    /// Returns the old signatures of symbols that have another one now, by their index in the new file. Unchanged overloads are
    /// matched first, the others by their order.
    pub fn old_signatures(&self, path: &str, now: &IndexedFile) -> HashMap<u32, String> {
        let Some((_, before)) = self
            .file(path)
            .filter(|_| self.removed_lines.contains_key(path))
        else {
            return HashMap::new();
        };
        let (mut old, new) = (signatures_by_name(before), signatures_by_name(now));
        let mut found = HashMap::new();
        for (name, mut symbols) in new {
            let Some(mut earlier) = old.remove(&name) else {
                continue;
            };
            symbols.retain(|(_, signature)| {
                let same = earlier
                    .iter()
                    .position(|(_, other)| same_signature(other, signature));
                same.map(|same| earlier.remove(same)).is_none()
            });
            let changed = symbols.into_iter().zip(earlier);
            found.extend(
                changed.map(|((symbol, _), (_, signature))| (symbol, signature.to_owned())),
            );
        }
        found
    }

    fn file(&self, path: &str) -> Option<(u32, &IndexedFile)> {
        let place = self.snapshot.place(path)?;
        Some((u32::try_from(place).ok()?, &self.snapshot.files[place]))
    }

    /// Returns whether the diff changes a file, so that its old lines have other numbers.
    pub fn is_changed(&self, path: &str) -> bool {
        self.removed_lines.contains_key(path)
    }
}

/// Extracts the facts of files in workers.
fn extract(
    pool: &Pool,
    mut jobs: Vec<Job>,
    cancel: &CancelToken,
) -> Result<Vec<Outcome>, ToolError> {
    let mut all = Vec::with_capacity(jobs.len());
    while !jobs.is_empty() {
        let rest = jobs.split_off(jobs.len().min(BATCH));
        let count = jobs.len();
        let receiver = pool.submit(Priority::Interactive, std::mem::replace(&mut jobs, rest));
        let batch = receive_batch(&receiver, cancel)?;
        // No worker could be started: there will be no more results.
        let is_short = batch.len() < count;
        all.extend(batch);
        if is_short {
            break;
        }
    }
    Ok(all)
}

/// Returns whether one of these sorted spans contains a line.
fn has_line(spans: &[(u32, u32)], line: u32) -> bool {
    let next = spans.partition_point(|(_, last)| *last < line);
    spans.get(next).is_some_and(|(first, _)| *first <= line)
}

type Signatures<'a> = HashMap<(String, SymbolKind), Vec<(u32, &'a str)>>;

/// Returns the signatures of callables and types, by qualified name and kind.
fn signatures_by_name(file: &IndexedFile) -> Signatures<'_> {
    let mut found: Signatures<'_> = HashMap::new();
    for (place, symbol) in (0..).zip(&file.outline.symbols) {
        if symbol.kind.is_callable() || symbol.kind.is_type() {
            found
                .entry((file.qualified(symbol), symbol.kind))
                .or_default()
                .push((place, &symbol.signature));
        }
    }
    found
}

/// Returns whether two signatures differ in nothing but white space.
fn same_signature(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

fn new_record(bytes: &[u8], language: Option<&str>) -> FileRecord {
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

/// The source of the old graph's facts.
pub struct OldSource<'a> {
    pub old_revision: &'a OldRevision,
    pub current: &'a GraphRoot<'a>,
}

impl Source for OldSource<'_> {
    fn uses(&self, key: FactsKey) -> Option<Arc<Uses>> {
        self.old_revision
            .uses
            .get(&key)
            .cloned()
            .or_else(|| self.current.uses(key))
    }

    fn read(&self, path: &str) -> Option<Rc<str>> {
        self.old_revision
            .texts
            .get(path)
            .cloned()
            .or_else(|| self.current.read(path))
    }
}
