//! The progress of the indexing of a root.

use std::time::Instant;

#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    pub phase: Phase,
    /// Files that are stored.
    pub done: u64,
    /// Files that are ready to be stored, with those that are: a small project is stored at once, when all of it is read.
    pub ready: u64,
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
        Self {
            phase,
            done: 0,
            ready: 0,
            total,
            since: Some(Instant::now()),
        }
    }

    /// Returns the share of the work that is done. It is never all before all is stored.
    pub fn reached(&self) -> u64 {
        self.done.max(self.ready.min(self.total.saturating_sub(1)))
    }

    /// Returns whether all that is left is to store what was read.
    pub fn is_read(&self) -> bool {
        self.phase == Phase::Indexing && self.ready >= self.total
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ready_counts_but_is_not_all() {
        let at = |done, ready| {
            Progress {
                done,
                ready,
                ..Progress::begin(Phase::Indexing, 100)
            }
            .reached()
        };
        assert_eq!(
            (at(0, 0), at(0, 60), at(40, 60), at(60, 40)),
            (0, 60, 60, 60)
        );
        assert_eq!((at(0, 100), at(100, 100), at(0, 900)), (99, 100, 99));
    }
}
