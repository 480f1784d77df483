//! Collects garbage in a shared table: old vectors, duplicates, small files, versions that are no longer read.
//!
//! No machine knows which vectors the other members of a team need. So a vector is removed only if it is old and no root of this machine has its
//! chunk, and one that is removed too early is recomputed where it is needed. A row is deleted by its key and its id together:
//! ids change when another collection merges files, and then nothing is deleted.

use std::collections::HashSet;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use claudevil_child::vectors::ChunkHash;
use claudevil_protocol::sharing::CollectOutcome;
use futures::TryStreamExt;
use lancedb::table::{CompactionOptions, Duration, OptimizeAction};

use super::error::{SharedError, guarded};
use super::keys::hex;
use super::table::{SharedTable, keys_and_ids, not_native, today};
use crate::store::rows::{DAY, HASH};

/// Rows per deletion. Each deletion is a version of its own.
const DELETE_ROWS: usize = 2000;
/// The number of rows of a merged file.
const ROWS_PER_FILE: usize = 200_000;
/// The age from which versions are removed: no reader keeps one for so long.
const RETENTION: Duration = Duration::days(1);

pub(super) async fn collect(
    table: &mut SharedTable,
    live: &[ChunkHash],
    days: u32,
) -> Result<CollectOutcome, SharedError> {
    table.refresh().await?;
    let mut outcome = CollectOutcome {
        files_before: table.state().files,
        ..CollectOutcome::default()
    };
    let live: HashSet<ChunkHash> = live.iter().map(|chunk| table.keys.key(chunk)).collect();
    let doomed = doomed_rows(table, &live, today().saturating_sub(days)).await?;
    for some in doomed.chunks(DELETE_ROWS) {
        let keys: Vec<_> = some
            .iter()
            .map(|(key, _)| format!("X'{}'", hex(key)))
            .collect();
        let ids: Vec<_> = some.iter().map(|(_, id)| id.to_string()).collect();
        let rows = format!(
            "{HASH} IN ({}) AND _rowid IN ({})",
            keys.join(","),
            ids.join(",")
        );
        outcome.removed += guarded(table.table.delete(rows.as_str()))
            .await?
            .num_deleted_rows;
    }
    let options = CompactionOptions {
        target_rows_per_fragment: ROWS_PER_FILE,
        num_threads: Some(1),
        ..CompactionOptions::default()
    };
    guarded(table.table.optimize(OptimizeAction::Compact {
        options,
        remap_options: None,
    }))
    .await?;
    let prune = OptimizeAction::Prune {
        older_than: Some(RETENTION),
        // Files that are in no version may belong to a writer that has not committed yet.
        delete_unverified: Some(false),
        error_if_tagged_old_versions: None,
    };
    let pruned = guarded(table.table.optimize(prune)).await?.prune;
    outcome.freed_bytes = pruned.map_or(0, |pruned| pruned.bytes_removed);
    table.refresh().await?;
    outcome.files_after = table.state().files;
    Ok(outcome)
}

/// Returns the keys and ids of rows that are duplicates, or that are not live and were written on the day `until` or before.
async fn doomed_rows(
    table: &SharedTable,
    live: &HashSet<ChunkHash>,
    until: u32,
) -> Result<Vec<(ChunkHash, u64)>, SharedError> {
    let dataset = table.table.dataset().ok_or_else(not_native)?;
    let dataset = guarded(dataset.get()).await?;
    let batches = guarded(async {
        let mut scanner = dataset.scan();
        scanner.project(&[HASH, DAY])?.with_row_id();
        let batches = scanner.try_into_stream().await?;
        Ok(batches.try_collect::<Vec<RecordBatch>>().await?)
    })
    .await?;
    let (mut seen, mut doomed) = (HashSet::new(), vec![]);
    for batch in &batches {
        let days = batch
            .column_by_name(DAY)
            .and_then(|days| days.as_primitive_opt::<UInt32Type>())
            .ok_or_else(|| SharedError::unusable("the table lacks a column"))?;
        for (row, (key, id)) in keys_and_ids(batch)?.into_iter().enumerate() {
            let is_old = days.value(row) <= until && !live.contains(&key);
            if is_old || !seen.insert(key) {
                doomed.push((key, id));
            }
        }
    }
    Ok(doomed)
}
