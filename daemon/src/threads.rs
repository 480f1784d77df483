//! Runs one list of work on several processors: each thread takes the next few items until there are none.
//!
//! The threads are started once, because a start takes a tenth of the time of a search. There are more of them than processors,
//! because one caller may keep its helpers for long, and others must not wait for that. Callers that already occupy all
//! processors get no helpers: these would only take turns with them.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Items that a thread takes at once: few enough that all threads end together.
const BATCH: usize = 16;
/// Fewer items than this are not worth another thread.
const ITEMS_PER_THREAD: usize = 48;
/// The same for items that take a while each.
const SLOW_ITEMS_PER_THREAD: usize = 4;
const MAX_THREADS: usize = 16;
/// The fewest helpers, even with few processors: more long calls at once are rare.
const FEWEST_HELPERS: usize = 8;

/// The number of processors that a list of work may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallelism {
    All,
    /// One thread, because other work matters as much.
    One,
}

/// A list of work, taken in order.
pub struct Queue {
    next: AtomicUsize,
    length: usize,
    at_once: usize,
}

impl Queue {
    /// Makes a queue of `length` items, of which `at_once` are taken at a time.
    pub fn new(length: usize, at_once: usize) -> Self {
        Self {
            next: AtomicUsize::new(0),
            length,
            at_once,
        }
    }

    /// Takes the next items.
    pub fn take(&self) -> Option<Range<usize>> {
        let from = self.next.fetch_add(self.at_once, Ordering::Relaxed);
        (from < self.length).then(|| from..(from + self.at_once).min(self.length))
    }
}

/// Runs `work` on all processors, and returns the result of each thread.
pub fn run_on_all<T: Send>(length: usize, work: impl Fn(&Queue) -> T + Sync) -> Vec<T> {
    run_on(Parallelism::All, length, work)
}

/// Runs `work` on all processors as [`run_on_all`] does, for items that take a while each: files that are read.
pub fn run_on_all_singly<T: Send>(length: usize, work: impl Fn(&Queue) -> T + Sync) -> Vec<T> {
    let queue = Queue::new(length, 1);
    let threads = processors().min(length / SLOW_ITEMS_PER_THREAD + 1);
    let ((), results) = together(threads - 1, || work(&queue), || ());
    results
}

pub fn run_on<T: Send>(
    share: Parallelism,
    length: usize,
    work: impl Fn(&Queue) -> T + Sync,
) -> Vec<T> {
    let queue = Queue::new(length, BATCH);
    let caller = Caller::new();
    let helpers = match share {
        Parallelism::All => caller.helpers(length / ITEMS_PER_THREAD),
        Parallelism::One => 0,
    };
    let ((), results) = together(helpers, || work(&queue), || ());
    results
}

/// Runs `work` on another thread, if a processor is free, while this one runs `first`; then this thread joins `work` too, because
/// the other may start late. `work` takes items from a shared queue until there are none.
pub fn run_with_helper<T, U: Send>(
    work: impl Fn() -> U + Sync,
    first: impl FnOnce() -> T,
) -> (T, Vec<U>) {
    together(Caller::new().helpers(1), work, first)
}

/// Runs `work` on `others` threads while this one runs `first` and then `work` too.
fn together<T, U: Send>(
    others: usize,
    work: impl Fn() -> U + Sync,
    first: impl FnOnce() -> T,
) -> (T, Vec<U>) {
    let results = Mutex::new(vec![]);
    let one = || {
        let own = work();
        lock(&results).push(own);
    };
    let both = || {
        let done = first();
        one();
        done
    };
    let done = match pool().filter(|_| others > 0) {
        Some(pool) => pool.in_place_scope(|scope| {
            for _ in 0..others {
                scope.spawn(|_| one());
            }
            both()
        }),
        None => both(),
    };
    (
        done,
        results.into_inner().unwrap_or_else(PoisonError::into_inner),
    )
}

/// The number of callers that run a list of work at this moment.
static CALLERS: AtomicUsize = AtomicUsize::new(0);

/// Counts a caller until it is dropped.
struct Caller {
    /// The number of callers that were there before.
    before: usize,
}

impl Caller {
    fn new() -> Self {
        Self {
            before: CALLERS.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Returns the number of helpers for which a processor is free, at most `most`.
    fn helpers(&self, most: usize) -> usize {
        most.min(processors().saturating_sub(self.before + 1))
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        CALLERS.fetch_sub(1, Ordering::Relaxed);
    }
}

static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();

/// Returns the helpers. None if the system cannot start them: callers work alone then.
fn pool() -> Option<&'static ThreadPool> {
    let pool = || {
        let helpers = (2 * processors()).clamp(FEWEST_HELPERS, MAX_THREADS);
        ThreadPoolBuilder::new()
            .num_threads(helpers)
            .thread_name(|number| format!("helper-{number}"))
            .build()
            .ok()
    };
    POOL.get_or_init(pool).as_ref()
}

/// Runs `work` once on each helper, if there are any yet.
pub fn run_on_helpers(work: impl Fn() + Sync) {
    if let Some(Some(pool)) = POOL.get() {
        pool.broadcast(|_| work());
    }
}

/// Locks a mutex, even if a thread that had it has panicked.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the number of processors that lists of work use.
pub fn processors() -> usize {
    // Each question to the system reads files.
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| {
        std::thread::available_parallelism()
            .map_or(2, usize::from)
            .min(MAX_THREADS)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_taken_once() {
        for length in [0, 1, 15, 16, 17, 1000] {
            let taken = run_on_all(length, |queue| {
                std::iter::from_fn(|| queue.take())
                    .flatten()
                    .collect::<Vec<_>>()
            });
            let mut all = taken.concat();
            all.sort_unstable();
            assert_eq!(all, (0..length).collect::<Vec<_>>());
            let queue = Queue::new(length, 3);
            let take_all = || {
                std::iter::from_fn(|| queue.take())
                    .flatten()
                    .collect::<Vec<_>>()
            };
            let (first, taken) = run_with_helper(take_all, || queue.take());
            let mut all = taken.concat();
            all.extend(first.into_iter().flatten());
            all.sort_unstable();
            assert_eq!(all, (0..length).collect::<Vec<_>>());
        }
    }
    #[test]
    fn a_panic_of_a_helper_reaches_the_caller() {
        let own = std::thread::current().id();
        let work = || assert_eq!(std::thread::current().id(), own, "a helper");
        let asked = std::panic::catch_unwind(|| together(1, work, || ()));
        assert!(asked.is_err());
        assert_eq!(together(1, || 1, || 2), (2, vec![1, 1]));
    }

    #[test]
    fn callers_on_all_processors_get_no_helpers() {
        // Not dropped, because it was never counted.
        let caller = |before| std::mem::ManuallyDrop::new(Caller { before });
        let free = |before| caller(before).helpers(usize::MAX);
        assert_eq!(free(0), processors() - 1);
        assert_eq!((free(processors() - 1), free(processors())), (0, 0));
        assert_eq!(caller(0).helpers(0), 0);
    }
}
