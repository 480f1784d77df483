//! Questions to the daemon about one root.

use std::path::Path;
use std::time::{Duration, Instant};

use claudevil_protocol::call::{Origin, Project};
use claudevil_protocol::client::{CallOptions, Client};
use claudevil_protocol::service::RemoteTool;
use claudevil_protocol::tools::analyze_complexity::AnalyzeComplexity;
use claudevil_protocol::tools::find_symbol::{FindSymbol, SymbolList, SymbolMatch};
use claudevil_protocol::tools::index_status::{IndexStatus, RootState, RootStatus};
use claudevil_protocol::tools::manage_roots::{ManageRoots, RootAction};
use claudevil_protocol::tools::reindex::{IndexJob, JobState, Reindex};
use claudevil_protocol::{ErrorCode, ToolError};

/// Nothing that is waited for here takes nearly this long.
const BOUND: Duration = Duration::from_secs(3600);
/// Errors that a question may meet while the index is behind. The time of a question that was given up counts all the
/// same.
const UNANSWERED: [ErrorCode; 3] = [
    ErrorCode::SymbolNotFound,
    ErrorCode::Indexing,
    ErrorCode::Cancelled,
];
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);

pub struct Daemon {
    client: Client,
    root: String,
}

impl Daemon {
    pub fn new(client: Client, root: &Path) -> Self {
        Self {
            client,
            root: root.to_str().expect("UTF-8").to_owned(),
        }
    }

    pub async fn add_root(&self) {
        let add = ManageRoots {
            action: RootAction::Add,
            path: Some(self.root.clone()),
            ..ManageRoots::default()
        };
        self.ask(add).await.expect("added");
    }

    /// Finds symbols by name. None if none is known yet.
    pub async fn find(&self, name: &str, matching: SymbolMatch) -> Option<SymbolList> {
        let find = FindSymbol {
            name: name.to_owned(),
            matching: Some(matching),
            limit: Some(1),
            ..FindSymbol::default()
        };
        match self.ask(find).await {
            Ok(found) => Some(found),
            Err(error) if UNANSWERED.contains(&error.code) => None,
            Err(error) => panic!("{error:?}"),
        }
    }

    /// Returns the status of the root. The call names no project: that would load the root and bring it up to date.
    pub async fn status(&self) -> RootStatus {
        let status = self
            .client
            .ask(CallOptions::default(), IndexStatus::default())
            .await
            .expect("a status");
        status
            .roots
            .into_iter()
            .find(|root| root.path == self.root)
            .expect("the root is known")
    }

    /// Compares the tree with the index, and waits for the end of it.
    pub async fn reconcile(&self) -> IndexJob {
        let job = self
            .ask(Reindex {
                wait: Some(true),
                ..Reindex::default()
            })
            .await
            .expect("it is done");
        assert_eq!(job.state, JobState::Done, "{job:?}");
        job
    }

    /// Waits until a first index is complete. The question waits in the daemon, which costs it nothing; polling the progress
    /// would take a twentieth of the processors.
    pub async fn until_whole(&self, path: &str) {
        loop {
            let path = Some(path.to_owned());
            let asked = AnalyzeComplexity {
                path,
                limit: Some(1),
                ..AnalyzeComplexity::default()
            };
            match self.ask(asked).await {
                Ok(answer) if answer.freshness.partial.is_none() => return,
                Ok(_) => {}
                Err(error) => assert!(UNANSWERED.contains(&error.code), "{error:?}"),
            }
        }
    }

    /// Waits until the root is in a state, and polls it ever less often: a status has its price too.
    pub async fn until(&self, state: RootState) -> RootStatus {
        let began = Instant::now();
        loop {
            let status = self.status().await;
            if status.state == state {
                return status;
            }
            let waited = began.elapsed();
            assert!(waited < BOUND, "{status:?}");
            tokio::time::sleep(SHORTEST_PAUSE.max(waited / 100)).await;
        }
    }

    async fn ask<P: RemoteTool>(&self, params: P) -> Result<P::Answer, ToolError> {
        let project = Project {
            root: self.root.clone(),
            origin: Origin::Argument,
        };
        self.client
            .ask(
                CallOptions {
                    project: Some(project),
                    progress: None,
                },
                params,
            )
            .await
    }
}
