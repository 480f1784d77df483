//! From paths to what is to be stored: read, hash, judge, and have extracted what is not known yet.

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

/// What a worker gets at once: enough that the pipe costs little, little enough that all workers have some.
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
    pub text: Option<String>,
}

/// Whether what is known of a content is believed.
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
    /// What is in the text index already, by path.
    pub before: &'a Snapshot,
    /// Told how many more files are ready, or gone.
    pub ready: &'a (dyn Fn(usize) + Sync),
}

/// A file whose content has been looked at.
enum Seen {
    Ready(Prepared),
    /// Its facts are to be made.
    Wanted {
        path: String,
        record: FileRecord,
        language: Option<&'static Language>,
        text: String,
    },
}

/// Files that a worker has been given together.
struct Group {
    batch: usize,
    wanted: Vec<Seen>,
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
    pub fn prepare(&self, batches: &[&[WalkedFile]], mut hand_over: impl FnMut(Outcomes) -> ControlFlow<()>) {
        let mut under_way = UnderWay::default();
        for (number, files) in batches.iter().enumerate() {
            under_way.open.push_back(Vec::with_capacity(files.len()));
            let mut wanted: Vec<Seen> = vec![];
            let mut bytes = 0;
            for file in *files {
                match self.look(file) {
                    Err(error) => {
                        let _ = hand_over(Err(error));
                        return;
                    }
                    Ok(None) => (self.ready)(1),
                    Ok(Some(Seen::Ready(ready))) => {
                        under_way.put(ready);
                        (self.ready)(1);
                    }
                    Ok(Some(seen)) => {
                        bytes += usize::try_from(file.size).unwrap_or(usize::MAX);
                        wanted.push(seen);
                    }
                }
                if wanted.len() >= JOBS_AT_ONCE || bytes >= BYTES_AT_ONCE {
                    under_way.groups.push_back(self.submit(number, std::mem::take(&mut wanted)));
                    bytes = 0;
                    let is_full = under_way.groups.len() > self.pool.width() * 2;
                    if is_full && self.collect(&mut under_way, number, &mut hand_over).is_break() {
                        return;
                    }
                }
            }
            if !wanted.is_empty() {
                under_way.groups.push_back(self.submit(number, wanted));
            }
            if under_way.hand_over(number + 1, &mut hand_over).is_break() {
                return;
            }
        }
        while !under_way.groups.is_empty() {
            if self.collect(&mut under_way, batches.len(), &mut hand_over).is_break() {
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

    fn submit(&self, batch: usize, wanted: Vec<Seen>) -> Group {
        let jobs = wanted.iter().filter_map(|seen| match seen {
            Seen::Wanted { language, text, .. } => {
                Some(Job { language: *language, sizes: self.sizes, text: text.clone() })
            }
            Seen::Ready(_) => None,
        });
        let outcomes = self.pool.submit(self.pace, jobs.collect());
        Group { batch, wanted, outcomes }
    }

    fn look(&self, file: &WalkedFile) -> Result<Option<Seen>, StoreError> {
        let skipped = |skip, hash| {
            let state = FileState::Skipped(skip);
            let record = record_of(file, hash, None, state);
            Some(Seen::Ready(Prepared {
                path: file.path.clone(),
                record,
                language: None,
                outline: Arc::default(),
                facts: None,
                text: None,
            }))
        };
        if secrets::is_secret_file(&file.path) {
            return Ok(skipped(Skip::Secret, [0; 16]));
        }
        if file.size > self.settings.largest_file {
            return Ok(skipped(Skip::TooLarge, [0; 16]));
        }
        let Some(open) = self.dir.open_file(&file.path).ok() else {
            // Gone since it was seen, or not to be read.
            let gone = self.dir.stat(&file.path).is_none();
            return Ok(if gone { None } else { skipped(Skip::Unreadable, [0; 16]) });
        };
        let Ok(bytes) = open.bytes(self.settings.largest_file) else {
            return Ok(skipped(Skip::Unreadable, [0; 16]));
        };
        let hash = content_hash(&bytes);
        let source = match judge::judge(&file.path, &bytes) {
            Ok(source) => source,
            Err(skip) => return Ok(skipped(reason(skip), hash)),
        };
        let language = language_of(&file.path, &bytes);
        let key = self.key(hash, language);
        let before = self.before.file(&file.path);
        // A file that killed a worker is tried again only when it is another.
        let killed = before.and_then(|before| before.skip()).filter(|skip| is_killing(*skip));
        if let (Some(skip), Some(before)) = (killed, before)
            && before.record.hash == hash
            && self.trust == Trust::Known
        {
            return Ok(skipped(skip, hash));
        }
        let record = record_of(file, hash, language, FileState::Indexed(key));
        let same = before.is_some_and(|before| before.record.state == record.state && !before.record.is_doubtful());
        if let Some(before) = before.filter(|_| same && self.trust == Trust::Known) {
            let outline = Arc::clone(&before.outline);
            let path = file.path.clone();
            return Ok(Some(Seen::Ready(Prepared { path, record, language, outline, facts: None, text: None })));
        }
        let known = if self.trust == Trust::Known { self.ledger.outlines(&[key])?.pop().flatten() } else { None };
        let path = file.path.clone();
        Ok(Some(match known {
            Some(outline) => {
                let text = Some(extract::redact(source, &outline.redactions).into_owned());
                let outline = Arc::new(outline);
                Seen::Ready(Prepared { path, record, language, outline, facts: None, text })
            }
            None => Seen::Wanted { path, record, language, text: source.to_owned() },
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
        let Some(group) = self.groups.pop_front() else { return Ok(0) };
        let files = group.wanted.len();
        let outcomes = group.outcomes.recv().unwrap_or_default();
        if outcomes.len() < files {
            // Nothing is known of these files, so nothing is noted of them.
            return Err(StoreError::Other("no worker could be started to parse files".to_owned()));
        }
        if let Some(open) = self.open.get_mut(group.batch - self.handed_over) {
            collect(group.wanted, outcomes, open);
        }
        Ok(files)
    }

    /// Hands over the batches that are complete. Those before `read` have been read to their end.
    fn hand_over(&mut self, read: usize, to: &mut impl FnMut(Outcomes) -> ControlFlow<()>) -> ControlFlow<()> {
        while self.handed_over < read && self.groups.front().is_none_or(|group| group.batch > self.handed_over) {
            let Some(complete) = self.open.pop_front() else { break };
            self.handed_over += 1;
            to(Ok(complete))?;
        }
        ControlFlow::Continue(())
    }
}

fn collect(wanted: Vec<Seen>, outcomes: Vec<Outcome>, prepared: &mut Vec<Prepared>) {
    for (seen, outcome) in wanted.into_iter().zip(outcomes) {
        let Seen::Wanted { path, mut record, language, text } = seen else { continue };
        let extracted = match outcome {
            Outcome::Facts(facts) => match record::outline(&facts.outline) {
                Some(outline) => Ok((facts, outline)),
                None => Err(Skip::ParserCrashed),
            },
            Outcome::Skipped(skip) => Err(skip),
        };
        let (facts, outline) = match extracted {
            Ok(extracted) => extracted,
            Err(skip) => {
                record.state = FileState::Skipped(skip);
                prepared.push(Prepared { path, record, language, outline: Arc::default(), facts: None, text: None });
                continue;
            }
        };
        let text = Some(extract::redact(&text, &outline.redactions).into_owned());
        prepared.push(Prepared { path, record, language, outline: Arc::new(outline), facts: Some(facts), text });
    }
}

/// As it is kept.
pub fn reason(skip: judge::Skip) -> Skip {
    match skip {
        judge::Skip::Binary => Skip::Binary,
        judge::Skip::NotUtf8 => Skip::NotUtf8,
        judge::Skip::Generated => Skip::Generated,
        judge::Skip::Minified => Skip::Minified,
        judge::Skip::Secret => Skip::Secret,
    }
}

pub fn is_killing(skip: Skip) -> bool {
    matches!(skip, Skip::ParserCrashed | Skip::ParserTooSlow | Skip::ParserMemory)
}

fn record_of(file: &WalkedFile, hash: [u8; 16], language: Option<&Language>, state: FileState) -> FileRecord {
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
