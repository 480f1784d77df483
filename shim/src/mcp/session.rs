//! The project of an editor session, resolved afresh for every call.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use claudevil_protocol::call::{Origin, Project};
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use crate::project;

/// Time limit for a client that announces roots to list them.
const ROOTS_PATIENCE: Duration = Duration::from_millis(500);

pub struct Session {
    /// From the command line.
    option: Option<PathBuf>,
    /// The one root that the session may ask about. The daemon refuses calls about any other.
    only_root: Option<String>,
    home: PathBuf,
    roots: Mutex<Roots>,
}

#[derive(Clone, Default)]
struct Roots {
    /// The client's roots while they are known to be current: only clients that announce changes are remembered.
    listed: Option<Vec<String>>,
    /// All but the first, as they were last told.
    others: Vec<String>,
    /// The number of times that the client announced a change of them.
    changes: u64,
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
        let Roots {
            listed, changes, ..
        } = self.lock().clone();
        if let Some(listed) = listed {
            return listed;
        }
        let asked = tokio::time::timeout(ROOTS_PATIENCE, context.peer.list_roots()).await;
        let Ok(Ok(listed)) = asked else { return vec![] };
        let paths: Vec<_> = listed
            .roots
            .iter()
            .filter_map(|root| project::from_file_uri(&root.uri))
            .collect();
        let mut known = self.lock();
        // The client may have announced a change during the request.
        if roots.list_changed == Some(true) && known.changes == changes {
            known.listed = Some(paths.clone());
        }
        paths
    }

    fn lock(&self) -> MutexGuard<'_, Roots> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
