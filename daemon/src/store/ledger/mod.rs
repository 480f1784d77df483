//! The ledger: the files of each root, the facts of each content, and the intents of unfinished batches.
//!
//! One redb file, synced at every commit: the truth that the other stores are checked against. Facts are stored by content and
//! shared by all roots. They outlive the last file of their content for a while, because people often return to a branch.

mod pieces;
pub mod record;
mod sweep;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use redb::{
    Database, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, TableError,
    WriteTransaction,
};

use self::pieces::Pieces;
use self::record::{FactsKey, FileRecord, FileState, RootState, StoredFacts};
use super::INDEX_FORMAT;
use super::error::StoreError;
use crate::clock;
use crate::extract::facts::{Occurrences, Outline};

/// Attempts to use the database, which another thread may close just after it was opened.
const OPEN_ATTEMPTS: usize = 3;
const META: TableDefinition<&str, u64> = TableDefinition::new("meta");
const FORMAT: &str = "format";
const ROOTS: TableDefinition<u64, &[u8]> = TableDefinition::new("roots");
const FILES: TableDefinition<(u64, &str), &[u8]> = TableDefinition::new("files");
/// Paths of a batch that has been begun and not finished.
const INTENTS: TableDefinition<(u64, &str), ()> = TableDefinition::new("intents");
const OUTLINES: Pieces = TableDefinition::new("outlines");
const OCCURRENCES: Pieces = TableDefinition::new("occurrences");
/// The time at which facts were stored, in seconds since 1970, and their size in bytes.
const BORN: TableDefinition<&[u8; 16], (u64, u64)> = TableDefinition::new("born");

pub struct Ledger {
    /// None after a failure. The database is then opened again when it is next needed.
    database: RwLock<Option<Database>>,
    file: PathBuf,
    /// The number of times that this process created the file.
    creations: AtomicU64,
    /// The facts of unfinished batches, by root.
    unfinished_facts: Mutex<HashMap<u64, HashSet<[u8; 16]>>>,
}

/// A root as it was stored.
#[derive(Debug, Default)]
pub struct LoadedRoot {
    pub state: RootState,
    /// Sorted by path, without damaged records.
    pub files: Vec<(String, FileRecord)>,
    /// Paths of a batch that was not finished.
    pub unfinished: Vec<String>,
}

/// The changes of one commit.
#[derive(Debug, Default)]
pub struct Batch {
    pub facts: Vec<(FactsKey, StoredFacts)>,
    pub put: Vec<(String, FileRecord)>,
    pub removed: Vec<String>,
}

impl Batch {
    /// Returns the paths that it changes.
    pub fn paths(&self) -> impl Iterator<Item = &String> {
        self.put.iter().map(|(path, _)| path).chain(&self.removed)
    }
}

impl Ledger {
    /// Opens the ledger. Recreates it if it is damaged or of another format, and returns the reason.
    pub fn open(data: &Path) -> Result<(Self, Option<String>), StoreError> {
        let file = data.join("index.redb");
        let (database, unfinished_facts) = (RwLock::new(None), Mutex::default());
        let ledger = Self {
            database,
            file,
            creations: AtomicU64::new(0),
            unfinished_facts,
        };
        let rebuilt = match ledger.reopen() {
            Ok(()) => None,
            Err(StoreError::Damaged(why)) => {
                ledger.recreate(&why)?;
                Some(why)
            }
            Err(error) => return Err(error),
        };
        Ok((ledger, rebuilt))
    }

    /// Deletes the ledger and creates an empty one. Roots are indexed again.
    pub fn recreate(&self, why: &str) -> Result<(), StoreError> {
        tracing::warn!(why, "the index is damaged or in another format; rebuilding");
        shut(self.slot().take());
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error.into());
            }
            _ => {}
        }
        self.reopen()
    }

    pub fn load(&self, root: u64) -> Result<LoadedRoot, StoreError> {
        self.read(|transaction| {
            let mut loaded = LoadedRoot::default();
            if let Some(state) = transaction.open_table(ROOTS)?.get(root)? {
                loaded.state =
                    record::decode(&root.to_le_bytes(), state.value()).unwrap_or_default();
            }
            for entry in transaction.open_table(FILES)?.range(root_keys(root))? {
                let (key, value) = entry?;
                let path = key.value().1;
                if let Some(record) = record::decode(path.as_bytes(), value.value()) {
                    loaded.files.push((path.to_owned(), record));
                }
            }
            for entry in transaction.open_table(INTENTS)?.range(root_keys(root))? {
                loaded.unfinished.push(entry?.0.value().1.to_owned());
            }
            Ok(loaded)
        })
    }

    /// Returns the state of a root. None if it has never been indexed.
    pub fn state(&self, root: u64) -> Result<Option<RootState>, StoreError> {
        self.read(|transaction| {
            let stored = transaction.open_table(ROOTS)?.get(root)?;
            Ok(stored.and_then(|state| record::decode(&root.to_le_bytes(), state.value())))
        })
    }

    /// Returns the outlines under these keys, in their order; none where facts are missing or damaged.
    pub fn outlines(&self, keys: &[FactsKey]) -> Result<Vec<Option<Outline>>, StoreError> {
        self.read(|transaction| {
            let (outlines, occurrences) = (
                transaction.open_table(OUTLINES)?,
                transaction.open_table(OCCURRENCES)?,
            );
            let is_whole = |key: &FactsKey| {
                let stored = pieces::get(&occurrences, &key.0)?;
                Ok::<_, redb::Error>(
                    stored.is_some_and(|value| record::verify_checksum(&key.0, &value).is_some()),
                )
            };
            keys.iter()
                .map(|key| {
                    let stored = if is_whole(key)? {
                        pieces::get(&outlines, &key.0)?
                    } else {
                        None
                    };
                    Ok(stored.and_then(|value| {
                        record::outline(record::verify_checksum(&key.0, &value)?)
                    }))
                })
                .collect()
        })
    }

    pub fn occurrences(&self, key: FactsKey) -> Result<Occurrences, StoreError> {
        self.read_occurrences(key, record::occurrences)
    }

    /// Returns the occurrences under a key. None if they contain none of these names.
    pub fn occurrences_with(
        &self,
        key: FactsKey,
        names: &[&str],
    ) -> Result<Option<Occurrences>, StoreError> {
        self.read_occurrences(key, |bytes| record::occurrences_with(bytes, names))
    }

    fn read_occurrences<T>(
        &self,
        key: FactsKey,
        unpack: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<T, StoreError> {
        let found = self.read(|transaction| {
            let stored = pieces::get(&transaction.open_table(OCCURRENCES)?, &key.0)?;
            Ok(stored.and_then(|value| unpack(record::verify_checksum(&key.0, &value)?)))
        })?;
        found.ok_or_else(|| StoreError::damaged("the facts of a file are missing"))
    }

    /// Stores the facts of a batch, and its paths as an intent. A sweep keeps the facts of unfinished batches.
    pub fn begin(&self, root: u64, batch: &Batch) -> Result<(), StoreError> {
        let now = u64::try_from(clock::now() / 1000).unwrap_or_default();
        let keys = || {
            batch
                .put
                .iter()
                .filter_map(|(_, file)| file.facts_key())
                .map(|key| key.0)
        };
        self.unfinished_facts().insert(root, keys().collect());
        self.write(|transaction| {
            let mut intents = transaction.open_table(INTENTS)?;
            for path in batch.paths() {
                intents.insert((root, path.as_str()), ())?;
            }
            let mut outlines = transaction.open_table(OUTLINES)?;
            let mut occurrences = transaction.open_table(OCCURRENCES)?;
            let mut born = transaction.open_table(BORN)?;
            // Sorted, so that neighbouring keys are written together.
            let mut in_order: Vec<_> = batch.facts.iter().collect();
            in_order.sort_unstable_by_key(|(key, _)| key.0);
            for (key, facts) in in_order {
                pieces::insert(
                    &mut outlines,
                    &key.0,
                    &record::add_checksum(&key.0, &facts.outline),
                )?;
                pieces::insert(
                    &mut occurrences,
                    &key.0,
                    &record::add_checksum(&key.0, &facts.occurrences),
                )?;
                born.insert(
                    &key.0,
                    (now, (facts.outline.len() + facts.occurrences.len()) as u64),
                )?;
            }
            for key in keys() {
                if born.get(&key)?.is_none() {
                    return Ok(false);
                }
            }
            Ok(true)
        })
        .and_then(|are_there| {
            let gone = || {
                StoreError::Other("facts were removed while a batch was made of them".to_owned())
            };
            are_there.then_some(()).ok_or_else(gone)
        })
    }

    /// Stores the files of a batch that every other store has, and clears its intent.
    pub fn finish(&self, root: u64, batch: &Batch, state: &RootState) -> Result<(), StoreError> {
        let finished = self.write(|transaction| {
            let mut files = transaction.open_table(FILES)?;
            for (path, file) in &batch.put {
                files.insert(
                    (root, path.as_str()),
                    record::encode(path.as_bytes(), file).as_slice(),
                )?;
            }
            for path in &batch.removed {
                files.remove((root, path.as_str()))?;
            }
            // Intents of a batch that was cut off earlier stay until their paths are committed.
            let mut intents = transaction.open_table(INTENTS)?;
            for path in batch.paths() {
                intents.remove((root, path.as_str()))?;
            }
            let state = record::encode(&root.to_le_bytes(), state);
            transaction
                .open_table(ROOTS)?
                .insert(root, state.as_slice())?;
            Ok(())
        });
        self.unfinished_facts().remove(&root);
        finished
    }

    /// Records the time since which the folder of a root is unavailable, unless one is recorded already. The rest of the state
    /// is kept, because an indexer may be writing it.
    pub fn note_unavailable(&self, root: u64, since: i64) -> Result<(), StoreError> {
        let key = root.to_le_bytes();
        self.write(|transaction| {
            let mut roots = transaction.open_table(ROOTS)?;
            let state = roots
                .get(root)?
                .and_then(|stored| record::decode::<RootState>(&key, stored.value()));
            if let Some(state) = state.filter(|state| state.unavailable_since.is_none()) {
                let state = RootState {
                    unavailable_since: Some(since),
                    ..state
                };
                roots.insert(root, record::encode(&key, &state).as_slice())?;
            }
            Ok(())
        })
    }

    fn unfinished_facts(&self) -> MutexGuard<'_, HashMap<u64, HashSet<[u8; 16]>>> {
        self.unfinished_facts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub fn forget(&self, root: u64) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction
                .open_table(FILES)?
                .retain_in(root_keys(root), |_, _| false)?;
            transaction
                .open_table(INTENTS)?
                .retain_in(root_keys(root), |_, ()| false)?;
            transaction.open_table(ROOTS)?.remove(root)?;
            Ok(())
        })
    }

    /// Returns the keys of the facts that files of any root use.
    fn live(transaction: &WriteTransaction) -> Result<HashSet<[u8; 16]>, redb::Error> {
        let files = transaction.open_table(FILES)?;
        let mut live = HashSet::new();
        for entry in files.iter()? {
            let (key, value) = entry?;
            let record: Option<FileRecord> =
                record::decode(key.value().1.as_bytes(), value.value());
            if let Some(FileState::Indexed(key)) = record.map(|record| record.state) {
                live.insert(key.0);
            }
        }
        Ok(live)
    }

    /// Returns the number of times that the ledger was created. If the number has changed, the ledger has lost its content. A
    /// closed ledger stays closed, unless its file is gone.
    pub fn creations(&self) -> Result<u64, StoreError> {
        if !self.file.exists() {
            self.ensure_open()?;
        }
        Ok(self.creations.load(Ordering::Acquire))
    }

    /// Closes the file until its next use, which frees its cache. A file that was not closed has to be checked page by page
    /// when it is opened.
    pub fn close(&self) {
        shut(self.slot().take());
    }

    pub fn bytes_on_disk(&self) -> u64 {
        fs::metadata(&self.file).map_or(0, |file| file.len())
    }

    fn read<T>(
        &self,
        read: impl Fn(&ReadTransaction) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        self.with_database(|database| guarded(|| read(&database.begin_read()?)))
    }

    /// Runs one transaction and syncs it. After a failure the database is opened again at its next use.
    fn write<T>(
        &self,
        change: impl Fn(&WriteTransaction) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        let written = self.with_database(|database| {
            guarded(|| {
                let transaction = database.begin_write()?;
                let result = change(&transaction)?;
                transaction.commit()?;
                Ok(result)
            })
        });
        if written.is_err() {
            shut(self.slot().take());
        }
        written
    }

    /// Opens the database if need be, and uses it.
    fn with_database<T>(
        &self,
        mut work: impl FnMut(&Database) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        for _ in 0..OPEN_ATTEMPTS {
            self.ensure_open()?;
            let slot = self.database.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(database) = &*slot {
                return work(database);
            }
        }
        Err(StoreError::Other("the index is closed".to_owned()))
    }

    fn ensure_open(&self) -> Result<(), StoreError> {
        if self
            .database
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some()
            && self.file.exists()
        {
            return Ok(());
        }
        self.reopen()
    }

    fn reopen(&self) -> Result<(), StoreError> {
        let mut slot = self.slot();
        // Closed first, because a database can be open only once.
        shut(slot.take());
        let is_new = !self.file.exists();
        *slot = Some(guarded(|| create(&self.file))?);
        if is_new {
            self.creations.fetch_add(1, Ordering::AcqRel);
        }
        Ok(())
    }

    fn slot(&self) -> std::sync::RwLockWriteGuard<'_, Option<Database>> {
        self.database
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the range of all keys of a root.
fn root_keys(root: u64) -> std::ops::Range<(u64, &'static str)> {
    (root, "")..(root + 1, "")
}

impl Drop for Ledger {
    fn drop(&mut self) {
        shut(self.slot().take());
    }
}

/// Closes a database. redb panics on some damage only when it is closed; nothing is lost then, because a file that was not
/// closed is checked when it is next opened.
fn shut(database: Option<Database>) {
    let closed = guarded(|| {
        drop(database);
        Ok(())
    });
    if let Err(error) = closed {
        tracing::warn!(%error, "the ledger was not closed");
    }
}

/// Turns a panic into an error: redb panics on some damage.
fn guarded<T>(work: impl FnOnce() -> Result<T, redb::Error>) -> Result<T, StoreError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(StoreError::from),
        Err(_) => Err(StoreError::damaged("its pages contradict each other")),
    }
}

fn create(file: &Path) -> Result<Database, redb::Error> {
    let database = Database::builder().set_cache_size(16 << 20).create(file)?;
    match check(&database.begin_read()?) {
        Err(redb::Error::TableDoesNotExist(_)) => {}
        checked => return checked.map(|()| database),
    }
    let transaction = database.begin_write()?;
    transaction
        .open_table(META)?
        .insert(FORMAT, u64::from(INDEX_FORMAT))?;
    transaction.open_table(ROOTS)?;
    transaction.open_table(FILES)?;
    transaction.open_table(INTENTS)?;
    transaction.open_table(OUTLINES)?;
    transaction.open_table(OCCURRENCES)?;
    transaction.open_table(BORN)?;
    transaction.commit()?;
    Ok(database)
}

/// Checks the format and the tables.
fn check(transaction: &ReadTransaction) -> Result<(), redb::Error> {
    let format = transaction
        .open_table(META)
        .map_err(mismatch)?
        .get(FORMAT)?
        .map(|format| format.value());
    if format != Some(u64::from(INDEX_FORMAT)) {
        let format = format.unwrap_or_default();
        return Err(redb::Error::Corrupted(format!(
            "it is of format {format}, not {INDEX_FORMAT}"
        )));
    }
    transaction.open_table(ROOTS).map_err(mismatch)?;
    transaction.open_table(FILES).map_err(mismatch)?;
    transaction.open_table(INTENTS).map_err(mismatch)?;
    transaction.open_table(OUTLINES).map_err(mismatch)?;
    transaction.open_table(OCCURRENCES).map_err(mismatch)?;
    transaction.open_table(BORN).map_err(mismatch)?;
    Ok(())
}

fn mismatch(error: TableError) -> redb::Error {
    match error {
        // An error of access is not damage.
        TableError::Storage(error) => error.into(),
        TableError::TableDoesNotExist(table) => redb::Error::TableDoesNotExist(table),
        other => redb::Error::Corrupted(other.to_string()),
    }
}

#[cfg(test)]
mod tests;
