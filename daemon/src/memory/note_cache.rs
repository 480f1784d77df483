//! A cache of note summaries, each valid as long as its file is unchanged.
//!
//! Notes are read one by one, summarized and dropped, so that a visit takes little memory whatever their number and size.
//! A root has one visit at a time: concurrent calls wait for the first, and find the summaries that it has made. Notes that
//! do not fit the cache are summarized again by each visit.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::note::SkippedNote;

use super::ReadError;
use super::notes::NoteFolder;
use super::summary::NoteSummary;
use crate::clock;
use crate::source::cancel::CancelToken;
use crate::source::file_stat::FileStat;
use crate::threads;

/// The most bytes of all summaries together. Those of 1,000 notes of 20 KB take about 10 MB.
const CAPACITY: usize = 48 << 20;
/// The interval at which a call that waits for another visit checks whether it is cancelled.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// A file that changes twice within the resolution of its timestamps looks unchanged, so its summary is cached only if it has
/// been left alone for longer: for more than two seconds if its timestamp is a whole second.
const FINE_RESOLUTION_MS: i64 = 100;
const COARSE_RESOLUTION_MS: i64 = 2_100;

#[derive(Default)]
pub struct NoteCache {
    state: Mutex<State>,
    /// Notified when a visit has ended.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    roots: HashMap<u64, RootNotes>,
    bytes: usize,
    visits: u64,
}

#[derive(Default)]
struct RootNotes {
    notes: HashMap<String, CachedNote>,
    bytes: usize,
    /// The number of the last visit.
    visit: u64,
    is_being_visited: bool,
}

struct CachedNote {
    stat: FileStat,
    outcome: Outcome,
    bytes: usize,
    /// The last visit that saw the file.
    visit: u64,
}

/// The summary of a file, or the reason that it has none.
type Outcome = Result<Arc<NoteSummary>, String>;

/// The results of a visit.
pub struct Visit<T> {
    /// In no particular order.
    pub results: Vec<T>,
    pub skipped: Vec<SkippedNote>,
    /// The number of notes that could be read.
    pub notes: u64,
}

impl NoteCache {
    /// Calls `see` with the summary of every note of a root, on several threads, and collects its results.
    pub fn visit<T: Send>(
        &self,
        root: u64,
        folder: &NoteFolder,
        cancel: &CancelToken,
        see: impl Fn(&str, &NoteSummary) -> Option<T> + Sync,
    ) -> Result<Visit<T>, ToolError> {
        let guard = self.begin(root, cancel)?;
        let names = folder.names();
        let parts = threads::run_on_all(names.len(), |queue| {
            let mut part = Visit {
                results: vec![],
                skipped: vec![],
                notes: 0,
            };
            while let Some(range) = queue.take() {
                for name in &names[range] {
                    if cancel.is_cancelled() {
                        return part;
                    }
                    match guard.summarize(folder, name) {
                        Ok(summary) => {
                            part.notes += 1;
                            part.results.extend(see(name, &summary));
                        }
                        Err(ReadError::Gone) => {}
                        Err(ReadError::Skipped(reason)) => {
                            part.skipped.push(SkippedNote {
                                path: folder.path(name),
                                reason,
                            });
                        }
                    }
                }
            }
            part
        });
        cancel.check()?;
        guard.forget_unseen();
        drop(guard);
        let mut whole = Visit {
            results: vec![],
            skipped: vec![],
            notes: 0,
        };
        for part in parts {
            whole.results.extend(part.results);
            whole.skipped.extend(part.skipped);
            whole.notes += part.notes;
        }
        // The newest first, by name.
        whole
            .skipped
            .sort_unstable_by(|one, other| other.path.cmp(&one.path));
        whole.skipped.extend(folder.skipped().iter().cloned());
        Ok(whole)
    }

    /// Begins a visit, after the one of this root that is under way.
    fn begin(&self, root: u64, cancel: &CancelToken) -> Result<VisitGuard<'_>, ToolError> {
        let mut state = self.lock();
        while state
            .roots
            .get(&root)
            .is_some_and(|notes| notes.is_being_visited)
        {
            cancel.check()?;
            state = self
                .ended
                .wait_timeout(state, CHECK_INTERVAL)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        state.visits += 1;
        let visit = state.visits;
        let notes = state.roots.entry(root).or_default();
        notes.is_being_visited = true;
        notes.visit = visit;
        Ok(VisitGuard {
            cache: self,
            root,
            visit,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to visit the notes of a root, given back when it is dropped.
struct VisitGuard<'a> {
    cache: &'a NoteCache,
    root: u64,
    visit: u64,
}

impl VisitGuard<'_> {
    fn summarize(&self, folder: &NoteFolder, name: &str) -> Result<Arc<NoteSummary>, ReadError> {
        let stat = folder.stat(name)?;
        if let Some(outcome) = self.cached(name, stat) {
            return outcome.map_err(ReadError::Skipped);
        }
        let (outcome, stat) = match folder.read(name) {
            Ok((note, stat)) => (Ok(Arc::new(NoteSummary::new(&note))), stat),
            Err(ReadError::Gone) => return Err(ReadError::Gone),
            Err(ReadError::Skipped(reason)) => (Err(reason), stat),
        };
        if is_settled(stat, clock::now()) {
            self.put(name, stat, outcome.clone());
        }
        outcome.map_err(ReadError::Skipped)
    }

    fn cached(&self, name: &str, stat: FileStat) -> Option<Outcome> {
        let mut state = self.cache.lock();
        let note = state
            .roots
            .get_mut(&self.root)?
            .notes
            .get_mut(name)
            .filter(|note| note.stat == stat)?;
        note.visit = self.visit;
        Some(note.outcome.clone())
    }

    fn put(&self, name: &str, stat: FileStat, outcome: Outcome) {
        let content = outcome
            .as_ref()
            .map_or_else(String::len, |summary| summary.heap_bytes());
        let bytes = size_of::<(String, CachedNote)>() + name.len() + content;
        let mut state = self.cache.lock();
        state.remove(self.root, name);
        state.make_room(bytes, self.root);
        if state.bytes + bytes > CAPACITY {
            return;
        }
        state.bytes += bytes;
        let notes = state.roots.entry(self.root).or_default();
        notes.bytes += bytes;
        notes.notes.insert(
            name.to_owned(),
            CachedNote {
                stat,
                outcome,
                bytes,
                visit: self.visit,
            },
        );
    }

    /// Drops the summaries of files that this visit has not seen, because they are gone.
    fn forget_unseen(&self) {
        let mut state = self.cache.lock();
        let Some(notes) = state.roots.get_mut(&self.root) else {
            return;
        };
        let mut freed = 0;
        notes.notes.retain(|_, note| {
            let is_seen = note.visit == self.visit;
            freed += if is_seen { 0 } else { note.bytes };
            is_seen
        });
        notes.bytes -= freed;
        state.bytes -= freed;
    }
}

impl Drop for VisitGuard<'_> {
    fn drop(&mut self) {
        if let Some(notes) = self.cache.lock().roots.get_mut(&self.root) {
            notes.is_being_visited = false;
        }
        self.cache.ended.notify_all();
    }
}

impl State {
    fn remove(&mut self, root: u64, name: &str) {
        let Some(notes) = self.roots.get_mut(&root) else {
            return;
        };
        if let Some(note) = notes.notes.remove(name) {
            notes.bytes -= note.bytes;
            self.bytes -= note.bytes;
        }
    }

    /// Drops the summaries of other roots, least recently visited first, until there is room. Those of the root itself stay: a
    /// visit reads them in turn, so each would push out the one that is needed next.
    fn make_room(&mut self, bytes: usize, keep: u64) {
        while self.bytes + bytes > CAPACITY {
            let others = self
                .roots
                .iter()
                .filter(|(root, notes)| **root != keep && !notes.is_being_visited);
            let Some(oldest) = others
                .min_by_key(|(_, notes)| notes.visit)
                .map(|(root, _)| *root)
            else {
                return;
            };
            let freed = self.roots.remove(&oldest).map_or(0, |notes| notes.bytes);
            self.bytes -= freed;
        }
    }
}

fn is_settled(stat: FileStat, now: i64) -> bool {
    let is_coarse = stat.modified_nanos % 1_000_000_000 == 0;
    let resolution = if is_coarse {
        COARSE_RESOLUTION_MS
    } else {
        FINE_RESOLUTION_MS
    };
    now - clock::nanos_to_millis(stat.modified_nanos) > resolution
}

#[cfg(all(test, unix))]
mod tests;
