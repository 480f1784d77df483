//! One shared table: its keys and their positions, and how its rows are read and added.
//!
//! The keys of all files are read once and kept, 16 bytes each; a refresh reads only those of new files. Vectors are read by
//! their position, file by file, so a reader pays for what it needs and not for the table. A file that cannot be read costs
//! its own vectors alone.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant, SystemTime};

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::SchemaRef;
use claudevil_child::vectors::{ChunkHash, ChunkVector, Space};
use claudevil_protocol::sharing::TableState;
use futures::{StreamExt, TryStreamExt, stream};
use lancedb::Table;

use super::FetchOutcome;
use super::error::{SharedError, SharedErrorKind, guarded};
use super::keys::SpaceKeys;
use crate::store::rows::{HASH, Rows};

/// The time for which a list of keys is used before it is refreshed, unless it is empty.
const REFRESH: Duration = Duration::from_secs(30);
/// Files that are read at once.
const FILES_AT_ONCE: usize = 8;
/// Vectors of one file that are read at once.
const ROWS_AT_ONCE: usize = 16_384;
/// The column of row ids.
const ROW_ID: &str = "_rowid";
/// Stands for the file of rows that were written since the last refresh. No file has this number.
const UNKNOWN_FILE: u64 = u64::MAX;

/// The place of a row.
#[derive(Clone, Copy)]
struct RowPlace {
    file: u64,
    id: u64,
}

pub(super) struct SharedTable {
    pub table: Table,
    pub keys: SpaceKeys,
    rows: Rows,
    known: HashMap<ChunkHash, RowPlace>,
    /// The files whose keys are known, each with the number of its deleted rows at that time.
    files: HashMap<u64, Option<usize>>,
    unreadable: HashSet<u64>,
    version: u64,
    refreshed: Option<Instant>,
}

impl SharedTable {
    pub fn schema(space: &Space, keys: &SpaceKeys) -> Result<SchemaRef, SharedError> {
        Ok(Rows::shared(space, keys.rows)?.schema())
    }

    pub async fn new(table: Table, space: &Space, keys: SpaceKeys) -> Result<Self, SharedError> {
        let rows = Rows::shared(space, keys.rows)?;
        rows.fit(&*guarded(table.schema()).await?)?;
        Ok(Self {
            table,
            keys,
            rows,
            known: HashMap::new(),
            files: HashMap::new(),
            unreadable: HashSet::new(),
            version: 0,
            refreshed: None,
        })
    }

    pub fn state(&self) -> TableState {
        TableState {
            vectors: self.known.len() as u64,
            files: self.files.len() as u64,
            version: self.version,
            unreadable_files: self.unreadable.len() as u64,
        }
    }

    pub async fn fetch(&mut self, chunks: &[ChunkHash]) -> Result<FetchOutcome, SharedError> {
        let wanted: HashMap<ChunkHash, ChunkHash> = chunks
            .iter()
            .map(|chunk| (self.keys.key(chunk), *chunk))
            .collect();
        let place = |key| self.known.get(key).map(|place| place.file);
        if wanted.keys().any(|key| place(key) == Some(UNKNOWN_FILE)) {
            self.refresh().await?;
        } else if wanted.keys().any(|key| place(key).is_none()) {
            self.refresh_if_due().await?;
        }
        let mut by_file: HashMap<u64, Vec<u64>> = HashMap::new();
        for place in wanted.keys().filter_map(|key| self.known.get(key)) {
            by_file.entry(place.file).or_default().push(place.id);
        }
        let dataset = self.table.dataset().ok_or_else(not_native)?;
        let dataset = guarded(dataset.get()).await?;
        let schema = dataset.schema().clone();
        let parts: Vec<(u64, Vec<u64>)> = by_file
            .into_iter()
            .flat_map(|(file, mut ids)| {
                ids.sort_unstable();
                let parts: Vec<_> = ids.chunks(ROWS_AT_ONCE).map(<[u64]>::to_vec).collect();
                parts.into_iter().map(move |ids| (file, ids))
            })
            .collect();
        let mut batches = stream::iter(parts)
            .map(|(file, ids)| {
                let (dataset, schema) = (dataset.clone(), schema.clone());
                async move {
                    let taken = guarded(async { Ok(dataset.take_rows(&ids, schema).await?) });
                    (file, taken.await)
                }
            })
            .buffer_unordered(FILES_AT_ONCE);
        let (mut outcome, mut lost) = (FetchOutcome::default(), vec![]);
        while let Some((file, taken)) = batches.next().await {
            let decoded = match taken {
                Ok(batch) => self.rows.decode(&batch).map_err(SharedError::from),
                Err(error) => Err(error),
            };
            match decoded {
                Ok(decoded) => {
                    outcome.refused += decoded.damaged.len();
                    for row in decoded.sound {
                        // Rows are read by their position, so a row with a key that is not wanted is not used.
                        if let Some(chunk) = wanted.get(&row.hash) {
                            let vector = ChunkVector::from_codes(*chunk, row.codes);
                            outcome.vectors.push(vector);
                        }
                    }
                    lost.extend(decoded.damaged);
                }
                Err(error) if error.kind == SharedErrorKind::Damaged => {
                    tracing::warn!(%error, file, "a file of shared vectors cannot be read");
                    self.unreadable.insert(file);
                }
                Err(error) => return Err(error),
            }
        }
        drop(batches);
        // The keys are forgotten, so that whoever makes such a vector again may share it.
        for key in lost {
            self.known.remove(&key);
        }
        let unreadable = &self.unreadable;
        self.known
            .retain(|_, place| !unreadable.contains(&place.file));
        Ok(outcome)
    }

    /// Returns which of these chunks are known to be there, in the order of the table.
    pub fn locate(&self, chunks: &[ChunkHash]) -> Vec<ChunkHash> {
        let places = chunks.iter().filter_map(|chunk| {
            let place = self.known.get(&self.keys.key(chunk))?;
            Some(((place.file, place.id), *chunk))
        });
        let mut places: Vec<_> = places.collect();
        places.sort_unstable();
        places.into_iter().map(|(_, chunk)| chunk).collect()
    }

    /// Adds the vectors whose keys are unknown. Returns how many.
    pub async fn append(&mut self, vectors: &[ChunkVector]) -> Result<usize, SharedError> {
        self.refresh_if_due().await?;
        let mut seen = HashSet::new();
        let fresh: Vec<ChunkVector> = vectors
            .iter()
            .map(|vector| ChunkVector {
                hash: self.keys.key(&vector.hash),
                ..vector.clone()
            })
            .filter(|vector| !self.known.contains_key(&vector.hash) && seen.insert(vector.hash))
            .collect();
        if fresh.is_empty() {
            return Ok(0);
        }
        let batch = self
            .rows
            .encode(&fresh.iter().collect::<Vec<_>>(), today())?;
        if let Err(error) = guarded(self.table.add(batch).execute()).await {
            // The rows may have been written all the same.
            self.refreshed = None;
            return Err(error);
        }
        let place = RowPlace {
            file: UNKNOWN_FILE,
            id: 0,
        };
        self.known.extend(seen.into_iter().map(|key| (key, place)));
        Ok(fresh.len())
    }

    /// Returns whether the vector of a chunk is known to be there.
    pub fn has(&self, chunk: &ChunkHash) -> bool {
        self.known.contains_key(&self.keys.key(chunk))
    }

    pub async fn refresh_if_due(&mut self) -> Result<(), SharedError> {
        let is_due = self.known.is_empty()
            || self
                .refreshed
                .is_none_or(|refreshed| refreshed.elapsed() > REFRESH);
        if is_due { self.refresh().await } else { Ok(()) }
    }

    /// Goes to the latest version, and reads the keys of files that are new.
    pub async fn refresh(&mut self) -> Result<(), SharedError> {
        guarded(self.table.checkout_latest()).await?;
        let dataset = self.table.dataset().ok_or_else(not_native)?;
        let dataset = guarded(dataset.get()).await?;
        let current: HashMap<u64, Option<usize>> = dataset
            .fragments()
            .iter()
            .map(|fragment| {
                let deletions = fragment.deletion_file.as_ref();
                (
                    fragment.id,
                    deletions.and_then(|file| file.num_deleted_rows),
                )
            })
            .collect();
        self.files
            .retain(|file, before| current.get(file) == Some(before));
        let files = &self.files;
        self.known
            .retain(|_, place| files.contains_key(&place.file));
        // Files whose keys could not be read are tried again.
        let files = &self.files;
        self.unreadable.retain(|file| files.contains_key(file));
        let new: Vec<_> = dataset
            .fragments()
            .iter()
            .filter(|fragment| !self.files.contains_key(&fragment.id))
            .filter(|fragment| !self.unreadable.contains(&fragment.id))
            .cloned()
            .collect();
        let mut scans = stream::iter(new)
            .map(|fragment| {
                let dataset = dataset.clone();
                async move {
                    let file = fragment.id;
                    let scan = guarded(async {
                        let mut scanner = dataset.scan();
                        scanner
                            .with_fragments(vec![fragment])
                            .project(&[HASH])?
                            .with_row_id();
                        let batches = scanner.try_into_stream().await?;
                        Ok(batches.try_collect::<Vec<RecordBatch>>().await?)
                    });
                    (file, scan.await)
                }
            })
            .buffered(FILES_AT_ONCE);
        while let Some((file, scan)) = scans.next().await {
            let keys = scan.and_then(|batches| {
                let keys = batches.iter().map(keys_and_ids);
                keys.collect::<Result<Vec<_>, _>>()
            });
            match keys {
                Ok(keys) => {
                    self.files
                        .insert(file, current.get(&file).copied().flatten());
                    let places = keys.into_iter().flatten();
                    self.known
                        .extend(places.map(|(key, id)| (key, RowPlace { file, id })));
                }
                Err(error) if error.kind == SharedErrorKind::Damaged => {
                    tracing::warn!(%error, file, "a file of shared vectors cannot be read");
                    self.unreadable.insert(file);
                }
                Err(error) => return Err(error),
            }
        }
        drop(scans);
        self.version = dataset.manifest().version;
        self.refreshed = Some(Instant::now());
        Ok(())
    }
}

pub(super) fn not_native() -> SharedError {
    SharedError::unusable("the table is not LanceDB's own")
}

/// Returns the keys of a batch with the ids of their rows.
pub(super) fn keys_and_ids(batch: &RecordBatch) -> Result<Vec<(ChunkHash, u64)>, SharedError> {
    let columns = (|| {
        let keys = batch.column_by_name(HASH)?.as_fixed_size_binary_opt()?;
        let ids = batch
            .column_by_name(ROW_ID)?
            .as_primitive_opt::<UInt64Type>()?;
        (keys.value_length() == 16 && ids.null_count() == 0).then_some((keys, ids))
    })();
    let (keys, ids) = columns.ok_or_else(|| SharedError {
        kind: SharedErrorKind::Damaged,
        message: "the table lacks a column".to_owned(),
    })?;
    let key = |row| ChunkHash::try_from(keys.value(row)).unwrap_or_default();
    Ok((0..batch.num_rows())
        .map(|row| (key(row), ids.value(row)))
        .collect())
}

/// Returns the number of the day, since 1970.
pub(super) fn today() -> u32 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let days = since.map_or(0, |since| since.as_secs() / 86_400);
    u32::try_from(days).unwrap_or(u32::MAX)
}
