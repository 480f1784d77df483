//! Commits one batch to the stores, and publishes it to queries.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Indexer;
use crate::clock;
use crate::extract::facts::Outline;
use crate::index::prepare::PreparedFile;
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::source::git_dir::GitDir;
use crate::store::error::StoreError;
use crate::store::ledger::Batch;
use crate::store::ledger::record::{FileRecord, FileState};
use crate::store::text::{TextIndex, WriterSize};

/// The time that a writer stays open for the next edit.
const WRITER_IDLE: Duration = Duration::from_secs(5);

/// A file whose text changed.
pub(super) struct ChangedText {
    pub path: String,
    /// None if the file is skipped now.
    pub text: Option<Arc<str>>,
    pub outline: Arc<Outline>,
}

impl Indexer {
    /// Commits one batch to all stores, and publishes a snapshot with it.
    pub(super) fn commit(
        &mut self,
        prepared: Vec<PreparedFile>,
        removed: Vec<String>,
        size: WriterSize,
    ) -> Result<(), StoreError> {
        let root = self.handle.root.id;
        let removed: Vec<String> = removed
            .into_iter()
            .filter(|path| self.files.contains_key(path) || self.doubtful.contains(path))
            .collect();
        let mut batch = Batch {
            facts: vec![],
            put: vec![],
            removed,
        };
        let mut files = vec![];
        let mut texts = vec![];
        for file in prepared {
            let PreparedFile {
                path,
                record,
                language,
                outline,
                facts,
                text,
            } = file;
            if let (FileState::Indexed(key), Some(facts)) = (record.state, facts) {
                batch.facts.push((key, facts));
            }
            batch.put.push((path.clone(), record.clone()));
            let is_skipped = matches!(record.state, FileState::Skipped(_));
            if text.is_some() || is_skipped {
                texts.push(ChangedText {
                    path: path.clone(),
                    text,
                    outline: Arc::clone(&outline),
                });
            }
            files.push(IndexedFile::new(path, record, language, outline));
        }
        if let Err(error) = self.shared.ledger.begin(root, &batch) {
            for (path, _) in &batch.put {
                self.mark_doubtful(path);
            }
            return Err(error);
        }
        let generation = self.state.generation + 1;
        if let Err(error) = self.write_text(&texts, &batch.removed, generation, size) {
            self.mark_batch_doubtful(&batch);
            return Err(error);
        }
        self.state.generation = generation;
        self.state.last_indexed = clock::now();
        self.update_head();
        for path in &batch.removed {
            if let Some(file) = self.files.remove(path) {
                self.state.counts.subtract(file.counts());
                if let Some(key) = file.facts_key() {
                    self.shared.uses.remove(key);
                }
            }
            for queue in &mut self.embedding_queues {
                queue.missing.remove(path);
            }
        }
        self.scattered_outlines += files.len();
        for file in files {
            self.put(file);
        }
        if let Err(error) = self.shared.ledger.finish(root, &batch, &self.state) {
            self.mark_batch_doubtful(&batch);
            return Err(error);
        }
        if !self.doubtful.is_empty() {
            for path in batch.paths() {
                self.doubtful.remove(path);
            }
        }
        self.handle.jobs.update(|state| {
            state.run.counts.changed += texts.len() as u64;
            state.run.counts.removed += batch.removed.len() as u64;
        });
        // A whole tree is embedded after all of its text is indexed.
        if size == WriterSize::Small {
            self.embed_small_batch(&texts);
        }
        self.apply_embeddings();
        self.publish();
        Ok(())
    }

    /// Reads the commit and branch of git. Returns whether they have changed.
    pub(super) fn update_head(&mut self) -> bool {
        let Some(head) = GitDir::find(&self.path).and_then(|git| git.head()) else {
            return false;
        };
        let state = &mut self.state;
        let before = std::mem::replace(&mut state.commit, head.commit);
        let branch = std::mem::replace(&mut state.branch, head.branch);
        (before, branch) != (state.commit.clone(), state.branch.clone())
    }

    /// Marks the files of a batch that was cut off, so that they are written to the text index again.
    fn mark_batch_doubtful(&mut self, batch: &Batch) {
        for (path, _) in &batch.put {
            self.mark_doubtful(path);
        }
        self.doubtful.extend(batch.paths().cloned());
    }

    /// Marks a file whose record was not stored, so that it is compared again.
    pub(super) fn mark_doubtful(&mut self, path: &str) {
        if let Some(file) = self.files.get_mut(path) {
            let record = FileRecord {
                stamp: 0,
                ..file.record.clone()
            };
            *file = Arc::new(IndexedFile {
                record,
                ..(**file).clone()
            });
        }
    }

    pub(super) fn write_text(
        &mut self,
        texts: &[ChangedText],
        removed: &[String],
        generation: u64,
        size: WriterSize,
    ) -> Result<(), StoreError> {
        let Some(text) = self.text.as_mut() else {
            return Err(StoreError::damaged("the text index is closed"));
        };
        if self.writer.as_ref().is_none_or(|(_, own)| *own != size) {
            self.writer = None;
            self.writer = Some((text.writer(size)?, size));
        }
        let Some((writer, _)) = self.writer.as_mut() else {
            return Ok(());
        };
        let written = (|| {
            for path in removed {
                writer.remove(path);
            }
            for ChangedText {
                path,
                text,
                outline,
            } in texts
            {
                match text {
                    Some(text) => writer.put(path, outline, text)?,
                    None => writer.remove(path),
                }
            }
            writer.commit(generation)
        })();
        if written.is_err() {
            // The writer's uncommitted documents must not be committed with the next batch.
            self.writer = None;
        }
        written?;
        self.timers.writer = Some(Instant::now() + WRITER_IDLE);
        text.reload(generation)
    }

    pub(super) fn publish(&self) {
        self.handle
            .publish(self.snapshot().reusing_paths(&self.handle.snapshot()));
        self.handle.set_state(&self.state);
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot::new(
            self.files.values().cloned().collect(),
            self.state.generation,
            self.text.as_ref().map(TextIndex::view),
        )
    }
}
