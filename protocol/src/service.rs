//! The service: one method per tool, and a few for the daemon itself.

use std::future::Future;
use std::time::Duration;

use tarpc::client::RpcError;
use tarpc::context::Context;

use crate::call::{Call, Progress};
use crate::daemon_info::DaemonInfo;
use crate::editor::{BufferChange, BufferState, EditorAnswer, EditorRequest};
use crate::error::ToolError;
use crate::sharing::{SharingReport, SharingRequest};
use crate::tools::{Replay, Tool};

macro_rules! service {
    ($($name:ident: $module:ident::$params:ident;)*) => {
        /// Methods are only ever added at the end: bincode numbers them by position.
        #[tarpc::service]
        pub trait Claudevil {
            async fn daemon_info() -> Result<DaemonInfo, ToolError>;

            /// Makes the daemon drain and exit. Answers before that is done: the release of its lock shows the end.
            async fn shutdown() -> Result<(), ToolError>;

            /// Waits for news of a call of the same connection. `None` once the call has ended.
            async fn watch_progress(call: u64, seen: u64) -> Option<Progress>;

            /// Changes the open texts of this connection. Answers once later questions see the change.
            async fn change_buffer(change: BufferChange) -> Result<BufferState, ToolError>;

            async fn ask_editor(call: Call, request: EditorRequest) -> Result<EditorAnswer, ToolError>;

            $(async fn $name(
                call: Call,
                params: crate::tools::$module::$params,
            ) -> Result<<crate::tools::$module::$params as Tool>::Answer, ToolError>;)*

            async fn share_vectors(
                call: Call,
                request: SharingRequest,
            ) -> Result<SharingReport, ToolError>;
        }

        $(impl RemoteTool for crate::tools::$module::$params {
            async fn send(
                self,
                rpc: ClaudevilClient,
                context: Context,
                call: Call,
            ) -> Result<Result<Self::Answer, ToolError>, RpcError> {
                rpc.$name(context, call, self).await
            }
        })*
    };
}
crate::for_each_tool!(service);

/// A tool that can be called over the socket.
pub trait RemoteTool: Tool {
    fn send(
        self,
        rpc: ClaudevilClient,
        context: Context,
        call: Call,
    ) -> impl Future<Output = Result<Result<Self::Answer, ToolError>, RpcError>> + Send;

    fn method(&self) -> Method {
        Method {
            name: Self::NAME,
            deadline: self.deadline(),
            replay: self.replay(),
        }
    }
}

/// The properties of a method that matter to a client.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    pub name: &'static str,
    pub deadline: Duration,
    pub replay: Replay,
}

impl Method {
    pub const DAEMON_INFO: Self = Self::new("daemon_info", 5, Replay::Safe);
    pub const SHUTDOWN: Self = Self::new("shutdown", 5, Replay::Never);
    pub const WATCH_PROGRESS: Self = Self::new("watch_progress", 60, Replay::Never);
    /// A change belongs to one connection: on a new one, all texts are sent again.
    pub const CHANGE_BUFFER: Self = Self::new("change_buffer", 10, Replay::Never);
    /// Adding or reading vectors again changes nothing. A caller that waits may repeat its call.
    pub const SHARE_VECTORS: Self = Self::new("share_vectors", 590, Replay::Safe);
    pub const ASK_EDITOR: Self = Self::new("ask_editor", 60, Replay::Safe);

    const fn new(name: &'static str, seconds: u64, replay: Replay) -> Self {
        Self {
            name,
            deadline: Duration::from_secs(seconds),
            replay,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::freshness::Freshness;
    use crate::call::{Origin, Project};
    use crate::tools::list_files::{FileEntry, FileSort, PatternType};
    use crate::tools::list_files::{FileList, ListFiles};
    use crate::tools::reindex::Reindex;

    /// Sessions outlive upgrades: once a version has been released, any change of these bytes needs a new version.
    #[test]
    fn the_shape_of_version_6_is_frozen() {
        let project = Project {
            root: "/p".to_owned(),
            origin: Origin::WorkingDirectory,
        };
        let call = Call {
            id: 7,
            project: Some(project),
            progress: true,
            only_root: None,
            is_counted: true,
        };
        let params = ListFiles {
            pattern: Some("*".to_owned()),
            limit: Some(9),
            ..ListFiles::default()
        };
        let request = ClaudevilRequest::ListFiles { call, params };
        insta::assert_snapshot!(
            hex(&request),
            @"0a00000007000000000000000102000000000000002f7004000000010001000101000000000000002a0000000109000000000000"
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
            @"0a0000000000000002000000000000002f700100000000000000700008000000000000000000000000000000000000000000000100000000020000000400000000000000010000000000000001000000000000006100010100000000000000010400000002000000000000000300000000000000050000000000000001000600000000000000000000000000000000000000"
        );
        let error = ToolError::new(crate::ErrorCode::Busy, "b");
        insta::assert_snapshot!(
            hex(&ClaudevilResponse::ReadFile(Err(error))),
            @"0b0000000100000010000000010000000000000000000000010000000000000062000000000000000000"
        );
        let call = Call {
            id: 7,
            project: None,
            progress: false,
            only_root: None,
            is_counted: true,
        };
        let params = Reindex {
            force: Some(true),
            chunk_size: Some(100),
            ..Reindex::default()
        };
        insta::assert_snapshot!(
            hex(&ClaudevilRequest::Reindex { call, params }),
            @"1800000007000000000000000000000100000101000164000000000000"
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
