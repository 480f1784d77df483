//! Exponential backoff for restarts of a child process that fails.

use std::time::{Duration, Instant};

/// The number of failures in a row after which the next start is delayed.
const QUICK_STARTS: u32 = 2;
/// The first delay, and the longest: each further failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// The failures of a process since its last answer.
#[derive(Debug, Default)]
pub struct Restarts {
    failures: u32,
    not_before: Option<Instant>,
    reason: Option<String>,
}

impl Restarts {
    pub fn note_answer(&mut self) {
        *self = Self::default();
    }

    pub fn note_failure(&mut self, reason: String) {
        self.failures += 1;
        self.not_before = pause(self.failures).map(|pause| Instant::now() + pause);
        self.reason = Some(reason);
    }

    /// Fails while it is too early for another start.
    pub fn check(&self) -> Result<(), String> {
        let now = Instant::now();
        match (self.not_before.filter(|until| now < *until), &self.reason) {
            (Some(until), Some(reason)) => {
                let seconds = until.duration_since(now).as_secs() + 1;
                Err(format!("{reason}; it is started again in {seconds} s"))
            }
            _ => Ok(()),
        }
    }
}

/// Returns the delay after this many failures in a row.
fn pause(failures: u32) -> Option<Duration> {
    let doublings = failures.checked_sub(QUICK_STARTS)?;
    Some(
        FIRST_PAUSE
            .saturating_mul(1 << doublings.min(16))
            .min(LONGEST_PAUSE),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_grows_with_each_failure_and_ends_with_an_answer() {
        assert_eq!((pause(0), pause(1)), (None, None));
        assert_eq!(
            (pause(2), pause(3)),
            (Some(FIRST_PAUSE), Some(FIRST_PAUSE * 2))
        );
        assert_eq!(pause(u32::MAX), Some(LONGEST_PAUSE));
        let mut restarts = Restarts::default();
        restarts.note_failure("it ended".to_owned());
        assert_eq!(restarts.check(), Ok(()));
        restarts.note_failure("it ended".to_owned());
        let refused = restarts.check().expect_err("too early");
        assert!(refused.starts_with("it ended; "), "{refused}");
        restarts.note_answer();
        assert_eq!(restarts.check(), Ok(()));
    }
}
