//! Gives back memory while there are no queries: caches, and everything else that is read or rebuilt when it is needed.
//!
//! Idle roots stay loaded and watched, so that their next query takes only some milliseconds more than the one after it.

use std::sync::Arc;
use std::time::Duration;

use super::{Indexes, RootIndex, memory};
use crate::threads::{self, lock};

/// The longest wait for the indexer of a root to give back its memory.
const PATIENCE: Duration = Duration::from_secs(10);

impl Indexes {
    /// Gives back memory of the roots that have just become idle, and of the whole daemon if no root is in use. In that case
    /// `release_others` is called too.
    pub fn release_at_rest(&self, release_others: impl FnOnce()) {
        let after = self.shared.settings.rest_after;
        let warm: Vec<Arc<RootIndex>> = lock(&self.warm).values().cloned().collect();
        let resting: Vec<_> = warm
            .iter()
            .filter(|index| index.has_become_idle(after))
            .map(|index| (index, index.jobs.request(|requests| requests.rest = true)))
            .collect();
        for (index, request) in &resting {
            index.wait(*request, PATIENCE);
        }
        let is_in_use = |index: &Arc<RootIndex>| index.idle() < after || index.is_busy();
        if warm.iter().any(is_in_use) {
            return;
        }
        // A history that was being read when the rest began is freed at a later call.
        let has_freed = self.shared.histories.release();
        if resting.is_empty() && !has_freed {
            return;
        }
        release_others();
        self.shared.uses.clear();
        // Frees the cache of the ledger, which opens again by itself.
        self.shared.ledger.close();
        memory::release_mapped(claudevil_model::mapped());
        // Each thread has a heap of its own.
        threads::run_on_helpers(memory::release_free);
        memory::release_free();
    }
}
