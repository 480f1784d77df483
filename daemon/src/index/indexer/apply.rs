//! Brings a difference into the stores batch by batch: the next one is read while one is committed.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use super::Indexer;
use super::changes::{ComparedPaths, Difference, Extent};
use crate::index::desk::Urgency;
use crate::index::prepare::{Prepared, Preparer, Trust};
use crate::index::progress::{Phase, Progress};
use crate::index::snapshot::Snapshot;
use crate::index::worker::Pace;
use crate::index::{RootIndex, Shared};
use crate::source::beneath::RootDir;
use crate::source::walk::WalkedFile;
use crate::store::failure::StoreError;
use crate::store::text::WriterSize;

/// The first commit comes soon, so that something can be found; later ones are large, because each has its price.
const FIRST_BATCH: usize = 128;
const BATCH: usize = 2500;
/// Towards the end each has half of what is left, down to this: nothing is read any more while the last is committed.
const LAST_BATCH: usize = 400;
const BATCH_BYTES: u64 = 24 << 20;
/// The most files that a person or an agent saves at once; a checkout has more.
const MOST_PROMPT: usize = 16;
/// Files of which it is shown how far they are, although the root was ready before.
const WORTH_SHOWING: usize = 100;

/// The rest of a difference.
struct Rest {
    removed: Vec<String>,
    /// The paths that were indexed in between: content that was read before must not be stored over them.
    overtaken: ComparedPaths,
    size: WriterSize,
    extent: Extent,
    /// Files that need no more reading. Counted beside the progress, which a look in between replaces for its time.
    ready: Arc<AtomicU64>,
}

/// Whoever reads the files of a difference while others of it are committed.
struct Reader {
    shared: Arc<Shared>,
    handle: Arc<RootIndex>,
    dir: RootDir,
    before: Arc<Snapshot>,
    trust: Trust,
    pace: Pace,
    ready: Arc<AtomicU64>,
}

/// A batch, and of how many files it was made.
type Read = Result<(usize, Vec<Prepared>), StoreError>;

impl Indexer {
    /// Prepares and commits a difference. Returns what was looked at in between.
    pub(super) fn apply(
        &mut self,
        difference: Difference,
        trust: Trust,
        extent: Extent,
    ) -> Result<ComparedPaths, StoreError> {
        let Difference {
            mut changed,
            removed,
        } = difference;
        let total = changed.len() + removed.len();
        // What was edited last is what is asked for first.
        changed.sort_by_key(|file| std::cmp::Reverse(file.modified_nanos));
        let size = if total > BATCH / 4 {
            WriterSize::Large
        } else {
            WriterSize::Small
        };
        // What is gone need not be read.
        let ready = removed.len() as u64;
        self.show_beginning(total, ready);
        let ready = Arc::new(AtomicU64::new(ready));
        let mut rest = Rest {
            removed,
            overtaken: ComparedPaths::default(),
            size,
            extent,
            ready,
        };
        if !changed.is_empty() {
            self.apply_changed(&changed, trust, &mut rest)?;
        }
        if let ComparedPaths::Everything = rest.overtaken {
            return Ok(rest.overtaken);
        }
        // What has not gone with a batch.
        self.commit_last(vec![], &mut rest)?;
        self.damages = 0;
        self.show_end();
        if total > 0 {
            self.shared.sweep_sometimes(total);
        }
        if total > BATCH {
            self.shared.ledger.compact();
        }
        Ok(rest.overtaken)
    }

    fn apply_changed(
        &mut self,
        changed: &[WalkedFile],
        trust: Trust,
        rest: &mut Rest,
    ) -> Result<(), StoreError> {
        let batches = batches(changed);
        let reader = Reader {
            shared: Arc::clone(&self.shared),
            dir: RootDir::open(&self.path, &self.handle.root.name)
                .map_err(|error| StoreError::Other(error.to_string()))?,
            before: self.handle.snapshot(),
            handle: Arc::clone(&self.handle),
            trust,
            pace: if changed.len() <= MOST_PROMPT {
                Pace::Prompt
            } else {
                Pace::Bulk
            },
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
                if self.take_up(read?, number == last, rest)?.is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Commits a batch that has been read, and what somebody waits for in between.
    fn take_up(
        &mut self,
        (asked, mut prepared): (usize, Vec<Prepared>),
        is_last: bool,
        rest: &mut Rest,
    ) -> Result<ControlFlow<()>, StoreError> {
        prepared.retain(|file| !rest.overtaken.covers(&file.path));
        // With the last batch: what was moved is never nowhere, nor for long in two places.
        if is_last {
            self.commit_last(prepared, rest)?;
        } else {
            self.commit(prepared, vec![], rest.size)?;
        }
        self.handle
            .desk
            .update(|state| state.progress.done += asked as u64);
        if self.handle.desk.is_stopping() {
            return Ok(ControlFlow::Break(()));
        }
        if is_last || !self.handle.desk.has_urgent_look() {
            return Ok(ControlFlow::Continue(()));
        }
        self.look_in_between(rest)?;
        Ok(match rest.overtaken {
            ComparedPaths::Everything => ControlFlow::Break(()),
            ComparedPaths::Paths(_) => ControlFlow::Continue(()),
        })
    }

    /// Who waits for an edit does not wait for the whole tree.
    fn look_in_between(&mut self, rest: &mut Rest) -> Result<(), StoreError> {
        let progress = self.handle.desk.lock().progress;
        rest.overtaken = std::mem::take(&mut rest.overtaken).and(self.look(Urgency::Urgent)?);
        if let ComparedPaths::Paths(_) = rest.overtaken {
            self.handle.desk.update(|state| {
                state.progress = Progress {
                    ready: rest.ready.load(Ordering::Relaxed),
                    ..progress
                };
            });
        }
        Ok(())
    }

    /// Files together with all that is gone, and with the news that the tree is known to its end.
    fn commit_last(&mut self, prepared: Vec<Prepared>, rest: &mut Rest) -> Result<(), StoreError> {
        let removed = std::mem::take(&mut rest.removed);
        let removed: Vec<String> = removed
            .into_iter()
            .filter(|path| !rest.overtaken.covers(path))
            .collect();
        let settings = self.settings();
        let is_known = self.state.complete && self.state.settings == settings;
        let is_news = rest.extent == Extent::Whole && !is_known && !self.handle.desk.is_stopping();
        if prepared.is_empty() && removed.is_empty() && !is_news {
            return Ok(());
        }
        if is_news {
            self.state.complete = true;
            self.state.settings = settings;
        }
        let committed = self.commit(prepared, removed, rest.size);
        if committed.is_err() && is_news {
            self.state.complete = false;
        }
        committed
    }

    fn show_beginning(&self, total: usize, ready: u64) {
        if total == 0 {
            return;
        }
        self.handle.desk.update(|state| {
            if total > WORTH_SHOWING || state.progress.phase != Phase::Ready {
                state.progress = Progress {
                    ready,
                    ..Progress::begin(Phase::Indexing, total as u64)
                };
            }
        });
    }

    fn show_end(&self) {
        self.handle.desk.update(|state| {
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
    fn read(&self, batches: &[&[WalkedFile]], to: &SyncSender<Read>) {
        let preparer = Preparer {
            dir: &self.dir,
            ledger: &self.shared.ledger,
            pool: &self.shared.pool,
            settings: &self.shared.settings,
            sizes: self.handle.sizes,
            trust: self.trust,
            pace: self.pace,
            before: &self.before,
            ready: &|files| self.note_ready(files as u64),
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

    /// Nobody waits for this alone, so nobody is woken.
    fn note_ready(&self, files: u64) {
        let mut state = self.handle.desk.lock();
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
            ((files.len() - from) / 2).clamp(LAST_BATCH, BATCH)
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
