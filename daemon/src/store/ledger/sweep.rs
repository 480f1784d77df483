//! Forgets the facts of contents that no root has any more.

use std::collections::HashSet;

use redb::{ReadableTable, WriteTransaction};

use super::{BORN, Ledger, OCCURRENCES, OUTLINES, pieces, record};
use crate::store::failure::StoreError;

/// Facts of a content that is gone are kept while they take no more than this share of those in use, or this much.
const KEPT_SHARE: u64 = 2;
const KEPT_BYTES: u64 = 1 << 20;
/// How many times what is in it the file may take.
const MOST_SPACE: u64 = 2;

impl Ledger {
    /// Returns how many bytes of facts were forgotten.
    pub fn sweep(&self) -> Result<u64, StoreError> {
        let (freed, left) = self.write(|transaction| {
            let mut live = Self::live(transaction)?;
            // Noted before a batch is begun, which waits for this transaction or has been waited for by it.
            live.extend(self.under_way().values().flatten());
            let Dead {
                keys: dead,
                freed,
                left,
            } = dead(transaction, &live)?;
            let mut outlines = transaction.open_table(OUTLINES)?;
            let mut occurrences = transaction.open_table(OCCURRENCES)?;
            let mut born = transaction.open_table(BORN)?;
            for key in &dead {
                pieces::remove(&mut outlines, key)?;
                pieces::remove(&mut occurrences, key)?;
                born.remove(key)?;
            }
            Ok((freed, left))
        })?;
        // A file never gets smaller by itself.
        if self.bytes_on_disk() > MOST_SPACE * left + KEPT_BYTES {
            self.compact();
        }
        Ok(freed)
    }

    /// The hashes of all chunks whose facts are here, in use or kept for a while.
    pub fn chunk_hashes(&self) -> Result<HashSet<[u8; 16]>, StoreError> {
        self.read(|transaction| {
            let mut hashes = HashSet::new();
            let table = transaction.open_table(OUTLINES)?;
            for key in pieces::keys(&table)? {
                let value = pieces::get(&table, &key)?;
                let outline =
                    value.and_then(|value| record::outline(record::unsealed(&key, &value)?));
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

    /// Gives the space of what was removed, or taken ahead, back to the system.
    pub fn compact(&self) {
        // Readers would wait for it, and it for them: where somebody reads, it is left to the next sweep.
        if let Ok(mut slot) = self.database.try_write()
            && let Some(database) = slot.as_mut()
        {
            let _ = database.compact();
        }
    }
}

struct Dead {
    keys: Vec<[u8; 16]>,
    /// Bytes of their facts.
    freed: u64,
    /// Bytes of all others.
    left: u64,
}

/// The oldest of what nobody uses, as far as there is too much of it.
fn dead(transaction: &WriteTransaction, live: &HashSet<[u8; 16]>) -> Result<Dead, redb::Error> {
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
    Ok(Dead {
        keys,
        freed,
        left: used_bytes + kept,
    })
}
