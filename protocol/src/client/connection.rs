//! One connection: dial, exchange preambles, and ask an older daemon to make way.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::client::{Client, Launch};
use crate::error::{ErrorCode, ToolError};
use crate::preamble::{GREETING_TIMEOUT, Hello, Intent, Verdict, Welcome};
use crate::service::ClaudevilClient;
use crate::text::{CliCommand, Line};
use crate::version::Identity;
use crate::wire;

/// Time limit for a daemon that a service manager is just starting, which answers later than one that runs.
const STARTING_DAEMON_TIMEOUT: Duration = Duration::from_secs(8);
const BUSY_WAITS: [Duration; 4] = [
    Duration::from_millis(20),
    Duration::from_millis(100),
    Duration::from_millis(400),
    Duration::from_secs(1),
];

#[derive(Clone)]
pub struct Connection {
    pub(super) rpc: ClaudevilClient,
    /// The daemon at the other end.
    pub(super) pid: u32,
    open: Arc<AtomicBool>,
}

impl Connection {
    pub(super) fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.open, &other.open)
    }
}

/// The result of an attempt to connect.
pub(super) enum Greeting {
    Connected {
        connection: Connection,
        daemon: Identity,
    },
    /// No daemon listens.
    Absent,
    /// The daemon is exiting.
    Leaving,
    /// Too many connections for now.
    Busy,
    /// The daemon has not accepted the connections before this one.
    QueueFull,
    VersionUnsupported(Identity),
    /// Something listens that does not speak the protocol.
    Unusable(String),
}

impl Client {
    pub(super) async fn establish(&self) -> Result<Connection, ToolError> {
        let mut is_busy = false;
        for wait in BUSY_WAITS {
            let greeting = self.greet(Intent::Use).await;
            is_busy = matches!(greeting, Greeting::Busy);
            match greeting {
                Greeting::Connected { daemon, .. } if self.may_replace(&daemon) => {
                    return self.replace().await;
                }
                Greeting::Connected { connection, .. } => return Ok(connection),
                Greeting::VersionUnsupported(daemon) if self.may_replace(&daemon) => {
                    return self.replace().await;
                }
                Greeting::VersionUnsupported(daemon) => return Err(self.mismatch(&daemon)),
                Greeting::Absent | Greeting::Leaving => return self.start_and_connect().await,
                Greeting::Unusable(why) => return Err(self.unusable(&why)),
                Greeting::Busy | Greeting::QueueFull => tokio::time::sleep(wait).await,
            }
        }
        Err(if is_busy {
            too_many_connections()
        } else {
            self.not_listening()
        })
    }

    pub(super) async fn greet(&self, intent: Intent) -> Greeting {
        let mut stream = match self.endpoint.connect().await {
            Ok(stream) => stream,
            Err(error) => return Self::not_connected(&error),
        };
        let hello = Hello {
            client: self.identity.clone(),
            intent,
        };
        let exchange = async {
            hello.write(&mut stream).await?;
            Welcome::read(&mut stream).await
        };
        let timeout = if self.launch == Launch::Never {
            GREETING_TIMEOUT
        } else {
            STARTING_DAEMON_TIMEOUT
        };
        let welcome = match tokio::time::timeout(timeout, exchange).await {
            Ok(Ok(welcome)) => welcome,
            // The daemon accepted the connection and hung up before its preamble: it was exiting.
            Ok(Err(error)) if is_hang_up(&error) => return Greeting::Leaving,
            Ok(Err(error)) => return Greeting::Unusable(error.to_string()),
            Err(_) => {
                return Greeting::Unusable(format!("no answer within {} s", timeout.as_secs()));
            }
        };
        match welcome.verdict {
            Verdict::Accepted(_) => Greeting::Connected {
                connection: connected(stream, welcome.pid),
                daemon: welcome.daemon,
            },
            Verdict::VersionUnsupported => Greeting::VersionUnsupported(welcome.daemon),
            Verdict::Busy => Greeting::Busy,
            Verdict::Draining => Greeting::Leaving,
            Verdict::ForeignUser => Greeting::Unusable("it serves another user".to_owned()),
        }
    }

    fn not_connected(error: &io::Error) -> Greeting {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Greeting::Absent,
            io::ErrorKind::WouldBlock => Greeting::QueueFull,
            _ => Greeting::Unusable(error.to_string()),
        }
    }

    fn may_replace(&self, daemon: &Identity) -> bool {
        self.launch != Launch::Never
            && self.identity.is_newer_than(daemon)
            && !self.replaced.load(Ordering::Acquire)
    }

    async fn replace(&self) -> Result<Connection, ToolError> {
        self.replaced.store(true, Ordering::Release);
        match self.greet(Intent::Replace).await {
            // The daemon declined to make way, so it is used.
            Greeting::Connected { connection, .. } => Ok(connection),
            Greeting::VersionUnsupported(daemon) => Err(self.mismatch(&daemon)),
            Greeting::Unusable(why) => Err(self.unusable(&why)),
            Greeting::Absent | Greeting::Leaving | Greeting::Busy | Greeting::QueueFull => {
                self.start_and_connect().await
            }
        }
    }

    pub(super) fn mismatch(&self, daemon: &Identity) -> ToolError {
        let range = |side: &Identity| match (side.protocol.start(), side.protocol.end()) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first} to {last}"),
        };
        let message = format!(
            "this client (build {}, protocol {}) and the daemon (build {}, protocol {}) have no protocol version in common",
            self.identity.build,
            range(&self.identity),
            daemon.build,
            range(daemon)
        );
        let hint = if self.identity.is_newer_than(daemon) {
            Line::from("restart the daemon with this version: ").command(CliCommand::DaemonRestart)
        } else {
            "this session runs an older claudevil-mcp: restart the editor session to use the installed one".into()
        };
        ToolError::new(ErrorCode::VersionMismatch, message).with_hint(hint)
    }

    pub(super) fn unusable(&self, why: &str) -> ToolError {
        let address = self.endpoint.address().display();
        ToolError::new(
            ErrorCode::DaemonUnreachable,
            format!("the daemon at {address} cannot be used: {why}"),
        )
        .with_hint(
            Line::from("run ")
                .command(CliCommand::Doctor)
                .text("; ")
                .command(CliCommand::DaemonRestartForce)
                .text(" replaces a daemon that hangs"),
        )
    }
}

pub(super) fn too_many_connections() -> ToolError {
    ToolError::new(
        ErrorCode::Busy,
        "the daemon has reached its connection limit",
    )
    .with_hint("close some editor sessions, or raise `max_connections` in config.toml")
}

fn connected(stream: interprocess::local_socket::tokio::Stream, pid: u32) -> Connection {
    let tarpc::client::NewClient { client, dispatch } =
        ClaudevilClient::new(tarpc::client::Config::default(), wire::client(stream));
    let open = Arc::new(AtomicBool::new(true));
    let watched = Arc::clone(&open);
    tokio::spawn(async move {
        // The calls that were under way report how it ended.
        let _ = dispatch.await;
        watched.store(false, Ordering::Release);
    });
    Connection {
        rpc: client,
        pid,
        open,
    }
}

fn is_hang_up(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
    )
}
