//! Requests to a small server that misbehaves on demand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, mpsc};

use serde_json::Value;

use super::super::{Key, Prefixes};
use super::*;

const WIDTH: usize = 6;

/// The behaviour of the server for a request.
#[derive(Clone, Copy, Debug)]
enum Behaviour {
    Answers,
    Fails(u16),
    /// Answers 429 with `Retry-After`.
    Busy,
    /// Answers 429 with a `Retry-After` of an hour.
    BusyForLong,
    /// Sends a valid head, and half of the body.
    CutsOff,
    /// Answers with longer vectors.
    Widens,
    LeavesOneOut,
    /// Does not answer.
    IsSilent,
    Babbles,
    /// Refuses texts that are longer.
    TakesAtMost(usize),
    /// Redirects to another port of this machine.
    Redirects(u16),
}

struct Server {
    url: String,
    seen: mpsc::Receiver<(String, Value)>,
    /// Keeps unanswered connections open until it is dropped.
    _silence: mpsc::Sender<()>,
}

impl Server {
    /// Starts a server that follows the script, and then answers every request.
    fn start(script: &[Behaviour]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let (sender, seen) = mpsc::channel();
        let (silence, waiting) = mpsc::channel::<()>();
        let waiting = Arc::new(Mutex::new(waiting));
        let script = script.to_vec();
        std::thread::spawn(move || {
            let mut script = script.into_iter();
            for stream in listener.incoming().flatten() {
                let mut stream = BufReader::new(stream);
                while let Some((head, body)) = request(&mut stream) {
                    let does = script.next().unwrap_or(Behaviour::Answers);
                    let _ = sender.send((head, body.clone()));
                    if let Behaviour::IsSilent = does {
                        let waiting = Arc::clone(&waiting);
                        // Others are served meanwhile.
                        std::thread::spawn(move || {
                            let _held = stream;
                            let _ = waiting.lock().expect("unpoisoned").recv();
                        });
                        break;
                    }
                    if !reply(stream.get_mut(), does, &body) {
                        break;
                    }
                }
            }
        });
        Self {
            url,
            seen,
            _silence: silence,
        }
    }

    fn settings(&self) -> RemoteSettings {
        RemoteSettings {
            url: self.url.clone(),
            model: "small".to_owned(),
            proxy: None,
            key: Key::new("s3cret"),
            key_variable: "MY_KEY".to_owned(),
            batch: 4,
            patience: Duration::from_secs(20),
            prefixes: Prefixes {
                query: "q: ".to_owned(),
                document: String::new(),
            },
        }
    }

    /// Returns the texts of the requests since the last call.
    fn asked(&self) -> Vec<Vec<String>> {
        self.seen.try_iter().map(|(_, body)| texts(&body)).collect()
    }
}

fn texts(body: &Value) -> Vec<String> {
    let texts = body["input"].as_array().expect("texts");
    texts
        .iter()
        .map(|text| text.as_str().expect("a text").to_owned())
        .collect()
}

fn request(stream: &mut BufReader<TcpStream>) -> Option<(String, Value)> {
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some((head, serde_json::from_slice(&body).ok()?))
}

/// Returns the vector of a text; every text has a direction of its own.
fn vector(text: &str) -> Vec<f32> {
    let hash = blake3::hash(text.as_bytes());
    hash.as_bytes()
        .iter()
        .take(WIDTH)
        .map(|byte| f32::from(*byte) - 127.5)
        .collect()
}

/// Returns whether the connection stays open.
fn reply(stream: &mut TcpStream, does: Behaviour, body: &Value) -> bool {
    let texts = texts(body);
    let mut vectors: Vec<Vec<f32>> = texts.iter().map(|text| vector(text)).collect();
    let mut status = "200 OK".to_owned();
    match does {
        Behaviour::Fails(code) => status = format!("{code} No"),
        Behaviour::Busy => status = "429 Busy\r\nRetry-After: 0".to_owned(),
        Behaviour::BusyForLong => status = "429 Busy\r\nRetry-After: 3600".to_owned(),
        Behaviour::Redirects(port) => {
            status = format!("307 Elsewhere\r\nLocation: http://127.0.0.1:{port}/v1/embeddings");
        }
        Behaviour::Widens => vectors[0].push(1.0),
        Behaviour::LeavesOneOut => drop(vectors.pop()),
        Behaviour::TakesAtMost(most) if texts.len() > 1 || texts[0].len() > most => {
            status = "413 Too Large".to_owned();
        }
        _ => {}
    }
    let rows: Vec<Value> = vectors
        .iter()
        .enumerate()
        .map(|(at, row)| json!({ "index": at, "embedding": row }))
        .collect();
    let body = match does {
        Behaviour::Babbles => "<html>hello</html>".to_owned(),
        _ => json!({ "object": "list", "data": rows }).to_string(),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let shown = if let Behaviour::CutsOff = does {
        &body[..body.len() / 2]
    } else {
        &body
    };
    let written = stream.write_all(format!("{head}{shown}").as_bytes());
    written.is_ok() && !matches!(does, Behaviour::CutsOff)
}

#[test]
fn texts_are_sent_in_batches_with_the_key_and_the_name_of_the_model() {
    let server = Server::start(&[]);
    let remote = Remote::open(&server.settings()).expect("opened");
    assert_eq!((remote.dimensions(), remote.batch_size()), (WIDTH, 4));
    let (head, body) = server.seen.try_recv().expect("it was asked");
    assert!(
        head.starts_with("POST /v1/embeddings ") && head.contains("Bearer s3cret"),
        "{head}"
    );
    assert_eq!(
        (body["model"].as_str(), body["encoding_format"].as_str()),
        (Some("small"), Some("float"))
    );
    let texts: Vec<String> = (0..10)
        .map(|number| format!("fn number_{number}() {{}}"))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let made = remote.documents(&texts).expect("made");
    assert_eq!(
        made,
        texts.iter().map(|text| vector(text)).collect::<Vec<_>>()
    );
    assert_eq!(
        server.asked().iter().map(Vec::len).collect::<Vec<_>>(),
        [4, 4, 2]
    );
    assert_eq!(remote.query("how").expect("made"), vector("q: how"));
    assert_eq!(remote.documents(&["  "]).expect("made"), [vector(".")]);
    assert_eq!(
        remote.documents(&[]).expect("nothing"),
        Vec::<Vec<f32>>::new()
    );
    let id = remote.model().clone();
    // The server has one connection at a time.
    drop(remote);
    let other = RemoteSettings {
        model: "large".to_owned(),
        ..server.settings()
    };
    assert_ne!(*Remote::open(&other).expect("opened").model(), id);
}

#[test]
fn temporary_failures_are_retried() {
    for fault in [
        Behaviour::Fails(500),
        Behaviour::Fails(503),
        Behaviour::Busy,
        Behaviour::CutsOff,
        Behaviour::Babbles,
    ] {
        let server = Server::start(&[Behaviour::Answers, fault, Behaviour::Answers]);
        let remote = Remote::open(&server.settings()).expect("opened");
        assert_eq!(
            remote.documents(&["a"]).expect("made"),
            [vector("a")],
            "{fault:?}"
        );
        assert_eq!(server.asked().len(), 3, "{fault:?}");
        // A query is sent once, because a user waits for it.
        let server = Server::start(&[Behaviour::Answers, fault]);
        let remote = Remote::open(&server.settings()).expect("opened");
        assert_eq!(
            remote.query("a").expect_err("once").kind,
            EmbedErrorKind::Unavailable,
            "{fault:?}"
        );
        assert_eq!(server.asked().len(), 2, "{fault:?}");
    }
}

#[test]
fn a_request_fails_after_all_attempts() {
    let mut script = vec![Behaviour::Answers];
    script.resize(1 + ATTEMPTS as usize, Behaviour::Busy);
    let server = Server::start(&script);
    let remote = Remote::open(&server.settings()).expect("opened");
    let error = remote.documents(&["a"]).expect_err("given up");
    assert!(
        error.kind == EmbedErrorKind::Unavailable && error.message.contains("429"),
        "{error}"
    );
    assert_eq!(server.asked().len(), 1 + ATTEMPTS as usize);
    assert_eq!(remote.documents(&["a"]).expect("it is back"), [vector("a")]);
}

#[test]
fn a_server_that_asks_for_a_long_pause_is_left_alone() {
    let server = Server::start(&[Behaviour::Answers, Behaviour::BusyForLong]);
    let remote = Remote::open(&server.settings()).expect("opened");
    let error = remote.documents(&["a"]).expect_err("given up");
    assert_eq!(error.kind, EmbedErrorKind::Unavailable, "{error}");
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn code_that_somebody_waits_for_is_asked_for_once_and_like_a_document() {
    let server = Server::start(&[Behaviour::Answers, Behaviour::Fails(503)]);
    let remote = Remote::open(&server.settings()).expect("opened");
    assert!(remote.similar_code("a").is_err());
    assert_eq!(remote.similar_code("a").expect("made"), vector("a"));
    assert_eq!(server.asked().len(), 3);
}

#[test]
fn a_batch_that_is_refused_is_sent_by_halves() {
    let server = Server::start(&[Behaviour::Answers, Behaviour::Fails(413)]);
    let remote = Remote::open(&server.settings()).expect("opened");
    let made = remote.documents(&["a", "b", "c"]).expect("made");
    assert_eq!(made, ["a", "b", "c"].map(vector));
    let sizes: Vec<_> = server.asked().iter().map(Vec::len).collect();
    assert_eq!(sizes, [1, 3, 1, 2]);
}

#[test]
fn a_key_that_is_not_taken_is_said_and_not_tried_again() {
    let server = Server::start(&[
        Behaviour::Fails(401),
        Behaviour::Fails(401),
        Behaviour::Fails(404),
    ]);
    let error = Remote::open(&server.settings()).err().expect("refused");
    assert!(
        error
            .message
            .contains("does not accept the API key in MY_KEY"),
        "{error}"
    );
    assert!(!error.message.contains("s3cret"), "{error}");
    let none = RemoteSettings {
        key: None,
        ..server.settings()
    };
    let error = Remote::open(&none).err().expect("refused");
    assert!(
        error.message.contains("requires an API key: set MY_KEY"),
        "{error}"
    );
    let error = Remote::open(&none).err().expect("refused");
    assert!(
        error.message.contains("does not know the model small"),
        "{error}"
    );
    assert_eq!(server.asked().len(), 3);
}

#[test]
fn a_redirection_is_not_followed() {
    let elsewhere = Server::start(&[]);
    let port = elsewhere
        .url
        .trim_end_matches("/v1")
        .rsplit(':')
        .next()
        .and_then(|port| port.parse().ok());
    let server = Server::start(&[Behaviour::Redirects(port.expect("a port"))]);
    let error = Remote::open(&server.settings()).err().expect("no answer");
    assert!(error.message.contains("answered 307"), "{error}");
    assert!(
        elsewhere.seen.try_recv().is_err(),
        "neither texts nor the key went there"
    );
}

#[test]
fn vectors_of_another_length_or_number_are_not_taken() {
    for fault in [Behaviour::Widens, Behaviour::LeavesOneOut] {
        let server = Server::start(&[Behaviour::Answers, fault]);
        let remote = Remote::open(&server.settings()).expect("opened");
        let error = remote.documents(&["a", "b"]).expect_err("not believed");
        assert_eq!(error.kind, EmbedErrorKind::Unusable, "{error}");
        assert_eq!(server.asked().len(), 2);
    }
}

#[test]
fn a_password_in_the_address_is_in_no_error() {
    let server = Server::start(&[Behaviour::Fails(401)]);
    let settings = RemoteSettings {
        url: server.url.replace("http://", "http://ada:passw0rd@"),
        ..server.settings()
    };
    let error = Remote::open(&settings).err().expect("refused");
    assert!(
        error.message.starts_with("http://****@127.0.0.1") && !error.message.contains("passw0rd"),
        "{error}"
    );
}

#[test]
fn a_server_that_says_nothing_is_not_waited_for() {
    let server = Server::start(&[Behaviour::Answers, Behaviour::IsSilent, Behaviour::Answers]);
    let impatient = RemoteSettings {
        patience: Duration::from_millis(200),
        ..server.settings()
    };
    let remote = Remote::open(&impatient).expect("opened");
    assert_eq!(remote.documents(&["a"]).expect("made"), [vector("a")]);
    assert_eq!(server.asked().len(), 3);
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", free.local_addr().expect("an address"));
    drop(free);
    let nowhere = RemoteSettings { url, ..impatient };
    let error = Remote::open(&nowhere).err().expect("nobody is there");
    assert_eq!(error.kind, EmbedErrorKind::Unavailable);
}

#[test]
fn texts_that_are_too_long_are_sent_alone_and_halved() {
    let mut script = vec![Behaviour::Answers];
    script.resize(12, Behaviour::TakesAtMost(100));
    let server = Server::start(&script);
    let remote = Remote::open(&server.settings()).expect("opened");
    let long = "ü".repeat(150);
    let made = remote.documents(&["short", &long]).expect("made");
    // 300 bytes, 150, then 74: halves end between letters.
    assert_eq!(made, [vector("short"), vector(&"ü".repeat(37))]);
    let refused = Server::start(&[
        Behaviour::Answers,
        Behaviour::Fails(422),
        Behaviour::Fails(422),
    ]);
    let remote = Remote::open(&refused.settings()).expect("opened");
    let error = remote.documents(&["short"]).expect_err("refused");
    assert_eq!(
        (error.kind, refused.asked().len()),
        (EmbedErrorKind::Refused, 2)
    );
}

#[test]
fn missing_settings_are_named() {
    let error = Remote::open(&RemoteSettings::default())
        .err()
        .expect("nowhere to go");
    assert!(error.message.contains("embedder_url"), "{error}");
    let error = Remote::open(&RemoteSettings {
        url: "http://127.0.0.1:1".to_owned(),
        ..RemoteSettings::default()
    });
    assert!(
        error
            .err()
            .expect("no model")
            .message
            .contains("embedder_model")
    );
}
