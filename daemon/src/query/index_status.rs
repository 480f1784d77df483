//! `index_status`: the health of each part of the daemon, and the state of each root.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Instant;

use claudevil_child::vectors::sharing::Access;
use claudevil_protocol::ToolError;
use claudevil_protocol::answer::index_summary::{
    IndexSummary, IndexedCommit, LanguageCount, SkipCount, SkipReason, SkippedFile, SkippedFiles,
};
use claudevil_protocol::text::CliCommand;
use claudevil_protocol::text::quantity::{bytes, count};
use claudevil_protocol::tools::index_status::{
    Health, IndexStatus, Part, RootState, RootStatus, Setting, Status, WatchMode,
};

use super::Context;
use super::shared::precise_coverage::coverage;
use super::shared::progress::to_answer;
use super::shared::skip_reasons::skip_reason;
use crate::clock;
use crate::extract::ChunkSizes;
use crate::index::models::{ChosenModelStatus, ModelTier, OpenModel, SharingStatus};
use crate::index::progress::Phase;
use crate::index::snapshot::Snapshot;
use crate::index::{Indexes, RootIndex};
use crate::source::walk::unavailable_reason;
use crate::source::watch::{PollReason, WatchMethod, WatcherState};
use crate::store::ledger::record;
use crate::store::roots::{RootRecord, RootStore};
use crate::store::text;

const EXAMPLES: usize = 20;

pub fn index_status(context: &Context, params: &IndexStatus) -> Result<Status, ToolError> {
    let daemon = context.daemon.info();
    let parts = parts(
        context.roots.store(),
        context.indexes,
        context.daemon.ignored_settings(),
    );
    let mut roots = roots(context, params)?;
    context.daemon.add_savings(&mut roots);
    let is_unavailable = roots.iter().any(|root| root.unavailable.is_some());
    let worst = parts
        .iter()
        .map(|part| part.health)
        .max()
        .unwrap_or(Health::Healthy);
    let wants_details = params.detailed.unwrap_or(false);
    Ok(Status {
        health: if is_unavailable {
            worst.max(Health::Degraded)
        } else {
            worst
        },
        parts,
        daemon,
        now: clock::now(),
        total_roots: context.roots.visible(context.call).len() as u64,
        roots,
        truncated: false,
        details: wants_details.then(|| context.daemon.details(context.call)),
    })
}

/// Returns the status of the roots of a call. The named root, or else that of the session, is loaded and brought up to date;
/// other roots that are not loaded are described from the ledger.
fn roots(context: &Context, params: &IndexStatus) -> Result<Vec<RootStatus>, ToolError> {
    let named = params.root.as_deref().is_some_and(|root| root != "*");
    // The project of the session may be refused as a root; this is an error only if the root is named.
    let own = if named {
        Some(context.roots.resolve(context.call)?.root)
    } else {
        own_root(context)
    };
    let mut selected: Vec<RootRecord> = if named {
        own.iter().cloned().collect()
    } else {
        context.roots.visible(context.call)
    };
    let is_own = |root: &RootRecord| own.as_ref().is_some_and(|own| own.id == root.id);
    // The session's root comes first, so that it stays if not all roots fit into the answer.
    selected.sort_by_key(|root| !is_own(root));
    selected
        .iter()
        .map(|root| {
            context.cancel.check()?;
            let is_own = is_own(root);
            let away = unavailable_reason(root.path.as_ref());
            if is_own && away.is_none() {
                // A status that does not reflect the tree as it is now would mislead.
                let _ = context.indexes.fresh_snapshot(root)?;
            }
            let loaded = context
                .indexes
                .loaded(root.id)
                .filter(|index| !index.is_stopped());
            let status = RootStatus {
                name: root.name.clone(),
                path: root.path.clone(),
                is_session: is_own && !named,
                added: root.added,
                last_used: root.last_used,
                state: RootState::NeverIndexed,
                unavailable: away,
                progress: None,
                index: None,
                precise: vec![],
                watch: WatchMode::Unwatched,
                watch_reason: None,
                unused_rules: vec![],
                trouble: None,
                savings: None,
                answer_costs: vec![],
            };
            Ok(match loaded {
                Some(index) => describe_loaded(context.indexes, &index, status),
                None => describe_unloaded(context.indexes, root, status),
            })
        })
        .collect()
}

fn own_root(context: &Context) -> Option<RootRecord> {
    context
        .roots
        .resolve(context.call)
        .ok()
        .map(|place| place.root)
}

fn describe_loaded(indexes: &Indexes, index: &RootIndex, status: RootStatus) -> RootStatus {
    let progress = index.progress();
    let state = index.state();
    let unavailable = status.unavailable.clone().or_else(|| index.unavailable());
    let is_working = matches!(progress.phase, Phase::Walking | Phase::Indexing) || !state.complete;
    let (watch, watch_reason) = match index.watching() {
        Some(WatchMethod::Events) => (WatchMode::Events, None),
        Some(WatchMethod::Polling(reason)) => (WatchMode::Polling, Some(why_polling(&reason))),
        None => (WatchMode::Unwatched, None),
    };
    let snapshot = index.snapshot();
    RootStatus {
        state: match (&unavailable, is_working) {
            (Some(_), _) => RootState::Unavailable,
            (None, true) => RootState::Indexing,
            (None, false) => RootState::Ready,
        },
        progress: Some(progress)
            .filter(|_| is_working)
            .or_else(|| index.embedding())
            .filter(|_| unavailable.is_none())
            .map(|progress| to_answer(&progress)),
        index: (state.generation > 0).then(|| summary(indexes, index.root.id, &snapshot, &state)),
        precise: coverage(&indexes.shared().precise.get(index.root.id), &snapshot),
        unavailable,
        watch,
        watch_reason,
        unused_rules: index.unused_rules(),
        trouble: index.trouble(),
        ..status
    }
}

fn describe_unloaded(indexes: &Indexes, root: &RootRecord, status: RootStatus) -> RootStatus {
    let known = indexes.shared().ledger.state(root.id).ok().flatten();
    let state = match (&status.unavailable, &known) {
        (Some(_), _) => RootState::Unavailable,
        (None, Some(_)) => RootState::Unloaded,
        (None, None) => RootState::NeverIndexed,
    };
    let index = known.map(|state| {
        let mut summary = summary(indexes, root.id, &Snapshot::default(), &state);
        let counts = state.counts;
        (summary.files, summary.chunks, summary.symbols) =
            (counts.files, counts.chunks, counts.symbols);
        summary.source_bytes = counts.source_bytes;
        summary.skipped.total = counts.skipped;
        averages(&mut summary);
        summary
    });
    RootStatus {
        state,
        index,
        ..status
    }
}

fn why_polling(reason: &PollReason) -> String {
    match reason {
        PollReason::WatchLimit => {
            "the system allows no more watches (fs.inotify.max_user_watches)".to_owned()
        }
        PollReason::NetworkFilesystem => "it is on a network or FUSE file system".to_owned(),
        PollReason::Refused(why) => why.clone(),
    }
}

fn summary(
    indexes: &Indexes,
    root: u64,
    snapshot: &Snapshot,
    state: &record::RootState,
) -> IndexSummary {
    let mut languages = BTreeMap::<&str, u64>::new();
    let mut skips = BTreeMap::<SkipReason, u64>::new();
    let mut examples = vec![];
    let mut summary = IndexSummary {
        files: 0,
        chunks: 0,
        symbols: 0,
        vectors: 0,
        bytes_on_disk: crate::store::bytes_below(&text::folder(&indexes.shared().data, root)),
        source_bytes: 0,
        chunks_per_file: 0.0,
        bytes_per_chunk: 0,
        languages: vec![],
        commit: state.commit.clone().map(|hash| IndexedCommit {
            hash,
            branch: state.branch.clone(),
        }),
        created: state.created,
        last_indexed: state.last_indexed,
        last_change: snapshot
            .files
            .iter()
            .map(|file| clock::nanos_to_millis(file.record.modified_nanos))
            .max(),
        skipped: SkippedFiles::default(),
        redacted_secrets: 0,
        parse_errors: 0,
    };
    for file in &snapshot.files {
        if let Some(skip) = file.skip() {
            let reason = skip_reason(skip);
            *skips.entry(reason).or_default() += 1;
            if examples.len() < EXAMPLES {
                examples.push(SkippedFile {
                    path: file.path.clone(),
                    reason,
                });
            }
            continue;
        }
        summary.files += 1;
        summary.chunks += file.outline.chunks.len() as u64;
        summary.vectors += file
            .vectors(ModelTier::BuiltIn)
            .map_or(0, |vectors| vectors.len() as u64);
        summary.symbols += file.outline.symbols.len() as u64;
        summary.source_bytes += file.record.size;
        summary.redacted_secrets += file.outline.redactions.len() as u64;
        summary.parse_errors +=
            u64::from(file.outline.problems.syntax_errors > 0 || file.outline.problems.unparsed);
        if let Some(language) = file.language {
            *languages.entry(language.id).or_default() += 1;
        }
    }
    summary.skipped.total = skips.values().sum();
    summary.skipped.reasons = skips
        .into_iter()
        .map(|(reason, files)| SkipCount { reason, files })
        .collect();
    summary
        .skipped
        .reasons
        .sort_by_key(|one| Reverse(one.files));
    summary.skipped.examples = examples;
    summary.languages = languages
        .into_iter()
        .map(|(language, files)| LanguageCount {
            language: language.to_owned(),
            files,
        })
        .collect();
    summary.languages.sort_by_key(|one| Reverse(one.files));
    averages(&mut summary);
    summary
}

fn averages(summary: &mut IndexSummary) {
    if summary.files > 0 {
        #[expect(clippy::cast_precision_loss, reason = "counts of files and chunks")]
        let mean = summary.chunks as f64 / summary.files as f64;
        summary.chunks_per_file = (mean * 10.0).round() / 10.0;
    }
    summary.bytes_per_chunk = summary
        .source_bytes
        .checked_div(summary.chunks)
        .unwrap_or_default();
}

/// Returns the settings of chunk sizes: the defaults, and those of roots that set their own.
pub fn chunking(roots: &[RootRecord]) -> Vec<Setting> {
    let setting = |key: &str, value: u32, source: String| Setting {
        key: key.to_owned(),
        value: value.to_string(),
        source,
    };
    let ChunkSizes {
        target, overlap, ..
    } = ChunkSizes::default();
    let mut settings = vec![
        setting("chunk_size", target, "default".to_owned()),
        setting("overlap", overlap, "default".to_owned()),
    ];
    for root in roots {
        for (key, own) in [("chunk_size", root.chunk_size), ("overlap", root.overlap)] {
            settings.extend(own.map(|own| setting(key, own, format!("root {}", root.name))));
        }
    }
    settings
}

/// Probes each part. Only the registry can be unhealthy: without it nothing can be answered.
fn parts(registry: &RootStore, indexes: &Indexes, ignored: &[String]) -> Vec<Part> {
    let started = Instant::now();
    let found = registry.probe();
    let registry = match (found, &registry.damaged_copy) {
        (Ok(roots), None) => part(
            "registry",
            Health::Healthy,
            started,
            count(roots as u64, "root"),
        ),
        (Ok(roots), Some(aside)) => {
            let roots = count(roots as u64, "root");
            let detail = format!(
                "{roots}; the previous registry was damaged and was moved to {}",
                aside.display()
            );
            part("registry", Health::Degraded, started, detail)
        }
        (Err(error), _) => part(
            "registry",
            Health::Unhealthy,
            started,
            error.message.to_string(),
        ),
    };
    let started = Instant::now();
    let ledger = match indexes.shared().ledger.state(0) {
        Ok(_) => part(
            "ledger",
            Health::Healthy,
            started,
            "files and facts".to_owned(),
        ),
        Err(error) => part("ledger", Health::Degraded, started, error.to_string()),
    };
    let started = Instant::now();
    let watcher = match indexes.shared().watcher.state() {
        WatcherState::Working => part(
            "watcher",
            Health::Healthy,
            started,
            "follows edits".to_owned(),
        ),
        WatcherState::NoCookies(why) => part("watcher", Health::Degraded, started, why),
        WatcherState::Dead => part(
            "watcher",
            Health::Degraded,
            started,
            "it has ended; roots are polled".to_owned(),
        ),
    };
    let mut parts = vec![registry, ledger, watcher, vectors(indexes)];
    let started = Instant::now();
    parts.extend(
        indexes
            .shared()
            .models
            .chosen_status()
            .map(|chosen| model(indexes, &chosen, started)),
    );
    let sharing = indexes.shared().models.sharing_status();
    parts.extend(sharing.map(|status| shared_vectors(&status, started)));
    parts.extend(memory(indexes, started));
    // Settings without effect are listed, so that whoever set them notices.
    parts.extend(
        (!ignored.is_empty())
            .then(|| part("settings", Health::Degraded, started, ignored.join("; "))),
    );
    parts
}

/// Describes the memory of the loaded roots, if it is more than the budget.
fn memory(indexes: &Indexes, started: Instant) -> Option<Part> {
    let (used, budget) = indexes.memory_use();
    let (used, budget) = (used as u64, budget as u64);
    (used > budget).then(|| {
        let detail = format!(
            "the loaded projects take {}, more than `memory_mb` allows ({}): only the one that was used last stays loaded",
            bytes(used),
            bytes(budget)
        );
        part("memory", Health::Degraded, started, detail)
    })
}

/// Describes the model that is configured besides the built-in one: its health, its progress, and where texts are sent.
fn model(indexes: &Indexes, chosen: &ChosenModelStatus, started: Instant) -> Part {
    let mut words = vec![chosen.name.clone()];
    let mut health = Health::Healthy;
    match (&chosen.open, &chosen.trouble) {
        (Some((id, dimensions)), trouble) => {
            words.push(format!("{id}, {dimensions} dimensions"));
            let covered = indexes.coverage(ModelTier::Chosen);
            words.push(format!(
                "{} of {} in memory have its vectors",
                covered.vectors,
                count(covered.chunks, "chunk")
            ));
            words.extend(chosen.detail.clone());
            if let Some(why) = trouble {
                health = Health::Degraded;
                words.push(format!(
                    "error: {why}; the built-in model is used meanwhile"
                ));
            }
        }
        (None, Some(why)) => {
            health = Health::Degraded;
            words.push(format!("not in use: {why}; the built-in model is used"));
        }
        (None, None) if chosen.is_opening => {
            let got = crate::store::bytes_below(&indexes.shared().data.join("models"));
            words.push(format!(
                "loading, {} of models on disk; the built-in model is used meanwhile",
                bytes(got)
            ));
        }
        (None, None) => words.push("opens with the first query".to_owned()),
    }
    if let Some(destination) = &chosen.destination {
        words.push(format!(
            "the text of your code, secrets blanked, and your questions are sent to {destination}"
        ));
    }
    part("model", health, started, words.join("; "))
}

/// Describes the vectors that a team shares.
fn shared_vectors(status: &SharingStatus, started: Instant) -> Part {
    let (health, words) = match status {
        SharingStatus::Unused { location, reason } => (
            Health::Healthy,
            vec![location.clone(), format!("not used: {reason}")],
        ),
        SharingStatus::Used(state) => {
            let counts = state.counts;
            let mut words = vec![
                state.location.clone(),
                format!(
                    "{} read, {} computed here",
                    count(counts.read, "vector"),
                    counts.made
                ),
            ];
            words.push(match state.access {
                Access::Read => "nothing is added (`read_only`)".to_owned(),
                Access::ReadAndWrite => {
                    format!("{} added, {} to be added", counts.added, state.pending)
                }
            });
            if counts.refused > 0 {
                words.push(format!(
                    "{} damaged or forged, and computed here",
                    counts.refused
                ));
            }
            if counts.left_out > 0 {
                words.push(format!(
                    "{} not added: {} tries again",
                    counts.left_out,
                    CliCommand::VectorsPush
                ));
            }
            let trouble = state.trouble.as_ref();
            words.extend(
                trouble.map(|why| format!("error: {why}; vectors are computed locally meanwhile")),
            );
            let health = if trouble.is_some() {
                Health::Degraded
            } else {
                Health::Healthy
            };
            (health, words)
        }
    };
    part("shared vectors", health, started, words.join("; "))
}

fn vectors(indexes: &Indexes) -> Part {
    let started = Instant::now();
    let Some(OpenModel { buffer, .. }) = indexes.shared().models.get(ModelTier::BuiltIn) else {
        let detail = "no vectors are computed (`embedder` is none): searches use words alone";
        return part("vectors", Health::Healthy, started, detail.to_owned());
    };
    match buffer.contents() {
        Ok(found) => {
            if let Some(missing) = buffer.missing_program() {
                return part("vectors", Health::Healthy, started, missing);
            }
            let mut detail = vec![
                format!("{} stored", found.vectors),
                buffer.model().to_owned(),
            ];
            detail.extend(found.troubles);
            detail.extend(buffer.trouble());
            let health = if detail.len() > 2 {
                Health::Degraded
            } else {
                Health::Healthy
            };
            part("vectors", health, started, detail.join("; "))
        }
        Err(error) => part("vectors", Health::Degraded, started, error),
    }
}

fn part(name: &str, health: Health, started: Instant, detail: String) -> Part {
    let latency_micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    Part {
        name: name.to_owned(),
        health,
        latency_micros,
        detail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_chunks_are_listed_as_settings() {
        let root = |name: &str, chunk_size, overlap| RootRecord {
            id: 1,
            name: name.to_owned(),
            path: format!("/{name}"),
            include: vec![],
            exclude: vec![],
            chunk_size,
            overlap,
            added: 0,
            last_used: 0,
        };
        let shown = chunking(&[
            root("engine", None, None),
            root("atlas", Some(400), Some(50)),
        ]);
        let shown: Vec<String> = shown
            .iter()
            .map(|one| format!("{} {} {}", one.key, one.value, one.source))
            .collect();
        let expected = [
            "chunk_size 900 default",
            "overlap 0 default",
            "chunk_size 400 root atlas",
            "overlap 50 root atlas",
        ];
        assert_eq!(shown, expected);
    }
}
