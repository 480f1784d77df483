//! The order of search results, over this project's own code and a few small projects made for it, against the figures
//! that were committed.
//!
//! The queries were written without looking at their results. A change of the code that is searched moves the
//! figures a little; a change of the ranking that makes them worse is seen here. `UPDATE_TABLE=1` rewrites the table.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use claudevil_protocol::environment;
use claudevil_protocol::tools::index_status::{Health, IndexStatus};
use claudevil_protocol::tools::search::{Search, SearchMode};
use claudevil_tests::binaries::workspace;
use claudevil_tests::home::Home;
use claudevil_tests::relevance::asking::{self, Ranking, Repository, Root};
use claudevil_tests::relevance::report::Report;
use claudevil_tests::relevance::truth::{self, Query};

/// The repository that is this project itself.
const OWN: &str = "claudevil";
/// Minimum for every build.
const FLOOR: f64 = 0.80;
/// Maximum distance below the committed figure.
const SLACK: f64 = 0.01;
const HEADLINE: &str = "Headline NDCG@10: ";

#[test]
fn every_query_has_targets_that_are_there() {
    let queries = queries();
    assert!(queries.len() >= 60, "only {} queries", queries.len());
    let gone = truth::missing(&queries, |repo| {
        vec![if repo == OWN {
            workspace().to_owned()
        } else {
            fixture(repo)
        }]
    });
    assert!(gone.is_empty(), "{gone:#?}");
    let mut ids: Vec<_> = queries.iter().map(|query| &query.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), queries.len(), "two queries have one id");
}

#[test]
fn results_are_in_as_good_an_order_as_was_committed() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let report = runtime.block_on(measured());
    let headline = report.headline();
    if environment::variable("UPDATE_TABLE").is_some() {
        fs::write(table(), written(&report)).expect("written");
    }
    let committed = committed();
    let worst = || format!("{}\nthe worst:\n{}", written(&report), report.worst(15));
    assert!(
        headline >= FLOOR,
        "NDCG@10 is {headline:.4}, below the floor of {FLOOR}\n{}",
        worst()
    );
    assert!(
        headline >= committed - SLACK,
        "NDCG@10 is {headline:.4}, it was {committed:.4}\n{}",
        worst()
    );
}

#[test]
fn without_a_model_all_goes_by_words_and_says_so() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let home = Home::new().with("CLAUDEVIL_EMBEDDER", "none");
        let folder = home.scratch().join("user/bank");
        copy_all(&fixture("bank"), &folder);
        start(&home).await;
        let client = home.client();
        let root = Root::new(&client, &folder);
        root.add().await;
        let status = root.ready(Ranking::Lexical).await;
        let index = status.index.expect("an index");
        assert!(index.chunks > 0 && index.vectors == 0, "{index:?}");
        let status = root.ask(IndexStatus::default()).await.expect("a status");
        let vectors = status
            .parts
            .iter()
            .find(|part| part.name == "vectors")
            .expect("the part");
        assert!(
            vectors.health == Health::Healthy && vectors.detail.contains("`embedder` is none"),
            "{vectors:?}"
        );
        for (mode, says_so) in [(SearchMode::Auto, false), (SearchMode::Semantic, true)] {
            let query = "interest of a month".to_owned();
            let found = root
                .ask(Search {
                    query,
                    mode: Some(mode),
                    ..Search::default()
                })
                .await
                .expect("an answer");
            assert!(found.results[0].path.contains("interest/"), "{found:?}");
            let note = found.freshness.note.unwrap_or_default().to_string();
            assert_eq!(note.contains("`embedder` is none"), says_so, "{note}");
        }
        home.claudevil(&["daemon", "stop"]).await;

        // A daemon that computes vectors adds them to what was indexed without.
        let home = home.with("CLAUDEVIL_EMBEDDER", "static");
        start(&home).await;
        let client = home.client();
        Root::new(&client, &folder).ready(Ranking::Whole).await;
    });
}

async fn start(home: &Home) {
    let started = home.claudevil(&["daemon", "start"]).await;
    assert!(started.status.success(), "{started:?}");
}

async fn measured() -> Report {
    let queries = queries();
    let home = Home::new();
    copy_own(&home.scratch().join("user").join(OWN));
    start(&home).await;
    let repository = |repo: &str| {
        let root = home.scratch().join("user").join(repo);
        if !root.exists() {
            copy_all(&fixture(repo), &root);
        }
        Repository {
            root,
            inside: String::new(),
        }
    };
    let client = home.client();
    let answers = asking::ask_all(
        &client,
        &queries,
        repository,
        (Ranking::Whole, 10),
        |repo, status| {
            let files = status.index.as_ref().map_or(0, |index| index.files);
            assert!(files >= 8, "{repo} has only {files} files");
        },
    )
    .await;
    asking::judge(&queries, &answers)
}

fn queries() -> Vec<Query> {
    let text =
        fs::read_to_string(workspace().join("tests/relevance/queries.jsonl")).expect("queries");
    truth::parse(&text).expect("valid")
}

fn fixture(repo: &str) -> PathBuf {
    workspace().join("tests/relevance/fixtures").join(repo)
}

fn table() -> PathBuf {
    workspace().join("tests/relevance/table.md")
}

fn written(report: &Report) -> String {
    format!(
        "# Relevance of search results\n\nMade by `UPDATE_TABLE=1 cargo nextest run --workspace --test relevance`; \
         read by the same test.\n\n{HEADLINE}{:.4}\n\n{}",
        report.headline(),
        report.markdown()
    )
}

fn committed() -> f64 {
    let text = fs::read_to_string(table()).expect("the table is there: UPDATE_TABLE=1 makes it");
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(HEADLINE))
        .expect("a headline");
    line.trim().parse().expect("a number")
}

/// Copies the files of this project that git tracks, in their present state. It leaves out the queries, which would
/// find themselves, and the samples of fifty languages, which take longer to index than everything else.
fn copy_own(to: &Path) {
    let listed = Command::new("git")
        .args([
            "-c",
            "safe.directory=*",
            "ls-files",
            "-z",
            "--cached",
            "--",
            ".",
        ])
        .args([":!tests/relevance", ":!daemon/src/lang/defs"])
        .current_dir(workspace())
        .output()
        .expect("git runs");
    assert!(
        listed.status.success(),
        "{}",
        String::from_utf8_lossy(&listed.stderr)
    );
    let listed = String::from_utf8(listed.stdout).expect("UTF-8");
    for path in listed.split('\0').filter(|path| !path.is_empty()) {
        copy(&workspace().join(path), &to.join(path));
    }
}

fn copy_all(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_all(&path, &target);
        } else {
            copy(&path, &target);
        }
    }
}

/// Skips a file that is removed, but still in the git index.
fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::create_dir_all(to.parent().expect("a folder")).expect("made");
        fs::copy(from, to).expect("copied");
    }
}
