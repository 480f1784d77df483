//! The registry of roots: small, precious, and therefore in a transactional store that syncs each change.
//!
//! A registry that cannot be opened is put aside rather than deleted, and a new one is begun: roots come back by
//! themselves when they are asked about.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use claudevil_protocol::{ErrorCode, ToolError};
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use serde::{Deserialize, Serialize};

/// Id to record. Records are JSON, so that a field can be added without a new format.
const ROOTS: TableDefinition<u64, &[u8]> = TableDefinition::new("roots");
const COUNTERS: TableDefinition<&str, u64> = TableDefinition::new("counters");
const LAST_ROOT: &str = "last_root";
/// How often the time of a root's last use is worth a write.
const USE_GRAIN_MILLIS: i64 = 10 * 60 * 1000;

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

pub struct RootStore {
    database: Database,
    file: PathBuf,
    /// Sorted by name.
    cached: RwLock<Vec<RootRecord>>,
    /// Where a registry that could not be opened has been put.
    pub put_aside: Option<PathBuf>,
}

impl RootStore {
    pub fn open(data: &Path) -> io::Result<Self> {
        let file = data.join("roots.redb");
        let (database, cached, put_aside) = match load(&file) {
            Ok((database, cached)) => (database, cached, None),
            Err(error) if !is_damage(&error) => return Err(io::Error::other(error)),
            Err(error) => {
                let aside = data.join("roots.redb.damaged");
                tracing::warn!(%error, aside = %aside.display(), "the registry of roots cannot be opened; put aside");
                fs::rename(&file, &aside)?;
                let (database, cached) = load(&file).map_err(io::Error::other)?;
                (database, cached, Some(aside))
            }
        };
        Ok(Self { database, file, cached: RwLock::new(cached), put_aside })
    }

    pub fn all(&self) -> Vec<RootRecord> {
        self.read().clone()
    }

    pub fn by_name(&self, name: &str) -> Option<RootRecord> {
        self.read().iter().find(|root| root.name == name).cloned()
    }

    pub fn by_path(&self, path: &Path) -> Option<RootRecord> {
        self.read().iter().find(|root| Path::new(&root.path) == path).cloned()
    }

    /// An id that no root has had before.
    pub fn next_id(&self) -> Result<u64, ToolError> {
        let take = || -> Result<u64, redb::Error> {
            let transaction = self.database.begin_write()?;
            let next = {
                let mut counters = transaction.open_table(COUNTERS)?;
                let next = counters.get(LAST_ROOT)?.map_or(0, |last| last.value()) + 1;
                counters.insert(LAST_ROOT, next)?;
                next
            };
            transaction.commit()?;
            Ok(next)
        };
        take().map_err(|error| failed(&error))
    }

    pub fn put(&self, root: &RootRecord) -> Result<(), ToolError> {
        let record = serde_json::to_vec(root).map_err(|error| failed(&redb::Error::Corrupted(error.to_string())))?;
        self.change(|table| table.insert(root.id, record.as_slice()).map(drop))?;
        let mut cached = self.cached.write().unwrap_or_else(PoisonError::into_inner);
        cached.retain(|known| known.id != root.id);
        cached.push(root.clone());
        cached.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(())
    }

    pub fn remove(&self, id: u64) -> Result<(), ToolError> {
        self.change(|table| table.remove(id).map(drop))?;
        self.cached.write().unwrap_or_else(PoisonError::into_inner).retain(|known| known.id != id);
        Ok(())
    }

    /// Notes that a root was used.
    pub fn touch(&self, root: &RootRecord, now: i64) -> Result<(), ToolError> {
        if now - root.last_used < USE_GRAIN_MILLIS {
            return Ok(());
        }
        self.put(&RootRecord { last_used: now, ..root.clone() })
    }

    /// A trivial read, to see that the store works.
    pub fn probe(&self) -> Result<usize, ToolError> {
        let count =
            || -> Result<usize, redb::Error> { Ok(self.database.begin_read()?.open_table(ROOTS)?.iter()?.count()) };
        count().map_err(|error| failed(&error))
    }

    pub fn bytes_on_disk(&self) -> u64 {
        fs::metadata(&self.file).map_or(0, |file| file.len())
    }

    fn change(
        &self,
        change: impl FnOnce(&mut redb::Table<u64, &[u8]>) -> Result<(), redb::StorageError>,
    ) -> Result<(), ToolError> {
        let write = || -> Result<(), redb::Error> {
            let transaction = self.database.begin_write()?;
            change(&mut transaction.open_table(ROOTS)?)?;
            transaction.commit()?;
            Ok(())
        };
        write().map_err(|error| failed(&error))
    }

    fn read(&self) -> RwLockReadGuard<'_, Vec<RootRecord>> {
        self.cached.read().unwrap_or_else(PoisonError::into_inner)
    }
}

fn load(file: &Path) -> Result<(Database, Vec<RootRecord>), redb::Error> {
    let database = Database::create(file)?;
    let transaction = database.begin_write()?;
    let mut roots = vec![];
    {
        let table = transaction.open_table(ROOTS)?;
        for entry in table.iter()? {
            let record: RootRecord =
                serde_json::from_slice(entry?.1.value()).map_err(|error| redb::Error::Corrupted(error.to_string()))?;
            roots.push(record);
        }
    }
    transaction.commit()?;
    roots.sort_by(|one, other| one.name.cmp(&other.name));
    Ok((database, roots))
}

/// Whether the file itself is bad, rather than out of reach: only then may it be put aside.
fn is_damage(error: &redb::Error) -> bool {
    match error {
        redb::Error::Corrupted(_) | redb::Error::RepairAborted | redb::Error::UpgradeRequired(_) => true,
        redb::Error::Io(error) => matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof),
        _ => false,
    }
}

fn failed(error: &redb::Error) -> ToolError {
    match error {
        redb::Error::Io(error) => claudevil_protocol::error::from_io("the registry of roots", error),
        other => ToolError::new(ErrorCode::Internal, format!("the registry of roots: {other}")),
    }
}

#[cfg(test)]
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
        assert!(!scratch.path().join("roots.redb.damaged").exists());
    }

    #[test]
    fn a_damaged_registry_is_put_aside() {
        let scratch = tempfile::tempdir().expect("a directory");
        fs::write(scratch.path().join("roots.redb"), b"this is no database, whatever it was").expect("written");
        let store = RootStore::open(scratch.path()).expect("opened anew");
        assert!(store.put_aside.as_ref().is_some_and(|aside| aside.exists()));
        store.put(&record(1, "engine")).expect("stored");
    }
}
