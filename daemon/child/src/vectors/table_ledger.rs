//! The ledger file of a table of vectors: a checksum, then a list of the table's files.
//!
//! The store writes it. The daemon reads the number of vectors from it, even if the store is busy or not installed.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Contents;

/// The files of a table, by path.
pub type TableFiles = BTreeMap<String, TableFile>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableFile {
    pub length: u64,
    pub sum: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct TableLedger {
    /// The number of vectors, for a status that does not open the table.
    pub vectors: usize,
    pub files: TableFiles,
}

impl TableLedger {
    /// Returns the path of a table's ledger.
    pub fn file(table: &Path) -> PathBuf {
        table.with_extension("ledger")
    }

    /// Reads a ledger. The inner error says that it is missing or damaged.
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

    /// Replaces the ledger, and syncs it.
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

    /// Reads the number of vectors. A table without a ledger has none: its creation was cut off.
    pub fn vectors(table: &Path) -> io::Result<Result<usize, String>> {
        let file = Self::file(table);
        if !file.try_exists()? {
            return Ok(Ok(0));
        }
        Ok(Self::read(&file)?.map(|recorded| recorded.vectors))
    }
}

/// Counts the stored vectors from their ledgers, without LanceDB, which may be writing at the same time.
#[expect(
    clippy::disallowed_methods,
    reason = "the daemon's own data, not a root's files"
)]
pub fn count_stored(data: &Path) -> io::Result<Contents> {
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
        match TableLedger::vectors(&path).unwrap_or_else(|error| Err(error.to_string())) {
            Ok(vectors) => contents.vectors += vectors,
            Err(error) => contents
                .troubles
                .push(format!("a table cannot be counted: {error}")),
        }
    }
    Ok(contents)
}
