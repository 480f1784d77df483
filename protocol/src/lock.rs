//! Advisory locks on files: the daemon's for life, and the one that lets a single client start it.
//!
//! The system frees a lock when its holder dies, however it dies, so a lock file is never stale and never removed.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use fs2::FileExt;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::endpoint::{file_id, id_of};
use crate::error::at;

/// A held lock; it is released on drop.
#[derive(Debug)]
pub struct LockGuard(File);

impl LockGuard {
    /// Returns whether this lock is the one that others find at the path.
    pub fn is_at(&self, path: &Path) -> bool {
        file_id(path) == id_of(&self.0)
    }

    /// Writes a description of the holder into the file, for people and for tools that get no answer from the holder.
    pub fn describe(&mut self, holder: &impl Serialize) -> io::Result<()> {
        self.0.set_len(0)?;
        self.0.rewind()?;
        serde_json::to_writer(&mut self.0, holder)?;
        self.0.flush()
    }
}

/// Takes the lock, unless another process has it.
pub fn try_lock(path: &Path) -> io::Result<Option<LockGuard>> {
    let file = open(path)?;
    match FileExt::try_lock_exclusive(&file) {
        Ok(()) => Ok(Some(LockGuard(file))),
        Err(error) if error.kind() == fs2::lock_contended_error().kind() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Waits for the lock; returns `None` if it was not free in time.
///
/// Polls, because a blocking wait has no time limit and cannot be cancelled: its thread would outlive the call.
pub async fn lock(path: &Path, patience: Duration) -> io::Result<Option<LockGuard>> {
    let deadline = Instant::now() + patience;
    let mut pause = Duration::from_millis(2);
    loop {
        if let Some(held) = try_lock(path)? {
            return Ok(Some(held));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        tokio::time::sleep(pause.min(left)).await;
        pause = (pause * 2).min(Duration::from_millis(30));
    }
}

/// Returns the holder's description of itself. It is only true while the lock is held.
pub fn holder<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let mut text = String::new();
    File::open(path)
        .ok()?
        .take(4096)
        .read_to_string(&mut text)
        .ok()?;
    serde_json::from_str(&text).ok()
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| at(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_lock_is_had_once_and_waited_for() {
        let scratch = tempfile::tempdir().expect("a directory");
        let path = scratch.path().join("lock");
        let mut held = try_lock(&path).expect("opened").expect("free");
        held.describe(&42).expect("written");
        assert!(try_lock(&path).expect("opened").is_none());
        assert!(
            lock(&path, Duration::from_millis(20))
                .await
                .expect("opened")
                .is_none()
        );
        assert_eq!(holder::<u32>(&path), Some(42));

        let waiting = tokio::spawn({
            let path = path.clone();
            async move { lock(&path, Duration::from_secs(10)).await }
        });
        drop(held);
        assert!(waiting.await.expect("ran").expect("opened").is_some());
    }
}
