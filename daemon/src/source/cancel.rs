//! A flag that long work looks at, so that a caller who has gone frees the processor.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use claudevil_protocol::{ErrorCode, ToolError};

#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

/// Cancels when dropped: held by the future that waits for the work.
#[derive(Debug)]
pub struct CancelOnDrop(Cancel);

impl Cancel {
    pub fn on_drop(&self) -> CancelOnDrop {
        CancelOnDrop(self.clone())
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub fn check(&self) -> Result<(), ToolError> {
        if self.is_cancelled() {
            return Err(ToolError::new(ErrorCode::Cancelled, "the caller gave up"));
        }
        Ok(())
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}
