//! The project of an editor session, resolved afresh for every call.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use claudevil_protocol::call::{Origin, Project};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio::task::JoinHandle;

use crate::project;

/// Time that a call waits for a client that announces roots to list them.
const ROOTS_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum number of calls that wait for the same list: a client that never answers must not delay every call.
const MAX_WAITS: u32 = 2;

/// A request to the client for its roots, as paths. None if it answered with an error.
type RootsRequest = JoinHandle<Option<Vec<String>>>;

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
    /// The request that was not answered in time, and the number of calls that have waited for it.
    unanswered: Option<(RootsRequest, u32)>,
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
        project::of_process(self.option.as_deref(), &self.home)
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
        let ask = || -> RootsRequest {
            tokio::spawn(async move {
                let listed = peer.list_roots().await.ok()?;
                let uris = listed.roots.iter();
                Some(
                    uris.filter_map(|root| project::from_file_uri(&root.uri))
                        .collect(),
                )
            })
        };
        self.listed_roots(roots.list_changed == Some(true), ask)
            .await
    }

    /// Returns the roots that the client lists, none if it does not answer in time. A late answer is for the next call.
    async fn listed_roots(
        &self,
        announces_changes: bool,
        ask: impl FnOnce() -> RootsRequest,
    ) -> Vec<String> {
        let (changes, unanswered) = {
            let mut known = self.lock();
            if let Some(listed) = &known.listed {
                return listed.clone();
            }
            let is_given_up = known
                .unanswered
                .as_ref()
                .is_some_and(|(request, waits)| *waits >= MAX_WAITS && !request.is_finished());
            if is_given_up {
                return vec![];
            }
            (known.changes, known.unanswered.take())
        };
        let (mut request, waits) = unanswered.unwrap_or_else(|| (ask(), 0));
        let answered = tokio::time::timeout(ROOTS_TIMEOUT, &mut request).await;
        let mut known = self.lock();
        // The client may have announced a change during the request.
        let is_current = known.changes == changes;
        match answered {
            Ok(Ok(Some(paths))) => {
                if announces_changes && is_current {
                    known.listed = Some(paths.clone());
                }
                paths
            }
            Ok(_) => vec![],
            Err(_) => {
                if is_current {
                    known.unanswered = Some((request, waits + 1));
                }
                vec![]
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Roots> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn a_client_that_does_not_list_its_roots_delays_few_calls() {
        let session = Session::new(None, None, PathBuf::new());
        let (answer, answered) = oneshot::channel();
        let request: RootsRequest = tokio::spawn(async move { answered.await.ok() });
        assert!(session.listed_roots(true, || request).await.is_empty());
        let ask_again = || -> RootsRequest { unreachable!("the first request is not answered") };
        for _ in 1..MAX_WAITS {
            assert!(session.listed_roots(true, ask_again).await.is_empty());
        }
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
