//! Waits for batches of jobs that workers run, until the call is cancelled.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use claudevil_protocol::ToolError;

use crate::source::cancel::CancelToken;

/// The interval at which a waiting thread checks whether its call is cancelled.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Returns the outcomes of a batch; none if no worker could be started.
pub fn receive_batch<T>(
    outcomes: &Receiver<Vec<T>>,
    cancel: &CancelToken,
) -> Result<Vec<T>, ToolError> {
    loop {
        cancel.check()?;
        match outcomes.recv_timeout(CHECK_INTERVAL) {
            Ok(batch) => return Ok(batch),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(vec![]),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_wait_ends_with_its_call() {
        let (send, outcomes) = mpsc::channel::<Vec<u8>>();
        let soon = CancelToken::default().until(Instant::now() + 2 * CHECK_INTERVAL);
        assert!(receive_batch(&outcomes, &soon).is_err());
        let patient = CancelToken::default();
        send.send(vec![7]).expect("received");
        assert_eq!(receive_batch(&outcomes, &patient), Ok(vec![7]));
        drop(send);
        assert_eq!(receive_batch(&outcomes, &patient), Ok(vec![]));
    }
}
