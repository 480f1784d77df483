//! Brings a difference into the stores, batch by batch, and before the eyes of queries.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use super::Indexer;
use super::changes::{Difference, Extent, Looked};
use crate::clock;
use crate::extract::facts;
use crate::index::desk::Urgency;
use crate::index::prepare::{Prepared, Preparer, Trust};
use crate::index::progress::{Phase, Progress};
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::index::worker::Pace;
use crate::source::beneath::RootDir;
use crate::source::git_dir::GitDir;
use crate::source::walk::WalkedFile;
use crate::store::failure::StoreError;
use crate::store::ledger::Batch;
use crate::store::ledger::record::{Counts, FileRecord, FileState};
use crate::store::text::{TextIndex, WriterSize};

/// The first commit comes soon, so that something can be found; later ones are large, because each has its price.
const FIRST_BATCH: usize = 128;
const BATCH: usize = 1500;
const BATCH_BYTES: u64 = 24 << 20;
/// What a person or an agent saves at once is no more; a checkout is.
const MOST_PROMPT: usize = 16;
/// A writer is kept this long for the next edit.
const WRITER_REST: Duration = Duration::from_secs(5);

impl Indexer {
    /// Prepares and commits a difference, batch by batch, the next one prepared while one is committed. Returns what was
    /// looked at in between: what had been read of it before must not be stored over it.
    pub(super) fn apply(
        &mut self,
        mut difference: Difference,
        trust: Trust,
        extent: Extent,
    ) -> Result<Looked, StoreError> {
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
            let handle = Arc::clone(&self.handle);
            let pace = if difference.changed.len() <= MOST_PROMPT { Pace::Prompt } else { Pace::Bulk };
            std::thread::scope(|scope| -> Result<(), StoreError> {
                let (sender, receiver) = sync_channel(1);
                let producer = move || {
                    // Nobody waits for this alone, so nobody is woken.
                    let ready = |files: usize| handle.desk.lock().progress.ready += files as u64;
                    let preparer = Preparer {
                        dir: &dir,
                        ledger: &shared.ledger,
                        pool: &shared.pool,
                        settings: &shared.settings,
                        sizes,
                        trust,
                        pace,
                        before: &before,
                        ready: &ready,
                    };
                    let mut asked = batches.iter().map(|batch| batch.len());
                    preparer.prepare(&batches, |batch| {
                        let outcome = batch.map(|files| (asked.next().unwrap_or_default(), files));
                        if sender.send(outcome).is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                    });
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
        self.damages = 0;
        self.handle.desk.update(|state| {
            state.progress = Progress { phase: Phase::Ready, ..state.progress };
            state.progress.done = state.progress.total;
            state.trouble = None;
        });
        if total > 0 {
            self.shared.sweep_sometimes(total);
        }
        if total > BATCH {
            self.shared.ledger.compact();
        }
        Ok(overtaken)
    }

    /// One batch through all stores, then before the eyes of queries.
    pub(super) fn commit(
        &mut self,
        prepared: Vec<Prepared>,
        removed: Vec<String>,
        size: WriterSize,
    ) -> Result<(), StoreError> {
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
            files.push(IndexedFile::new(path, record, language, outline));
        }
        if let Err(error) = self.shared.ledger.begin(root, &batch) {
            for (path, _) in &batch.put {
                self.doubt(path);
            }
            return Err(error);
        }
        let generation = self.state.generation + 1;
        self.write_text(&texts, &batch.removed, generation, size)?;
        self.state.generation = generation;
        self.state.last_indexed = clock::now();
        self.take_head();
        for path in &batch.removed {
            self.files.remove(path);
            for layer in &mut self.layers {
                layer.lacking.remove(path);
            }
        }
        for file in files {
            self.put(file);
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
            state.run.done.changed += texts.len() as u64;
            state.run.done.removed += batch.removed.len() as u64;
        });
        self.embed_at_hand(&texts);
        self.take_in_vectors();
        self.publish();
        Ok(())
    }

    /// Whether git is elsewhere than it was.
    pub(super) fn take_head(&mut self) -> bool {
        let Some(head) = GitDir::of(&self.path).and_then(|git| git.head()) else { return false };
        let state = &mut self.state;
        let before = std::mem::replace(&mut state.commit, head.commit);
        let branch = std::mem::replace(&mut state.branch, head.branch);
        (before, branch) != (state.commit.clone(), state.branch.clone())
    }

    /// A file whose record was not stored is looked at again.
    pub(super) fn doubt(&mut self, path: &str) {
        if let Some(file) = self.files.get_mut(path) {
            let record = FileRecord { stamp: 0, ..file.record.clone() };
            *file = Arc::new(IndexedFile { record, ..(**file).clone() });
        }
    }

    pub(super) fn write_text(
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

    pub(super) fn publish(&self) {
        let text = self.text.as_ref().map(TextIndex::view);
        let snapshot = Snapshot::new(self.files.values().cloned().collect(), self.state.generation, text);
        self.handle.publish(snapshot.after(&self.handle.snapshot()));
        self.handle.note(&self.state);
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
