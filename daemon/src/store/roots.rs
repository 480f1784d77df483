//! The registry of roots, in a transactional store that syncs each change.
//!
//! A damaged registry is renamed rather than deleted, and a new one is created: roots are added again when they are first
//! queried. After a failed write redb refuses everything until the database is opened again, so it is reopened; the records
//! stay in memory meanwhile.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use claudevil_protocol::endpoint::{FileId, file_id};
use claudevil_protocol::{ErrorCode, ToolError};
use redb::{Database, ReadableTable, TableDefinition, WriteTransaction};
use serde::{Deserialize, Serialize};

use super::cost_histogram::CostHistogram;
use crate::clock;

/// Id to record. Records are JSON, so that a field can be added without a new format.
const ROOTS: TableDefinition<u64, &[u8]> = TableDefinition::new("roots");
const COUNTERS: TableDefinition<&str, u64> = TableDefinition::new("counters");
/// Id to savings, as JSON.
const SAVINGS: TableDefinition<u64, &[u8]> = TableDefinition::new("savings");
const LAST_ROOT: &str = "last_root";
/// The precision of a root's time of last use: more would mean a write per query.
const LAST_USED_PRECISION_MILLIS: i64 = 10 * 60 * 1000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootRecord {
    pub id: u64,
    pub name: String,
    /// Absolute, without symlinks.
    pub path: String,
    #[serde(default)]
    pub include: Vec<String>,
    #[serde(default)]
    pub exclude: Vec<String>,
    #[serde(default)]
    pub chunk_size: Option<u32>,
    #[serde(default)]
    pub overlap: Option<u32>,
    pub added: i64,
    pub last_used: i64,
}

/// The tokens of all answers about a root, and of the files that they show parts of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavingsRecord {
    pub calls: u64,
    pub tokens: u64,
    pub whole_tokens: u64,
    pub since: i64,
    /// The tokens of answers, by the name of the tool.
    #[serde(default)]
    pub costs: BTreeMap<String, CostHistogram>,
}

impl RootRecord {
    /// Returns whether both records lead to the same index.
    pub fn is_indexed_like(&self, other: &Self) -> bool {
        let what = |root: &Self| {
            (
                root.path.clone(),
                root.include.clone(),
                root.exclude.clone(),
            )
        };
        what(self) == what(other)
            && (self.chunk_size, self.overlap) == (other.chunk_size, other.overlap)
    }
}

pub struct RootStore {
    /// None after a failure. The database is then opened again when it is next needed.
    database: Mutex<Option<Database>>,
    file: PathBuf,
    /// The id of the file that the database has open.
    opened: Mutex<Option<FileId>>,
    /// Sorted by name.
    cached: RwLock<Vec<RootRecord>>,
    /// Locked from before a record is written until the cache has it too.
    changing: Mutex<()>,
    /// The new path of a registry that was damaged.
    pub damaged_copy: Option<PathBuf>,
}

impl RootStore {
    pub fn open(data: &Path) -> io::Result<Self> {
        let file = data.join("roots.redb");
        let (database, cached, damaged_copy) = match load(&file) {
            Ok((database, cached)) => (database, cached, None),
            Err(error) if !is_damage(&error) => return Err(io::Error::other(error)),
            Err(error) => {
                let aside = data.join(format!("roots.redb.damaged-{}", clock::now()));
                tracing::warn!(%error, aside = %aside.display(), "the registry of roots cannot be opened; put aside");
                fs::rename(&file, &aside)?;
                let (database, cached) = load(&file).map_err(io::Error::other)?;
                (database, cached, Some(aside))
            }
        };
        let opened = Mutex::new(file_id(&file));
        Ok(Self {
            database: Mutex::new(Some(database)),
            file,
            opened,
            cached: RwLock::new(cached),
            changing: Mutex::default(),
            damaged_copy,
        })
    }

    pub fn all(&self) -> Vec<RootRecord> {
        self.read().clone()
    }

    pub fn by_name(&self, name: &str) -> Option<RootRecord> {
        self.read().iter().find(|root| root.name == name).cloned()
    }

    pub fn by_path(&self, path: &Path) -> Option<RootRecord> {
        self.read()
            .iter()
            .find(|root| Path::new(&root.path) == path)
            .cloned()
    }

    /// Returns an id that no root has had before.
    pub fn next_id(&self) -> Result<u64, ToolError> {
        let known = self.read().iter().map(|root| root.id).max().unwrap_or(0);
        self.write(|transaction| {
            let mut counters = transaction.open_table(COUNTERS)?;
            let next = counters
                .get(LAST_ROOT)?
                .map_or(0, |last| last.value())
                .max(known)
                + 1;
            counters.insert(LAST_ROOT, next)?;
            Ok(next)
        })
    }

    pub fn put(&self, root: &RootRecord) -> Result<(), ToolError> {
        let _changing = self.changing();
        self.put_locked(root)
    }

    fn changing(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put_locked(&self, root: &RootRecord) -> Result<(), ToolError> {
        let record = serde_json::to_vec(root)
            .map_err(|error| failed(&redb::Error::Corrupted(error.to_string())))?;
        self.write(|transaction| {
            transaction
                .open_table(ROOTS)?
                .insert(root.id, record.as_slice())?;
            Ok(())
        })?;
        let mut cached = self.cached.write().unwrap_or_else(PoisonError::into_inner);
        cached.retain(|known| known.id != root.id);
        cached.push(root.clone());
        cached.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(())
    }

    pub fn remove(&self, id: u64) -> Result<(), ToolError> {
        let _changing = self.changing();
        self.write(|transaction| {
            transaction.open_table(ROOTS)?.remove(id)?;
            Ok(())
        })?;
        self.cached
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|known| known.id != id);
        Ok(())
    }

    /// Sets the time of last use in the current record of a root, which may have been changed or removed meanwhile.
    pub fn touch(&self, root: &RootRecord, now: i64) -> Result<(), ToolError> {
        if now - root.last_used < LAST_USED_PRECISION_MILLIS {
            return Ok(());
        }
        let _changing = self.changing();
        let known = self
            .read()
            .iter()
            .find(|known| known.id == root.id)
            .cloned();
        known.map_or(Ok(()), |known| {
            self.put_locked(&RootRecord {
                last_used: now,
                ..known
            })
        })
    }

    /// Reads the stored savings. Records that cannot be read are left out.
    pub fn savings(&self) -> BTreeMap<u64, SavingsRecord> {
        let read = self.write(|transaction| {
            let table = transaction.open_table(SAVINGS)?;
            let mut found = BTreeMap::new();
            for entry in table.iter()? {
                let (root, record) = entry?;
                found.extend(
                    serde_json::from_slice(record.value())
                        .ok()
                        .map(|record| (root.value(), record)),
                );
            }
            Ok(found)
        });
        read.unwrap_or_default()
    }

    /// Replaces the stored savings.
    pub fn store_savings(&self, savings: &BTreeMap<u64, SavingsRecord>) -> Result<(), ToolError> {
        self.write(|transaction| {
            let mut table = transaction.open_table(SAVINGS)?;
            table.retain(|root, _| savings.contains_key(&root))?;
            for (root, record) in savings {
                let record = serde_json::to_vec(record)
                    .map_err(|error| redb::Error::Corrupted(error.to_string()))?;
                table.insert(root, record.as_slice())?;
            }
            Ok(())
        })
    }

    /// Checks that the store can be written to.
    pub fn probe(&self) -> Result<usize, ToolError> {
        self.write(|transaction| Ok(transaction.open_table(ROOTS)?.iter()?.count()))
    }

    pub fn bytes_on_disk(&self) -> u64 {
        fs::metadata(&self.file).map_or(0, |file| file.len())
    }

    /// Runs one transaction and syncs it. If it fails, opens the database again and retries once.
    fn write<T>(
        &self,
        change: impl Fn(&WriteTransaction) -> Result<T, redb::Error>,
    ) -> Result<T, ToolError> {
        let mut slot = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let attempt = |database: &Database| -> Result<T, redb::Error> {
            let transaction = database.begin_write()?;
            let result = change(&transaction)?;
            transaction.commit()?;
            Ok(result)
        };
        // Writes to a file that was deleted or replaced would be lost.
        if file_id(&self.file) == *opened
            && let Some(result) = slot.as_ref().and_then(|database| attempt(database).ok())
        {
            return Ok(result);
        }
        // Closed first, because a database can be open only once.
        *slot = None;
        let written = self.reopen().and_then(|database| {
            *opened = file_id(&self.file);
            attempt(slot.insert(database))
        });
        if written.is_err() {
            *slot = None;
        }
        written.map_err(|error| failed(&error))
    }

    /// Opens the database again, and stores those records from memory that it lacks.
    fn reopen(&self) -> Result<Database, redb::Error> {
        let (database, stored) = load(&self.file)?;
        let known = self.all();
        let transaction = database.begin_write()?;
        {
            let mut table = transaction.open_table(ROOTS)?;
            for root in known.iter().filter(|root| !stored.contains(root)) {
                let record = serde_json::to_vec(root)
                    .map_err(|error| redb::Error::Corrupted(error.to_string()))?;
                table.insert(root.id, record.as_slice())?;
            }
        }
        transaction.commit()?;
        Ok(database)
    }

    fn read(&self) -> RwLockReadGuard<'_, Vec<RootRecord>> {
        self.cached.read().unwrap_or_else(PoisonError::into_inner)
    }
}

fn load(file: &Path) -> Result<(Database, Vec<RootRecord>), redb::Error> {
    // redb panics on some damage.
    std::panic::catch_unwind(|| load_or_panic(file)).unwrap_or_else(|_| {
        Err(redb::Error::Corrupted(
            "its pages contradict each other".to_owned(),
        ))
    })
}

fn load_or_panic(file: &Path) -> Result<(Database, Vec<RootRecord>), redb::Error> {
    let database = Database::create(file)?;
    let transaction = database.begin_write()?;
    let mut roots = vec![];
    {
        let table = transaction.open_table(ROOTS)?;
        for entry in table.iter()? {
            let record: RootRecord = serde_json::from_slice(entry?.1.value())
                .map_err(|error| redb::Error::Corrupted(error.to_string()))?;
            roots.push(record);
        }
    }
    transaction.commit()?;
    roots.sort_by(|one, other| one.name.cmp(&other.name));
    Ok((database, roots))
}

/// Returns whether the file is damaged, rather than inaccessible: only then may it be renamed.
fn is_damage(error: &redb::Error) -> bool {
    match error {
        redb::Error::Corrupted(_)
        | redb::Error::RepairAborted
        | redb::Error::UpgradeRequired(_) => true,
        redb::Error::Io(error) => matches!(
            error.kind(),
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
        ),
        _ => false,
    }
}

fn failed(error: &redb::Error) -> ToolError {
    match error {
        redb::Error::Io(error) => {
            claudevil_protocol::error::from_io("the registry of roots", error)
        }
        other => ToolError::new(
            ErrorCode::Internal,
            format!("the registry of roots: {other}"),
        ),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the store's own files")]
mod tests {
    use super::*;

    fn record(id: u64, name: &str) -> RootRecord {
        RootRecord {
            id,
            name: name.to_owned(),
            path: format!("/home/ada/{name}"),
            include: vec![],
            exclude: vec![],
            chunk_size: None,
            overlap: None,
            added: 5,
            last_used: 5,
        }
    }

    #[test]
    fn roots_survive_a_restart() {
        let scratch = tempfile::tempdir().expect("a directory");
        let store = RootStore::open(scratch.path()).expect("opened");
        store.put(&record(1, "engine")).expect("stored");
        store.put(&record(2, "atlas")).expect("stored");
        store.remove(1).expect("removed");
        drop(store);
        let store = RootStore::open(scratch.path()).expect("opened again");
        assert_eq!(store.all(), [record(2, "atlas")]);
    }

    #[test]
    fn savings_survive_a_restart_and_replace_those_before() {
        let scratch = tempfile::tempdir().expect("a directory");
        let store = RootStore::open(scratch.path()).expect("opened");
        let one = SavingsRecord {
            calls: 1,
            tokens: 20,
            whole_tokens: 300,
            since: 4,
            costs: BTreeMap::from([("search".to_owned(), CostHistogram::from_cost(20))]),
        };
        store
            .store_savings(&BTreeMap::from([(1, one.clone()), (2, one.clone())]))
            .expect("kept");
        let more = SavingsRecord { calls: 2, ..one };
        store
            .store_savings(&BTreeMap::from([(2, more.clone())]))
            .expect("kept");
        drop(store);
        let store = RootStore::open(scratch.path()).expect("opened again");
        assert_eq!(store.savings(), BTreeMap::from([(2, more)]));
    }

    #[test]
    fn ids_are_never_used_again() {
        let scratch = tempfile::tempdir().expect("a directory");
        let store = RootStore::open(scratch.path()).expect("opened");
        let first = store.next_id().expect("an id");
        store.put(&record(first, "engine")).expect("stored");
        store.remove(first).expect("removed");
        drop(store);
        let store = RootStore::open(scratch.path()).expect("opened again");
        assert!(store.next_id().expect("an id") > first);
    }

    #[test]
    fn a_registry_that_somebody_else_has_open_is_left_alone() {
        let scratch = tempfile::tempdir().expect("a directory");
        let _open = RootStore::open(scratch.path()).expect("opened");
        assert!(RootStore::open(scratch.path()).is_err());
        assert_eq!(
            fs::read_dir(scratch.path()).expect("there").count(),
            1,
            "nothing was put aside"
        );
    }

    #[test]
    fn a_registry_deleted_under_us_is_written_again() {
        let scratch = tempfile::tempdir().expect("a directory");
        let store = RootStore::open(scratch.path()).expect("opened");
        store.put(&record(1, "engine")).expect("stored");
        fs::remove_file(scratch.path().join("roots.redb")).expect("deleted");
        store.put(&record(2, "atlas")).expect("stored");
        drop(store);
        let store = RootStore::open(scratch.path()).expect("opened again");
        assert_eq!(store.all(), [record(2, "atlas"), record(1, "engine")]);
        assert!(store.next_id().expect("an id") > 2);
    }

    #[test]
    fn no_damage_keeps_a_registry_from_opening() {
        let scratch = tempfile::tempdir().expect("a directory");
        let store = RootStore::open(scratch.path()).expect("opened");
        for id in 1..=20 {
            store
                .put(&record(id, &format!("root-{id}")))
                .expect("stored");
        }
        drop(store);
        let file = scratch.path().join("roots.redb");
        let whole = fs::read(&file).expect("readable");
        for page in (0..whole.len()).step_by(4096) {
            let mut damaged = whole.clone();
            let end = damaged.len().min(page + 4096);
            damaged[page..end].fill(0);
            fs::write(&file, &damaged).expect("written");
            let store = RootStore::open(scratch.path())
                .unwrap_or_else(|error| panic!("page at {page}: {error}"));
            store.put(&record(99, "new")).expect("stored");
        }
    }

    #[test]
    fn a_damaged_registry_is_put_aside() {
        let scratch = tempfile::tempdir().expect("a directory");
        fs::write(
            scratch.path().join("roots.redb"),
            b"this is no database, whatever it was",
        )
        .expect("written");
        let store = RootStore::open(scratch.path()).expect("reopened");
        assert!(
            store
                .damaged_copy
                .as_ref()
                .is_some_and(|aside| aside.exists())
        );
        store.put(&record(1, "engine")).expect("stored");
    }
}
