//! A daemon without `claudevil-vectors` beside it: the built-in model works, and a choice that needs the program says so.

use std::fs;
use std::path::{Path, PathBuf};

use claudevil_tests::binaries;
use claudevil_tests::home::{Home, put, repository};
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::json;

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "26_without_claudevil_vectors_the_built_in_model_works",
            Needs::Nothing,
            built_in_works,
        ),
        proof(
            "26_a_transformer_without_claudevil_vectors_says_what_to_install",
            Needs::Nothing,
            transformer_is_refused,
        ),
        proof(
            "26_claudevil_vectors_is_found_once_it_is_installed",
            Needs::Nothing,
            found_once_installed,
        ),
    ]
}

const TRANSFORMER: &str = "bge-small-en-v1.5";

/// Returns a home whose daemon is alone in its folder.
fn lone_daemon() -> Home {
    let home = Home::new();
    let alone = home.scratch().join("bin/claudevild");
    binaries::install("claudevild", &alone);
    home.with("CLAUDEVIL_DAEMON", alone)
}

fn project(home: &Home) -> PathBuf {
    repository(
        home,
        "zoo",
        &[
            (
                "src/fur.rs",
                "/// Cleans the fur of an animal.\npub fn groom(fur: &str) -> usize {\n    fur.len()\n}\n",
            ),
            (
                "src/sum.rs",
                "pub fn add(one: u32, other: u32) -> u32 {\n    one + other\n}\n",
            ),
        ],
    )
}

/// Returns the health and the detail that the status gives for one part.
async fn part(questions: &mut Questions, name: &str) -> (String, String) {
    let status = questions
        .ask("index_status", json!({}))
        .await
        .expect("a status");
    let parts = status["parts"].as_array().cloned().unwrap_or_default();
    let part = parts.into_iter().find(|part| part["name"] == name);
    let part = part.unwrap_or_else(|| panic!("no {name} in {status}"));
    let word = |key: &str| part[key].as_str().unwrap_or_default().to_owned();
    (word("health"), word("detail"))
}

async fn first_by_meaning(questions: &mut Questions) -> String {
    let found = questions
        .ask(
            "search",
            json!({ "query": "wash an animal", "mode": "semantic" }),
        )
        .await
        .expect("an answer");
    found["results"][0]["path"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

async fn built_in_works() {
    let home = lone_daemon();
    let root = project(&home);
    // The second daemon loads the index of the first, and has to compute the vectors again.
    for _ in 0..2 {
        let mut questions = Questions::start(&home, &root).await;
        let status = questions.embedded().await;
        assert_ne!(status["index"]["vectors"], json!(0), "{status}");
        assert_eq!(status["trouble"], json!(null), "{status}");
        assert_eq!(first_by_meaning(&mut questions).await, "src/fur.rs");
        let (health, detail) = part(&mut questions, "vectors").await;
        assert_eq!(health, "healthy", "{detail}");
        assert!(
            detail.contains("claudevil-vectors is not installed")
                && detail.contains("recomputed when a project is loaded")
                && !detail.contains('\n'),
            "{detail}"
        );
        assert!(home.claudevil(&["daemon", "stop"]).await.status.success());
    }
    assert!(
        !stored(&home).exists(),
        "nothing is stored without the program"
    );
}

async fn transformer_is_refused() {
    let home = lone_daemon();
    let root = project(&home);
    let output = home.claudevil(&["model", "use", TRANSFORMER]).await;
    assert!(!output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("claudevil-vectors is not installed")
            && said.contains("install it beside claudevild"),
        "{said}"
    );
    let listed = home.json(&["model", "list"]).await;
    let is_listed = |model: &serde_json::Value| model["name"] == TRANSFORMER;
    assert!(
        listed["models"]
            .as_array()
            .is_some_and(|models| models.iter().any(is_listed)),
        "{listed}"
    );
    // If a person sets it in the file all the same, the built-in model is used, and the status says why.
    configure(&home, &format!("embedder = \"{TRANSFORMER}\"\n"));
    let mut questions = Questions::start(&home, &root).await;
    questions.embedded().await;
    assert_eq!(first_by_meaning(&mut questions).await, "src/fur.rs");
    let (health, detail) = part(&mut questions, "model").await;
    assert_eq!(health, "degraded", "{detail}");
    assert!(
        detail.contains("claudevil-vectors is not installed"),
        "{detail}"
    );
}

async fn found_once_installed() {
    let home = lone_daemon();
    let root = project(&home);
    let program = home.scratch().join("elsewhere/claudevil-vectors");
    configure(
        &home,
        &format!("vectors_program = \"{}\"\n", program.display()),
    );
    let mut questions = Questions::start(&home, &root).await;
    questions.embedded().await;
    let (_, detail) = part(&mut questions, "vectors").await;
    assert!(
        detail.contains(&format!("{} is missing", program.display())),
        "{detail}"
    );
    binaries::install("claudevil-vectors", &program);
    fs::write(
        root.join("src/tail.rs"),
        "pub fn wag(tail: &str) -> usize {\n    tail.len()\n}\n",
    )
    .expect("written");
    questions.until_found("wag", &["src/tail.rs"]).await;
    questions.embedded().await;
    let (_, detail) = part(&mut questions, "vectors").await;
    assert!(!detail.contains("not installed"), "{detail}");
    // Vectors made since are stored when the daemon ends.
    assert!(home.claudevil(&["daemon", "stop"]).await.status.success());
    assert!(stored(&home).exists(), "the program stored nothing");
}

fn configure(home: &Home, lines: &str) {
    put(
        &home.claudevil_home(),
        "config/config.toml",
        lines.as_bytes(),
    );
}

fn stored(home: &Home) -> PathBuf {
    Path::new(home.paths().data()).join("vectors")
}
