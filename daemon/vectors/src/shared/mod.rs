//! Vectors that a team shares: a LanceDB table per model, in an object store or a folder.
//!
//! A transformer takes a thousand times as long as a download, so a vector that another member has computed is read instead. Tables
//! are only appended to; writers do not wait for each other, since LanceDB commits a version only if no other writer has, and
//! tries again. Two writers may add the same vector: readers take either, and a collection removes one.
//!
//! Creating a table is different: if two writers create it at once, LanceDB may let the second replace what the first has
//! added. So each of them gives its table a unique name, and all tables of a model are read. There is more than one only if
//! several writers began at the same time.
//! **Invariants:** no vector leaves here whose checksum, model or length is wrong. No query waits for anything here, and
//! vectors that cannot be read are made by the model instead.

mod access;
mod collect;
mod error;
mod keys;
mod serve;
mod table;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::SystemTime;

use claudevil_child::vectors::sharing::{Access, SharedStore};
use claudevil_child::vectors::{ChunkHash, ChunkVector, Space};
use claudevil_protocol::sharing::{CollectOutcome, TableState};
use lancedb::{Connection, ObjectStoreRegistry, Session};

use self::error::guarded;
pub use self::error::{SharedError, SharedErrorKind};
use self::keys::SpaceKeys;
pub use self::serve::{answer, serve};
use self::table::SharedTable;

// By default the caches may take gigabytes.
const INDEX_CACHE_BYTES: usize = 16 << 20;
const METADATA_CACHE_BYTES: usize = 32 << 20;

/// The vectors of some chunks.
#[derive(Debug, Default, PartialEq)]
pub struct FetchOutcome {
    pub vectors: Vec<ChunkVector>,
    /// Rows that were found, but not written by a holder of the secret.
    pub refused: usize,
}

/// The tables of a team.
pub struct SharedVectors {
    store: SharedStore,
    connection: Option<Connection>,
    /// The open tables of each space, by the prefix of their names.
    tables: HashMap<String, Vec<SharedTable>>,
}

impl SharedVectors {
    pub fn new(store: SharedStore) -> Self {
        Self {
            store,
            connection: None,
            tables: HashMap::new(),
        }
    }

    /// Returns the vectors of these chunks that the team has.
    pub async fn fetch(
        &mut self,
        space: &Space,
        chunks: &[ChunkHash],
    ) -> Result<FetchOutcome, SharedError> {
        let mut all = FetchOutcome::default();
        let mut missing = chunks.to_vec();
        for table in self.open(space).await? {
            let found = match table.fetch(&missing).await {
                // A collection may have removed files that were just listed.
                Err(error) if error.kind == SharedErrorKind::Damaged => {
                    table.refresh().await?;
                    table.fetch(&missing).await?
                }
                found => found?,
            };
            let there: HashSet<_> = found.vectors.iter().map(|vector| vector.hash).collect();
            missing.retain(|chunk| !there.contains(chunk));
            all.vectors.extend(found.vectors);
            all.refused += found.refused;
        }
        Ok(all)
    }

    /// Returns which of these chunks the team has, in the order of the tables.
    pub async fn locate(
        &mut self,
        space: &Space,
        chunks: &[ChunkHash],
    ) -> Result<Vec<ChunkHash>, SharedError> {
        let mut found = vec![];
        for table in self.open(space).await? {
            table.refresh_if_due().await?;
            found.extend(table.locate(chunks));
        }
        Ok(found)
    }

    /// Adds the vectors that the team does not have. Returns how many.
    pub async fn append(
        &mut self,
        space: &Space,
        vectors: &[ChunkVector],
    ) -> Result<usize, SharedError> {
        self.check_writable()?;
        if self.open(space).await?.is_empty() {
            self.create(space).await?;
        }
        let Some((first, others)) = self.open(space).await?.split_first_mut() else {
            return Err(SharedError::unusable("the table was removed meanwhile"));
        };
        for other in &mut *others {
            other.refresh_if_due().await?;
        }
        let is_new = |vector: &&ChunkVector| !others.iter().any(|other| other.has(&vector.hash));
        let new: Vec<ChunkVector> = vectors.iter().filter(is_new).cloned().collect();
        // LanceDB retries a number of times if others commit first.
        first.append(&new).await
    }

    pub async fn describe(&mut self, space: &Space) -> Result<TableState, SharedError> {
        let mut all = TableState::default();
        for table in self.open(space).await? {
            table.refresh().await?;
            let state = table.state();
            all.vectors += state.vectors;
            all.files += state.files;
            all.unreadable_files += state.unreadable_files;
            all.version = all.version.max(state.version);
        }
        Ok(all)
    }

    /// Removes vectors that were shared `days` ago or earlier and are not of the live chunks, and duplicates; merges small
    /// files, and removes files that no version of the last day has.
    pub async fn collect(
        &mut self,
        space: &Space,
        live: &[ChunkHash],
        days: u32,
    ) -> Result<CollectOutcome, SharedError> {
        self.check_writable()?;
        let mut all = CollectOutcome::default();
        for table in self.open(space).await? {
            let done = collect::collect(table, live, days).await?;
            all.removed += done.removed;
            all.files_before += done.files_before;
            all.files_after += done.files_after;
            all.freed_bytes += done.freed_bytes;
        }
        Ok(all)
    }

    fn check_writable(&self) -> Result<(), SharedError> {
        match self.store.access {
            Access::ReadAndWrite => Ok(()),
            Access::Read => Err(SharedError::unusable(
                "`read_only` is set: this machine adds and removes nothing",
            )),
        }
    }

    /// Opens the tables of a space, unless they are open. They do not exist before the first vector is shared.
    async fn open(&mut self, space: &Space) -> Result<&mut Vec<SharedTable>, SharedError> {
        let keys = SpaceKeys::new(&self.store.secret, space);
        if self.tables.get(&keys.table).is_none_or(Vec::is_empty) {
            let connection = self.connection().await?;
            let mut names = guarded(connection.table_names().execute()).await?;
            names.retain(|name| name.starts_with(&keys.table));
            let mut tables = vec![];
            for name in names {
                match guarded(connection.open_table(&name).execute()).await {
                    Ok(table) => tables.push(SharedTable::new(table, space, keys.clone()).await?),
                    // The table is being created, or its creation was cut off.
                    Err(error) if error.kind == SharedErrorKind::Damaged => {
                        tracing::warn!(%error, name, "a table of shared vectors cannot be opened");
                    }
                    Err(error) => return Err(error),
                }
            }
            self.tables.insert(keys.table.clone(), tables);
        }
        Ok(self.tables.entry(keys.table).or_default())
    }

    async fn create(&mut self, space: &Space) -> Result<(), SharedError> {
        let keys = SpaceKeys::new(&self.store.secret, space);
        let schema = SharedTable::schema(space, &keys)?;
        let connection = self.connection().await?;
        let random = RandomState::new().hash_one(SystemTime::now());
        let name = format!("{}-{random:016x}", keys.table);
        let created = guarded(connection.create_empty_table(&name, schema).execute()).await?;
        let table = SharedTable::new(created, space, keys.clone()).await?;
        self.tables.entry(keys.table).or_default().push(table);
        Ok(())
    }

    async fn connection(&mut self) -> Result<Connection, SharedError> {
        if let Some(open) = &self.connection {
            return Ok(open.clone());
        }
        let home = claudevil_protocol::environment::path("HOME");
        let profile = claudevil_protocol::environment::variable(access::AZURE_PROFILE);
        let profile = profile.and_then(|profile| profile.into_string().ok());
        let options = access::options(&self.store, home.as_deref(), profile.as_deref())?;
        let caches = Session::new(
            INDEX_CACHE_BYTES,
            METADATA_CACHE_BYTES,
            Arc::new(ObjectStoreRegistry::default()),
        );
        let opened = guarded(
            lancedb::connect(&self.store.location)
                .session(Arc::new(caches))
                .storage_options(options)
                .execute(),
        );
        Ok(self.connection.insert(opened.await?).clone())
    }
}
