//! Prepares files for a commit: reads and hashes them, skips what is not source text, and has workers extract the facts that
//! are not stored yet.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::snapshot::Snapshot;
use super::worker::{Job, Outcome, Pool, Priority, Task};
use crate::config::IndexSettings;
use crate::extract::facts::{self, Outline};
use crate::extract::{self, ChunkSizes};
use crate::lang::{self, Detection, Language};
use crate::secrets;
use crate::source::beneath::RootDir;
use crate::source::judge;
use crate::source::walk::WalkedFile;
use crate::store::error::StoreError;
use crate::store::ledger::Ledger;
use crate::store::ledger::record::{self, FactsKey, FileRecord, FileState, Skip, StoredFacts};

/// The size of a batch for a worker: large enough that the pipe costs little, small enough that all workers get some.
const JOBS_AT_ONCE: usize = 16;
const BYTES_AT_ONCE: usize = 256 << 10;
/// The number of bytes in which a shebang line is looked for: `#!/usr/bin/env python3`.
const SHEBANG_BYTES: usize = 256;

/// A file that is ready to be committed.
pub struct PreparedFile {
    pub path: String,
    pub record: FileRecord,
    pub language: Option<&'static Language>,
    pub outline: Arc<Outline>,
    /// Facts that are not stored yet.
    pub facts: Option<StoredFacts>,
    /// The text with secrets blanked. None where only the metadata changed.
    pub text: Option<Arc<str>>,
}

/// The use of facts that are stored for the same content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactsReuse {
    Allowed,
    /// Everything is extracted again.
    Forbidden,
}

pub struct Preparer<'a> {
    pub dir: &'a RootDir,
    pub ledger: &'a Ledger,
    pub pool: &'a Pool,
    pub settings: &'a IndexSettings,
    pub sizes: ChunkSizes,
    pub reuse: FactsReuse,
    pub priority: Priority,
    /// The files that are in the text index already.
    pub before: &'a Snapshot,
    /// Called with the number of further files that are ready or gone.
    pub ready: &'a (dyn Fn(usize) + Sync),
}

/// The result of reading a file.
enum Lookup {
    Ready(PreparedFile),
    Pending(PendingFile),
}

/// A file whose facts are stored under its key, or have to be extracted.
struct PendingFile {
    path: String,
    record: FileRecord,
    language: Option<&'static Language>,
    key: FactsKey,
    text: Arc<str>,
}

impl PendingFile {
    /// Adds the outline, and the facts if they are not stored yet.
    fn prepared(self, outline: Outline, facts: Option<StoredFacts>) -> PreparedFile {
        let Self {
            path,
            record,
            language,
            text,
            ..
        } = self;
        let text = match extract::redact(&text, &outline.redactions) {
            Cow::Borrowed(_) => text,
            Cow::Owned(redacted) => redacted.into(),
        };
        PreparedFile {
            path,
            record,
            language,
            outline: Arc::new(outline),
            facts,
            text: Some(text),
        }
    }

    fn skipped(self, skip: Skip) -> PreparedFile {
        let record = FileRecord {
            state: FileState::Skipped(skip),
            ..self.record
        };
        let (path, language) = (self.path, self.language);
        PreparedFile {
            path,
            record,
            language,
            outline: Arc::default(),
            facts: None,
            text: None,
        }
    }
}

/// Files that were submitted to a worker together.
struct WorkerBatch {
    /// The number of the batch that its files belong to.
    number: usize,
    pending: Vec<PendingFile>,
    outcomes: Receiver<Vec<Outcome>>,
}

/// The batches that are being prepared.
#[derive(Default)]
struct Pipeline {
    submitted: VecDeque<WorkerBatch>,
    /// The batches that were started and not handed over, with the files that are ready.
    open: VecDeque<Vec<PreparedFile>>,
    handed_over: usize,
}

/// A batch of files for one commit.
pub type PreparedBatch = Result<Vec<PreparedFile>, StoreError>;

impl Preparer<'_> {
    /// Prepares batch after batch and hands each over once it is complete, without files that have vanished since the walk.
    /// The next batch is read while workers still have files of the last one, so that they always have work.
    pub fn prepare(
        &self,
        batches: &[&[WalkedFile]],
        mut hand_over: impl FnMut(PreparedBatch) -> ControlFlow<()>,
    ) {
        let mut pipeline = Pipeline::default();
        for (number, files) in batches.iter().enumerate() {
            pipeline.open.push_back(Vec::with_capacity(files.len()));
            let mut pending: Vec<PendingFile> = vec![];
            let mut bytes = 0;
            for (at, file) in files.iter().enumerate() {
                match self.look_up(file) {
                    None => (self.ready)(1),
                    Some(Lookup::Ready(ready)) => {
                        pipeline.put(ready);
                        (self.ready)(1);
                    }
                    Some(Lookup::Pending(one)) => {
                        bytes += one.text.len();
                        pending.push(one);
                    }
                }
                let is_last = at + 1 == files.len();
                let are_enough = pending.len() >= JOBS_AT_ONCE || bytes >= BYTES_AT_ONCE || is_last;
                if pending.is_empty() || !are_enough {
                    continue;
                }
                bytes = 0;
                if let Err(error) = self.submit(number, std::mem::take(&mut pending), &mut pipeline)
                {
                    let _ = hand_over(Err(error));
                    return;
                }
                let is_full = pipeline.submitted.len() > self.pool.width() * 2;
                if is_full
                    && self
                        .collect(&mut pipeline, number, &mut hand_over)
                        .is_break()
                {
                    return;
                }
            }
            if pipeline.hand_over(number + 1, &mut hand_over).is_break() {
                return;
            }
        }
        while !pipeline.submitted.is_empty() {
            if self
                .collect(&mut pipeline, batches.len(), &mut hand_over)
                .is_break()
            {
                return;
            }
        }
    }

    /// Waits for the oldest worker batch, and hands over the batches that are complete by then.
    fn collect(
        &self,
        pipeline: &mut Pipeline,
        read: usize,
        hand_over: &mut impl FnMut(PreparedBatch) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match pipeline.collect() {
            Ok(files) => (self.ready)(files),
            Err(error) => {
                let _ = hand_over(Err(error));
                return ControlFlow::Break(());
            }
        }
        pipeline.hand_over(read, hand_over)
    }

    /// Submits the files whose facts are not stored yet.
    fn submit(
        &self,
        number: usize,
        pending: Vec<PendingFile>,
        pipeline: &mut Pipeline,
    ) -> Result<(), StoreError> {
        let keys: Vec<FactsKey> = pending.iter().map(|one| one.key).collect();
        let known = if self.reuse == FactsReuse::Allowed {
            self.ledger.outlines(&keys)?
        } else {
            vec![]
        };
        let mut known = known.into_iter();
        let mut unknown = Vec::with_capacity(pending.len());
        for one in pending {
            match known.next().flatten() {
                Some(outline) => {
                    pipeline.put(one.prepared(outline, None));
                    (self.ready)(1);
                }
                None => unknown.push(one),
            }
        }
        if !unknown.is_empty() {
            let job = |one: &PendingFile| Job {
                language: one.language,
                task: Task::Facts(self.sizes),
                text: Arc::clone(&one.text),
            };
            let outcomes = self
                .pool
                .submit(self.priority, unknown.iter().map(job).collect());
            pipeline.submitted.push_back(WorkerBatch {
                number,
                pending: unknown,
                outcomes,
            });
        }
        Ok(())
    }

    /// Reads a file. None if it is gone.
    fn look_up(&self, file: &WalkedFile) -> Option<Lookup> {
        let skipped = |skip, hash| {
            let state = FileState::Skipped(skip);
            let record = record_of(file, hash, None, state);
            Some(Lookup::Ready(PreparedFile {
                path: file.path.clone(),
                record,
                language: None,
                outline: Arc::default(),
                facts: None,
                text: None,
            }))
        };
        if secrets::is_secret_file(&file.path) {
            return skipped(Skip::Secret, [0; 16]);
        }
        if file.size > self.settings.largest_file {
            return skipped(Skip::TooLarge, [0; 16]);
        }
        let Some(open) = self.dir.open_file(&file.path).ok() else {
            // It was removed since the walk, or cannot be read.
            let gone = self.dir.stat(&file.path).is_none();
            return if gone {
                None
            } else {
                skipped(Skip::Unreadable, [0; 16])
            };
        };
        let Ok(bytes) = open.bytes(self.settings.largest_file) else {
            return skipped(Skip::Unreadable, [0; 16]);
        };
        let hash = content_hash(&bytes);
        let source = match judge::judge(&file.path, &bytes) {
            Ok(source) => source,
            Err(skip) => return skipped(stored_skip(skip), hash),
        };
        let language = language_of(&file.path, &bytes);
        let key = self.key(hash, language);
        let before = self.before.file(&file.path);
        // A file that killed a worker is tried again only when it has changed.
        let killed = before
            .and_then(|before| before.skip())
            .filter(|skip| is_parser_failure(*skip));
        if let (Some(skip), Some(before)) = (killed, before)
            && before.record.hash == hash
            && self.reuse == FactsReuse::Allowed
        {
            return skipped(skip, hash);
        }
        let record = record_of(file, hash, language, FileState::Indexed(key));
        let same = before.is_some_and(|before| {
            before.record.state == record.state && !before.record.is_doubtful()
        });
        let path = file.path.clone();
        if let Some(before) = before.filter(|_| same && self.reuse == FactsReuse::Allowed) {
            let outline = Arc::clone(&before.outline);
            return Some(Lookup::Ready(PreparedFile {
                path,
                record,
                language,
                outline,
                facts: None,
                text: None,
            }));
        }
        Some(Lookup::Pending(PendingFile {
            path,
            record,
            language,
            key,
            text: source.into(),
        }))
    }

    fn key(&self, hash: [u8; 16], language: Option<&'static Language>) -> FactsKey {
        facts_key(hash, language, self.sizes)
    }
}

impl Pipeline {
    /// Adds a file to the batch that is being read.
    fn put(&mut self, ready: PreparedFile) {
        if let Some(open) = self.open.back_mut() {
            open.push(ready);
        }
    }

    /// Waits for the oldest worker batch. Returns the number of its files.
    fn collect(&mut self) -> Result<usize, StoreError> {
        let Some(batch) = self.submitted.pop_front() else {
            return Ok(0);
        };
        let files = batch.pending.len();
        let outcomes = batch.outcomes.recv().unwrap_or_default();
        if outcomes.len() < files {
            // These files were not parsed, so nothing is recorded about them.
            return Err(StoreError::Other(
                "no worker could be started to parse files".to_owned(),
            ));
        }
        if let Some(open) = self.open.get_mut(batch.number - self.handed_over) {
            add_outcomes(batch.pending, outcomes, open);
        }
        Ok(files)
    }

    /// Hands over the batches that are complete. All files of the batches before `read` have been read.
    fn hand_over(
        &mut self,
        read: usize,
        to: &mut impl FnMut(PreparedBatch) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        while self.handed_over < read
            && self
                .submitted
                .front()
                .is_none_or(|batch| batch.number > self.handed_over)
        {
            let Some(complete) = self.open.pop_front() else {
                break;
            };
            self.handed_over += 1;
            to(Ok(complete))?;
        }
        ControlFlow::Continue(())
    }
}

fn add_outcomes(
    pending: Vec<PendingFile>,
    outcomes: Vec<Outcome>,
    prepared: &mut Vec<PreparedFile>,
) {
    for (one, outcome) in pending.into_iter().zip(outcomes) {
        prepared.push(match outcome {
            Outcome::Facts(facts) => match record::outline(&facts.outline) {
                Some(outline) => one.prepared(outline, Some(facts)),
                None => one.skipped(Skip::ParserCrashed),
            },
            Outcome::Skipped(skip) => one.skipped(skip),
            Outcome::Spans(_)
            | Outcome::Matches(_)
            | Outcome::Pattern(_)
            | Outcome::ReadBack(_) => one.skipped(Skip::ParserCrashed),
        });
    }
}

/// Converts the reason for a skip to the form that the ledger stores.
pub fn stored_skip(skip: judge::SkipReason) -> Skip {
    match skip {
        judge::SkipReason::Binary => Skip::Binary,
        judge::SkipReason::NotUtf8 => Skip::NotUtf8,
        judge::SkipReason::Generated => Skip::Generated,
        judge::SkipReason::Minified => Skip::Minified,
        judge::SkipReason::Secret => Skip::Secret,
    }
}

pub fn is_parser_failure(skip: Skip) -> bool {
    matches!(
        skip,
        Skip::ParserCrashed | Skip::ParserTooSlow | Skip::ParserMemory
    )
}

fn record_of(
    file: &WalkedFile,
    hash: [u8; 16],
    language: Option<&Language>,
    state: FileState,
) -> FileRecord {
    FileRecord {
        size: file.size,
        modified_nanos: file.modified_nanos,
        stamp: file.stamp,
        hash,
        language: language.map(|language| language.id.to_owned()),
        state,
    }
}

pub fn language_of(path: &str, bytes: &[u8]) -> Option<&'static Language> {
    match lang::by_path(path.rsplit('/').next().unwrap_or(path)) {
        Detection::Known(language) => Some(lang::by_lines(language, bytes)),
        Detection::Unknown => None,
        Detection::NeedsShebang => lang::by_shebang(&bytes[..bytes.len().min(SHEBANG_BYTES)]),
    }
}

/// Returns the key of the facts of a content in a language, cut into chunks of these sizes.
pub fn facts_key(hash: [u8; 16], language: Option<&Language>, sizes: ChunkSizes) -> FactsKey {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&hash).update(&facts::VERSION.to_le_bytes());
    hasher.update(language.map_or("", |language| language.id).as_bytes());
    for size in [sizes.target, sizes.most, sizes.overlap] {
        hasher.update(&size.to_le_bytes());
    }
    FactsKey(short(hasher.finalize()))
}

pub fn content_hash(bytes: &[u8]) -> [u8; 16] {
    short(blake3::hash(bytes))
}

fn short(hash: blake3::Hash) -> [u8; 16] {
    hash.as_bytes().first_chunk().copied().unwrap_or_default()
}
