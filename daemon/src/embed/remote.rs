//! A model behind a server that speaks OpenAI's `/v1/embeddings`: Ollama, TEI, vLLM and others.
//!
//! Texts leave this process, and perhaps the machine, so nobody gets here who did not choose it. What may pass is tried
//! again, each time later; what the server will not take is not. A batch that is refused is sent text by text, and a
//! text that is refused by halves, because most that is refused is too long. **Invariant:** nothing that a server
//! answers is believed before its number, order and length are those that were asked for.

mod answer;

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Proxy};

use self::answer::Answer;
use super::{EmbedError, EmbedErrorKind, Embedder, ModelId, RemoteSettings};

/// How often a request is made at most.
const TRIES: u32 = 5;
/// Before the second; each further one waits twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// What a server may ask us to wait.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);
/// How long somebody waits for a question.
const QUERY_PATIENCE: Duration = Duration::from_secs(3);
/// How long a connection may take.
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);
/// What an answer may take, with room for numbers as long as they get.
const LARGEST_ANSWER: u64 = 64 << 20;
/// What is left of a text that is refused and refused.
const SHORTEST: usize = 64;
/// What is shown of an answer that is an error.
const SHOWN: usize = 200;

pub struct Remote {
    settings: RemoteSettings,
    address: String,
    agent: Agent,
    id: ModelId,
    dimensions: usize,
    /// For pauses.
    pause: (Mutex<()>, Condvar),
}

/// Why one request failed.
struct Failed {
    error: EmbedError,
    /// Whether another try may help, and when.
    again: Again,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Again {
    Never,
    Later(Option<Duration>),
    /// The server does not take these texts.
    Smaller,
}

/// Who waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiting {
    Somebody,
    Nobody,
}

impl Remote {
    /// Asks the server for one vector, to know how long they are.
    pub fn open(settings: &RemoteSettings) -> Result<Self, EmbedError> {
        if let Some(lacks) = settings.lacks() {
            return Err(EmbedError::unavailable(lacks));
        }
        let url = settings.url.trim_end_matches('/');
        let address = if url.ends_with("/embeddings") {
            url.to_owned()
        } else {
            format!("{url}/embeddings")
        };
        let proxy = settings
            .proxy
            .as_deref()
            .filter(|_| !settings.is_local())
            .map(Proxy::new)
            .transpose();
        let proxy =
            proxy.map_err(|error| EmbedError::unavailable(format!("`embedder_proxy`: {error}")))?;
        // Neither a redirection nor a proxy of the environment leads texts and the key elsewhere.
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(proxy)
            .timeout_connect(Some(CONNECT_PATIENCE))
            .user_agent(concat!("claudevil/", env!("CARGO_PKG_VERSION")))
            .tls_config(
                TlsConfig::builder()
                    .root_certs(RootCerts::PlatformVerifier)
                    .build(),
            );
        let said = format!(
            "{address}\n{}\n{}\n{}",
            settings.model, settings.prefixes.query, settings.prefixes.document
        );
        let sum = &blake3::hash(said.as_bytes()).to_hex()[..12];
        let mut remote = Self {
            id: ModelId::new(format!("remote:{}@1-{sum}", settings.model)),
            settings: settings.clone(),
            address,
            agent: config.build().new_agent(),
            dimensions: 0,
            pause: (Mutex::default(), Condvar::new()),
        };
        let first = remote.patiently(&["fn main() {}"])?;
        remote.dimensions = first.first().map_or(0, Vec::len);
        Ok(remote)
    }

    /// Tries again what may pass.
    fn patiently(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut pause = FIRST_PAUSE;
        for _ in 1..TRIES {
            match self.request(texts, self.settings.patience) {
                Err(Failed {
                    again: Again::Later(asked),
                    ..
                }) => {
                    self.wait(asked.unwrap_or(pause).min(LONGEST_PAUSE));
                    pause *= 2;
                }
                Err(Failed {
                    again: Again::Smaller,
                    error,
                }) => return self.smaller(texts, error),
                Err(Failed {
                    again: Again::Never,
                    error,
                }) => return Err(error),
                Ok(made) => return Ok(made),
            }
        }
        match self.request(texts, self.settings.patience) {
            Err(Failed {
                again: Again::Smaller,
                error,
            }) => self.smaller(texts, error),
            Err(failed) => Err(failed.error),
            Ok(made) => Ok(made),
        }
    }

    /// Text by text, then by halves.
    fn smaller(&self, texts: &[&str], error: EmbedError) -> Result<Vec<Vec<f32>>, EmbedError> {
        match texts {
            [text] if text.len() <= SHORTEST => Err(error),
            [text] => self.patiently(&[&text[..text.floor_char_boundary(text.len() / 2)]]),
            texts => {
                let mut all = Vec::with_capacity(texts.len());
                for text in texts {
                    all.extend(self.patiently(&[text])?);
                }
                Ok(all)
            }
        }
    }

    fn request(&self, texts: &[&str], patience: Duration) -> Result<Vec<Vec<f32>>, Failed> {
        let body =
            json!({ "model": self.settings.model, "input": texts, "encoding_format": "float" });
        let mut request = self
            .agent
            .post(&self.address)
            .config()
            .timeout_global(Some(patience))
            .build();
        if let Some(key) = &self.settings.key {
            request = request.header("Authorization", format!("Bearer {}", key.reveal()));
        }
        let later = |what: String| Failed {
            error: EmbedError::unavailable(format!("{}: {what}", self.address)),
            again: Again::Later(None),
        };
        let mut response = request
            .send_json(&body)
            .map_err(|error| later(error.to_string()))?;
        let status = response.status();
        if !status.is_success() {
            let asked = response
                .headers()
                .get("retry-after")
                .and_then(|value| value.to_str().ok());
            let asked = asked
                .and_then(|seconds| seconds.trim().parse().ok())
                .map(Duration::from_secs);
            let said = response
                .body_mut()
                .with_config()
                .limit(1 << 16)
                .lossy_utf8(true)
                .read_to_string();
            return Err(self.refused(status.as_u16(), &said.unwrap_or_default(), asked));
        }
        // A body that is cut off is not JSON, or not as long as was announced.
        let read = response
            .body_mut()
            .with_config()
            .limit(LARGEST_ANSWER)
            .read_to_vec();
        let read = read.map_err(|error| later(format!("the answer was cut off: {error}")))?;
        let answer: Answer = serde_json::from_slice(&read)
            .map_err(|error| later(format!("the answer is not what was asked for: {error}")))?;
        let expected = (self.dimensions > 0).then_some(self.dimensions);
        answer
            .vectors(texts.len(), expected)
            .map_err(|what| Failed {
                error: EmbedError::unusable(format!("{}: {what}", self.address)),
                again: Again::Never,
            })
    }

    fn refused(&self, status: u16, said: &str, asked: Option<Duration>) -> Failed {
        let said: String = said
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(SHOWN)
            .collect();
        let address = &self.address;
        let message = match status {
            401 | 403 => {
                let variable = &self.settings.key_variable;
                let key = match self.settings.key {
                    Some(_) => format!("does not take the key in {variable}"),
                    None => format!("wants a key: set {variable} where the daemon is started"),
                };
                format!("{address} {key} ({status} {said})")
            }
            404 => format!(
                "{address} does not know the model {} ({status} {said})",
                self.settings.model
            ),
            _ => format!("{address} answered {status} {said}"),
        };
        let (kind, again) = match status {
            408 | 409 | 425 | 429 | 500..=599 => (EmbedErrorKind::Unavailable, Again::Later(asked)),
            400 | 413 | 422 => (EmbedErrorKind::Refused, Again::Smaller),
            // What is set has to be changed, or the server: what it is asked for does not matter.
            _ => (EmbedErrorKind::Unavailable, Again::Never),
        };
        Failed {
            error: EmbedError {
                kind,
                message: message.trim_end().to_owned(),
            },
            again,
        }
    }

    /// Nothing ends it early but the end of the process.
    fn wait(&self, pause: Duration) {
        let until = Instant::now() + pause;
        let mut held = self.pause.0.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(left) = until
            .checked_duration_since(Instant::now())
            .filter(|left| !left.is_zero())
        {
            held = self
                .pause
                .1
                .wait_timeout(held, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    fn ask(
        &self,
        prefix: &str,
        texts: &[&str],
        waiting: Waiting,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let with_prefix: Vec<String> = texts.iter().map(|text| format!("{prefix}{text}")).collect();
        // A server need not take what has nothing in it.
        let filled = with_prefix.iter().map(|text| {
            if text.trim().is_empty() {
                "."
            } else {
                text.as_str()
            }
        });
        let texts: Vec<&str> = filled.collect();
        match waiting {
            Waiting::Nobody => self.patiently(&texts),
            Waiting::Somebody => self
                .request(&texts, QUERY_PATIENCE.min(self.settings.patience))
                .map_err(|failed| failed.error),
        }
    }
}

impl Embedder for Remote {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn batch_size(&self) -> usize {
        self.settings.batch
    }

    fn documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut all = Vec::with_capacity(texts.len());
        for some in texts.chunks(self.settings.batch.max(1)) {
            all.extend(self.ask(&self.settings.prefixes.document, some, Waiting::Nobody)?);
        }
        Ok(all)
    }

    fn query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut made = self.ask(&self.settings.prefixes.query, &[text], Waiting::Somebody)?;
        made.pop()
            .ok_or_else(|| EmbedError::unusable("no vector came"))
    }
}

#[cfg(test)]
mod tests;
