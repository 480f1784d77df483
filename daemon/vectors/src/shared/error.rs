//! Errors of a store that a team shares, by what can be done about them.
//!
//! LanceDB passes on the text of a provider's error, so the kinds are told apart by the status codes in it. Addresses may carry
//! a signature after their `?`, which is never shown.

use crate::store::error::{VectorError, catch_panic};

/// The longest message, in characters.
const LONGEST: usize = 240;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {message}")]
pub struct SharedError {
    pub kind: SharedErrorKind,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SharedErrorKind {
    #[error("access is refused")]
    Forbidden,
    #[error("it is full")]
    Full,
    #[error("it does not answer")]
    Unreachable,
    #[error("its certificate is not trusted")]
    Untrusted,
    #[error("others wrote at the same time")]
    Conflict,
    /// A file is missing, cut off or not what LanceDB wrote.
    #[error("it is damaged")]
    Damaged,
    #[error("it cannot be used")]
    Unusable,
}

impl SharedError {
    pub fn unusable(message: impl Into<String>) -> Self {
        Self {
            kind: SharedErrorKind::Unusable,
            message: message.into(),
        }
    }

    fn from_text(text: &str) -> Self {
        Self {
            kind: kind_of(text),
            message: shown(text),
        }
    }
}

impl From<VectorError> for SharedError {
    fn from(error: VectorError) -> Self {
        Self {
            kind: if error.is_damage() {
                SharedErrorKind::Damaged
            } else {
                SharedErrorKind::Unusable
            },
            message: error.message,
        }
    }
}

/// Awaits a call of LanceDB. A panic in it counts as damage.
pub(super) fn guarded<T>(
    work: impl Future<Output = lancedb::Result<T>>,
) -> impl Future<Output = Result<T, SharedError>> {
    let work = catch_panic(work);
    async {
        let done = work.await?;
        done.map_err(|error| SharedError::from_text(&error.to_string()))
    }
}

fn kind_of(text: &str) -> SharedErrorKind {
    match status_of(text) {
        Some(401 | 403) => return SharedErrorKind::Forbidden,
        Some(409 | 412) => return SharedErrorKind::Conflict,
        Some(507) => return SharedErrorKind::Full,
        Some(408 | 429 | 500..) => return SharedErrorKind::Unreachable,
        _ => {}
    }
    let lower = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if says(&["invalidcertificate", "invalid peer certificate"]) {
        SharedErrorKind::Untrusted
    } else if says(&[
        "accessdenied",
        "permission denied",
        "permissiondenied",
        "unauthenticated",
        "credential",
        "os error 13)",
    ]) {
        SharedErrorKind::Forbidden
    } else if says(&["quota", "no space left", "os error 28)", "os error 122)"]) {
        SharedErrorKind::Full
    } else if says(&[
        "commit conflict",
        "concurrent",
        "conflicting transaction",
        "too many retries",
    ]) {
        SharedErrorKind::Conflict
    } else if says(&[
        "httperror {",
        "timed out",
        "error sending request",
        "connection",
        "connect error",
        "response body",
        "incomplete message",
        "dns error",
        "throttl",
        "os error 5)",
        "os error 110)",
        "os error 116)",
        "nosuchbucket",
        "containernotfound",
    ]) {
        SharedErrorKind::Unreachable
    } else {
        SharedErrorKind::Damaged
    }
}

/// Returns the HTTP status that a text ends in: `status code: 403 Forbidden`, or `status: 403` in the `Debug` form.
fn status_of(text: &str) -> Option<u16> {
    ["status code: ", "status: "].iter().find_map(|words| {
        let (_, behind) = text.rsplit_once(words)?;
        behind.get(..3)?.parse().ok()
    })
}

/// Returns the cause of a request that got no answer, from the `Debug` form: `HttpError { kind: Connect, source: … Os { code:
/// 111, kind: ConnectionRefused, message: "Connection refused" } }`.
fn cause_of(text: &str) -> Option<String> {
    let (_, error) = text.rsplit_once("HttpError { kind: ")?;
    let word = |text: &str| {
        let letters = text.chars().take_while(char::is_ascii_alphanumeric);
        letters.collect::<String>()
    };
    if let Some((_, reason)) = error.split_once("InvalidCertificate(") {
        return Some(format!(
            "{}; have this machine trust who signed it, or name a file of certificates in SSL_CERT_FILE where the daemon \
             is started",
            word(reason)
        ));
    }
    let quoted = ["message: \"", "error: \""].iter().find_map(|opening| {
        let (_, behind) = error.split_once(opening)?;
        Some(behind.split_once('"')?.0.to_owned())
    });
    Some(quoted.unwrap_or_else(|| word(error)))
}

/// Returns a short message: the status of the answer, the reason why there was none, or else the first line, without signatures
/// in addresses and locations in LanceDB's source.
fn shown(text: &str) -> String {
    if let Some(status) = status_of(text) {
        let code = text
            .rsplit_once("<Code>")
            .and_then(|(_, code)| code.split_once("</Code>"));
        let code = code.map_or_else(String::new, |(code, _)| format!(" ({code})"));
        return format!("the server answered {status}{code}");
    }
    if let Some(cause) = cause_of(text) {
        return cause;
    }
    let line = text.lines().next().unwrap_or_default();
    let words = line
        .split_whitespace()
        .filter(|word| !word.contains(".rs:"))
        .map(|word| word.split_once('?').map_or(word, |(address, _)| address));
    let line = words.collect::<Vec<_>>().join(" ");
    let mut short: String = line.chars().take(LONGEST).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_apart_by_their_cause() {
        let s3 = |cause: &str| {
            format!(
                "lance error: LanceError(IO): Generic S3 error: Error performing GET http://h/b/k?X-Amz-Signature=abc in \
                 2.1s, after 2 retries, max_retries: 2, retry_timeout: 20s - {cause}, rust/lance-io/src/a.rs:12:3"
            )
        };
        let cases = [
            (
                s3("Server returned non-2xx status code: 403 Forbidden: <Error>"),
                SharedErrorKind::Forbidden,
            ),
            (
                s3("Server returned non-2xx status code: 500 Internal Server Error: "),
                SharedErrorKind::Unreachable,
            ),
            (
                "IO { source: RetryError { uri: /b?list-type=2, retry_timeout: 20s, inner: Status { status: 403, body: \
                 Some(\"<Error><Code>AccessDenied</Code></Error>\") } }, /src/a.rs:3:4"
                    .to_owned(),
                SharedErrorKind::Forbidden,
            ),
            (
                s3("HTTP error: error sending request"),
                SharedErrorKind::Unreachable,
            ),
            (
                s3("Server returned non-2xx status code: 507 Insufficient Storage: "),
                SharedErrorKind::Full,
            ),
            (
                "No space left on device (os error 28)".to_owned(),
                SharedErrorKind::Full,
            ),
            (
                "Commit conflict for version 7".to_owned(),
                SharedErrorKind::Conflict,
            ),
            (
                "Object at location a/b.lance not found".to_owned(),
                SharedErrorKind::Damaged,
            ),
        ];
        for (text, kind) in cases {
            let error = SharedError::from_text(&text);
            assert_eq!(error.kind, kind, "{error}");
            assert!(!error.message.contains("abc"), "{error}");
            assert!(!error.message.contains(".rs:"), "{error}");
        }
    }

    #[test]
    fn a_request_without_an_answer_is_told_by_its_cause() {
        let said = |source: &str| {
            let text = format!(
                "Invalid input, Failed to connect to namespace: IO {{ source: RetryError(RetryErrorImpl {{ uri: \
                 Some(https://h/team?sig=abc), retries: 2, inner: Http(HttpError {{ kind: {source} }}) }}) }}"
            );
            SharedError::from_text(&text).to_string()
        };
        let refused = "Connect, source: ConnectError(\"tcp connect error\", 127.0.0.1:9, Os { code: 111, kind: \
                       ConnectionRefused, message: \"Connection refused\" })";
        assert_eq!(said(refused), "it does not answer: Connection refused");
        let unknown = "Connect, source: ConnectError(\"dns error\", DnsError { inner: Custom { kind: Uncategorized, error: \
                       \"Name or service not known\" } })";
        assert_eq!(
            said(unknown),
            "it does not answer: Name or service not known"
        );
        let late = "Timeout, source: reqwest::Error { kind: Request, source: TimedOut }";
        assert_eq!(said(late), "it does not answer: Timeout");
        let untrusted = "Connect, source: Custom { kind: InvalidData, error: InvalidCertificate(UnknownIssuer) }";
        let said = said(untrusted);
        assert!(
            said.starts_with("its certificate is not trusted: UnknownIssuer; have"),
            "{said}"
        );
    }
}
