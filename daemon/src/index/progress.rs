//! The progress of the indexing of a root.

use std::time::Instant;

#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    pub phase: Phase,
    /// Files that are stored.
    pub done: u64,
    /// Files that are stored or ready to be stored: a small project is stored in one batch.
    pub ready: u64,
    pub total: u64,
    /// The start of this phase.
    pub since: Option<Instant>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// The tree has not been walked since the root was loaded.
    #[default]
    Loading,
    Walking,
    Indexing,
    /// Text and symbols are indexed; vectors are being computed.
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

    /// Returns the number of files to show as done. It is below the total until all are stored.
    pub fn reached(&self) -> u64 {
        self.done.max(self.ready.min(self.total.saturating_sub(1)))
    }

    /// Returns whether all files have been read and only need to be stored.
    pub fn is_read(&self) -> bool {
        self.phase == Phase::Indexing && self.ready >= self.total
    }

    /// Returns the files per second, once some are done.
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
    fn ready_files_count_but_never_reach_the_total() {
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
