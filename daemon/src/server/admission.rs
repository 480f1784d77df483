//! Decides which calls run, which wait for their turn, and which are refused.
//!
//! A burst of calls is normal: an agent asks twenty things at once, and there are many agents. Calls above the number that may
//! run at once wait in the order of their arrival, as long as their callers do; a call that is cancelled leaves the queue
//! because its future is dropped. One session gets at most half of the running calls, so that none keeps all others out.
//! **Invariant:** the queue is bounded, and a call that does not fit is refused at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use claudevil_protocol::{ErrorCode, ToolError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The most waiting calls of all sessions. Each holds its arguments in memory.
const MAX_WAITING: usize = 1000;
/// A call that could not start is refused this long before its deadline, or a tenth of its time if that is less.
const TIME_TO_ANSWER: Duration = Duration::from_secs(1);

/// The name of the daemon in messages.
const DAEMON: &str = "the daemon";

pub struct Admission {
    most_running: usize,
    running: Arc<Semaphore>,
    /// Running and waiting calls together.
    admitted: Arc<Semaphore>,
}

/// The calls that one session may run at once.
#[derive(Clone)]
pub struct SessionShare(Arc<Semaphore>);

/// The permits of a running call.
pub struct CallPermit {
    _of_session: OwnedSemaphorePermit,
    _running: OwnedSemaphorePermit,
    _admitted: OwnedSemaphorePermit,
}

impl Admission {
    pub fn new(most_running: usize) -> Self {
        let admitted = Arc::new(Semaphore::new(most_running + MAX_WAITING));
        Self {
            most_running,
            running: Arc::new(Semaphore::new(most_running)),
            admitted,
        }
    }

    pub fn share(&self) -> SessionShare {
        SessionShare(Arc::new(Semaphore::new(self.session_limit())))
    }

    fn session_limit(&self) -> usize {
        self.most_running.div_ceil(2)
    }

    pub fn running(&self) -> usize {
        self.most_running - self.running.available_permits()
    }

    /// Waits until the call may run, or until it is too late for an answer.
    pub async fn enter(
        &self,
        share: &SessionShare,
        deadline: Instant,
    ) -> Result<CallPermit, ToolError> {
        let refuse = |who: &str, limit: usize, why: String| {
            let message = format!("{who} is at its limit of running calls ({limit}), and {why}");
            ToolError::new(ErrorCode::Busy, message)
                .with_hint("ask again in a moment, or raise `max_calls` in config.toml")
        };
        let admitted = Arc::clone(&self.admitted).try_acquire_owned();
        let admitted = admitted.map_err(|_| {
            let why = format!("{MAX_WAITING} more wait");
            refuse(DAEMON, self.most_running, why)
        })?;
        let left = deadline.saturating_duration_since(Instant::now());
        let patience = left.saturating_sub(TIME_TO_ANSWER.min(left / 10));
        let mut limit = ("this session", self.session_limit());
        let permit = async {
            let of_session = Arc::clone(&share.0).acquire_owned().await.ok()?;
            limit = (DAEMON, self.most_running);
            let running = Arc::clone(&self.running).acquire_owned().await.ok()?;
            Some(CallPermit {
                _of_session: of_session,
                _running: running,
                _admitted: admitted,
            })
        };
        let permit = tokio::time::timeout(patience, permit).await.ok().flatten();
        permit.ok_or_else(|| {
            let why = format!("none of them ended within {} s", patience.as_secs());
            refuse(limit.0, limit.1, why)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(50)
    }

    fn later() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[tokio::test]
    async fn calls_wait_for_their_turn_until_their_deadline() {
        let admission = Arc::new(Admission::new(2));
        let (one, two) = (admission.share(), admission.share());
        let first = admission.enter(&one, later()).await.expect("free");
        let second = admission.enter(&two, later()).await.expect("free");
        assert_eq!(admission.running(), 2);
        let refused = admission
            .enter(&one, soon())
            .await
            .err()
            .expect("none is free");
        assert_eq!(refused.code, ErrorCode::Busy);
        let three = admission.share();
        let refused = admission.enter(&three, soon()).await.err();
        let refused = refused.expect("none is free");
        assert!(
            refused
                .message
                .to_string()
                .starts_with("the daemon is at its limit of running calls (2)"),
            "{refused}"
        );
        let waiting = tokio::spawn({
            let (admission, share) = (Arc::clone(&admission), one.clone());
            async move { admission.enter(&share, later()).await.map(drop) }
        });
        drop(first);
        waiting.await.expect("ran").expect("its turn");
        drop(second);
        assert_eq!(admission.running(), 0);
        assert_eq!(
            admission.admitted.available_permits(),
            2 + MAX_WAITING,
            "no call is waiting"
        );
    }

    #[tokio::test]
    async fn one_session_does_not_keep_another_out() {
        let admission = Admission::new(4);
        let (greedy, modest) = (admission.share(), admission.share());
        let mut permits = vec![];
        for _ in 0..2 {
            permits.push(admission.enter(&greedy, later()).await.expect("free"));
        }
        let refused = admission.enter(&greedy, soon()).await.err();
        let refused = refused.expect("half is all that one session gets");
        assert!(
            refused
                .message
                .to_string()
                .starts_with("this session is at its limit of running calls (2)"),
            "{refused}"
        );
        assert!(admission.enter(&modest, soon()).await.is_ok());
    }

    #[tokio::test]
    async fn the_queue_is_bounded() {
        let admission = Arc::new(Admission::new(1));
        let share = admission.share();
        let _running = admission.enter(&share, later()).await.expect("free");
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..MAX_WAITING {
            let (admission, share) = (Arc::clone(&admission), share.clone());
            waiting.spawn(async move { admission.enter(&share, later()).await.map(drop) });
        }
        while admission.admitted.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let refused = admission
            .enter(&share, later())
            .await
            .err()
            .expect("the queue is full");
        assert!(
            refused.message.to_string().contains("more wait"),
            "{refused}"
        );
        // Calls that are given up leave the queue.
        waiting.shutdown().await;
        assert_eq!(admission.admitted.available_permits(), MAX_WAITING);
    }
}
