//! The directory or object store of the tables, and the one connection to it.
//!
//! The address is a string because LanceDB takes those: a path, or an object store's. What only a directory of our own
//! allows (stepping back, dropping) is offered for paths alone: **Invariant:** a table that others may share is never
//! dropped.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancedb::{Connection, ObjectStoreRegistry, Session};
use tokio::fs;
use tokio::sync::Mutex;

use super::error::{VectorError, guarded};
use super::ledger::Ledger;

// By default the caches may take gigabytes.
const INDEX_CACHE_BYTES: usize = 64 << 20;
const METADATA_CACHE_BYTES: usize = 16 << 20;

pub(super) struct StoreLocation {
    /// None where a path is not UTF-8, which LanceDB asks for.
    address: Option<String>,
    connection: Mutex<Option<Connection>>,
}

impl StoreLocation {
    pub fn new(address: Option<String>) -> Self {
        Self {
            address,
            connection: Mutex::new(None),
        }
    }

    pub async fn connection(&self) -> Result<Connection, VectorError> {
        let mut connection = self.connection.lock().await;
        if let Some(open) = &*connection {
            return Ok(open.clone());
        }
        let address = self
            .address
            .as_deref()
            .ok_or_else(|| VectorError::other("the path is not UTF-8"))?;
        if let Some(directory) = self.directory() {
            fs::create_dir_all(directory).await?;
        }
        let caches = Session::new(
            INDEX_CACHE_BYTES,
            METADATA_CACHE_BYTES,
            Arc::new(ObjectStoreRegistry::default()),
        );
        let opened = guarded(
            lancedb::connect(address)
                .session(Arc::new(caches))
                .execute(),
        )
        .await?;
        Ok(connection.insert(opened).clone())
    }

    /// Lets go of the connection and its caches; the next call begins with new ones.
    pub async fn disconnect(&self) {
        *self.connection.lock().await = None;
    }

    /// The directory, unless the place is an object store.
    pub fn directory(&self) -> Option<&Path> {
        self.address
            .as_deref()
            .filter(|address| !address.contains("://"))
            .map(Path::new)
    }

    pub fn ledger(&self, table: &str) -> Option<Ledger> {
        Some(Ledger::new(&self.table_directory(table)?))
    }

    fn table_directory(&self, table: &str) -> Option<PathBuf> {
        Some(self.directory()?.join(format!("{table}.lance")))
    }

    /// Removes the newest version of a table, if there is one before it. The newest is what a crash is likely to have
    /// spoilt, because nothing here is synced.
    pub async fn step_back(&self, table: &str) -> Result<StepBack, VectorError> {
        let Some(versions) = self
            .table_directory(table)
            .map(|directory| directory.join("_versions"))
        else {
            return Ok(StepBack::NoEarlierVersion);
        };
        let mut found = vec![];
        let mut entries = match fs::read_dir(&versions).await {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(StepBack::NoEarlierVersion);
            }
            Err(error) => return Err(error.into()),
        };
        while let Some(entry) = entries.next_entry().await? {
            found.extend(
                entry
                    .file_name()
                    .to_str()
                    .and_then(version_of)
                    .map(|version| (version, entry.path())),
            );
        }
        let Some((_, newest)) = found.iter().max().filter(|_| found.len() > 1) else {
            return Ok(StepBack::NoEarlierVersion);
        };
        fs::remove_file(newest).await?;
        // The next inspection deletes LanceDB's hint at the version that is gone.
        self.disconnect().await;
        Ok(StepBack::Done)
    }

    /// Drops a table of our own, whatever is left of it.
    pub async fn drop_table(&self, table: &str) -> Result<(), VectorError> {
        self.disconnect().await;
        let Some(directory) = self.table_directory(table) else {
            return Err(VectorError::damaged(
                "the table is damaged, and not ours alone to drop",
            ));
        };
        match fs::remove_dir_all(directory).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}

/// The outcome of a step back to an earlier version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepBack {
    Done,
    NoEarlierVersion,
}

/// Reads the version out of a manifest's file name. Names of twenty digits count down, so that the newest is listed first.
fn version_of(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".manifest")?;
    let number: u64 = digits.parse().ok()?;
    Some(if digits.len() == 20 {
        u64::MAX - number
    } else {
        number
    })
}
