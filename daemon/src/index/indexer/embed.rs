//! Has the vectors of files made, and takes them in when they are there.
//!
//! Text and symbols never wait for vectors. A model that is instant makes those of an edit where its text is at hand; all
//! else is made by a thread of its own, one at a time for each root and model, out of what the store knows and of the
//! files. The better model is slow, so its files come in rounds, those first that people look at and work on.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::commit::Changed;
use super::{Indexer, Layer};
use crate::embed::{EmbedError, EmbedErrorKind};
use crate::index::desk::Desk;
use crate::index::embedding::{Further, Lacking, Made, Maker, embed_file};
use crate::index::models::{Stage, Vectors};
use crate::index::progress::{Phase, Progress};
use crate::index::snapshot::IndexedFile;
use crate::index::vectors::FileVectors;
use crate::index::{RootIndex, Shared, lower_priority};
use crate::source::beneath::RootDir;

/// Chunks of one batch that are embedded at once: some ten milliseconds.
const AT_HAND: usize = 1000;
/// The pause before a model that cannot be reached is tried again, at first and at most.
const FIRST_RETRY: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_secs(30);
/// The interval at which vectors are published while more are made.
const HAND_OVER: Duration = Duration::from_millis(500);
/// Files whose vectors lie apart before all are packed anew: one in so many, and at least a few.
const LOOSE_SHARE: usize = 20;
const FEWEST_LOOSE: usize = 64;
/// Files of the better model that are made before it is asked again which are wanted most.
const ROUND: usize = 256;

impl Indexer {
    /// Puts a file where its predecessor was. Vectors of the same content stay.
    pub(super) fn put(&mut self, mut file: IndexedFile) {
        let before = self.files.get(&file.path).cloned();
        if let Some(same) = before
            .as_ref()
            .filter(|before| before.facts_key() == file.facts_key())
        {
            file.vectors.clone_from(&same.vectors);
        }
        let file = Arc::new(file);
        for stage in Stage::ALL {
            self.note_lacking(stage, &file, before.as_ref());
        }
        self.files.insert(file.path.clone(), file);
    }

    fn note_lacking(
        &mut self,
        stage: Stage,
        file: &Arc<IndexedFile>,
        before: Option<&Arc<IndexedFile>>,
    ) {
        let layer = &mut self.layers[stage.place()];
        if file.vectors(stage).is_some() || file.outline.chunks.is_empty() || layer.model.is_none()
        {
            layer.lacking.remove(&file.path);
            return;
        }
        // The last that had vectors, if it never came to any in between.
        let earlier = layer
            .lacking
            .remove(&file.path)
            .and_then(|lacking| lacking.before);
        let before = before
            .filter(|before| before.vectors(stage).is_some())
            .cloned()
            .or(earlier);
        layer.lacking.insert(
            file.path.clone(),
            Lacking {
                file: Arc::clone(file),
                before,
            },
        );
    }

    /// Embeds what a small batch brought, if the model is fast enough for somebody to wait for it.
    pub(super) fn embed_at_hand(&mut self, texts: &[Changed]) {
        let Some(Vectors { embedder, keeper }) = self.shared.models.of(Stage::First) else {
            return;
        };
        let chunks: usize = texts
            .iter()
            .map(|changed| changed.outline.chunks.len())
            .sum();
        if !embedder.is_instant() || chunks > AT_HAND {
            return;
        }
        for Changed {
            path,
            text,
            outline,
        } in texts
        {
            let is_lacking = self.layers[Stage::First.place()].lacking.contains_key(path);
            let Some(text) = text.as_ref().filter(|_| is_lacking) else {
                continue;
            };
            // What fails here is tried again by the thread, which says so.
            let Ok((vectors, made)) = embed_file(embedder.as_ref(), path, outline, text) else {
                return;
            };
            keeper.record(made);
            self.give_vectors(Stage::First, path, vectors.into());
        }
    }

    /// Takes in what has been made, and has made what is lacking.
    pub(super) fn tend_vectors(&mut self) {
        // Asked first: all that was made has been handed over by then.
        let ended = Stage::ALL.map(|stage| self.handle.desk.lock().making(stage).ended.take());
        if self.take_in_vectors() {
            self.publish();
        }
        for (stage, ended) in Stage::ALL.into_iter().zip(ended) {
            self.meet_model(stage);
            if let Some(ended) = ended {
                self.embedding_ended(stage, ended);
            }
            let away = self.handle.desk.lock().unavailable.is_some();
            let layer = &mut self.layers[stage.place()];
            layer.retry = layer.retry.filter(|until| Instant::now() < *until);
            if !layer.embedding.is_empty() {
                continue;
            }
            if layer.lacking.is_empty() || layer.retry.is_some() || away {
                self.pack_vectors(stage);
                self.handle
                    .desk
                    .update(|state| state.making(stage).progress = None);
            } else {
                self.have_vectors_made(stage);
            }
        }
        self.count_lacking();
    }

    fn count_lacking(&self) {
        self.handle.desk.update(|state| {
            for stage in Stage::ALL {
                state.making(stage).lacking = self.layers[stage.place()].lacking.len() as u64;
            }
            // Before the first index is complete, no file lacks vectors because no file is known.
            state.had_all_vectors |= self.state.complete && state.making(Stage::First).lacking == 0;
        });
    }

    /// Lays the vectors of all files one behind the other in memory, once enough of them lie somewhere else.
    fn pack_vectors(&mut self, stage: Stage) {
        if self.layers[stage.place()].loose < FEWEST_LOOSE.max(self.files.len() / LOOSE_SHARE) {
            return;
        }
        self.layers[stage.place()].loose = 0;
        let seen: Vec<(&mut Arc<IndexedFile>, Arc<FileVectors>)> = self
            .files
            .values_mut()
            .filter_map(|file| file.vectors(stage).cloned().map(|own| (file, own)))
            .collect();
        let packed = FileVectors::packed(&seen.iter().map(|(_, own)| own).collect::<Vec<_>>());
        for ((file, _), packed) in seen.into_iter().zip(packed) {
            *file = Arc::new(file.with_vectors(stage, Some(packed.into())));
        }
        self.publish();
    }

    /// A model that was not there when files were put lacks all of them.
    fn meet_model(&mut self, stage: Stage) {
        let model = self
            .shared
            .models
            .of(stage)
            .map(|vectors| vectors.embedder.model().clone());
        if self.layers[stage.place()].model == model {
            return;
        }
        self.layers[stage.place()].model = model;
        for file in self.files.values().cloned().collect::<Vec<_>>() {
            self.note_lacking(stage, &file, None);
        }
    }

    /// Returns whether there were any.
    pub(super) fn take_in_vectors(&mut self) -> bool {
        let mut any = false;
        for stage in Stage::ALL {
            let made = std::mem::take(&mut self.handle.desk.lock().making(stage).made);
            for Made { path, key, vectors } in made {
                let due = self.layers[stage.place()].lacking.get(&path);
                if due.is_some_and(|lacking| lacking.file.facts_key() == Some(key)) {
                    self.give_vectors(stage, &path, vectors);
                    any = true;
                }
            }
        }
        any
    }

    fn give_vectors(&mut self, stage: Stage, path: &str, vectors: Arc<FileVectors>) {
        let layer = &mut self.layers[stage.place()];
        layer.lacking.remove(path);
        if let Some(file) = self.files.get_mut(path) {
            layer.loose += 1;
            *file = Arc::new(file.with_vectors(stage, Some(vectors)));
        }
    }

    fn embedding_ended(&mut self, stage: Stage, ended: Result<(), EmbedError>) {
        let layer = &mut self.layers[stage.place()];
        let asked = std::mem::take(&mut layer.embedding);
        match ended {
            // A model that answers nonsense may have another day, unless it is built in.
            Err(error)
                if error.kind == EmbedErrorKind::Unavailable
                    || stage == Stage::Better && error.kind == EmbedErrorKind::Unusable =>
            {
                let pause = FIRST_RETRY
                    .saturating_mul(1 << layer.failures.min(8))
                    .min(RETRY);
                layer.retry = Some(Instant::now() + pause);
                layer.failures += 1;
            }
            _ => {
                layer.failures = 0;
                layer.give_up(&asked);
            }
        }
    }

    fn have_vectors_made(&mut self, stage: Stage) {
        let Some(vectors) = self.shared.models.of(stage) else {
            return;
        };
        let lacking = &self.layers[stage.place()].lacking;
        let mut asked: Vec<Lacking> = lacking.values().cloned().collect();
        let due = asked.len() as u64;
        let all = self
            .files
            .values()
            .filter(|file| !file.outline.chunks.is_empty())
            .count() as u64;
        // What was edited last is what is asked for first; before it, what people look at.
        let shown = if stage == Stage::Better {
            self.handle.shown()
        } else {
            HashMap::default()
        };
        asked.sort_by_cached_key(|lacking| {
            let times = shown.get(&lacking.file.path).copied().unwrap_or_default();
            Reverse((times, lacking.file.record.modified_nanos))
        });
        if stage == Stage::Better {
            asked.truncate(ROUND);
        }
        self.layers[stage.place()].embedding.clone_from(&asked);
        let (shared, handle) = (Arc::clone(&self.shared), Arc::clone(&self.handle));
        self.handle.desk.update(|state| {
            let progress = &mut state.making(stage).progress;
            let progress = progress.get_or_insert_with(|| Progress::begin(Phase::Embedding, due));
            (progress.done, progress.total) = going_on(progress.done, due, all);
        });
        let make = move || {
            lower_priority();
            let ended = unless_it_panics(|| make(&shared, stage, &vectors, &handle, &asked));
            if let Err(error) = &ended {
                vectors
                    .keeper
                    .note(Some(format!("vectors cannot be made: {error}")));
            }
            handle
                .desk
                .update(|state| state.making(stage).ended = Some(ended));
            handle.desk.order(|orders| orders.vectors = true);
        };
        if let Err(error) = std::thread::Builder::new()
            .name("claudevild-embed".to_owned())
            .spawn(make)
        {
            tracing::error!(%error, "a thread for vectors cannot be started");
            self.handle
                .desk
                .update(|state| state.making(stage).progress = None);
            let layer = &mut self.layers[stage.place()];
            layer.embedding.clear();
            layer.retry = Some(Instant::now() + RETRY);
        }
    }
}

impl Layer {
    /// Whatever of these has no vectors now will not have any: it changed meanwhile, or is refused. What was put there since
    /// is another matter, even if it is what it was before: it may have been read while it was not.
    fn give_up(&mut self, asked: &[Lacking]) {
        for Lacking { file, .. } in asked {
            if self
                .lacking
                .get(&file.path)
                .is_some_and(|lacking| Arc::ptr_eq(&lacking.file, file))
            {
                self.lacking.remove(&file.path);
            }
        }
    }
}

/// A making that never ends would keep the root busy, and the daemon, for ever.
fn unless_it_panics(work: impl FnOnce() -> Result<(), EmbedError>) -> Result<(), EmbedError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(EmbedError {
            kind: EmbedErrorKind::Unusable,
            message: "the model failed inside".to_owned(),
        })
    })
}

/// How many of how many files are done when some are due, again or for the first time, of all that a root has: files that
/// changed since they were done are no further files.
fn going_on(done: u64, due: u64, all: u64) -> (u64, u64) {
    let total = (done + due).min(all.max(due));
    (total - due, total)
}

fn make(
    shared: &Shared,
    stage: Stage,
    vectors: &Vectors,
    handle: &RootIndex,
    asked: &[Lacking],
) -> Result<(), EmbedError> {
    let unavailable = |message| EmbedError {
        kind: EmbedErrorKind::Unavailable,
        message,
    };
    let dir = RootDir::open(handle.root.path.as_ref(), &handle.root.name)
        .map_err(|error| unavailable(error.to_string()))?;
    let maker = Maker {
        stage,
        embedder: vectors.embedder.as_ref(),
        keeper: &vectors.keeper,
        dir: &dir,
        largest_file: shared.settings.largest_file,
    };
    let mut pending = vec![];
    let mut since = Instant::now();
    let made = maker.make(asked, |made| {
        pending.extend(made);
        if since.elapsed() > HAND_OVER {
            hand_over(&handle.desk, stage, &mut pending);
            since = Instant::now();
        }
        if handle.desk.is_stopping() {
            Further::Stop
        } else {
            Further::On
        }
    });
    hand_over(&handle.desk, stage, &mut pending);
    made
}

fn hand_over(desk: &Desk, stage: Stage, made: &mut Vec<Made>) {
    desk.update(|state| {
        let making = state.making(stage);
        if let Some(progress) = &mut making.progress {
            progress.done += made.len() as u64;
        }
        making.made.append(made);
    });
    desk.order(|orders| orders.vectors = true);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ledger::record::{FactsKey, FileRecord, FileState};

    #[test]
    fn what_was_put_back_while_vectors_were_made_is_tried_again() {
        let lacking = |path: &str| {
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
            Lacking { file, before: None }
        };
        let asked = [lacking("stayed.rs"), lacking("changed_and_back.rs")];
        let mut layer = Layer::default();
        layer.lacking.extend(
            asked
                .iter()
                .cloned()
                .map(|one| (one.file.path.clone(), one)),
        );
        layer.lacking.insert(
            "changed_and_back.rs".to_owned(),
            lacking("changed_and_back.rs"),
        );
        layer.give_up(&asked);
        assert_eq!(
            layer.lacking.keys().collect::<Vec<_>>(),
            ["changed_and_back.rs"]
        );
    }

    #[test]
    fn a_model_that_panics_has_failed() {
        let failed = unless_it_panics(|| panic!("a fault was asked for"));
        assert_eq!(failed.expect_err("failed").kind, EmbedErrorKind::Unusable);
        assert!(unless_it_panics(|| Ok(())).is_ok());
    }

    #[test]
    fn progress_never_counts_more_files_than_there_are() {
        // A first time, the rest of it, some that changed meanwhile, all of them anew.
        assert_eq!(going_on(0, 152, 152), (0, 152));
        assert_eq!(going_on(100, 52, 152), (100, 152));
        assert_eq!(going_on(152, 10, 152), (142, 152));
        assert_eq!(going_on(152, 152, 152), (0, 152));
        // An edit, and one more while it was made.
        assert_eq!(going_on(0, 1, 152), (0, 1));
        assert_eq!(going_on(1, 1, 152), (1, 2));
    }
}
