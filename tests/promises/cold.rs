//! "Nothing found" is said only when everything was searched: right after a restart, after an unload, on the first question
//! about a project, and while it is being indexed.
//!
//! The oracle of a literal search is a plain scan of the files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use claudevil_tests::binaries;
use claudevil_tests::home::{Home, put};
use claudevil_tests::questions::Questions;
use claudevil_tests::tree::Tree;
use claudevil_tests::window::{Window, WindowKind, plain};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, measured, proof};

/// Number of files that take longer to load than a query waits for changes, and longer to index than it waits for an index. A
/// debug build is slowed down instead.
const FILES: usize = 15_000;
const FILES_OF_DEBUG_BUILD: usize = 400;
/// Milliseconds of a first index: longer than any query waits for one.
const FIRST_INDEX: usize = 6000;
/// Milliseconds of a load: longer than a query waits for changes.
const LOAD: &str = "1000";
/// Number of files of a tree whose vectors take a while.
const EMBEDDED_FILES: usize = 5000;
const EMBEDDED_FILES_OF_DEBUG_BUILD: usize = 1500;
const NEEDLE: &str = "needle_in_the_haystack";

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "26_a_restarted_daemon_never_answers_a_false_nothing",
            Needs::Nothing,
            restarted,
        ),
        proof(
            "26_an_unloaded_root_never_answers_a_false_nothing",
            Needs::Nothing,
            unloaded,
        ),
        proof(
            "26_the_first_literal_search_of_a_project_finds_every_line",
            Needs::Nothing,
            unseen,
        ),
        proof(
            "26_a_ranking_without_vectors_says_so",
            Needs::Nothing,
            without_vectors,
        ),
        proof(
            "26_a_person_who_waits_behind_a_progress_bar_gets_the_answer",
            Needs::Program("script", "needs script"),
            at_the_terminal,
        ),
        proof(
            "26_a_script_that_asks_who_uses_a_symbol_gets_the_answer",
            Needs::Nothing,
            in_a_pipe,
        ),
        proof(
            "26_questions_do_not_multiply_the_time_of_a_first_index",
            Needs::Nothing,
            asked_meanwhile,
        ),
    ]
}

fn by_build(release: usize, debug: usize) -> usize {
    if binaries::are_debug_builds() {
        debug
    } else {
        release
    }
}

fn embedded_files() -> usize {
    by_build(EMBEDDED_FILES, EMBEDDED_FILES_OF_DEBUG_BUILD)
}

/// Makes a tree with vectors, whose needles are in few files, of which one is the last by path.
fn haystack(home: &Home, name: &str) -> Tree {
    let root = home.scratch().join("user").join(name);
    let tree = Tree::new(&root, 26, embedded_files());
    plant(&tree.root);
    tree
}

/// Makes a project of small files that takes long to load, with the same needles.
fn slowly_loaded(home: Home, name: &str) -> (Home, PathBuf) {
    let home = home.with("CLAUDEVIL_TEST_SLOW_LOAD", LOAD);
    let root = small_files(&home, name, "");
    (home, root)
}

/// Makes a project of small files that takes long to index, with the same needles.
fn slowly_indexed(home: &Home, name: &str) -> PathBuf {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let millis = FIRST_INDEX * workers / FILES_OF_DEBUG_BUILD;
    small_files(home, name, &format!("// claudevil-test: slow {millis}\n"))
}

fn small_files(home: &Home, name: &str, first_line: &str) -> PathBuf {
    let root = home.project(name);
    for number in 0..by_build(FILES, FILES_OF_DEBUG_BUILD) {
        let text = format!("{first_line}/// Counts to {number}.\npub fn count_{number}() {{}}\n");
        let path = format!("area{}/file_{number}.rs", number % 40);
        put(&root, &path, text.as_bytes());
    }
    plant(&root);
    root
}

fn plant(root: &Path) {
    for number in 0..14 {
        let text = format!("/// Finds the haystack.\npub fn {NEEDLE}_{number}() {{}}\n");
        put(
            root,
            &format!("area{}/zz_{number}.rs", number % 7),
            text.as_bytes(),
        );
    }
}

/// Returns every line with a text, as `path:line`, by reading all files.
fn scan(root: &Path, text: &str) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.ends_with(".git") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let content = fs::read_to_string(&path).expect("text");
            let name = path
                .strip_prefix(root)
                .expect("beneath")
                .display()
                .to_string();
            let matching = content
                .lines()
                .enumerate()
                .filter(|(_, line)| line.contains(text));
            lines.extend(matching.map(|(number, _)| format!("{name}:{}", number + 1)));
        }
    }
    lines
}

fn lines_of(answer: &Value) -> BTreeSet<String> {
    let results = answer["results"].as_array().expect("a list");
    results
        .iter()
        .map(|hit| {
            format!(
                "{}:{}",
                hit["path"].as_str().expect("a path"),
                hit["start_line"]
            )
        })
        .collect()
}

/// Asks in every way, and checks that no answer claims that there is nothing.
async fn ask_everything(questions: &mut Questions, root: &Path, when: &str) {
    for (mode, query) in [("literal", NEEDLE), ("regex", "needle_in_the_hay.tack")] {
        let started = Instant::now();
        let question = json!({ "query": query, "mode": mode, "limit": 100 });
        let answer = questions
            .ask("search", question)
            .await
            .unwrap_or_else(|error| panic!("{when}: {error}"));
        assert_eq!(
            lines_of(&answer),
            scan(root, NEEDLE),
            "{when}: {mode} after {:?}",
            started.elapsed()
        );
        assert!(
            answer["freshness"]["partial"].is_null(),
            "{when}: every file was searched: {answer}"
        );
    }
    let ranked = questions
        .ask("search", json!({ "query": "needle haystack" }))
        .await
        .expect("an answer");
    assert!(!lines_of(&ranked).is_empty(), "{when}: {ranked}");
    let explored = questions
        .ask(
            "explore",
            json!({ "question": "what finds the needle_in_the_haystack_3" }),
        )
        .await;
    let explored = explored.unwrap_or_else(|error| panic!("{when}: {error}"));
    let shown = [&explored["symbols"], &explored["read_next"]]
        .map(|list| list.as_array().map_or(0, Vec::len));
    assert!(shown.iter().sum::<usize>() > 0, "{when}: {explored}");
}

async fn restarted() {
    let (home, root) = slowly_loaded(Home::new(), "hay");
    Questions::start(&home, &root).await.embedded().await;
    for round in 0..3 {
        home.kill_daemon().await;
        // The root is not watched at this time.
        put(
            &root,
            &format!("area0/aa_{round}.rs"),
            format!("// {NEEDLE} {round}\n").as_bytes(),
        );
        let mut questions = Questions::start(&home, &root).await;
        if round % 2 == 0 {
            // The first question must not depend on an earlier one.
            let name = format!("{NEEDLE}_{round}");
            let places = questions
                .ask("find_symbol", json!({ "name": name }))
                .await
                .expect("it is there");
            assert_eq!(places["total"], 1, "{places}");
        }
        ask_everything(&mut questions, &root, "after a restart").await;
    }
}

async fn unloaded() {
    let home = Home::new().with("CLAUDEVIL_UNLOAD_SECONDS", "1");
    let (home, root) = slowly_loaded(home, "hay");
    let other = home.project("other");
    let mut questions = Questions::start(&home, &root).await;
    questions.embedded().await;
    // A session of another project sees the root leave memory without loading it again.
    let mut elsewhere = Questions::start(&home, &other).await;
    let started = Instant::now();
    loop {
        let status = elsewhere
            .ask("index_status", json!({}))
            .await
            .expect("a status");
        let roots = status["roots"].as_array().cloned().unwrap_or_default();
        let root = roots
            .iter()
            .find(|root| root["name"] == "hay")
            .expect("it is known");
        if root["watch"] == "unwatched" {
            break;
        }
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "it is unloaded: {root}"
        );
        claudevil_tests::pause().await;
    }
    ask_everything(&mut questions, &root, "after an unload").await;
}

async fn unseen() {
    let home = Home::new();
    let root = slowly_indexed(&home, "hay");
    let mut questions = Questions::start(&home, &root).await;
    ask_everything(&mut questions, &root, "on a project never seen").await;
    let missing = questions
        .ask(
            "search",
            json!({ "query": "no_such_name_anywhere", "mode": "literal" }),
        )
        .await;
    let missing = missing.expect("everything was searched");
    assert_eq!(
        (&missing["total"], &missing["coverage"]["unsearched"]),
        (&json!(0), &json!(0)),
        "{missing}"
    );
}

async fn without_vectors() {
    let home = Home::new();
    let tree = haystack(&home, "hay");
    let question = json!({ "query": "finds the haystack", "limit": 20 });
    let mut questions = Questions::start(&home, &tree.root).await;
    // While the first vectors are computed, an answer that lacks them says so.
    questions
        .until("text is indexed", |status| {
            status["index"]["files"].as_u64() >= Some(embedded_files() as u64)
        })
        .await;
    let (mut marked, mut whole) = (0, None);
    let started = Instant::now();
    while whole.is_none() {
        let (text, is_error) = questions.session().call("search", question.clone()).await;
        assert!(!is_error, "{text}");
        if text.contains("partial: ranked without") {
            marked += 1;
        } else if !text.contains("partial") && !text.contains("this project is new") {
            whole = Some(text);
        }
        assert!(
            started.elapsed() < Duration::from_secs(120),
            "vectors are computed"
        );
    }
    let after = questions.embedded().await;
    measured(&format!(
        "{marked} answers said that vectors were missing; {} vectors",
        after["index"]["vectors"]
    ));
    let warm = questions
        .ask("search", question.clone())
        .await
        .expect("an answer");
    // After a restart the stored vectors are waited for, or their absence is declared.
    home.kill_daemon().await;
    let mut questions = Questions::start(&home, &tree.root).await;
    let cold = questions.ask("search", question).await.expect("an answer");
    let is_declared = cold["freshness"]["partial"]["phase"] == "embedding";
    assert!(
        is_declared || lines_of(&cold) == lines_of(&warm),
        "{cold} differs from {warm}"
    );
}

async fn at_the_terminal() {
    let home = Home::new();
    let root = slowly_indexed(&home, "hay");
    let kind = WindowKind {
        rows: 40,
        columns: 100,
        term: "xterm",
    };
    let line = "claudevil --no-pager explore what finds the needle_in_the_haystack_3";
    let (shown, code) = Window::open(&home, &root, kind, line).end().await;
    let shown = plain(&shown);
    assert_eq!(code, Some(0), "{shown}");
    assert!(
        shown.contains("needle_in_the_haystack_3") && shown.contains("zz_3.rs"),
        "{shown}"
    );
    assert!(!shown.contains("nothing found"), "{shown}");
}

async fn in_a_pipe() {
    let home = Home::new();
    let root = slowly_indexed(&home, "hay");
    let used = format!("pub fn {NEEDLE}_13() {{}}\nfn stick() {{\n    {NEEDLE}_13();\n}}\n");
    put(&root, "area6/zz_13.rs", used.as_bytes());
    let root = root.to_str().expect("UTF-8");
    let name = format!("{NEEDLE}_13");
    let refs = home.claudevil(&["refs", &name, "--root", root]).await;
    let shown = String::from_utf8_lossy(&refs.stdout);
    assert!(
        refs.status.success() && shown.contains("area6/zz_13.rs:3"),
        "{refs:?}"
    );
}

/// Questions that come while a first index is made wait for it or scan one at a time, so that it is not starved.
async fn asked_meanwhile() {
    let index = async |name: &str, asks: bool| {
        let home = Home::new();
        let tree = haystack(&home, name);
        let root = tree.root.to_str().expect("UTF-8").to_owned();
        let started = Instant::now();
        let command = ["reindex", "--wait", "--root", &root];
        let reindex = home.claudevil(&command);
        let questions = async {
            for number in 0.. {
                let mut questions = Questions::start(&home, &tree.root).await;
                let question = json!({ "query": format!("needle haystack {number}") });
                questions.ask("search", question).await.expect("an answer");
            }
        };
        tokio::select! {
            done = reindex => assert!(done.status.success(), "{done:?}"),
            () = questions, if asks => unreachable!("there is always another question"),
        }
        started.elapsed()
    };
    let alone = index("quiet", false).await;
    let asked = index("asked", true).await;
    measured(&format!(
        "a first index of {} files took {alone:?} alone and {asked:?} beside questions",
        embedded_files()
    ));
    assert!(asked < alone * 3, "{asked:?} instead of {alone:?}");
}
