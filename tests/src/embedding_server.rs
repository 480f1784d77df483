//! A small server that speaks OpenAI's `/v1/embeddings`, relates two texts by meaning, and fails when it is told to.
//!
//! Its model gives texts with [`HIDDEN`] and questions with [`ASKED`] nearly the same vector, although they share no words: a
//! search that finds one by the other has used the model. Every other text has a direction of its own.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::home::{Home, put};

pub const HIDDEN: &str = "quokka";
pub const ASKED: &str = "where do marsupials smile";
pub const WIDTH: usize = 48;

/// The server's reaction to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    Answers,
    Fails(u16),
    /// Sends a valid head, and half of the body.
    CutsOff,
    /// Sends vectors with more dimensions.
    Widens,
    /// Keeps the connection and says nothing.
    IsSilent,
}

#[derive(Default)]
struct State {
    /// The reactions to the next requests, in order.
    next: VecDeque<Reaction>,
    /// The reaction to later requests.
    then: Option<Reaction>,
    texts: Vec<String>,
    heads: Vec<String>,
    requests: usize,
    silent: Vec<TcpStream>,
}

pub struct Server {
    pub url: String,
    state: Arc<Mutex<State>>,
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || serve(stream, &state));
            }
        });
        Self { url, state }
    }

    /// Makes a home whose configuration names this server; only the key comes from the environment.
    pub fn home(&self) -> Home {
        let home = Home::new().with("CLAUDEVIL_EMBEDDER_KEY", "s3cret");
        let config = format!(
            "embedder = \"remote\"\nembedder_url = \"{}\"\nembedder_model = \"zoo-small\"\nembedder_batch = 8\n\
             embedder_timeout_seconds = 2\n",
            self.url
        );
        put(
            &home.claudevil_home(),
            "config/config.toml",
            config.as_bytes(),
        );
        home
    }

    /// Sets the reactions to the next requests, and the one to all later requests.
    pub fn script(&self, next: &[Reaction], then: Reaction) {
        let mut state = lock(&self.state);
        (state.next, state.then) = (next.iter().copied().collect(), Some(then));
    }

    /// Returns every text that it was sent.
    pub fn texts(&self) -> Vec<String> {
        lock(&self.state).texts.clone()
    }

    /// Returns the heads of the requests.
    pub fn heads(&self) -> Vec<String> {
        lock(&self.state).heads.clone()
    }

    pub fn requests(&self) -> usize {
        lock(&self.state).requests
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(stream: TcpStream, state: &Mutex<State>) {
    let mut stream = BufReader::new(stream);
    while let Some((head, body)) = request(&mut stream) {
        let texts: Vec<String> = body["input"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|text| Some(text.as_str()?.to_owned()))
            .collect();
        let does = {
            let mut state = lock(state);
            state.requests += 1;
            state.heads.push(head);
            state.texts.extend(texts.iter().cloned());
            let then = state.then.unwrap_or(Reaction::Answers);
            state.next.pop_front().unwrap_or(then)
        };
        if does == Reaction::IsSilent {
            lock(state).silent.push(stream.into_inner());
            return;
        }
        if !reply(stream.get_mut(), does, &texts) {
            return;
        }
    }
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

/// Returns whether the connection goes on.
fn reply(stream: &mut TcpStream, does: Reaction, texts: &[String]) -> bool {
    let mut vectors: Vec<Vec<f64>> = texts.iter().map(|text| vector(text)).collect();
    let status = match does {
        Reaction::Fails(code) => format!("{code} No"),
        _ => "200 OK".to_owned(),
    };
    if does == Reaction::Widens {
        for vector in &mut vectors {
            vector.push(1.0);
        }
    }
    let rows: Vec<Value> = vectors
        .iter()
        .enumerate()
        .map(|(at, row)| json!({ "index": at, "embedding": row }))
        .collect();
    let body = json!({ "object": "list", "data": rows }).to_string();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let shown = if does == Reaction::CutsOff {
        &body[..body.len() / 2]
    } else {
        &body
    };
    stream
        .write_all(format!("{head}{shown}").as_bytes())
        .is_ok()
        && does != Reaction::CutsOff
}

fn vector(text: &str) -> Vec<f64> {
    let mut vector = vec![0.0; WIDTH];
    // A component that all vectors have in common, as with many models.
    vector[0] = 2.0;
    if text.contains(HIDDEN) || text.contains(ASKED) {
        vector[1] = 3.0;
    }
    // A direction of its own, by the bytes of the text.
    let mut seed = text.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    for place in &mut vector[2..] {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        *place =
            f64::from(u32::try_from(seed >> 40).unwrap_or_default()) / f64::from(1 << 24) - 0.5;
    }
    vector
}
