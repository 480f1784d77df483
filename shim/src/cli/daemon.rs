//! `claudevil daemon`: start, stop, look.

use std::process::ExitCode;
use std::time::Duration;

use claudevil_protocol::client::launch::daemon_binary;
use claudevil_protocol::client::{Client, Launch};
use claudevil_protocol::model::daemon::{DaemonInfo, Supervision};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::start::LockHolder;
use claudevil_protocol::text::quantity::{count, duration};
use claudevil_protocol::{ErrorCode, ToolError, lock};

use super::terminal::{FAINT, GOOD, Terminal, paint};
use super::{Failure, exit, logs};

/// Longer than the daemon gives its last calls by default.
const STOP_PATIENCE: Duration = Duration::from_secs(40);
const SILENT_PATIENCE: Duration = Duration::from_secs(5);
const PROBE_PATIENCE: Duration = Duration::from_millis(250);

pub const EXAMPLES: &str = "\
Examples:
  claudevil daemon status           whether it runs, and since when
  claudevil daemon restart          for example after an upgrade
  claudevil daemon restart --force  one that does not answer
  claudevil daemon logs -f          what it does, as it does it

It is started by itself when something is asked, and ends when nothing is.";

#[derive(clap::Subcommand)]
pub enum Command {
    /// Start the daemon, if it is not running
    Start,
    /// Let the daemon finish its calls and exit; the next question starts it again
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
    /// Run the daemon here, in the foreground
    Run,
}

pub async fn run(command: Command, paths: Paths, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
    match command {
        Command::Start => start(paths, terminal).await,
        Command::Stop { force } => {
            stop(&paths, Force::from(force), terminal).await?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Restart { force } => {
            // The answer of a restart is what runs afterwards.
            let json = std::mem::replace(&mut terminal.json, false);
            let stopped = stop(&paths, Force::from(force), terminal).await;
            terminal.json = json;
            stopped?;
            start(paths, terminal).await
        }
        Command::Status => status(paths, terminal).await,
        Command::Logs(arguments) => logs::run(arguments, &paths, terminal).await,
        Command::Run => foreground(),
    }
}

/// What to do with a daemon that does not answer.
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
    // Not by connecting: where systemd holds the socket, that would start the daemon.
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
    terminal.line(paint(FAINT, format_args!("{connections}; socket {}; logs {}", info.address, info.log_directory)))?;
    Ok(())
}

/// Stops the daemon, comes back when it is gone, and says so.
pub async fn stop(paths: &Paths, force: Force, terminal: &mut Terminal) -> Result<(), Failure> {
    let outcome = ended(paths, force).await?;
    say(terminal, outcome)
}

/// Stops the daemon and comes back when it is gone.
pub async fn ended(paths: &Paths, force: Force) -> Result<&'static str, Failure> {
    if !is_running(paths)? {
        return Ok("not running");
    }
    let asked = Client::new(paths.clone(), Launch::Never).shutdown().await;
    // One that does not even answer will not do better for being waited for.
    let patience = if asked.is_ok() { STOP_PATIENCE } else { SILENT_PATIENCE };
    if let Err(error) = asked {
        // Whoever only looked at the lock has let it go by now; what is left is a daemon that does not answer.
        if lock::lock(&paths.daemon_lock(), PROBE_PATIENCE).await?.is_some() {
            return Ok("not running");
        }
        let Some(holder) = lock::holder::<LockHolder>(&paths.daemon_lock()) else { return Err(error.into()) };
        signal(holder.pid, force)?;
    }
    if lock::lock(&paths.daemon_lock(), patience).await?.is_some() {
        return Ok("stopped");
    }
    let stuck = ToolError::new(ErrorCode::DaemonUnreachable, "the daemon does not stop");
    if force == Force::Ask {
        return Err(stuck.with_hint("claudevil daemon stop --force").into());
    }
    // It took the request, and hangs.
    let Some(holder) = lock::holder::<LockHolder>(&paths.daemon_lock()) else { return Err(stuck.into()) };
    signal(holder.pid, force)?;
    match lock::lock(&paths.daemon_lock(), SILENT_PATIENCE).await? {
        Some(_free) => Ok("stopped"),
        None => Err(stuck.with_hint(format!("end process {} by hand", holder.pid)).into()),
    }
}

fn say(terminal: &mut Terminal, outcome: &str) -> Result<(), Failure> {
    if terminal.json {
        terminal.json(&serde_json::json!({ "running": false, "outcome": outcome }))?;
    } else {
        terminal.note(outcome);
    }
    Ok(())
}

/// Whether some daemon holds the lock.
pub fn is_running(paths: &Paths) -> std::io::Result<bool> {
    let path = paths.daemon_lock();
    if !path.exists() {
        return Ok(false);
    }
    Ok(lock::try_lock(&path)?.is_none())
}

#[cfg(unix)]
fn signal(pid: u32, force: Force) -> Result<(), Failure> {
    use rustix::process::{Pid, Signal, kill_process};
    let signal = if force == Force::Kill { Signal::KILL } else { Signal::TERM };
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let Some(pid) = pid else { return Ok(()) };
    kill_process(pid, signal).map_err(|error| Failure::Io(error.into()))
}

#[cfg(not(unix))]
fn signal(pid: u32, _force: Force) -> Result<(), Failure> {
    Err(ToolError::new(ErrorCode::DaemonUnreachable, format!("the daemon (pid {pid}) does not answer"))
        .with_hint("end it in the task manager")
        .into())
}

#[cfg(unix)]
fn foreground() -> Result<ExitCode, Failure> {
    use std::os::unix::process::CommandExt;
    // Becomes the daemon; comes back only if it cannot.
    Err(std::process::Command::new(daemon_binary()?).arg("run").exec().into())
}

#[cfg(not(unix))]
fn foreground() -> Result<ExitCode, Failure> {
    let ended = std::process::Command::new(daemon_binary()?).arg("run").status()?;
    Ok(ended.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}
