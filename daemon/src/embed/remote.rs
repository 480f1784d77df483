//! A model behind a server that speaks OpenAI's `/v1/embeddings`: Ollama, TEI, vLLM and others.
//!
//! Texts leave this process, and perhaps the machine, so it is used only if the configuration says so. Temporary errors are
//! retried with growing pauses. A refused batch is sent again in two halves, and a refused text is cut to its first half,
//! because most refused batches and texts are too long. **Invariant:** an answer is used only if the number, order and length
//! of its vectors are right.

mod answer;

use std::time::{Duration, Instant};

use serde_json::json;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Proxy};

use self::answer::Answer;
use super::{EmbedError, EmbedErrorKind, Embedder, ModelId, RemoteSettings, hide_credentials};

/// The most attempts of a request.
const ATTEMPTS: u32 = 5;
/// The pause before the second attempt, doubled before each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// The longest pause of a request. If `Retry-After` asks for a longer one, the request fails.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);
/// The longest time for a query.
const QUERY_PATIENCE: Duration = Duration::from_secs(3);
/// The longest time for a connection.
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);
/// The largest answer in bytes, for numbers of any length.
const LARGEST_ANSWER: u64 = 64 << 20;
/// The length below which a refused text is not halved again.
const SHORTEST: usize = 64;
/// The characters of an error answer that are shown.
const SHOWN: usize = 200;

pub struct Remote {
    settings: RemoteSettings,
    address: String,
    /// The address for messages, without a password.
    shown_address: String,
    agent: Agent,
    id: ModelId,
    dimensions: usize,
}

/// The failure of one request.
struct RequestError {
    error: EmbedError,
    retry: Retry,
}

/// The kind of retry that may succeed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Retry {
    Never,
    /// After the pause that the server asks for.
    Later(Option<Duration>),
    /// With smaller texts.
    Smaller,
}

impl Remote {
    /// Asks the server for one vector, to learn the dimensions.
    pub fn open(settings: &RemoteSettings) -> Result<Self, EmbedError> {
        if let Some(problem) = settings.problem() {
            return Err(EmbedError::unavailable(problem));
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
        // No redirect and no proxy of the environment may lead texts and the key elsewhere.
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
        let identity = format!(
            "{address}\n{}\n{}\n{}",
            settings.model, settings.prefixes.query, settings.prefixes.document
        );
        let sum = &blake3::hash(identity.as_bytes()).to_hex()[..12];
        let mut remote = Self {
            id: ModelId::new(format!("remote:{}@1-{sum}", settings.model)),
            settings: settings.clone(),
            shown_address: hide_credentials(&address),
            address,
            agent: config.build().new_agent(),
            dimensions: 0,
        };
        let first = remote.request_with_retries(&["fn main() {}"])?;
        remote.dimensions = first.first().map_or(0, Vec::len);
        Ok(remote)
    }

    /// Sends a request, and retries temporary errors.
    fn request_with_retries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let (mut attempt, mut next_pause) = (1, FIRST_PAUSE);
        loop {
            let RequestError { error, retry } = match self.request(texts, self.settings.patience) {
                Ok(made) => return Ok(made),
                Err(failed) => failed,
            };
            match retry {
                Retry::Later(asked)
                    if attempt < ATTEMPTS && asked.is_none_or(|asked| asked <= LONGEST_PAUSE) =>
                {
                    pause(asked.unwrap_or(next_pause));
                    next_pause *= 2;
                    attempt += 1;
                }
                Retry::Smaller => return self.request_smaller(texts, error),
                Retry::Later(_) | Retry::Never => return Err(error),
            }
        }
    }

    /// Sends a text that a user waits for: one attempt, with a short timeout.
    fn request_once(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let patience = QUERY_PATIENCE.min(self.settings.patience);
        let made = self.request(&[text], patience);
        let made = made.map_err(|failed| failed.error)?.pop();
        made.ok_or_else(|| EmbedError::unusable("the model returned no vector"))
    }

    /// Sends a refused batch in two halves, or the first half of a refused text.
    fn request_smaller(
        &self,
        texts: &[&str],
        error: EmbedError,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        match texts {
            [text] if text.len() <= SHORTEST => Err(error),
            [text] => {
                self.request_with_retries(&[&text[..text.floor_char_boundary(text.len() / 2)]])
            }
            texts => {
                let (left, right) = texts.split_at(texts.len() / 2);
                let mut all = self.request_with_retries(left)?;
                all.extend(self.request_with_retries(right)?);
                Ok(all)
            }
        }
    }

    fn request(&self, texts: &[&str], patience: Duration) -> Result<Vec<Vec<f32>>, RequestError> {
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
        let later = |what: String| RequestError {
            error: EmbedError::unavailable(format!("{}: {what}", self.shown_address)),
            retry: Retry::Later(None),
        };
        let mut response = request
            .send_json(&body)
            .map_err(|error| self.unanswered(&error.to_string()))?;
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
        // A truncated body is shorter than announced, or not valid JSON.
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
            .map_err(|what| RequestError {
                error: EmbedError::unusable(format!("{}: {what}", self.shown_address)),
                retry: Retry::Never,
            })
    }

    /// Returns the failure of a request that got no answer. An untrusted certificate is not retried.
    fn unanswered(&self, what: &str) -> RequestError {
        let is_untrusted = what.contains("invalid peer certificate");
        let (hint, retry) = if is_untrusted {
            (
                "; have this machine trust who signed it, or name a file of certificates in SSL_CERT_FILE where the \
                 daemon is started",
                Retry::Never,
            )
        } else {
            ("", Retry::Later(None))
        };
        RequestError {
            error: EmbedError::unavailable(format!("{}: {what}{hint}", self.shown_address)),
            retry,
        }
    }

    fn refused(&self, status: u16, said: &str, asked: Option<Duration>) -> RequestError {
        let said: String = said
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(SHOWN)
            .collect();
        let address = &self.shown_address;
        let message = match status {
            401 | 403 => {
                let variable = &self.settings.key_variable;
                let key = match self.settings.key {
                    Some(_) => format!("does not accept the API key in {variable}"),
                    None => {
                        format!("requires an API key: set {variable} where the daemon is started")
                    }
                };
                format!("{address} {key} ({status} {said})")
            }
            404 => format!(
                "{address} does not know the model {} ({status} {said})",
                self.settings.model
            ),
            _ => format!("{address} answered {status} {said}"),
        };
        let (kind, retry) = match status {
            408 | 409 | 425 | 429 | 500..=599 => (EmbedErrorKind::Unavailable, Retry::Later(asked)),
            400 | 413 | 422 => (EmbedErrorKind::Refused, Retry::Smaller),
            // The configuration or the server has to be changed, whatever the texts.
            _ => (EmbedErrorKind::Unavailable, Retry::Never),
        };
        RequestError {
            error: EmbedError {
                kind,
                message: message.trim_end().to_owned(),
            },
            retry,
        }
    }
}

/// Adds the prefix to a text. Servers may refuse empty texts, so an empty one becomes a dot.
fn with_prefix(prefix: &str, text: &str) -> String {
    let text = format!("{prefix}{text}");
    if text.trim().is_empty() {
        ".".to_owned()
    } else {
        text
    }
}

/// Blocks this thread for a while.
fn pause(duration: Duration) {
    let until = Instant::now() + duration;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        std::thread::park_timeout(left);
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
            let prefix = &self.settings.prefixes.document;
            let texts: Vec<_> = some.iter().map(|text| with_prefix(prefix, text)).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            all.extend(self.request_with_retries(&texts)?);
        }
        Ok(all)
    }

    fn query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.request_once(&with_prefix(&self.settings.prefixes.query, text))
    }

    fn similar_code(&self, code: &str) -> Result<Vec<f32>, EmbedError> {
        self.request_once(&with_prefix(&self.settings.prefixes.document, code))
    }
}

#[cfg(test)]
mod tests;
