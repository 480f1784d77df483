//! The ledger: which files each root has, what is known of each content, and which batch is under way.
//!
//! One redb file, synced at every commit: the truth that the other stores are measured against. Facts are kept by the
//! content that they describe and shared by all roots; they outlive the last file that has that content for a while,
//! because a branch that was left is often come back to.

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
use self::record::{FactsKey, FileRecord, FileState, Having, RootState, StoredFacts};
use super::INDEX_FORMAT;
use super::failure::StoreError;
use crate::clock;
use crate::extract::facts::{Occurrences, Outline};

const META: TableDefinition<&str, u64> = TableDefinition::new("meta");
const FORMAT: &str = "format";
const ROOTS: TableDefinition<u64, &[u8]> = TableDefinition::new("roots");
const FILES: TableDefinition<(u64, &str), &[u8]> = TableDefinition::new("files");
/// Paths of a batch that has been begun and not finished.
const INTENTS: TableDefinition<(u64, &str), ()> = TableDefinition::new("intents");
const OUTLINES: Pieces = TableDefinition::new("outlines");
const OCCURRENCES: Pieces = TableDefinition::new("occurrences");
/// When the facts were stored, in seconds since 1970, and how many bytes they take.
const BORN: TableDefinition<&[u8; 16], (u64, u64)> = TableDefinition::new("born");

pub struct Ledger {
    /// None after a failure: opened again when it is next needed.
    database: RwLock<Option<Database>>,
    file: PathBuf,
    /// How often the file has been made, as far as this process knows.
    beginnings: AtomicU64,
    /// The facts of batches that have been begun and not finished, by root.
    under_way: Mutex<HashMap<u64, HashSet<[u8; 16]>>>,
}

/// A root as it was left.
#[derive(Debug, Default)]
pub struct LoadedRoot {
    pub state: RootState,
    /// Sorted by path. Records that are damaged are not among them.
    pub files: Vec<(String, FileRecord)>,
    /// Paths of a batch that was not finished.
    pub unfinished: Vec<String>,
}

/// What a batch does to a root.
#[derive(Debug, Default)]
pub struct Batch {
    pub facts: Vec<(FactsKey, StoredFacts)>,
    pub put: Vec<(String, FileRecord)>,
    pub removed: Vec<String>,
}

impl Batch {
    /// What it is about.
    pub fn paths(&self) -> impl Iterator<Item = &String> {
        self.put.iter().map(|(path, _)| path).chain(&self.removed)
    }
}

impl Ledger {
    /// Opens the ledger, anew if it is of another format or damaged. Says why, if so.
    pub fn open(data: &Path) -> Result<(Self, Option<String>), StoreError> {
        let file = data.join("index.redb");
        let (database, under_way) = (RwLock::new(None), Mutex::default());
        let ledger = Self {
            database,
            file,
            beginnings: AtomicU64::new(0),
            under_way,
        };
        let rebuilt = match ledger.reopen() {
            Ok(()) => None,
            Err(StoreError::Damaged(why)) => {
                ledger.start_anew(&why)?;
                Some(why)
            }
            Err(error) => return Err(error),
        };
        Ok((ledger, rebuilt))
    }

    /// Forgets everything, after damage. Roots index themselves anew.
    pub fn start_anew(&self, why: &str) -> Result<(), StoreError> {
        tracing::warn!(
            why,
            "the index is damaged or of another format: it is made anew"
        );
        shut(self.slot().take());
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::from_io(&error));
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
                    record::unseal(&root.to_le_bytes(), state.value()).unwrap_or_default();
            }
            for entry in transaction.open_table(FILES)?.range(of(root))? {
                let (key, value) = entry?;
                let path = key.value().1;
                if let Some(record) = record::unseal(path.as_bytes(), value.value()) {
                    loaded.files.push((path.to_owned(), record));
                }
            }
            for entry in transaction.open_table(INTENTS)?.range(of(root))? {
                loaded.unfinished.push(entry?.0.value().1.to_owned());
            }
            Ok(loaded)
        })
    }

    /// What is known of a root as a whole; none if it has never been indexed.
    pub fn state(&self, root: u64) -> Result<Option<RootState>, StoreError> {
        self.read(|transaction| {
            let stored = transaction.open_table(ROOTS)?.get(root)?;
            Ok(stored.and_then(|state| record::unseal(&root.to_le_bytes(), state.value())))
        })
    }

    /// The outlines under these keys, in their order; none where any of the facts is missing or damaged.
    pub fn outlines(&self, keys: &[FactsKey]) -> Result<Vec<Option<Outline>>, StoreError> {
        self.read(|transaction| {
            let (outlines, occurrences) = (
                transaction.open_table(OUTLINES)?,
                transaction.open_table(OCCURRENCES)?,
            );
            let is_whole = |key: &FactsKey| {
                let stored = pieces::get(&occurrences, &key.0)?;
                Ok::<_, redb::Error>(
                    stored.is_some_and(|value| record::unsealed(&key.0, &value).is_some()),
                )
            };
            keys.iter()
                .map(|key| {
                    let stored = if is_whole(key)? {
                        pieces::get(&outlines, &key.0)?
                    } else {
                        None
                    };
                    Ok(stored.and_then(|value| record::outline(record::unsealed(&key.0, &value)?)))
                })
                .collect()
        })
    }

    pub fn occurrences(&self, key: FactsKey) -> Result<Occurrences, StoreError> {
        self.read_occurrences(key, record::occurrences)
    }

    /// None where none of these names is among them.
    pub fn occurrences_with(
        &self,
        key: FactsKey,
        names: &[&str],
    ) -> Result<Option<Occurrences>, StoreError> {
        let having = self.read_occurrences(key, |bytes| record::occurrences_with(bytes, names))?;
        Ok(match having {
            Having::It(occurrences) => Some(*occurrences),
            Having::NoneOfIt => None,
        })
    }

    fn read_occurrences<T>(
        &self,
        key: FactsKey,
        unpack: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<T, StoreError> {
        let found = self.read(|transaction| {
            let stored = pieces::get(&transaction.open_table(OCCURRENCES)?, &key.0)?;
            Ok(stored.and_then(|value| unpack(record::unsealed(&key.0, &value)?)))
        })?;
        found.ok_or_else(|| StoreError::damaged("the facts of a file are missing"))
    }

    /// Stores the facts of a batch and notes which paths it is about. What follows may be done again. No sweep takes facts
    /// of a batch that is not finished.
    pub fn begin(&self, root: u64, batch: &Batch) -> Result<(), StoreError> {
        let now = u64::try_from(clock::now() / 1000).unwrap_or_default();
        let keys = || {
            batch
                .put
                .iter()
                .filter_map(|(_, file)| file.facts_key())
                .map(|key| key.0)
        };
        self.under_way().insert(root, keys().collect());
        self.write(|transaction| {
            let mut intents = transaction.open_table(INTENTS)?;
            for path in batch.paths() {
                intents.insert((root, path.as_str()), ())?;
            }
            let mut outlines = transaction.open_table(OUTLINES)?;
            let mut occurrences = transaction.open_table(OCCURRENCES)?;
            let mut born = transaction.open_table(BORN)?;
            // What lies together is written together: keys come in any order.
            let mut in_order: Vec<_> = batch.facts.iter().collect();
            in_order.sort_unstable_by_key(|(key, _)| key.0);
            for (key, facts) in in_order {
                pieces::insert(
                    &mut outlines,
                    &key.0,
                    &record::sealed(&key.0, &facts.outline),
                )?;
                pieces::insert(
                    &mut occurrences,
                    &key.0,
                    &record::sealed(&key.0, &facts.occurrences),
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
                StoreError::Other("facts were forgotten while a batch was made of them".to_owned())
            };
            are_there.then_some(()).ok_or_else(gone)
        })
    }

    /// The batch is in every other store: its files are what the root has now.
    pub fn finish(&self, root: u64, batch: &Batch, state: &RootState) -> Result<(), StoreError> {
        let finished = self.write(|transaction| {
            let mut files = transaction.open_table(FILES)?;
            for (path, file) in &batch.put {
                files.insert(
                    (root, path.as_str()),
                    record::seal(path.as_bytes(), file).as_slice(),
                )?;
            }
            for path in &batch.removed {
                files.remove((root, path.as_str()))?;
            }
            // Those of a batch that was cut off earlier stay, until they too are done.
            let mut intents = transaction.open_table(INTENTS)?;
            for path in batch.paths() {
                intents.remove((root, path.as_str()))?;
            }
            let state = record::seal(&root.to_le_bytes(), state);
            transaction
                .open_table(ROOTS)?
                .insert(root, state.as_slice())?;
            Ok(())
        });
        self.under_way().remove(&root);
        finished
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<u64, HashSet<[u8; 16]>>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub fn forget(&self, root: u64) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction
                .open_table(FILES)?
                .retain_in(of(root), |_, _| false)?;
            transaction
                .open_table(INTENTS)?
                .retain_in(of(root), |_, ()| false)?;
            transaction.open_table(ROOTS)?.remove(root)?;
            Ok(())
        })
    }

    /// The keys that files of any root have.
    fn live(transaction: &WriteTransaction) -> Result<HashSet<[u8; 16]>, redb::Error> {
        let files = transaction.open_table(FILES)?;
        let mut live = HashSet::new();
        for entry in files.iter()? {
            let (key, value) = entry?;
            let record: Option<FileRecord> =
                record::unseal(key.value().1.as_bytes(), value.value());
            if let Some(FileState::Indexed(key)) = record.map(|record| record.state) {
                live.insert(key.0);
            }
        }
        Ok(live)
    }

    /// Another number means that the ledger has been made anew, and holds nothing of what was put there before.
    pub fn beginnings(&self) -> Result<u64, StoreError> {
        self.ensure_open()?;
        Ok(self.beginnings.load(Ordering::Acquire))
    }

    /// Closes the file in good order, until it is next needed: one that is cut off has to be checked page by page when it
    /// is opened, and one that is open keeps pages in memory.
    pub fn close(&self) {
        shut(self.slot().take());
    }

    pub fn bytes_on_disk(&self) -> u64 {
        fs::metadata(&self.file).map_or(0, |file| file.len())
    }

    fn read<T>(
        &self,
        look: impl Fn(&ReadTransaction) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        self.ensure_open()?;
        let slot = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let database = slot
            .as_ref()
            .ok_or_else(|| StoreError::Other("the index is closed".to_owned()))?;
        guarded(|| look(&database.begin_read()?))
    }

    /// One transaction, synced. After a failure the database is opened anew at its next use.
    fn write<T>(
        &self,
        change: impl Fn(&WriteTransaction) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        self.ensure_open()?;
        let written = {
            let slot = self.database.read().unwrap_or_else(PoisonError::into_inner);
            let database = slot
                .as_ref()
                .ok_or_else(|| StoreError::Other("the index is closed".to_owned()))?;
            guarded(|| {
                let transaction = database.begin_write()?;
                let result = change(&transaction)?;
                transaction.commit()?;
                Ok(result)
            })
        };
        if written.is_err() {
            shut(self.slot().take());
        }
        written
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
        // Closed first: a database is open once.
        shut(slot.take());
        let is_new = !self.file.exists();
        *slot = Some(guarded(|| create(&self.file))?);
        if is_new {
            self.beginnings.fetch_add(1, Ordering::AcqRel);
        }
        Ok(())
    }

    fn slot(&self) -> std::sync::RwLockWriteGuard<'_, Option<Database>> {
        self.database
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Everything under a root's number.
fn of(root: u64) -> std::ops::Range<(u64, &'static str)> {
    (root, "")..(root + 1, "")
}

impl Drop for Ledger {
    fn drop(&mut self) {
        shut(self.slot().take());
    }
}

/// Some damage shows only when the engine puts its books in order at the end. Nothing is lost by it then: a file that was
/// not closed is looked through when it is next opened.
fn shut(database: Option<Database>) {
    let closed = guarded(|| {
        drop(database);
        Ok(())
    });
    if let Err(error) = closed {
        tracing::warn!(%error, "the ledger was not closed");
    }
}

/// Some damage shows as a panic of the engine.
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

/// Whether it is of this format.
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
        // Out of reach is not damaged.
        TableError::Storage(error) => error.into(),
        TableError::TableDoesNotExist(table) => redb::Error::TableDoesNotExist(table),
        other => redb::Error::Corrupted(other.to_string()),
    }
}

#[cfg(test)]
mod tests;
