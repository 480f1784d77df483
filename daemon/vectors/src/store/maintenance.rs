//! Keeping a table small: pruning, compaction, and bringing indexes up to date.
//!
//! Three actions, each of which may fail without the others. Pruning comes first, so that the version before a
//! compaction stays until the next time: what compaction writes is not synced either.

use lancedb::table::{CompactionOptions, Duration, OptimizeAction, OptimizeOptions};

use super::error::{VectorError, guarded};
use super::table::SpaceTable;

/// Versions younger than this stay, so that there is one to step back to.
pub(super) const KEPT: Duration = Duration::minutes(10);
const ROWS_PER_FRAGMENT: usize = 50_000;

/// The outcome of each action.
#[derive(Clone, Debug)]
pub struct Maintenance {
    pub pruning: Result<PruneOutcome, VectorError>,
    pub compaction: Result<CompactionOutcome, VectorError>,
    pub indexes: Result<(), VectorError>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PruneOutcome {
    pub versions: u64,
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompactionOutcome {
    pub fragments_removed: usize,
    pub fragments_added: usize,
}

impl Maintenance {
    /// In words, those that failed.
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

/// The caller holds the table for itself, so that no file of an unfinished write is taken for a leftover.
pub(super) async fn maintain(table: &mut SpaceTable, kept: Duration, owner: Owner) -> Maintenance {
    Maintenance {
        pruning: prune(table, kept, owner).await,
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

/// Who else may be writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    OnlyUs,
    Shared,
}

async fn prune(
    table: &SpaceTable,
    kept: Duration,
    owner: Owner,
) -> Result<PruneOutcome, VectorError> {
    let action = OptimizeAction::Prune {
        older_than: Some(kept),
        delete_unverified: Some(owner == Owner::OnlyUs),
        error_if_tagged_old_versions: None,
    };
    let removed = guarded(table.table.optimize(action))
        .await?
        .prune
        .unwrap_or_default();
    Ok(PruneOutcome {
        versions: removed.old_versions,
        bytes: removed.bytes_removed,
    })
}

async fn compact(table: &mut SpaceTable) -> Result<CompactionOutcome, VectorError> {
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
    // The ledger takes in what has been read, and no more.
    if moved.fragments_added > 0 {
        table.survey_again().await?;
    }
    table.record_all().await?;
    Ok(CompactionOutcome {
        fragments_removed: moved.fragments_removed,
        fragments_added: moved.fragments_added,
    })
}
