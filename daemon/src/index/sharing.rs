//! The daemon's side of the vectors that a team shares: reads those that others have made, and adds its own.
//!
//! All of it happens on threads that embed in the background, and through a process of its own (`claudevil-vectors share`).
//! After a failure the store is not used for a while, longer each time, and the model computes the vectors in the meantime.
//! **Invariants:** no query waits for the store. A store that fails costs no vector: those that could not be added are still
//! on this machine, and a push adds them later.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use claudevil_child::frame;
use claudevil_child::process::{ChildProcess, Clock, Limit};
use claudevil_child::program::VectorsProgram;
use claudevil_child::vectors::sharing::{Access, Reply, Request, from_rows, to_rows};
use claudevil_child::vectors::{ChunkHash, ChunkVector, Space};
use claudevil_protocol::sharing::{CollectOutcome, TableState};

use super::vector_buffer::VectorBuffer;
use super::write_queue::{BATCH_ROWS, WriteDelay, WriteQueue};
use crate::config::SharingSettings;
use crate::threads::lock;

/// The most bytes of rows in one message: a fraction of the largest block.
const MESSAGE_BYTES: usize = 8 << 20;
const DELAY: WriteDelay = WriteDelay {
    quiet: Duration::from_secs(10),
    longest: Duration::from_secs(120),
};
/// Chunks whose vectors on this machine are loaded at once, to see which are missing: about 20 MB.
const LOADED_AT_ONCE: usize = 50_000;
/// The idle time after which the process ends.
const IDLE_CLOSE: Duration = Duration::from_secs(60);
/// The limit of a request: the first one reads the keys of a whole table.
const PATIENCE: Duration = Duration::from_secs(90);
const COLLECT_PATIENCE: Duration = Duration::from_secs(580);
/// The first and the longest pause after a failure.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(600);
/// For fewer chunks, such as those of an edit, the process is not started: the model makes their vectors in less time than
/// reading the keys of a table takes.
const WORTH_STARTING: usize = 32;
/// The number of attempts to add a batch. After that only a push adds it.
const MAX_ATTEMPTS: u32 = 8;

/// The vectors of one model that a team shares.
pub struct Sharing {
    settings: SharingSettings,
    program: VectorsProgram,
    space: Space,
    /// Locked during a request, which may take long.
    running: Mutex<Option<ChildProcess>>,
    queue: WriteQueue,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    trouble: Option<String>,
    /// Failures in a row.
    failures: u32,
    counts: SharingCounts,
}

/// Numbers of vectors since the daemon started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharingCounts {
    /// Vectors that were read instead of made.
    pub read: u64,
    /// Vectors that the model made on this machine.
    pub made: u64,
    /// Rows that were refused because they are damaged or were not written with the team's secret.
    pub refused: u64,
    pub added: u64,
    /// Vectors that could not be added, until the next push.
    pub left_out: u64,
}

/// The state of the store as the daemon sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharingState {
    pub location: String,
    pub access: Access,
    pub counts: SharingCounts,
    pub pending: u64,
    pub trouble: Option<String>,
}

impl Sharing {
    pub fn new(settings: SharingSettings, program: VectorsProgram, space: Space) -> Self {
        Self {
            settings,
            program,
            space,
            running: Mutex::default(),
            queue: WriteQueue::new("claudevild-share", DELAY, IDLE_CLOSE),
            state: Mutex::default(),
        }
    }

    pub fn state(&self) -> SharingState {
        let state = self.lock();
        SharingState {
            location: self.settings.store.location.clone(),
            access: self.settings.store.access,
            counts: state.counts,
            pending: self.queue.len() as u64,
            trouble: state.trouble.clone(),
        }
    }

    /// Returns the vectors of these chunks that the team has. Returns none during the pause after a failure, or if the chunks
    /// are too few to start the process for.
    pub fn fetch(self: &Arc<Self>, chunks: &[ChunkHash]) -> HashMap<ChunkHash, ChunkVector> {
        let is_running = || lock(&self.running).is_some();
        if self.is_backing_off() || (chunks.len() < WORTH_STARTING && !is_running()) {
            return HashMap::new();
        }
        self.fetch_now(chunks).unwrap_or_default()
    }

    /// Returns whether the store is not used, for a while after a failure.
    pub fn is_backing_off(&self) -> bool {
        self.queue.is_paused()
    }

    /// Reads into the buffer the vectors of these chunks that the team has and this machine lacks. Returns how many.
    ///
    /// Chunks are requested in the order of the table; otherwise each request would read the files of the table once more.
    pub fn fill(
        self: &Arc<Self>,
        buffer: &Arc<VectorBuffer>,
        chunks: &HashSet<ChunkHash>,
    ) -> Result<u64, String> {
        let mut missing: Vec<ChunkHash> = chunks.iter().copied().collect();
        for some in missing.clone().chunks(LOADED_AT_ONCE) {
            let stored = buffer.load(some);
            missing.retain(|chunk| !stored.contains_key(chunk));
        }
        let mut located = vec![];
        for some in missing.chunks(MESSAGE_BYTES / size_of::<ChunkHash>()) {
            let request = Request::Locate(self.space.clone(), some.to_vec());
            match self.ask(&request, PATIENCE)? {
                Reply::Located(found) => located.extend(found),
                _ => return Err(strange_answer()),
            }
        }
        let mut read = 0;
        for some in located.chunks(self.rows_per_message()) {
            let found = self.fetch_now(some)?;
            read += found.len() as u64;
            buffer.record(found.into_values());
        }
        Ok(read)
    }

    /// Returns the vectors of these chunks that the team has, or why the store cannot be read.
    fn fetch_now(
        self: &Arc<Self>,
        chunks: &[ChunkHash],
    ) -> Result<HashMap<ChunkHash, ChunkVector>, String> {
        let mut found = HashMap::new();
        for some in chunks.chunks(self.rows_per_message()) {
            let request = Request::Fetch(self.space.clone(), some.to_vec());
            match self.ask(&request, PATIENCE)? {
                Reply::Fetched { vectors, refused } => {
                    let width = self.space.dimensions;
                    let vectors = from_rows(vectors).filter(|vector| vector.codes.len() == width);
                    let before = found.len();
                    found.extend(vectors.map(|vector| (vector.hash, vector)));
                    let counts = &mut self.lock().counts;
                    counts.read += (found.len() - before) as u64;
                    counts.refused += refused;
                }
                _ => return Err(strange_answer()),
            }
        }
        Ok(found)
    }

    /// Queues vectors that were computed on this machine. A thread adds them to the store later.
    pub fn offer(self: &Arc<Self>, made: impl IntoIterator<Item = ChunkVector>) {
        let made: HashMap<_, _> = made
            .into_iter()
            .map(|vector| (vector.hash, vector))
            .collect();
        self.lock().counts.made += made.len() as u64;
        let is_writer = self.settings.store.access == Access::ReadAndWrite;
        if is_writer && self.queue.add(made.into_values()) {
            self.ensure_thread();
        }
    }

    /// Adds the vectors that the team does not have, now. Returns how many.
    pub fn push(self: &Arc<Self>, vectors: &[ChunkVector]) -> Result<u64, String> {
        let mut all = 0;
        for some in vectors.chunks(self.rows_per_message()) {
            let request = Request::Append(self.space.clone(), to_rows(some));
            match self.ask(&request, PATIENCE)? {
                Reply::Appended { added } => {
                    all += added;
                    self.lock().counts.added += added;
                    self.queue.remove(some);
                }
                _ => return Err(strange_answer()),
            }
        }
        Ok(all)
    }

    /// Notes that a push has added everything, so that no vector is left out any more.
    pub fn note_complete_push(&self) {
        self.lock().counts.left_out = 0;
    }

    pub fn describe(self: &Arc<Self>) -> Result<TableState, String> {
        match self.ask(&Request::Describe(self.space.clone()), PATIENCE)? {
            Reply::Described(state) => Ok(state),
            _ => Err(strange_answer()),
        }
    }

    /// Removes vectors that were shared `days` ago or earlier and are not of the live chunks.
    pub fn collect(
        self: &Arc<Self>,
        live: Vec<ChunkHash>,
        days: u32,
    ) -> Result<CollectOutcome, String> {
        let space = self.space.clone();
        match self.ask(&Request::Collect { space, live, days }, COLLECT_PATIENCE)? {
            Reply::Collected(outcome) => Ok(outcome),
            _ => Err(strange_answer()),
        }
    }

    /// Adds pending vectors and ends the process, until the given time.
    pub fn close(&self, until: Instant) {
        self.queue.close(until);
    }

    fn ask(self: &Arc<Self>, request: &Request, patience: Duration) -> Result<Reply, String> {
        let asked = {
            let mut process = lock(&self.running);
            let asked = self.exchange(&mut process, request, patience);
            if asked.is_err() {
                *process = None;
            }
            asked
        };
        let asked = asked.and_then(|reply| match reply {
            Reply::Failed(why) => Err(why),
            reply => Ok(reply),
        });
        let mut state = self.lock();
        match &asked {
            Ok(_) => {
                (state.trouble, state.failures) = (None, 0);
                self.queue.pause(None);
            }
            Err(why) => {
                if state.trouble.as_ref() != Some(why) {
                    tracing::warn!(
                        location = self.settings.store.location,
                        "shared vectors: {why}"
                    );
                }
                let doublings = state.failures.min(16);
                let pause = FIRST_PAUSE
                    .saturating_mul(1 << doublings)
                    .min(LONGEST_PAUSE);
                state.failures += 1;
                state.trouble = Some(why.clone());
                self.queue.pause(Some(Instant::now() + pause));
            }
        }
        drop(state);
        // The thread ends the process when it is idle.
        self.queue.note_use();
        self.ensure_thread();
        asked
    }

    /// Sends a request and waits for its answer. Starts a process if none runs.
    fn exchange(
        &self,
        process: &mut Option<ChildProcess>,
        request: &Request,
        patience: Duration,
    ) -> Result<Reply, String> {
        let process = match process {
            Some(process) => process,
            none => none.insert(self.start()?),
        };
        let limit = Limit {
            time: patience,
            clock: Clock::Wall,
        };
        process
            .call(limit, |pipes| {
                frame::send(&mut pipes.input, request)?;
                frame::receive(&mut pipes.output)
            })
            .map_err(|error| format!("the process that reads the store {error}"))
    }

    fn start(&self) -> Result<ChildProcess, String> {
        let failed =
            |why: String| format!("the process that reads the store cannot be started: {why}");
        let mut command = self
            .program
            .command("share")
            .map_err(|error| failed(error.to_string()))?;
        command
            .envs(self.settings.environment.iter().cloned())
            .stderr(std::process::Stdio::null());
        let mut process =
            ChildProcess::start(command).map_err(|error| failed(error.to_string()))?;
        let limit = Limit {
            time: PATIENCE,
            clock: Clock::Wall,
        };
        process
            .call(limit, |pipes| {
                frame::send(&mut pipes.input, &self.settings.store)
            })
            .map_err(|error| failed(format!("it {error}")))?;
        Ok(process)
    }

    /// Returns the number of rows that fit a message.
    fn rows_per_message(&self) -> usize {
        (MESSAGE_BYTES / (size_of::<ChunkHash>() + 8 + self.space.dimensions)).clamp(1, BATCH_ROWS)
    }

    fn ensure_thread(self: &Arc<Self>) {
        let sharing = Arc::clone(self);
        self.queue.ensure_thread(move || sharing.run());
    }

    fn run(self: &Arc<Self>) {
        let end_process = || drop(lock(&self.running).take());
        while let Some(vectors) = self.queue.next_batch(end_process) {
            if self.push(&vectors).is_err() {
                self.keep_for_retry(vectors);
            }
        }
    }

    /// Keeps vectors that could not be added, unless that was tried often enough or too many wait already.
    fn keep_for_retry(&self, vectors: Vec<ChunkVector>) {
        let count = vectors.len() as u64;
        let mut state = self.lock();
        if state.failures >= MAX_ATTEMPTS || !self.queue.add_again(vectors, 2 * BATCH_ROWS) {
            state.counts.left_out += count;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

fn strange_answer() -> String {
    "the process that reads the store gave another answer than was asked for".to_owned()
}
