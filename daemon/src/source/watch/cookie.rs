//! Cookies: files whose events prove that every change made before has been recorded.
//!
//! A file is created in a folder of our own that the same watcher watches. On Linux one queue has all events in the order
//! in which they happened, so once the file's event has arrived, all before it have been recorded. Other systems have no
//! such order between watched trees: there the wait only makes it likely. Callers that come while a cookie is pending
//! share the next one, which is created after all of their calls began.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use notify::{Event, EventKind};

use super::WatcherState;
use super::dirty_set::is_departure;

const PREFIX: &str = "cookie-";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncOutcome {
    Synced,
    TimedOut,
}

pub struct Cookies {
    folder: PathBuf,
    state: Mutex<State>,
    arrived: Condvar,
}

struct State {
    /// The number of the newest cookie whose creation has begun.
    newest: u64,
    /// The number of the newest cookie whose event has arrived.
    arrived: u64,
    /// True while the event of a cookie is awaited. Otherwise the next caller creates one.
    is_pending: bool,
    /// True if the folder was removed, and its watch with it.
    is_folder_lost: bool,
    watcher: WatcherState,
}

/// Longer bounds are cut to this, so that adding them to the clock cannot overflow.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Creates the folder and removes the cookies of an earlier daemon.
pub fn prepare(folder: &Path) -> io::Result<Cookies> {
    fs::create_dir_all(folder)?;
    // Events carry the real path.
    let folder = fs::canonicalize(folder)?;
    #[expect(clippy::disallowed_methods, reason = "a folder of our own")]
    for entry in fs::read_dir(&folder)?.flatten() {
        if entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.starts_with(PREFIX))
        {
            // A file that stays does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
    let state = State {
        newest: 0,
        arrived: 0,
        is_pending: false,
        is_folder_lost: false,
        watcher: WatcherState::Working,
    };
    Ok(Cookies {
        folder,
        state: Mutex::new(state),
        arrived: Condvar::new(),
    })
}

impl Cookies {
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn state(&self) -> WatcherState {
        self.lock().watcher.clone()
    }

    pub fn sync(&self, bound: Duration) -> SyncOutcome {
        let until = Instant::now() + bound.min(LONGEST_WAIT);
        let mut state = self.lock();
        let wanted = state.newest + 1;
        let mut own = None;
        loop {
            if state.arrived >= wanted {
                return SyncOutcome::Synced;
            }
            if state.watcher == WatcherState::Dead {
                return SyncOutcome::TimedOut;
            }
            if !state.is_pending {
                state.newest += 1;
                state.is_pending = true;
                let number = state.newest;
                own = Some(number);
                drop(state);
                let created = self.create(number);
                state = self.lock();
                if let Err(error) = created {
                    state.is_folder_lost = true;
                    state.watcher.cannot_sync(&error.to_string());
                    state.settle(number);
                    self.arrived.notify_all();
                    return SyncOutcome::TimedOut;
                }
                continue;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                if let Some(number) = own {
                    state
                        .watcher
                        .cannot_sync("its event did not arrive in time");
                    state.settle(number);
                    self.arrived.notify_all();
                }
                return SyncOutcome::TimedOut;
            }
            state = self
                .arrived
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Returns whether an event is about the cookies, and wakes those who wait for it.
    pub fn take(&self, event: &Event) -> bool {
        let Some(inside) = event
            .paths
            .first()
            .and_then(|path| path.strip_prefix(&self.folder).ok())
        else {
            return false;
        };
        if inside.as_os_str().is_empty() && is_departure(event.kind) {
            let mut state = self.lock();
            state.is_folder_lost = true;
            state.watcher.cannot_sync("its folder was removed");
        }
        let number = inside
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX)?.parse::<u64>().ok());
        if let (Some(number), EventKind::Create(_)) = (number, event.kind) {
            let mut state = self.lock();
            state.arrived = state.arrived.max(number);
            state.settle(number);
            state.is_folder_lost = false;
            if state.watcher != WatcherState::Dead {
                state.watcher = WatcherState::Working;
            }
            self.arrived.notify_all();
        }
        true
    }

    /// Lets a waiting caller create another cookie, because the pending one may be among lost events.
    pub fn retry(&self) {
        self.lock().is_pending = false;
        self.arrived.notify_all();
    }

    /// Records that the watcher has died.
    pub fn stop(&self) {
        self.lock().watcher = WatcherState::Dead;
        self.arrived.notify_all();
    }

    /// Records that the system refuses to watch the folder.
    pub fn refuse(&self, why: &str) {
        let mut state = self.lock();
        state.is_folder_lost = true;
        state.watcher.cannot_sync(why);
    }

    /// Creates and watches the folder again if it was lost.
    pub fn restore(&self, watch: impl FnOnce(&Path) -> Result<(), ()>) {
        if self.lock().is_folder_lost && fs::create_dir_all(&self.folder).is_ok() {
            self.lock().is_folder_lost = false;
            if watch(&self.folder).is_err() {
                self.lock().is_folder_lost = true;
            }
        }
    }

    fn create(&self, number: u64) -> io::Result<()> {
        let cookie = self.folder.join(format!("{PREFIX}{number}"));
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&cookie)?;
        // Its creation is the event that counts.
        fs::remove_file(&cookie)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn settle(&mut self, number: u64) {
        if number >= self.newest {
            self.is_pending = false;
        }
    }
}

impl WatcherState {
    fn cannot_sync(&mut self, why: &str) {
        if *self != Self::Dead {
            *self = Self::NoCookies(why.to_owned());
        }
    }
}
