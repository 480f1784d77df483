//! Asks a daemon the queries of a truth file, one repository after the other, each once its index and its vectors are
//! there.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use claudevil_protocol::ToolError;
use claudevil_protocol::call::{Origin, Project};
use claudevil_protocol::client::{CallOptions, Client};
use claudevil_protocol::service::RemoteTool;
use claudevil_protocol::tools::index_status::{IndexStatus, RootState, RootStatus};
use claudevil_protocol::tools::manage_roots::{ManageRoots, RootAction};
use claudevil_protocol::tools::search::Search;
use serde_json::{Value, json};

use super::report::{Report, ScoredQuery};
use super::score::{COUNTED, ResultRange, rank, score};
use super::truth::Query;

/// A time limit that is enough for a large repository, slow binaries and a busy machine.
const PATIENCE: Duration = Duration::from_secs(1800);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// Ranks by words and meaning: the vectors are waited for.
    Whole,
    /// Ranks by words alone: the daemon makes no vectors.
    Lexical,
}

/// A repository, and the folder of it that is indexed.
#[derive(Clone, Debug)]
pub struct Repository {
    pub root: PathBuf,
    /// The root's folder in the repository, to which targets are relative. Empty for the whole.
    pub inside: String,
}

/// The answer to a query.
#[derive(Clone, Debug)]
pub struct QueryAnswer {
    pub results: Vec<ResultRange>,
    /// As the daemon says.
    pub elapsed: Duration,
    pub round_trip: Duration,
}

/// One root of a daemon.
pub struct Root<'a> {
    client: &'a Client,
    path: String,
}

impl<'a> Root<'a> {
    pub fn new(client: &'a Client, root: &Path) -> Self {
        Self {
            client,
            path: root.to_str().expect("UTF-8").to_owned(),
        }
    }

    pub async fn add(&self) {
        let add = ManageRoots {
            action: RootAction::Add,
            path: Some(self.path.clone()),
            ..ManageRoots::default()
        };
        self.ask(add).await.expect("added");
    }

    /// Waits until all is indexed, and has its vectors.
    pub async fn ready(&self, ranking: Ranking) -> RootStatus {
        let began = Instant::now();
        loop {
            let asked = IndexStatus {
                root: Some(self.path.clone()),
                ..IndexStatus::default()
            };
            let status = self
                .ask(asked)
                .await
                .expect("a status")
                .roots
                .into_iter()
                .next()
                .expect("the root");
            let has_vectors = || {
                status
                    .index
                    .as_ref()
                    .is_some_and(|index| index.vectors == index.chunks)
            };
            if status.state == RootState::Ready && (ranking == Ranking::Lexical || has_vectors()) {
                return status;
            }
            assert!(began.elapsed() < PATIENCE, "{status:?}");
            crate::pause().await;
        }
    }

    pub async fn ask<P: RemoteTool>(&self, params: P) -> Result<P::Answer, ToolError> {
        let project = Project {
            root: self.path.clone(),
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

/// Asks all queries in order, those of one repository together. `heard` is told of each repository before its queries.
pub async fn ask_all(
    client: &Client,
    queries: &[Query],
    repository: impl Fn(&str) -> Repository,
    (ranking, limit): (Ranking, u32),
    mut heard: impl FnMut(&str, &RootStatus),
) -> Vec<QueryAnswer> {
    let mut answers: Vec<Option<QueryAnswer>> = vec![None; queries.len()];
    for at in 0..queries.len() {
        if answers[at].is_some() {
            continue;
        }
        let repo = &queries[at].repo;
        let Repository { root, inside } = repository(repo);
        let root = Root::new(client, &root);
        root.add().await;
        let status = root.ready(ranking).await;
        heard(repo, &status);
        for (query, answer) in queries
            .iter()
            .zip(&mut answers)
            .filter(|(query, _)| query.repo == *repo)
        {
            *answer = Some(answered(&root, query, &inside, limit).await);
        }
    }
    answers.into_iter().flatten().collect()
}

async fn answered(root: &Root<'_>, query: &Query, inside: &str, limit: u32) -> QueryAnswer {
    let began = Instant::now();
    let search = Search {
        query: query.text.clone(),
        limit: Some(limit),
        ..Search::default()
    };
    let answer = root
        .ask(search)
        .await
        .unwrap_or_else(|error| panic!("{}: {error:?}", query.id));
    let round_trip = began.elapsed();
    let found = answer.results.into_iter().map(|hit| ResultRange {
        path: if inside.is_empty() {
            hit.path
        } else {
            format!("{inside}/{}", hit.path)
        },
        start: hit.start_line.into(),
        end: hit.end_line.into(),
    });
    let elapsed = Duration::from_secs_f64(answer.elapsed_ms.max(0.0) / 1e3);
    QueryAnswer {
        results: found.collect(),
        elapsed,
        round_trip,
    }
}

pub fn judge(queries: &[Query], answers: &[QueryAnswer]) -> Report {
    let judged = queries.iter().zip(answers).map(|(query, answer)| {
        let place = |found: &ResultRange| format!("{}:{}-{}", found.path, found.start, found.end);
        let is_missed = |results: &[ResultRange], target| {
            rank(results, target).is_none_or(|rank| rank > COUNTED)
        };
        let missed = query
            .targets
            .iter()
            .filter(|target| is_missed(&answer.results, target));
        ScoredQuery {
            id: query.id.clone(),
            repo: query.repo.clone(),
            language: query.language.clone(),
            category: query.category.clone(),
            query: query.text.clone(),
            score: score(query, &answer.results),
            first: answer.results.iter().take(3).map(place).collect(),
            missed: missed.map(|target| target.path.clone()).collect(),
        }
    });
    Report(judged.collect())
}

/// Returns a line of a run, as other scorers read it.
pub fn run_line(query: &Query, answer: &QueryAnswer) -> Value {
    let results = answer
        .results
        .iter()
        .map(|found| json!({ "path": found.path, "start": found.start, "end": found.end }));
    json!({
        "id": query.id,
        "results": results.collect::<Vec<_>>(),
        "ms": answer.elapsed.as_secs_f64() * 1e3,
    })
}
