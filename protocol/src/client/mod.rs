//! The client of the daemon: connects, starts it when it is missing, and survives its restarts.
//!
//! A call that finds no daemon starts one; nothing is ever started in the background, so that `daemon stop` holds
//! until some session makes a call. A call whose connection breaks is made again where that is safe.

mod connection;
mod failed_starts;
pub mod launch;

use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tarpc::client::RpcError;
use tarpc::context::Context;

use crate::call::{Call, Progress, Project};
use crate::daemon_info::DaemonInfo;
use crate::editor::{BufferChange, BufferState, EditorAnswer, EditorRequest};
use crate::endpoint::Endpoint;
use crate::error::{ErrorCode, ToolError};
use crate::paths::Paths;
use crate::service::{ClaudevilClient, Method, RemoteTool};
use crate::sharing::{SharingReport, SharingRequest};
use crate::text::{CliCommand, Line, NextCall};
use crate::tools::Replay;
use crate::version::Identity;

pub use connection::Connection;

/// Waits between attempts at a call whose connection broke. Their number bounds the attempts.
const BACKOFF: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_millis(50),
    Duration::from_millis(400),
];

/// Maximum number of replays of a call: one that crashes its daemon must not crash every successor.
const MAX_REPLAYS: u32 = 1;

/// The action if no daemon runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launch {
    /// Start it, unless starting has just failed several times.
    WhenMissing,
    /// Start it, however often it has failed: a person asked for it.
    Insist,
    /// Say that it is not running.
    Never,
}

pub struct Client {
    paths: Paths,
    endpoint: Endpoint,
    identity: Identity,
    launch: Launch,
    /// The one root that every call of this client is confined to.
    only_root: Option<String>,
    /// False for a client whose answers are parts of a larger one.
    is_counted: bool,
    connection: tokio::sync::Mutex<Slot>,
    /// Set once an older daemon was asked to make way. If an older one is there again, a service manager restarts it.
    replaced: AtomicBool,
    calls: AtomicU64,
}

#[derive(Default)]
struct Slot {
    connection: Option<Connection>,
    /// When the last attempt to connect failed, and why.
    failed: Option<(Instant, ToolError)>,
}

/// The options of a call.
#[derive(Default)]
pub struct CallOptions<'a> {
    pub project: Option<Project>,
    /// Called with the progress of the call now and then.
    pub progress: Option<Box<dyn FnMut(Progress) + Send + 'a>>,
}

impl Client {
    pub fn new(paths: Paths, launch: Launch) -> Self {
        Self {
            endpoint: Endpoint::new(&paths),
            paths,
            identity: Identity::own(),
            launch,
            only_root: None,
            is_counted: true,
            connection: tokio::sync::Mutex::default(),
            replaced: AtomicBool::new(false),
            calls: AtomicU64::new(1),
        }
    }

    /// Confines every call to one root, by path or name: the daemon refuses those about any other.
    #[must_use]
    pub fn confined_to(self, root: Option<String>) -> Self {
        Self {
            only_root: root,
            ..self
        }
    }

    /// Keeps the answers to this client out of the statistics that a status shows: they are parts of a larger answer.
    #[must_use]
    pub fn uncounted(self) -> Self {
        Self {
            is_counted: false,
            ..self
        }
    }

    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub async fn daemon_info(&self) -> Result<DaemonInfo, ToolError> {
        self.call(Method::DAEMON_INFO, |rpc, context| async move {
            rpc.daemon_info(context).await
        })
        .await
    }

    /// Asks the daemon to exit. Returns the pid of the daemon that agreed; its successor is never asked in its place.
    pub async fn shutdown(&self) -> Result<u32, ToolError> {
        let connection = self.connection().await?;
        let mut context = tarpc::context::current();
        context.deadline = Instant::now() + Method::SHUTDOWN.deadline;
        match connection.rpc.shutdown(context).await {
            Ok(agreed) => agreed.map(|()| connection.pid),
            Err(error) => Err(broken(Method::SHUTDOWN, &error).unwrap_or_else(|error| error)),
        }
    }

    /// Calls a tool, and reports its progress meanwhile.
    pub async fn ask<P: RemoteTool>(
        &self,
        asking: CallOptions<'_>,
        params: P,
    ) -> Result<P::Answer, ToolError> {
        params.validate()?;
        let method = params.method();
        self.ask_method(asking, method, |rpc, context, call| {
            params.clone().send(rpc, context, call)
        })
        .await
    }

    /// Sends the request of an editor, and reports its progress meanwhile.
    pub async fn ask_editor(
        &self,
        asking: CallOptions<'_>,
        request: &EditorRequest,
    ) -> Result<EditorAnswer, ToolError> {
        self.ask_method(asking, Method::ASK_EDITOR, |rpc, context, call| {
            let request = request.clone();
            async move { rpc.ask_editor(context, call, request).await }
        })
        .await
    }

    /// Sends a request about the vectors that a team shares, and reports its progress meanwhile.
    pub async fn share_vectors(
        &self,
        asking: CallOptions<'_>,
        request: SharingRequest,
    ) -> Result<SharingReport, ToolError> {
        self.ask_method(
            asking,
            Method::SHARE_VECTORS,
            |rpc, context, call| async move { rpc.share_vectors(context, call, request).await },
        )
        .await
    }

    /// Changes the open texts of the current connection. A daemon that was started since has none of them.
    pub async fn change_buffer(&self, change: &BufferChange) -> Result<BufferState, ToolError> {
        self.call(Method::CHANGE_BUFFER, |rpc, context| {
            let change = change.clone();
            async move { rpc.change_buffer(context, change).await }
        })
        .await
    }

    async fn ask_method<T, F>(
        &self,
        asking: CallOptions<'_>,
        method: Method,
        make: impl Fn(ClaudevilClient, Context, Call) -> F,
    ) -> Result<T, ToolError>
    where
        F: Future<Output = Result<Result<T, ToolError>, RpcError>>,
    {
        let CallOptions { project, progress } = asking;
        let id = self.calls.fetch_add(1, Ordering::Relaxed);
        let call = Call {
            id,
            project,
            progress: progress.is_some(),
            only_root: self.only_root.clone(),
            is_counted: self.is_counted,
        };
        // The future of a call is as large as the largest answer: boxed to keep it out of the caller's future.
        let answer = Box::pin(self.call(method, |rpc, context| make(rpc, context, call.clone())));
        match progress {
            Some(report) => self.while_reporting(id, report, answer).await,
            None => answer.await,
        }
    }

    async fn while_reporting<T>(
        &self,
        call: u64,
        mut report: impl FnMut(Progress),
        answer: impl Future<Output = T>,
    ) -> T {
        tokio::pin!(answer);
        let mut seen = 0;
        loop {
            tokio::select! {
                biased;
                answer = &mut answer => return answer,
                news = self.news(call, seen) => match news {
                    Some(progress) => {
                        seen = progress.sequence;
                        report(progress);
                    }
                    None => return answer.await,
                },
            }
        }
    }

    async fn news(&self, call: u64, seen: u64) -> Option<Progress> {
        let watch = |rpc: ClaudevilClient, context| async move {
            rpc.watch_progress(context, call, seen).await.map(Ok)
        };
        self.call(Method::WATCH_PROGRESS, watch)
            .await
            .ok()
            .flatten()
    }

    async fn call<T, F>(
        &self,
        method: Method,
        make: impl Fn(ClaudevilClient, Context) -> F,
    ) -> Result<T, ToolError>
    where
        F: Future<Output = Result<Result<T, ToolError>, RpcError>>,
    {
        let mut last = None;
        let mut replays = 0;
        for wait in BACKOFF {
            // A timer rounds up to a millisecond, which is longer than most calls.
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
            let connection = self.connection().await?;
            let mut context = tarpc::context::current();
            context.deadline = Instant::now() + method.deadline;
            match make(connection.rpc.clone(), context).await {
                Ok(Err(error)) if error.code == ErrorCode::Draining => last = Some(error),
                Ok(answer) => return answer,
                Err(error) => {
                    let error = broken(method, &error)?;
                    replays += 1;
                    if replays > MAX_REPLAYS {
                        return Err(error);
                    }
                    last = Some(error);
                }
            }
            self.forget(&connection).await;
        }
        Err(last.unwrap_or_else(|| {
            ToolError::new(ErrorCode::DaemonUnreachable, "the daemon cannot be reached")
        }))
    }

    async fn connection(&self) -> Result<Connection, ToolError> {
        let asked = Instant::now();
        let mut slot = self.connection.lock().await;
        if let Some(connection) = slot
            .connection
            .as_ref()
            .filter(|connection| connection.is_open())
        {
            return Ok(connection.clone());
        }
        // Calls that waited while an attempt failed share its error; otherwise each would wait for a failure of its own.
        if let Some((_, error)) = slot.failed.as_ref().filter(|(at, _)| *at > asked) {
            return Err(error.clone());
        }
        // Boxed because it is rarely needed and large.
        match Box::pin(self.establish()).await {
            Ok(connection) => {
                *slot = Slot {
                    connection: Some(connection.clone()),
                    failed: None,
                };
                Ok(connection)
            }
            Err(error) => {
                slot.failed = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    async fn forget(&self, broken: &Connection) {
        let mut slot = self.connection.lock().await;
        if slot
            .connection
            .as_ref()
            .is_some_and(|connection| connection.is_same(broken))
        {
            slot.connection = None;
        }
    }
}

/// Names the call that shows whether another one took effect.
fn shows_effect(method: &str) -> Line {
    let list = |tool| NextCall::new(tool).with("action", "list");
    match method {
        "rename_symbol" => Line::from("`git diff`, or ")
            .call(NextCall::new("find_symbol"))
            .text(" for the new name,"),
        "checkpoint" => NextCall::new("recall").into(),
        "plan" => list("plan").into(),
        _ => Line::new()
            .call(NextCall::new("index_status"))
            .text(" or ")
            .call(list("manage_roots")),
    }
}

/// Decides whether a failed exchange may be tried again: `Ok` with the error to report if that fails too, or the final
/// error.
fn broken(method: Method, error: &RpcError) -> Result<ToolError, ToolError> {
    let name = method.name;
    match error {
        RpcError::Shutdown | RpcError::Channel(_) if method.replay == Replay::Safe => {
            Ok(ToolError::new(
                ErrorCode::DaemonUnreachable,
                format!("the daemon went away during {name}: {error}"),
            )
            .with_hint(
                Line::new()
                    .command(CliCommand::DaemonLogs)
                    .text(" may say why; ")
                    .command(CliCommand::Doctor)
                    .text(" checks the installation"),
            ))
        }
        RpcError::Shutdown | RpcError::Channel(_) => Err(ToolError::new(
            ErrorCode::DaemonUnreachable,
            format!("the daemon went away during {name}, which may or may not have taken effect"),
        )
        .with_hint(
            Line::from("check with ")
                .line(shows_effect(name))
                .text(" before you repeat it"),
        )),
        RpcError::DeadlineExceeded => Err(ToolError::new(
            ErrorCode::Cancelled,
            format!(
                "{name} took longer than {} s and was cancelled",
                method.deadline.as_secs()
            ),
        )
        .with_hint(Line::from("narrow the question, or look at ").command(CliCommand::Status))),
        RpcError::Send(source) => Err(ToolError::invalid_argument(format!(
            "{name} could not be sent: {source}"
        ))),
        RpcError::Server(source) if source.kind == std::io::ErrorKind::WouldBlock => Err(
            ToolError::new(ErrorCode::Busy, "this session has too many calls in flight")
                .with_hint("try again when some of them have finished"),
        ),
        RpcError::Server(source) => Err(ToolError::new(
            ErrorCode::Internal,
            format!("{name}: {source}"),
        )),
    }
}
