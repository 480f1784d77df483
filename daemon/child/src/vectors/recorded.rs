//! The ledger beside a table of vectors: a checksum, then which files the table consists of.
//!
//! The store writes it; the daemon reads how many vectors there are, also while the store is at work or not installed.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Contents;

/// Files by path within the table.
pub type Entries = BTreeMap<String, Entry>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub length: u64,
    pub sum: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct LedgerFile {
    /// So that a status can say how many there are without opening the table.
    pub vectors: usize,
    pub files: Entries,
}

impl LedgerFile {
    /// The path of a table's ledger.
    pub fn file(table: &Path) -> PathBuf {
        table.with_extension("ledger")
    }

    /// The inner error is a ledger that says nothing.
    #[expect(clippy::disallowed_methods, reason = "a file of our own")]
    pub fn read(file: &Path) -> io::Result<Result<Self, String>> {
        let text = match fs::read(file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Err("its ledger is missing".to_owned()));
            }
            Err(error) => return Err(error),
        };
        let damaged = || "its ledger is damaged".to_owned();
        let Some((sum, body)) = text
            .split_at_checked(64)
            .and_then(|(sum, rest)| Some((sum, rest.strip_prefix(b"\n")?)))
        else {
            return Ok(Err(damaged()));
        };
        if sum != blake3::hash(body).to_hex().as_bytes() {
            return Ok(Err(damaged()));
        }
        Ok(serde_json::from_slice(body).map_err(|_| damaged()))
    }

    /// Replaces the ledger, synced.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        let body = serde_json::to_vec(self).map_err(io::Error::other)?;
        let unfinished = file.with_extension("ledger-unfinished");
        let mut written = fs::File::create(&unfinished)?;
        written.write_all(blake3::hash(&body).to_hex().as_bytes())?;
        written.write_all(b"\n")?;
        written.write_all(&body)?;
        written.sync_all()?;
        fs::rename(&unfinished, file)
    }

    /// The number of vectors when the files were last taken down. None, if they never were: who was stopped while
    /// a table was made has stored nothing yet.
    pub fn vectors(table: &Path) -> io::Result<Result<usize, String>> {
        let file = Self::file(table);
        if !file.try_exists()? {
            return Ok(Ok(0));
        }
        Ok(Self::read(&file)?.map(|recorded| recorded.vectors))
    }
}

/// Counts what lies beneath a directory of our own by its ledgers: LanceDB is not asked, and may be at work meanwhile.
#[expect(
    clippy::disallowed_methods,
    reason = "the daemon's own data, not a root's files"
)]
pub fn stored(data: &Path) -> io::Result<Contents> {
    let mut contents = Contents::default();
    let entries = match fs::read_dir(data.join("vectors")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(contents),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_none_or(|extension| extension != "lance")
        {
            continue;
        }
        contents.tables += 1;
        match LedgerFile::vectors(&path).unwrap_or_else(|error| Err(error.to_string())) {
            Ok(vectors) => contents.vectors += vectors,
            Err(error) => contents
                .troubles
                .push(format!("a table cannot be counted: {error}")),
        }
    }
    Ok(contents)
}
