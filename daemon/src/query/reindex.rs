//! `reindex`: starts an indexing job, and waits for it if asked to.

use std::path::Path;
use std::time::{Duration, Instant};

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::index_summary::SkippedFile;
use claudevil_protocol::call::Origin;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::reindex::{IndexJob, JobState, Reindex, SettingChange};

use super::Context;
use super::shared::loaded_root::LoadedRoot;
use super::shared::progress::to_answer;
use super::shared::skip_reasons::skip_reason;
use crate::index::{Job, RequestId, RootIndex};
use crate::roots::RootOptions;
use crate::source::beneath::RootDir;
use crate::store::ledger::record::Skip;
use crate::store::roots::RootRecord;

const PROBLEMS_SHOWN: usize = 20;
/// The interval at which a waiting call reports its progress.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

pub fn reindex(context: &Context, params: &Reindex) -> Result<IndexJob, ToolError> {
    let place = context.roots.resolve(context.call)?;
    let (root, settings) = with_settings(context, place.root, params)?;
    let index = context.indexes.warm(&root)?;
    if let Some(why) = index.unavailable() {
        return Err(ToolError::new(
            claudevil_protocol::ErrorCode::RootNotFound,
            format!("{}: {why}", root.path),
        )
        .with_hint("its index is kept; bring the folder back"));
    }
    let path = match &params.path {
        Some(path) => Some(path_to_index(&LoadedRoot::open(context)?, path)?),
        None => place.folder,
    };
    let ordered = match (&path, params.force.unwrap_or(false)) {
        (path, true) => index.reindex(path.as_deref().unwrap_or_default()),
        (Some(path), false) => index.compare(path),
        (None, false) => index.reconcile(),
    };
    let request = ordered.id;
    let is_done = if params.waits() {
        wait_for(context, &index, request)?
    } else {
        index.wait(request, Duration::ZERO)
    };
    let job = describe_job(
        &root,
        &index,
        &ordered,
        path.as_deref().unwrap_or_default(),
        is_done,
    );
    Ok(IndexJob {
        max_tokens: params.common().max_tokens,
        path,
        settings,
        ..job
    })
}

/// Returns a path to index. It must be on disk or in the index: reindexing a removed file takes it out of the index.
fn path_to_index(indexed: &LoadedRoot, path: &str) -> Result<String, ToolError> {
    let path = indexed.path(Some(path))?;
    let snapshot = &indexed.snapshot;
    let is_known =
        path.is_empty() || snapshot.file(&path).is_some() || !snapshot.beneath(&path).is_empty();
    if !is_known {
        RootDir::open(Path::new(&indexed.root.path), &indexed.root.name)?.check_exists(&path)?;
    }
    Ok(path)
}

/// Stores new sizes of chunks with the root.
fn with_settings(
    context: &Context,
    root: RootRecord,
    params: &Reindex,
) -> Result<(RootRecord, Vec<SettingChange>), ToolError> {
    let mut changes = vec![];
    let shown = |value: Option<u32>| value.map_or("default".to_owned(), |value| value.to_string());
    for (key, from, to) in [
        ("chunk_size", root.chunk_size, params.chunk_size),
        ("overlap", root.overlap, params.overlap),
    ] {
        if to.is_some() && to != from {
            changes.push(SettingChange {
                key: key.to_owned(),
                from: shown(from),
                to: shown(to),
            });
        }
    }
    if changes.is_empty() {
        return Ok((root, changes));
    }
    let options = RootOptions {
        chunk_size: params.chunk_size,
        overlap: params.overlap,
        ..RootOptions::default()
    };
    let (root, _) = context.roots.add(&root.path, &options, Origin::Argument)?;
    Ok((root, changes))
}

/// Waits for the end of a job, and reports its progress.
fn wait_for(context: &Context, index: &RootIndex, request: RequestId) -> Result<bool, ToolError> {
    let until = Instant::now() + Reindex::LONGEST_WAIT;
    while !index.wait(request, REPORT_INTERVAL) {
        context.cancel.check()?;
        let progress = index.progress();
        (context.progress)(
            progress.reached(),
            (progress.total > 0).then_some(progress.total),
            "files",
        );
        if Instant::now() > until {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Describes a job that covers a path of the root.
fn describe_job(
    root: &RootRecord,
    index: &RootIndex,
    ordered: &Job,
    path: &str,
    is_done: bool,
) -> IndexJob {
    let done = index.job_counts(ordered);
    let progress = index.progress();
    let snapshot = index.snapshot();
    let covered = match snapshot.file(path) {
        Some(file) => std::slice::from_ref(file),
        None => snapshot.beneath(path),
    };
    let killed = |skip: &Skip| {
        matches!(
            skip,
            Skip::ParserCrashed | Skip::ParserTooSlow | Skip::ParserMemory | Skip::Unreadable
        )
    };
    let problems: Vec<SkippedFile> = covered
        .iter()
        .filter_map(|file| {
            let skip = file.skip().filter(killed)?;
            Some(SkippedFile {
                path: file.path.clone(),
                reason: skip_reason(skip),
            })
        })
        .collect();
    let failure = index.trouble();
    let files = covered.len() as u64;
    let is_queued = !index.is_running();
    IndexJob {
        root: root.path.clone(),
        root_name: root.name.clone(),
        max_tokens: 0,
        path: None,
        job: match ordered.id {
            RequestId::Job(number) | RequestId::Refresh(number) => number,
        },
        state: match (is_done, &failure) {
            (true, Some(_)) => JobState::Failed,
            (true, None) => JobState::Done,
            (false, _) if is_queued => JobState::Queued,
            (false, _) => JobState::Running,
        },
        progress: (!is_done).then(|| to_answer(&progress)),
        files_done: if is_done { files } else { progress.done },
        files_total: if is_done {
            Some(files)
        } else {
            (progress.total > 0).then_some(progress.total)
        },
        started: (is_done || !is_queued).then_some(ordered.started),
        took_millis: is_done
            .then(|| u64::try_from(ordered.elapsed().as_millis()).unwrap_or(u64::MAX)),
        changed: done.changed,
        removed: done.removed,
        unchanged: if is_done {
            files.saturating_sub(done.changed)
        } else {
            0
        },
        skipped: covered.iter().filter(|file| file.skip().is_some()).count() as u64,
        settings: vec![],
        total_problems: problems.len() as u64,
        problems: problems.into_iter().take(PROBLEMS_SHOWN).collect(),
        failure,
        truncated: false,
    }
}
