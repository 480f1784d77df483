//! The vector store, in LanceDB.
//!
//! Vectors are keyed by their model and the hash of the chunk, are shared by all roots, and never change. LanceDB never syncs
//! to disk, so the store holds only what can be recomputed, and reports a vector as stored only after it was read back. It is
//! opened when it is first needed. **Invariant:** damage to its files never causes a panic or a wrong vector: vectors are
//! missing then, and the status says so.

pub(crate) mod error;
mod ledger;
mod local;
mod location;
mod maintenance;
mod repair;
pub(crate) mod rows;
mod serve;
mod table;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use claudevil_child::vectors::{ChunkHash, ChunkVector, Space};
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

use self::error::guarded;
pub use self::error::{VectorError, VectorErrorKind};
pub use self::local::Local;
use self::location::StoreLocation;
pub use self::maintenance::Maintenance;
use self::maintenance::RETENTION;
pub use self::repair::{Condition, OpenOutcome};
pub use self::serve::{answer, serve};
use self::table::SpaceTable;

/// The format of the tables, raised when an older build would misread them. A table of another format is rebuilt.
const FORMAT: u32 = 2;

/// Rows per write. A fragment is one file, and this is the size that compaction aims at.
const ROWS_PER_WRITE: usize = 50_000;

/// Returns the name of a model's table. Vectors of another length under the same model replace the table.
fn table_name(model: &str) -> String {
    let model = blake3::hash(model.as_bytes()).to_hex();
    format!("v{FORMAT}-{}", &model[..32])
}

/// The outcome of an append.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppendOutcome {
    /// The given hashes whose vectors have been read back, now or before.
    pub readable: HashSet<ChunkHash>,
    /// The number of rows that were written now.
    pub added: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadOutcome {
    pub vectors: HashMap<ChunkHash, ChunkVector>,
    /// Rows with wrong checksums, which were not handed out.
    pub damaged_rows: usize,
}

type Slot = RwLock<Option<SpaceTable>>;

pub struct VectorStore {
    location: StoreLocation,
    /// The open tables. Readers share a table; a writer locks it.
    slots: Mutex<HashMap<String, Arc<Slot>>>,
    troubles: Mutex<BTreeMap<String, Vec<String>>>,
}

impl VectorStore {
    /// Makes a store beneath a directory of our own.
    pub fn new(data: &Path) -> Self {
        Self {
            location: StoreLocation::new(data.join("vectors")),
            slots: Mutex::default(),
            troubles: Mutex::default(),
        }
    }

    /// Returns the errors of the latest opening or maintenance of each table.
    pub fn troubles(&self) -> Vec<String> {
        self.troubles
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .flatten()
            .cloned()
            .collect()
    }

    /// Opens the table of a space and reads it once. All other calls do the same if it is not open.
    pub async fn open(&self, space: &Space) -> Result<OpenOutcome, VectorError> {
        let mut slot = self.slot(space).write_owned().await;
        let condition = match &*slot {
            Some(table) if table.has_dimensions(space) => Condition::Sound,
            _ => self.fill(&mut slot, space).await?,
        };
        let table = slot.as_ref().ok_or_else(closed)?;
        Ok(OpenOutcome {
            vectors: table.known().len(),
            damaged_rows: table.damaged_rows(),
            condition,
        })
    }

    /// Stores the vectors whose hashes are not stored yet.
    pub async fn append(
        &self,
        space: &Space,
        vectors: &[ChunkVector],
    ) -> Result<AppendOutcome, VectorError> {
        let mut slot = self.writing(space).await?;
        let mut added = 0;
        for some in vectors.chunks(ROWS_PER_WRITE) {
            added += match add(&mut slot, some).await {
                Err(error) if error.is_damage() => {
                    self.add_after_damage(&mut slot, space, some, error).await?
                }
                other => other?,
            };
        }
        let table = slot.as_ref().ok_or_else(closed)?;
        let readable = vectors
            .iter()
            .map(|vector| vector.hash)
            .filter(|hash| table.known().contains(hash))
            .collect();
        Ok(AppendOutcome { readable, added })
    }

    /// Returns the vectors of these chunks that are stored. All others have to be made.
    pub async fn load(
        &self,
        space: &Space,
        hashes: &[ChunkHash],
    ) -> Result<LoadOutcome, VectorError> {
        let wanted: HashSet<_> = hashes.iter().copied().collect();
        let first = self.load_once(space, &wanted).await;
        match first {
            Err(error) if error.is_damage() => {
                self.repair(space).await?;
                self.load_once(space, &wanted).await
            }
            other => other,
        }
    }

    pub async fn count(&self, space: &Space) -> Result<usize, VectorError> {
        Ok(self.reading(space).await?.known().len())
    }

    /// Deletes all rows but those of the live hashes, and every damaged row. [`Self::maintain`] frees their space. No append
    /// may run while the caller collects the live hashes, or its vectors would be deleted. Returns how many rows were deleted.
    pub async fn remove_unreferenced(
        &self,
        space: &Space,
        live: &HashSet<ChunkHash>,
    ) -> Result<u64, VectorError> {
        let mut slot = self.writing(space).await?;
        let gone = slot.as_mut().ok_or_else(closed)?.keep_only(live).await;
        match gone {
            Err(error) if error.is_damage() => {
                self.fill(&mut slot, space).await?;
                slot.as_mut().ok_or_else(closed)?.keep_only(live).await
            }
            other => other,
        }
    }

    /// Prunes, compacts and optimises indexes. Fails only if the table does not open.
    pub async fn maintain(&self, space: &Space) -> Result<Maintenance, VectorError> {
        self.maintain_with(space, RETENTION).await
    }

    /// Drops the tables of all other models, and of earlier formats. Returns how many.
    pub async fn drop_other_models(&self, models: &[String]) -> Result<usize, VectorError> {
        let connection = self.location.connection().await?;
        let mut names = guarded(connection.table_names().execute()).await?;
        let retained: HashSet<String> = models.iter().map(|model| table_name(model)).collect();
        names.retain(|name| !retained.contains(name));
        for name in &names {
            let slot = self
                .slots
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(name);
            if let Some(slot) = slot {
                *slot.write().await = None;
            }
            self.location.drop_table(name).await?;
            self.troubles
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(name);
        }
        Ok(names.len())
    }

    async fn maintain_with(
        &self,
        space: &Space,
        retention: lancedb::table::Duration,
    ) -> Result<Maintenance, VectorError> {
        let mut slot = self.writing(space).await?;
        let done = maintenance::maintain(slot.as_mut().ok_or_else(closed)?, retention).await;
        let failures = done.failures();
        if let Err(error) = &done.compaction
            && error.is_damage()
        {
            self.fill(&mut slot, space).await?;
        }
        self.note(space, failures);
        Ok(done)
    }

    /// Waits for running calls, then closes every table, the connection and its caches. The next call opens them again.
    pub async fn close(&self) {
        let slots: Vec<_> = self
            .slots
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .cloned()
            .collect();
        for slot in slots {
            *slot.write().await = None;
        }
        self.location.disconnect().await;
    }

    async fn load_once(
        &self,
        space: &Space,
        wanted: &HashSet<ChunkHash>,
    ) -> Result<LoadOutcome, VectorError> {
        let table = self.reading(space).await?;
        let mut vectors = HashMap::with_capacity(wanted.len());
        let mut keep = |some: Vec<ChunkVector>| {
            vectors.extend(some.into_iter().map(|vector| (vector.hash, vector)));
        };
        let damaged_rows = table.load(wanted, &mut keep).await?.len();
        let expected = wanted
            .iter()
            .filter(|hash| table.known().contains(*hash))
            .count();
        drop(table);
        if vectors.len() < expected {
            self.survey(space).await?;
        }
        Ok(LoadOutcome {
            vectors,
            damaged_rows,
        })
    }

    /// Opens the table again after an append met damage, and rebuilds it if that does not help.
    async fn add_after_damage(
        &self,
        slot: &mut Option<SpaceTable>,
        space: &Space,
        vectors: &[ChunkVector],
        error: VectorError,
    ) -> Result<usize, VectorError> {
        tracing::warn!(%error, model = space.model, "vectors could not be appended; the table is opened again");
        self.fill(slot, space).await?;
        match add(slot, vectors).await {
            Err(error) if error.is_damage() => {
                *slot = None;
                let (table, condition) =
                    repair::rebuild(&self.location, space, error.message).await?;
                self.report(space, &condition);
                *slot = Some(table);
                add(slot, vectors).await
            }
            other => other,
        }
    }

    /// Reads the table again, after rows went missing.
    async fn survey(&self, space: &Space) -> Result<(), VectorError> {
        let mut slot = self.writing(space).await?;
        match slot.as_mut().ok_or_else(closed)?.survey_again().await {
            Err(error) if error.is_damage() => self.fill(&mut slot, space).await.map(|_| ()),
            other => other,
        }
    }

    /// Opens the table again, and repairs it.
    async fn repair(&self, space: &Space) -> Result<(), VectorError> {
        let mut slot = self.slot(space).write_owned().await;
        self.fill(&mut slot, space).await.map(|_| ())
    }

    async fn fill(
        &self,
        slot: &mut Option<SpaceTable>,
        space: &Space,
    ) -> Result<Condition, VectorError> {
        // Its caches may be of files that are gone.
        if slot.take().is_some() {
            self.location.disconnect().await;
        }
        let (table, condition) = repair::open(&self.location, space).await?;
        self.report(space, &condition);
        *slot = Some(table);
        Ok(condition)
    }

    async fn reading(
        &self,
        space: &Space,
    ) -> Result<OwnedRwLockReadGuard<Option<SpaceTable>, SpaceTable>, VectorError> {
        let slot = self.slot(space);
        let guard = Arc::clone(&slot).read_owned().await;
        let guard = match &*guard {
            Some(table) if table.has_dimensions(space) => guard,
            _ => {
                drop(guard);
                self.writing(space).await?.downgrade()
            }
        };
        OwnedRwLockReadGuard::try_map(guard, Option::as_ref).map_err(|_| closed())
    }

    async fn writing(
        &self,
        space: &Space,
    ) -> Result<OwnedRwLockWriteGuard<Option<SpaceTable>>, VectorError> {
        let mut guard = self.slot(space).write_owned().await;
        if !guard
            .as_ref()
            .is_some_and(|table| table.has_dimensions(space))
        {
            self.fill(&mut guard, space).await?;
        }
        Ok(guard)
    }

    fn slot(&self, space: &Space) -> Arc<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(slots.entry(table_name(&space.model)).or_default())
    }

    fn report(&self, space: &Space, condition: &Condition) {
        let words = match condition {
            Condition::Sound | Condition::New => return,
            Condition::SteppedBack { reason } => {
                format!("the latest vectors of {} were lost: {reason}", space.model)
            }
            Condition::Rebuilt { reason } => {
                format!("the vectors of {} were lost: {reason}", space.model)
            }
        };
        tracing::warn!("{words}");
        self.note(space, vec![words]);
    }

    fn note(&self, space: &Space, words: Vec<String>) {
        self.troubles
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(table_name(&space.model), words);
    }
}

/// Writes the vectors that are not stored yet, each hash once. Returns how many.
async fn add(slot: &mut Option<SpaceTable>, vectors: &[ChunkVector]) -> Result<usize, VectorError> {
    let table = slot.as_mut().ok_or_else(closed)?;
    let mut seen = HashSet::new();
    let is_new =
        |vector: &&ChunkVector| !table.known().contains(&vector.hash) && seen.insert(vector.hash);
    let fresh: Vec<_> = vectors.iter().filter(is_new).collect();
    if !fresh.is_empty() {
        table.add(&fresh).await?;
    }
    Ok(fresh.len())
}

fn closed() -> VectorError {
    VectorError::other("the table was closed meanwhile")
}
