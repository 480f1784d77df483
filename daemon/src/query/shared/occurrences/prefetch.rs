//! Reads the uses of files into the cache while another thread resolves references. It starts at the last file and goes
//! backwards until the two meet.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::graph::{Graph, SymbolId};
use crate::store::ledger::record::FactsKey;
use crate::threads::Queue;

/// The most files that are read: at some 20 KB each, they fill about half of the cache.
const MAX_FILES: usize = 800;

pub struct Prefetch {
    /// The last file first.
    keys: Vec<FactsKey>,
    queue: Queue,
    is_stopped: AtomicBool,
}

impl Prefetch {
    /// Selects the files that may use a target.
    pub fn new(graph: &Graph<'_>, target: SymbolId, files: &[u32]) -> Self {
        let may_use = |file: &&u32| {
            graph.same_language_family(target.file, **file)
                && graph.scopes().can_use(target, **file)
        };
        let keys = files
            .iter()
            .rev()
            .filter(may_use)
            .filter_map(|file| graph.file(*file).facts_key());
        let keys: Vec<FactsKey> = keys.take(MAX_FILES).collect();
        Self {
            queue: Queue::new(keys.len(), 1),
            keys,
            is_stopped: AtomicBool::new(false),
        }
    }

    /// Reads until no file is left, or until it is stopped.
    pub fn run(&self, read: impl Fn(FactsKey)) {
        while !self.is_stopped.load(Ordering::Relaxed)
            && let Some(places) = self.queue.take()
        {
            self.keys[places].iter().copied().for_each(&read);
        }
    }

    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}
