//! The daemon's side: a pool of workers that take batches of files, and are replaced when they die.
//!
//! Each worker has a thread that waits for it, so a slow file holds up its own worker only. A worker answers file by
//! file: the first that is not answered when it dies, or falls silent and is killed, is the cause, and the rest go to its
//! successor. A file whose worker was killed or stopped from outside is tried again.
//!
//! The same tree gives the same index, so nothing but the file itself may decide that it is skipped. Processor time is measured
//! for each file. Memory is not: earlier files leave some in use. So a file that fails in a worker after others is tried again
//! as the first of a fresh one, and only that attempt counts.

use std::process::ExitStatus;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use claudevil_child::process::{CallError, ChildProcess, Clock, Limit};
use claudevil_child::program;

use super::Priority;
use super::wire::{self, Job, Outcome};
use crate::store::ledger::record::Skip;

#[derive(Clone, Copy, Debug)]
pub struct PoolSettings {
    pub workers: usize,
    /// The time after which an idle worker of low priority ends.
    pub idle: Duration,
    /// The same for a worker of high priority, for which somebody waited: the next search would have to wait until new workers
    /// have loaded their grammars.
    pub prompt_idle: Duration,
    /// The time after which the last idle worker ends. It is longer, because the next edit would wait until a new worker has
    /// compiled its queries.
    pub last_idle: Duration,
}

/// The longest silence of a worker, not counting the time in which it runs or waits for a processor or a disk. Workers limit
/// their own processor time, so this only ends one that hangs.
const SILENCE: Duration = Duration::from_secs(60);
/// The largest text in bytes that is sent ahead, while the worker parses another: it has to fit any pipe. Small files are
/// parsed so fast that the worker would mostly wait for the next.
const SEND_AHEAD: usize = if cfg!(unix) { 4000 } else { 0 };
/// The number of attempts to start a worker for one batch.
const START_ATTEMPTS: u32 = 3;
/// The number of kills from outside after which the file counts as the cause: the system kills what takes all memory.
const MAX_KILLS: u32 = 3;

struct Work {
    priority: Priority,
    jobs: Vec<Job>,
    reply: Sender<Vec<Outcome>>,
}

/// The end of the queue at which a batch is put; the next one is taken from the front.
#[derive(Clone, Copy)]
enum QueueEnd {
    Front,
    Back,
}

pub struct Pool {
    shared: Arc<PoolState>,
    settings: PoolSettings,
}

struct PoolState {
    queue: Mutex<Queue>,
    changed: Condvar,
    /// The number of running workers, for the status.
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
        let shared = PoolState {
            queue: Mutex::default(),
            changed: Condvar::new(),
            alive: AtomicUsize::new(0),
        };
        Self {
            shared: Arc::new(shared),
            settings,
        }
    }

    /// Submits a batch. The outcomes come in the order of the jobs; there are fewer, or none, if no worker could be started.
    pub fn submit(&self, priority: Priority, jobs: Vec<Job>) -> Receiver<Vec<Outcome>> {
        self.submit_by(priority, QueueEnd::Back, jobs, start_thread)
    }

    fn submit_by(
        &self,
        priority: Priority,
        end: QueueEnd,
        jobs: Vec<Job>,
        spawn: impl FnOnce(Box<dyn FnOnce() + Send>) -> std::io::Result<()>,
    ) -> Receiver<Vec<Outcome>> {
        let (reply, outcomes) = channel();
        let work = Work {
            priority,
            jobs,
            reply,
        };
        let mut queue = self.shared.lock();
        match end {
            QueueEnd::Front => queue.work.push_front(work),
            QueueEnd::Back => queue.work.push_back(work),
        }
        if queue.waiting < queue.work.len() && queue.threads < self.settings.workers {
            queue.threads += 1;
            let shared = Arc::clone(&self.shared);
            let settings = self.settings;
            if let Err(error) = spawn(Box::new(move || serve(&shared, settings))) {
                tracing::error!(%error, "a thread for a worker cannot be started");
                queue.threads -= 1;
                if queue.threads == 0 {
                    // No thread would ever take it, and the caller would wait forever.
                    match end {
                        QueueEnd::Front => queue.work.pop_front(),
                        QueueEnd::Back => queue.work.pop_back(),
                    };
                }
            }
        }
        drop(queue);
        self.shared.changed.notify_one();
        outcomes
    }

    /// Processes one text for a caller that waits, before all others. None if it cannot be processed.
    pub fn process_now(&self, job: Job) -> Option<Outcome> {
        let outcomes = self.submit_by(
            Priority::Interactive,
            QueueEnd::Front,
            vec![job],
            start_thread,
        );
        outcomes.recv().ok()?.into_iter().next()
    }

    /// Returns the number of batches that can be processed at once.
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

impl PoolState {
    fn lock(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next batch. None after a while without one.
    fn next(&self, settings: PoolSettings, own: Option<Priority>) -> Option<Work> {
        let mut queue = self.lock();
        let since = Instant::now();
        loop {
            if let Some(work) = queue.work.pop_front() {
                return Some(work);
            }
            let patience = match own {
                _ if queue.threads == 1 => settings.last_idle,
                Some(Priority::Interactive) => settings.prompt_idle,
                _ => settings.idle,
            };
            let left = patience.saturating_sub(since.elapsed());
            if queue.closed || left.is_zero() {
                queue.threads -= 1;
                return None;
            }
            queue.waiting += 1;
            queue = self
                .changed
                .wait_timeout(queue, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            queue.waiting -= 1;
        }
    }
}

fn start_thread(serve: Box<dyn FnOnce() + Send>) -> std::io::Result<()> {
    std::thread::Builder::new()
        .name("claudevild-pool".to_owned())
        .spawn(serve)
        .map(drop)
}

fn serve(shared: &Arc<PoolState>, settings: PoolSettings) {
    let mut worker = None;
    while let Some(work) = shared.next(settings, worker.as_ref().map(|one: &Worker| one.priority)) {
        worker = worker.filter(|worker: &Worker| worker.priority == work.priority);
        let outcomes = process(shared, &mut worker, work.priority, work.jobs);
        // The caller may be gone.
        let _ = work.reply.send(outcomes);
    }
}

fn process(
    shared: &Arc<PoolState>,
    worker: &mut Option<Worker>,
    priority: Priority,
    mut jobs: Vec<Job>,
) -> Vec<Outcome> {
    let mut outcomes = Vec::with_capacity(jobs.len());
    let mut starts = 0;
    let mut kills = 0;
    while !jobs.is_empty() {
        if worker.is_none() {
            match Worker::start(shared, priority) {
                Ok(started) => *worker = Some(started),
                Err(error) if starts < START_ATTEMPTS => {
                    tracing::warn!(%error, "a worker cannot be started");
                    starts += 1;
                    continue;
                }
                Err(_) => break,
            }
        }
        let Some(running) = worker.as_mut() else {
            continue;
        };
        let answered = running.answer(&jobs, &mut outcomes);
        let was_alone = running.answered == 0;
        jobs.drain(..answered);
        if answered > 0 {
            kills = 0;
        }
        if !jobs.is_empty() {
            match worker
                .take()
                .map_or(WorkerFailure::File(Skip::ParserCrashed), Worker::diagnose)
            {
                WorkerFailure::Killed if kills < MAX_KILLS => {
                    tracing::info!("a worker was killed");
                    kills += 1;
                }
                WorkerFailure::File(reason) if !was_alone => {
                    tracing::info!(
                        ?reason,
                        "a worker failed at a file after others: it is tried again alone"
                    );
                }
                failure => {
                    let reason = match failure {
                        WorkerFailure::File(reason) => reason,
                        WorkerFailure::OutOfTime => Skip::ParserTooSlow,
                        WorkerFailure::Killed => Skip::ParserCrashed,
                    };
                    tracing::info!(?reason, "a worker died of a file");
                    outcomes.push(Outcome::Skipped(reason));
                    jobs.remove(0);
                    kills = 0;
                }
            }
        }
    }
    outcomes
}

struct Worker {
    priority: Priority,
    process: ChildProcess,
    shared: Arc<PoolState>,
    /// The number of files since its start.
    answered: usize,
    /// The failure of its last batch, if it failed.
    failure: Option<CallError>,
}

#[derive(Clone, Copy, Debug)]
enum WorkerFailure {
    /// The current file failed, possibly because of memory that earlier files left in use.
    File(Skip),
    /// The current file used up its own processor time.
    OutOfTime,
    /// A signal from outside: by a person, or by a system that is short of memory. The file may not be the cause.
    Killed,
}

impl Worker {
    fn start(shared: &Arc<PoolState>, priority: Priority) -> std::io::Result<Self> {
        let mut command = program::own("worker")?;
        if priority == Priority::Interactive {
            command.arg("--prompt");
        }
        // Reserving a gigabyte ahead would count against the worker's bound.
        command.env("MIMALLOC_ARENA_EAGER_COMMIT", "0");
        let process = ChildProcess::start(command)?;
        shared.alive.fetch_add(1, Ordering::Relaxed);
        Ok(Self {
            priority,
            process,
            shared: Arc::clone(shared),
            answered: 0,
            failure: None,
        })
    }

    /// Sends jobs and collects their outcomes. Returns how many were answered.
    fn answer(&mut self, jobs: &[Job], outcomes: &mut Vec<Outcome>) -> usize {
        let mut answered = 0;
        let limit = Limit {
            time: silence(),
            clock: Clock::Idle,
        };
        let called = self.process.call(limit, |pipes| {
            let mut sent = 0;
            for (at, job) in jobs.iter().enumerate() {
                // It must fit the pipe, because nothing is read while it is written.
                let ahead = jobs
                    .get(at + 1)
                    .filter(|next| next.text.len() <= SEND_AHEAD);
                for job in [Some(job), ahead].into_iter().flatten().skip(sent - at) {
                    if wire::write_jobs(&mut pipes.input, std::slice::from_ref(job)).is_err() {
                        break;
                    }
                    sent += 1;
                }
                outcomes.push(wire::read_outcome(&mut pipes.output, &job.task)?);
                pipes.note_progress();
                answered += 1;
            }
            Ok(())
        });
        self.failure = called.err();
        self.answered += answered;
        answered
    }

    /// Returns the reason why the worker stopped answering.
    fn diagnose(mut self) -> WorkerFailure {
        let (status, last_words) = self.process.end();
        if last_words.contains("memory allocation") || last_words.contains("failed to allocate") {
            return WorkerFailure::File(Skip::ParserMemory);
        }
        match status {
            _ if matches!(self.failure, Some(CallError::Silent(_))) => {
                WorkerFailure::File(Skip::ParserTooSlow)
            }
            Some(status) if ran_out_of_time(status) => WorkerFailure::OutOfTime,
            Some(status) if was_killed(status) => WorkerFailure::Killed,
            _ => WorkerFailure::File(Skip::ParserCrashed),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.shared.alive.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns the longest silence, which tests of a debug build shorten.
fn silence() -> Duration {
    #[cfg(debug_assertions)]
    if let Some(named) = claudevil_protocol::environment::millis("CLAUDEVIL_TEST_SILENCE") {
        return named;
    }
    SILENCE
}

#[cfg(unix)]
fn ran_out_of_time(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal() == Some(rustix::process::Signal::PROF.as_raw())
}

#[cfg(unix)]
fn was_killed(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;

    use rustix::process::Signal;
    let by_others = [Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP];
    status
        .signal()
        .is_some_and(|signal| by_others.iter().any(|other| other.as_raw() == signal))
}

#[cfg(not(unix))]
fn was_killed(_status: ExitStatus) -> bool {
    false
}

#[cfg(not(unix))]
fn ran_out_of_time(_status: ExitStatus) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::RecvTimeoutError;

    use super::*;

    #[test]
    fn a_batch_without_a_worker_is_returned() {
        let long = Duration::from_secs(60);
        let pool = Pool::new(PoolSettings {
            workers: 2,
            idle: long,
            prompt_idle: long,
            last_idle: long,
        });
        let outcomes = pool.submit_by(Priority::Bulk, QueueEnd::Back, vec![], |_| {
            Err(std::io::ErrorKind::WouldBlock.into())
        });
        assert_eq!(
            outcomes.recv_timeout(Duration::from_secs(10)).err(),
            Some(RecvTimeoutError::Disconnected)
        );
        // The next batch is processed, and nothing is left of the first.
        let outcomes = pool.submit(Priority::Bulk, vec![]);
        assert!(
            outcomes
                .recv_timeout(Duration::from_secs(10))
                .is_ok_and(|none| none.is_empty())
        );
    }
}
