//! Has the vectors of files made, and takes them in when they are there.
//!
//! Text and symbols never wait for vectors. A model that is instant makes those of an edit where its text is at hand; all
//! else is made by a thread of its own, one at a time for each root, out of what the store knows and of the files.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Indexer;
use crate::embed::{EmbedError, EmbedErrorKind};
use crate::extract::facts::Outline;
use crate::index::desk::Desk;
use crate::index::embedding::{Further, Lacking, Made, Maker, embed_file};
use crate::index::progress::{Phase, Progress};
use crate::index::snapshot::IndexedFile;
use crate::index::{RootIndex, Shared, Vectors, lower_priority};
use crate::source::beneath::RootDir;

/// Chunks of one batch that are embedded at once: some ten milliseconds.
const AT_HAND: usize = 1000;
/// How long a model that cannot be reached is left alone.
const RETRY: Duration = Duration::from_secs(30);
/// How often vectors are handed over while more are made.
const HAND_OVER: Duration = Duration::from_millis(500);

impl Indexer {
    /// Puts a file where its predecessor was. Vectors of the same content stay.
    pub(super) fn put(&mut self, file: IndexedFile) {
        let before = self.files.get(&file.path);
        let same = before.filter(|before| before.facts_key() == file.facts_key());
        let vectors = same.and_then(|same| same.vectors.clone());
        let file = Arc::new(IndexedFile { vectors, ..file });
        if file.vectors.is_some() || file.outline.chunks.is_empty() || self.shared.vectors.is_none() {
            self.lacking.remove(&file.path);
        } else {
            // The last that had vectors, if it never came to any in between.
            let earlier = self.lacking.remove(&file.path).and_then(|lacking| lacking.before);
            let before = before.filter(|before| before.vectors.is_some()).cloned().or(earlier);
            self.lacking.insert(file.path.clone(), Lacking { file: Arc::clone(&file), before });
        }
        self.files.insert(file.path.clone(), file);
    }

    /// Embeds what a small batch brought, if the model is fast enough for somebody to wait for it.
    pub(super) fn embed_at_hand(&mut self, texts: &[(String, Option<String>, Arc<Outline>)]) {
        let Some(Vectors { embedder, keeper }) = self.shared.vectors.clone() else { return };
        let chunks: usize = texts.iter().map(|(.., outline)| outline.chunks.len()).sum();
        if !embedder.is_instant() || chunks > AT_HAND {
            return;
        }
        for (path, text, outline) in texts {
            let Some(text) = text.as_ref().filter(|_| self.lacking.contains_key(path)) else { continue };
            // What fails here is tried again by the thread, which says so.
            let Ok((vectors, made)) = embed_file(embedder.as_ref(), outline, text) else { return };
            keeper.record(made);
            self.give_vectors(path, vectors.into());
        }
    }

    /// Takes in what has been made, and has made what is lacking.
    pub(super) fn tend_vectors(&mut self) {
        // Asked first: all that was made has been handed over by then.
        let ended = self.handle.desk.lock().embedded.take();
        if self.take_in_vectors() {
            self.publish();
        }
        if let Some(ended) = ended {
            self.embedding_ended(ended);
        }
        self.timers.vectors = self.timers.vectors.filter(|until| Instant::now() < *until);
        let rests = self.timers.vectors.is_some();
        let away = self.handle.desk.lock().unavailable.is_some();
        if !self.lacking.is_empty() && self.embedding.is_empty() && !rests && !away {
            self.have_vectors_made();
        }
    }

    /// Whether there were any.
    pub(super) fn take_in_vectors(&mut self) -> bool {
        let made = std::mem::take(&mut self.handle.desk.lock().made);
        let mut any = false;
        for Made { path, key, vectors } in made {
            let is_due = self.lacking.get(&path).is_some_and(|lacking| lacking.file.facts_key() == Some(key));
            if is_due {
                self.give_vectors(&path, vectors);
                any = true;
            }
        }
        any
    }

    fn give_vectors(&mut self, path: &str, vectors: Arc<crate::index::vectors::FileVectors>) {
        self.lacking.remove(path);
        if let Some(file) = self.files.get_mut(path) {
            *file = Arc::new(file.with_vectors(Some(vectors)));
        }
    }

    fn embedding_ended(&mut self, ended: Result<(), EmbedError>) {
        let asked = std::mem::take(&mut self.embedding);
        match ended {
            Err(error) if error.kind == EmbedErrorKind::Unavailable => {
                self.timers.vectors = Some(Instant::now() + RETRY);
            }
            // Whatever has no vectors now will not have any: it changed meanwhile, or is refused.
            _ => {
                for Lacking { file, .. } in asked {
                    let key = file.facts_key();
                    if self.lacking.get(&file.path).is_some_and(|lacking| lacking.file.facts_key() == key) {
                        self.lacking.remove(&file.path);
                    }
                }
            }
        }
    }

    fn have_vectors_made(&mut self) {
        let Some(vectors) = self.shared.vectors.clone() else { return };
        let mut asked: Vec<Lacking> = self.lacking.values().cloned().collect();
        // What was edited last is what is asked for first.
        asked.sort_by_key(|lacking| std::cmp::Reverse(lacking.file.record.modified_nanos));
        self.embedding.clone_from(&asked);
        let (shared, handle) = (Arc::clone(&self.shared), Arc::clone(&self.handle));
        let progress = Progress::begin(Phase::Embedding, asked.len() as u64);
        self.handle.desk.update(|state| state.embedding = Some(progress));
        let make = move || {
            lower_priority();
            let ended = make(&shared, &vectors, &handle, &asked);
            if let Err(error) = &ended {
                vectors.keeper.note(Some(format!("vectors cannot be made: {error}")));
            }
            handle.desk.update(|state| {
                state.embedding = None;
                state.embedded = Some(ended);
            });
            handle.desk.order(|orders| orders.vectors = true);
        };
        if let Err(error) = std::thread::Builder::new().name("claudevild-embed".to_owned()).spawn(make) {
            tracing::error!(%error, "a thread for vectors cannot be started");
            self.handle.desk.update(|state| state.embedding = None);
            self.embedding.clear();
            self.timers.vectors = Some(Instant::now() + RETRY);
        }
    }
}

fn make(shared: &Shared, vectors: &Vectors, handle: &RootIndex, asked: &[Lacking]) -> Result<(), EmbedError> {
    let unavailable = |message| EmbedError { kind: EmbedErrorKind::Unavailable, message };
    let dir =
        RootDir::open(handle.root.path.as_ref(), &handle.root.name).map_err(|error| unavailable(error.to_string()))?;
    let maker = Maker {
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
            hand_over(&handle.desk, &mut pending);
            since = Instant::now();
        }
        if handle.desk.is_stopping() { Further::Stop } else { Further::On }
    });
    hand_over(&handle.desk, &mut pending);
    made
}

fn hand_over(desk: &Desk, made: &mut Vec<Made>) {
    desk.update(|state| {
        if let Some(progress) = &mut state.embedding {
            progress.done += made.len() as u64;
        }
        state.made.append(made);
    });
    desk.order(|orders| orders.vectors = true);
}
