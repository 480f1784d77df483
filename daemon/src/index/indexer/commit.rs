//! Brings one batch into the stores, and before the eyes of queries.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Indexer;
use crate::clock;
use crate::extract::facts::Outline;
use crate::index::prepare::Prepared;
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::source::git_dir::GitDir;
use crate::store::failure::StoreError;
use crate::store::ledger::Batch;
use crate::store::ledger::record::{Counts, FileRecord, FileState};
use crate::store::text::{TextIndex, WriterSize};

/// A writer is kept this long for the next edit.
const WRITER_REST: Duration = Duration::from_secs(5);

/// A file whose text is another than before.
pub(super) struct Changed {
    pub path: String,
    /// None where it is left out now.
    pub text: Option<Arc<str>>,
    pub outline: Arc<Outline>,
}

impl Indexer {
    /// One batch through all stores, then before the eyes of queries.
    pub(super) fn commit(
        &mut self,
        prepared: Vec<Prepared>,
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
            let Prepared {
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
                texts.push(Changed {
                    path: path.clone(),
                    text,
                    outline: Arc::clone(&outline),
                });
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
        if let Err(error) = self.write_text(&texts, &batch.removed, generation, size) {
            self.doubt_batch(&batch);
            return Err(error);
        }
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
            self.doubt_batch(&batch);
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
        // Those of a whole tree come after all of its text: nobody waits for the first of them.
        if size == WriterSize::Small {
            self.embed_at_hand(&texts);
        }
        self.take_in_vectors();
        self.publish();
        Ok(())
    }

    /// Returns whether git is elsewhere than it was.
    pub(super) fn take_head(&mut self) -> bool {
        let Some(head) = GitDir::find(&self.path).and_then(|git| git.head()) else {
            return false;
        };
        let state = &mut self.state;
        let before = std::mem::replace(&mut state.commit, head.commit);
        let branch = std::mem::replace(&mut state.branch, head.branch);
        (before, branch) != (state.commit.clone(), state.branch.clone())
    }

    /// Writes a batch to the text index again: the state of one that was cut off is not known.
    fn doubt_batch(&mut self, batch: &Batch) {
        for (path, _) in &batch.put {
            self.doubt(path);
        }
        self.doubtful.extend(batch.paths().cloned());
    }

    /// A file whose record was not stored is looked at again.
    pub(super) fn doubt(&mut self, path: &str) {
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
        texts: &[Changed],
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
            for Changed {
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
            // What it holds in memory was not committed, and must not be with the next batch.
            self.writer = None;
        }
        written?;
        self.timers.writer = Some(Instant::now() + WRITER_REST);
        text.reload(generation)
    }

    pub(super) fn publish(&self) {
        let text = self.text.as_ref().map(TextIndex::view);
        let snapshot = Snapshot::new(
            self.files.values().cloned().collect(),
            self.state.generation,
            text,
        );
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
