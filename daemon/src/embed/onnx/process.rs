//! The daemon's side of a transformer's process.
//!
//! A thread starts the process when it is needed, so that a caller can give up waiting. The process takes one message at a
//! time; queries go before waiting documents. If it dies or hangs, the message fails and the process is started again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use claudevil_child::frame;
use claudevil_child::process::{ChildProcess, Clock, Limit};
use claudevil_child::restart::Restarts;
use claudevil_child::transformer::{LoadRequest, ModelInfo, Reply, Request, Source};

use super::OnnxSettings;
use crate::embed::EmbedError;

/// The longest time for a start, which may include a download.
const START_PATIENCE: Duration = Duration::from_secs(3600);
/// The longest time for one query once it is sent. Beyond it the process counts as hanging.
const QUERY_LIMIT: Duration = Duration::from_secs(30);

pub struct TransformerProcess {
    shared: Arc<SharedProcess>,
}

struct SharedProcess {
    settings: OnnxSettings,
    library: PathBuf,
    state: Mutex<ProcessState>,
    changed: Condvar,
}

struct ProcessState {
    status: Status,
    /// The number of waiting queries.
    queries: usize,
    /// The model that the first process loaded.
    info: Option<ModelInfo>,
    used: Instant,
    restarts: Restarts,
}

enum Status {
    Absent,
    Starting,
    /// Its start failed, and the waiting caller gets the error.
    Failed(EmbedError),
    Ready(ChildProcess),
    Busy,
}

impl TransformerProcess {
    pub fn new(settings: OnnxSettings, library: PathBuf) -> Self {
        let state = ProcessState {
            status: Status::Absent,
            queries: 0,
            info: None,
            used: Instant::now(),
            restarts: Restarts::default(),
        };
        Self {
            shared: Arc::new(SharedProcess {
                settings,
                library,
                state: Mutex::new(state),
                changed: Condvar::new(),
            }),
        }
    }

    /// Starts the process, and waits until it has loaded the model.
    pub fn open(&self) -> Result<ModelInfo, EmbedError> {
        let process = self.acquire(Instant::now() + START_PATIENCE, false)?;
        self.release(Some(process));
        self.shared
            .lock()
            .info
            .clone()
            .ok_or_else(|| EmbedError::unusable("the process did not say what it loaded"))
    }

    pub fn documents(
        &self,
        texts: &[&str],
        patience: Duration,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let process = self.acquire(Instant::now() + START_PATIENCE, false)?;
        let request = Request::Documents(texts.iter().map(|text| (*text).to_owned()).collect());
        let made = self.ask(process, &request, patience)?;
        if made.len() == texts.len() {
            Ok(made)
        } else {
            Err(EmbedError::unusable(
                "the model returned unexpected vectors",
            ))
        }
    }

    /// Embeds a query. `patience` is the longest wait for the process.
    pub fn query(&self, text: &str, patience: Duration) -> Result<Vec<f32>, EmbedError> {
        self.ask_first(&Request::Query(text.to_owned()), patience)
    }

    /// Embeds a document that a user waits for. `patience` is the longest wait for the process.
    pub fn document(&self, text: &str, patience: Duration) -> Result<Vec<f32>, EmbedError> {
        self.ask_first(&Request::Documents(vec![text.to_owned()]), patience)
    }

    /// Asks for one vector, before the batches that wait.
    fn ask_first(&self, request: &Request, patience: Duration) -> Result<Vec<f32>, EmbedError> {
        let process = self.acquire(Instant::now() + patience, true)?;
        let made = self.ask(process, request, QUERY_LIMIT)?.pop();
        made.ok_or_else(|| EmbedError::unusable("the model returned no vector"))
    }

    pub fn is_running(&self) -> bool {
        matches!(self.shared.lock().status, Status::Ready(_) | Status::Busy)
    }

    /// Returns its resident memory, where the system reports it.
    pub fn memory(&self) -> Option<u64> {
        let state = self.shared.lock();
        let Status::Ready(process) = &state.status else {
            return None;
        };
        let pid = process.id()?;
        #[expect(
            clippy::disallowed_methods,
            reason = "what the system says of a process of ours"
        )]
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim()
            .strip_suffix(" kB")?
            .parse::<u64>()
            .ok()
            .map(|kilobytes| kilobytes * 1024)
    }

    /// Ends the process if it has been idle for this long.
    pub fn end_if_idle(&self, after: Duration) {
        let mut state = self.shared.lock();
        if state.used.elapsed() < after {
            return;
        }
        if let Status::Ready(_) = state.status {
            let rested = std::mem::replace(&mut state.status, Status::Absent);
            drop(state);
            drop(rested);
        }
    }

    /// Takes the process for one message, and starts it if necessary.
    fn acquire(&self, until: Instant, is_query: bool) -> Result<ChildProcess, EmbedError> {
        let mut state = self.shared.lock();
        state.queries += usize::from(is_query);
        let found = loop {
            let is_due = is_query || state.queries == 0;
            match std::mem::replace(&mut state.status, Status::Busy) {
                Status::Ready(process) if is_due => break Ok(process),
                Status::Absent => {
                    let started = state.restarts.check().map_err(EmbedError::unavailable);
                    state.status = match started.and_then(|()| self.start()) {
                        Ok(()) => Status::Starting,
                        Err(error) => Status::Failed(error),
                    };
                    continue;
                }
                Status::Failed(error) => {
                    state.status = Status::Absent;
                    break Err(error);
                }
                other => state.status = other,
            }
            let Some(left) = until
                .checked_duration_since(Instant::now())
                .filter(|left| !left.is_zero())
            else {
                break Err(EmbedError::unavailable(
                    "the model is busy, or still being loaded",
                ));
            };
            state = self
                .shared
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        };
        state.queries -= usize::from(is_query);
        state.used = Instant::now();
        self.shared.changed.notify_all();
        found
    }

    fn release(&self, process: Option<ChildProcess>) {
        let mut state = self.shared.lock();
        state.status = process.map_or(Status::Absent, Status::Ready);
        state.used = Instant::now();
        self.shared.changed.notify_all();
    }

    fn ask(
        &self,
        mut process: ChildProcess,
        request: &Request,
        patience: Duration,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let reply = exchange(&mut process, request, patience);
        let mut state = self.shared.lock();
        match &reply {
            Ok(_) => state.restarts.note_answer(),
            Err(error) => state.restarts.note_failure(error.message.clone()),
        }
        drop(state);
        // A process that did not answer is killed by being dropped.
        self.release(reply.is_ok().then_some(process));
        reply?.vectors()
    }

    /// Starts the process on a thread, which then sets the status.
    fn start(&self) -> Result<(), EmbedError> {
        let shared = Arc::clone(&self.shared);
        let start = move || {
            // Panics are caught, because callers would wait forever if the status were never set.
            let started = catch_unwind(AssertUnwindSafe(|| shared.start())).unwrap_or_else(|_| {
                Err(EmbedError::unusable(
                    "the start of the model's process crashed",
                ))
            });
            let mut state = shared.lock();
            let started = started.and_then(|(process, info)| {
                if *state.info.get_or_insert_with(|| info.clone()) == info {
                    Ok(process)
                } else {
                    Err(EmbedError::unusable(
                        "the model's files have changed: claudevil daemon restart",
                    ))
                }
            });
            state.status = match started {
                Ok(process) => Status::Ready(process),
                Err(error) => {
                    state.restarts.note_failure(error.message.clone());
                    Status::Failed(error)
                }
            };
            shared.changed.notify_all();
        };
        let started = std::thread::Builder::new()
            .name("claudevild-onnx".to_owned())
            .spawn(start);
        started
            .map(drop)
            .map_err(|error| EmbedError::unavailable(format!("a thread for the model: {error}")))
    }
}

impl SharedProcess {
    fn start(&self) -> Result<(ChildProcess, ModelInfo), EmbedError> {
        let settings = &self.settings;
        let mut command = settings
            .program
            .command("embed")
            .map_err(|missing| super::missing_program(&missing))?;
        let words = if settings.shows_progress {
            Stdio::inherit()
        } else {
            Stdio::null()
        };
        command.stderr(words).env("ORT_DYLIB_PATH", &self.library);
        if let Source::Named(_) = settings.source {
            command.envs(settings.network.iter().map(|(name, value)| (name, value)));
        }
        let mut process = ChildProcess::start(command)
            .map_err(|error| EmbedError::unavailable(format!("the model's process: {error}")))?;
        let request = LoadRequest {
            source: settings.source.clone(),
            models: settings.models.clone(),
            threads: settings.threads,
            prefixes: settings.prefixes.clone(),
            shows_progress: settings.shows_progress,
        };
        let info = exchange(&mut process, &request, START_PATIENCE)?.info()?;
        Ok((process, info))
    }

    fn lock(&self) -> MutexGuard<'_, ProcessState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends a message and waits for its answer. A process that is too slow is killed.
fn exchange(
    process: &mut ChildProcess,
    message: &impl serde::Serialize,
    patience: Duration,
) -> Result<Reply, EmbedError> {
    let limit = Limit {
        time: patience,
        clock: Clock::Wall,
    };
    process
        .call(limit, |pipes| {
            frame::send(&mut pipes.input, message)?;
            frame::receive(&mut pipes.output)
        })
        .map_err(|error| EmbedError::unavailable(format!("the model's process {error}")))
}

#[cfg(test)]
mod tests {
    use claudevil_child::program::VectorsProgram;

    use super::*;
    use crate::embed::Settings;

    #[test]
    fn failed_starts_are_delayed() {
        let settings = Settings {
            program: VectorsProgram::at("/nonexistent/claudevil-vectors".into()),
            ..Settings::default()
        };
        let settings = settings.onnx(Source::Directory("/nonexistent/model".into()));
        let process = TransformerProcess::new(settings, "/nonexistent/library".into());
        let is_delayed = || {
            let error = process.open().expect_err("no program");
            error.message.contains("it is started again in")
        };
        assert_eq!(
            [is_delayed(), is_delayed(), is_delayed()],
            [false, false, true]
        );
    }
}
