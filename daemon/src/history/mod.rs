//! The history of roots: what each commit changed and why, read from git and stored next to the root's index.
//!
//! A thread of low priority reads the commits of a root once the root is ready, the newest first. A query compares `HEAD` and
//! reads a few new commits itself, so that a commit is visible to the next query. Commits are stored by their ids: after a
//! rewritten history or on another branch, known commits are not read again. Nothing here runs git, and no wait for the history
//! is unbounded.

mod read;
mod record;
mod stored;
mod view;
mod walk;

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "git itself makes the repositories"
)]
mod tests;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use self::read::read_commit;
use self::record::Batch;
pub use self::record::{Commit, FileChange, FileChangeKind, StringTable, word_hash};
use self::stored::HistoryFile;
pub use self::view::{CoChange, History, TimelineEntry, split_name};
use self::walk::{Branch, Records, walk};
use crate::source::cancel::{CancelGuard, CancelToken};
use crate::source::git::{self, CommitId, GitError, Repository};
use crate::threads::lock;

/// The number of commits that are read and stored at once.
const BATCH: usize = 256;
/// The most new commits that a query reads itself, and the time that it may take.
const MAX_INLINE: usize = 64;
const LONGEST_INLINE: Duration = Duration::from_millis(80);
/// The most commits in the file. With more, it is rewritten, because most of them are of branches that are gone.
const MAX_STORED: usize = 3 * walk::MAX_COMMITS;

/// The histories of all roots.
pub struct Histories {
    /// The folder that has a folder for each root, named by its number.
    roots: PathBuf,
    open: Mutex<HashMap<u64, Arc<RootHistory>>>,
}

impl Histories {
    pub fn new(roots: PathBuf) -> Self {
        Self {
            roots,
            open: Mutex::default(),
        }
    }

    /// Starts to read the history of a root in the background, unless that was done before.
    pub fn begin(&self, root: u64, folder: &Path) {
        let (history, is_new) = self.get(root, folder);
        if is_new {
            history.read_in_background();
        }
    }

    /// Returns the history of a root with all commits up to now. If commits are still being read, waits for `patience` at most.
    pub fn current(
        &self,
        root: u64,
        folder: &Path,
        patience: Duration,
        cancel: &CancelToken,
    ) -> Result<Arc<History>, GitError> {
        let (history, _) = self.get(root, folder);
        history.current(patience, cancel)
    }

    /// Returns the history of a root as far as it has been read; none if reading has not begun.
    pub fn read_so_far(&self, root: u64, cancel: &CancelToken) -> Option<Arc<History>> {
        let history = lock(&self.open).get(&root).cloned()?;
        history.current(Duration::ZERO, cancel).ok()
    }

    /// Stops reading the history of a root and frees its memory.
    pub fn unload(&self, root: u64) {
        if let Some(history) = lock(&self.open).remove(&root) {
            history.stop();
        }
    }

    /// Frees the memory of all histories that the next query can load from their files. Returns whether there were any.
    pub fn release(&self) -> bool {
        let open: Vec<_> = lock(&self.open).values().cloned().collect();
        let mut has_freed = false;
        for history in open {
            has_freed |= history.release();
        }
        has_freed
    }

    fn get(&self, root: u64, folder: &Path) -> (Arc<RootHistory>, bool) {
        let mut open = lock(&self.open);
        if let Some(history) = open.get(&root) {
            return (Arc::clone(history), false);
        }
        let file = self.roots.join(root.to_string()).join("history");
        let history = Arc::new(RootHistory::new(folder.to_owned(), file));
        open.insert(root, Arc::clone(&history));
        (history, true)
    }
}

struct RootHistory {
    root: PathBuf,
    file: PathBuf,
    cancel: CancelToken,
    guard: Mutex<Option<CancelGuard>>,
    /// Held while commits are read.
    writer: Mutex<Writer>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct Writer {
    is_loaded: bool,
    /// The path of the root in its repository.
    prefix: String,
    /// None if it cannot be written: the history is then in memory only.
    file: Option<HistoryFile>,
}

#[derive(Default)]
struct State {
    records: Records,
    branch: Branch,
    has_prefix: bool,
    /// The records were freed, and are loaded again when they are needed.
    is_released: bool,
    /// A background thread is reading commits.
    is_reading: bool,
    /// Built from the fields above when it is first asked for.
    view: Option<Arc<History>>,
}

/// The outcome of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Update {
    Done,
    /// There are more new commits than a query has time to read.
    TooMany,
}

impl RootHistory {
    fn new(root: PathBuf, file: PathBuf) -> Self {
        let cancel = CancelToken::default();
        Self {
            root,
            file,
            guard: Mutex::new(Some(cancel.on_drop())),
            cancel,
            writer: Mutex::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn stop(&self) {
        drop(lock(&self.guard).take());
    }

    /// Frees the commits, unless they are being read or are in no file. Returns whether they were freed.
    fn release(&self) -> bool {
        let Ok(mut writer) = self.writer.try_lock() else {
            return false;
        };
        let must_stay = |state: &State| state.is_reading || state.is_released;
        if writer.file.is_none() || must_stay(&lock(&self.state)) {
            return false;
        }
        writer.is_loaded = false;
        self.update_state(|state| {
            state.records = Records::default();
            state.is_released = true;
        });
        true
    }

    /// Loads commits from their file that were freed.
    fn load_released(&self) {
        let is_released = || lock(&self.state).is_released;
        if is_released() {
            let mut writer = lock(&self.writer);
            // Another query may have loaded them meanwhile.
            if is_released() {
                let prefix = writer.prefix.clone();
                self.load(&mut writer, &prefix);
            }
        }
    }

    fn current(
        self: &Arc<Self>,
        patience: Duration,
        cancel: &CancelToken,
    ) -> Result<Arc<History>, GitError> {
        let head = git::head_commit(&self.root)?;
        self.load_released();
        let is_current =
            |state: &State| state.branch.head == head && state.branch.unread.is_empty();
        if is_current(&lock(&self.state)) {
            return Ok(self.view(head));
        }
        let until = cancel.until(Instant::now() + LONGEST_INLINE);
        let updated = match self.writer.try_lock() {
            Ok(mut writer) => self.update(&mut writer, MAX_INLINE, &until),
            Err(TryLockError::Poisoned(writer)) => {
                self.update(&mut writer.into_inner(), MAX_INLINE, &until)
            }
            Err(TryLockError::WouldBlock) => Ok(Update::TooMany),
        };
        match updated {
            Ok(Update::Done) => return Ok(self.view(head)),
            Ok(Update::TooMany) | Err(GitError::Cancelled) => {}
            Err(error) => return Err(error),
        }
        self.read_in_background();
        let is_pending = |state: &mut State| !is_current(state) && state.is_reading;
        drop(
            self.changed
                .wait_timeout_while(lock(&self.state), patience, is_pending)
                .unwrap_or_else(PoisonError::into_inner),
        );
        Ok(self.view(head))
    }

    /// Returns the commits of the branch that have been read, marked as behind if `head` is not the last commit that was read.
    fn view(&self, head: Option<CommitId>) -> Arc<History> {
        let mut state = lock(&self.state);
        let view = match &state.view {
            Some(view) => Arc::clone(view),
            None => Arc::new(History::new(
                &state.records,
                &state.branch,
                state.has_prefix,
            )),
        };
        state.view = Some(Arc::clone(&view));
        if state.branch.head == head {
            return view;
        }
        let mut behind = History::new(&state.records, &state.branch, state.has_prefix);
        behind.is_behind = true;
        Arc::new(behind)
    }

    /// Starts a thread that reads all commits, unless one is running.
    fn read_in_background(self: &Arc<Self>) {
        if self.cancel.is_cancelled() || std::mem::replace(&mut lock(&self.state).is_reading, true)
        {
            return;
        }
        let history = Arc::clone(self);
        let read = move || {
            claudevil_child::lower_priority();
            // Ends the waits of queries even after a panic.
            let _guard = ReadingGuard(&history);
            let mut writer = lock(&history.writer);
            let began = Instant::now();
            match history.update(&mut writer, usize::MAX, &history.cancel) {
                Ok(_) => {
                    let (head, commits) = {
                        let branch = &lock(&history.state).branch;
                        (branch.head, branch.order.len())
                    };
                    let millis = began.elapsed().as_millis();
                    tracing::info!(root = %history.root.display(), commits, millis, "history read");
                    // Words are counted now, so that the first query by words does not have to.
                    let view = history.view(head);
                    for commit in &view.commits {
                        commit.word_counts(&view.strings);
                    }
                }
                Err(GitError::Cancelled | GitError::NoRepository(_)) => {}
                Err(error) => {
                    tracing::info!(root = %history.root.display(), %error, "history not read");
                }
            }
        };
        let thread = std::thread::Builder::new().name("claudevild-history".to_owned());
        if let Err(error) = thread.spawn(read) {
            tracing::warn!(%error, "cannot start the history thread");
            self.update_state(|state| state.is_reading = false);
        }
    }

    /// Reads the commits of the branch that are not known yet.
    fn update(
        &self,
        writer: &mut Writer,
        most_unread: usize,
        cancel: &CancelToken,
    ) -> Result<Update, GitError> {
        let mut repository = Repository::open(&self.root)?;
        if self.cancel.is_cancelled() {
            return Err(GitError::Cancelled);
        }
        if !writer.is_loaded {
            self.load(writer, repository.prefix());
        }
        let known = |id: CommitId| {
            let state = lock(&self.state);
            state.records.by_id.get(&id).cloned()
        };
        let Some(branch) = walk(&repository, known, most_unread, cancel)? else {
            return Ok(Update::TooMany);
        };
        let unread = branch.unread.clone();
        let has_prefix = !repository.prefix().is_empty();
        self.update_state(|state| {
            state.branch = branch;
            state.has_prefix = has_prefix;
        });
        if unread.len() > MAX_INLINE {
            repository.cache_objects();
        }
        for ids in unread.chunks(BATCH) {
            let mut batch = Batch::default();
            let mut outcome = Ok(());
            for id in ids {
                outcome = self.read_one(&repository, *id, &mut batch, cancel);
                if outcome.is_err() {
                    break;
                }
            }
            self.store(writer, batch);
            outcome?;
        }
        Ok(Update::Done)
    }

    fn read_one(
        &self,
        repository: &Repository,
        id: CommitId,
        batch: &mut Batch,
        cancel: &CancelToken,
    ) -> Result<(), GitError> {
        if cancel.is_cancelled() || self.cancel.is_cancelled() {
            return Err(GitError::Cancelled);
        }
        let info = repository.commit_info(id)?;
        let info =
            info.ok_or_else(|| GitError::Unreadable("a commit object is missing".to_owned()))?;
        let commit = read_commit(repository, id, &info, &mut batch.strings, cancel)?;
        batch.commits.push(commit);
        Ok(())
    }

    /// Stores commits and makes them visible to queries.
    fn store(&self, writer: &mut Writer, batch: Batch) {
        if batch.commits.is_empty() {
            return;
        }
        if let Some(file) = &mut writer.file
            && let Err(error) = file.append(&batch)
        {
            tracing::warn!(%error, file = %self.file.display(), "history cannot be stored");
            writer.file = None;
        }
        self.update_state(|state| {
            state.records.add(batch);
            let State {
                records, branch, ..
            } = state;
            branch.unread.retain(|id| !records.by_id.contains_key(id));
        });
    }

    /// Loads the stored commits.
    fn load(&self, writer: &mut Writer, prefix: &str) {
        writer.is_loaded = true;
        prefix.clone_into(&mut writer.prefix);
        let mut records = Records::default();
        let mut opened = HistoryFile::open(&self.file, prefix, |batch| records.add(batch));
        if records.by_id.len() > MAX_STORED {
            records = Records::default();
            opened = fs::remove_file(&self.file)
                .and_then(|()| HistoryFile::open(&self.file, prefix, |_| ()));
        }
        match opened {
            Ok(file) => writer.file = Some(file),
            Err(error) => {
                tracing::warn!(%error, file = %self.file.display(), "stored history cannot be read");
            }
        }
        self.update_state(|state| {
            let is_known = |id: &CommitId| records.by_id.contains_key(id);
            if !state.branch.order.iter().all(is_known) {
                state.branch = Branch::default();
            }
            state.records = records;
            state.is_released = false;
        });
    }

    fn update_state(&self, change: impl FnOnce(&mut State)) {
        let mut state = lock(&self.state);
        change(&mut state);
        state.view = None;
        drop(state);
        self.changed.notify_all();
    }
}

/// Marks the reading of a history as ended when it is dropped.
struct ReadingGuard<'a>(&'a RootHistory);

impl Drop for ReadingGuard<'_> {
    fn drop(&mut self) {
        self.0.update_state(|state| state.is_reading = false);
    }
}
