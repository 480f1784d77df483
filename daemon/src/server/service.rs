//! The service: admits a call, runs its query where it may block, and returns the answer if it fits the wire.

use std::sync::Arc;
use std::time::Instant;

use claudevil_protocol::answer::Answer;
use claudevil_protocol::call::{Call, Progress};
use claudevil_protocol::daemon_info::DaemonInfo;
use claudevil_protocol::editor::{BufferChange, BufferState, EditorAnswer, EditorRequest};
use claudevil_protocol::service::Claudevil;
use claudevil_protocol::sharing::{SharingReport, SharingRequest};
use claudevil_protocol::text::{CliCommand, Line, NextCall, quantity};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::index_status::{Details, RootStatus};
use claudevil_protocol::{ErrorCode, ToolError, tools, wire};
use serde::Serialize;
use tarpc::context::Context;

use super::Server;
use super::admission::SessionShare;
use super::progress::CallProgress;
use super::{savings, usage};
use crate::query::editor::Buffers;
use crate::query::{self, editor, sharing};
use crate::source::cancel::CancelToken;
use crate::store::INDEX_FORMAT;

/// The bytes reserved for the envelope of an answer.
const ENVELOPE: usize = 1024;

/// One client's view of the server.
#[derive(Clone)]
pub struct Session {
    server: Arc<Server>,
    progress: CallProgress,
    share: SessionShare,
    buffers: Arc<Buffers>,
}

/// One call of a session, until its deadline.
#[derive(Clone)]
pub struct SessionCall {
    session: Session,
    deadline: Instant,
}

impl Session {
    pub fn new(server: Arc<Server>) -> Self {
        Self {
            share: server.calls.share(),
            buffers: Arc::new(Buffers::new(server.config.index.largest_file)),
            server,
            progress: CallProgress::default(),
        }
    }

    pub fn call(&self, deadline: Instant) -> SessionCall {
        SessionCall {
            session: self.clone(),
            deadline,
        }
    }
}

impl SessionCall {
    /// Answers a tool.
    async fn run<P, T>(
        &self,
        call: Call,
        params: P,
        query: fn(&query::Context, &P) -> Result<T, ToolError>,
    ) -> Result<T, ToolError>
    where
        P: Tool + Send + 'static,
        T: Answer + Send + 'static,
    {
        params.validate()?;
        let is_counted = call.is_counted && P::INFO.replaces_reading;
        let counted = is_counted.then(|| savings::CountedCall::new(&params));
        let work = move |context: &query::Context| query(context, &params);
        let answer = self.run_blocking(P::NAME, call, work).await?;
        let answer = refuse_premature_emptiness(answer).and_then(fit)?;
        if let Some(counted) = counted {
            savings::count(&self.session.server, counted, &answer);
        }
        Ok(answer)
    }

    /// Runs a query on a blocking thread. If the caller disconnects, the query is cancelled.
    async fn run_blocking<T: Send + 'static>(
        &self,
        name: &'static str,
        call: Call,
        query: impl FnOnce(&query::Context) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let mut leaving = self.session.server.leaving.subscribe();
        let permit = tokio::select! {
            biased;
            // A call that has not begun is left to the next daemon.
            _ = leaving.wait_for(|leaving| *leaving) => return Err(draining()),
            permit = self.session.server.calls.enter(&self.session.share, self.deadline) => permit?,
        };
        let cancel = CancelToken::default();
        let _cancel_when_abandoned = cancel.on_drop();
        let running = call.progress.then(|| self.session.progress.begin(call.id));
        let server = Arc::clone(&self.session.server);
        let mut cut_off = self.session.server.cut_off.subscribe();
        let work = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let progress = |done, total, message: &str| {
                if let Some(running) = &running {
                    running.post(done, total, message);
                }
            };
            let context = query::Context {
                roots: &server.roots,
                indexes: &server.indexes,
                changes: &server.changes,
                memory: &server.memory,
                daemon: &*server,
                call: &call,
                cancel: &cancel,
                progress: &progress,
            };
            #[cfg(debug_assertions)]
            super::fault::inject(&context, name);
            query(&context)
        });
        let answer = tokio::select! {
            answer = work => answer,
            // The client gets an answer, because it would repeat the call after a broken connection.
            _ = cut_off.wait_for(|cut_off| *cut_off) => {
                return Err(ToolError::new(ErrorCode::Cancelled, "the daemon was stopped before the call was done"));
            }
        };
        answer.unwrap_or_else(|panicked| {
            tracing::error!(tool = name, error = %panicked, "a query panicked");
            Err(ToolError::new(
                ErrorCode::Internal,
                format!("{name} crashed; the daemon is still running"),
            )
            .with_hint(
                Line::new()
                    .command(CliCommand::DaemonLogs)
                    .text(" has the details; please report them"),
            ))
        })
    }
}

fn draining() -> ToolError {
    ToolError::new(ErrorCode::Draining, "the daemon is exiting")
}

/// Turns an empty answer into an error if the index is not complete, because the missing files may contain a result.
fn refuse_premature_emptiness<T: Answer>(answer: T) -> Result<T, ToolError> {
    let Some(freshness) = answer
        .freshness()
        .filter(|freshness| freshness.is_unfinished())
    else {
        return Ok(answer);
    };
    if answer.items() > 0 {
        return Ok(answer);
    }
    let lacks = Line::join(freshness.warnings(), "; ");
    Err(ToolError::new(
        ErrorCode::Indexing,
        Line::from("nothing found so far (").line(lacks).text(")"),
    )
    .with_hint(
        Line::from("ask again in a moment; ")
            .call(NextCall::new("index_status"))
            .text(" shows the progress"),
    ))
}

/// Refuses an answer above the frame's limit, which would break the connection and all calls on it.
fn fit<T: Serialize>(answer: T) -> Result<T, ToolError> {
    let size = wire::encoded_size(&answer);
    if size + ENVELOPE <= wire::RESPONSE_LIMIT {
        return Ok(answer);
    }
    let (has, most) = (
        quantity::bytes(size as u64),
        quantity::bytes(wire::RESPONSE_LIMIT as u64),
    );
    let error = ToolError::new(
        ErrorCode::TooLarge,
        format!("the answer is {has}; one message carries at most {most}"),
    );
    Err(error.with_hint(
        Line::new().words(
            "give a lower `limit`, or a part of the project: `path` or `root` with a folder",
        ),
    ))
}

macro_rules! service {
    ($($name:ident: $module:ident::$params:ident;)*) => {
        impl Claudevil for SessionCall {
            async fn daemon_info(self, _: Context) -> Result<DaemonInfo, ToolError> {
                Ok(self.session.server.info())
            }

            async fn shutdown(self, _: Context) -> Result<(), ToolError> {
                self.session.server.leave("asked to");
                Ok(())
            }

            async fn watch_progress(self, _: Context, call: u64, seen: u64) -> Option<Progress> {
                let mut leaving = self.session.server.leaving.subscribe();
                tokio::select! {
                    news = self.session.progress.watch(call, seen) => news,
                    // A watcher does not keep the daemon from exiting.
                    _ = leaving.wait_for(|leaving| *leaving) => None,
                }
            }

            async fn change_buffer(
                self,
                _: Context,
                change: BufferChange,
            ) -> Result<BufferState, ToolError> {
                if self.session.server.is_leaving() {
                    return Err(draining());
                }
                self.session.buffers.apply(change)
            }

            async fn ask_editor(
                self,
                _: Context,
                call: Call,
                request: EditorRequest,
            ) -> Result<EditorAnswer, ToolError> {
                let buffers = Arc::clone(&self.session.buffers);
                let work = move |context: &query::Context| editor::answer(context, &buffers, &request);
                self.run_blocking("ask_editor", call, work).await.and_then(fit)
            }

            $(async fn $name(
                self,
                _: Context,
                call: Call,
                params: tools::$module::$params,
            ) -> Result<<tools::$module::$params as Tool>::Answer, ToolError> {
                self.run(call, params, query::$module::$name).await
            })*

            async fn share_vectors(
                self,
                _: Context,
                call: Call,
                request: SharingRequest,
            ) -> Result<SharingReport, ToolError> {
                let work = move |context: &query::Context| sharing::answer(context, &request);
                self.run_blocking("share_vectors", call, work).await
            }
        }
    };
}
claudevil_protocol::for_each_tool!(service);

impl query::DaemonState for Server {
    fn info(&self) -> DaemonInfo {
        let info = self.info();
        DaemonInfo {
            // The query that asks is a running call.
            calls_in_flight: info.calls_in_flight.saturating_sub(1),
            ..info
        }
    }

    fn ignored_settings(&self) -> &[String] {
        &self.config.ignored
    }

    fn add_savings(&self, roots: &mut [RootStatus]) {
        self.savings.add_to_status(self.roots.store(), roots);
    }

    fn details(&self, call: &Call) -> Details {
        details(self, call)
    }
}

fn details(server: &Server, call: &Call) -> Details {
    Details {
        index_format: INDEX_FORMAT,
        compiler: env!("CLAUDEVIL_COMPILER").to_owned(),
        tools: tools::TOOLS
            .iter()
            .map(|tool| tool.name.to_owned())
            .collect(),
        settings: [
            server.config.settings.clone(),
            query::index_status::chunking(&server.roots.visible(call)),
        ]
        .concat(),
        warnings: server.config.warnings.clone(),
        bytes_on_disk: crate::store::bytes_below(server.paths.data()),
        free_bytes: fs2::available_space(server.paths.data()).ok(),
        memory_bytes: usage::resident_bytes(),
    }
}
