//! The one writer of a root: a thread that takes orders, finds what changed, and commits it in batches.
//!
//! The commit goes through the stores in a fixed order: facts and intent in the ledger, then the text index under the
//! next generation, then the files in the ledger under the same generation. Everything before the last step can be done
//! again, and is, after a crash: the paths of an unfinished intent are looked at anew.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use super::desk::{Orders, Run, Urgency};
use super::prepare::{Prepared, Preparer, Trust};
use super::progress::{Phase, Progress};
use super::snapshot::{IndexedFile, Snapshot};
use super::{RootIndex, Shared};
use crate::clock;
use crate::extract::facts;
use crate::lang;
use crate::source::beneath::RootDir;
use crate::source::cancel::Cancel;
use crate::source::git_dir::GitDir;
use crate::source::walk::{self, Rules, Scope, Walked, WalkedFile};
use crate::source::watch::Watching;
use crate::store::INDEX_FORMAT;
use crate::store::failure::StoreError;
use crate::store::ledger::Batch;
use crate::store::ledger::record::{Counts, FileRecord, FileState, RootState};
use crate::store::text::{self, TextIndex, TextWriter, WriterSize};

/// The first commit comes soon, so that something can be found; later ones are large, because each has its price.
const FIRST_BATCH: usize = 128;
const BATCH: usize = 1500;
const BATCH_BYTES: u64 = 24 << 20;
/// A writer is kept this long for the next edit.
const WRITER_REST: Duration = Duration::from_secs(5);
const AVAILABILITY: Duration = Duration::from_secs(2);
const RECONCILE: Duration = Duration::from_secs(300);
/// Where nothing is reported, the tree is compared this often, or every twentieth of the time.
const POLL: Duration = Duration::from_secs(5);
const POLL_SHARE: u32 = 20;
/// How long a checkout may hold back what it changes, and how often is looked whether it is done.
const GIT_PATIENCE: Duration = Duration::from_secs(3);
const GIT_LOOK: Duration = Duration::from_millis(50);
const RETRY: Duration = Duration::from_secs(2);
const PREDECESSOR_PATIENCE: Duration = Duration::from_secs(120);

pub struct Indexer {
    shared: Arc<Shared>,
    handle: Arc<RootIndex>,
    path: PathBuf,
    rules: Rules,
    state: RootState,
    files: BTreeMap<String, Arc<IndexedFile>>,
    /// Paths of batches that were cut off: what the text index has of them is not known.
    doubtful: BTreeSet<String>,
    text: Option<TextIndex>,
    writer: Option<(TextWriter, WriterSize)>,
    cancel: Cancel,
    timers: Timers,
    /// Of the ledger that holds what is known here.
    beginnings: u64,
}

struct Timers {
    reconcile: Instant,
    availability: Instant,
    writer: Option<Instant>,
    /// Since when git has been busy, and when to look again.
    git: Option<(Instant, Instant)>,
}

/// How much of the root a difference is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Whole,
    Part,
}

/// What has been looked at anew.
enum Looked {
    /// These, and what is in them.
    Paths(BTreeSet<String>),
    Everything,
}

/// What is to be done to the index.
struct Difference {
    changed: Vec<WalkedFile>,
    removed: Vec<String>,
}

impl Indexer {
    pub fn new(shared: Arc<Shared>, handle: Arc<RootIndex>, rules: Rules) -> Self {
        let now = Instant::now();
        Self {
            path: PathBuf::from(&handle.root.path),
            shared,
            handle,
            rules,
            state: RootState::default(),
            files: BTreeMap::new(),
            doubtful: BTreeSet::new(),
            text: None,
            writer: None,
            cancel: Cancel::default(),
            timers: Timers { reconcile: now, availability: now + AVAILABILITY, writer: None, git: None },
            beginnings: 0,
        }
    }

    pub fn run(mut self, predecessor: Option<Arc<RootIndex>>) {
        // One writer per root: whoever was it before ends first.
        if let Some(predecessor) = predecessor {
            predecessor.desk.wait_until(PREDECESSOR_PATIENCE, |state| state.stopped);
        }
        if let Err(error) = self.load() {
            self.troubled(&error);
        }
        self.handle.desk.update(|state| state.loaded = true);
        let mut orders = Orders { reconcile: true, ..Orders::default() };
        let mut ticket = None;
        loop {
            let is_work = orders.reconcile || !orders.again.is_empty();
            let began = Instant::now();
            if is_work {
                self.handle.desk.update(|state| state.run = Run { started: clock::now(), ..Run::default() });
            }
            if let Err(error) = self.carry_out(&orders) {
                self.recover(&error);
            }
            if is_work {
                self.handle.desk.update(|state| state.run.took = Some(began.elapsed()));
            }
            if let Some(ticket) = ticket {
                self.handle.desk.finish(ticket);
            }
            let (next, taken) = self.handle.desk.take(self.wake());
            if next.stop {
                break;
            }
            (orders, ticket) = (next, Some(taken));
        }
        self.shared.watcher.unwatch(self.handle.root.id);
        drop(self.writer.take());
        self.handle.publish(Snapshot::default());
        self.handle.desk.update(|state| state.stopped = true);
    }

    /// When to do something unasked.
    fn wake(&self) -> Instant {
        [
            Some(self.timers.reconcile),
            Some(self.timers.availability),
            self.timers.writer,
            self.timers.git.map(|git| git.1),
        ]
        .into_iter()
        .flatten()
        .min()
        .unwrap_or(self.timers.reconcile)
    }

    fn carry_out(&mut self, orders: &Orders) -> Result<(), StoreError> {
        let now = Instant::now();
        if self.timers.writer.is_some_and(|rest| rest <= now) {
            self.writer = None;
            self.timers.writer = None;
        }
        if self.timers.availability <= now && !self.is_available() {
            return Ok(());
        }
        let beginnings = self.shared.ledger.beginnings()?;
        if beginnings != self.beginnings {
            // Made anew under us: everything is put there again.
            self.beginnings = beginnings;
            self.doubt_everything();
            return self.reconcile().map(drop);
        }
        if !orders.again.is_empty() {
            return self.index_again(&orders.again);
        }
        if orders.reconcile || self.timers.reconcile <= now {
            return self.reconcile().map(drop);
        }
        let waited_for_git = self.timers.git.is_some_and(|(_, look)| look <= now);
        match orders.look {
            Some(urgency) => self.look(urgency).map(drop),
            None if waited_for_git => self.look(Urgency::Background).map(drop),
            None => Ok(()),
        }
    }

    /// What the stores know of the root.
    fn load(&mut self) -> Result<(), StoreError> {
        let id = self.handle.root.id;
        self.beginnings = self.shared.ledger.beginnings()?;
        let loaded = self.shared.ledger.load(id)?;
        self.state = loaded.state;
        let text = TextIndex::open(&text::folder(&self.shared.data, id))?;
        // Ahead by as many batches as were cut off in a row, all of whose paths are noted.
        let cut_off = text.generation > Some(self.state.generation) && !loaded.unfinished.is_empty();
        let text_is_whole = text.generation == Some(self.state.generation) || cut_off || loaded.files.is_empty();
        let settings_hold = self.state.settings == self.settings();
        let keys: Vec<_> = loaded
            .files
            .iter()
            .filter_map(|(_, record)| match record.state {
                FileState::Indexed(key) => Some(key),
                FileState::Skipped(_) => None,
            })
            .collect();
        let mut outlines = self.shared.ledger.outlines(&keys)?.into_iter();
        self.doubtful = loaded.unfinished.into_iter().collect();
        for (path, mut record) in loaded.files {
            let outline = match record.state {
                FileState::Indexed(_) => match outlines.next().flatten() {
                    Some(outline) => Arc::new(outline),
                    // Its facts are damaged: it counts as never seen.
                    None => continue,
                },
                FileState::Skipped(_) => Arc::default(),
            };
            if !text_is_whole || !settings_hold || self.doubtful.contains(&path) {
                record.stamp = 0;
            }
            let language = record.language.as_deref().and_then(lang::by_name);
            self.files.insert(path.clone(), Arc::new(IndexedFile { path, record, language, outline }));
        }
        if self.state.created == 0 {
            self.state.created = clock::now();
        }
        // A text index whose number is ahead must not be met again by the same number.
        self.state.generation = self.state.generation.max(text.generation.unwrap_or_default());
        self.text = Some(text);
        self.publish();
        Ok(())
    }

    /// Of what facts and files depend on besides the files themselves.
    fn settings(&self) -> u64 {
        let root = &self.handle.root;
        let sizes = self.handle.sizes;
        let text = format!("{INDEX_FORMAT} {} {:?} {:?} {sizes:?}", facts::VERSION, root.include, root.exclude);
        text::file_number(&text)
    }

    /// Whether the root's folder is there and the one that was indexed.
    fn is_available(&mut self) -> bool {
        self.timers.availability = Instant::now() + AVAILABILITY;
        let problem = walk::unavailable(&self.path);
        let was_away = self.handle.desk.lock().unavailable.is_some();
        if let Some(problem) = problem {
            self.mark_unavailable(problem);
            return false;
        }
        // Another folder may have been put in its place by a change further up, of which nothing is reported.
        if was_away || (self.state.folder.is_some() && self.state.folder != walk::identity(&self.path)) {
            self.timers.reconcile = Instant::now();
        }
        true
    }

    fn mark_unavailable(&mut self, why: String) {
        let first = self.handle.desk.update(|state| state.unavailable.replace(why).is_none());
        if first {
            tracing::warn!(root = self.handle.root.name, "the root's folder is away; its index is kept");
            self.state.unavailable_since = Some(clock::now());
            let _ = self.shared.ledger.finish(self.handle.root.id, &Batch::default(), &self.state);
        }
        self.timers.reconcile = Instant::now() + RECONCILE;
    }

    /// Compares the whole tree with what is known, by what the system says of each file; content decides.
    fn reconcile(&mut self) -> Result<Looked, StoreError> {
        let began = Instant::now();
        if self.is_available() {
            let ticket = self.handle.desk.begin_looking();
            let done = self.compare(began);
            self.handle.desk.finish_looking(ticket);
            done?;
        }
        Ok(Looked::Everything)
    }

    fn compare(&mut self, began: Instant) -> Result<(), StoreError> {
        let root = self.handle.root.id;
        self.handle.desk.update(|state| {
            if state.progress.phase != Phase::Ready {
                state.progress = Progress::begin(Phase::Walking, 0);
            }
        });
        let folders: Vec<String> = {
            let known: BTreeSet<&str> =
                self.files.keys().filter_map(|path| path.rsplit_once('/')).map(|(folder, _)| folder).collect();
            known.into_iter().map(str::to_owned).collect()
        };
        let folder = walk::identity(&self.path);
        let another = self.state.folder.is_some() && self.state.folder != folder;
        if another {
            // What is watched is the old folder, under the same name.
            self.shared.watcher.unwatch(root);
        }
        let mut watching = self.shared.watcher.watch(root, &self.path, &folders);
        // Noted so far is found by the walk.
        drop(self.shared.watcher.take_dirty(root));
        let seen = |files| self.handle.desk.update(|state| state.progress.done = files);
        let walked = if watching == Watching::Events {
            let (walked, now) =
                self.shared.watcher.walk(root, &self.path, &self.rules, Scope::Everything, &self.cancel, &seen);
            watching = now;
            walked
        } else {
            walk::walk(&self.path, &self.rules, Scope::Everything, &self.cancel, &seen)
        };
        let is_doubtful = another || folder.is_none() || self.state.unavailable_since.is_some();
        if walked.files.is_empty() && !self.files.is_empty() && is_doubtful {
            // An empty folder where a file system was mounted, or the like.
            self.mark_unavailable("another, empty folder is in its place".to_owned());
            return Ok(());
        }
        let is_listed = walked.folders.iter().any(String::is_empty);
        if !is_listed && !self.files.is_empty() {
            let why = walked.unreadable.first().cloned().unwrap_or_else(|| "it cannot be listed".to_owned());
            self.handle.desk.update(|state| state.unreadable = walked.unreadable);
            self.mark_unavailable(why);
            return Ok(());
        }
        self.state.folder = folder;
        self.state.unavailable_since = None;
        let took = began.elapsed();
        self.timers.reconcile = Instant::now()
            + match watching {
                Watching::Events => RECONCILE,
                Watching::Polling(_) => POLL.max(took * POLL_SHARE),
            };
        self.handle.desk.update(|state| {
            state.watching = Some(watching);
            state.unavailable = None;
            state.unreadable.clone_from(&walked.unreadable);
        });
        let difference = self.difference(walked);
        self.apply(difference, Trust::Known, Extent::Whole).map(drop)
    }

    /// Files that differ in what the system says of them, and files that are gone.
    fn difference(&self, walked: Walked) -> Difference {
        let known: BTreeSet<&String> = self.files.keys().chain(&self.doubtful).collect();
        let removed = gone(known.into_iter().cloned(), &walked);
        let is_known =
            |file: &WalkedFile| self.files.get(&file.path).is_some_and(|known| known.record.stamp == file.stamp);
        let changed = walked.files.into_iter().filter(|file| !is_known(file)).collect();
        Difference { changed, removed }
    }

    /// Looks at what the watcher noted.
    fn look(&mut self, urgency: Urgency) -> Result<Looked, StoreError> {
        let ticket = self.handle.desk.begin_looking();
        let done = self.look_at_noted(urgency);
        self.handle.desk.finish_looking(ticket);
        done
    }

    fn look_at_noted(&mut self, urgency: Urgency) -> Result<Looked, StoreError> {
        let root = self.handle.root.id;
        let dirty = self.shared.watcher.take_dirty(root);
        if let Some(reason) = dirty.rescan {
            tracing::debug!(?reason, root = self.handle.root.name, "the whole tree is compared");
            return self.reconcile();
        }
        // A checkout touches thousands of files: they become one batch.
        if dirty.git_busy && urgency == Urgency::Background && self.may_wait_for_git() {
            self.shared.watcher.put_back(root, dirty);
            return Ok(Looked::default());
        }
        self.timers.git = None;
        if dirty.paths.is_empty() { Ok(Looked::default()) } else { self.look_at(dirty.paths) }
    }

    fn may_wait_for_git(&mut self) -> bool {
        let now = Instant::now();
        let since = self.timers.git.map_or(now, |(since, _)| since);
        let may = now < since + GIT_PATIENCE;
        self.timers.git = may.then_some((since, now + GIT_LOOK));
        may
    }

    fn look_at(&mut self, paths: BTreeSet<String>) -> Result<Looked, StoreError> {
        let root = self.handle.root.id;
        self.handle.desk.update(|state| state.taken_up.extend(paths.iter().cloned()));
        let (walked, watching) =
            self.shared.watcher.walk(root, &self.path, &self.rules, Scope::Only(&paths), &self.cancel, &|_| {});
        let was_away = self.handle.desk.lock().unavailable.is_some();
        if watching != Watching::Events || was_away || walk::unavailable(&self.path).is_some() {
            return self.reconcile();
        }
        let removed = gone(paths.iter().flat_map(|path| self.known_at(path)), &walked);
        // Reported as changed: content decides, whatever its times say.
        let overtaken = self.apply(Difference { changed: walked.files, removed }, Trust::Known, Extent::Part)?;
        Ok(Looked::Paths(paths).and(overtaken))
    }

    /// Known files at a path, or below it.
    fn known_at(&self, path: &str) -> Vec<String> {
        if path.is_empty() {
            return self.files.keys().cloned().collect();
        }
        let below = format!("{path}/");
        let inside = self.files.range(below.clone()..).take_while(|(known, _)| known.starts_with(&below));
        self.files.get_key_value(path).into_iter().chain(inside).map(|(known, _)| known.clone()).collect()
    }

    fn index_again(&mut self, paths: &[String]) -> Result<(), StoreError> {
        if !self.is_available() {
            return Ok(());
        }
        let extent = if paths.iter().any(String::is_empty) { Extent::Whole } else { Extent::Part };
        let asked: BTreeSet<String> = paths.iter().cloned().collect();
        let walked = walk::walk(&self.path, &self.rules, Scope::Only(&asked), &self.cancel, &|_| {});
        let removed = gone(asked.iter().flat_map(|path| self.known_at(path)), &walked);
        self.apply(Difference { changed: walked.files, removed }, Trust::Nothing, extent).map(drop)
    }

    /// Prepares and commits a difference, batch by batch, the next one prepared while one is committed. Returns what was
    /// looked at in between: what had been read of it before must not be stored over it.
    fn apply(&mut self, mut difference: Difference, trust: Trust, extent: Extent) -> Result<Looked, StoreError> {
        let mut overtaken = Looked::default();
        let mut removed = std::mem::take(&mut difference.removed);
        let total = difference.changed.len() + removed.len();
        // What was edited last is what is asked for first.
        difference.changed.sort_by_key(|file| std::cmp::Reverse(file.modified_nanos));
        let size = if total > BATCH / 4 { WriterSize::Large } else { WriterSize::Small };
        if total > 0 {
            let total = total as u64;
            self.handle.desk.update(|state| {
                if total > 100 || state.progress.phase != Phase::Ready {
                    state.progress = Progress::begin(Phase::Indexing, total);
                }
            });
        }
        if !difference.changed.is_empty() {
            let batches = batches(&difference.changed);
            let last = batches.len() - 1;
            let shared = Arc::clone(&self.shared);
            let dir = RootDir::open(&self.path, &self.handle.root.name)
                .map_err(|error| StoreError::Other(error.to_string()))?;
            let before = Arc::clone(&self.handle.snapshot());
            let sizes = self.handle.sizes;
            std::thread::scope(|scope| -> Result<(), StoreError> {
                let (sender, receiver) = sync_channel(1);
                let producer = move || {
                    let preparer = Preparer {
                        dir: &dir,
                        ledger: &shared.ledger,
                        pool: &shared.pool,
                        settings: &shared.settings,
                        sizes,
                        trust,
                        before: &before,
                    };
                    for batch in batches {
                        let asked = batch.len();
                        let prepared = preparer.prepare(batch).map(|prepared| (asked, prepared));
                        if sender.send(prepared).is_err() {
                            return;
                        }
                    }
                };
                std::thread::Builder::new()
                    .name("claudevild-read".to_owned())
                    .spawn_scoped(scope, producer)
                    .map_err(|error| StoreError::Other(error.to_string()))?;
                for (number, prepared) in receiver.into_iter().enumerate() {
                    let (asked, mut prepared) = prepared?;
                    prepared.retain(|file| !overtaken.covers(&file.path));
                    // With the last batch: what was moved is never nowhere, nor for long in two places.
                    let gone = if number == last { std::mem::take(&mut removed) } else { vec![] };
                    let gone = gone.into_iter().filter(|path| !overtaken.covers(path)).collect();
                    self.commit(prepared, gone, size)?;
                    self.handle.desk.update(|state| state.progress.done += asked as u64);
                    if self.handle.desk.is_stopping() {
                        return Ok(());
                    }
                    // Who waits for an edit does not wait for the whole tree.
                    if number < last && self.handle.desk.has_urgent_look() {
                        let progress = self.handle.desk.lock().progress;
                        overtaken = std::mem::take(&mut overtaken).and(self.look(Urgency::Urgent)?);
                        if let Looked::Everything = overtaken {
                            return Ok(());
                        }
                        self.handle.desk.update(|state| state.progress = progress);
                    }
                }
                Ok(())
            })?;
        }
        if let Looked::Everything = overtaken {
            return Ok(overtaken);
        }
        removed.retain(|path| !overtaken.covers(path));
        let is_stopping = self.handle.desk.is_stopping();
        let settled =
            extent == Extent::Whole && !is_stopping && (!self.state.complete || self.state.settings != self.settings());
        if settled {
            self.state.complete = true;
            self.state.settings = self.settings();
        }
        if !removed.is_empty() || settled {
            self.commit(vec![], removed, size)?;
        }
        self.handle.desk.update(|state| {
            state.progress = Progress { phase: Phase::Ready, ..state.progress };
            state.progress.done = state.progress.total;
            state.trouble = None;
        });
        if total > 0 {
            self.shared.sweep_sometimes(total);
        }
        Ok(overtaken)
    }

    /// One batch through all stores, then before the eyes of queries.
    fn commit(&mut self, prepared: Vec<Prepared>, removed: Vec<String>, size: WriterSize) -> Result<(), StoreError> {
        let root = self.handle.root.id;
        let removed: Vec<String> =
            removed.into_iter().filter(|path| self.files.contains_key(path) || self.doubtful.contains(path)).collect();
        let mut batch = Batch { facts: vec![], put: vec![], removed };
        let mut files = vec![];
        let mut texts = vec![];
        for file in prepared {
            let Prepared { path, record, language, outline, facts, text } = file;
            if let (FileState::Indexed(key), Some(facts)) = (record.state, facts) {
                batch.facts.push((key, facts));
            }
            batch.put.push((path.clone(), record.clone()));
            let is_skipped = matches!(record.state, FileState::Skipped(_));
            if text.is_some() || is_skipped {
                texts.push((path.clone(), text, Arc::clone(&outline)));
            }
            files.push(Arc::new(IndexedFile { path, record, language, outline }));
        }
        self.shared.ledger.begin(root, &batch)?;
        let generation = self.state.generation + 1;
        self.write_text(&texts, &batch.removed, generation, size)?;
        self.state.generation = generation;
        self.state.last_indexed = clock::now();
        if let Some(head) = GitDir::of(&self.path).and_then(|git| git.head()) {
            self.state.commit = head.commit;
            self.state.branch = head.branch;
        }
        for path in &batch.removed {
            self.files.remove(path);
        }
        for file in files {
            self.files.insert(file.path.clone(), file);
        }
        self.state.counts = counts(self.files.values());
        if let Err(error) = self.shared.ledger.finish(root, &batch, &self.state) {
            for (path, _) in &batch.put {
                self.doubt(path);
            }
            self.doubtful.extend(batch.paths().cloned());
            return Err(error);
        }
        if !self.doubtful.is_empty() {
            for path in batch.paths() {
                self.doubtful.remove(path);
            }
        }
        self.handle.desk.update(|state| {
            state.run.changed += texts.len() as u64;
            state.run.removed += batch.removed.len() as u64;
        });
        self.publish();
        Ok(())
    }

    /// A file whose record was not stored is looked at again.
    fn doubt(&mut self, path: &str) {
        if let Some(file) = self.files.get_mut(path) {
            let record = FileRecord { stamp: 0, ..file.record.clone() };
            let (path, outline) = (file.path.clone(), Arc::clone(&file.outline));
            *file = Arc::new(IndexedFile { path, record, language: file.language, outline });
        }
    }

    fn write_text(
        &mut self,
        texts: &[(String, Option<String>, Arc<facts::Outline>)],
        removed: &[String],
        generation: u64,
        size: WriterSize,
    ) -> Result<(), StoreError> {
        let Some(text) = self.text.as_mut() else { return Err(StoreError::damaged("the text index is closed")) };
        if self.writer.as_ref().is_none_or(|(_, own)| *own != size) {
            self.writer = None;
            self.writer = Some((text.writer(size)?, size));
        }
        let Some((writer, _)) = self.writer.as_mut() else { return Ok(()) };
        let written = (|| {
            for path in removed {
                writer.remove(path);
            }
            for (path, body, outline) in texts {
                match body {
                    Some(body) => writer.put(path, outline, body)?,
                    None => writer.remove(path),
                }
            }
            writer.commit(generation)
        })();
        if written.is_err() {
            // What it holds in memory was not committed, and must not be with the next batch.
            self.writer = None;
        }
        written?;
        self.timers.writer = Some(Instant::now() + WRITER_REST);
        text.reload(generation)
    }

    fn publish(&self) {
        self.handle.publish(Snapshot {
            files: self.files.values().cloned().collect(),
            generation: self.state.generation,
            text: self.text.as_ref().map(TextIndex::searcher),
        });
        self.handle.note(&self.state);
    }

    fn troubled(&self, error: &StoreError) {
        tracing::warn!(%error, root = self.handle.root.name, "a batch could not be stored");
        self.handle.desk.update(|state| {
            state.trouble = Some(error.to_string());
        });
    }

    /// What is indexed stays; what could not be stored is tried again.
    fn recover(&mut self, error: &StoreError) {
        self.troubled(error);
        self.writer = None;
        self.timers.writer = None;
        if matches!(error, StoreError::Damaged(_)) {
            self.start_anew(&error.to_string());
        } else if !text::is_there(&self.shared.data, self.handle.root.id) {
            self.write_text_anew();
        }
        self.timers.reconcile = Instant::now() + RETRY;
    }

    /// The text index was deleted under us. What is known stays, and is written there again.
    fn write_text_anew(&mut self) {
        self.text = None;
        match TextIndex::open(&text::folder(&self.shared.data, self.handle.root.id)) {
            Ok(text) => self.text = Some(text),
            Err(error) => self.troubled(&error),
        }
        self.doubt_everything();
    }

    fn doubt_everything(&mut self) {
        let paths: Vec<String> = self.files.keys().cloned().collect();
        for path in &paths {
            self.doubt(path);
        }
        self.publish();
    }

    fn start_anew(&mut self, why: &str) {
        self.text = None;
        self.files.clear();
        self.doubtful.clear();
        self.state =
            RootState { generation: self.state.generation, created: self.state.created, ..RootState::default() };
        let folder = text::folder(&self.shared.data, self.handle.root.id);
        let ledger_is_sound = self.shared.ledger.load(self.handle.root.id).is_ok();
        let reopened = if ledger_is_sound { Ok(()) } else { self.shared.ledger.start_anew(why) };
        let _ = reopened.and_then(|()| self.shared.ledger.forget(self.handle.root.id));
        match TextIndex::open(&folder) {
            Ok(text) => self.text = Some(text),
            Err(error) => self.troubled(&error),
        }
    }
}

impl Looked {
    fn covers(&self, path: &str) -> bool {
        match self {
            Self::Everything => true,
            Self::Paths(paths) => {
                paths.contains("") || paths.contains(path) || walk::folders_above(path).any(|up| paths.contains(up))
            }
        }
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Paths(mut one), Self::Paths(other)) => {
                one.extend(other);
                Self::Paths(one)
            }
            _ => Self::Everything,
        }
    }
}

impl Default for Looked {
    fn default() -> Self {
        Self::Paths(BTreeSet::new())
    }
}

fn counts<'a>(files: impl Iterator<Item = &'a Arc<IndexedFile>>) -> Counts {
    let mut counts = Counts::default();
    for file in files {
        if file.skip().is_some() {
            counts.skipped += 1;
            continue;
        }
        counts.files += 1;
        counts.chunks += file.outline.chunks.len() as u64;
        counts.symbols += file.outline.symbols.len() as u64;
        counts.source_bytes += file.record.size;
    }
    counts
}

/// Known paths that a walk of all of them did not find. What could not be read may still be there.
fn gone(known: impl Iterator<Item = String>, walked: &Walked) -> Vec<String> {
    let present: HashSet<&str> = walked.files.iter().map(|file| file.path.as_str()).collect();
    let is_hidden = |path: &str| walked.unreadable.iter().any(|hidden| walk::may_hide(hidden, path));
    known.filter(|path| !present.contains(path.as_str()) && !is_hidden(path)).collect()
}

fn batches(files: &[WalkedFile]) -> Vec<&[WalkedFile]> {
    let mut batches = vec![];
    let mut from = 0;
    while from < files.len() {
        let most = if batches.is_empty() && files.len() > BATCH / 4 { FIRST_BATCH } else { BATCH };
        let mut bytes = 0;
        let length = files[from..]
            .iter()
            .take(most)
            .take_while(|file| {
                bytes += file.size;
                bytes <= BATCH_BYTES || bytes == file.size
            })
            .count();
        batches.push(&files[from..from + length.max(1)]);
        from += length.max(1);
    }
    batches
}
