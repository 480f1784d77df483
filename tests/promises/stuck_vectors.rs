//! The vector process, stopped by a signal: it is replaced, the status says so, and searches go on.

use std::fs;
use std::time::Instant;

use claudevil_tests::embedding_server::Server;
use claudevil_tests::home::{Home, repository, signal};
use claudevil_tests::processes;
use claudevil_tests::questions::{PATIENCE, Questions};
use libtest_mimic::Trial;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![proof(
        "26_a_stopped_vector_process_is_replaced_and_told",
        Needs::Nothing,
        stopped,
    )]
}

/// Returns the daemon's vector process, while there is one.
fn vector_process(home: &Home) -> Option<u32> {
    let children = processes::children(home.daemon()?);
    children.into_iter().find(|pid| {
        fs::read(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|line| line.split(|byte| *byte == 0).any(|word| word == b"store"))
    })
}

async fn vectors_part(questions: &mut Questions) -> (String, String) {
    let status = questions
        .ask("index_status", json!({}))
        .await
        .expect("a status");
    let parts = status["parts"].as_array().cloned().unwrap_or_default();
    let part = parts
        .into_iter()
        .find(|part| part["name"] == "vectors")
        .expect("vectors are a part");
    let word = |name: &str| part[name].as_str().unwrap_or_default().to_owned();
    (word("health"), word("detail"))
}

async fn stopped() {
    let server = Server::start();
    // A model whose vectors are expensive, so that they are loaded and stored within seconds.
    let home = Home::new();
    let config = home.paths().config_file();
    fs::create_dir_all(config.parent().expect("a folder")).expect("made");
    let lines = format!(
        "embedder = \"remote\"\nembedder_url = \"{}\"\nembedder_model = \"zoo\"\n",
        server.url
    );
    fs::write(config, lines).expect("written");
    let root = repository(
        &home,
        "zoo",
        &[(
            "src/a.rs",
            "pub fn groom(fur: &str) -> usize {\n    fur.len()\n}\n",
        )],
    );
    let mut questions = Questions::start(&home, &root).await;
    questions.settled().await;

    let mut edits = 0;
    let mut edit = || {
        edits += 1;
        let text =
            format!("pub fn groom_{edits}(fur: &str) -> usize {{\n    fur.len() + {edits}\n}}\n");
        fs::write(root.join("src/b.rs"), text).expect("written");
    };
    let mut stopped = None;
    let started = Instant::now();
    let told = loop {
        assert!(
            started.elapsed() < PATIENCE,
            "no word of the process that was stopped: {stopped:?}"
        );
        let now = vector_process(&home);
        if now != stopped
            && let Some(pid) = now
        {
            signal(pid, Signal::STOP);
            stopped = now;
        }
        edit();
        let (health, detail) = vectors_part(&mut questions).await;
        if detail.contains("stopped by a signal") {
            assert_eq!(health, "degraded", "{detail}");
            break detail;
        }
        // Whatever happens to the process, searches are answered.
        let found = questions
            .ask("search", json!({ "query": "groom fur" }))
            .await
            .expect("an answer");
        assert!(
            found["results"]
                .as_array()
                .is_some_and(|results| !results.is_empty()),
            "{found}"
        );
        claudevil_tests::pause().await;
    };
    assert!(told.contains("so it was killed"), "{told}");

    let started = Instant::now();
    loop {
        edit();
        // A table that was being made when the process was killed is reported on its own.
        let (_, detail) = vectors_part(&mut questions).await;
        if !detail.contains("their process") {
            break;
        }
        assert!(
            started.elapsed() < PATIENCE,
            "the process that took its place works: {detail}"
        );
        claudevil_tests::pause().await;
    }
    let status: Value = questions.embedded().await;
    assert_eq!(status["trouble"], json!(null), "{status}");
    assert!(home.claudevil(&["daemon", "stop"]).await.status.success());
    let killed = stopped.expect("one was stopped");
    let line = fs::read(format!("/proc/{killed}/cmdline")).unwrap_or_default();
    assert!(
        !line.split(|byte| *byte == 0).any(|word| word == b"store"),
        "the stopped process is still there"
    );
}
