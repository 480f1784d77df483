//! The service: one method per tool, and a few for the daemon itself.
//!
//! Methods are only ever added at the end: bincode numbers them by position.

use std::future::Future;
use std::time::Duration;

use tarpc::client::RpcError;
use tarpc::context::Context;

use crate::error::ToolError;
use crate::model::analyze_complexity::{AnalyzeComplexity, Complexity};
use crate::model::call::{Call, Progress};
use crate::model::call_path::{CallChains, CallPath};
use crate::model::calls::{CalleeList, CallerList, FindCallees, FindCallers};
use crate::model::checkpoint::{Checkpoint, Saved};
use crate::model::daemon::DaemonInfo;
use crate::model::deep_dive::{DeepDive, Dive};
use crate::model::explore::{Exploration, Explore};
use crate::model::find_implementations::{FindImplementations, Implementations};
use crate::model::find_references::{FindReferences, References};
use crate::model::find_similar::{FindSimilar, SimilarCode};
use crate::model::find_symbol::{FindSymbol, SymbolList};
use crate::model::get_call_graph::{CallGraph, GetCallGraph};
use crate::model::get_dependencies::{Dependencies, GetDependencies};
use crate::model::impact_analysis::{Impact, ImpactAnalysis};
use crate::model::index_status::{IndexStatus, Status};
use crate::model::list_files::{FileList, ListFiles};
use crate::model::manage_roots::{ManageRoots, RootAction, RootList};
use crate::model::map_code::{CodeMap, MapCode};
use crate::model::plan::{Plan, Plans};
use crate::model::read_file::{FileText, ReadFile};
use crate::model::recall::{Recall, Recalled};
use crate::model::reindex::{IndexJob, Reindex};
use crate::model::rename_symbol::{RenameSymbol, Renaming};
use crate::model::search::{Search, SearchResults};
use crate::model::{Answer, Params};

#[tarpc::service]
pub trait Claudevil {
    async fn daemon_info() -> Result<DaemonInfo, ToolError>;

    /// Drains and exits. Answers before it is done: the lock's release says that it is.
    async fn shutdown() -> Result<(), ToolError>;

    /// Waits for news of a call of the same connection. `None` once the call has ended.
    async fn watch_progress(call: u64, seen: u64) -> Option<Progress>;

    async fn index_status(call: Call, params: IndexStatus) -> Result<Status, ToolError>;

    async fn manage_roots(call: Call, params: ManageRoots) -> Result<RootList, ToolError>;

    async fn list_files(call: Call, params: ListFiles) -> Result<FileList, ToolError>;

    async fn read_file(call: Call, params: ReadFile) -> Result<FileText, ToolError>;

    async fn find_symbol(call: Call, params: FindSymbol) -> Result<SymbolList, ToolError>;

    async fn map_code(call: Call, params: MapCode) -> Result<CodeMap, ToolError>;

    async fn analyze_complexity(
        call: Call,
        params: AnalyzeComplexity,
    ) -> Result<Complexity, ToolError>;

    async fn get_dependencies(
        call: Call,
        params: GetDependencies,
    ) -> Result<Dependencies, ToolError>;

    async fn reindex(call: Call, params: Reindex) -> Result<IndexJob, ToolError>;

    async fn search(call: Call, params: Search) -> Result<SearchResults, ToolError>;

    async fn find_similar(call: Call, params: FindSimilar) -> Result<SimilarCode, ToolError>;

    async fn explore(call: Call, params: Explore) -> Result<Exploration, ToolError>;

    async fn find_references(call: Call, params: FindReferences) -> Result<References, ToolError>;

    async fn find_callers(call: Call, params: FindCallers) -> Result<CallerList, ToolError>;

    async fn find_callees(call: Call, params: FindCallees) -> Result<CalleeList, ToolError>;

    async fn get_call_graph(call: Call, params: GetCallGraph) -> Result<CallGraph, ToolError>;

    async fn call_path(call: Call, params: CallPath) -> Result<CallChains, ToolError>;

    async fn find_implementations(
        call: Call,
        params: FindImplementations,
    ) -> Result<Implementations, ToolError>;

    async fn deep_dive(call: Call, params: DeepDive) -> Result<Dive, ToolError>;

    async fn impact_analysis(call: Call, params: ImpactAnalysis) -> Result<Impact, ToolError>;

    async fn rename_symbol(call: Call, params: RenameSymbol) -> Result<Renaming, ToolError>;

    async fn checkpoint(call: Call, params: Checkpoint) -> Result<Saved, ToolError>;

    async fn recall(call: Call, params: Recall) -> Result<Recalled, ToolError>;

    async fn plan(call: Call, params: Plan) -> Result<Plans, ToolError>;
}

/// How a client treats a method.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    pub name: &'static str,
    pub deadline: Duration,
    pub replay: Replay,
}

/// Whether a call whose connection broke may be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Making it twice is as good as once.
    Safe,
    /// It may have had its effect: report the break.
    Never,
}

impl Method {
    pub const DAEMON_INFO: Self = Self::safe("daemon_info", 5);
    pub const SHUTDOWN: Self = Self {
        replay: Replay::Never,
        ..Self::safe("shutdown", 5)
    };
    pub const WATCH_PROGRESS: Self = Self {
        replay: Replay::Never,
        ..Self::safe("watch_progress", 60)
    };
    const fn safe(name: &'static str, seconds: u64) -> Self {
        Self {
            name,
            deadline: Duration::from_secs(seconds),
            replay: Replay::Safe,
        }
    }
}

/// Parameters that know their method: what a client needs to make the call.
pub trait Tool: Params + Clone + Send + Sync {
    type Answer: Answer + Send;

    fn method(&self) -> Method;

    fn send(
        self,
        rpc: ClaudevilClient,
        context: Context,
        call: Call,
    ) -> impl Future<Output = Result<Result<Self::Answer, ToolError>, RpcError>> + Send;
}

/// One row per tool: its parameters, its method and answer, how many seconds it may take, and whether it may be
/// repeated.
macro_rules! tools {
    ($($params:ty: $method:ident -> $answer:ty, $seconds:expr, $replay:expr;)*) => {$(
        impl Tool for $params {
            type Answer = $answer;

            fn method(&self) -> Method {
                let replay: fn(&Self) -> Replay = $replay;
                let seconds: fn(&Self) -> u64 = $seconds;
                Method { replay: replay(self), ..Method::safe(Self::TOOL, seconds(self)) }
            }

            async fn send(
                self,
                rpc: ClaudevilClient,
                context: Context,
                call: Call,
            ) -> Result<Result<$answer, ToolError>, RpcError> {
                rpc.$method(context, call, self).await
            }
        }
    )*};
}

tools! {
    IndexStatus: index_status -> Status, |_| 30, |_| Replay::Safe;
    ManageRoots: manage_roots -> RootList, |_| 15, |params| match params.action {
        RootAction::List => Replay::Safe,
        RootAction::Add | RootAction::Remove => Replay::Never,
    };
    ListFiles: list_files -> FileList, |_| 60, |_| Replay::Safe;
    ReadFile: read_file -> FileText, |_| 30, |_| Replay::Safe;
    FindSymbol: find_symbol -> SymbolList, |_| 30, |_| Replay::Safe;
    MapCode: map_code -> CodeMap, |_| 60, |_| Replay::Safe;
    AnalyzeComplexity: analyze_complexity -> Complexity, |_| 60, |_| Replay::Safe;
    GetDependencies: get_dependencies -> Dependencies, |_| 30, |_| Replay::Safe;
    Reindex: reindex -> IndexJob, |params| if params.waits() { 600 } else { 30 }, |_| Replay::Safe;
    Search: search -> SearchResults, |_| 30, |_| Replay::Safe;
    FindSimilar: find_similar -> SimilarCode, |_| 30, |_| Replay::Safe;
    Explore: explore -> Exploration, |_| 60, |_| Replay::Safe;
    FindReferences: find_references -> References, |_| 30, |_| Replay::Safe;
    FindCallers: find_callers -> CallerList, |_| 30, |_| Replay::Safe;
    FindCallees: find_callees -> CalleeList, |_| 30, |_| Replay::Safe;
    GetCallGraph: get_call_graph -> CallGraph, |_| 30, |_| Replay::Safe;
    CallPath: call_path -> CallChains, |_| 30, |_| Replay::Safe;
    FindImplementations: find_implementations -> Implementations, |_| 30, |_| Replay::Safe;
    DeepDive: deep_dive -> Dive, |_| 30, |_| Replay::Safe;
    ImpactAnalysis: impact_analysis -> Impact, |_| 60, |_| Replay::Safe;
    RenameSymbol: rename_symbol -> Renaming, |_| 120, |params| {
        if params.dry_run() { Replay::Safe } else { Replay::Never }
    };
    Checkpoint: checkpoint -> Saved, |_| 30, |_| Replay::Never;
    Recall: recall -> Recalled, |_| 30, |_| Replay::Safe;
    Plan: plan -> Plans, |_| 30, |params| if params.is_repeatable() { Replay::Safe } else { Replay::Never };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::call::{Origin, Project};
    use crate::model::freshness::Freshness;
    use crate::model::list_files::{FileEntry, FileSort, PatternType};

    /// Sessions outlive upgrades: once a version has been released, other bytes are another version.
    #[test]
    fn the_shape_of_version_1_is_frozen() {
        let project = Project {
            root: "/p".to_owned(),
            origin: Origin::WorkingDirectory,
        };
        let call = Call {
            id: 7,
            project: Some(project),
            progress: true,
            only_root: None,
        };
        let params = ListFiles {
            pattern: Some("*".to_owned()),
            limit: Some(9),
            ..ListFiles::default()
        };
        let request = ClaudevilRequest::ListFiles { call, params };
        insta::assert_snapshot!(
            hex(&request),
            @"0500000007000000000000000102000000000000002f70040000000100000101000000000000002a0000000109000000000000"
        );
        let file = FileEntry {
            path: "a".to_owned(),
            language: None,
            lines: Some(1),
            chunks: Some(4),
            size: 2,
            modified: 3,
        };
        let list = FileList {
            root: "/p".to_owned(),
            root_name: "p".to_owned(),
            folder: None,
            max_tokens: 8,
            freshness: Freshness::default(),
            pattern: None,
            pattern_type: PatternType::Regex,
            language: None,
            sort: FileSort::Recent,
            total: 4,
            files: vec![file],
            remaining: 5,
            truncated: true,
            cursor: None,
            limit: 6,
            unreadable_total: 0,
            unreadable: vec![],
        };
        insta::assert_snapshot!(
            hex(&ClaudevilResponse::ListFiles(Ok(list))),
            @"050000000000000002000000000000002f700100000000000000700008000000000000000000000000000000000000000000000100000000020000000400000000000000010000000000000001000000000000006100010100000000000000010400000002000000000000000300000000000000050000000000000001000600000000000000000000000000000000000000"
        );
        let error = ToolError::new(crate::ErrorCode::Busy, "b");
        insta::assert_snapshot!(
            hex(&ClaudevilResponse::ReadFile(Err(error))),
            @"060000000100000010000000010000000000000062000000000000000000"
        );
        let call = Call {
            id: 7,
            project: None,
            progress: false,
            only_root: None,
        };
        let params = Reindex {
            force: Some(true),
            chunk_size: Some(100),
            ..Reindex::default()
        };
        insta::assert_snapshot!(
            hex(&ClaudevilRequest::Reindex { call, params }),
            @"0b000000070000000000000000000000000101000164000000000000"
        );
    }

    #[test]
    fn a_call_that_waits_may_last_as_long_as_any_call_may() {
        let waiting = Reindex {
            wait: Some(true),
            ..Reindex::default()
        };
        assert_eq!(waiting.method().deadline, crate::wire::LONGEST_DEADLINE);
        assert!(Reindex::LONGEST_WAIT < waiting.method().deadline);
        assert!(Reindex::default().method().deadline < Duration::from_secs(60));
    }

    fn hex(message: &impl serde::Serialize) -> String {
        let bytes: Vec<_> = crate::wire::encode(message)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        bytes.concat()
    }
}
