//! How a caller knows that every change made so far has been noted.
//!
//! A file is made in a folder of our own that the same watcher watches. On Linux one queue carries all events in the order
//! in which they happened, so once the file's has arrived, all before it have been noted. Elsewhere there is no such
//! order between watched trees: the wait is then no more than a good sign. Callers that come while a cookie is under way
//! share the next one, which is made after all of their calls began.

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
    /// Of the newest cookie whose making has begun.
    newest: u64,
    /// Of the newest cookie that has arrived.
    arrived: u64,
    flight: Flight,
    folder: Folder,
    watcher: WatcherState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flight {
    UnderWay,
    /// Who comes next makes a cookie.
    None,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Folder {
    Watched,
    /// Somebody removed it, and the watch with it.
    Lost,
}

/// What a bound too long for the clock stands for.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Makes the folder and clears it of what an earlier daemon left.
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
            // What stays does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
    let state = State {
        newest: 0,
        arrived: 0,
        flight: Flight::None,
        folder: Folder::Watched,
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
            if state.flight == Flight::None {
                state.newest += 1;
                state.flight = Flight::UnderWay;
                let number = state.newest;
                own = Some(number);
                drop(state);
                let made = self.make(number);
                state = self.lock();
                if let Err(error) = made {
                    state.folder = Folder::Lost;
                    state.watcher.cannot_sync(&error.to_string());
                    state.end_flight(number);
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
                    state.end_flight(number);
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

    /// Whether an event is about the cookies; if one has arrived, whoever waits for it is woken.
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
            state.folder = Folder::Lost;
            state.watcher.cannot_sync("its folder was removed");
        }
        let number = inside
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX)?.parse::<u64>().ok());
        if let (Some(number), EventKind::Create(_)) = (number, event.kind) {
            let mut state = self.lock();
            state.arrived = state.arrived.max(number);
            state.end_flight(number);
            state.folder = Folder::Watched;
            if state.watcher != WatcherState::Dead {
                state.watcher = WatcherState::Working;
            }
            self.arrived.notify_all();
        }
        true
    }

    /// A cookie under way may be among the reports that were lost: the next caller, or one that waits, makes another.
    pub fn lost(&self) {
        self.lock().flight = Flight::None;
        self.arrived.notify_all();
    }

    pub fn died(&self) {
        self.lock().watcher = WatcherState::Dead;
        self.arrived.notify_all();
    }

    /// The system would not watch the folder.
    pub fn not_watched(&self, why: &str) {
        let mut state = self.lock();
        state.folder = Folder::Lost;
        state.watcher.cannot_sync(why);
    }

    /// Has the folder made and watched again if it was lost.
    pub fn restore(&self, watch: impl FnOnce(&Path) -> Result<(), ()>) {
        if self.lock().folder == Folder::Lost && fs::create_dir_all(&self.folder).is_ok() {
            self.lock().folder = Folder::Watched;
            if watch(&self.folder).is_err() {
                self.lock().folder = Folder::Lost;
            }
        }
    }

    fn make(&self, number: u64) -> io::Result<()> {
        let cookie = self.folder.join(format!("{PREFIX}{number}"));
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&cookie)?;
        // Its making is what counts.
        fs::remove_file(&cookie)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn end_flight(&mut self, number: u64) {
        if number >= self.newest {
            self.flight = Flight::None;
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
