//! Commits a difference batch by batch: the next batch is read while one is committed.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use super::Indexer;
use super::changes::{ComparedPaths, Difference, Extent};
use crate::index::job_queue::Urgency;
use crate::index::prepare::{FactsReuse, PreparedFile, Preparer};
use crate::index::progress::{Phase, Progress};
use crate::index::snapshot::Snapshot;
use crate::index::worker::Priority;
use crate::index::{IndexResources, RootIndex};
use crate::source::beneath::RootDir;
use crate::source::walk::WalkedFile;
use crate::store::error::StoreError;
use crate::store::text::WriterSize;

/// The first batch is small, so that something is found soon; later ones are large, because each commit has a cost.
const FIRST_BATCH: usize = 128;
const BATCH: usize = 2500;
/// Towards the end each batch has half of the remaining files, but at least this many: nothing is read while the last is
/// committed.
const SMALLEST_BATCH: usize = 400;
const BATCH_BYTES: u64 = 24 << 20;
/// The most files that a person or an agent saves at once; a checkout has more.
const INTERACTIVE_FILES: usize = 16;
/// The most files of a first index that is made at normal priority. Whoever opened the project waits for it, and on a busy
/// machine a process of low priority hardly advances; larger projects would take the processors for long.
const AWAITED_FILES: usize = BATCH;
/// A difference of more files than this shows its progress even if the root was ready before.
const PROGRESS_FILES: usize = 100;

/// The part of a difference that is not committed yet.
struct Remainder {
    removed: Vec<String>,
    /// The paths that a refresh has indexed since the difference was found. The older content that was read for the difference
    /// must not replace them.
    overtaken: ComparedPaths,
    size: WriterSize,
    extent: Extent,
    /// The number of files that need no more reading. Counted here, because a refresh replaces the progress while it runs.
    ready: Arc<AtomicU64>,
}

/// Reads the next files of a difference while the previous ones are committed.
struct Reader {
    shared: Arc<IndexResources>,
    handle: Arc<RootIndex>,
    dir: RootDir,
    before: Arc<Snapshot>,
    reuse: FactsReuse,
    priority: Priority,
    ready: Arc<AtomicU64>,
}

/// A batch, and the number of files that it was made from.
type ReadBatch = Result<(usize, Vec<PreparedFile>), StoreError>;

impl Indexer {
    /// Prepares and commits a difference. Returns the paths that a refresh indexed in the meantime.
    pub(super) fn apply(
        &mut self,
        difference: Difference,
        reuse: FactsReuse,
        extent: Extent,
    ) -> Result<ComparedPaths, StoreError> {
        let Difference {
            mut changed,
            removed,
        } = difference;
        let total = changed.len() + removed.len();
        // The most recently edited files come first: queries are most likely about them.
        changed.sort_by_key(|file| std::cmp::Reverse(file.modified_nanos));
        let size = if total > BATCH / 4 {
            WriterSize::Large
        } else {
            WriterSize::Small
        };
        // Removed files need no reading.
        let ready = removed.len() as u64;
        self.show_beginning(total, ready);
        let ready = Arc::new(AtomicU64::new(ready));
        let mut rest = Remainder {
            removed,
            overtaken: ComparedPaths::default(),
            size,
            extent,
            ready,
        };
        if !changed.is_empty() {
            self.apply_changed(&changed, reuse, &mut rest)?;
        }
        if let ComparedPaths::Everything = rest.overtaken {
            return Ok(rest.overtaken);
        }
        // Commits the removals, if there was no batch to commit them with.
        self.commit_last(vec![], &mut rest)?;
        self.damages = 0;
        self.is_behind &= extent == Extent::Part;
        // What an error has kept out stays known until the tree is compared: other files may be committed before.
        if !self.is_behind {
            self.show_end();
        }
        if total > 0 {
            self.shared.sweep_if_due(total);
        }
        if total > BATCH {
            self.shared.ledger.compact();
        }
        Ok(rest.overtaken)
    }

    fn apply_changed(
        &mut self,
        changed: &[WalkedFile],
        reuse: FactsReuse,
        rest: &mut Remainder,
    ) -> Result<(), StoreError> {
        let batches = batches(changed);
        let reader = Reader {
            shared: Arc::clone(&self.shared),
            dir: RootDir::open(&self.path, &self.handle.root.name)
                .map_err(|error| StoreError::Other(error.to_string()))?,
            before: self.handle.snapshot(),
            handle: Arc::clone(&self.handle),
            reuse,
            priority: self.priority(changed.len()),
            ready: Arc::clone(&rest.ready),
        };
        std::thread::scope(|scope| -> Result<(), StoreError> {
            let (sender, receiver) = sync_channel(1);
            let (batches, last) = (&batches, batches.len() - 1);
            std::thread::Builder::new()
                .name("claudevild-read".to_owned())
                .spawn_scoped(scope, move || reader.read(batches, &sender))
                .map_err(|error| StoreError::Other(error.to_string()))?;
            for (number, read) in receiver.into_iter().enumerate() {
                if self.commit_batch(read?, number == last, rest)?.is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Returns the priority at which this many files are parsed.
    fn priority(&self, files: usize) -> Priority {
        let is_awaited = !self.state.complete && files <= AWAITED_FILES;
        if is_awaited || files <= INTERACTIVE_FILES {
            Priority::Interactive
        } else {
            Priority::Bulk
        }
    }

    /// Commits a batch, and then refreshes if a query waits for it.
    fn commit_batch(
        &mut self,
        (asked, mut prepared): (usize, Vec<PreparedFile>),
        is_last: bool,
        rest: &mut Remainder,
    ) -> Result<ControlFlow<()>, StoreError> {
        prepared.retain(|file| !rest.overtaken.covers(&file.path));
        // Removals are committed with the last batch, so that a moved file is never missing, and is in the index twice only
        // for a moment.
        if is_last {
            self.commit_last(prepared, rest)?;
        } else {
            self.commit(prepared, vec![], rest.size)?;
        }
        self.handle
            .jobs
            .update(|state| state.progress.done += asked as u64);
        if self.handle.jobs.is_stopping() {
            return Ok(ControlFlow::Break(()));
        }
        if is_last || !self.handle.jobs.has_urgent_refresh() {
            return Ok(ControlFlow::Continue(()));
        }
        self.refresh_meanwhile(rest)?;
        Ok(match rest.overtaken {
            ComparedPaths::Everything => ControlFlow::Break(()),
            ComparedPaths::Paths(_) => ControlFlow::Continue(()),
        })
    }

    /// Indexes the dirty set between two batches.
    fn refresh_meanwhile(&mut self, rest: &mut Remainder) -> Result<(), StoreError> {
        let progress = self.handle.jobs.lock().progress;
        rest.overtaken = std::mem::take(&mut rest.overtaken).and(self.refresh(Urgency::Urgent)?);
        if let ComparedPaths::Paths(_) = rest.overtaken {
            self.handle.jobs.update(|state| {
                state.progress = Progress {
                    ready: rest.ready.load(Ordering::Relaxed),
                    ..progress
                };
            });
        }
        Ok(())
    }

    /// Commits the last files together with all removals, and marks the index as complete.
    fn commit_last(
        &mut self,
        prepared: Vec<PreparedFile>,
        rest: &mut Remainder,
    ) -> Result<(), StoreError> {
        let removed = std::mem::take(&mut rest.removed);
        let removed: Vec<String> = removed
            .into_iter()
            .filter(|path| !rest.overtaken.covers(path))
            .collect();
        let settings = self.settings();
        let was_complete = self.state.complete && self.state.settings == settings;
        let completes =
            rest.extent == Extent::Whole && !was_complete && !self.handle.jobs.is_stopping();
        if prepared.is_empty() && removed.is_empty() && !completes {
            return Ok(());
        }
        if completes {
            self.state.complete = true;
            self.state.settings = settings;
        }
        let committed = self.commit(prepared, removed, rest.size);
        if committed.is_err() && completes {
            self.state.complete = false;
        }
        committed
    }

    fn show_beginning(&self, total: usize, ready: u64) {
        if total == 0 {
            return;
        }
        self.handle.jobs.update(|state| {
            if total > PROGRESS_FILES || state.progress.phase != Phase::Ready {
                state.progress = Progress {
                    ready,
                    ..Progress::begin(Phase::Indexing, total as u64)
                };
            }
        });
    }

    fn show_end(&self) {
        self.handle.jobs.update(|state| {
            state.progress = Progress {
                phase: Phase::Ready,
                done: state.progress.total,
                ..state.progress
            };
            state.trouble = None;
        });
    }
}

impl Reader {
    fn read(&self, batches: &[&[WalkedFile]], to: &SyncSender<ReadBatch>) {
        let preparer = Preparer {
            dir: &self.dir,
            ledger: &self.shared.ledger,
            pool: &self.shared.pool,
            settings: &self.shared.settings,
            sizes: self.handle.sizes,
            reuse: self.reuse,
            priority: self.priority,
            before: &self.before,
            ready: &|files| self.count_ready(files as u64),
        };
        let mut asked = batches.iter().map(|batch| batch.len());
        preparer.prepare(batches, |batch| {
            let read = batch.map(|files| (asked.next().unwrap_or_default(), files));
            if to.send(read).is_ok() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
    }

    /// Counts files that need no more reading. Does not wake waiting callers: none waits for this count alone.
    fn count_ready(&self, files: u64) {
        let mut state = self.handle.jobs.lock();
        state.progress.ready += files;
        self.ready.fetch_add(files, Ordering::Relaxed);
    }
}

fn batches(files: &[WalkedFile]) -> Vec<&[WalkedFile]> {
    let mut batches = vec![];
    let mut from = 0;
    while from < files.len() {
        let is_first = batches.is_empty() && files.len() > BATCH / 4;
        let most = if is_first {
            FIRST_BATCH
        } else {
            ((files.len() - from) / 2).clamp(SMALLEST_BATCH, BATCH)
        };
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
