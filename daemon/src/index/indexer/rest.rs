//! Gives back memory of a root that is idle.
//!
//! The files of the root stay in memory, so that its next query is answered at once. Indexes derived from them are made again
//! when a query needs them.

use std::sync::Arc;

use super::Indexer;
use crate::extract::facts::Outline;
use crate::index::memory;
use crate::index::snapshot::IndexedFile;

/// The number of outlines that are copied at once: few enough that a query waits only for a moment, and that the second copy
/// takes little memory.
const AT_ONCE: usize = 2000;
/// Outlines are copied again once this many files were loaded or indexed since the last copy: one in `SCATTERED_SHARE` files,
/// but at least `FEWEST_SCATTERED`.
const SCATTERED_SHARE: usize = 4;
const FEWEST_SCATTERED: usize = 500;

impl Indexer {
    pub(super) fn rest(&mut self) {
        if self.scattered_outlines > FEWEST_SCATTERED.max(self.files.len() / SCATTERED_SHARE) {
            self.gather_outlines();
        }
        // The new snapshot has none of the derived indexes that queries have made.
        self.handle.publish(self.snapshot());
        memory::release_free();
    }

    /// Copies the outlines of all files into contiguous memory. Stops if something is requested meanwhile.
    ///
    /// Loaded and newly indexed outlines lie between blocks that have been freed since, and keep their pages resident. The
    /// copies of a new thread, which allocates nothing else, leave no gaps.
    fn gather_outlines(&mut self) {
        let paths: Vec<String> = self.files.keys().cloned().collect();
        for some in paths.chunks(AT_ONCE) {
            if self.handle.jobs.has_requests() {
                return;
            }
            let scattered: Vec<&Outline> = some
                .iter()
                .filter_map(|path| Some(&*self.files.get(path)?.outline))
                .collect();
            let copy = || scattered.iter().map(|outline| (*outline).clone());
            let gathered: Vec<Outline> = std::thread::scope(|scope| {
                scope
                    .spawn(|| copy().collect())
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            for (path, outline) in some.iter().zip(gathered) {
                if let Some(file) = self.files.get_mut(path) {
                    *file = Arc::new(IndexedFile {
                        outline: Arc::new(outline),
                        ..(**file).clone()
                    });
                }
            }
            self.publish();
        }
        self.scattered_outlines = 0;
    }
}
