//! The progress of the running calls of one connection.
//!
//! There is no streaming over the wire: a client watches a call with another request, which waits for new progress.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use claudevil_protocol::call::Progress;
use tokio::sync::watch;

#[derive(Clone, Default)]
pub struct CallProgress(Arc<Mutex<HashMap<u64, Entry>>>);

#[derive(Default)]
struct Entry {
    news: watch::Sender<Progress>,
    /// A watcher may arrive before the call that it watches.
    watchers: usize,
    is_running: bool,
}

impl CallProgress {
    /// Registers a call until the guard is dropped.
    pub fn begin(&self, call: u64) -> RunningCall {
        let mut entries = self.entries();
        let entry = entries.entry(call).or_default();
        entry.is_running = true;
        RunningCall {
            progress: self.clone(),
            call,
            news: entry.news.clone(),
        }
    }

    /// Waits for progress beyond the sequence number `seen`. None once the call has ended.
    pub async fn watch(&self, call: u64, seen: u64) -> Option<Progress> {
        let mut news = {
            let mut entries = self.entries();
            let entry = entries.entry(call).or_default();
            entry.watchers += 1;
            entry.news.subscribe()
        };
        let _guard = WatchGuard {
            progress: self,
            call,
        };
        news.wait_for(|progress| progress.sequence > seen)
            .await
            .ok()
            .map(|progress| progress.clone())
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<u64, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running call, which reports its progress.
pub struct RunningCall {
    progress: CallProgress,
    call: u64,
    news: watch::Sender<Progress>,
}

impl RunningCall {
    pub fn post(&self, done: u64, total: Option<u64>, message: &str) {
        self.news.send_modify(|progress| {
            *progress = Progress {
                sequence: progress.sequence + 1,
                done,
                total,
                message: message.to_owned(),
            };
        });
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        // With its last sender gone, every watcher learns that the call has ended.
        self.progress.entries().remove(&self.call);
    }
}

/// Counts a watcher until it is dropped.
struct WatchGuard<'a> {
    progress: &'a CallProgress,
    call: u64,
}

impl Drop for WatchGuard<'_> {
    fn drop(&mut self) {
        let mut entries = self.progress.entries();
        if let Some(entry) = entries.get_mut(&self.call) {
            entry.watchers -= 1;
            if entry.watchers == 0 && !entry.is_running {
                entries.remove(&self.call);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_watcher_may_come_first_and_leaves_nothing_behind() {
        let progress = CallProgress::default();
        let early = tokio::spawn({
            let progress = progress.clone();
            async move { progress.watch(7, 0).await }
        });
        tokio::task::yield_now().await;
        let running = progress.begin(7);
        running.post(5, Some(10), "files");
        let news = early.await.expect("ran").expect("news");
        assert_eq!((news.sequence, news.done, news.total), (1, 5, Some(10)));

        let late = tokio::spawn({
            let progress = progress.clone();
            async move { progress.watch(7, 1).await }
        });
        tokio::task::yield_now().await;
        drop(running);
        assert_eq!(late.await.expect("ran"), None);
        assert!(progress.entries().is_empty());
    }
}
