//! The records of the ledger's tables, with checksums.
//!
//! redb checks its pages only when it repairs itself, so every value carries a checksum over itself and its key. A value
//! whose checksum disagrees counts as absent, and is rebuilt from the file.

use std::cell::RefCell;

use bincode::Options;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use zstd::bulk::{Compressor, Decompressor};

use crate::extract::facts::{Occurrences, Outline};
use crate::extract::strings::Strings;

/// The key of the facts of one content in one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FactsKey(pub [u8; 16]);

/// A file of a root, as it was indexed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    pub size: u64,
    pub modified_nanos: i64,
    /// A hash of the file's metadata: if it changes, the content is compared. 0 if the record is doubtful.
    pub stamp: u64,
    pub hash: [u8; 16],
    pub language: Option<String>,
    pub state: FileState,
}

impl FileRecord {
    /// Returns whether the stores may not agree about the file, so that it is compared again whatever its metadata.
    pub fn is_doubtful(&self) -> bool {
        self.stamp == 0
    }

    pub fn facts_key(&self) -> Option<FactsKey> {
        match self.state {
            FileState::Indexed(key) => Some(key),
            FileState::Skipped(_) => None,
        }
    }
}

#[cfg(test)]
impl FileRecord {
    /// Makes the record of an empty file.
    pub fn with_state(state: FileState) -> Self {
        Self {
            size: 0,
            modified_nanos: 0,
            stamp: 0,
            hash: [0; 16],
            language: None,
            state,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileState {
    Indexed(FactsKey),
    Skipped(Skip),
}

/// The reason why a file is not indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Skip {
    Binary,
    NotUtf8,
    TooLarge,
    Generated,
    Minified,
    Secret,
    Unreadable,
    ParserCrashed,
    ParserTooSlow,
    ParserMemory,
}

/// The state of a root.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootState {
    /// Counts the commits; the text index carries the same number.
    pub generation: u64,
    /// Milliseconds since 1970.
    pub created: i64,
    pub last_indexed: i64,
    /// True once every file has been indexed.
    pub complete: bool,
    /// The identity of its folder, from device, inode and birth time: if it differs, another folder has taken the path.
    pub folder: Option<(u64, u64)>,
    /// The time since which the folder is missing, in milliseconds since 1970.
    pub unavailable_since: Option<i64>,
    pub commit: Option<String>,
    pub branch: Option<String>,
    /// A hash of the settings with which it was indexed.
    pub settings: u64,
    pub counts: Counts,
}

/// The size of a root's index, which is shown while the root is not loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub files: u64,
    pub skipped: u64,
    pub chunks: u64,
    pub symbols: u64,
    pub source_bytes: u64,
}

impl Counts {
    pub fn add(&mut self, other: Self) {
        self.files += other.files;
        self.skipped += other.skipped;
        self.chunks += other.chunks;
        self.symbols += other.symbols;
        self.source_bytes += other.source_bytes;
    }

    pub fn subtract(&mut self, other: Self) {
        self.files = self.files.saturating_sub(other.files);
        self.skipped = self.skipped.saturating_sub(other.skipped);
        self.chunks = self.chunks.saturating_sub(other.chunks);
        self.symbols = self.symbols.saturating_sub(other.symbols);
        self.source_bytes = self.source_bytes.saturating_sub(other.source_bytes);
    }
}

/// The two halves of a file's facts, compressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFacts {
    pub outline: Vec<u8>,
    pub occurrences: Vec<u8>,
}

const COMPRESSION: i32 = 1;
/// The most bytes of decompressed facts. Those of the largest file that is indexed stay far below.
const LARGEST_FACTS: usize = 256 << 20;

fn options() -> impl Options {
    bincode::DefaultOptions::new().with_limit(LARGEST_FACTS as u64)
}

pub fn compress<T: Serialize>(value: &T) -> Vec<u8> {
    thread_local! {
        // Reused: its tables take longer to make than most facts take to compress.
        static COMPRESSOR: RefCell<Option<Compressor<'static>>> = RefCell::new(Compressor::new(COMPRESSION).ok());
    }
    let bytes = options().serialize(value).unwrap_or_default();
    COMPRESSOR
        .with_borrow_mut(|compressor| compressor.as_mut()?.compress(&bytes).ok())
        .unwrap_or_default()
}

pub fn decompress<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    options().deserialize(&decompressed(bytes)?).ok()
}

fn decompressed(bytes: &[u8]) -> Option<Vec<u8>> {
    thread_local! {
        static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = RefCell::new(Decompressor::new().ok());
    }
    let length = Decompressor::upper_bound(bytes).filter(|length| *length <= LARGEST_FACTS)?;
    DECOMPRESSOR
        .with_borrow_mut(|decompressor| decompressor.as_mut()?.decompress(bytes, length).ok())
}

pub fn outline(bytes: &[u8]) -> Option<Outline> {
    let outline: Outline = decompress(bytes)?;
    let symbols = outline.symbols.len();
    let sound = outline.symbols.iter().all(|symbol| {
        symbol
            .parent
            .is_none_or(|parent| (parent as usize) < symbols)
    });
    sound.then_some(outline)
}

pub fn occurrences(bytes: &[u8]) -> Option<Occurrences> {
    decompress(bytes).filter(Occurrences::is_sound)
}

/// Returns the occurrences if they contain any of these names. The names are stored first, so nothing else is decoded if they
/// do not. The outer option is None if the bytes are damaged.
#[expect(
    clippy::option_option,
    reason = "the outer one is damage, as of every other record"
)]
pub fn occurrences_with(bytes: &[u8], names: &[&str]) -> Option<Option<Occurrences>> {
    let bytes = decompressed(bytes)?;
    let strings: Strings = options().allow_trailing_bytes().deserialize(&bytes).ok()?;
    if !strings.is_sound() {
        return None;
    }
    if !strings.iter().any(|string| names.contains(&string)) {
        return Some(None);
    }
    options()
        .deserialize(&bytes)
        .ok()
        .filter(Occurrences::is_sound)
        .map(Some)
}

/// Returns a value with a checksum over its key and itself in front.
pub fn add_checksum(key: &[u8], value: &[u8]) -> Vec<u8> {
    let mut bytes = checksum(key, value).to_vec();
    bytes.extend_from_slice(value);
    bytes
}

/// Returns the value, if its checksum is right for this key.
pub fn verify_checksum<'a>(key: &[u8], bytes: &'a [u8]) -> Option<&'a [u8]> {
    let (sum, value) = bytes.split_first_chunk::<8>()?;
    (*sum == checksum(key, value)).then_some(value)
}

pub fn encode<T: Serialize>(key: &[u8], value: &T) -> Vec<u8> {
    add_checksum(key, &options().serialize(value).unwrap_or_default())
}

pub fn decode<T: DeserializeOwned>(key: &[u8], bytes: &[u8]) -> Option<T> {
    options().deserialize(verify_checksum(key, bytes)?).ok()
}

fn checksum(key: &[u8], value: &[u8]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(&(key.len() as u64).to_le_bytes())
        .update(key)
        .update(value);
    let mut sum = [0; 8];
    sum.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    sum
}
