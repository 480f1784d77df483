//! A cache of accounts of names, with the references from which they were made.
//!
//! A question about a symbol is often followed by another about the same one: who uses it, who calls it, what depends on it. An
//! account is valid for the snapshot from which it was made, which is compared by identity and not kept in memory.

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use lru::LruCache;

use super::NameAccount;
use crate::graph::references::Reference;
use crate::graph::{Graph, SymbolId};
use crate::index::snapshot::Snapshot;
use crate::query::shared::graph_root::GraphRoot;

/// The most references that are kept, of some 80 bytes each.
const MAX_REFERENCES: usize = 50_000;

static RECENT: LazyLock<Mutex<RecentAccounts>> = LazyLock::new(Mutex::default);

struct RecentAccounts {
    /// By the root and the symbols that are accounted for as one.
    accounts: LruCache<(u64, Vec<SymbolId>), RecentAccount>,
    /// The references of all accounts.
    references: usize,
}

struct RecentAccount {
    snapshot: Weak<Snapshot>,
    /// The references to each symbol, in their order.
    references: Vec<Arc<[Reference]>>,
    account: NameAccount,
}

impl Default for RecentAccounts {
    fn default() -> Self {
        Self {
            accounts: LruCache::unbounded(),
            references: 0,
        }
    }
}

impl RecentAccount {
    /// Returns the number of references; an account without references counts as one, because it takes about as much memory.
    fn size(&self) -> usize {
        let references = self.references.iter();
        1 + references.map(|found| found.len()).sum::<usize>()
    }
}

/// Returns the cached account of some symbols, and gives their references to the graph.
pub fn get(graph: &Graph<'_>, root: &GraphRoot<'_>, targets: &[SymbolId]) -> Option<NameAccount> {
    if !root.is_as_indexed() {
        return None;
    }
    let snapshot = Arc::downgrade(&root.indexed.snapshot);
    let mut recent = recent();
    let key = (root.indexed.root.id, targets.to_vec());
    let known = recent.accounts.get(&key)?;
    if !known.snapshot.ptr_eq(&snapshot) {
        return None;
    }
    for (target, found) in targets.iter().zip(&known.references) {
        graph.references().remember(*target, Arc::clone(found));
    }
    Some(known.account.clone())
}

/// Keeps the account of some symbols whose references the graph has found.
pub fn put(graph: &Graph<'_>, root: &GraphRoot<'_>, targets: &[SymbolId], account: &NameAccount) {
    let references = targets.iter();
    let references = references.map(|target| graph.references().remembered(*target));
    let Some(references) = references.collect() else {
        return;
    };
    if !root.is_as_indexed() || !account.changed.is_empty() {
        return;
    }
    let made = RecentAccount {
        snapshot: Arc::downgrade(&root.indexed.snapshot),
        references,
        account: account.clone(),
    };
    let mut recent = recent();
    recent.references += made.size();
    let key = (root.indexed.root.id, targets.to_vec());
    let before = recent.accounts.put(key, made);
    recent.references -= before.map_or(0, |before| before.size());
    while recent.references > MAX_REFERENCES
        && let Some((_, oldest)) = recent.accounts.pop_lru()
    {
        recent.references -= oldest.size();
    }
}

/// Forgets all accounts.
pub fn release() {
    *recent() = RecentAccounts::default();
}

fn recent() -> MutexGuard<'static, RecentAccounts> {
    RECENT.lock().unwrap_or_else(PoisonError::into_inner)
}
