//! `index_status`: the health of each part, and what is known of each root.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use claudevil_protocol::model::index_status::{
    Health, IndexStatus, LanguageCount, Part, RootStatus, WalkSummary, WatchMode,
};
use claudevil_protocol::text::quantity::count;
use claudevil_protocol::{ErrorCode, ToolError};

use super::Context;
use super::list_files::{language_of, rules_of};
use crate::clock;
use crate::source::beneath::RootDir;
use crate::source::walk::{unavailable, walk};
use crate::store::roots::{RootRecord, RootStore};
use crate::store::vectors::VectorStore;

/// What the latest walk of each root saw, so that a status of all roots need not walk them all.
#[derive(Default)]
pub struct WalkMemory(Mutex<HashMap<u64, WalkSummary>>);

/// The roots that were asked about. One that was named, and the session's own, are walked for it; of others, what is
/// remembered is shown.
pub fn roots(context: &Context, params: &IndexStatus, memory: &WalkMemory) -> Result<Vec<RootStatus>, ToolError> {
    let named = params.root.as_deref().is_some_and(|root| root != "*");
    // Without a name the session's project is only of interest, and may be one that is refused.
    let own = if named { Some(context.roots.resolve(context.call)?.root) } else { own_root(context) };
    let asked = if named { own.iter().cloned().collect() } else { context.roots.store().all() };
    asked
        .iter()
        .map(|root| {
            let unavailable = unavailable(root.path.as_ref());
            let is_own = own.as_ref().is_some_and(|own| own.id == root.id);
            let walk = if is_own && unavailable.is_none() {
                Some(memory.remember(root.id, summarise(context, root)?))
            } else {
                memory.recall(root.id)
            };
            Ok(RootStatus {
                name: root.name.clone(),
                path: root.path.clone(),
                is_session: is_own && !named,
                added: root.added,
                last_used: root.last_used,
                unavailable,
                walk,
                watch: WatchMode::OnDemand,
            })
        })
        .collect()
}

fn own_root(context: &Context) -> Option<RootRecord> {
    context.roots.resolve(context.call).ok().map(|place| place.root)
}

/// Tries each store. The registry alone decides whether answers can be given at all.
pub async fn parts(registry: &RootStore, vectors: &VectorStore) -> Vec<Part> {
    let started = Instant::now();
    let found = registry.probe();
    let registry = match (found, &registry.put_aside) {
        (Ok(roots), None) => part("registry", Health::Healthy, started, count(roots as u64, "root")),
        (Ok(roots), Some(aside)) => {
            let roots = count(roots as u64, "root");
            let detail = format!("{roots}; the earlier registry was damaged and lies at {}", aside.display());
            part("registry", Health::Degraded, started, detail)
        }
        (Err(error), _) => part("registry", Health::Unhealthy, started, error.message),
    };
    let started = Instant::now();
    let vectors = match vectors.probe().await {
        Ok(found) if found.troubles.is_empty() => {
            part("vectors", Health::Healthy, started, format!("{} stored", found.vectors))
        }
        Ok(found) => {
            let detail = format!("{} stored; {}", found.vectors, found.troubles.join("; "));
            part("vectors", Health::Degraded, started, detail)
        }
        Err(error) => part("vectors", Health::Degraded, started, error.to_string()),
    };
    vec![registry, vectors]
}

fn part(name: &str, health: Health, started: Instant, detail: String) -> Part {
    let latency_micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    Part { name: name.to_owned(), health, latency_micros, detail }
}

fn summarise(context: &Context, root: &RootRecord) -> Result<WalkSummary, ToolError> {
    let started = Instant::now();
    let dir = RootDir::open(root.path.as_ref(), &root.name)?;
    let seen = |files| (context.progress)(files, None, "files seen");
    let walked = walk(root.path.as_ref(), &rules_of(root)?, context.cancel, &seen);
    let mut languages = BTreeMap::<&str, u64>::new();
    for file in &walked.files {
        if context.cancel.is_cancelled() {
            return Err(ToolError::new(ErrorCode::Cancelled, "the caller gave up"));
        }
        if let Some(language) = language_of(&dir, &file.path) {
            *languages.entry(language.id).or_default() += 1;
        }
    }
    let mut languages: Vec<_> =
        languages.into_iter().map(|(language, files)| LanguageCount { language: language.to_owned(), files }).collect();
    languages.sort_by_key(|one| std::cmp::Reverse(one.files));
    Ok(WalkSummary {
        at: clock::now(),
        took_millis: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        files: walked.files.len() as u64,
        bytes: walked.files.iter().map(|file| file.size).sum(),
        languages,
        last_change: walked.files.iter().map(|file| file.modified).max(),
        unreadable: walked.unreadable.len() as u64,
    })
}

impl WalkMemory {
    fn remember(&self, root: u64, walk: WalkSummary) -> WalkSummary {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(root, walk.clone());
        walk
    }

    fn recall(&self, root: u64) -> Option<WalkSummary> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&root).cloned()
    }
}
