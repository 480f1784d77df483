//! The state of a file on disk, by which a change is detected.

use cap_std::fs::Metadata;

use crate::clock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStat {
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified_nanos: i64,
    /// A hash of all that the system says about the state of a file. Never zero, which stands for "compare again".
    pub stamp: u64,
}

impl FileStat {
    pub(super) fn from_metadata(found: &Metadata) -> Self {
        let modified_nanos = found
            .modified()
            .map_or(0, |time| clock::nanos(time.into_std()));
        Self {
            size: found.len(),
            modified_nanos,
            stamp: stamp(found),
        }
    }

    pub fn modified_millis(self) -> i64 {
        clock::nanos_to_millis(self.modified_nanos)
    }
}

fn hash_state(size: u64, modified_nanos: i64, changed: i64, inode: u64) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for part in [
        size,
        modified_nanos.cast_unsigned(),
        changed.cast_unsigned(),
        inode,
    ] {
        hasher.update(&part.to_le_bytes());
    }
    u64::from_le_bytes(
        hasher
            .finalize()
            .as_bytes()
            .first_chunk()
            .copied()
            .unwrap_or([1; 8]),
    )
    .max(1)
}

/// Wraps, because a file may claim to be of any year.
#[cfg(unix)]
fn nanos(seconds: i64, beyond: i64) -> i64 {
    seconds.wrapping_mul(1_000_000_000).wrapping_add(beyond)
}

#[cfg(unix)]
fn stamp(found: &Metadata) -> u64 {
    use cap_std::fs::MetadataExt;
    let modified = nanos(found.mtime(), found.mtime_nsec());
    hash_state(
        found.len(),
        modified,
        nanos(found.ctime(), found.ctime_nsec()),
        found.ino(),
    )
}

#[cfg(not(unix))]
fn stamp(found: &Metadata) -> u64 {
    let modified = found
        .modified()
        .map_or(0, |time| clock::nanos(time.into_std()));
    hash_state(found.len(), modified, 0, 0)
}
