//! From paths to what is to be stored: read, hash, judge, and have extracted what is not known yet.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::snapshot::Snapshot;
use super::worker::{Job, Outcome, Pace, Pool};
use crate::config::IndexSettings;
use crate::extract::facts::{self, Outline};
use crate::extract::{self, ChunkSizes};
use crate::lang::{self, Detection, Language};
use crate::secrets;
use crate::source::beneath::RootDir;
use crate::source::judge;
use crate::source::walk::WalkedFile;
use crate::store::failure::StoreError;
use crate::store::ledger::Ledger;
use crate::store::ledger::record::{self, FactsKey, FileRecord, FileState, Skip, StoredFacts};

/// The size of a group for a worker: enough that the pipe costs little, little enough that all workers have some.
const JOBS_AT_ONCE: usize = 16;
const BYTES_AT_ONCE: usize = 256 << 10;
/// Enough to see an interpreter's name.
const SHEBANG_BYTES: usize = 256;

/// A file that is ready to be committed.
pub struct Prepared {
    pub path: String,
    pub record: FileRecord,
    pub language: Option<&'static Language>,
    pub outline: Arc<Outline>,
    /// Facts that are not stored yet.
    pub facts: Option<StoredFacts>,
    /// With secrets blanked. None where nothing changed but the file's times.
    pub text: Option<Arc<str>>,
}

/// True if what is known of a content is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    Known,
    /// Everything is extracted anew.
    Nothing,
}

pub struct Preparer<'a> {
    pub dir: &'a RootDir,
    pub ledger: &'a Ledger,
    pub pool: &'a Pool,
    pub settings: &'a IndexSettings,
    pub sizes: ChunkSizes,
    pub trust: Trust,
    pub pace: Pace,
    /// The files that are in the text index already, by path.
    pub before: &'a Snapshot,
    /// Told how many more files are ready, or gone.
    pub ready: &'a (dyn Fn(usize) + Sync),
}

/// A file whose content has been looked at.
enum Lookup {
    Ready(Prepared),
    Pending(PendingFile),
}

/// A file whose facts are known by their key, or are to be made.
struct PendingFile {
    path: String,
    record: FileRecord,
    language: Option<&'static Language>,
    key: FactsKey,
    text: Arc<str>,
}

impl PendingFile {
    /// With facts that are to be stored, or are.
    fn prepared(self, outline: Outline, facts: Option<StoredFacts>) -> Prepared {
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
        Prepared {
            path,
            record,
            language,
            outline: Arc::new(outline),
            facts,
            text: Some(text),
        }
    }

    fn skipped(self, skip: Skip) -> Prepared {
        let record = FileRecord {
            state: FileState::Skipped(skip),
            ..self.record
        };
        let (path, language) = (self.path, self.language);
        Prepared {
            path,
            record,
            language,
            outline: Arc::default(),
            facts: None,
            text: None,
        }
    }
}

/// Files that a worker has been given together.
struct Group {
    batch: usize,
    wanted: Vec<PendingFile>,
    outcomes: Receiver<Vec<Outcome>>,
}

#[derive(Default)]
struct UnderWay {
    groups: VecDeque<Group>,
    /// The batches that have been begun and not handed over, as far as they are.
    open: VecDeque<Vec<Prepared>>,
    handed_over: usize,
}

/// A batch, or why there is none.
pub type Outcomes = Result<Vec<Prepared>, StoreError>;

impl Preparer<'_> {
    /// Prepares batch after batch and hands each over once it is complete, without those that vanished meanwhile. The next
    /// one is read while the last files of a batch are still with the workers, so that these always have work.
    pub fn prepare(
        &self,
        batches: &[&[WalkedFile]],
        mut hand_over: impl FnMut(Outcomes) -> ControlFlow<()>,
    ) {
        let mut under_way = UnderWay::default();
        for (number, files) in batches.iter().enumerate() {
            under_way.open.push_back(Vec::with_capacity(files.len()));
            let mut wanted: Vec<PendingFile> = vec![];
            let mut bytes = 0;
            for (at, file) in files.iter().enumerate() {
                match self.look(file) {
                    None => (self.ready)(1),
                    Some(Lookup::Ready(ready)) => {
                        under_way.put(ready);
                        (self.ready)(1);
                    }
                    Some(Lookup::Pending(one)) => {
                        bytes += one.text.len();
                        wanted.push(one);
                    }
                }
                let is_last = at + 1 == files.len();
                let are_enough = wanted.len() >= JOBS_AT_ONCE || bytes >= BYTES_AT_ONCE || is_last;
                if wanted.is_empty() || !are_enough {
                    continue;
                }
                bytes = 0;
                if let Err(error) = self.order(number, std::mem::take(&mut wanted), &mut under_way)
                {
                    let _ = hand_over(Err(error));
                    return;
                }
                let is_full = under_way.groups.len() > self.pool.width() * 2;
                if is_full
                    && self
                        .collect(&mut under_way, number, &mut hand_over)
                        .is_break()
                {
                    return;
                }
            }
            if under_way.hand_over(number + 1, &mut hand_over).is_break() {
                return;
            }
        }
        while !under_way.groups.is_empty() {
            if self
                .collect(&mut under_way, batches.len(), &mut hand_over)
                .is_break()
            {
                return;
            }
        }
    }

    /// Waits for the oldest group, and hands over what is complete by then.
    fn collect(
        &self,
        under_way: &mut UnderWay,
        read: usize,
        hand_over: &mut impl FnMut(Outcomes) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match under_way.collect() {
            Ok(files) => (self.ready)(files),
            Err(error) => {
                let _ = hand_over(Err(error));
                return ControlFlow::Break(());
            }
        }
        under_way.hand_over(read, hand_over)
    }

    /// Has the facts made that are not known yet.
    fn order(
        &self,
        batch: usize,
        wanted: Vec<PendingFile>,
        under_way: &mut UnderWay,
    ) -> Result<(), StoreError> {
        let keys: Vec<FactsKey> = wanted.iter().map(|one| one.key).collect();
        let known = if self.trust == Trust::Known {
            self.ledger.outlines(&keys)?
        } else {
            vec![]
        };
        let mut known = known.into_iter();
        let mut unknown = Vec::with_capacity(wanted.len());
        for one in wanted {
            match known.next().flatten() {
                Some(outline) => {
                    under_way.put(one.prepared(outline, None));
                    (self.ready)(1);
                }
                None => unknown.push(one),
            }
        }
        if !unknown.is_empty() {
            let job = |one: &PendingFile| Job {
                language: one.language,
                sizes: self.sizes,
                text: Arc::clone(&one.text),
            };
            let outcomes = self
                .pool
                .submit(self.pace, unknown.iter().map(job).collect());
            under_way.groups.push_back(Group {
                batch,
                wanted: unknown,
                outcomes,
            });
        }
        Ok(())
    }

    /// None if it is gone.
    fn look(&self, file: &WalkedFile) -> Option<Lookup> {
        let skipped = |skip, hash| {
            let state = FileState::Skipped(skip);
            let record = record_of(file, hash, None, state);
            Some(Lookup::Ready(Prepared {
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
            // Gone since it was seen, or not to be read.
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
            Err(skip) => return skipped(reason(skip), hash),
        };
        let language = language_of(&file.path, &bytes);
        let key = self.key(hash, language);
        let before = self.before.file(&file.path);
        // A file that killed a worker is tried again only when it is another.
        let killed = before
            .and_then(|before| before.skip())
            .filter(|skip| is_killing(*skip));
        if let (Some(skip), Some(before)) = (killed, before)
            && before.record.hash == hash
            && self.trust == Trust::Known
        {
            return skipped(skip, hash);
        }
        let record = record_of(file, hash, language, FileState::Indexed(key));
        let same = before.is_some_and(|before| {
            before.record.state == record.state && !before.record.is_doubtful()
        });
        let path = file.path.clone();
        if let Some(before) = before.filter(|_| same && self.trust == Trust::Known) {
            let outline = Arc::clone(&before.outline);
            return Some(Lookup::Ready(Prepared {
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
        let mut hasher = blake3::Hasher::new();
        hasher.update(&hash).update(&facts::VERSION.to_le_bytes());
        hasher.update(language.map_or("", |language| language.id).as_bytes());
        for size in [self.sizes.target, self.sizes.most, self.sizes.overlap] {
            hasher.update(&size.to_le_bytes());
        }
        FactsKey(short(hasher.finalize()))
    }
}

impl UnderWay {
    /// Into the batch that is being read.
    fn put(&mut self, ready: Prepared) {
        if let Some(open) = self.open.back_mut() {
            open.push(ready);
        }
    }

    /// Waits for the oldest group; of how many files that was.
    fn collect(&mut self) -> Result<usize, StoreError> {
        let Some(group) = self.groups.pop_front() else {
            return Ok(0);
        };
        let files = group.wanted.len();
        let outcomes = group.outcomes.recv().unwrap_or_default();
        if outcomes.len() < files {
            // Nothing is known of these files, so nothing is noted of them.
            return Err(StoreError::Other(
                "no worker could be started to parse files".to_owned(),
            ));
        }
        if let Some(open) = self.open.get_mut(group.batch - self.handed_over) {
            collect(group.wanted, outcomes, open);
        }
        Ok(files)
    }

    /// Hands over the batches that are complete. Those before `read` have been read to their end.
    fn hand_over(
        &mut self,
        read: usize,
        to: &mut impl FnMut(Outcomes) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        while self.handed_over < read
            && self
                .groups
                .front()
                .is_none_or(|group| group.batch > self.handed_over)
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

fn collect(wanted: Vec<PendingFile>, outcomes: Vec<Outcome>, prepared: &mut Vec<Prepared>) {
    for (one, outcome) in wanted.into_iter().zip(outcomes) {
        prepared.push(match outcome {
            Outcome::Facts(facts) => match record::outline(&facts.outline) {
                Some(outline) => one.prepared(outline, Some(facts)),
                None => one.skipped(Skip::ParserCrashed),
            },
            Outcome::Skipped(skip) => one.skipped(skip),
        });
    }
}

/// As it is kept.
pub fn reason(skip: judge::SkipReason) -> Skip {
    match skip {
        judge::SkipReason::Binary => Skip::Binary,
        judge::SkipReason::NotUtf8 => Skip::NotUtf8,
        judge::SkipReason::Generated => Skip::Generated,
        judge::SkipReason::Minified => Skip::Minified,
        judge::SkipReason::Secret => Skip::Secret,
    }
}

pub fn is_killing(skip: Skip) -> bool {
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

pub fn content_hash(bytes: &[u8]) -> [u8; 16] {
    short(blake3::hash(bytes))
}

fn short(hash: blake3::Hash) -> [u8; 16] {
    hash.as_bytes().first_chunk().copied().unwrap_or_default()
}
