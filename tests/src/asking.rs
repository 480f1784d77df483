//! Asks a daemon about one project, and compares what it has stored.

use std::time::{Duration, Instant};

use claudevil_protocol::lock;
use serde_json::{Value, json};

use crate::home::{BOUND, Home};
use crate::mcp::Session;
use crate::questions::dump;
use crate::tree::Tree;

/// The files in which the index finds a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameLocation {
    At(String),
    Nowhere,
}

/// An answer, and whether it says that it may be behind.
#[derive(Clone, Debug)]
pub struct CheckedAnswer {
    pub found: NameLocation,
    pub trust: Trust,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    Whole,
    /// The answer says that it may be behind, in these words.
    Marked(String),
}

/// Words of an answer that may lack something.
const MARKS: [&str; 4] = [
    " so far",
    "may be missing",
    "the index is out of date",
    "stale: ",
];

pub struct Asker {
    session: Session,
    root: String,
}

impl Asker {
    /// Starts a shim for the tree in another folder, so that changes of the tree's folder do not affect it.
    pub async fn start(home: &Home, tree: &Tree) -> Self {
        let root = tree.root.to_str().expect("UTF-8").to_owned();
        let session = Session::start(
            home,
            home.scratch(),
            &["--toolsets", "all", "--root", &root],
        )
        .await;
        Self { session, root }
    }

    pub async fn symbol(&mut self, name: &str) -> CheckedAnswer {
        let question = json!({ "name": name, "match": "exact", "format": "json" });
        let (text, is_error) = self.session.call("find_symbol", question).await;
        if is_error {
            let is_nowhere = ["symbol_not_found: ", "indexing: "]
                .iter()
                .any(|code| text.starts_with(code));
            assert!(is_nowhere, "{name}: {text}");
            let mark = MARKS
                .iter()
                .find(|mark| text.contains(**mark))
                .map(|_| text.clone());
            return CheckedAnswer {
                found: NameLocation::Nowhere,
                trust: mark.map_or(Trust::Whole, Trust::Marked),
            };
        }
        let answer: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let freshness = &answer["freshness"];
        let is_marked = !freshness["partial"].is_null()
            || !freshness["note"].is_null()
            || freshness["stale"]
                .as_array()
                .is_some_and(|stale| !stale.is_empty());
        let path = answer["symbols"][0]["path"]
            .as_str()
            .expect("a path")
            .to_owned();
        let trust = if is_marked {
            Trust::Marked(freshness.to_string())
        } else {
            Trust::Whole
        };
        CheckedAnswer {
            found: NameLocation::At(path),
            trust,
        }
    }

    /// Returns whether the index finds a name where the tree has it.
    pub async fn agrees(&mut self, tree: &Tree, name: &str) -> bool {
        self.symbol(name).await.found == expected(tree, name)
    }

    /// Returns the status of the session's root.
    pub async fn status(&mut self) -> Value {
        root_status(&mut self.session, &self.root).await
    }

    /// Waits for a state of the session's root. Each question itself waits for news for a while.
    pub async fn wait_for(&mut self, state: &str, bound: Duration) -> Value {
        let started = Instant::now();
        loop {
            let status = self.status().await;
            if status["state"] == state {
                return status;
            }
            assert!(
                started.elapsed() < bound,
                "not {state} after {bound:?}: {status}"
            );
            crate::pause().await;
        }
    }

    pub async fn ready(&mut self) -> Value {
        self.wait_for("ready", BOUND).await
    }

    /// Waits until a name is where the tree has it.
    pub async fn converges(&mut self, tree: &Tree, name: &str, bound: Duration) {
        let started = Instant::now();
        loop {
            let told = self.symbol(name).await;
            if told.found == expected(tree, name) {
                return;
            }
            assert!(
                started.elapsed() < bound,
                "{name} is in {:?}: {told:?}",
                tree.place(name)
            );
            crate::pause().await;
        }
    }
}

pub fn expected(tree: &Tree, name: &str) -> NameLocation {
    tree.place(name).map_or(NameLocation::Nowhere, |path| {
        NameLocation::At(path.to_owned())
    })
}

/// Returns the status of one of the roots that a session knows; null if it is not among them.
pub async fn root_status(session: &mut Session, root: &str) -> Value {
    let (text, is_error) = session
        .call("index_status", json!({ "format": "json" }))
        .await;
    assert!(!is_error, "{text}");
    let status: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let roots = status["roots"].as_array().expect("roots");
    roots
        .iter()
        .find(|one| one["path"] == root)
        .cloned()
        .unwrap_or_default()
}

/// Returns everything that a home has stored. Stops its daemon before.
pub async fn stop_and_dump(home: &Home) -> String {
    home.claudevil(&["daemon", "stop"]).await;
    home.gone().await;
    for store in ["roots.redb", "index.redb"] {
        // The store's lock is freed a moment after the daemon's, with the process itself.
        let store = home.paths().data().join(store);
        lock::lock(&store, BOUND)
            .await
            .expect("a lock")
            .expect("the daemon's process ends");
    }
    dump(home).await
}

/// Returns the contents of a fresh index of the tree.
pub async fn fresh_dump(tree: &Tree) -> String {
    let home = Home::new();
    Asker::start(&home, tree).await.ready().await;
    stop_and_dump(&home).await
}

/// Returns the sources that a dump names, without those outside the tree.
pub fn sources(dump: &str) -> Vec<&str> {
    let paths = dump
        .lines()
        .filter(|line| !line.starts_with("root "))
        .filter_map(|line| line.split(' ').next());
    paths
        .filter(|path| {
            !path
                .rsplit('/')
                .next()
                .is_some_and(|name| name.starts_with('.'))
        })
        .collect()
}

/// Compares what a home has stored with a fresh index of the tree, and both with the tree.
pub async fn assert_like_fresh(home: &Home, tree: &Tree) {
    let (stored, fresh) = (stop_and_dump(home).await, fresh_dump(tree).await);
    let expected: Vec<&str> = tree.visible().map(|(path, _)| path).collect();
    assert_eq!(
        sources(&fresh),
        expected,
        "a fresh index has the files of the tree"
    );
    let differing: Vec<(&str, &str)> = stored
        .lines()
        .zip(fresh.lines())
        .filter(|(one, other)| one != other)
        .collect();
    let first = &differing[..differing.len().min(5)];
    assert!(
        stored == fresh,
        "{} lines differ, of {}; the first: {first:#?}",
        differing.len(),
        fresh.lines().count()
    );
    assert!(
        fresh.starts_with("root ")
            && fresh.contains(" complete true unfinished 0 generations equal true "),
        "{fresh}"
    );
}
