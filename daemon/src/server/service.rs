//! The service: admits a call, runs its query where it may block, and hands back what fits the wire.

use std::sync::Arc;
use std::time::Instant;

use claudevil_protocol::answer::Answer;
use claudevil_protocol::call::{Call, Progress};
use claudevil_protocol::daemon_info::DaemonInfo;
use claudevil_protocol::service::Claudevil;
use claudevil_protocol::text::{self, quantity};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::analyze_complexity::{AnalyzeComplexity, Complexity};
use claudevil_protocol::tools::call_path::{CallChains, CallPath};
use claudevil_protocol::tools::calls::{CalleeList, CallerList, FindCallees, FindCallers};
use claudevil_protocol::tools::checkpoint::{Checkpoint, Saved};
use claudevil_protocol::tools::deep_dive::{DeepDive, Dive};
use claudevil_protocol::tools::explore::{Exploration, Explore};
use claudevil_protocol::tools::find_implementations::{FindImplementations, Implementations};
use claudevil_protocol::tools::find_references::{FindReferences, References};
use claudevil_protocol::tools::find_similar::{FindSimilar, SimilarCode};
use claudevil_protocol::tools::find_symbol::{FindSymbol, SymbolList};
use claudevil_protocol::tools::get_call_graph::{CallGraph, GetCallGraph};
use claudevil_protocol::tools::get_dependencies::{Dependencies, GetDependencies};
use claudevil_protocol::tools::impact_analysis::{Impact, ImpactAnalysis};
use claudevil_protocol::tools::index_status::{Details, Health, IndexStatus, Status};
use claudevil_protocol::tools::list_files::{FileList, ListFiles};
use claudevil_protocol::tools::manage_roots::{ManageRoots, RootList};
use claudevil_protocol::tools::map_code::{CodeMap, MapCode};
use claudevil_protocol::tools::plan::{Plan, Plans};
use claudevil_protocol::tools::read_file::{FileText, ReadFile};
use claudevil_protocol::tools::recall::{Recall, Recalled};
use claudevil_protocol::tools::reindex::{IndexJob, Reindex};
use claudevil_protocol::tools::rename_symbol::{RenameSymbol, Renaming};
use claudevil_protocol::tools::search::{Search, SearchResults};
use claudevil_protocol::{ErrorCode, ToolError, tools, wire};
use serde::Serialize;
use tarpc::context::Context;

use super::Server;
use super::admission::SessionShare;
use super::progress::Board;
use super::{savings, usage};
use crate::clock;
use crate::query;
use crate::source::cancel::Cancel;
use crate::store::INDEX_FORMAT;

/// What the envelope around an answer may take.
const ENVELOPE: usize = 1024;

/// One client's view of the server.
#[derive(Clone)]
pub struct Session {
    server: Arc<Server>,
    board: Board,
    share: SessionShare,
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
            server,
            board: Board::default(),
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
    /// Runs a query on a thread that may block. If the caller goes away, the query is told.
    async fn run<P, T>(
        &self,
        call: Call,
        params: P,
        work: impl FnOnce(&Server, &query::Context, &P) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError>
    where
        P: Params + Send + 'static,
        T: Answer + Send + 'static,
    {
        params.validate()?;
        let mut leaving = self.session.server.leaving.subscribe();
        let turn = tokio::select! {
            biased;
            // A call that has not begun is for the successor.
            _ = leaving.wait_for(|leaving| *leaving) => {
                return Err(ToolError::new(ErrorCode::Draining, "the daemon is exiting"));
            }
            turn = self.session.server.calls.enter(&self.session.share, self.deadline) => turn?,
        };
        let asked = savings::Asked::of(&params);
        let cancel = Cancel::default();
        let _cancel_when_abandoned = cancel.on_drop();
        let running = call.progress.then(|| self.session.board.begin(call.id));
        let server = Arc::clone(&self.session.server);
        let mut cut_off = self.session.server.cut_off.subscribe();
        let work = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let progress = |done, total, message: &str| {
                if let Some(running) = &running {
                    running.post(done, total, message);
                }
            };
            let context = query::Context {
                roots: &server.roots,
                indexes: &server.indexes,
                call: &call,
                cancel: &cancel,
                progress: &progress,
            };
            #[cfg(debug_assertions)]
            super::fault::inject(&context, &params);
            work(&server, &context, &params)
        });
        let answer = tokio::select! {
            answer = work => answer,
            // Told so, rather than hung up on: a broken connection would have the call made again.
            _ = cut_off.wait_for(|cut_off| *cut_off) => {
                return Err(ToolError::new(ErrorCode::Cancelled, "the daemon was stopped before the call was done"));
            }
        };
        match answer {
            Ok(answer) => {
                let answer = answer.and_then(refuse_false_nothing).and_then(fit)?;
                savings::count(&self.session.server, asked, &answer);
                Ok(answer)
            }
            Err(panicked) => {
                tracing::error!(tool = P::NAME, error = %panicked, "a query panicked");
                Err(ToolError::new(
                    ErrorCode::Internal,
                    format!("{} failed inside; the daemon goes on", P::NAME),
                )
                .with_hint("`claudevil daemon logs` has the details; please report them"))
            }
        }
    }
}

/// Fails if nothing was found in an index that is not complete: only an index of all files can tell that there is nothing.
fn refuse_false_nothing<T: Answer>(answer: T) -> Result<T, ToolError> {
    let Some(freshness) = answer
        .freshness()
        .filter(|freshness| freshness.is_unfinished())
    else {
        return Ok(answer);
    };
    if answer.items() > 0 {
        return Ok(answer);
    }
    let lacks = text::freshness::lines(freshness).join("; ");
    Err(ToolError::new(
        ErrorCode::Indexing,
        format!("nothing found so far ({lacks})"),
    )
    .with_hint("ask again in a moment; index_status shows the progress"))
}

/// An answer above the frame's limit would break the connection and all calls on it.
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
        format!("the answer has {has}; one message carries {most}"),
    );
    Err(error.with_hint(
        "give a lower `limit`, or a part of the project: `path` or `root` with a folder",
    ))
}

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
            news = self.session.board.watch(call, seen) => news,
            // Waiting for news is not worth keeping a leaving daemon for.
            _ = leaving.wait_for(|leaving| *leaving) => None,
        }
    }

    async fn index_status(
        self,
        _: Context,
        call: Call,
        params: IndexStatus,
    ) -> Result<Status, ToolError> {
        let daemon = self.session.server.info();
        self.run(call, params, move |server, context, params| {
            let parts = query::index_status::parts(
                server.roots.store(),
                &server.indexes,
                &server.config.ignored,
            );
            let mut roots = query::index_status::roots(context, params)?;
            server.savings.tell(server.roots.store(), &mut roots);
            let unavailable = roots.iter().any(|root| root.unavailable.is_some());
            let worst = parts
                .iter()
                .map(|part| part.health)
                .max()
                .unwrap_or(Health::Healthy);
            Ok(Status {
                health: if unavailable {
                    worst.max(Health::Degraded)
                } else {
                    worst
                },
                parts,
                daemon,
                now: clock::now(),
                total_roots: server.roots.visible(context.call).len() as u64,
                roots,
                truncated: false,
                details: params
                    .detailed
                    .unwrap_or(false)
                    .then(|| details(server, context.call)),
            })
        })
        .await
    }

    async fn manage_roots(
        self,
        _: Context,
        call: Call,
        params: ManageRoots,
    ) -> Result<RootList, ToolError> {
        self.run(call, params, |_, context, params| {
            query::manage_roots::manage_roots(context, params)
        })
        .await
    }

    async fn list_files(
        self,
        _: Context,
        call: Call,
        params: ListFiles,
    ) -> Result<FileList, ToolError> {
        self.run(call, params, |_, context, params| {
            query::list_files::list_files(context, params)
        })
        .await
    }

    async fn read_file(
        self,
        _: Context,
        call: Call,
        params: ReadFile,
    ) -> Result<FileText, ToolError> {
        self.run(call, params, |_, context, params| {
            query::read_file::read_file(context, params)
        })
        .await
    }

    async fn find_symbol(
        self,
        _: Context,
        call: Call,
        params: FindSymbol,
    ) -> Result<SymbolList, ToolError> {
        self.run(call, params, |_, context, params| {
            query::find_symbol::find_symbol(context, params)
        })
        .await
    }

    async fn map_code(self, _: Context, call: Call, params: MapCode) -> Result<CodeMap, ToolError> {
        self.run(call, params, |_, context, params| {
            query::map_code::map_code(context, params)
        })
        .await
    }

    async fn analyze_complexity(
        self,
        _: Context,
        call: Call,
        params: AnalyzeComplexity,
    ) -> Result<Complexity, ToolError> {
        self.run(call, params, |_, context, params| {
            query::analyze_complexity::analyze_complexity(context, params)
        })
        .await
    }

    async fn get_dependencies(
        self,
        _: Context,
        call: Call,
        params: GetDependencies,
    ) -> Result<Dependencies, ToolError> {
        self.run(call, params, |_, context, params| {
            query::get_dependencies::get_dependencies(context, params)
        })
        .await
    }

    async fn reindex(self, _: Context, call: Call, params: Reindex) -> Result<IndexJob, ToolError> {
        self.run(call, params, |_, context, params| {
            query::reindex::reindex(context, params)
        })
        .await
    }

    async fn search(
        self,
        _: Context,
        call: Call,
        params: Search,
    ) -> Result<SearchResults, ToolError> {
        self.run(call, params, |_, context, params| {
            query::search::search(context, params)
        })
        .await
    }

    async fn find_similar(
        self,
        _: Context,
        call: Call,
        params: FindSimilar,
    ) -> Result<SimilarCode, ToolError> {
        self.run(call, params, |_, context, params| {
            query::find_similar::find_similar(context, params)
        })
        .await
    }

    async fn explore(
        self,
        _: Context,
        call: Call,
        params: Explore,
    ) -> Result<Exploration, ToolError> {
        self.run(call, params, |_, context, params| {
            query::explore::explore(context, params)
        })
        .await
    }

    async fn find_references(
        self,
        _: Context,
        call: Call,
        params: FindReferences,
    ) -> Result<References, ToolError> {
        self.run(call, params, |_, context, params| {
            query::find_references::find_references(context, params)
        })
        .await
    }

    async fn find_callers(
        self,
        _: Context,
        call: Call,
        params: FindCallers,
    ) -> Result<CallerList, ToolError> {
        self.run(call, params, |_, context, params| {
            query::calls::find_callers(context, params)
        })
        .await
    }

    async fn find_callees(
        self,
        _: Context,
        call: Call,
        params: FindCallees,
    ) -> Result<CalleeList, ToolError> {
        self.run(call, params, |_, context, params| {
            query::calls::find_callees(context, params)
        })
        .await
    }

    async fn get_call_graph(
        self,
        _: Context,
        call: Call,
        params: GetCallGraph,
    ) -> Result<CallGraph, ToolError> {
        self.run(call, params, |_, context, params| {
            query::get_call_graph::get_call_graph(context, params)
        })
        .await
    }

    async fn call_path(
        self,
        _: Context,
        call: Call,
        params: CallPath,
    ) -> Result<CallChains, ToolError> {
        self.run(call, params, |_, context, params| {
            query::call_path::call_path(context, params)
        })
        .await
    }

    async fn find_implementations(
        self,
        _: Context,
        call: Call,
        params: FindImplementations,
    ) -> Result<Implementations, ToolError> {
        self.run(call, params, |_, context, params| {
            query::find_implementations::find_implementations(context, params)
        })
        .await
    }

    async fn deep_dive(self, _: Context, call: Call, params: DeepDive) -> Result<Dive, ToolError> {
        self.run(call, params, |_, context, params| {
            query::deep_dive::deep_dive(context, params)
        })
        .await
    }

    async fn impact_analysis(
        self,
        _: Context,
        call: Call,
        params: ImpactAnalysis,
    ) -> Result<Impact, ToolError> {
        self.run(call, params, |_, context, params| {
            query::impact_analysis::impact_analysis(context, params)
        })
        .await
    }

    async fn rename_symbol(
        self,
        _: Context,
        call: Call,
        params: RenameSymbol,
    ) -> Result<Renaming, ToolError> {
        self.run(call, params, |server, context, params| {
            query::rename_symbol::rename_symbol(context, params, &server.changes)
        })
        .await
    }

    async fn checkpoint(
        self,
        _: Context,
        call: Call,
        params: Checkpoint,
    ) -> Result<Saved, ToolError> {
        self.run(call, params, |_, context, params| {
            query::checkpoint::checkpoint(context, params)
        })
        .await
    }

    async fn recall(self, _: Context, call: Call, params: Recall) -> Result<Recalled, ToolError> {
        self.run(call, params, |server, context, params| {
            query::recall::recall(context, params, &server.memory)
        })
        .await
    }

    async fn plan(self, _: Context, call: Call, params: Plan) -> Result<Plans, ToolError> {
        self.run(call, params, |server, context, params| {
            query::plan::plan(context, params, &server.memory, &server.changes)
        })
        .await
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
