//! Gives back the memory of a root at rest.
//!
//! The files of the root stay in memory, so that its next question is answered at once. Indexes over them are made again when
//! a query needs them.

use std::sync::Arc;

use super::Indexer;
use crate::extract::facts::Outline;
use crate::index::memory;
use crate::index::snapshot::IndexedFile;

/// Outlines that are copied at once: few enough that a query waits only for a moment, and that the memory of both copies
/// is small.
const AT_ONCE: usize = 2000;
/// Files that were loaded or indexed since the last copy, from which on the outlines are copied: this share of all files,
/// but at least this many.
const SCATTERED_SHARE: usize = 4;
const FEWEST_SCATTERED: usize = 500;

impl Indexer {
    pub(super) fn rest(&mut self) {
        if self.scattered_outlines > FEWEST_SCATTERED.max(self.files.len() / SCATTERED_SHARE) {
            self.gather_outlines();
        }
        // Without the indexes over its files that queries have made.
        self.handle.publish(self.snapshot());
        memory::release_free();
    }

    /// Copies the outlines of all files into neighbouring memory, unless something is requested meanwhile.
    ///
    /// Outlines that were unpacked or indexed lie between memory that has been freed since, and keep its pages resident. A
    /// new thread that allocates nothing else leaves no gaps between them.
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
