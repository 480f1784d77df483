//! `claudevil daemon`: starts, stops and inspects the daemon.

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use claudevil_protocol::client::launch::daemon_binary;
use claudevil_protocol::client::{Client, Launch};
use claudevil_protocol::daemon_info::{DaemonInfo, Supervision};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::process::{self, Signal};
use claudevil_protocol::start::LockHolder;
use claudevil_protocol::text::quantity::{count, duration};
use claudevil_protocol::{ErrorCode, ToolError, lock};

use super::terminal::{FAINT, GOOD, Terminal, paint};
use super::{Failure, exit, logs, serve};

/// Time limit for the daemon to stop; longer than it gives its last calls by default.
const STOP_TIMEOUT: Duration = Duration::from_secs(40);
const SILENT_TIMEOUT: Duration = Duration::from_secs(5);
const PROBE_TIMEOUT: Duration = Duration::from_millis(250);
/// Interval between reads of the lock file, while a successor is awaited.
const PROBE_STEP: Duration = Duration::from_millis(50);

pub const EXAMPLES: &str = "\
Examples:
  claudevil daemon status           whether it runs, and since when
  claudevil daemon restart          for example after an upgrade
  claudevil daemon restart --force  even if it does not answer
  claudevil daemon logs -f          what it does, as it does it

It starts by itself when something is asked, and exits after half an hour without clients.";

#[derive(clap::Subcommand)]
pub enum Command {
    /// Start the daemon, if it is not running
    Start,
    /// Let the daemon finish its calls and exit; the next call of any session starts it again
    Stop {
        /// Kill it if it does not answer
        #[arg(long)]
        force: bool,
    },
    /// Stop the daemon and start it again
    Restart {
        /// Kill it if it does not answer
        #[arg(long)]
        force: bool,
    },
    /// Say whether the daemon is running; never starts it (exit code 3 when it is not)
    Status,
    /// Show the daemon's log
    Logs(logs::Arguments),
    /// Run the daemon in the foreground
    Run,
}

pub async fn run(
    command: Command,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    match command {
        Command::Start => start(paths, terminal).await,
        Command::Stop { force } => {
            stop(&paths, Force::from(force), terminal).await?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Restart { force } => {
            // A restart reports only the daemon that runs afterwards.
            let json = std::mem::replace(&mut terminal.json, false);
            let stopped = stop(&paths, Force::from(force), terminal).await;
            terminal.json = json;
            stopped?;
            start(paths, terminal).await
        }
        Command::Status => status(paths, terminal).await,
        Command::Logs(arguments) => logs::run(arguments, &paths, terminal).await,
        Command::Run => serve::start(std::process::Command::new(daemon_binary()?).arg("run")),
    }
}

/// The treatment of a daemon that does not answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Force {
    Ask,
    Kill,
}

impl From<bool> for Force {
    fn from(force: bool) -> Self {
        if force { Self::Kill } else { Self::Ask }
    }
}

async fn start(paths: Paths, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
    let info = Client::new(paths, Launch::Insist).daemon_info().await?;
    show(&info, terminal)?;
    Ok(ExitCode::SUCCESS)
}

async fn status(paths: Paths, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
    // Checks the lock instead of connecting: where systemd holds the socket, a connection would start the daemon.
    if !is_running(&paths)? {
        if terminal.json {
            terminal.json(&serde_json::json!({ "running": false }))?;
        } else {
            terminal.line("not running; the next question starts it")?;
        }
        return Ok(ExitCode::from(exit::NOT_RUNNING));
    }
    let info = Client::new(paths, Launch::Never).daemon_info().await?;
    show(&info, terminal)?;
    Ok(ExitCode::SUCCESS)
}

fn show(info: &DaemonInfo, terminal: &mut Terminal) -> Result<(), Failure> {
    if terminal.json {
        let mut value = serde_json::to_value(info).unwrap_or_default();
        value["running"] = true.into();
        terminal.json(&value)?;
        return Ok(());
    }
    let now = jiff::Timestamp::now().as_millisecond();
    let how = match info.supervision {
        Supervision::Detached => "exits when idle",
        Supervision::Foreground => "in the foreground",
        Supervision::Service => "as a service",
    };
    terminal.line(format_args!(
        "{} pid {}, build {}, for {}, {how}",
        paint(GOOD, "running"),
        info.pid,
        info.build,
        duration(now - info.started)
    ))?;
    let connections = count(u64::from(info.connections), "connection");
    terminal.line(paint(
        FAINT,
        format_args!(
            "{connections}; socket {}; logs {}",
            info.address, info.log_directory
        ),
    ))?;
    Ok(())
}

/// The result of a request to stop the daemon.
pub enum StopOutcome {
    NotRunning,
    /// The daemon that ran is gone.
    Gone {
        /// The daemon that a call of another session has started since.
        successor: Option<u32>,
    },
}

/// Stops the daemon, returns when it is gone, and says so.
pub async fn stop(paths: &Paths, force: Force, terminal: &mut Terminal) -> Result<(), Failure> {
    let (outcome, successor) = match stop_running(paths, force).await? {
        StopOutcome::NotRunning => ("not running", None),
        StopOutcome::Gone { successor } => ("stopped", successor),
    };
    if terminal.json {
        let mut value = serde_json::json!({ "running": successor.is_some(), "outcome": outcome });
        if let Some(pid) = successor {
            value["successor"] = pid.into();
        }
        terminal.json(&value)?;
    } else if let Some(pid) = successor {
        terminal.note(format_args!(
            "{outcome}; another session has already started a new one (pid {pid})"
        ));
    } else {
        terminal.note(outcome);
    }
    Ok(())
}

/// Stops the daemon that runs now and returns when it is gone. A successor that sessions start meanwhile is not stopped:
/// under busy sessions there is always one, and the lock is never seen free.
pub async fn stop_running(paths: &Paths, force: Force) -> Result<StopOutcome, Failure> {
    let path = paths.daemon_lock();
    let Some(mut daemon) = holder(paths).await? else {
        return Ok(StopOutcome::NotRunning);
    };
    let asked = Client::new(paths.clone(), Launch::Never).shutdown().await;
    let mut patience = STOP_TIMEOUT;
    match asked {
        // The daemon that held the lock exited before the request, which reached its successor.
        Ok(pid) if pid != daemon.pid => match holder(paths).await? {
            Some(now) if now.pid == pid => daemon = now,
            other => {
                return Ok(StopOutcome::Gone {
                    successor: other.map(|now| now.pid),
                });
            }
        },
        Ok(_) => {}
        Err(error) => {
            if let Some(gone) = departure(&path, &daemon, PROBE_TIMEOUT).await? {
                return Ok(gone);
            }
            // A draining daemon has closed its socket; one that holds the lock and neither drains nor answers is stuck.
            let is_leaving = lock::holder::<LockHolder>(&path).is_some_and(|now| now.leaving);
            if !is_leaving {
                patience = SILENT_TIMEOUT;
                signal(&daemon, force).map_err(|refused| unanswered(&error, &refused))?;
            }
        }
    }
    if let Some(gone) = departure(&path, &daemon, patience).await? {
        return Ok(gone);
    }
    let stuck = ToolError::new(
        ErrorCode::DaemonUnreachable,
        format!("the daemon (pid {}) does not stop", daemon.pid),
    );
    if force == Force::Ask {
        return Err(stuck.with_hint("claudevil daemon stop --force").into());
    }
    // It agreed to exit, but hangs.
    signal(&daemon, force).map_err(|refused| unanswered(&stuck, &refused))?;
    match departure(&path, &daemon, SILENT_TIMEOUT).await? {
        Some(gone) => Ok(gone),
        None => Err(stuck
            .with_hint(format!("end process {} by hand", daemon.pid))
            .into()),
    }
}

/// Returns the daemon that holds the lock, if any.
async fn holder(paths: &Paths) -> Result<Option<LockHolder>, Failure> {
    let path = paths.daemon_lock();
    let until = Instant::now() + PROBE_TIMEOUT;
    while is_running(paths)? {
        if let Some(holder) = lock::holder(&path) {
            return Ok(Some(holder));
        }
        // A daemon writes who it is a moment after it takes the lock.
        if Instant::now() > until {
            let message = "an unknown process holds the daemon's lock";
            return Err(ToolError::new(ErrorCode::DaemonUnreachable, message)
                .with_hint(format!("end the process that has {} open", path.display()))
                .into());
        }
        let _freed = lock::lock(&path, PROBE_STEP).await?;
    }
    Ok(None)
}

/// Waits until a daemon no longer holds the lock, whether it is free then or a successor has it.
async fn departure(
    path: &Path,
    daemon: &LockHolder,
    patience: Duration,
) -> Result<Option<StopOutcome>, Failure> {
    let until = Instant::now() + patience;
    loop {
        if lock::lock(path, PROBE_STEP).await?.is_some() {
            return Ok(Some(StopOutcome::Gone { successor: None }));
        }
        let now = lock::holder::<LockHolder>(path).filter(|now| !now.is_same_daemon(daemon));
        if let Some(successor) = now {
            return Ok(Some(StopOutcome::Gone {
                successor: Some(successor.pid),
            }));
        }
        if Instant::now() > until {
            return Ok(None);
        }
    }
}

fn signal(daemon: &LockHolder, force: Force) -> io::Result<()> {
    let signal = if force == Force::Kill {
        Signal::Kill
    } else {
        Signal::Terminate
    };
    match &daemon.process {
        Some(process) => process::signal(daemon.pid, process, signal),
        None => Err(io::Error::other(
            "it was started by an earlier build, which did not record its process",
        )),
    }
    .map_err(|error| io::Error::new(error.kind(), format!("process {}: {error}", daemon.pid)))
}

fn unanswered(error: &ToolError, refused: &io::Error) -> Failure {
    let message = format!(
        "{}; it holds the daemon's lock and cannot be ended from here: {refused}",
        error.message
    );
    ToolError::new(ErrorCode::DaemonUnreachable, message)
        .with_hint("end it by hand, then try again")
        .into()
}

/// Returns whether a daemon holds the lock.
pub fn is_running(paths: &Paths) -> io::Result<bool> {
    let path = paths.daemon_lock();
    if !path.exists() {
        return Ok(false);
    }
    Ok(lock::try_lock(&path)?.is_none())
}
