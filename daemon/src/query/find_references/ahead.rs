//! Uses that one thread unpacks while another resolves those before them: from the last file on, until they meet.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::graph::{Graph, SymbolId};
use crate::store::ledger::record::FactsKey;
use crate::threads::Queue;

/// No more than are kept.
const MOST: usize = 300;

pub struct Ahead {
    /// Of the last file first.
    keys: Vec<FactsKey>,
    queue: Queue,
    is_over: AtomicBool,
}

impl Ahead {
    /// Of those files that may use a target.
    pub fn of(graph: &Graph<'_>, target: SymbolId, files: &[u32]) -> Self {
        let may_use = |file: &&u32| {
            graph.same_language_family(target.file, **file)
                && graph.scopes().can_use(target, **file)
        };
        let keys = files
            .iter()
            .rev()
            .filter(may_use)
            .filter_map(|file| graph.file(*file).facts_key());
        let keys: Vec<FactsKey> = keys.take(MOST).collect();
        Self {
            queue: Queue::new(keys.len(), 1),
            keys,
            is_over: AtomicBool::new(false),
        }
    }

    /// Goes on until there is none, or nobody needs them any more.
    pub fn each(&self, unpack: impl Fn(FactsKey)) {
        while !self.is_over.load(Ordering::Relaxed)
            && let Some(places) = self.queue.take()
        {
            self.keys[places].iter().copied().for_each(&unpack);
        }
    }

    /// All are resolved.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}
