//! The process that runs a transformer, as the daemon sees it.
//!
//! It is started when it is needed, by a thread of its own, so that nobody has to wait for that longer than they want to,
//! and it ends when it is let go of. One message at a time; a question goes before all documents that wait. One that dies
//! or hangs costs what was asked of it, and is started again.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use claudevil_child::frame;
use claudevil_child::process::{ChildProcess, Clock, Limit};
use claudevil_child::restart::Restarts;
use claudevil_child::transformer::{LoadRequest, OpenedModel, Reply, Request, Source};

use super::OnnxSettings;
use crate::embed::EmbedError;

/// A model may be downloaded meanwhile.
const START_PATIENCE: Duration = Duration::from_secs(3600);
/// What one question may take once it is its turn; past it the process is taken to hang.
const QUESTION: Duration = Duration::from_secs(30);

pub struct Process {
    shared: Arc<Shared>,
}

struct Shared {
    settings: OnnxSettings,
    library: PathBuf,
    turn: Mutex<Turn>,
    changed: Condvar,
}

struct Turn {
    state: State,
    /// Questions that wait.
    questions: usize,
    /// What the first process said that it had loaded.
    opened: Option<OpenedModel>,
    used: Instant,
    restarts: Restarts,
}

enum State {
    Absent,
    Starting,
    /// Its start failed, and who waits for it should know.
    Failed(EmbedError),
    Ready(ChildProcess),
    Busy,
}

impl Process {
    pub fn new(settings: OnnxSettings, library: PathBuf) -> Self {
        let turn = Turn {
            state: State::Absent,
            questions: 0,
            opened: None,
            used: Instant::now(),
            restarts: Restarts::default(),
        };
        Self {
            shared: Arc::new(Shared {
                settings,
                library,
                turn: Mutex::new(turn),
                changed: Condvar::new(),
            }),
        }
    }

    /// Starts it, and waits until it has loaded the model.
    pub fn open(&self) -> Result<OpenedModel, EmbedError> {
        let process = self.turn(Instant::now() + START_PATIENCE, false)?;
        self.give_back(Some(process));
        self.shared
            .lock()
            .opened
            .clone()
            .ok_or_else(|| EmbedError::unusable("the process did not say what it loaded"))
    }

    pub fn documents(
        &self,
        texts: &[&str],
        patience: Duration,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let process = self.turn(Instant::now() + START_PATIENCE, false)?;
        let request = Request::Documents(texts.iter().map(|text| (*text).to_owned()).collect());
        let made = self.ask(process, &request, patience)?;
        if made.len() == texts.len() {
            Ok(made)
        } else {
            Err(EmbedError::unusable(
                "other vectors came than were asked for",
            ))
        }
    }

    /// Waits for its turn no longer than this.
    pub fn query(&self, text: &str, patience: Duration) -> Result<Vec<f32>, EmbedError> {
        let process = self.turn(Instant::now() + patience, true)?;
        let mut made = self.ask(process, &Request::Query(text.to_owned()), QUESTION)?;
        made.pop()
            .ok_or_else(|| EmbedError::unusable("no vector came"))
    }

    pub fn is_running(&self) -> bool {
        matches!(self.shared.lock().state, State::Ready(_) | State::Busy)
    }

    /// What it takes, where the system tells.
    pub fn memory(&self) -> Option<u64> {
        let turn = self.shared.lock();
        let State::Ready(process) = &turn.state else {
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

    /// Ends it where nobody has needed it for long.
    pub fn rest(&self, after: Duration) {
        let mut turn = self.shared.lock();
        if turn.used.elapsed() < after {
            return;
        }
        if let State::Ready(_) = turn.state {
            let rested = std::mem::replace(&mut turn.state, State::Absent);
            drop(turn);
            drop(rested);
        }
    }

    /// The process, for one message.
    fn turn(&self, until: Instant, is_question: bool) -> Result<ChildProcess, EmbedError> {
        let mut turn = self.shared.lock();
        turn.questions += usize::from(is_question);
        let found = loop {
            let is_due = is_question || turn.questions == 0;
            match std::mem::replace(&mut turn.state, State::Busy) {
                State::Ready(process) if is_due => break Ok(process),
                State::Absent => {
                    let started = turn.restarts.check().map_err(EmbedError::unavailable);
                    turn.state = match started.and_then(|()| self.start()) {
                        Ok(()) => State::Starting,
                        Err(error) => State::Failed(error),
                    };
                    continue;
                }
                State::Failed(error) => {
                    turn.state = State::Absent;
                    break Err(error);
                }
                other => turn.state = other,
            }
            let Some(left) = until
                .checked_duration_since(Instant::now())
                .filter(|left| !left.is_zero())
            else {
                break Err(EmbedError::unavailable(
                    "the model is busy, or still being loaded",
                ));
            };
            turn = self
                .shared
                .changed
                .wait_timeout(turn, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        };
        turn.questions -= usize::from(is_question);
        turn.used = Instant::now();
        self.shared.changed.notify_all();
        found
    }

    fn give_back(&self, process: Option<ChildProcess>) {
        let mut turn = self.shared.lock();
        turn.state = process.map_or(State::Absent, State::Ready);
        turn.used = Instant::now();
        self.shared.changed.notify_all();
    }

    fn ask(
        &self,
        mut process: ChildProcess,
        request: &Request,
        patience: Duration,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let reply = exchange(&mut process, request, patience);
        let mut turn = self.shared.lock();
        match &reply {
            Ok(_) => turn.restarts.note_answer(),
            Err(error) => turn.restarts.note_failure(error.message.clone()),
        }
        drop(turn);
        // One that did not answer is dropped, and killed by that.
        self.give_back(reply.is_ok().then_some(process));
        reply?.vectors()
    }

    /// In a thread of its own, which waits for the turn to say how it went.
    fn start(&self) -> Result<(), EmbedError> {
        let shared = Arc::clone(&self.shared);
        let start = move || {
            let started = shared.start();
            let mut turn = shared.lock();
            turn.state = match started {
                Ok((process, opened)) => match turn.opened.get_or_insert_with(|| opened.clone()) {
                    known if *known == opened => State::Ready(process),
                    _ => State::Failed(EmbedError::unusable(
                        "the model's files have changed: claudevil daemon restart",
                    )),
                },
                Err(error) => State::Failed(error),
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

impl Shared {
    fn start(&self) -> Result<(ChildProcess, OpenedModel), EmbedError> {
        let settings = &self.settings;
        let mut command = settings
            .program
            .command("embed")
            .map_err(|missing| super::needs(&missing))?;
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
        let opened = exchange(&mut process, &request, START_PATIENCE)?.opened()?;
        Ok((process, opened))
    }

    fn lock(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends a message and waits for its answer. A process that takes neither in time is killed.
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
