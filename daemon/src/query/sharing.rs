//! Answers requests about the vectors that a team shares, from people and from jobs that compute vectors for a team.
//!
//! These requests are not tools: agents have no use for them.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use claudevil_child::vectors::ChunkVector;
use claudevil_child::vectors::sharing::Access;
use claudevil_protocol::sharing::{SharingAction, SharingReport, SharingRequest};
use claudevil_protocol::{ErrorCode, ToolError};

use super::Context;
use crate::index::RootIndex;
use crate::index::models::{ModelTier, OpenModel, SharingStatus};
use crate::index::sharing::Sharing;
use crate::index::snapshot::Snapshot;

/// The longest time that one call waits or pushes; the caller asks again.
const LONGEST_WAIT: Duration = Duration::from_secs(240);
/// The interval at which a waiting call reports its progress.
const REPORT_INTERVAL: Duration = Duration::from_millis(250);
/// The number of vectors that are pushed together.
const PUSH_ROWS: usize = 20_000;

pub fn answer(context: &Context, request: &SharingRequest) -> Result<SharingReport, ToolError> {
    let models = &context.indexes.shared().models;
    if let SharingAction::Status = request.action {
        return Ok(status(context));
    }
    let until = Instant::now() + LONGEST_WAIT;
    // Loading a root opens the model.
    let root = context.roots.resolve(context.call)?.root;
    let index = context.indexes.warm(&root)?;
    let _ = context.indexes.fresh_snapshot(&root)?;
    let model = loop {
        let status = models.sharing_status().ok_or_else(not_set)?;
        if let SharingStatus::Unused { reason, .. } = status {
            let chosen = models.chosen_status();
            let may_open = chosen.filter(|chosen| chosen.destination.is_none());
            let why = may_open.map_or(Some(reason), |chosen| chosen.trouble);
            if let Some(why) = why {
                let message = format!("shared vectors are not used: {why}");
                return Err(ToolError::invalid_argument(message));
            }
        } else if let Some(model) = models.get(ModelTier::Chosen) {
            break model;
        }
        context.cancel.check()?;
        if Instant::now() > until {
            return Err(ToolError::new(ErrorCode::Busy, "the model is not open yet"));
        }
        models.wait_until_open(REPORT_INTERVAL);
    };
    let OpenModel {
        sharing: Some(sharing),
        buffer,
        ..
    } = &model
    else {
        return Err(not_set());
    };
    let mut report = SharingReport::default();
    let mut is_embedded = is_embedded(&index);
    match request.action {
        SharingAction::Status => {}
        SharingAction::Pull => {
            let missing: HashSet<_> = index
                .snapshot()
                .files
                .iter()
                .filter(|file| file.vectors(ModelTier::Chosen).is_none())
                .flat_map(|file| file.outline.chunks.iter().map(|chunk| chunk.hash))
                .collect();
            let read = sharing.fill(buffer, &missing);
            report.moved = read.map_err(|why| failed(&why))?;
            index.look_for_vectors(until.saturating_duration_since(Instant::now()));
            if request.wait {
                is_embedded = wait_until_embedded(context, &index, until)?;
            }
        }
        SharingAction::Push => {
            if request.wait {
                // Files that were just indexed are not known to lack vectors yet.
                index.look_for_vectors(until.saturating_duration_since(Instant::now()));
                is_embedded = wait_until_embedded(context, &index, until)?;
            }
            let (added, is_all) = push(context, sharing, &index.snapshot(), until)?;
            report.moved = added;
            is_embedded &= is_all;
        }
        SharingAction::Collect { days } => {
            let live = context.indexes.shared().ledger.chunk_hashes();
            let live = live.map_err(|error| failed(&error.to_string()))?;
            let done = sharing.collect(live.into_iter().collect(), days);
            let done = done.map_err(|why| failed(&why))?;
            report.collected = Some(done);
        }
    }
    let covered = index.snapshot().coverage(ModelTier::Chosen);
    Ok(SharingReport {
        root: Some(root.name),
        chunks: covered.chunks,
        vectors: covered.vectors,
        is_complete: is_embedded,
        moved: report.moved,
        collected: report.collected,
        ..status(context)
    })
}

fn status(context: &Context) -> SharingReport {
    let models = &context.indexes.shared().models;
    match models.sharing_status() {
        None => SharingReport::default(),
        Some(SharingStatus::Unused { location, reason }) => SharingReport {
            location: Some(location),
            unused: Some(reason),
            ..SharingReport::default()
        },
        Some(SharingStatus::Used(_)) => {
            let model = models.get(ModelTier::Chosen);
            let sharing = model.as_ref().and_then(|model| model.sharing.as_ref());
            let table = sharing.and_then(|sharing| sharing.describe().ok());
            // The state is read after `describe`, which may have set an error.
            let Some(state) = sharing.map(|sharing| sharing.state()) else {
                return SharingReport::default();
            };
            let covered = context.indexes.coverage(ModelTier::Chosen);
            SharingReport {
                location: Some(state.location),
                read_only: state.access == Access::Read,
                model: model.map(|model| model.embedder.model().as_str().to_owned()),
                chunks: covered.chunks,
                vectors: covered.vectors,
                is_complete: covered.chunks == covered.vectors,
                read: state.counts.read,
                made: state.counts.made,
                refused: state.counts.refused,
                added: state.counts.added,
                left_out: state.counts.left_out,
                pending: state.pending,
                trouble: state.trouble,
                table,
                ..SharingReport::default()
            }
        }
    }
}

/// Adds the vectors of a root that the team does not have. Returns how many, and whether there was time for all.
fn push(
    context: &Context,
    sharing: &Arc<Sharing>,
    snapshot: &Snapshot,
    until: Instant,
) -> Result<(u64, bool), ToolError> {
    let covered = snapshot.coverage(ModelTier::Chosen);
    let (mut added, mut done) = (0, 0);
    let mut batch: Vec<ChunkVector> = vec![];
    let mut files = snapshot.files.iter().peekable();
    while let Some(file) = files.next() {
        batch.extend(file.vectors_by_hash(ModelTier::Chosen).into_values());
        if batch.len() < PUSH_ROWS && files.peek().is_some() {
            continue;
        }
        context.cancel.check()?;
        added += sharing.push(&batch).map_err(|why| failed(&why))?;
        done += batch.len() as u64;
        (context.progress)(done, Some(covered.vectors), "vectors shared");
        batch.clear();
        if Instant::now() > until && files.peek().is_some() {
            return Ok((added, false));
        }
    }
    sharing.note_complete_push();
    Ok((added, true))
}

fn is_embedded(index: &RootIndex) -> bool {
    index.wait_for_chosen_vectors(Duration::ZERO)
}

/// Waits until every chunk of a root has a vector of the chosen model, or cannot have one.
fn wait_until_embedded(
    context: &Context,
    index: &RootIndex,
    until: Instant,
) -> Result<bool, ToolError> {
    while !index.wait_for_chosen_vectors(REPORT_INTERVAL) {
        context.cancel.check()?;
        let covered = index.snapshot().coverage(ModelTier::Chosen);
        (context.progress)(covered.vectors, Some(covered.chunks), "chunks embedded");
        if Instant::now() > until {
            return Ok(false);
        }
    }
    Ok(true)
}

fn not_set() -> ToolError {
    ToolError::invalid_argument(
        "no shared vectors are set: config.toml has no `[vectors]` with `shared`",
    )
    .with_hint("docs/shared-vectors.md says how to set them up")
}

fn failed(why: &str) -> ToolError {
    ToolError::new(ErrorCode::Internal, format!("shared vectors: {why}"))
}
