//! Removes the facts of contents that no root has any more.

use std::collections::HashSet;

use redb::{ReadableTable, WriteTransaction};

use super::{BORN, Ledger, OCCURRENCES, OUTLINES, pieces, record};
use crate::store::error::StoreError;

/// Unused facts are kept up to one byte for `KEPT_SHARE` bytes of facts in use, and at least up to `KEPT_BYTES`.
const KEPT_SHARE: u64 = 2;
const KEPT_BYTES: u64 = 256 << 10;
/// The size of the file, as a multiple of its content, above which it is compacted.
const LARGEST_FACTOR: u64 = 2;

impl Ledger {
    /// Removes unused facts. Returns their size in bytes.
    pub fn sweep(&self) -> Result<u64, StoreError> {
        let (freed, left) = self.write(|transaction| {
            let mut live = Self::live(transaction)?;
            // A batch registers its facts before its transaction, which runs entirely before or after this one.
            live.extend(self.unfinished_facts().values().flatten());
            let UnusedFacts { keys, freed, left } = unused_facts(transaction, &live)?;
            let mut outlines = transaction.open_table(OUTLINES)?;
            let mut occurrences = transaction.open_table(OCCURRENCES)?;
            let mut born = transaction.open_table(BORN)?;
            for key in &keys {
                pieces::remove(&mut outlines, key)?;
                pieces::remove(&mut occurrences, key)?;
                born.remove(key)?;
            }
            Ok((freed, left))
        })?;
        // The file never shrinks by itself.
        if self.bytes_on_disk() > LARGEST_FACTOR * left + KEPT_BYTES {
            self.compact();
        }
        Ok(freed)
    }

    /// Returns the hashes of all chunks whose facts are stored.
    pub fn chunk_hashes(&self) -> Result<HashSet<[u8; 16]>, StoreError> {
        self.read(|transaction| {
            let mut hashes = HashSet::new();
            let table = transaction.open_table(OUTLINES)?;
            for key in pieces::keys(&table)? {
                let value = pieces::get(&table, &key)?;
                let outline =
                    value.and_then(|value| record::outline(record::verify_checksum(&key, &value)?));
                hashes.extend(
                    outline
                        .iter()
                        .flat_map(|outline| &outline.chunks)
                        .map(|chunk| chunk.hash),
                );
            }
            Ok(hashes)
        })
    }

    /// Returns unused space of the file to the system.
    pub fn compact(&self) {
        // While the database is being read, compaction is skipped until the next sweep: otherwise the two would wait for each
        // other.
        if let Ok(mut slot) = self.database.try_write()
            && let Some(database) = slot.as_mut()
        {
            let _ = database.compact();
        }
    }
}

/// The facts that a sweep removes.
struct UnusedFacts {
    keys: Vec<[u8; 16]>,
    /// The size of these facts in bytes.
    freed: u64,
    /// The size of all others in bytes.
    left: u64,
}

/// Returns the oldest unused facts beyond those that are kept.
fn unused_facts(
    transaction: &WriteTransaction,
    live: &HashSet<[u8; 16]>,
) -> Result<UnusedFacts, redb::Error> {
    let mut unused = vec![];
    let mut used_bytes = 0;
    for entry in transaction.open_table(BORN)?.iter()? {
        let (key, value) = entry?;
        let (born, bytes) = value.value();
        if live.contains(key.value()) {
            used_bytes += bytes;
        } else {
            unused.push((born, *key.value(), bytes));
        }
    }
    unused.sort_unstable_by_key(|(born, ..)| std::cmp::Reverse(*born));
    let most = (used_bytes / KEPT_SHARE).max(KEPT_BYTES);
    let mut kept = 0;
    let mut freed = 0;
    let mut keys = vec![];
    for (_, key, bytes) in unused {
        if kept + bytes <= most {
            kept += bytes;
        } else {
            freed += bytes;
            keys.push(key);
        }
    }
    Ok(UnusedFacts {
        keys,
        freed,
        left: used_bytes + kept,
    })
}
