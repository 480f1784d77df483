//! Names and keys that only a team knows.
//!
//! A chunk's own hash would tell whoever reads the store which known texts a team has. So the names of tables, the keys of
//! rows and their checksums are hashes with a key that is derived from the team's secret, the model and the length of its
//! vectors. Without the secret a row can neither be looked up nor be written so that it is accepted.

use claudevil_child::vectors::{ChunkHash, Space};

/// The format of shared tables, raised when an older build would misread them.
const FORMAT: u32 = 1;

/// The keys of one space.
#[derive(Clone)]
pub(super) struct SpaceKeys {
    chunks: [u8; 32],
    /// The key of the rows' checksums.
    pub rows: [u8; 32],
    /// The prefix of the names of its tables.
    pub table: String,
}

impl SpaceKeys {
    pub fn new(secret: &str, space: &Space) -> Self {
        let team = blake3::derive_key("claudevil shared vectors, of a team", secret.as_bytes());
        let derive = |purpose: &str| {
            let mut hasher = blake3::Hasher::new_keyed(&team);
            hasher
                .update(purpose.as_bytes())
                .update(&(space.dimensions as u64).to_le_bytes())
                .update(space.model.as_bytes());
            *hasher.finalize().as_bytes()
        };
        let table = hex(&derive("table")[..16]);
        Self {
            chunks: derive("chunks"),
            rows: derive("rows"),
            table: format!("shared-v{FORMAT}-{table}"),
        }
    }

    /// Returns the key under which the vector of a chunk is shared.
    pub fn key(&self, chunk: &ChunkHash) -> ChunkHash {
        let mut key = ChunkHash::default();
        key.copy_from_slice(&blake3::keyed_hash(&self.chunks, chunk).as_bytes()[..16]);
        key
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
