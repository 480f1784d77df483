//! An open table: the vectors of one space, and the hashes of those that are readable.
//!
//! Every known hash has been read and checked since the table was opened. Nothing here repairs: damage is an error, which
//! [`super::repair`] handles.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;

use claudevil_child::vectors::{ChunkHash, ChunkVector, Space};
use futures::{FutureExt, TryStreamExt};
use lancedb::Table;
use lancedb::datafusion::common::ScalarValue;
use lancedb::datafusion::logical_expr::{Expr, col, lit};
use lancedb::query::{ExecutableQuery, QueryBase, QueryExecutionOptions};

use super::error::{VectorError, guarded};
use super::ledger::Ledger;
use super::rows::{HASH, HASH_BYTES, Rows};

/// Rows per batch of a scan, a few of which are in memory at a time.
const SCAN_ROWS: u32 = 8192;
/// The most keys that are looked up by a filter; for more, a full scan is cheaper.
const FILTER_KEYS: usize = 1000;
/// Keys per deletion, each of which is a version of its own.
const DELETE_KEYS: usize = 5000;

/// The receiver of a scan's vectors.
pub(super) type Sink<'a> = &'a mut (dyn FnMut(Vec<ChunkVector>) + Send);

pub(super) struct SpaceTable {
    pub table: Table,
    rows: Rows,
    ledger: Ledger,
    known: HashSet<ChunkHash>,
    /// Keys of rows with wrong checksums; the keys themselves may be wrong.
    damaged: HashSet<ChunkHash>,
    damaged_rows: usize,
}

impl SpaceTable {
    /// Reads the whole table once, to learn which rows are readable.
    pub async fn survey(table: Table, rows: Rows, ledger: Ledger) -> Result<Self, VectorError> {
        let schema = guarded(table.schema()).await?;
        rows.fit(&schema)?;
        let mut surveyed = Self {
            table,
            rows,
            ledger,
            known: HashSet::new(),
            damaged: HashSet::new(),
            damaged_rows: 0,
        };
        surveyed.survey_again().await?;
        Ok(surveyed)
    }

    pub async fn survey_again(&mut self) -> Result<(), VectorError> {
        let mut known = HashSet::new();
        let mut note =
            |vectors: Vec<ChunkVector>| known.extend(vectors.into_iter().map(|vector| vector.hash));
        let damaged = self.scan(Part::All, &mut note).await?;
        self.known = known;
        self.damaged_rows = damaged.len();
        self.damaged = damaged.into_iter().collect();
        Ok(())
    }

    pub fn known(&self) -> &HashSet<ChunkHash> {
        &self.known
    }

    pub fn damaged_rows(&self) -> usize {
        self.damaged_rows
    }

    pub fn has_dimensions(&self, space: &Space) -> bool {
        self.rows.dimensions() == space.dimensions
    }

    /// Writes rows and reads them back. Those that are read are known afterwards.
    pub async fn add(&mut self, vectors: &[&ChunkVector]) -> Result<(), VectorError> {
        let batch = self.rows.encode(vectors, 0)?;
        let before = guarded(self.table.count_rows(None)).await?;
        guarded(self.table.add(batch).execute()).await?;
        let mut read = HashSet::new();
        let mut note =
            |vectors: Vec<ChunkVector>| read.extend(vectors.into_iter().map(|vector| vector.hash));
        let damaged = self
            .scan(
                Part::Range {
                    from: before,
                    rows: vectors.len(),
                },
                &mut note,
            )
            .await?;
        read.retain(|hash| !self.known.contains(hash));
        self.record(self.known.len() + read.len()).await?;
        self.damaged_rows += damaged.len();
        self.damaged.extend(damaged);
        self.known.extend(read);
        Ok(())
    }

    /// Hands over the wanted vectors that are sound. Returns the keys of damaged rows.
    pub async fn load(
        &self,
        wanted: &HashSet<ChunkHash>,
        sink: Sink<'_>,
    ) -> Result<Vec<ChunkHash>, VectorError> {
        if wanted.len() <= FILTER_KEYS {
            return self.scan(Part::Keys(wanted), sink).await;
        }
        let mut pick = |mut vectors: Vec<ChunkVector>| {
            vectors.retain(|vector| wanted.contains(&vector.hash));
            sink(vectors);
        };
        self.scan(Part::All, &mut pick).await
    }

    /// Deletes rows that are not live, and every row under the key of a damaged one. Returns how many were deleted.
    pub async fn keep_only(&mut self, live: &HashSet<ChunkHash>) -> Result<u64, VectorError> {
        let dead = self.known.iter().filter(|hash| !live.contains(*hash));
        let dead: HashSet<_> = dead.chain(&self.damaged).copied().collect();
        let dead: Vec<_> = dead.into_iter().collect();
        let mut gone = 0;
        for some in dead.chunks(DELETE_KEYS) {
            let these = any_of(some);
            gone += guarded(self.table.delete(&these)).await?.num_deleted_rows;
            for hash in some {
                self.known.remove(hash);
                self.damaged.remove(hash);
            }
        }
        self.damaged_rows = 0;
        self.record_all().await?;
        Ok(gone)
    }

    /// Records the files in the ledger. Others are deleted when the table is next opened.
    pub async fn record_all(&self) -> Result<(), VectorError> {
        self.record(self.known.len()).await
    }

    async fn record(&self, vectors: usize) -> Result<(), VectorError> {
        self.ledger.record(vectors).await
    }

    async fn scan(&self, part: Part<'_>, sink: Sink<'_>) -> Result<Vec<ChunkHash>, VectorError> {
        let query = match part {
            Part::All => self.table.query(),
            Part::Range { from, rows } => self.table.query().offset(from).limit(rows),
            Part::Keys(keys) if keys.is_empty() => return Ok(vec![]),
            Part::Keys(keys) => self.table.query().only_if_expr(any_of(keys)),
        };
        let mut options = QueryExecutionOptions::default();
        options.max_batch_length = SCAN_ROWS;
        let mut stream = guarded(query.execute_with_options(options)).await?;
        let mut damaged = vec![];
        while let Some(batch) = guarded(stream.try_next()).await? {
            // Arrow's accessors panic on arrays that contradict themselves.
            let checked = AssertUnwindSafe(async { self.rows.decode(&batch) })
                .catch_unwind()
                .await;
            let checked = checked
                .unwrap_or_else(|_| Err(VectorError::damaged("a batch contradicts itself")))?;
            damaged.extend(checked.damaged);
            sink(checked.sound);
        }
        Ok(damaged)
    }
}

enum Part<'a> {
    All,
    Range { from: usize, rows: usize },
    Keys(&'a HashSet<ChunkHash>),
}

fn any_of<'a>(hashes: impl IntoIterator<Item = &'a ChunkHash>) -> Expr {
    let key = |hash: &ChunkHash| {
        lit(ScalarValue::FixedSizeBinary(
            HASH_BYTES,
            Some(hash.to_vec()),
        ))
    };
    col(HASH).in_list(hashes.into_iter().map(key).collect(), false)
}
