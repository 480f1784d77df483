//! Records the system's events before the debouncer delays them.
//!
//! The debouncer creates the watcher itself and passes on only settled events, but dirty paths must be recorded at once.
//! So the watcher that it creates is ours: it records each event, and passes on only that a root has changed. That also
//! keeps the debouncer's work small: it compares each removal with all events that it delays.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::event::CreateKind;
use notify::{
    Config, Event, EventHandler, EventKind, EventKindMask, PathOp, RecommendedWatcher,
    RecursiveMode, UpdatePathsError, WatchPathConfig, Watcher, WatcherKind,
};
use notify_debouncer_full::{DebounceEventResult, Debouncer, NoCache, new_debouncer_opt};

use super::RootId;
use super::change_log::ChangeLog;
use super::dirty_set::RescanReason;

/// The time for which changes are collected before `on_change`. A query does not wait for it: it requests that they are indexed
/// at once.
const GATHER: Duration = Duration::from_millis(75);
/// The interval at which the debouncer wakes, even if nothing happens. It may not be longer than [`GATHER`].
const TICK: Duration = GATHER;

thread_local! {
    /// The log of the watcher that the debouncer creates next, on this thread: the debouncer cannot pass the log on.
    static NEXT_LOG: RefCell<Option<Arc<ChangeLog>>> = const { RefCell::new(None) };
}

pub fn debouncer(
    log: &Arc<ChangeLog>,
    on_change: impl Fn(RootId) + Send + Sync + 'static,
) -> notify::Result<Debouncer<RecordingWatcher, NoCache>> {
    let kinds = EventKindMask::CREATE
        | EventKindMask::REMOVE
        | EventKindMask::ALL_MODIFY
        | EventKindMask::ACCESS_CLOSE;
    let config = Config::default()
        .with_follow_symlinks(false)
        .with_event_kinds(kinds);
    let roots = Arc::clone(log);
    let wake = move |settled: DebounceEventResult| {
        for event in settled.into_iter().flatten() {
            event
                .paths
                .iter()
                .flat_map(|path| roots.roots_at(path))
                .for_each(&on_change);
        }
    };
    NEXT_LOG.set(Some(Arc::clone(log)));
    let made = new_debouncer_opt::<_, RecordingWatcher, NoCache>(
        GATHER,
        Some(TICK),
        wake,
        NoCache,
        config,
    );
    NEXT_LOG.take();
    made
}

#[derive(Debug)]
pub struct RecordingWatcher(RecommendedWatcher);

/// Handles events between the system and the debouncer. It is dropped with the event thread, however that ends.
struct Recorder<F: EventHandler> {
    log: Arc<ChangeLog>,
    debouncer: F,
}

impl<F: EventHandler> EventHandler for Recorder<F> {
    fn handle_event(&mut self, event: notify::Result<Event>) {
        let changed = match event {
            Ok(event) if self.log.cookies.take(&event) => vec![],
            Ok(event) => self.log.record(&event),
            // Events that could not be read are lost.
            Err(_) => self.log.require_rescans(RescanReason::Overflow),
        };
        self.pass_on(changed);
    }
}

impl<F: EventHandler> Recorder<F> {
    /// Passes on that roots have changed, as creations: the debouncer keeps the first of several at the same path, so that
    /// a stream of changes delays no query.
    fn pass_on(&mut self, roots: Vec<PathBuf>) {
        for root in roots {
            self.debouncer.handle_event(Ok(
                Event::new(EventKind::Create(CreateKind::Any)).add_path(root)
            ));
        }
    }
}

impl<F: EventHandler> Drop for Recorder<F> {
    fn drop(&mut self) {
        let changed = self.log.require_rescans(RescanReason::WatcherDied);
        self.log.cookies.stop();
        // A panic may have come from the debouncer, which would then panic again.
        if !std::thread::panicking() {
            self.pass_on(changed);
        }
    }
}

impl Watcher for RecordingWatcher {
    fn new<F: EventHandler>(debouncer: F, config: Config) -> notify::Result<Self> {
        let log = NEXT_LOG
            .take()
            .ok_or_else(|| notify::Error::generic("created without a change log"))?;
        RecommendedWatcher::new(Recorder { log, debouncer }, config).map(Self)
    }

    fn watch(&mut self, path: &Path, mode: RecursiveMode) -> notify::Result<()> {
        self.0.watch(path, mode)
    }

    fn watch_with(&mut self, path: &Path, config: WatchPathConfig) -> notify::Result<()> {
        self.0.watch_with(path, config)
    }

    fn unwatch(&mut self, path: &Path) -> notify::Result<()> {
        self.0.unwatch(path)
    }

    fn update_paths(&mut self, ops: Vec<PathOp>) -> Result<(), UpdatePathsError> {
        self.0.update_paths(ops)
    }

    fn configure(&mut self, config: Config) -> notify::Result<bool> {
        self.0.configure(config)
    }

    fn watched_paths(&self) -> notify::Result<Vec<(PathBuf, RecursiveMode)>> {
        self.0.watched_paths()
    }

    fn kind() -> WatcherKind {
        RecommendedWatcher::kind()
    }
}
