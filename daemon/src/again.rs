//! Starts this program once more, for work that is better done in a process of its own.
//!
//! Nothing else is ever started by the daemon. **Invariant:** what is started is this build, and ends with its pipes.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often a process that is waited for is looked at. One that is stopped at two looks in a row is given up.
const LOOK: Duration = Duration::from_secs(2);

/// The program that runs, with a subcommand: without variables, with a pipe for each stream.
#[expect(
    clippy::disallowed_methods,
    reason = "the one program that the daemon starts: itself"
)]
pub fn command(verb: &str) -> io::Result<Command> {
    // By what is running, not by its name: an upgrade may have put another build in its place.
    let own = Path::new("/proc/self/exe");
    let program = if own.exists() {
        own.to_owned()
    } else {
        std::env::current_exe()?
    };
    let mut command = Command::new(program);
    command
        .arg(verb)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // A Ctrl-C at the terminal is for the daemon, which ends its own.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Ok(command)
}

/// Does something that waits for a process, and kills the process if that takes too long or if somebody has stopped it.
///
/// Pipes have no time-outs, and one that is full blocks its writer as an empty one blocks its reader; both come back when
/// the process at the other end is gone. The error says why it was killed.
pub fn watched<T>(
    child: &mut Child,
    patience: Duration,
    work: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    let (done, waiting) = channel::<()>();
    std::thread::scope(|scope| {
        let watch = std::thread::Builder::new().name("claudevild-watch".to_owned());
        let watch = watch.spawn_scoped(scope, move || kill_if_stuck(child, patience, &waiting))?;
        let worked = work();
        drop(done);
        let killed = watch.join().unwrap_or_default();
        worked.map_err(|error| {
            killed.map_or(error, |why| io::Error::new(io::ErrorKind::TimedOut, why))
        })
    })
}

/// Returns why it was killed, unless the other end of the channel was dropped before.
fn kill_if_stuck(child: &mut Child, patience: Duration, waiting: &Receiver<()>) -> Option<String> {
    let until = Instant::now() + patience;
    let mut was_stopped = false;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if waiting.recv_timeout(left.min(LOOK)) != Err(RecvTimeoutError::Timeout) {
            return None;
        }
        let is_stopped = is_stopped(child.id());
        let why = if is_stopped && was_stopped {
            "was stopped by a signal and did not answer, so it was killed".to_owned()
        } else if Instant::now() >= until {
            format!(
                "did not answer within {} s, so it was killed",
                patience.as_secs()
            )
        } else {
            was_stopped = is_stopped;
            continue;
        };
        let _ = child.kill();
        return Some(why);
    }
}

/// Stopped as by `kill -STOP`. A debugger that holds a process shows as another state, and may take its time.
#[cfg(target_os = "linux")]
#[expect(
    clippy::disallowed_methods,
    reason = "the kernel's own words about a process of ours"
)]
fn is_stopped(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, fields)| fields.trim_start().starts_with('T'))
}

#[cfg(not(target_os = "linux"))]
fn is_stopped(_pid: u32) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[expect(
        clippy::disallowed_methods,
        reason = "a process that can be waited for in vain"
    )]
    fn cat() -> Child {
        Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs")
    }

    #[test]
    fn a_process_that_does_not_answer_in_time_is_killed() {
        let mut child = cat();
        let mut output = child.stdout.take().expect("a pipe");
        let _input = child.stdin.take();
        let patience = Duration::from_millis(50);
        let error = watched(&mut child, patience, || output.read_exact(&mut [0]));
        assert_eq!(
            error.expect_err("it has nothing to say").kind(),
            io::ErrorKind::TimedOut
        );
        assert!(!child.wait().expect("it ends").success());
    }

    #[test]
    fn a_process_that_does_not_read_is_killed_too() {
        let mut child = cat();
        let mut input = child.stdin.take().expect("a pipe");
        let _output = child.stdout.take();
        // Neither end of its pipes is ever emptied.
        let written = watched(&mut child, Duration::from_millis(50), || {
            input.write_all(&vec![0; 1 << 20])
        });
        assert_eq!(
            written.expect_err("its pipe is full").kind(),
            io::ErrorKind::TimedOut
        );
        let _ = child.wait();
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_stopped_process_is_killed_long_before_its_time_is_up() {
        let mut child = cat();
        let (mut input, mut output) = (
            child.stdin.take().expect("a pipe"),
            child.stdout.take().expect("a pipe"),
        );
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::STOP).expect("stopped");
        let error = watched(&mut child, Duration::from_secs(600), || {
            input.write_all(b"x")?;
            output.read_exact(&mut [0])
        });
        assert!(
            error
                .expect_err("it is stopped")
                .to_string()
                .contains("stopped by a signal")
        );
        let _ = child.wait();
    }

    #[test]
    fn a_process_that_answers_lives_on() {
        let mut child = cat();
        let (mut input, mut output) = (
            child.stdin.take().expect("a pipe"),
            child.stdout.take().expect("a pipe"),
        );
        for _ in 0..3 {
            let mut answer = [0];
            watched(&mut child, Duration::from_secs(60), || {
                input.write_all(b"x")?;
                output.read_exact(&mut answer)
            })
            .expect("answered");
            assert_eq!(&answer, b"x");
        }
        drop(input);
        assert!(child.wait().expect("it ends").success());
    }
}
