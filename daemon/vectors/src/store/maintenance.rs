//! Maintains a table: pruning, compaction, and index optimisation.
//!
//! Each action may fail without the others. Pruning comes first, so that the version before a compaction stays until the next
//! time, because the files of a compaction are not synced either.

use lancedb::table::{CompactionOptions, Duration, OptimizeAction, OptimizeOptions};

use super::error::{VectorError, guarded};
use super::table::SpaceTable;

/// The age below which versions stay, so that there is one to step back to.
pub(super) const RETENTION: Duration = Duration::minutes(10);
const ROWS_PER_FRAGMENT: usize = 50_000;

/// The outcome of each action.
#[derive(Clone, Debug)]
pub struct Maintenance {
    pub pruning: Result<(), VectorError>,
    pub compaction: Result<(), VectorError>,
    pub indexes: Result<(), VectorError>,
}

impl Maintenance {
    /// Describes the actions that failed.
    pub fn failures(&self) -> Vec<String> {
        let failed = |what: &str, error: Option<&VectorError>| {
            error.map(|error| format!("{what} failed: {error}"))
        };
        let pruning = failed("pruning", self.pruning.as_ref().err());
        let compaction = failed("compaction", self.compaction.as_ref().err());
        let indexes = failed("index optimisation", self.indexes.as_ref().err());
        [pruning, compaction, indexes]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// Runs all actions. The caller has locked the table, so there are no files of an unfinished write.
pub(super) async fn maintain(table: &mut SpaceTable, retention: Duration) -> Maintenance {
    Maintenance {
        pruning: prune(table, retention).await,
        compaction: compact(table).await,
        indexes: guarded(
            table
                .table
                .optimize(OptimizeAction::Index(OptimizeOptions::default())),
        )
        .await
        .map(|_| ()),
    }
}

async fn prune(table: &SpaceTable, retention: Duration) -> Result<(), VectorError> {
    let action = OptimizeAction::Prune {
        older_than: Some(retention),
        // No other process writes to the directory.
        delete_unverified: Some(true),
        error_if_tagged_old_versions: None,
    };
    guarded(table.table.optimize(action)).await.map(|_| ())
}

async fn compact(table: &mut SpaceTable) -> Result<(), VectorError> {
    let options = CompactionOptions {
        target_rows_per_fragment: ROWS_PER_FRAGMENT,
        num_threads: Some(1),
        ..CompactionOptions::default()
    };
    let stats = guarded(table.table.optimize(OptimizeAction::Compact {
        options,
        remap_options: None,
    }))
    .await?;
    let moved = stats.compaction.unwrap_or_default();
    // The ledger records only what has been read.
    if moved.fragments_added > 0 {
        table.survey_again().await?;
    }
    table.record_all().await
}
