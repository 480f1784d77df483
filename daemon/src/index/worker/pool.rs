//! The daemon's side: a few workers, fed with batches, replaced when they die.
//!
//! Each worker has a thread that waits for it, so a slow file holds up its own worker only. A worker answers file by
//! file: the first that is not answered when it dies is the one that killed it, and the rest go to its successor.

use std::io::{BufReader, BufWriter, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use claudevil_protocol::version::Identity;

use super::wire::{self, Job, Outcome};
use crate::again;
use crate::store::ledger::record::Skip;

#[derive(Clone, Copy, Debug)]
pub struct PoolSettings {
    pub workers: usize,
    /// How long a worker without work is kept.
    pub idle: Duration,
    /// How long the last one is: its queries are compiled, which the next edit would wait for.
    pub last_idle: Duration,
}

/// By the clock. Processor time is bounded by the worker itself, so this only ends one that waits for nothing.
const SILENCE: Duration = Duration::from_secs(60);
/// The largest text that is sent while another is worked on: what any pipe holds. Small files are answered so fast that the
/// worker would mostly wait for the next.
const AHEAD: usize = if cfg!(unix) { 4000 } else { 0 };
/// Bytes that the C library keeps for the next syntax tree.
const ROOM_FOR_TREES: &str = "8388608";
/// How often a worker that cannot be started is tried again for one batch.
const STARTS: u32 = 3;

struct Work {
    jobs: Vec<Job>,
    reply: Sender<Vec<Outcome>>,
}

pub struct Pool {
    shared: Arc<Shared>,
    settings: PoolSettings,
}

struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
    /// Workers alive, for the status.
    alive: AtomicUsize,
}

#[derive(Default)]
struct Queue {
    work: std::collections::VecDeque<Work>,
    threads: usize,
    waiting: usize,
    closed: bool,
}

impl Pool {
    pub fn new(settings: PoolSettings) -> Self {
        let shared = Shared { queue: Mutex::default(), changed: Condvar::new(), alive: AtomicUsize::new(0) };
        Self { shared: Arc::new(shared), settings }
    }

    /// Hands in a batch. The outcomes come in the order of the jobs.
    pub fn submit(&self, jobs: Vec<Job>) -> Receiver<Vec<Outcome>> {
        let (reply, outcomes) = channel();
        let mut queue = self.shared.lock();
        queue.work.push_back(Work { jobs, reply });
        if queue.waiting < queue.work.len() && queue.threads < self.settings.workers {
            queue.threads += 1;
            let shared = Arc::clone(&self.shared);
            let settings = self.settings;
            let name = "claudevild-pool".to_owned();
            let spawned = std::thread::Builder::new().name(name).spawn(move || serve(&shared, settings));
            if let Err(error) = spawned {
                tracing::error!(%error, "a thread for a worker cannot be started");
                queue.threads -= 1;
            }
        }
        drop(queue);
        self.shared.changed.notify_one();
        outcomes
    }

    /// How many batches may usefully be under way at once.
    pub fn width(&self) -> usize {
        self.settings.workers
    }

    pub fn alive(&self) -> usize {
        self.shared.alive.load(Ordering::Relaxed)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        queue.closed = true;
        queue.work.clear();
        drop(queue);
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// None when there has been nothing to do for a while.
    fn next(&self, settings: PoolSettings) -> Option<Work> {
        let mut queue = self.lock();
        let since = Instant::now();
        loop {
            if let Some(work) = queue.work.pop_front() {
                return Some(work);
            }
            let patience = if queue.threads == 1 { settings.last_idle } else { settings.idle };
            let left = patience.saturating_sub(since.elapsed());
            if queue.closed || left.is_zero() {
                queue.threads -= 1;
                return None;
            }
            queue.waiting += 1;
            queue = self.changed.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
            queue.waiting -= 1;
        }
    }
}

fn serve(shared: &Arc<Shared>, settings: PoolSettings) {
    let mut worker = None;
    while let Some(work) = shared.next(settings) {
        let outcomes = process(shared, &mut worker, work.jobs);
        // Whoever asked may have gone.
        let _ = work.reply.send(outcomes);
    }
}

fn process(shared: &Arc<Shared>, worker: &mut Option<Worker>, mut jobs: Vec<Job>) -> Vec<Outcome> {
    let mut outcomes = Vec::with_capacity(jobs.len());
    let mut starts = 0;
    while !jobs.is_empty() {
        if worker.is_none() {
            match Worker::start(shared) {
                Ok(started) => *worker = Some(started),
                Err(error) if starts < STARTS => {
                    tracing::warn!(%error, "a worker cannot be started");
                    starts += 1;
                    continue;
                }
                Err(_) => {
                    outcomes.extend(jobs.drain(..).map(|_| Outcome::Skipped(Skip::ParserCrashed)));
                    break;
                }
            }
        }
        let Some(running) = worker.as_mut() else { continue };
        let answered = running.answer(&jobs, &mut outcomes);
        jobs.drain(..answered);
        if !jobs.is_empty() {
            let reason = worker.take().map_or(Skip::ParserCrashed, Worker::autopsy);
            tracing::info!(?reason, "a worker died of a file");
            outcomes.push(Outcome::Skipped(reason));
            jobs.remove(0);
        }
    }
    outcomes
}

struct Worker {
    child: Arc<Mutex<Child>>,
    input: BufWriter<ChildStdin>,
    output: BufReader<ChildStdout>,
    errors: ChildStderr,
    shared: Arc<Shared>,
    /// Told at the start and end of each wait; ends the worker if it stays silent.
    watchdog: Sender<Watched>,
}

enum Watched {
    Busy,
    Answered,
}

impl Worker {
    fn start(shared: &Arc<Shared>) -> std::io::Result<Self> {
        let mut command = again::command("worker")?;
        // Reserving a gigabyte ahead would count against the worker's bound.
        command.env("MIMALLOC_ARENA_EAGER_COMMIT", "0");
        // A parser frees one tree and makes the next: what it takes is not given back in between.
        command.env("MALLOC_TRIM_THRESHOLD_", ROOM_FOR_TREES).env("MALLOC_TOP_PAD_", ROOM_FOR_TREES);
        let mut child = command.spawn()?;
        let missing = || std::io::Error::other("a pipe is missing");
        let input = BufWriter::with_capacity(1 << 16, child.stdin.take().ok_or_else(missing)?);
        let mut output = BufReader::with_capacity(1 << 16, child.stdout.take().ok_or_else(missing)?);
        let errors = child.stderr.take().ok_or_else(missing)?;
        let build = wire::read_block(&mut output)?;
        if build != Identity::own().build.as_bytes() {
            let _ = child.kill();
            let _ = child.wait();
            return Err(std::io::Error::other("the installed daemon is of another build: restart this one"));
        }
        let child = Arc::new(Mutex::new(child));
        let watchdog = watch(Arc::clone(&child));
        shared.alive.fetch_add(1, Ordering::Relaxed);
        Ok(Self { child, input, output, errors, shared: Arc::clone(shared), watchdog })
    }

    /// Sends jobs and gathers answers; returns how many there were.
    fn answer(&mut self, jobs: &[Job], outcomes: &mut Vec<Outcome>) -> usize {
        let mut answered = 0;
        let _ = self.watchdog.send(Watched::Busy);
        let mut sent = 0;
        for (at, job) in jobs.iter().enumerate() {
            // It must fit the pipe: whoever writes does not read.
            let ahead = jobs.get(at + 1).filter(|next| next.text.len() <= AHEAD);
            for job in [Some(job), ahead].into_iter().flatten().skip(sent - at) {
                if wire::write_jobs(&mut self.input, std::slice::from_ref(job)).is_err() {
                    break;
                }
                sent += 1;
            }
            let Ok(facts) = wire::read_facts(&mut self.output) else { break };
            let _ = self.watchdog.send(Watched::Busy);
            outcomes.push(Outcome::Facts(facts));
            answered += 1;
        }
        let _ = self.watchdog.send(Watched::Answered);
        answered
    }

    /// Why a worker that stopped answering did.
    fn autopsy(mut self) -> Skip {
        let mut last_words = String::new();
        let status = {
            let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = child.kill();
            child.wait().ok()
        };
        let _ = (&mut self.errors).take(4096).read_to_string(&mut last_words);
        if last_words.contains("memory allocation") || last_words.contains("failed to allocate") {
            return Skip::ParserMemory;
        }
        if status.is_some_and(ran_out_of_time) { Skip::ParserTooSlow } else { Skip::ParserCrashed }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.shared.alive.fetch_sub(1, Ordering::Relaxed);
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = self.input.flush();
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Ends a worker that is waited for and silent.
fn watch(child: Arc<Mutex<Child>>) -> Sender<Watched> {
    let (sender, receiver) = channel();
    let patrol = move || {
        let mut busy = false;
        loop {
            let news = if busy {
                receiver.recv_timeout(SILENCE)
            } else {
                receiver.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            match news {
                Ok(Watched::Busy) => busy = true,
                Ok(Watched::Answered) => busy = false,
                // On a busy machine it may not have had its time yet, which it bounds itself.
                Err(RecvTimeoutError::Timeout)
                    if is_held_up(child.lock().unwrap_or_else(PoisonError::into_inner).id()) => {}
                Err(RecvTimeoutError::Timeout) => {
                    let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
                    return;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    };
    let _ = std::thread::Builder::new().name("claudevild-patrol".to_owned()).spawn(patrol);
    sender
}

/// Whether a process would go on if it were let.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "the kernel's own words about a process of ours")]
fn is_held_up(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with(['R', 'D']))
}

#[cfg(not(target_os = "linux"))]
fn is_held_up(_pid: u32) -> bool {
    false
}

#[cfg(unix)]
fn ran_out_of_time(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal() == Some(rustix::process::Signal::XCPU.as_raw())
}

#[cfg(not(unix))]
fn ran_out_of_time(_status: ExitStatus) -> bool {
    false
}
