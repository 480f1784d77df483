//! Models besides the built-in one: their vectors come later and are used as they come, and whatever happens to the model,
//! searches go on.

use std::path::{Path, PathBuf};
use std::time::Instant;

use claudevil_tests::embedding_server::{ASKED, HIDDEN, Reaction, Server};
use claudevil_tests::home::{Home, repository};
use claudevil_tests::questions::{PATIENCE, Questions};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "26_a_remote_model_is_used_where_its_vectors_are",
            Needs::Nothing,
            remote_is_used,
        ),
        proof(
            "26_a_remote_model_that_fails_costs_nothing_else",
            Needs::Nothing,
            remote_fails,
        ),
        proof(
            "26_another_model_is_made_while_the_first_serves",
            Needs::Nothing,
            models_change,
        ),
        proof(
            "26_what_is_looked_at_is_embedded_first",
            Needs::Nothing,
            looked_at_first,
        ),
    ]
}

const SECRET: &str = "ghp_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6";

/// Makes files without a word in common with the question.
fn project(home: &Home) -> PathBuf {
    let mut files = vec![(
        "src/hidden.rs".to_owned(),
        format!(
            "/// Grooms the {HIDDEN}.\npub fn groom(fur: &str) -> usize {{\n    fur.len()\n}}\n"
        ),
    )];
    for number in 0..40 {
        let text = format!(
            "pub fn handles_{number}(input: u32) -> u32 {{\n    input * {number} + 1\n}}\n"
        );
        files.push((format!("src/plain_{number}.rs"), text));
    }
    files.push((
        "src/token.rs".to_owned(),
        format!("pub const TOKEN: &str = \"{SECRET}\";\n"),
    ));
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    repository(home, "zoo", &files)
}

/// Returns the model's part of the status.
async fn model(questions: &mut Questions) -> Value {
    let status = questions
        .ask("index_status", json!({}))
        .await
        .expect("a status");
    let parts = status["parts"].as_array().cloned().unwrap_or_default();
    parts
        .into_iter()
        .find(|part| part["name"] == "model")
        .unwrap_or_default()
}

/// Waits until the model's part of the status has these words, and returns it.
async fn model_says(questions: &mut Questions, words: &str) -> String {
    let started = Instant::now();
    loop {
        let said = model(questions).await["detail"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        if said.contains(words) {
            return said;
        }
        assert!(
            started.elapsed() < PATIENCE,
            "waited for \"{words}\" in vain: {said}"
        );
        claudevil_tests::pause().await;
    }
}

/// Returns the first file that is found by meaning alone.
async fn nearest(questions: &mut Questions) -> String {
    let found = questions
        .ask("search", json!({ "query": ASKED, "mode": "semantic" }))
        .await
        .expect("an answer");
    found["results"][0]["path"]
        .as_str()
        .expect("a result")
        .to_owned()
}

async fn all_seen(questions: &mut Questions) -> String {
    let status = questions.embedded().await;
    let chunks = status["index"]["chunks"].as_u64().expect("a number");
    model_says(
        questions,
        &format!("{chunks} of {chunks} chunks in memory have its vectors"),
    )
    .await
}

async fn remote_is_used() {
    let server = Server::start();
    let home = server.home();
    let root = project(&home);
    let mut questions = Questions::start(&home, &root).await;
    let said = all_seen(&mut questions).await;
    let plainly = format!(
        "the text of your code, secrets blanked, and your questions are sent to {}",
        server.url
    );
    assert!(said.contains(&plainly), "{said}");
    assert_eq!(nearest(&mut questions).await, "src/hidden.rs");
    let texts = server.texts();
    assert!(
        texts.iter().any(|text| text.contains(HIDDEN))
            && texts.iter().any(|text| text.contains(ASKED))
    );
    assert!(
        !texts.iter().any(|text| text.contains(&SECRET[..12])),
        "a secret was sent"
    );
    assert!(
        texts
            .iter()
            .any(|text| text.contains("TOKEN: &str = \"****")),
        "blanked, not left out"
    );
    assert!(
        server
            .heads()
            .iter()
            .all(|head| head.to_lowercase().contains("authorization: bearer s3cret"))
    );
    // An edit is found at once by the built-in model, and by the other one when it has embedded it.
    std::fs::write(
        root.join("src/plain_7.rs"),
        format!("// The {HIDDEN} {HIDDEN} sleeps.\npub fn nap() {{}}\n"),
    )
    .expect("written");
    std::fs::remove_file(root.join("src/hidden.rs")).expect("removed");
    all_seen(&mut questions).await;
    assert_eq!(nearest(&mut questions).await, "src/plain_7.rs");
    // Nothing is sent twice: vectors are stored, also for a later daemon.
    home.claudevil(&["daemon", "stop"]).await;
    home.gone().await;
    let before = server.texts().len();
    let mut questions = Questions::start(&home, &root).await;
    all_seen(&mut questions).await;
    assert_eq!(nearest(&mut questions).await, "src/plain_7.rs");
    let again: Vec<String> = server.texts().split_off(before);
    assert!(
        again.iter().all(|text| !text.contains("pub fn handles_")),
        "{again:?}"
    );
}

async fn remote_fails() {
    let server = Server::start();
    server.script(&[], Reaction::Fails(401));
    let home = server.home();
    let root = project(&home);
    let mut questions = Questions::start(&home, &root).await;
    let said = model_says(
        &mut questions,
        "does not accept the API key in CLAUDEVIL_EMBEDDER_KEY",
    )
    .await;
    assert!(
        said.contains("the built-in model is used") && !said.contains("s3cret"),
        "{said}"
    );
    questions.embedded().await;
    assert_ne!(
        nearest(&mut questions).await,
        "src/hidden.rs",
        "that can only be known by the other model"
    );
    let status = questions
        .ask("index_status", json!({}))
        .await
        .expect("a status");
    assert_eq!(status["health"], "degraded");
    // Each fault in turn, in the middle of the work; then all is well, and the result is as if nothing had happened.
    let faults = [
        Reaction::Answers,
        Reaction::Fails(500),
        Reaction::CutsOff,
        Reaction::IsSilent,
        Reaction::Fails(503),
        Reaction::Widens,
    ];
    server.script(&faults, Reaction::Answers);
    all_seen(&mut questions).await;
    assert_eq!(nearest(&mut questions).await, "src/hidden.rs");
    // A server that goes away breaks no search.
    for fault in [
        Reaction::Fails(500),
        Reaction::IsSilent,
        Reaction::CutsOff,
        Reaction::Widens,
    ] {
        server.script(&[], fault);
        let started = Instant::now();
        assert!(!nearest(&mut questions).await.is_empty());
        assert!(!nearest(&mut questions).await.is_empty());
        assert!(started.elapsed().as_secs() < 20, "{fault:?}");
    }
    model_says(&mut questions, "error: ").await;
}

async fn looked_at_first() {
    let server = Server::start();
    server.script(&[], Reaction::Fails(503));
    let home = server.home();
    let root = project(&home);
    let mut questions = Questions::start(&home, &root).await;
    questions.embedded().await;
    model_says(&mut questions, "503").await;
    for (file, times) in [(12, 1), (33, 3), (5, 2)] {
        for _ in 0..times {
            let path = format!("src/plain_{file}.rs");
            questions
                .ask("read_file", json!({ "path": path }))
                .await
                .expect("read");
        }
    }
    let before = server.texts().len();
    server.script(&[], Reaction::Answers);
    all_seen(&mut questions).await;
    let texts = server.texts().split_off(before);
    let mut code = texts.iter().filter(|text| text.contains("pub fn handles_"));
    for file in [33, 5, 12] {
        let text = code.next().expect("a text");
        assert!(
            text.contains(&format!("handles_{file}(")),
            "{file} was to come: {text}"
        );
    }
}

async fn models_change() {
    let server = Server::start();
    let plain = Home::new();
    let root = project(&plain);
    let config = plain.paths().config_file();
    let set = |text: &str| {
        std::fs::create_dir_all(config.parent().expect("a folder")).expect("made");
        std::fs::write(&config, text).expect("written");
    };
    let mut questions = Questions::start(&plain, &root).await;
    questions.embedded().await;
    assert!(
        model(&mut questions).await.is_null(),
        "nothing but the built-in model"
    );
    let first = nearest(&mut questions).await;
    // Another model, whose server is slow to start: the earlier vectors are used meanwhile.
    server.script(
        &[
            Reaction::Fails(503),
            Reaction::Fails(503),
            Reaction::Fails(503),
            Reaction::IsSilent,
        ],
        Reaction::Answers,
    );
    set(&format!(
        "embedder = \"remote\"\nembedder_url = \"{}\"\nembedder_model = \"a\"\nembedder_timeout_seconds = 2\n",
        server.url
    ));
    restart(&plain).await;
    questions.embedded().await;
    assert_eq!(nearest_now(&plain, &root).await, first);
    all_seen(&mut questions).await;
    assert_eq!(nearest(&mut questions).await, "src/hidden.rs");
    // Another model name on the same server: all vectors are recomputed, and none of the other model's is used.
    let before = server.texts().len();
    set(&format!(
        "embedder = \"remote\"\nembedder_url = \"{}\"\nembedder_model = \"b\"\n",
        server.url
    ));
    restart(&plain).await;
    let said = all_seen(&mut questions).await;
    assert!(said.contains("remote:b@"), "{said}");
    assert!(server.texts().len() > before + 40, "made again");
    assert_eq!(nearest(&mut questions).await, "src/hidden.rs");
    // Back to the built-in model.
    set("");
    restart(&plain).await;
    questions.embedded().await;
    assert!(model(&mut questions).await.is_null());
    assert_eq!(nearest(&mut questions).await, first);
}

async fn restart(home: &Home) {
    let stopped = home.claudevil(&["daemon", "restart"]).await;
    assert!(stopped.status.success(), "{stopped:?}");
}

/// Returns the first file that a new session finds by meaning.
async fn nearest_now(home: &Home, root: &Path) -> String {
    nearest(&mut Questions::start(home, root).await).await
}
