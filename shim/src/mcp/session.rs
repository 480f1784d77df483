//! The project of an editor session, resolved afresh for every call.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use claudevil_protocol::call::{Origin, Project};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use crate::project;

/// Time that a call waits for a client that announces roots to list them.
const ROOTS_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum number of calls that wait in vain for the same list: a client that never answers must not delay every call.
const MAX_WAITS: u32 = 2;
/// The time for which a late answer counts if the client does not announce changes of its roots.
const LATE_ANSWER_LIFETIME: Duration = Duration::from_secs(5);

/// The roots that the client lists, as paths. None if it answers with an error.
type ListedRoots = Shared<BoxFuture<'static, Option<Vec<String>>>>;

/// A request to the client for its roots.
struct RootsRequest {
    answer: ListedRoots,
    sent: Instant,
    /// The number of calls that have waited for it in vain.
    waits: u32,
}

pub struct Session {
    /// From the command line.
    option: Option<PathBuf>,
    /// The one root that the session may ask about. The daemon refuses calls about any other.
    only_root: Option<String>,
    home: PathBuf,
    roots: Mutex<Roots>,
}

#[derive(Default)]
struct Roots {
    /// The client's roots while they are known to be current: only clients that announce changes are remembered.
    listed: Option<Vec<String>>,
    /// All but the first, as they were last told.
    others: Vec<String>,
    /// The number of times that the client announced a change of them.
    changes: u64,
    /// The request that no call has the answer of yet.
    request: Option<RootsRequest>,
}

impl Session {
    pub fn new(option: Option<PathBuf>, only_root: Option<String>, home: PathBuf) -> Self {
        Self {
            option,
            only_root,
            home,
            roots: Mutex::default(),
        }
    }

    pub async fn project(
        &self,
        argument: Option<&str>,
        context: &RequestContext<RoleServer>,
    ) -> Option<Project> {
        if let Some(root) = argument {
            return Some(Project {
                root: root.to_owned(),
                origin: Origin::Argument,
            });
        }
        if let Some(root) = &self.only_root {
            return Some(Project {
                root: root.clone(),
                origin: Origin::Option,
            });
        }
        let mut roots = self.client_roots(context).await.into_iter();
        let first = roots.next();
        self.lock().others = roots.collect();
        if let Some(root) = first {
            return Some(Project {
                root,
                origin: Origin::ClientRoots,
            });
        }
        project::process_project(self.option.as_deref(), &self.home)
    }

    /// Returns the client's roots other than the default one.
    pub fn other_roots(&self) -> Vec<String> {
        self.lock().others.clone()
    }

    /// Forgets the client's roots, which it has changed.
    pub fn forget_roots(&self) {
        let mut roots = self.lock();
        *roots = Roots {
            changes: roots.changes + 1,
            ..Roots::default()
        };
    }

    #[expect(
        deprecated,
        reason = "newer clients no longer have roots; older ones know the project by nothing else"
    )]
    async fn client_roots(&self, context: &RequestContext<RoleServer>) -> Vec<String> {
        let Some(roots) = context
            .client_capabilities()
            .and_then(|capabilities| capabilities.roots)
        else {
            return vec![];
        };
        let peer = context.peer.clone();
        let ask = || {
            let listing = async move {
                let listed = peer.list_roots().await.ok()?;
                let uris = listed.roots.iter();
                Some(
                    uris.filter_map(|root| project::from_file_uri(&root.uri))
                        .collect(),
                )
            };
            // It goes on when no call waits for it any more.
            let task = tokio::spawn(listing);
            task.map(|answer| answer.ok().flatten()).boxed().shared()
        };
        self.listed_roots(roots.list_changed == Some(true), ask)
            .await
    }

    /// Returns the roots that the client lists, none if it does not answer in time. A late answer is for the next call.
    async fn listed_roots(
        &self,
        announces_changes: bool,
        ask: impl FnOnce() -> ListedRoots,
    ) -> Vec<String> {
        let (changes, answer) = {
            let mut known = self.lock();
            if let Some(listed) = &known.listed {
                return listed.clone();
            }
            let is_answered = |request: &RootsRequest| {
                let answer = request.answer.clone();
                answer.now_or_never().is_some()
            };
            let is_outdated = |request: &mut RootsRequest| {
                !announces_changes
                    && request.sent.elapsed() > LATE_ANSWER_LIFETIME
                    && is_answered(request)
            };
            known.request.take_if(is_outdated);
            let request = known.request.get_or_insert_with(|| RootsRequest {
                answer: ask(),
                sent: Instant::now(),
                waits: 0,
            });
            if request.waits >= MAX_WAITS && !is_answered(request) {
                return vec![];
            }
            let answer = request.answer.clone();
            (known.changes, answer)
        };
        let answered = tokio::time::timeout(ROOTS_TIMEOUT, answer).await;
        let mut known = self.lock();
        // The client may have announced a change during the request.
        let is_current = known.changes == changes;
        let Ok(answer) = answered else {
            if let Some(request) = known.request.as_mut().filter(|_| is_current) {
                request.waits += 1;
            }
            return vec![];
        };
        if is_current {
            known.request = None;
            known.listed = answer.clone().filter(|_| announces_changes);
        }
        answer.unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, Roots> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn a_client_that_does_not_list_its_roots_delays_few_calls() {
        let session = Session::new(None, None, PathBuf::new());
        let (answer, answered) = oneshot::channel();
        let request: ListedRoots = answered.map(Result::ok).boxed().shared();
        let ask_again = || -> ListedRoots { unreachable!("the first request is not answered") };
        // Calls at the same moment wait for the same answer.
        let (first, second) = tokio::join!(
            session.listed_roots(true, || request),
            session.listed_roots(true, ask_again)
        );
        assert!(first.is_empty() && second.is_empty());
        let given_up = Instant::now();
        assert!(session.listed_roots(true, ask_again).await.is_empty());
        assert!(given_up.elapsed() < ROOTS_TIMEOUT);
        // A late answer counts.
        answer
            .send(vec!["/late".to_owned()])
            .expect("still waited for");
        tokio::task::yield_now().await;
        assert_eq!(session.listed_roots(true, ask_again).await, ["/late"]);
    }
}
