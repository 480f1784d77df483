//! Starting the daemon: one client at a time, and the start's outcome in words.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::Command;

use super::connection::{Connection, Greeting, too_many_connections};
use super::{Client, Launch, failed_starts};
use crate::endpoint::create_private_file;
use crate::error::{ErrorCode, ToolError};
use crate::own_directory::OwnDirectory;
use crate::preamble::Intent;
use crate::start::{LockHolder, StartReport};
use crate::text::{CliCommand, Line};
use crate::{environment, lock};

/// Time limit for another client to start a daemon.
const START_LOCK_TIMEOUT: Duration = Duration::from_secs(70);
/// Time limit for a leaving daemon to finish its calls: longer than the longest that can be configured.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(35);
/// Time limit for a starting daemon, from its lock to its socket.
const BIND_TIMEOUT: Duration = Duration::from_secs(10);
const REPORT_TIMEOUT: Duration = Duration::from_secs(20);
/// Without a console of its own or of its parent. On Unix the daemon leaves the session by itself.
#[cfg(windows)]
const DETACHED_PROCESS: u32 = 0x0000_0008;
const ACCEPT_WAITS: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_millis(10),
    Duration::from_millis(50),
    Duration::from_millis(200),
    Duration::from_millis(800),
];

impl Client {
    /// Starts a daemon, or waits for the one that another client is starting.
    pub(super) async fn start_and_connect(&self) -> Result<Connection, ToolError> {
        if self.launch == Launch::Never {
            return Err(
                ToolError::new(ErrorCode::DaemonUnreachable, "the daemon is not running")
                    .with_hint(CliCommand::DaemonStart),
            );
        }
        OwnDirectory::Run
            .claim(&self.paths)
            .map_err(|error| cannot_start(&error.to_string()))?;
        let start_lock = lock::lock(&self.paths.start_lock(), START_LOCK_TIMEOUT)
            .await
            .map_err(|error| cannot_start(&error.to_string()))?;
        let Some(_start_lock) = start_lock else {
            return Err(cannot_start(
                "another client has been starting it for too long",
            ));
        };
        if let Some(connection) = self.wait_for_daemon_lock().await? {
            return Ok(connection);
        }
        let failures = self.paths.failed_starts();
        if self.launch == Launch::WhenMissing
            && let Some(last) = failed_starts::exhausted(&failures)
        {
            return Err(cannot_start(&format!(
                "it failed 3 times in the last minute; the last error: {last}"
            )));
        }
        if let Err(message) = self.spawn().await {
            failed_starts::record(&failures, &message);
            return Err(cannot_start(&message));
        }
        let connected = self.connect_to_started().await;
        match &connected {
            Ok(_) => failed_starts::clear(&failures),
            // It runs, and has as many clients as it serves.
            Err(error) if error.code == ErrorCode::Busy => failed_starts::clear(&failures),
            Err(error) => failed_starts::record(&failures, &error.message.to_string()),
        }
        connected
    }

    /// Returns a connection if there is a daemon after all, and `None` once there certainly is none: no process listens, and the
    /// lock is free. A daemon that holds the lock without listening is starting or exiting.
    async fn wait_for_daemon_lock(&self) -> Result<Option<Connection>, ToolError> {
        let path = self.paths.daemon_lock();
        let started = Instant::now();
        let mut pause = Duration::from_millis(2);
        loop {
            let is_busy = match self.greet(Intent::Use).await {
                // An older daemon was asked to make way before; if it is still there, it is used.
                Greeting::Connected { connection, .. } => return Ok(Some(connection)),
                Greeting::VersionUnsupported(daemon) => return Err(self.mismatch(&daemon)),
                Greeting::Unusable(why) => return Err(self.unusable(&why)),
                Greeting::Busy => true,
                Greeting::Absent | Greeting::Leaving | Greeting::QueueFull => false,
            };
            let free = lock::try_lock(&path).map_err(|error| cannot_start(&error.to_string()))?;
            if free.is_some() {
                return Ok(None);
            }
            let holder = lock::holder::<LockHolder>(&path);
            let is_leaving = holder.as_ref().is_some_and(|holder| holder.leaving);
            if started.elapsed()
                > if is_leaving {
                    DRAIN_TIMEOUT
                } else {
                    BIND_TIMEOUT
                }
            {
                if is_busy {
                    return Err(too_many_connections());
                }
                return Err(self.not_listening());
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }

    pub(super) fn not_listening(&self) -> ToolError {
        let holder = lock::holder::<LockHolder>(&self.paths.daemon_lock());
        let pid = holder.map_or_else(String::new, |holder| format!(" {}", holder.pid));
        cannot_start(&format!(
            "process{pid} holds the daemon's lock and accepts no connections"
        ))
    }

    async fn connect_to_started(&self) -> Result<Connection, ToolError> {
        let mut is_busy = false;
        for wait in ACCEPT_WAITS {
            tokio::time::sleep(wait).await;
            is_busy = match self.greet(Intent::Use).await {
                Greeting::Connected { connection, .. } => return Ok(connection),
                Greeting::VersionUnsupported(daemon) => return Err(self.mismatch(&daemon)),
                Greeting::Unusable(why) => return Err(self.unusable(&why)),
                Greeting::Busy => true,
                Greeting::Absent | Greeting::Leaving | Greeting::QueueFull => false,
            };
        }
        Err(if is_busy {
            too_many_connections()
        } else {
            cannot_start("it started, but does not accept connections")
        })
    }

    /// Spawns the daemon and waits for the report of its start.
    async fn spawn(&self) -> Result<(), String> {
        let binary = daemon_binary().map_err(|error| error.to_string())?;
        let errors = self.paths.start_errors();
        let mut command = Command::new(&binary);
        #[cfg(windows)]
        command.creation_flags(DETACHED_PROCESS);
        let mut child = command
            .args(["run", "--detached"])
            .env_clear()
            .envs(environment::for_daemon())
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(self.error_file(&errors))
            .spawn()
            .map_err(|error| format!("{} cannot be run: {error}", binary.display()))?;
        let Some(stdout) = child.stdout.take() else {
            return Err("its standard output is missing".to_owned());
        };
        let mut line = String::new();
        let mut reader = BufReader::new(stdout.take(1 << 16));
        match tokio::time::timeout(REPORT_TIMEOUT, reader.read_line(&mut line)).await {
            Err(_) => {
                // Its report would never be read.
                let _ = child.start_kill();
                Err(format!(
                    "it did not report within {} s",
                    REPORT_TIMEOUT.as_secs()
                ))
            }
            Ok(Err(error)) => Err(format!("its report cannot be read: {error}")),
            Ok(Ok(_)) => match serde_json::from_str(&line) {
                Ok(StartReport::Ready { .. } | StartReport::AlreadyRunning { .. }) => Ok(()),
                Ok(StartReport::Failed { message }) => Err(message),
                Err(_) => Err(died(&mut child, &errors).await),
            },
        }
    }

    fn error_file(&self, path: &Path) -> Stdio {
        let file = OwnDirectory::State
            .claim(&self.paths)
            .and_then(|()| create_private_file(path));
        file.map_or_else(|_| Stdio::null(), Stdio::from)
    }
}

fn cannot_start(why: &str) -> ToolError {
    let hint = Line::from("run ")
        .command(CliCommand::Doctor)
        .text(", which checks directories, permissions, locks and configuration; ")
        .command(CliCommand::DaemonRestartForce)
        .text(" replaces a daemon that hangs");
    let message = format!("the daemon cannot be started: {why}");
    ToolError::new(ErrorCode::DaemonUnreachable, message).with_hint(hint)
}

async fn died(child: &mut tokio::process::Child, errors: &Path) -> String {
    let how = match tokio::time::timeout(Duration::from_secs(1), child.wait()).await {
        Ok(Ok(status)) => status.to_string(),
        _ => "its exit status is unknown".to_owned(),
    };
    let said = last_words(errors).unwrap_or_default();
    if said.is_empty() {
        format!("it exited during startup ({how})")
    } else {
        format!("it exited during startup ({how}): {said}")
    }
}

fn last_words(errors: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(errors)?.take(4096).read_to_string(&mut text)?;
    let lines: Vec<_> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(3)
        .collect();
    Ok(lines.join(" / "))
}

/// Returns the daemon's binary: named by a variable, beside this one, or on PATH.
pub fn daemon_binary() -> io::Result<PathBuf> {
    if let Some(named) = environment::path(environment::DAEMON_BINARY) {
        return Ok(named);
    }
    let name = format!("claudevild{}", std::env::consts::EXE_SUFFIX);
    let beside = own_directory().map(|dir| dir.join(&name));
    let on_path = environment::variable("PATH").into_iter().flat_map(|path| {
        std::env::split_paths(&path)
            .map(|dir| dir.join(&name))
            .collect::<Vec<_>>()
    });
    beside.into_iter().chain(on_path).find(|candidate| is_file(candidate)).ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::NotFound,
            format!("{name} is neither beside this program nor on PATH: install it, or set CLAUDEVIL_DAEMON"),
        )
    })
}

/// Returns the folder of this program. After an upgrade the system reports its file as deleted; the folder is still
/// right.
fn own_directory() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    Some(fs::canonicalize(&own).unwrap_or(own).parent()?.to_owned())
}

fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file())
}
