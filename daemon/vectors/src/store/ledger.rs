//! The files of which a table consists, and their checksums, kept beside it.
//!
//! LanceDB trusts the lengths in its files: a single flipped bit makes it ask for petabytes, and the process is gone,
//! past anything that could be caught. So files are compared with this ledger before LanceDB sees them, and those that
//! differ are deleted: a missing file is an error like any other. Files that the ledger does not know are of writes
//! that were never verified, and go too. The ledger is synced; the files are not. **Invariant:** only for a directory
//! of our own that no other process writes to.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use claudevil_child::vectors::recorded::{Entries, Entry, LedgerFile};

use super::error::VectorError;

/// A note of LanceDB's to itself about the latest version, rewritten with each. It does without.
const HINT: &str = "latest_version_hint.json";
const VERSIONS: &str = "_versions";

#[derive(Clone)]
pub(super) struct Ledger {
    table: PathBuf,
    file: PathBuf,
    entries: Arc<Mutex<Entries>>,
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Inspected {
    Absent,
    AsRecorded,
    /// Files that differed have been deleted, or the newest version is missing.
    Lacking(String),
    /// There is no telling which files are right.
    Unknown(String),
}

impl Ledger {
    pub fn of(table: &Path) -> Self {
        let file = LedgerFile::file(table);
        Self {
            table: table.to_owned(),
            file,
            entries: Arc::default(),
        }
    }

    /// Compares the files with the ledger and deletes what LanceDB must not see.
    pub async fn inspect(&self) -> Result<Inspected, VectorError> {
        let ledger = self.clone();
        finished(tokio::task::spawn_blocking(move || ledger.inspect_now())).await
    }

    /// Takes down the files as they are now, which their reader has just found readable.
    pub async fn record(&self, vectors: usize) -> Result<(), VectorError> {
        let ledger = self.clone();
        finished(tokio::task::spawn_blocking(move || {
            ledger.record_now(vectors)
        }))
        .await
    }

    /// The number of vectors when the files were last taken down.
    pub async fn vectors(&self) -> Result<usize, VectorError> {
        let table = self.table.clone();
        let read = tokio::task::spawn_blocking(move || LedgerFile::vectors(&table));
        finished(read).await?.map_err(VectorError::damaged)
    }

    fn inspect_now(&self) -> io::Result<Inspected> {
        if !self.table.try_exists()? {
            remove_if_there(&self.file)?;
            return Ok(Inspected::Absent);
        }
        let recorded = match LedgerFile::read(&self.file)? {
            Ok(recorded) => recorded.files,
            Err(reason) => return Ok(Inspected::Unknown(reason)),
        };
        let mut lacking = None;
        for path in files_beneath(&self.table)? {
            let inside = self.inside(&path);
            let entry = recorded.get(&inside);
            if let Some(entry) = entry {
                // An error here is not damage: a file that cannot be opened today may be right tomorrow.
                if entry.length == length_of(&path) && entry.sum == sum_of(&path)? {
                    continue;
                }
                lacking = Some(format!("{inside} is not what was written"));
            }
            fs::remove_file(&path)?;
        }
        // The newest comes first: its name counts down.
        let newest = recorded.keys().find(|inside| inside.starts_with(VERSIONS));
        if let Some(newest) = newest.filter(|newest| !self.table.join(newest).exists()) {
            lacking.get_or_insert(format!("{newest} is missing"));
        }
        *self.entries.lock().unwrap_or_else(PoisonError::into_inner) = recorded;
        Ok(lacking.map_or(Inspected::AsRecorded, Inspected::Lacking))
    }

    fn record_now(&self, vectors: usize) -> io::Result<()> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let mut now = Entries::new();
        for path in files_beneath(&self.table)? {
            let inside = self.inside(&path);
            if inside.ends_with(HINT) {
                continue;
            }
            // Files never change once they are written, so only new ones are read.
            let entry = match entries.get(&inside) {
                Some(known) => known.clone(),
                None => Entry {
                    length: length_of(&path),
                    sum: sum_of(&path)?,
                },
            };
            now.insert(inside, entry);
        }
        let recorded = LedgerFile {
            vectors,
            files: now,
        };
        recorded.write(&self.file)?;
        *entries = recorded.files;
        Ok(())
    }

    fn inside(&self, path: &Path) -> String {
        path.strip_prefix(&self.table)
            .unwrap_or(path)
            .to_string_lossy()
            .replace('\\', "/")
    }
}

async fn finished<T>(task: tokio::task::JoinHandle<io::Result<T>>) -> Result<T, VectorError> {
    let done = task
        .await
        .map_err(|error| VectorError::other(error.to_string()))?;
    Ok(done?)
}

pub(super) fn remove_if_there(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn length_of(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |file| file.len())
}

fn sum_of(file: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(fs::OpenOptions::new().read(true).open(file)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[expect(clippy::disallowed_methods, reason = "a directory of our own")]
fn files_beneath(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = vec![];
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            files.extend(files_beneath(&entry.path())?);
        } else {
            files.push(entry.path());
        }
    }
    Ok(files)
}
