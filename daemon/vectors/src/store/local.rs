//! One space of the store, behind a blocking interface.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use claudevil_child::vectors::{ChunkHash, ChunkVector, Contents, Space, Store, table_ledger};
use tokio::runtime::Handle;

use super::{VectorError, VectorStore};

/// One space of a store in this process.
pub struct Local {
    store: Arc<VectorStore>,
    data: PathBuf,
    space: Space,
    runtime: Handle,
}

impl Local {
    pub fn new(data: PathBuf, space: Space, runtime: Handle) -> Self {
        Self::over(Arc::new(VectorStore::new(&data)), data, space, runtime)
    }

    /// Returns one space of a store beneath a directory.
    pub fn over(store: Arc<VectorStore>, data: PathBuf, space: Space, runtime: Handle) -> Self {
        Self {
            store,
            data,
            space,
            runtime,
        }
    }

    /// Returns the errors of the store.
    pub fn troubles(&self) -> Vec<String> {
        self.store.troubles()
    }
}

impl Store for Local {
    fn append(&self, vectors: &[ChunkVector]) -> Result<usize, String> {
        let appended = self
            .runtime
            .block_on(self.store.append(&self.space, vectors))
            .map_err(words)?;
        Ok(appended.readable.len())
    }

    fn load(&self, hashes: &[ChunkHash]) -> Result<HashMap<ChunkHash, ChunkVector>, String> {
        Ok(self
            .runtime
            .block_on(self.store.load(&self.space, hashes))
            .map_err(words)?
            .vectors)
    }

    fn count(&self) -> Result<usize, String> {
        self.runtime
            .block_on(self.store.count(&self.space))
            .map_err(words)
    }

    fn keep_only(&self, live: &HashSet<ChunkHash>) -> Result<u64, String> {
        self.runtime
            .block_on(self.store.remove_unreferenced(&self.space, live))
            .map_err(words)
    }

    fn maintain(&self, retained: &[String]) -> Result<(), String> {
        let done = self.runtime.block_on(async {
            if !retained.is_empty() {
                self.store.drop_other_models(retained).await?;
            }
            self.store.maintain(&self.space).await
        });
        // The store records the failures of single actions itself.
        done.map(drop).map_err(words)
    }

    fn close(&self) {
        self.runtime.block_on(self.store.close());
    }

    fn contents(&self) -> Result<Contents, String> {
        let stored = table_ledger::count_stored(&self.data).map_err(|error| error.to_string())?;
        Ok(Contents {
            troubles: [stored.troubles, self.troubles()].concat(),
            ..stored
        })
    }
}

fn words(error: VectorError) -> String {
    error.message
}
