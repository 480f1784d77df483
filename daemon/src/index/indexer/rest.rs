//! Gives back the memory of a root at rest.
//!
//! The files of the root stay in memory, so that its next question is answered at once. Indexes over them are made again when
//! a query needs them.

use std::sync::Arc;

use super::Indexer;
use crate::index::memory;
use crate::index::snapshot::IndexedFile;
use crate::store::error::StoreError;
use crate::store::ledger::record::FactsKey;

/// Outlines that are read again at once: few enough that a query waits only for a moment, and that the memory of both
/// copies is small.
const AT_ONCE: usize = 2000;
/// Files that were indexed since the load, from which on the outlines are read again: this share of all files, but at least
/// this many.
const INDEXED_SHARE: usize = 4;
const FEWEST_INDEXED: usize = 500;

impl Indexer {
    pub(super) fn rest(&mut self) -> Result<(), StoreError> {
        if self.indexed_since_load > FEWEST_INDEXED.max(self.files.len() / INDEXED_SHARE) {
            self.reload_outlines()?;
        }
        // Without the indexes over its files that queries have made.
        self.handle.publish(self.snapshot());
        memory::release_free();
        Ok(())
    }

    /// Reads the outlines of all files again, unless something is requested meanwhile.
    ///
    /// Outlines that were kept while their files were indexed lie between memory that has been freed since, and keep its pages
    /// resident. Those that a new thread allocates lie together.
    fn reload_outlines(&mut self) -> Result<(), StoreError> {
        let keys: Vec<(String, FactsKey)> = self
            .files
            .values()
            .filter_map(|file| Some((file.path.clone(), file.facts_key()?)))
            .collect();
        for some in keys.chunks(AT_ONCE) {
            if self.handle.jobs.has_requests() {
                return Ok(());
            }
            let files = &self.files;
            let ledger = &self.shared.ledger;
            let reload = || {
                let keys: Vec<FactsKey> = some.iter().map(|(_, key)| *key).collect();
                let outlines = ledger.outlines(&keys)?.into_iter();
                let reloaded = some
                    .iter()
                    .zip(outlines)
                    .filter_map(|((path, _), outline)| {
                        let file = IndexedFile {
                            outline: Arc::new(outline?),
                            ..(**files.get(path)?).clone()
                        };
                        Some((path.clone(), Arc::new(file)))
                    });
                Ok::<_, StoreError>(reloaded.collect::<Vec<_>>())
            };
            let reloaded = std::thread::scope(|scope| {
                scope
                    .spawn(reload)
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })?;
            self.files.extend(reloaded);
            self.publish();
        }
        self.indexed_since_load = 0;
        Ok(())
    }
}
