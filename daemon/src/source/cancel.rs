//! A token that long work checks, so that it ends when its caller is gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use claudevil_protocol::{ErrorCode, ToolError};

#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    flag: Arc<AtomicBool>,
    /// The time at which the work ends, even if its caller still waits.
    until: Option<Instant>,
}

/// Cancels when it is dropped. The future that waits for the work holds it.
#[derive(Debug)]
pub struct CancelGuard(CancelToken);

impl CancelToken {
    pub fn on_drop(&self) -> CancelGuard {
        CancelGuard(self.clone())
    }

    /// Returns the same token with a time limit.
    #[must_use]
    pub fn until(&self, time: Instant) -> Self {
        let until = self.until.map_or(time, |earlier| earlier.min(time));
        Self {
            flag: Arc::clone(&self.flag),
            until: Some(until),
        }
    }

    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() >= until)
    }

    pub fn check(&self) -> Result<(), ToolError> {
        if self.is_cancelled() {
            return Err(ToolError::new(ErrorCode::Cancelled, "the caller gave up"));
        }
        Ok(())
    }
}

impl Drop for CancelGuard {
    fn drop(&mut self) {
        self.0.flag.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_time_limit_ends_the_work_but_not_its_caller() {
        let caller = CancelToken::default();
        assert!(caller.until(Instant::now()).is_cancelled());
        let later = caller.until(Instant::now() + Duration::from_secs(3600));
        assert!(!later.is_cancelled() && !caller.is_cancelled());
        assert!(later.until(Instant::now()).is_cancelled());
        drop(caller.on_drop());
        assert!(later.is_cancelled());
    }
}
