//! The root as it was before a diff: what is gone now can only be asked about there.
//!
//! Files that the diff does not touch are those of the index. The others are read from git and their facts made anew, by the
//! same workers that make all facts.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;

use crate::extract::ChunkSizes;
use crate::extract::facts::Symbol;
use crate::graph::{At, Graph, Source, Uses};
use crate::index::prepare::{content_hash, language_of};
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::index::worker::{Job, Outcome, Pace, Pool};
use crate::lang::Language;
use crate::query::linked::Linked;
use crate::source::cancel::CancelToken;
use crate::source::git::{DiffKind, FileDiff, Repository};
use crate::source::judge::judge;
use crate::store::ledger::record::{self, FactsKey, FileRecord, FileState};

/// Files whose old facts are made at most.
const MOST_FILES: usize = 200;
/// Larger ones are rarely written by anybody.
const LARGEST_FILE: u64 = 1 << 20;

/// Files whose old facts are made in one batch. A caller who has gone is noticed between batches.
const BATCH: usize = 16;
/// How often a waiting thread looks whether its caller is still there.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

pub struct Before {
    pub snapshot: Snapshot,
    uses: HashMap<FactsKey, Arc<Uses>>,
    texts: HashMap<String, Rc<str>>,
    /// The lines of each file that the diff removes or replaces, in order.
    gone: BTreeMap<String, Vec<(u32, u32)>>,
    /// Changed files whose old facts are not known.
    pub missing_files: u64,
}

struct OldFile {
    path: String,
    record: FileRecord,
    language: Option<&'static Language>,
}

impl Before {
    /// None where the diff changes no file that was there before.
    pub fn read(
        linked: &Linked<'_>,
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
            let bytes = if jobs.len() < MOST_FILES {
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
                sizes: ChunkSizes::default(),
                text: text.into(),
            });
            texts.insert(file.path.clone(), Rc::from(text));
            let record = record_of(&bytes, language.map(|language| language.id));
            old.push(OldFile {
                path: file.path.clone(),
                record,
                language,
            });
        }
        if jobs.is_empty() && missing_files == 0 {
            return Ok(None);
        }
        let outcomes = outcomes(pool, jobs, cancel)?
            .into_iter()
            .map(Some)
            .chain(std::iter::repeat_with(|| None));
        let mut all: BTreeMap<String, Arc<IndexedFile>> = linked
            .indexed
            .snapshot
            .files
            .iter()
            .map(|file| (file.path.clone(), Arc::clone(file)))
            .collect();
        // What came with the diff was not there.
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
                Some(Outcome::Skipped(_)) | None => None,
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
        let known = files.iter().filter(|file| texts.contains_key(&file.path));
        let gone = known.map(|file| (file.path.clone(), lines(file))).collect();
        let snapshot = Snapshot::new(all.into_values().collect(), 0, None);
        Ok(Some(Self {
            snapshot,
            uses,
            texts,
            gone,
            missing_files,
        }))
    }

    /// Symbols that were defined in removed lines and that their files no longer have.
    pub fn removed(&self, now: &Graph<'_>) -> Vec<At> {
        let mut removed = vec![];
        for (path, gone) in &self.gone {
            let Some((file, indexed)) = self.file(path) else {
                continue;
            };
            let still: HashSet<String> = now.file_number(path).map_or_else(HashSet::new, |file| {
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
                    && has_line(gone, one.name_line)
                    && !still.contains(&indexed.qualified(one))
                {
                    removed.push(At { file, symbol });
                }
            }
        }
        removed
    }

    /// The qualified names that a file of the diff had; none where its old facts are not known.
    pub fn old_names(&self, path: &str) -> Option<HashSet<String>> {
        let (_, before) = self.file(path).filter(|_| self.gone.contains_key(path))?;
        Some(
            before
                .outline
                .symbols
                .iter()
                .map(|symbol| before.qualified(symbol))
                .collect(),
        )
    }

    /// The old signatures of a file's symbols that have another now, by their place in the file. Overloads are matched by
    /// their order, after those that are as they were.
    pub fn old_signatures(&self, path: &str, now: &IndexedFile) -> HashMap<u32, String> {
        let Some((_, before)) = self.file(path).filter(|_| self.gone.contains_key(path)) else {
            return HashMap::new();
        };
        let (mut old, new) = (by_name(before), by_name(now));
        let mut found = HashMap::new();
        for (name, mut symbols) in new {
            let Some(mut earlier) = old.remove(&name) else {
                continue;
            };
            symbols.retain(|(_, signature)| {
                let same = earlier
                    .iter()
                    .position(|(_, other)| is_same(other, signature));
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

    /// Returns whether the diff changes a file: then its lines are not those that are seen here.
    pub fn is_changed(&self, path: &str) -> bool {
        self.gone.contains_key(path)
    }
}

/// The facts of files, made by the workers that make all facts.
fn outcomes(
    pool: &Pool,
    mut jobs: Vec<Job>,
    cancel: &CancelToken,
) -> Result<Vec<Outcome>, ToolError> {
    let mut all = Vec::with_capacity(jobs.len());
    while !jobs.is_empty() {
        let rest = jobs.split_off(jobs.len().min(BATCH));
        let count = jobs.len();
        let receiver = pool.submit(Pace::Prompt, std::mem::replace(&mut jobs, rest));
        let batch = loop {
            cancel.check()?;
            match receiver.recv_timeout(CHECK_INTERVAL) {
                Ok(batch) => break batch,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break vec![],
            }
        };
        // Where no worker could be had, nothing more is to be expected.
        let is_short = batch.len() < count;
        all.extend(batch);
        if is_short {
            break;
        }
    }
    Ok(all)
}

/// Returns whether one of these spans, which are in order, has a line.
fn has_line(spans: &[(u32, u32)], line: u32) -> bool {
    let next = spans.partition_point(|(_, last)| *last < line);
    spans.get(next).is_some_and(|(first, _)| *first <= line)
}

type Signatures<'a> = HashMap<(String, SymbolKind), Vec<(u32, &'a str)>>;

/// Callables and types with their signatures, by qualified name and kind.
fn by_name(file: &IndexedFile) -> Signatures<'_> {
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
fn is_same(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
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
        self.before
            .uses
            .get(&key)
            .cloned()
            .or_else(|| self.now.uses(key))
    }

    fn read(&self, path: &str) -> Option<Rc<str>> {
        self.before
            .texts
            .get(path)
            .cloned()
            .or_else(|| self.now.read(path))
    }
}
