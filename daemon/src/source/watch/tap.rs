//! Taps the system's watcher before its events are held back.
//!
//! The debouncer makes the watcher itself and hands on only what it has let settle, but what is dirty must be noted at
//! once. So the watcher that it makes is ours: it notes each event, and passes on no more than "this root has news". That
//! also keeps the debouncer's work small: it compares each removal with everything that it holds back.

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
use super::dirty_set::RescanReason;
use super::noted::Noted;

/// How long news gather before somebody is woken. Who asks does not wait for that: a question has them looked at at once.
const GATHER: Duration = Duration::from_millis(75);
/// How often the debouncer looks. It does so for ever, also where nothing happens, and may look no more seldom than that.
const LOOK: Duration = GATHER;

thread_local! {
    /// The debouncer makes its watcher without a word from us, but on our thread: this is what the watcher finds.
    static FOR_THE_NEXT: RefCell<Option<Arc<Noted>>> = const { RefCell::new(None) };
}

pub fn debouncer(
    noted: &Arc<Noted>,
    on_change: impl Fn(RootId) + Send + Sync + 'static,
) -> notify::Result<Debouncer<Tapped, NoCache>> {
    let kinds = EventKindMask::CREATE
        | EventKindMask::REMOVE
        | EventKindMask::ALL_MODIFY
        | EventKindMask::ACCESS_CLOSE;
    let config = Config::default()
        .with_follow_symlinks(false)
        .with_event_kinds(kinds);
    let roots = Arc::clone(noted);
    let wake = move |settled: DebounceEventResult| {
        for event in settled.into_iter().flatten() {
            event
                .paths
                .iter()
                .flat_map(|path| roots.roots_at(path))
                .for_each(&on_change);
        }
    };
    FOR_THE_NEXT.set(Some(Arc::clone(noted)));
    let made = new_debouncer_opt::<_, Tapped, NoCache>(GATHER, Some(LOOK), wake, NoCache, config);
    FOR_THE_NEXT.take();
    made
}

#[derive(Debug)]
pub struct Tapped(RecommendedWatcher);

/// Between the system and the debouncer. Dropped with the event thread, however that ends.
struct Tap<F: EventHandler> {
    noted: Arc<Noted>,
    debouncer: F,
}

impl<F: EventHandler> EventHandler for Tap<F> {
    fn handle_event(&mut self, event: notify::Result<Event>) {
        let woken = match event {
            Ok(event) if self.noted.cookies.take(&event) => vec![],
            Ok(event) => self.noted.note(&event),
            // Whatever could not be read is lost.
            Err(_) => self.noted.note_everywhere(RescanReason::Overflow),
        };
        self.wake(woken);
    }
}

impl<F: EventHandler> Tap<F> {
    /// The debouncer keeps the first of several creations at the same path, so that a stream of changes delays nobody.
    fn wake(&mut self, roots: Vec<PathBuf>) {
        for root in roots {
            self.debouncer.handle_event(Ok(
                Event::new(EventKind::Create(CreateKind::Any)).add_path(root)
            ));
        }
    }
}

impl<F: EventHandler> Drop for Tap<F> {
    fn drop(&mut self) {
        let woken = self.noted.note_everywhere(RescanReason::WatcherDied);
        self.noted.cookies.died();
        // A panic may have come from the debouncer, which would then panic again.
        if !std::thread::panicking() {
            self.wake(woken);
        }
    }
}

impl Watcher for Tapped {
    fn new<F: EventHandler>(debouncer: F, config: Config) -> notify::Result<Self> {
        let noted = FOR_THE_NEXT
            .take()
            .ok_or_else(|| notify::Error::generic("made by somebody else"))?;
        RecommendedWatcher::new(Tap { noted, debouncer }, config).map(Self)
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
