//! Requests and replies between the daemon and the process that stores the vectors of a team.
//!
//! The first message names the store. The team's secret is sent through the pipe only: neither the command line nor the
//! environment of a process is private.

use std::fmt;

use claudevil_protocol::sharing::{CollectOutcome, TableState};
use serde::{Deserialize, Serialize};

use super::{ChunkHash, ChunkVector, Space};

/// The store of a team, and the settings to reach it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedStore {
    /// `s3://bucket/prefix`, `az://container/prefix` or the absolute path of a folder.
    pub location: String,
    /// The secret that keys and checksums depend on.
    pub secret: String,
    pub access: Access,
    /// The address of a server that is not the provider's own.
    pub endpoint: Option<String>,
    pub region: Option<String>,
    /// The storage account, for Azure.
    pub account: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Access {
    Read,
    ReadAndWrite,
}

/// Leaves out the secret.
impl fmt::Debug for SharedStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({:?})", self.location, self.access)
    }
}

/// A vector on the wire, without the scale, which follows from its codes.
pub type VectorRow = (ChunkHash, Vec<i8>);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Returns the vectors of these chunks that the team has.
    Fetch(Space, Vec<ChunkHash>),
    /// Adds the vectors that the team does not have.
    Append(Space, Vec<VectorRow>),
    /// Describes the table.
    Describe(Space),
    /// Removes old vectors and duplicates, and merges small files.
    Collect {
        space: Space,
        /// The chunks whose vectors stay, however old.
        live: Vec<ChunkHash>,
        /// The age in days from which the vectors of other chunks are removed.
        days: u32,
    },
    /// Returns which of these chunks the team has, in the order of the table, so that neighbours are read together.
    Locate(Space, Vec<ChunkHash>),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    Fetched {
        vectors: Vec<VectorRow>,
        /// Rows that were found, but not written by a holder of the secret.
        refused: u64,
    },
    Appended {
        added: u64,
    },
    Described(TableState),
    Collected(CollectOutcome),
    Failed(String),
    Located(Vec<ChunkHash>),
}

pub fn to_rows<'a>(vectors: impl IntoIterator<Item = &'a ChunkVector>) -> Vec<VectorRow> {
    vectors
        .into_iter()
        .map(|vector| (vector.hash, vector.codes.to_vec()))
        .collect()
}

pub fn from_rows(rows: Vec<VectorRow>) -> impl Iterator<Item = ChunkVector> {
    rows.into_iter()
        .map(|(hash, codes)| ChunkVector::from_codes(hash, codes.into()))
}
