//! A short memory of failed starts, shared by all clients through a file, so that a daemon that cannot start is not
//! started over and over by every editor session.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::endpoint::create_private_file;

const WINDOW: Duration = Duration::from_secs(60);
/// Number of failed starts within the window after which no more are tried.
const MOST: usize = 3;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct FailedStart {
    /// Seconds since 1970.
    at: u64,
    message: String,
}

/// Returns the latest failure if there have been too many recently. Must be called under the start lock.
pub(super) fn exhausted(file: &Path) -> Option<String> {
    let recent = recent(file);
    (recent.len() >= MOST)
        .then(|| recent.last().map(|failed| failed.message.clone()))
        .flatten()
}

/// Records a failure. Must be called under the start lock.
pub(super) fn record(file: &Path, message: &str) {
    let mut failed = recent(file);
    failed.push(FailedStart {
        at: now(),
        message: message.to_owned(),
    });
    // If this file cannot be written, the daemon cannot create its lock either, so no start gets far enough to need a limit.
    if let Ok(file) = create_private_file(file) {
        let _ = serde_json::to_writer(file, &failed);
    }
}

/// Forgets all failures, once a daemon has started.
pub(super) fn clear(file: &Path) {
    let _ = fs::remove_file(file);
}

fn recent(file: &Path) -> Vec<FailedStart> {
    let known: Vec<FailedStart> = fs::read(file)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let now = now();
    // A time in the future is from a clock that has been set back since.
    known
        .into_iter()
        .filter(|failed| failed.at <= now && now - failed.at < WINDOW.as_secs())
        .collect()
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_failures_in_a_minute_are_enough() {
        let scratch = tempfile::tempdir().expect("a directory");
        let file = scratch.path().join("failed");
        for round in 0..3 {
            assert_eq!(exhausted(&file), None, "round {round}");
            record(&file, &format!("failure {round}"));
        }
        assert_eq!(exhausted(&file).as_deref(), Some("failure 2"));
        clear(&file);
        assert_eq!(exhausted(&file), None);
    }

    #[test]
    fn old_failures_and_garbage_do_not_count() {
        let scratch = tempfile::tempdir().expect("a directory");
        let file = scratch.path().join("failed");
        let old = FailedStart {
            at: now() - 61,
            message: "old".to_owned(),
        };
        fs::write(&file, serde_json::to_string(&vec![old; 9]).expect("json")).expect("written");
        assert_eq!(exhausted(&file), None);
        fs::write(&file, "not json").expect("written");
        assert_eq!(exhausted(&file), None);
    }
}
