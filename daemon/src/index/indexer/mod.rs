//! The one writer of a root: a thread that takes requests, finds what changed, and commits it in batches.
//!
//! The commit goes through the stores in a fixed order: facts and intent in the ledger, then the text index under the
//! next generation, then the files in the ledger under the same generation. Everything before the last step can be done
//! again, and is, after a crash: the paths of an unfinished intent are compared again.

mod apply;
mod changes;
mod commit;
mod embed;
mod load;
mod rest;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::embedding::MissingVectors;
use super::job_queue::{Requests, Urgency};
use super::models::ModelTier;
use super::prepare::FactsReuse;
use super::snapshot::{IndexedFile, Snapshot};
use super::{IndexResources, RootIndex, memory};
use crate::embed::ModelId;
use crate::source::cancel::CancelToken;
use crate::source::walk::Rules;
use crate::store::error::StoreError;
use crate::store::ledger::record::RootState;
use crate::store::text::{self, TextIndex, TextWriter, WriterSize};

const AVAILABILITY: Duration = Duration::from_secs(2);
const RETRY: Duration = Duration::from_secs(2);
/// The interval at which a merge of segments is checked.
const MERGE_CHECK: Duration = Duration::from_millis(500);
/// The time after which a wait for the previous indexer is logged.
const PREDECESSOR_PATIENCE: Duration = Duration::from_secs(120);

pub struct Indexer {
    shared: Arc<IndexResources>,
    handle: Arc<RootIndex>,
    path: PathBuf,
    rules: Rules,
    state: RootState,
    files: BTreeMap<String, Arc<IndexedFile>>,
    /// The files that each model has to embed.
    embedding_queues: [EmbeddingQueue; 2],
    /// Paths of batches that were cut off. The text index may or may not contain them.
    doubtful: BTreeSet<String>,
    text: Option<TextIndex>,
    writer: Option<(TextWriter, WriterSize)>,
    /// The running merge of the text index's segments.
    merge: Option<JoinHandle<()>>,
    cancel: CancelToken,
    timers: Timers,
    /// The number of times that the ledger had been created when the root was loaded.
    creations: u64,
    watches: WatchState,
    /// The number of times that a store was found damaged since the last complete indexing.
    damages: u32,
    /// An error has kept changes out of the index since the whole tree was last compared.
    is_behind: bool,
    /// The number of files that were loaded or indexed since all outlines were last copied into contiguous memory.
    scattered_outlines: usize,
}

/// The state of the watches on the root's folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WatchState {
    Installed,
    /// Not installed yet, or events were lost: all folders are watched again.
    Unreliable,
}

/// The files that one model has to embed.
#[derive(Default)]
struct EmbeddingQueue {
    /// Files without vectors, by path.
    missing: BTreeMap<String, MissingVectors>,
    /// Files that are being embedded.
    running: Vec<MissingVectors>,
    /// The time of the next attempt, after the model could not be reached.
    retry: Option<Instant>,
    /// The number of failures in a row.
    failures: u32,
    /// The model that the files were queued for; another may have been opened since.
    model: Option<ModelId>,
    /// True once the team's vectors of all files without vectors have been requested, until that fails.
    is_filled: bool,
    /// The number of files whose vectors were added after the latest packing.
    unpacked: usize,
}

struct Timers {
    reconcile: Instant,
    availability: Instant,
    writer: Option<Instant>,
    /// The time since which git has been busy, and that of the next check.
    git: Option<(Instant, Instant)>,
}

impl Indexer {
    pub fn new(shared: Arc<IndexResources>, handle: Arc<RootIndex>, rules: Rules) -> Self {
        let now = Instant::now();
        Self {
            path: PathBuf::from(&handle.root.path),
            shared,
            handle,
            rules,
            state: RootState::default(),
            files: BTreeMap::new(),
            embedding_queues: Default::default(),
            doubtful: BTreeSet::new(),
            text: None,
            writer: None,
            merge: None,
            cancel: CancelToken::default(),
            timers: Timers {
                reconcile: now,
                availability: now + AVAILABILITY,
                writer: None,
                git: None,
            },
            creations: 0,
            watches: WatchState::Unreliable,
            damages: 0,
            is_behind: false,
            scattered_outlines: 0,
        }
    }

    pub fn run(mut self, predecessor: Option<Arc<RootIndex>>) {
        // One writer per root: the previous one ends first, however long that takes. This one waits even if it is to stop
        // itself, because its successor waits for it alone.
        if let Some(predecessor) = predecessor {
            let jobs = &predecessor.jobs;
            while !jobs.wait_until(PREDECESSOR_PATIENCE, |state| state.stopped) {
                tracing::warn!(
                    root = self.handle.root.name,
                    "the previous indexer has not stopped yet; the index is loaded once it has"
                );
            }
        }
        if let Err(error) = self.load() {
            self.report_error(&error);
        }
        self.handle.jobs.update(|state| state.loaded = true);
        // Stored vectors are loaded while the tree is compared.
        self.update_vectors();
        let mut requests = Requests {
            reconcile: true,
            ..Requests::default()
        };
        let mut request = None;
        loop {
            let is_work =
                requests.reconcile || !requests.reindex.is_empty() || !requests.compare.is_empty();
            if is_work {
                self.handle.jobs.begin_run();
            }
            if let Err(error) = self.run_requests(&requests) {
                self.recover(&error);
            }
            self.update_vectors();
            if is_work {
                self.handle.jobs.end_run();
            }
            self.begin_history();
            if let Some(request) = request {
                self.handle.jobs.finish(request);
            }
            let (next, taken) = self.handle.jobs.take(self.next_timer());
            if next.stop {
                break;
            }
            (requests, request) = (next, Some(taken));
        }
        self.shared.watcher.unwatch(self.handle.root.id);
        self.handle.publish(Snapshot::default());
        let handle = Arc::clone(&self.handle);
        drop(self);
        memory::release_free();
        handle.jobs.update(|state| state.stopped = true);
    }

    /// Begins to read the history of the root once its files are indexed and have vectors.
    fn begin_history(&self) {
        let mut jobs = self.handle.jobs.lock();
        let is_embedding = jobs.embedding(ModelTier::BuiltIn).progress.is_some();
        drop(jobs);
        if self.state.complete && !is_embedding {
            let root = &self.handle.root;
            self.shared.histories.begin(root.id, &self.path);
        }
    }

    /// Returns the time of the next timer.
    fn next_timer(&self) -> Instant {
        [
            Some(self.timers.reconcile),
            Some(self.timers.availability),
            self.timers.writer,
            self.embedding_queues[0].retry,
            self.embedding_queues[1].retry,
            self.timers.git.map(|git| git.1),
        ]
        .into_iter()
        .flatten()
        .min()
        .unwrap_or(self.timers.reconcile)
    }

    fn run_requests(&mut self, requests: &Requests) -> Result<(), StoreError> {
        let now = Instant::now();
        if self.timers.writer.is_some_and(|rest| rest <= now) {
            self.timers.writer = None;
            self.merge_segments()?;
        }
        if self.timers.availability <= now && !self.is_available() {
            return Ok(());
        }
        // The stores could not be opened earlier. Until they are open, the root has no files in memory.
        if self.text.is_none() {
            self.load()?;
        }
        let creations = self.shared.ledger.creations()?;
        if creations != self.creations {
            // Another root has recreated the ledger: every file is stored again.
            self.creations = creations;
            self.mark_all_doubtful();
            return self.reconcile().map(drop);
        }
        // Several jobs may have been requested at once.
        if !requests.reindex.is_empty() {
            self.index_paths(&requests.reindex, FactsReuse::Forbidden)?;
        }
        if !requests.compare.is_empty() {
            self.index_paths(&requests.compare, FactsReuse::Allowed)?;
        }
        if self.timers.reconcile <= now {
            self.watches = WatchState::Unreliable;
        }
        if requests.reconcile || self.timers.reconcile <= now {
            return self.reconcile().map(drop);
        }
        let waited_for_git = self.timers.git.is_some_and(|(_, look)| look <= now);
        match requests.refresh {
            Some(urgency) => self.refresh(urgency).map(drop),
            None if waited_for_git => self.refresh(Urgency::Background).map(drop),
            None => {
                if requests.rest {
                    self.rest();
                }
                Ok(())
            }
        }
    }

    /// Merges segments once edits have ceased for a moment, then frees the writer's memory.
    fn merge_segments(&mut self) -> Result<(), StoreError> {
        let Some((writer, _)) = self.writer.as_mut() else {
            return Ok(());
        };
        match self.merge.take() {
            None => self.merge = writer.merge()?,
            Some(merge) if !merge.is_finished() => self.merge = Some(merge),
            Some(_) => {
                let generation = self.state.generation;
                if let Some(text) = self.text.as_mut() {
                    text.reload(generation)?;
                }
                self.publish();
            }
        }
        if self.merge.is_some() {
            self.timers.writer = Some(Instant::now() + MERGE_CHECK);
        } else if self
            .writer
            .take()
            .is_some_and(|(_, size)| size == WriterSize::Large)
        {
            memory::release_free();
        }
        Ok(())
    }

    fn report_error(&self, error: &StoreError) {
        tracing::warn!(%error, root = self.handle.root.name, "a batch could not be stored");
        self.handle.jobs.update(|state| {
            state.trouble = Some(error.to_string());
        });
    }

    /// Prepares another attempt after an error. Indexed files stay, unless a store is damaged.
    fn recover(&mut self, error: &StoreError) {
        self.report_error(error);
        self.is_behind = true;
        self.writer = None;
        self.timers.writer = None;
        if matches!(error, StoreError::Damaged(_)) {
            self.damages += 1;
            self.rebuild(&error.to_string());
        } else if !text::exists(&self.shared.data, self.handle.root.id) {
            self.rebuild_text_index();
        }
        self.timers.reconcile = Instant::now() + RETRY;
    }

    /// Writes the text index again after it was deleted.
    fn rebuild_text_index(&mut self) {
        self.text = None;
        match TextIndex::open(&text::folder(&self.shared.data, self.handle.root.id)) {
            Ok(text) => self.text = Some(text),
            Err(error) => self.report_error(&error),
        }
        self.mark_all_doubtful();
    }

    fn mark_all_doubtful(&mut self) {
        let paths: Vec<String> = self.files.keys().cloned().collect();
        for path in &paths {
            self.mark_doubtful(path);
        }
        self.publish();
    }

    fn rebuild(&mut self, why: &str) {
        self.text = None;
        self.files.clear();
        for queue in &mut self.embedding_queues {
            queue.missing.clear();
        }
        self.doubtful.clear();
        self.state = RootState {
            generation: self.state.generation,
            created: self.state.created,
            ..RootState::default()
        };
        let folder = text::folder(&self.shared.data, self.handle.root.id);
        // The damage may be in another table, and show only on the next write.
        let ledger_is_sound =
            self.damages <= 1 && self.shared.ledger.load(self.handle.root.id).is_ok();
        let reopened = if ledger_is_sound {
            Ok(())
        } else {
            self.shared.ledger.recreate(why)
        };
        let _ = reopened.and_then(|()| self.shared.ledger.forget(self.handle.root.id));
        match TextIndex::open(&folder) {
            Ok(text) => self.text = Some(text),
            Err(error) => self.report_error(&error),
        }
    }
}
