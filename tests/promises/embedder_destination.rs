//! No variable of a session decides where text of projects is sent.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Instant;

use claudevil_tests::embedding_server::Server;
use claudevil_tests::home::{Home, put, repository};
use claudevil_tests::questions::{PATIENCE, Questions};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "a_variable_does_not_choose_a_remote_model",
            Needs::Nothing,
            variables_do_not_choose,
        ),
        proof(
            "a_variable_does_not_change_where_text_is_sent",
            Needs::Nothing,
            variables_do_not_redirect,
        ),
        proof(
            "proxies_of_the_environment_see_no_text",
            Needs::Nothing,
            proxies,
        ),
    ]
}

const FILE: (&str, &str) = ("src/lib.rs", "pub fn quokka() -> u32 {\n    42\n}\n");

fn part(status: &Value, name: &str) -> Value {
    let parts = status["parts"].as_array().cloned().unwrap_or_default();
    parts
        .into_iter()
        .find(|part| part["name"] == name)
        .unwrap_or_default()
}

async fn variables_do_not_choose() {
    let server = Server::start();
    let home = Home::new()
        .with("CLAUDEVIL_EMBEDDER", "remote")
        .with("CLAUDEVIL_EMBEDDER_URL", &server.url)
        .with("CLAUDEVIL_EMBEDDER_MODEL", "theirs")
        .with("CLAUDEVIL_EMBEDDER_KEY", "s3cret");
    let root = repository(&home, "zoo", &[FILE]);
    let mut questions = Questions::start(&home, &root).await;
    questions.embedded().await;
    questions
        .ask(
            "search",
            json!({ "query": "where do marsupials live", "mode": "semantic" }),
        )
        .await
        .expect("answered");
    let status = questions
        .ask("index_status", json!({ "detailed": true }))
        .await
        .expect("a status");
    assert!(
        part(&status, "model").is_null(),
        "the built-in model alone: {status}"
    );
    let said = part(&status, "settings");
    let detail = said["detail"].as_str().expect("it says so");
    for variable in [
        "CLAUDEVIL_EMBEDDER is set",
        "CLAUDEVIL_EMBEDDER_URL is set",
        "CLAUDEVIL_EMBEDDER_MODEL is set",
    ] {
        assert!(
            detail.contains(variable) && detail.contains("ignored"),
            "{detail}"
        );
    }
    assert!(
        !detail.contains("CLAUDEVIL_EMBEDDER_KEY ") && !status.to_string().contains("s3cret"),
        "{status}"
    );
    let doctor = home.json(&["doctor"]).await.to_string();
    assert!(
        doctor.contains("CLAUDEVIL_EMBEDDER is set in the environment and ignored"),
        "{doctor}"
    );
    let logs = home.log();
    assert!(
        logs.contains("CLAUDEVIL_EMBEDDER is set in the environment and ignored"),
        "{logs}"
    );
    assert_eq!(server.requests(), 0, "{:?}", server.texts());
}

async fn variables_do_not_redirect() {
    let (ours, theirs) = (Server::start(), Server::start());
    let home = Home::new()
        .with("CLAUDEVIL_EMBEDDER_URL", &theirs.url)
        .with("CLAUDEVIL_EMBEDDER_MODEL", "theirs")
        .with("CLAUDEVIL_EMBEDDER_KEY_VARIABLE", "CLAUDEVIL_OTHER")
        .with("CLAUDEVIL_OTHER", "an0ther")
        .with("CLAUDEVIL_EMBEDDER_KEY", "s3cret");
    let config = format!(
        "embedder = \"remote\"\nembedder_url = \"{}\"\nembedder_model = \"ours\"\n",
        ours.url
    );
    put(
        &home.claudevil_home(),
        "config/config.toml",
        config.as_bytes(),
    );
    let root = repository(&home, "zoo", &[FILE]);
    let mut questions = Questions::start(&home, &root).await;
    let started = Instant::now();
    while !ours.texts().iter().any(|text| text.contains("quokka")) {
        assert!(
            started.elapsed() < PATIENCE,
            "nothing came: {:?}",
            theirs.texts()
        );
        questions.status().await;
        claudevil_tests::pause().await;
    }
    assert!(
        ours.heads()
            .iter()
            .all(|head| head.to_lowercase().contains("authorization: bearer s3cret"))
    );
    assert_eq!(theirs.requests(), 0, "{:?}", theirs.texts());
}

/// Starts a proxy that records the first line of every request, and serves none.
fn proxy() -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let (sender, seen) = mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut line = String::new();
            let _ = BufReader::new(&stream).read_line(&mut line);
            let _ = stream.write_all(b"HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n");
            let _ = sender.send(line);
        }
    });
    (address, seen)
}

async fn proxies() {
    let (address, seen) = proxy();
    let mut home = Home::new();
    for name in ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "http_proxy"] {
        home = home.with(name, &address);
    }
    // An address that is not in use.
    let config = "embedder = \"remote\"\nembedder_url = \"http://192.0.2.1/v1\"\nembedder_model = \"ours\"\n\
                  embedder_timeout_seconds = 1\n";
    put(
        &home.claudevil_home(),
        "config/config.toml",
        config.as_bytes(),
    );
    let root = repository(&home, "zoo", &[FILE]);
    let mut questions = Questions::start(&home, &root).await;
    let started = Instant::now();
    let status = loop {
        let status = questions
            .ask("index_status", json!({}))
            .await
            .expect("a status");
        if part(&status, "model")["detail"]
            .as_str()
            .is_some_and(|detail| detail.contains("not in use"))
        {
            break status;
        }
        assert!(started.elapsed() < PATIENCE, "{status}");
        claudevil_tests::pause().await;
    };
    assert_eq!(
        seen.try_iter().collect::<Vec<_>>(),
        Vec::<String>::new(),
        "the proxy of the environment was asked"
    );
    let said = part(&status, "settings")["detail"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(
        said.contains("HTTPS_PROXY") && said.contains("embedder_proxy"),
        "{status}"
    );
    // A proxy that the configuration names is used.
    put(
        &home.claudevil_home(),
        "config/config.toml",
        format!("{config}embedder_proxy = \"{address}\"\n").as_bytes(),
    );
    assert!(
        home.claudevil(&["daemon", "restart"])
            .await
            .status
            .success()
    );
    questions.status().await;
    let first = tokio::task::spawn_blocking(move || seen.recv_timeout(PATIENCE))
        .await
        .expect("it ran");
    assert!(first.expect("the proxy is asked").contains("192.0.2.1"));
}
