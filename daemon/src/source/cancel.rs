//! A flag that long work looks at, so that a caller who has gone frees the processor.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use claudevil_protocol::{ErrorCode, ToolError};

#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    gone: Arc<AtomicBool>,
    /// For work that is cut at a moment, whoever waits for it.
    until: Option<Instant>,
}

/// Cancels when dropped: held by the future that waits for the work.
#[derive(Debug)]
pub struct CancelGuard(CancelToken);

impl CancelToken {
    pub fn on_drop(&self) -> CancelGuard {
        CancelGuard(self.clone())
    }

    /// The same flag, which also stands for cancelled from a moment on.
    #[must_use]
    pub fn until(&self, moment: Instant) -> Self {
        let until = self.until.map_or(moment, |earlier| earlier.min(moment));
        Self {
            gone: Arc::clone(&self.gone),
            until: Some(until),
        }
    }

    pub fn is_cancelled(&self) -> bool {
        self.gone.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() >= until)
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
        self.0.gone.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_moment_cuts_the_work_but_not_the_caller() {
        let caller = CancelToken::default();
        assert!(caller.until(Instant::now()).is_cancelled());
        let later = caller.until(Instant::now() + Duration::from_secs(3600));
        assert!(!later.is_cancelled() && !caller.is_cancelled());
        assert!(later.until(Instant::now()).is_cancelled());
        drop(caller.on_drop());
        assert!(later.is_cancelled());
    }
}
