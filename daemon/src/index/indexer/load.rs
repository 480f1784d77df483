//! Loads a root from its stores, and checks that they agree.

use std::sync::Arc;

use super::Indexer;
use crate::clock;
use crate::extract::facts::{self, Outline};
use crate::index::prepare::is_parser_failure;
use crate::index::snapshot::IndexedFile;
use crate::lang;
use crate::store::INDEX_FORMAT;
use crate::store::error::StoreError;
use crate::store::ledger::Ledger;
use crate::store::ledger::record::{Counts, FactsKey, FileState};
use crate::store::text::{self, TextIndex};
use crate::threads;

impl Indexer {
    /// Loads the files of the root from the stores.
    pub(super) fn load(&mut self) -> Result<(), StoreError> {
        #[cfg(debug_assertions)]
        #[expect(clippy::disallowed_methods, reason = "a slow load takes its time")]
        if let Some(delay) = claudevil_protocol::environment::millis("CLAUDEVIL_TEST_SLOW_LOAD") {
            std::thread::sleep(delay);
        }
        let id = self.handle.root.id;
        self.creations = self.shared.ledger.creations()?;
        let loaded = self.shared.ledger.load(id)?;
        self.state = loaded.state;
        let keys: Vec<_> = loaded
            .files
            .iter()
            .filter_map(|(_, record)| match record.state {
                FileState::Indexed(key) => Some(key),
                FileState::Skipped(_) => None,
            })
            .collect();
        let folder = text::folder(&self.shared.data, id);
        let (text, outlines) = std::thread::scope(|scope| {
            let text = scope.spawn(|| TextIndex::open(&folder));
            let outlines = outlines(&self.shared.ledger, &keys);
            (
                text.join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                outlines,
            )
        });
        let text = text?;
        let mut outlines = outlines?.into_iter();
        // The text index may be ahead by consecutive batches that were cut off. The paths of all of them are still intents.
        let cut_off =
            text.generation > Some(self.state.generation) && !loaded.unfinished.is_empty();
        let text_is_whole =
            text.generation == Some(self.state.generation) || cut_off || loaded.files.is_empty();
        let settings_hold = self.state.settings == self.settings();
        self.doubtful = loaded.unfinished.into_iter().collect();
        for (path, mut record) in loaded.files {
            let outline = match record.state {
                FileState::Indexed(_) => match outlines.next().flatten() {
                    Some(outline) => Arc::new(outline),
                    // The facts are damaged: the file counts as not indexed.
                    None => continue,
                },
                FileState::Skipped(_) => Arc::default(),
            };
            if !text_is_whole || !settings_hold || self.doubtful.contains(&path) {
                record.stamp = 0;
            }
            // Another build, or other chunk sizes, may parse a file that killed a worker.
            if !settings_hold
                && matches!(record.state, FileState::Skipped(skip) if is_parser_failure(skip))
            {
                record.hash = [0; 16];
            }
            let language = record.language.as_deref().and_then(lang::by_name);
            self.put(IndexedFile::new(path, record, language, outline));
        }
        // Counted again, because files whose facts are damaged are left out.
        let mut counts = Counts::default();
        for file in self.files.values() {
            counts.add(file.counts());
        }
        self.state.counts = counts;
        if self.state.created == 0 {
            self.state.created = clock::now();
        }
        // The next commit must not reuse a generation of a text index that is ahead.
        self.state.generation = self
            .state
            .generation
            .max(text.generation.unwrap_or_default());
        self.text = Some(text);
        self.scattered_outlines = self.files.len();
        self.publish();
        Ok(())
    }

    /// Returns the hash of the settings that facts depend on besides the files themselves.
    pub(super) fn settings(&self) -> u64 {
        let root = &self.handle.root;
        let sizes = self.handle.sizes;
        let text = format!(
            "{INDEX_FORMAT} {} {:?} {:?} {sizes:?}",
            facts::VERSION,
            root.include,
            root.exclude
        );
        text::file_number(&text)
    }
}

/// Returns the outlines under these keys, in their order. Queries wait for them, so they are decoded on all processors.
fn outlines(ledger: &Ledger, keys: &[FactsKey]) -> Result<Vec<Option<Outline>>, StoreError> {
    let parts = threads::run_on_all(keys.len(), |queue| {
        std::iter::from_fn(|| queue.take())
            .map(|places| Ok((places.start, ledger.outlines(&keys[places])?)))
            .collect::<Result<Vec<_>, StoreError>>()
    });
    let mut parts: Vec<_> = parts
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect();
    parts.sort_by_key(|(place, _)| *place);
    Ok(parts
        .into_iter()
        .flat_map(|(_, outlines)| outlines)
        .collect())
}
