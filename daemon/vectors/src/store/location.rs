//! The directory of the tables, and the one connection to it.

use std::io;
use std::path::PathBuf;
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
    directory: PathBuf,
    connection: Mutex<Option<Connection>>,
}

impl StoreLocation {
    pub fn new(directory: PathBuf) -> Self {
        Self {
            directory,
            connection: Mutex::new(None),
        }
    }

    pub async fn connection(&self) -> Result<Connection, VectorError> {
        let mut connection = self.connection.lock().await;
        if let Some(open) = &*connection {
            return Ok(open.clone());
        }
        let address = self
            .directory
            .to_str()
            .ok_or_else(|| VectorError::other("the path is not UTF-8"))?;
        fs::create_dir_all(&self.directory).await?;
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

    /// Drops the connection and its caches. The next call makes new ones.
    pub async fn disconnect(&self) {
        *self.connection.lock().await = None;
    }

    pub fn ledger(&self, table: &str) -> Ledger {
        Ledger::new(&self.table_directory(table))
    }

    fn table_directory(&self, table: &str) -> PathBuf {
        self.directory.join(format!("{table}.lance"))
    }

    /// Removes the newest version of a table, if there is an earlier one. A crash is likely to have damaged the newest, because
    /// nothing here is synced.
    pub async fn step_back(&self, table: &str) -> Result<StepBack, VectorError> {
        let versions = self.table_directory(table).join("_versions");
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
        // The next inspection deletes LanceDB's hint at this version.
        self.disconnect().await;
        Ok(StepBack::Done)
    }

    /// Deletes the files of a table.
    pub async fn drop_table(&self, table: &str) -> Result<(), VectorError> {
        self.disconnect().await;
        match fs::remove_dir_all(self.table_directory(table)).await {
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

/// Reads the version from a manifest's file name. Names of twenty digits count down, so that the newest is listed first.
fn version_of(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".manifest")?;
    let number: u64 = digits.parse().ok()?;
    Some(if digits.len() == 20 {
        u64::MAX - number
    } else {
        number
    })
}
