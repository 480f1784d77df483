//! Compares the files of a table with a ledger of their checksums.
//!
//! LanceDB trusts the lengths in its files: a single flipped bit makes it allocate petabytes, which aborts the process. So
//! files are compared with this ledger before LanceDB reads them, and those that differ are deleted, because a missing file
//! is an ordinary error. Files that the ledger does not list are of writes that were never verified, and are deleted too. The
//! ledger is synced; the files are not. **Invariant:** only for a directory of our own that no other process writes to.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use claudevil_child::vectors::table_ledger::{TableFile, TableFiles, TableLedger};

use super::error::VectorError;

/// LanceDB's hint at the latest version. Each version rewrites it, and LanceDB does not need it.
const HINT: &str = "latest_version_hint.json";
const VERSIONS: &str = "_versions";

#[derive(Clone)]
pub(super) struct Ledger {
    table: PathBuf,
    file: PathBuf,
    entries: Arc<Mutex<TableFiles>>,
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Inspection {
    Absent,
    /// All files are as recorded.
    Sound,
    /// Files that differed have been deleted, or the newest version is missing.
    Incomplete(String),
    /// The ledger itself is missing or damaged.
    Unverifiable(String),
}

impl Ledger {
    pub fn new(table: &Path) -> Self {
        let file = TableLedger::file(table);
        Self {
            table: table.to_owned(),
            file,
            entries: Arc::default(),
        }
    }

    /// Compares the files with the ledger and deletes those that LanceDB must not read.
    pub async fn inspect(&self) -> Result<Inspection, VectorError> {
        let ledger = self.clone();
        finished(tokio::task::spawn_blocking(move || ledger.inspect_now())).await
    }

    /// Records the files as they are now. The caller has just read them.
    pub async fn record(&self, vectors: usize) -> Result<(), VectorError> {
        let ledger = self.clone();
        finished(tokio::task::spawn_blocking(move || {
            ledger.record_now(vectors)
        }))
        .await
    }

    fn inspect_now(&self) -> io::Result<Inspection> {
        if !self.table.try_exists()? {
            remove_if_there(&self.file)?;
            return Ok(Inspection::Absent);
        }
        let recorded = match TableLedger::read(&self.file)? {
            Ok(recorded) => recorded.files,
            Err(reason) => return Ok(Inspection::Unverifiable(reason)),
        };
        let mut problem = None;
        for path in files_beneath(&self.table)? {
            let inside = self.inside(&path);
            let entry = recorded.get(&inside);
            if let Some(entry) = entry {
                // An error here is not damage: a file that cannot be opened now may be sound.
                if entry.length == length_of(&path) && entry.sum == checksum(&path)? {
                    continue;
                }
                problem = Some(format!("{inside} is not what was written"));
            }
            fs::remove_file(&path)?;
        }
        // The newest comes first, because names count down.
        let newest = recorded.keys().find(|inside| inside.starts_with(VERSIONS));
        if let Some(newest) = newest.filter(|newest| !self.table.join(newest).exists()) {
            problem.get_or_insert(format!("{newest} is missing"));
        }
        *self.entries.lock().unwrap_or_else(PoisonError::into_inner) = recorded;
        Ok(problem.map_or(Inspection::Sound, Inspection::Incomplete))
    }

    fn record_now(&self, vectors: usize) -> io::Result<()> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let mut now = TableFiles::new();
        for path in files_beneath(&self.table)? {
            let inside = self.inside(&path);
            if inside.ends_with(HINT) {
                continue;
            }
            // Files are immutable, so only new ones are read.
            let entry = match entries.get(&inside) {
                Some(known) => known.clone(),
                None => TableFile {
                    length: length_of(&path),
                    sum: checksum(&path)?,
                },
            };
            now.insert(inside, entry);
        }
        let recorded = TableLedger {
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

fn checksum(file: &Path) -> io::Result<String> {
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
