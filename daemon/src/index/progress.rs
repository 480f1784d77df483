//! How far the indexing of a root is.

use std::time::Instant;

#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    pub phase: Phase,
    pub done: u64,
    pub total: u64,
    /// When this phase began.
    pub since: Option<Instant>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Nothing has been looked at since the root was loaded.
    #[default]
    Loading,
    Walking,
    Indexing,
    /// Text and symbols are there; vectors are being made.
    Embedding,
    Ready,
}

impl Progress {
    pub fn begin(phase: Phase, total: u64) -> Self {
        Self { phase, done: 0, total, since: Some(Instant::now()) }
    }

    /// Files a second, once it can be told.
    #[expect(clippy::cast_precision_loss, reason = "counts of files")]
    pub fn rate(&self) -> Option<f64> {
        let seconds = self.since?.elapsed().as_secs_f64();
        (self.done > 0 && seconds > 0.0).then(|| self.done as f64 / seconds)
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts of files, and a number of seconds that is not negative"
    )]
    pub fn seconds_left(&self) -> Option<u64> {
        let left = self.total.saturating_sub(self.done) as f64 / self.rate()?;
        Some(left.ceil() as u64)
    }
}
