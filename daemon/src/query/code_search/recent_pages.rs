//! A cache of pages of ranked hits, for queries that are repeated while nothing has changed.
//!
//! Agents repeat queries, and several sessions may send the same one at once: one call ranks, and the others wait for its page.
//! A page is valid for the snapshots from which it was made; these are compared by identity, and a cached page does not keep
//! them in memory.

use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use claudevil_protocol::ToolError;
use lru::LruCache;

use super::HitPage;
use super::request::SearchRequest;
use super::root::SearchRoot;
use crate::index::snapshot::Snapshot;

/// The number of cached pages, of some tens of kilobytes each.
const MAX_PAGES: NonZeroUsize = NonZeroUsize::new(64).expect("a positive number");

static PAGES: LazyLock<Mutex<LruCache<Question, Arc<RecentPage>>>> =
    LazyLock::new(|| Mutex::new(LruCache::new(MAX_PAGES)));

/// The cache key: the parameters of a query, and the roots that it searches.
#[derive(PartialEq, Eq, Hash)]
struct Question {
    parameters: String,
    asks_all_roots: bool,
    roots: Vec<(u64, Option<String>)>,
}

struct RecentPage {
    snapshots: Vec<Weak<Snapshot>>,
    /// Locked while the page is being ranked.
    page: Mutex<Option<HitPage>>,
}

/// Returns the cached page of a query, or ranks it.
pub fn get_or_rank(
    request: &SearchRequest<'_>,
    roots: &[SearchRoot],
    rank: impl FnOnce() -> Result<HitPage, ToolError>,
) -> Result<HitPage, ToolError> {
    let current = roots.iter().filter(|root| root.is_current());
    let snapshots: Vec<Weak<Snapshot>> = current
        .filter_map(|root| Some(Arc::downgrade(&root.indexed.as_ref()?.snapshot)))
        .collect();
    let Ok(parameters) = serde_json::to_string(request.params) else {
        return rank();
    };
    // A root that is not current may have changed without a new snapshot.
    if snapshots.len() < roots.len() {
        return rank();
    }
    let question = Question {
        parameters,
        asks_all_roots: request.asks_all_roots,
        roots: roots
            .iter()
            .map(|root| (root.record.id, root.folder.clone()))
            .collect(),
    };
    let recent = {
        let mut pages = pages();
        let known = pages
            .get(&question)
            .filter(|recent| recent.is_of(&snapshots));
        known.cloned().unwrap_or_else(|| {
            let page = Mutex::default();
            let recent = Arc::new(RecentPage { snapshots, page });
            pages.put(question, Arc::clone(&recent));
            recent
        })
    };
    let mut page = recent.page.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(page) = &*page {
        return Ok(page.clone());
    }
    let ranked = rank()?;
    if !ranked.is_provisional {
        *page = Some(ranked.clone());
    }
    Ok(ranked)
}

/// Forgets all pages.
pub fn release() {
    pages().clear();
}

impl RecentPage {
    fn is_of(&self, snapshots: &[Weak<Snapshot>]) -> bool {
        let is_same = |(one, other): (&Weak<Snapshot>, &Weak<Snapshot>)| one.ptr_eq(other);
        self.snapshots.len() == snapshots.len() && self.snapshots.iter().zip(snapshots).all(is_same)
    }
}

fn pages() -> MutexGuard<'static, LruCache<Question, Arc<RecentPage>>> {
    PAGES.lock().unwrap_or_else(PoisonError::into_inner)
}
