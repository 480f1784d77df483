//! Starts the embedding of files, and puts their vectors into the index when they are ready.
//!
//! Text and symbols never wait for vectors. An instant model embeds an edit while its text is in memory. Everything else is
//! embedded by a background thread, one at a time for each root and model, from stored vectors and from the files. The chosen
//! model is slow, so its files are embedded in rounds: first those that answers have shown or that were edited lately.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use claudevil_child::vectors::ChunkHash;

use super::commit::ChangedText;
use super::{EmbeddingQueue, Indexer};
use crate::embed::{EmbedError, EmbedErrorKind};
use crate::index::embedding::{FileEmbedder, FileEmbedding, MissingVectors, embed_file};
use crate::index::job_queue::JobQueue;
use crate::index::models::{ModelTier, OpenModel};
use crate::index::progress::{Phase, Progress};
use crate::index::snapshot::IndexedFile;
use crate::index::vectors::FileVectors;
use crate::index::{IndexResources, RootIndex};
use crate::source::beneath::RootDir;

/// The most chunks of a commit that are embedded with it, which takes about ten milliseconds.
const INSTANT_CHUNKS: usize = 1000;
/// The first and the longest pause before a model that cannot be reached is tried again.
const FIRST_RETRY: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_secs(30);
/// The interval at which vectors are published while more are made.
const HAND_OVER: Duration = Duration::from_millis(500);
/// All vectors are packed again once this many files have unpacked ones: one in `UNPACKED_SHARE` files, but at least
/// `FEWEST_UNPACKED`.
const UNPACKED_SHARE: usize = 20;
const FEWEST_UNPACKED: usize = 64;
/// The number of files that the chosen model embeds before the others are sorted by urgency again.
const ROUND: usize = 256;

impl Indexer {
    /// Replaces a file, and keeps the vectors of equal content.
    pub(super) fn put(&mut self, mut file: IndexedFile) {
        let before = self.files.get(&file.path).cloned();
        if let Some(same) = before
            .as_ref()
            .filter(|before| before.facts_key() == file.facts_key())
        {
            file.vectors.clone_from(&same.vectors);
        } else if let Some(key) = before.as_ref().and_then(|before| before.facts_key()) {
            self.shared.uses.remove(key);
        }
        if let Some(before) = &before {
            self.state.counts.subtract(before.counts());
        }
        self.state.counts.add(file.counts());
        let file = Arc::new(file);
        for tier in ModelTier::ALL {
            self.queue_if_missing(tier, &file, before.as_ref());
        }
        self.files.insert(file.path.clone(), file);
    }

    fn queue_if_missing(
        &mut self,
        tier: ModelTier,
        file: &Arc<IndexedFile>,
        before: Option<&Arc<IndexedFile>>,
    ) {
        let queue = &mut self.embedding_queues[tier.index()];
        if file.vectors(tier).is_some() || file.outline.chunks.is_empty() || queue.model.is_none() {
            queue.missing.remove(&file.path);
            return;
        }
        // The file's last version with vectors, if the versions since had none.
        let earlier = queue
            .missing
            .remove(&file.path)
            .and_then(|missing| missing.before);
        let before = before
            .filter(|before| before.vectors(tier).is_some())
            .cloned()
            .or(earlier);
        queue.missing.insert(
            file.path.clone(),
            MissingVectors {
                file: Arc::clone(file),
                before,
            },
        );
    }

    /// Embeds the files of a small commit, if the model is instant.
    pub(super) fn embed_small_batch(&mut self, texts: &[ChangedText]) {
        let Some(OpenModel {
            embedder, buffer, ..
        }) = self.shared.models.get(ModelTier::BuiltIn)
        else {
            return;
        };
        let chunks: usize = texts
            .iter()
            .map(|changed| changed.outline.chunks.len())
            .sum();
        if !embedder.is_instant() || chunks > INSTANT_CHUNKS {
            return;
        }
        for ChangedText {
            path,
            text,
            outline,
        } in texts
        {
            let is_missing = self.embedding_queues[ModelTier::BuiltIn.index()]
                .missing
                .contains_key(path);
            let Some(text) = text.as_ref().filter(|_| is_missing) else {
                continue;
            };
            // The thread tries again, and reports the error.
            let Ok((vectors, made)) = embed_file(embedder.as_ref(), path, outline, text) else {
                return;
            };
            buffer.record(made);
            self.set_vectors(ModelTier::BuiltIn, path, vectors.into());
        }
    }

    /// Applies finished embeddings, and starts the embedding of files without vectors.
    pub(super) fn update_vectors(&mut self) {
        // Outcomes are read before embeddings, because each is set after the last embedding of its run.
        let outcomes =
            ModelTier::ALL.map(|tier| self.handle.jobs.lock().embedding(tier).outcome.take());
        if self.apply_embeddings() {
            self.publish();
        }
        for (tier, outcome) in ModelTier::ALL.into_iter().zip(outcomes) {
            self.check_model(tier);
            if let Some(outcome) = outcome {
                self.finish_embedding(tier, outcome);
            }
            let away = self.handle.jobs.lock().unavailable.is_some();
            let queue = &mut self.embedding_queues[tier.index()];
            queue.retry = queue.retry.filter(|until| Instant::now() < *until);
            if !queue.running.is_empty() {
                continue;
            }
            if queue.missing.is_empty() || queue.retry.is_some() || away {
                self.pack_vectors(tier);
                self.handle
                    .jobs
                    .update(|state| state.embedding(tier).progress = None);
            } else {
                self.start_embedding(tier);
            }
        }
        self.report_missing();
    }

    fn report_missing(&self) {
        self.handle.jobs.update(|state| {
            for tier in ModelTier::ALL {
                let queue = &self.embedding_queues[tier.index()];
                let embedding = state.embedding(tier);
                embedding.missing = queue.missing.len() as u64;
                embedding.is_settled =
                    self.state.complete && queue.model.is_some() && queue.missing.is_empty();
            }
            // Before the first index is complete, no file lacks vectors because no file is known.
            state.had_all_vectors |=
                self.state.complete && state.embedding(ModelTier::BuiltIn).missing == 0;
        });
    }

    /// Packs the vectors of all files together in memory, once enough of them are unpacked.
    fn pack_vectors(&mut self, tier: ModelTier) {
        if self.embedding_queues[tier.index()].unpacked
            < FEWEST_UNPACKED.max(self.files.len() / UNPACKED_SHARE)
        {
            return;
        }
        self.embedding_queues[tier.index()].unpacked = 0;
        let seen: Vec<(&mut Arc<IndexedFile>, Arc<FileVectors>)> = self
            .files
            .values_mut()
            .filter_map(|file| file.vectors(tier).cloned().map(|own| (file, own)))
            .collect();
        let packed = FileVectors::packed(&seen.iter().map(|(_, own)| own).collect::<Vec<_>>());
        for ((file, _), packed) in seen.into_iter().zip(packed) {
            *file = Arc::new(file.with_vectors(tier, Some(packed.into())));
        }
        self.publish();
    }

    /// Queues all files if the model was opened since the last call.
    fn check_model(&mut self, tier: ModelTier) {
        let model = self
            .shared
            .models
            .get(tier)
            .map(|model| model.embedder.model().clone());
        if self.embedding_queues[tier.index()].model == model {
            return;
        }
        self.embedding_queues[tier.index()].model = model;
        self.embedding_queues[tier.index()].is_filled = false;
        for file in self.files.values().cloned().collect::<Vec<_>>() {
            self.queue_if_missing(tier, &file, None);
        }
    }

    /// Returns whether any embedding was applied.
    pub(super) fn apply_embeddings(&mut self) -> bool {
        let mut any = false;
        for tier in ModelTier::ALL {
            let finished = std::mem::take(&mut self.handle.jobs.lock().embedding(tier).finished);
            for FileEmbedding { path, key, vectors } in finished {
                let due = self.embedding_queues[tier.index()].missing.get(&path);
                if due.is_some_and(|missing| missing.file.facts_key() == Some(key)) {
                    self.set_vectors(tier, &path, vectors);
                    any = true;
                }
            }
        }
        any
    }

    fn set_vectors(&mut self, tier: ModelTier, path: &str, vectors: Arc<FileVectors>) {
        let queue = &mut self.embedding_queues[tier.index()];
        queue.missing.remove(path);
        if let Some(file) = self.files.get_mut(path) {
            queue.unpacked += 1;
            *file = Arc::new(file.with_vectors(tier, Some(vectors)));
        }
    }

    fn finish_embedding(&mut self, tier: ModelTier, outcome: Result<(), EmbedError>) {
        let queue = &mut self.embedding_queues[tier.index()];
        let asked = std::mem::take(&mut queue.running);
        match outcome {
            // A chosen model that answers nonsense may recover; the built-in one does not.
            Err(error)
                if error.kind == EmbedErrorKind::Unavailable
                    || tier == ModelTier::Chosen && error.kind == EmbedErrorKind::Unusable =>
            {
                let pause = FIRST_RETRY
                    .saturating_mul(1 << queue.failures.min(8))
                    .min(RETRY);
                queue.retry = Some(Instant::now() + pause);
                queue.failures += 1;
            }
            _ => {
                queue.failures = 0;
                queue.remove_failed(&asked);
            }
        }
    }

    fn start_embedding(&mut self, tier: ModelTier) {
        let Some(model) = self.shared.models.get(tier) else {
            return;
        };
        let missing = &self.embedding_queues[tier.index()].missing;
        let mut asked: Vec<MissingVectors> = missing.values().cloned().collect();
        let due = asked.len() as u64;
        let all = self
            .files
            .values()
            .filter(|file| !file.outline.chunks.is_empty())
            .count() as u64;
        // Files that answers have shown come first, then the most recently edited ones.
        let shown = if tier == ModelTier::Chosen {
            self.handle.shown()
        } else {
            HashMap::default()
        };
        asked.sort_by_cached_key(|missing| {
            let times = shown.get(&missing.file.path).copied().unwrap_or_default();
            Reverse((times, missing.file.record.modified_nanos))
        });
        let queue = &mut self.embedding_queues[tier.index()];
        if std::mem::take(&mut self.handle.jobs.lock().embedding(tier).fill_failed) {
            queue.is_filled = false;
        }
        let mut everything = HashSet::new();
        if tier == ModelTier::Chosen {
            if self.state.complete {
                everything = queue.chunks_to_fill(&asked);
            }
            asked.truncate(ROUND);
        }
        queue.running.clone_from(&asked);
        let (shared, handle) = (Arc::clone(&self.shared), Arc::clone(&self.handle));
        self.handle.jobs.update(|state| {
            let progress = &mut state.embedding(tier).progress;
            let progress = progress.get_or_insert_with(|| Progress::begin(Phase::Embedding, due));
            (progress.done, progress.total) = progress_counts(progress.done, due, all);
        });
        let embed = move || {
            claudevil_child::lower_priority();
            let outcome = catch_panic(|| {
                // One pass over the team's table for the whole root, instead of one for each round. Vectors that it lacks are
                // computed here, and an error is shown in its status. A failed pass is repeated later.
                if let Some(sharing) = &model.sharing
                    && due > ROUND as u64
                    && !everything.is_empty()
                    && (sharing.is_backing_off()
                        || sharing.fill(&model.buffer, &everything).is_err())
                {
                    handle
                        .jobs
                        .update(|state| state.embedding(tier).fill_failed = true);
                }
                embed_files(&shared, tier, &model, &handle, &asked)
            });
            if let Err(error) = &outcome {
                model
                    .buffer
                    .report(Some(format!("vectors cannot be computed: {error}")));
            }
            handle
                .jobs
                .update(|state| state.embedding(tier).outcome = Some(outcome));
            handle.jobs.request(|requests| requests.vectors = true);
        };
        if let Err(error) = std::thread::Builder::new()
            .name("claudevild-embed".to_owned())
            .spawn(embed)
        {
            tracing::error!(%error, "a thread for vectors cannot be started");
            self.handle
                .jobs
                .update(|state| state.embedding(tier).progress = None);
            let queue = &mut self.embedding_queues[tier.index()];
            queue.running.clear();
            queue.retry = Some(Instant::now() + RETRY);
        }
    }
}

impl EmbeddingQueue {
    /// Returns all chunks of these files, unless the team's vectors of them have been requested.
    fn chunks_to_fill(&mut self, asked: &[MissingVectors]) -> HashSet<ChunkHash> {
        if std::mem::replace(&mut self.is_filled, true) {
            return HashSet::new();
        }
        let chunks = asked
            .iter()
            .flat_map(|missing| &missing.file.outline.chunks);
        chunks.map(|chunk| chunk.hash).collect()
    }

    /// Removes files that still have no vectors after they were embedded: they have changed, or the model refuses them. A file
    /// that was replaced meanwhile stays queued, even if its content is the same, because a version in between may have been
    /// read.
    fn remove_failed(&mut self, asked: &[MissingVectors]) {
        for MissingVectors { file, .. } in asked {
            if self
                .missing
                .get(&file.path)
                .is_some_and(|missing| Arc::ptr_eq(&missing.file, file))
            {
                self.missing.remove(&file.path);
            }
        }
    }
}

/// Turns a panic into an error. Without an outcome the root, and with it the daemon, would count as busy forever.
fn catch_panic(work: impl FnOnce() -> Result<(), EmbedError>) -> Result<(), EmbedError> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(EmbedError::unusable("the model crashed")))
}

/// Returns the done and total numbers of files when `due` of `all` files are to be embedded and `done` have been. Files that
/// changed after they were embedded do not add to the total.
fn progress_counts(done: u64, due: u64, all: u64) -> (u64, u64) {
    let total = (done + due).min(all.max(due));
    (total - due, total)
}

fn embed_files(
    shared: &IndexResources,
    tier: ModelTier,
    model: &OpenModel,
    handle: &RootIndex,
    asked: &[MissingVectors],
) -> Result<(), EmbedError> {
    let dir = RootDir::open(handle.root.path.as_ref(), &handle.root.name)
        .map_err(|error| EmbedError::unavailable(error.to_string()))?;
    let embedder = FileEmbedder {
        tier,
        embedder: model.embedder.as_ref(),
        buffer: &model.buffer,
        sharing: model.sharing.as_ref(),
        dir: &dir,
        largest_file: shared.settings.largest_file,
    };
    let mut pending = vec![];
    let mut since = Instant::now();
    let outcome = embedder.embed_all(asked, |finished| {
        pending.extend(finished);
        if since.elapsed() > HAND_OVER {
            hand_over(&handle.jobs, tier, &mut pending);
            since = Instant::now();
        }
        if handle.jobs.is_stopping() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    hand_over(&handle.jobs, tier, &mut pending);
    outcome
}

fn hand_over(jobs: &JobQueue, tier: ModelTier, finished: &mut Vec<FileEmbedding>) {
    jobs.update(|state| {
        let embedding = state.embedding(tier);
        if let Some(progress) = &mut embedding.progress {
            progress.done += finished.len() as u64;
        }
        embedding.finished.append(finished);
    });
    jobs.request(|requests| requests.vectors = true);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ledger::record::{FactsKey, FileRecord, FileState};

    #[test]
    fn a_file_that_is_restored_while_it_is_embedded_is_tried_again() {
        let missing = |path: &str| {
            let state = FileState::Indexed(FactsKey([7; 16]));
            let record = FileRecord {
                size: 1,
                modified_nanos: 1,
                stamp: 1,
                hash: [1; 16],
                language: None,
                state,
            };
            let file = Arc::new(IndexedFile::new(
                path.to_owned(),
                record,
                None,
                Arc::default(),
            ));
            MissingVectors { file, before: None }
        };
        let asked = [missing("stayed.rs"), missing("changed_and_back.rs")];
        let mut queue = EmbeddingQueue::default();
        queue.missing.extend(
            asked
                .iter()
                .cloned()
                .map(|one| (one.file.path.clone(), one)),
        );
        queue.missing.insert(
            "changed_and_back.rs".to_owned(),
            missing("changed_and_back.rs"),
        );
        queue.remove_failed(&asked);
        assert_eq!(
            queue.missing.keys().collect::<Vec<_>>(),
            ["changed_and_back.rs"]
        );
    }

    #[test]
    fn a_panic_of_the_model_is_an_error() {
        let failed = catch_panic(|| panic!("a fault was asked for"));
        assert_eq!(failed.expect_err("failed").kind, EmbedErrorKind::Unusable);
        assert!(catch_panic(|| Ok(())).is_ok());
    }

    #[test]
    fn progress_never_counts_more_files_than_there_are() {
        // A first run, the rest of it, some changed files, all files again.
        assert_eq!(progress_counts(0, 152, 152), (0, 152));
        assert_eq!(progress_counts(100, 52, 152), (100, 152));
        assert_eq!(progress_counts(152, 10, 152), (142, 152));
        assert_eq!(progress_counts(152, 152, 152), (0, 152));
        // An edit, and another one while it is embedded.
        assert_eq!(progress_counts(0, 1, 152), (0, 1));
        assert_eq!(progress_counts(1, 1, 152), (1, 2));
    }
}
