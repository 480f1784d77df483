//! Reports the start to whoever started the daemon, and receives the signals that end it.

use std::io::{self, Write};

use claudevil_protocol::daemon_info::Supervision;
use claudevil_protocol::start::StartReport;

/// Reports the start: as a line of JSON to a client, as text to a person, and to the service manager.
pub fn send(supervision: Supervision, report: &StartReport) {
    if supervision == Supervision::Detached {
        let line = serde_json::to_string(report).unwrap_or_default();
        // A client that is gone does not need the answer.
        let _ = writeln!(io::stdout(), "{line}").and_then(|()| io::stdout().flush());
        close_stdout();
        return;
    }
    let words = match report {
        StartReport::Ready { pid } => format!("claudevild is ready (pid {pid})"),
        StartReport::AlreadyRunning { pid: Some(pid) } => {
            format!("another claudevild is running (pid {pid})")
        }
        StartReport::AlreadyRunning { pid: None } => "another claudevild is running".to_owned(),
        StartReport::Failed { message } => format!("claudevild cannot start: {message}"),
    };
    let _ = writeln!(io::stderr(), "{words}");
    if matches!(report, StartReport::Ready { .. }) {
        notify_ready();
    }
}

#[cfg(unix)]
mod platform {
    use std::fs::File;
    use std::io;

    use sd_notify::NotifyState;
    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// Closes the pipe of the client that started the daemon.
    pub fn close_stdout() {
        if let Ok(null) = File::options().write(true).open("/dev/null") {
            let _ = rustix::stdio::dup2_stdout(&null);
        }
    }

    pub fn notify_ready() {
        // Without a service manager there is no one to notify.
        let _ = sd_notify::notify(&[NotifyState::Ready]);
    }

    pub fn stopping() {
        let _ = sd_notify::notify(&[NotifyState::Stopping]);
    }

    /// The signals that end the daemon.
    pub struct ExitSignals {
        terminate: Signal,
        interrupt: Signal,
        hang_up: Signal,
        /// Never read: with a handler, a write beyond a file size limit fails instead of killing the process.
        _file_too_large: Signal,
    }

    /// SIGXFSZ has this number on every system we run on.
    const FILE_TOO_LARGE: i32 = 25;

    impl ExitSignals {
        pub fn new() -> io::Result<Self> {
            Ok(Self {
                terminate: signal(SignalKind::terminate())?,
                interrupt: signal(SignalKind::interrupt())?,
                hang_up: signal(SignalKind::hangup())?,
                _file_too_large: signal(SignalKind::from_raw(FILE_TOO_LARGE))?,
            })
        }

        pub async fn next(&mut self) -> &'static str {
            tokio::select! {
                _ = self.terminate.recv() => "SIGTERM",
                _ = self.interrupt.recv() => "SIGINT",
                _ = self.hang_up.recv() => "SIGHUP",
            }
        }
    }
}

#[cfg(not(unix))]
mod platform {
    use std::io;

    pub fn close_stdout() {}

    pub fn notify_ready() {}

    pub fn stopping() {}

    /// The signals that end the daemon.
    pub struct ExitSignals;

    impl ExitSignals {
        pub fn new() -> io::Result<Self> {
            Ok(Self)
        }

        pub async fn next(&mut self) -> &'static str {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
            "Ctrl-C"
        }
    }
}

pub use platform::{ExitSignals, stopping};
use platform::{close_stdout, notify_ready};
