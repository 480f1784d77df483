//! A precise index as a file: one block for each source file, and a directory of them at the end.
//!
//! Blocks are read on demand. Every part has a checksum, and a damaged part counts as absent.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::store::ledger::record;

const MAGIC: &[u8; 16] = b"claudevil scip 2";
const DIRECTORY_KEY: &[u8] = b"directory";
/// The offset and the length of the directory, at the end of the file.
const TRAILER: u64 = 16;

/// The hash of a file's content.
pub type ContentHash = [u8; 16];

/// A description of an imported index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexInfo {
    /// Its name within the root.
    pub name: String,
    /// The indexer and its version: `scip-typescript 0.3.15`.
    pub tool: String,
    /// The file that was imported.
    pub source: String,
    pub source_size: u64,
    pub source_modified_nanos: i64,
    /// Milliseconds since 1970.
    pub added: i64,
    /// Files in the SCIP index.
    pub documents: u64,
    /// Files that had changed since the index was made, and are not used.
    pub changed: u64,
    /// Files that the root does not index.
    pub not_indexed: u64,
    pub occurrences: u64,
}

/// The definitions that the names of one file refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreciseFile {
    /// The files with the definitions, and the contents for which their positions hold.
    pub files: Vec<(String, ContentHash)>,
    /// The packages outside the root.
    pub packages: Vec<String>,
    /// Sorted by line and column. A name that refers to several definitions has several rows.
    pub rows: Vec<PreciseUse>,
    /// Definitions of this file that implement or override others, sorted.
    pub implementations: Vec<PreciseImplementation>,
}

/// The position of a definition, in one of [`PreciseFile::files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DefinitionPosition {
    pub file: u32,
    /// Counted from 1.
    pub line: u32,
    /// In bytes, counted from 0.
    pub column: u32,
}

/// A definition that implements another: a class and its interface, a method and the one that it overrides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PreciseImplementation {
    pub line: u32,
    pub column: u32,
    pub implemented: DefinitionPosition,
}

/// A name, and one definition of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PreciseUse {
    /// Counted from 1.
    pub line: u32,
    /// In bytes, counted from 0.
    pub column: u32,
    pub target: PreciseTarget,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PreciseTarget {
    Definition(DefinitionPosition),
    /// A variable or parameter of a function.
    Local,
    /// One of [`PreciseFile::packages`].
    Package(u32),
}

impl PreciseFile {
    /// Returns the rows of the name at a position.
    pub fn at(&self, line: u32, column: u32) -> &[PreciseUse] {
        let start = self
            .rows
            .partition_point(|row| (row.line, row.column) < (line, column));
        let end = self
            .rows
            .partition_point(|row| (row.line, row.column) <= (line, column));
        &self.rows[start..end]
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    path: String,
    hash: ContentHash,
    offset: u64,
    length: u64,
    /// Indices in the directory of the files that use definitions of this one.
    users: Vec<u32>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Directory {
    info: IndexInfo,
    /// Sorted by path.
    entries: Vec<Entry>,
}

/// An open precise index.
#[derive(Debug)]
pub struct PreciseIndex {
    directory: Directory,
    file: Mutex<File>,
    path: PathBuf,
}

impl PreciseIndex {
    #[expect(clippy::disallowed_methods, reason = "a file of our own")]
    pub fn open(path: &Path) -> io::Result<Self> {
        let damaged = || io::Error::from(io::ErrorKind::InvalidData);
        let mut file = File::open(path)?;
        let mut magic = [0; MAGIC.len()];
        file.read_exact(&mut magic)?;
        let end = file.seek(SeekFrom::End(0))?;
        let trailer = end.checked_sub(TRAILER).ok_or_else(damaged)?;
        let bytes = read_at(&mut file, trailer, TRAILER)?;
        let (offset, length) = bytes.split_at(8);
        let number = |bytes: &[u8]| bytes.try_into().map_or(u64::MAX, u64::from_le_bytes);
        let (offset, length) = (number(offset), number(length));
        if magic != *MAGIC || offset.checked_add(length) != Some(trailer) {
            return Err(damaged());
        }
        let sealed = read_at(&mut file, offset, length)?;
        let directory: Directory = record::verify_checksum(DIRECTORY_KEY, &sealed)
            .and_then(record::decompress)
            .ok_or_else(damaged)?;
        Ok(Self {
            directory,
            file: Mutex::new(file),
            path: path.to_owned(),
        })
    }

    pub fn info(&self) -> &IndexInfo {
        &self.directory.info
    }

    /// Returns the paths of the files that the index describes, with the hashes of their contents.
    pub fn files(&self) -> impl Iterator<Item = (&str, &ContentHash)> {
        let entries = self.directory.entries.iter();
        entries.map(|entry| (entry.path.as_str(), &entry.hash))
    }

    /// Returns whether the index describes a file with this content.
    pub fn describes(&self, path: &str, hash: &ContentHash) -> bool {
        self.entry(path).is_some_and(|entry| entry.hash == *hash)
    }

    /// Returns the names of a file with this content.
    pub fn file(&self, path: &str, hash: &ContentHash) -> Option<PreciseFile> {
        let entry = self.entry(path).filter(|entry| entry.hash == *hash)?;
        let sealed = {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            read_at(&mut file, entry.offset, entry.length)
        };
        let read = sealed.ok().and_then(|sealed| {
            record::decompress(record::verify_checksum(entry.path.as_bytes(), &sealed)?)
        });
        if read.is_none() {
            tracing::warn!(index = %self.path.display(), path, "a precise index is damaged");
        }
        read
    }

    /// Returns the files that use definitions of a file.
    pub fn users(&self, path: &str) -> impl Iterator<Item = &str> {
        let users = self.entry(path).map_or(&[][..], |entry| &entry.users);
        users
            .iter()
            .filter_map(|place| self.directory.entries.get(*place as usize))
            .map(|entry| entry.path.as_str())
    }

    fn entry(&self, path: &str) -> Option<&Entry> {
        let entries = &self.directory.entries;
        let place = entries.binary_search_by(|entry| entry.path.as_str().cmp(path));
        entries.get(place.ok()?)
    }
}

fn read_at(file: &mut File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = vec![];
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes an index to a temporary file, and renames that to its final path when it is complete.
pub struct Writer {
    temporary_path: PathBuf,
    final_path: PathBuf,
    file: BufWriter<File>,
    offset: u64,
    entries: Vec<Entry>,
}

impl Writer {
    pub fn create(final_path: &Path) -> io::Result<Self> {
        let temporary_path = final_path.with_extension("new");
        let mut file = BufWriter::new(File::create(&temporary_path)?);
        file.write_all(MAGIC)?;
        Ok(Self {
            temporary_path,
            final_path: final_path.to_owned(),
            file,
            offset: MAGIC.len() as u64,
            entries: vec![],
        })
    }

    /// Adds a file.
    pub fn add(&mut self, path: &str, hash: ContentHash, file: &PreciseFile) -> io::Result<()> {
        let sealed = record::add_checksum(path.as_bytes(), &record::compress(file));
        self.file.write_all(&sealed)?;
        self.entries.push(Entry {
            path: path.to_owned(),
            hash,
            offset: self.offset,
            length: sealed.len() as u64,
            users: vec![],
        });
        self.offset += sealed.len() as u64;
        Ok(())
    }

    /// Completes the index. `users` has an entry for each file in the order of the paths: the indices, in that order, of the
    /// files that use its definitions.
    pub fn finish(mut self, info: IndexInfo, users: Vec<Vec<u32>>) -> io::Result<()> {
        self.entries.sort_by(|one, other| one.path.cmp(&other.path));
        for (entry, users) in self.entries.iter_mut().zip(users) {
            entry.users = users;
        }
        let directory = Directory {
            info,
            entries: std::mem::take(&mut self.entries),
        };
        let sealed = record::add_checksum(DIRECTORY_KEY, &record::compress(&directory));
        self.file.write_all(&sealed)?;
        self.file.write_all(&self.offset.to_le_bytes())?;
        self.file.write_all(&(sealed.len() as u64).to_le_bytes())?;
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        std::fs::rename(&self.temporary_path, &self.final_path)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // `finish` has renamed the file, unless it failed or was not reached.
        let _ = std::fs::remove_file(&self.temporary_path);
    }
}
