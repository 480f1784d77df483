//! What the keeper asks of a store of vectors, and the store itself where it is in this process.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use tokio::runtime::Handle;

use crate::store::vectors::{
    self, ChunkHash, ChunkVector, Contents, Space, VectorError, VectorStore,
};

/// The vectors of one space, of several that lie together. Failures are words: whoever asks goes on without.
pub trait Store: Send + Sync {
    /// Returns how many of them can be read afterwards.
    fn append(&self, vectors: &[ChunkVector]) -> Result<usize, String>;
    fn load(&self, hashes: &[ChunkHash]) -> Result<HashMap<ChunkHash, ChunkVector>, String>;
    fn count(&self) -> Result<usize, String>;
    /// Returns how many rows went.
    fn keep_only(&self, live: &HashSet<ChunkHash>) -> Result<u64, String>;
    /// Forgets all models but these, unless none is named; prunes and compacts.
    fn maintain(&self, kept: &[String]) -> Result<(), String>;
    /// Lets go of whatever it has open. The next call opens it again.
    fn close(&self);
    /// How much there is, read from its ledgers alone.
    fn contents(&self) -> Result<Contents, String>;
}

/// In this process: its memory is this process's, and much of it stays.
pub struct Local {
    store: Arc<VectorStore>,
    data: PathBuf,
    space: Space,
    runtime: Handle,
}

impl Local {
    #[cfg(test)]
    pub fn new(data: PathBuf, space: Space, runtime: Handle) -> Self {
        Self::over(Arc::new(VectorStore::new(&data)), data, space, runtime)
    }

    /// One space of a store beneath a directory.
    pub fn over(store: Arc<VectorStore>, data: PathBuf, space: Space, runtime: Handle) -> Self {
        Self {
            store,
            data,
            space,
            runtime,
        }
    }

    /// What it has to complain of.
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

    fn maintain(&self, kept: &[String]) -> Result<(), String> {
        let done = self.runtime.block_on(async {
            if !kept.is_empty() {
                self.store.forget_all_but(kept).await?;
            }
            self.store.maintain(&self.space).await
        });
        // Failures within it are noted by the store itself.
        done.map(drop).map_err(words)
    }

    fn close(&self) {
        self.runtime.block_on(self.store.close());
    }

    fn contents(&self) -> Result<Contents, String> {
        let stored = vectors::stored(&self.data).map_err(words)?;
        Ok(Contents {
            troubles: [stored.troubles, self.troubles()].concat(),
            ..stored
        })
    }
}

fn words(error: VectorError) -> String {
    error.message
}
