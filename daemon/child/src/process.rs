//! A child process behind pipes: started, called within a limit, and killed when it is dropped.
//!
//! Pipes have no timeouts: a full one blocks its writer and an empty one its reader, until the process at the other end is
//! gone. So each call has a thread that kills the process if it is stuck.
//! **Invariant:** no call waits for ever.

use std::fmt;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::process::{Child, ChildStderr, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use claudevil_protocol::version::Identity;

use crate::frame;

/// The interval at which a process is checked during a call. One that is stopped at two checks in a row is killed.
const CHECK: Duration = Duration::from_secs(2);
/// Extra time to read an answer that is in the pipe already, in case the caller itself was held up.
const GRACE: Duration = Duration::from_secs(1);
/// The limit of a start: within it the child must send its build.
const GREETING: Limit = Limit {
    time: Duration::from_secs(60),
    clock: Clock::Wall,
};
/// The most bytes that are read from a process's standard error.
const LAST_WORDS: u64 = 4096;

/// The time that a call may go without progress.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub time: Duration,
    pub clock: Clock,
}

/// The kind of time that a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Wall-clock time.
    Wall,
    /// Time in which the process is neither runnable nor waiting for a disk: on a busy machine it may wait long for a
    /// processor.
    Idle,
}

pub struct ChildProcess {
    /// None in tests, where both ends of the pipes are in one process.
    child: Option<Child>,
    pipes: Option<Pipes>,
    errors: Option<ChildStderr>,
}

/// The daemon's end of a child's two pipes.
pub struct Pipes {
    pub input: Box<dyn Write + Send>,
    pub output: Box<dyn Read + Send>,
    progress: Arc<AtomicUsize>,
}

/// The reason why a call was not answered.
#[derive(Debug)]
pub enum CallError {
    /// The process had been stopped by a signal, so it was killed.
    Stopped,
    /// The process did not answer for this long, so it was killed.
    Silent(Duration),
    /// The process ended, or broke its pipe.
    Ended(String),
}

impl Pipes {
    /// Restarts the time limit of the call, because a part of the answer has arrived.
    pub fn note_progress(&self) {
        self.progress.fetch_add(1, Ordering::Relaxed);
    }
}

impl ChildProcess {
    /// Starts a process and waits for its greeting.
    pub fn start(mut command: Command) -> io::Result<Self> {
        let mut child = command.spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let mut process = Self {
            errors: child.stderr.take(),
            child: Some(child),
            pipes: None,
        };
        let (input, output) = pipes.ok_or_else(|| io::Error::other("a pipe is missing"))?;
        process.pipes = Some(Pipes {
            input: Box::new(BufWriter::with_capacity(frame::BUFFER, input)),
            output: Box::new(BufReader::with_capacity(frame::BUFFER, output)),
            progress: Arc::default(),
        });
        let build = process
            .call(GREETING, |pipes| frame::read_block(&mut pipes.output))
            .map_err(|error| io::Error::other(format!("it {error}")))?;
        if build != Identity::own().build.as_bytes() {
            return Err(io::Error::other(
                "the installed program is of another build: claudevil daemon restart",
            ));
        }
        Ok(process)
    }

    /// Returns a child that consists of two pipes alone, for tests.
    pub fn over_pipes(
        input: impl Write + Send + 'static,
        output: impl Read + Send + 'static,
    ) -> Self {
        Self {
            child: None,
            pipes: Some(Pipes {
                input: Box::new(input),
                output: Box::new(output),
                progress: Arc::default(),
            }),
            errors: None,
        }
    }

    /// Returns its process id.
    pub fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Sends a request and reads its answer. Kills the process if that takes too long, or if it has been stopped; every later
    /// call fails then.
    pub fn call<T>(
        &mut self,
        limit: Limit,
        exchange: impl FnOnce(&mut Pipes) -> io::Result<T>,
    ) -> Result<T, CallError> {
        let Some(pipes) = &mut self.pipes else {
            return Err(CallError::Ended("before this call".to_owned()));
        };
        let (answer, stuck) = match &mut self.child {
            None => (exchange(pipes), None),
            Some(child) => watched(child, limit, pipes, exchange),
        };
        answer.map_err(|error| {
            stuck.unwrap_or_else(|| {
                let status = self.kill();
                CallError::Ended(status.map_or_else(|| error.to_string(), |how| how.to_string()))
            })
        })
    }

    /// Kills the process if it still runs. Returns its exit status, and the text on its standard error.
    pub fn end(&mut self) -> (Option<ExitStatus>, String) {
        let status = self.kill();
        let mut last_words = String::new();
        if let Some(errors) = self.errors.take() {
            let _ = errors.take(LAST_WORDS).read_to_string(&mut last_words);
        }
        (status, last_words)
    }

    /// Kills the process: closing its pipes would not end one that is stopped. A process that has ended keeps its exit status.
    fn kill(&mut self) -> Option<ExitStatus> {
        self.pipes = None;
        let child = self.child.as_mut()?;
        let _ = child.kill();
        child.wait().ok()
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => {
                formatter.write_str("was stopped by a signal and did not answer, so it was killed")
            }
            Self::Silent(time) => write!(
                formatter,
                "did not answer within {} s, so it was killed",
                time.as_secs()
            ),
            Self::Ended(how) => write!(formatter, "ended ({how})"),
        }
    }
}

/// Runs the exchange while a thread watches the process. Returns the reason if the process was killed.
fn watched<T>(
    child: &mut Child,
    limit: Limit,
    pipes: &mut Pipes,
    exchange: impl FnOnce(&mut Pipes) -> io::Result<T>,
) -> (io::Result<T>, Option<CallError>) {
    let (done, waiting) = channel::<()>();
    let progress = Arc::clone(&pipes.progress);
    std::thread::scope(|scope| {
        let watch = std::thread::Builder::new().name("claudevil-watch".to_owned());
        let watch = watch.spawn_scoped(scope, move || {
            kill_if_stuck(child, limit, &progress, &waiting)
        });
        match watch {
            Ok(watch) => {
                let exchanged = exchange(pipes);
                drop(done);
                (exchanged, watch.join().unwrap_or_default())
            }
            Err(error) => (Err(error), None),
        }
    })
}

/// Kills a process that is stuck, and returns the reason. None if the other end of the channel is dropped before.
fn kill_if_stuck(
    child: &mut Child,
    limit: Limit,
    progress: &AtomicUsize,
    waiting: &Receiver<()>,
) -> Option<CallError> {
    let mut until = Instant::now() + limit.time;
    let mut count = progress.load(Ordering::Relaxed);
    let mut was_stopped = false;
    let mut is_late = false;
    let stuck = loop {
        let left = until.saturating_duration_since(Instant::now());
        if waiting.recv_timeout(left.min(CHECK)) != Err(RecvTimeoutError::Timeout) {
            return None;
        }
        let now_at = progress.load(Ordering::Relaxed);
        if now_at != count {
            (count, was_stopped, is_late) = (now_at, false, false);
            until = Instant::now() + limit.time;
            continue;
        }
        let state = state(child.id());
        let is_stopped = state == Some('T');
        if is_stopped && was_stopped {
            break CallError::Stopped;
        }
        was_stopped = is_stopped;
        if Instant::now() < until {
            continue;
        }
        match (limit.clock, state) {
            (Clock::Idle, Some('R' | 'D')) => until = Instant::now() + limit.time,
            (Clock::Idle, _) if !is_late => {
                is_late = true;
                until = Instant::now() + GRACE;
            }
            (Clock::Idle, Some('T' | 't' | 'Z' | 'X')) => break CallError::Stopped,
            (Clock::Wall | Clock::Idle, _) => break CallError::Silent(limit.time),
        }
    };
    let _ = child.kill();
    Some(stuck)
}

/// Returns the state of a process in `/proc`: `R` runs, `D` waits for a disk, `T` was stopped as by `kill -STOP`, `t` is held
/// by a debugger.
#[cfg(target_os = "linux")]
#[expect(
    clippy::disallowed_methods,
    reason = "the kernel's own words about a process of ours"
)]
fn state(pid: u32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

#[cfg(not(target_os = "linux"))]
fn state(_pid: u32) -> Option<char> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Stdio;

    use super::*;

    #[expect(
        clippy::disallowed_methods,
        reason = "a process that can be waited for in vain"
    )]
    fn cat() -> ChildProcess {
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let mut process = ChildProcess::over_pipes(input.expect("a pipe"), output.expect("a pipe"));
        process.child = Some(child);
        process
    }

    fn within(time: Duration) -> Limit {
        Limit {
            time,
            clock: Clock::Wall,
        }
    }

    #[test]
    fn a_process_that_does_not_answer_in_time_is_killed() {
        for clock in [Clock::Wall, Clock::Idle] {
            let mut process = cat();
            let limit = Limit {
                time: Duration::from_millis(50),
                clock,
            };
            let error = process.call(limit, |pipes| pipes.output.read_exact(&mut [0]));
            assert!(
                matches!(error, Err(CallError::Silent(_))),
                "it has nothing to say: {error:?}"
            );
            assert!(!process.end().0.expect("it ends").success());
        }
    }

    #[test]
    fn a_process_that_does_not_read_is_killed_too() {
        let mut process = cat();
        // Neither end of its pipes is ever emptied.
        let written = process.call(within(Duration::from_millis(50)), |pipes| {
            pipes.input.write_all(&vec![0; 1 << 20])
        });
        assert!(
            matches!(written, Err(CallError::Silent(_))),
            "its pipe is full: {written:?}"
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_stopped_process_is_killed_long_before_its_time_is_up() {
        let mut process = cat();
        let pid = rustix::process::Pid::from_child(process.child.as_ref().expect("a child"));
        rustix::process::kill_process(pid, rustix::process::Signal::STOP).expect("stopped");
        let error = process.call(within(Duration::from_secs(600)), |pipes| {
            pipes.input.write_all(b"x")?;
            pipes.output.read_exact(&mut [0])
        });
        assert!(
            error
                .expect_err("it is stopped")
                .to_string()
                .contains("stopped by a signal")
        );
    }

    #[test]
    fn a_process_that_answers_lives_on() {
        let mut process = cat();
        for _ in 0..3 {
            let mut answer = [0];
            process
                .call(within(Duration::from_secs(60)), |pipes| {
                    pipes.input.write_all(b"x")?;
                    pipes.output.read_exact(&mut answer)
                })
                .expect("answered");
            assert_eq!(&answer, b"x");
        }
        process.pipes = None;
        let mut child = process.child.take().expect("a child");
        assert!(child.wait().expect("it ends").success());
    }

    #[test]
    fn progress_restarts_the_timeout_of_a_call() {
        let mut process = cat();
        let limit = within(Duration::from_secs(3));
        let began = Instant::now();
        let answered = process.call(limit, |pipes| {
            // Answers come slowly, but they come.
            let (_sender, silence) = channel::<()>();
            while began.elapsed() < Duration::from_secs(4) {
                let _ = silence.recv_timeout(Duration::from_millis(500));
                pipes.input.write_all(b"x")?;
                pipes.output.read_exact(&mut [0])?;
                pipes.note_progress();
            }
            Ok(())
        });
        assert!(answered.is_ok(), "{answered:?}");
    }

    #[test]
    fn last_words_are_kept_after_a_call_that_failed() {
        #[expect(clippy::disallowed_methods, reason = "a program that ends with words")]
        let mut command = Command::new("sh");
        command.args(["-c", "echo out of memory >&2; exit 3"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it runs");
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let mut process = ChildProcess::over_pipes(input.expect("a pipe"), output.expect("a pipe"));
        process.errors = child.stderr.take();
        process.child = Some(child);
        let limit = within(Duration::from_secs(60));
        let error = process.call(limit, |pipes| pipes.output.read_exact(&mut [0]));
        assert!(matches!(error, Err(CallError::Ended(_))), "{error:?}");
        let (status, words) = process.end();
        assert_eq!(status.and_then(|status| status.code()), Some(3));
        assert_eq!(words, "out of memory\n");
    }

    #[test]
    fn a_program_that_does_not_greet_is_no_child_of_ours() {
        #[expect(clippy::disallowed_methods, reason = "a program that only ends")]
        let mut command = Command::new("true");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let error = ChildProcess::start(command).err().expect("no greeting");
        assert!(error.to_string().contains("it ended"), "{error}");
    }
}
