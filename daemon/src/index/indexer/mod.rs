//! The one writer of a root: a thread that takes orders, finds what changed, and commits it in batches.
//!
//! The commit goes through the stores in a fixed order: facts and intent in the ledger, then the text index under the
//! next generation, then the files in the ledger under the same generation. Everything before the last step can be done
//! again, and is, after a crash: the paths of an unfinished intent are looked at anew.

mod apply;
mod changes;
mod commit;
mod embed;
mod load;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::desk::{Orders, Urgency};
use super::embedding::Lacking;
use super::prepare::Trust;
use super::snapshot::{IndexedFile, Snapshot};
use super::{RootIndex, Shared, memory};
use crate::embed::ModelId;
use crate::source::cancel::CancelToken;
use crate::source::walk::Rules;
use crate::store::failure::StoreError;
use crate::store::ledger::record::RootState;
use crate::store::text::{self, Merging, TextIndex, TextWriter, WriterSize};

const AVAILABILITY: Duration = Duration::from_secs(2);
const RETRY: Duration = Duration::from_secs(2);
/// The interval of the looks whether segments have been merged.
const MERGE_LOOK: Duration = Duration::from_millis(500);
const PREDECESSOR_PATIENCE: Duration = Duration::from_secs(120);

pub struct Indexer {
    shared: Arc<Shared>,
    handle: Arc<RootIndex>,
    path: PathBuf,
    rules: Rules,
    state: RootState,
    files: BTreeMap<String, Arc<IndexedFile>>,
    /// The missing vectors of each model.
    layers: [Layer; 2],
    /// Paths of batches that were cut off: what the text index has of them is not known.
    doubtful: BTreeSet<String>,
    text: Option<TextIndex>,
    writer: Option<(TextWriter, WriterSize)>,
    /// The merge of the text index's segments under way.
    merging: Option<Merging>,
    cancel: CancelToken,
    timers: Timers,
    /// The number of times that the ledger was begun anew, as of the load.
    beginnings: u64,
    watches: Watches,
    /// The number of times that a store was found damaged since the tree was last indexed to its end.
    damages: u32,
}

/// True if the folders of the root can be taken to be watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Watches {
    InPlace,
    /// They never were, or reports were lost: all are watched anew.
    Doubtful,
}

/// The missing vectors of one model.
#[derive(Default)]
struct Layer {
    /// Files without vectors, by path.
    lacking: BTreeMap<String, Lacking>,
    /// Those whose vectors are being made.
    embedding: Vec<Lacking>,
    /// When to try again, where the model could not be reached.
    retry: Option<Instant>,
    /// The number of failures in a row.
    failures: u32,
    /// The model that the files were last compared with: another may have been opened since.
    model: Option<ModelId>,
    /// Files whose vectors came since they were last packed.
    loose: usize,
}

struct Timers {
    reconcile: Instant,
    availability: Instant,
    writer: Option<Instant>,
    /// Since when git has been busy, and when to look again.
    git: Option<(Instant, Instant)>,
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
            layers: Default::default(),
            doubtful: BTreeSet::new(),
            text: None,
            writer: None,
            merging: None,
            cancel: CancelToken::default(),
            timers: Timers {
                reconcile: now,
                availability: now + AVAILABILITY,
                writer: None,
                git: None,
            },
            beginnings: 0,
            watches: Watches::Doubtful,
            damages: 0,
        }
    }

    pub fn run(mut self, predecessor: Option<Arc<RootIndex>>) {
        // One writer per root: whoever was it before ends first.
        if let Some(predecessor) = predecessor {
            predecessor
                .desk
                .wait_until(PREDECESSOR_PATIENCE, |state| state.stopped);
        }
        if let Err(error) = self.load() {
            self.troubled(&error);
        }
        self.handle.desk.update(|state| state.loaded = true);
        // What is stored of them comes while the tree is compared.
        self.tend_vectors();
        let mut orders = Orders {
            reconcile: true,
            ..Orders::default()
        };
        let mut ticket = None;
        loop {
            let is_work =
                orders.reconcile || !orders.again.is_empty() || !orders.compare.is_empty();
            if is_work {
                self.handle.desk.begin_run();
            }
            if let Err(error) = self.carry_out(&orders) {
                self.recover(&error);
            }
            self.tend_vectors();
            if is_work {
                self.handle.desk.end_run();
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
        self.handle.publish(Snapshot::default());
        let handle = Arc::clone(&self.handle);
        drop(self);
        memory::give_back();
        handle.desk.update(|state| state.stopped = true);
    }

    /// When to do something unasked.
    fn wake(&self) -> Instant {
        [
            Some(self.timers.reconcile),
            Some(self.timers.availability),
            self.timers.writer,
            self.layers[0].retry,
            self.layers[1].retry,
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
            self.timers.writer = None;
            self.tidy_text()?;
        }
        if self.timers.availability <= now && !self.is_available() {
            return Ok(());
        }
        // What could not be opened is tried again: until then nothing is known of the root.
        if self.text.is_none() {
            self.load()?;
        }
        let beginnings = self.shared.ledger.beginnings()?;
        if beginnings != self.beginnings {
            // Made anew under us: everything is put there again.
            self.beginnings = beginnings;
            self.doubt_everything();
            return self.reconcile().map(drop);
        }
        // Orders of several jobs may have come together: none is left out.
        if !orders.again.is_empty() {
            self.index_paths(&orders.again, Trust::Nothing)?;
        }
        if !orders.compare.is_empty() {
            self.index_paths(&orders.compare, Trust::Known)?;
        }
        if self.timers.reconcile <= now {
            self.watches = Watches::Doubtful;
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

    /// Once edits have ceased for a moment: fewer segments, then the writer's memory goes.
    fn tidy_text(&mut self) -> Result<(), StoreError> {
        let Some((writer, _)) = self.writer.as_mut() else {
            return Ok(());
        };
        match self.merging.take() {
            None => self.merging = writer.merge()?,
            Some(merging) if !merging.is_done() => self.merging = Some(merging),
            Some(_) => {
                let generation = self.state.generation;
                if let Some(text) = self.text.as_mut() {
                    text.reload(generation)?;
                }
                self.publish();
            }
        }
        if self.merging.is_some() {
            self.timers.writer = Some(Instant::now() + MERGE_LOOK);
        } else if self
            .writer
            .take()
            .is_some_and(|(_, size)| size == WriterSize::Large)
        {
            memory::give_back();
        }
        Ok(())
    }

    fn troubled(&self, error: &StoreError) {
        tracing::warn!(%error, root = self.handle.root.name, "a batch could not be stored");
        self.handle.desk.update(|state| {
            state.trouble = Some(error.to_string());
        });
    }

    /// Keeps the indexed files; files that could not be stored are tried again.
    fn recover(&mut self, error: &StoreError) {
        self.troubled(error);
        self.writer = None;
        self.timers.writer = None;
        if matches!(error, StoreError::Damaged(_)) {
            self.damages += 1;
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
        for layer in &mut self.layers {
            layer.lacking.clear();
        }
        self.doubtful.clear();
        self.state = RootState {
            generation: self.state.generation,
            created: self.state.created,
            ..RootState::default()
        };
        let folder = text::folder(&self.shared.data, self.handle.root.id);
        // What is damaged may be of another table, and show only once something is stored.
        let ledger_is_sound =
            self.damages <= 1 && self.shared.ledger.load(self.handle.root.id).is_ok();
        let reopened = if ledger_is_sound {
            Ok(())
        } else {
            self.shared.ledger.start_anew(why)
        };
        let _ = reopened.and_then(|()| self.shared.ledger.forget(self.handle.root.id));
        match TextIndex::open(&folder) {
            Ok(text) => self.text = Some(text),
            Err(error) => self.troubled(&error),
        }
    }
}
