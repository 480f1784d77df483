//! The process that runs a transformer, as the daemon sees it.
//!
//! It is started when it is needed, by a thread of its own, so that nobody has to wait for that longer than they want to,
//! and it ends when it is let go of. One message at a time; a question goes before all documents that wait. One that dies
//! or hangs costs what was asked of it, and is started again.

use std::io::{BufReader, BufWriter};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use claudevil_protocol::version::Identity;

use super::wire::{self, Opened, Order, Reply, Request};
use super::{OnnxSettings, Source};
use crate::again;
use crate::embed::{EmbedError, EmbedErrorKind, Prefixes};

/// A model may be downloaded meanwhile.
const START_PATIENCE: Duration = Duration::from_secs(3600);
/// Until a process that was started says which build it is.
const HELLO_PATIENCE: Duration = Duration::from_secs(60);
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
    opened: Option<Opened>,
    used: Instant,
}

enum State {
    Absent,
    Starting,
    /// Its start failed, and who waits for it should know.
    Failed(EmbedError),
    Ready(Running),
    Busy,
}

/// A process, and the ends of its pipes.
struct Running {
    child: Child,
    input: Option<BufWriter<ChildStdin>>,
    replies: Receiver<Reply>,
}

impl Process {
    pub fn new(settings: OnnxSettings, library: PathBuf) -> Self {
        let turn = Turn {
            state: State::Absent,
            questions: 0,
            opened: None,
            used: Instant::now(),
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
    pub fn open(&self) -> Result<Opened, EmbedError> {
        let running = self.turn(Instant::now() + START_PATIENCE, false)?;
        self.give_back(Some(running));
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
        let running = self.turn(Instant::now() + START_PATIENCE, false)?;
        let request = Request::Documents(texts.iter().map(|text| (*text).to_owned()).collect());
        let made = self.ask(running, &request, patience)?;
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
        let running = self.turn(Instant::now() + patience, true)?;
        let mut made = self.ask(running, &Request::Query(text.to_owned()), QUESTION)?;
        made.pop()
            .ok_or_else(|| EmbedError::unusable("no vector came"))
    }

    pub fn is_running(&self) -> bool {
        matches!(self.shared.lock().state, State::Ready(_) | State::Busy)
    }

    /// What it takes, where the system tells.
    pub fn memory(&self) -> Option<u64> {
        let turn = self.shared.lock();
        let State::Ready(running) = &turn.state else {
            return None;
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "what the system says of a process of ours"
        )]
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", running.child.id())).ok()?;
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
    fn turn(&self, until: Instant, is_question: bool) -> Result<Running, EmbedError> {
        let mut turn = self.shared.lock();
        turn.questions += usize::from(is_question);
        let found = loop {
            let is_due = is_question || turn.questions == 0;
            match std::mem::replace(&mut turn.state, State::Busy) {
                State::Ready(running) if is_due => break Ok(running),
                State::Absent => {
                    turn.state = match self.start() {
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

    fn give_back(&self, running: Option<Running>) {
        let mut turn = self.shared.lock();
        turn.state = running.map_or(State::Absent, State::Ready);
        turn.used = Instant::now();
        self.shared.changed.notify_all();
    }

    fn ask(
        &self,
        mut running: Running,
        request: &Request,
        patience: Duration,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let reply = running.exchange(request, patience);
        // One that did not answer is dropped, and killed by that.
        self.give_back(reply.is_ok().then_some(running));
        reply?.vectors()
    }

    /// In a thread of its own, which waits for the turn to say how it went.
    fn start(&self) -> Result<(), EmbedError> {
        let shared = Arc::clone(&self.shared);
        let start = move || {
            let started = shared.start();
            let mut turn = shared.lock();
            turn.state = match started {
                Ok((running, opened)) => match turn.opened.get_or_insert_with(|| opened.clone()) {
                    known if *known == opened => State::Ready(running),
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
    fn start(&self) -> Result<(Running, Opened), EmbedError> {
        let failed = |error: std::io::Error| {
            EmbedError::unavailable(format!("the model's process: {error}"))
        };
        let mut command = again::command("embed").map_err(failed)?;
        let words = if self.settings.shows_progress {
            Stdio::inherit()
        } else {
            Stdio::null()
        };
        command.stderr(words).env("ORT_DYLIB_PATH", &self.library);
        if let Source::Named(_) = self.settings.source {
            command.envs(
                self.settings
                    .network
                    .iter()
                    .map(|(name, value)| (name, value)),
            );
        }
        let mut child = command.spawn().map_err(failed)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (sender, replies) = channel();
        let mut running = Running {
            child,
            input: None,
            replies,
        };
        let (input, output) = pipes
            .ok_or_else(|| EmbedError::unavailable("a pipe to the model's process is missing"))?;
        let mut output = BufReader::new(output);
        let build: String = again::watched(&mut running.child, HELLO_PATIENCE, || {
            wire::receive(&mut output)
        })
        .map_err(failed)?;
        if build != Identity::own().build {
            return Err(EmbedError::unavailable(
                "the installed daemon is of another build: restart this one",
            ));
        }
        let read = move || {
            while let Ok(reply) = wire::receive(&mut output) {
                if sender.send(reply).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new()
            .name("claudevild-onnx-read".to_owned())
            .spawn(read)
            .map_err(failed)?;
        let input = BufWriter::new(input);
        let OnnxSettings {
            source,
            models,
            threads,
            prefixes: Prefixes { query, document },
            ..
        } = self.settings.clone();
        let (query_prefix, document_prefix) = (query, document);
        let order = Order {
            source,
            models,
            threads,
            query_prefix,
            document_prefix,
            shows_progress: self.settings.shows_progress,
        };
        running.input = Some(input);
        let opened = running.exchange(&order, START_PATIENCE)?.opened()?;
        Ok((running, opened))
    }

    fn lock(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    /// Sends a message and waits for its answer. A process that takes neither in time is killed.
    fn exchange(
        &mut self,
        message: &impl serde::Serialize,
        patience: Duration,
    ) -> Result<Reply, EmbedError> {
        let Self {
            child,
            input,
            replies,
        } = self;
        let exchanged = again::watched(child, patience, || {
            wire::send(
                input.as_mut().ok_or(std::io::ErrorKind::BrokenPipe)?,
                message,
            )?;
            replies
                .recv()
                .map_err(|_| std::io::ErrorKind::BrokenPipe.into())
        });
        exchanged.map_err(|error| match error.kind() {
            std::io::ErrorKind::TimedOut => {
                EmbedError::unavailable(format!("the model's process {error}"))
            }
            _ => self.ended(),
        })
    }

    /// How it ended, as far as that can be told.
    fn ended(&mut self) -> EmbedError {
        self.input = None;
        let how = self
            .child
            .wait()
            .map_or_else(|error| error.to_string(), |status| status.to_string());
        EmbedError {
            kind: EmbedErrorKind::Unavailable,
            message: format!("the model's process ended ({how})"),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has nothing to finish, and one that is stopped does not notice that its pipe has ended.
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
