//! `history`: commits by words and meaning, or the timeline of a symbol or path.

mod ranking;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use claudevil_protocol::answer::graph::SymbolQuery;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::history::{self as answer, CommitHistory, HistoryGap};
use claudevil_protocol::{ErrorCode, ToolError};

use self::ranking::rank;
use super::Context;
use super::shared::commits::{co_changed, describe_commit};
use super::shared::graph_root::GraphRoot;
use super::shared::loaded_root::LoadedRoot;
use super::shared::paths::relative_path;
use crate::clock;
use crate::history::{Commit, History, TimelineEntry, split_name};
use crate::index::models::ModelTier;
use crate::source::beneath::RootDir;
use crate::source::git::GitError;

/// The longest wait for a history that is still being read.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// The most files that are listed as changing together with a path.
const MAX_TOGETHER: usize = 5;

pub fn history(context: &Context, params: &answer::History) -> Result<CommitHistory, ToolError> {
    let place = context.roots.resolve(context.call)?;
    let root = place.root;
    // Keeps the root loaded, because its history is unloaded with it.
    context.indexes.warm(&root)?;
    let path = match &params.path {
        Some(path) => Some(relative_path(&root.path, path)?),
        None => place.folder.filter(|_| params.symbol.is_none()),
    };
    let path = path.filter(|path| !path.is_empty());
    let symbols = match &params.symbol {
        Some(name) => Some(TimelineSubject::find(context, name, path.as_deref())?),
        None => None,
    };
    let mut found = CommitHistory {
        root: root.path.clone(),
        root_name: root.name.clone(),
        max_tokens: params.common().max_tokens,
        query: params.query.clone(),
        symbol: symbols.as_ref().map(|symbols| symbols.name.clone()),
        path,
        since: params.since.clone(),
        limit: params.limit(),
        ..CommitHistory::default()
    };
    let histories = &context.indexes.shared().histories;
    let folder = Path::new(&root.path);
    let history = match histories.current(root.id, folder, LONGEST_WAIT, context.cancel) {
        Ok(history) => history,
        Err(GitError::Cancelled) => return Err(GitError::Cancelled.into()),
        Err(GitError::NoRepository(_)) => {
            found.gaps.push(HistoryGap::NoRepository);
            return Ok(found);
        }
        Err(error) => {
            found.gaps.push(HistoryGap::Unreadable(error.to_string()));
            return Ok(found);
        }
    };
    context.cancel.check()?;
    found.gaps = gaps(&history);
    found.searched = history.commits.len() as u64;
    found.oldest = history.commits.last().map(|commit| commit.seconds * 1000);
    // A query that is a path asks for its changes: its words are those of many other commits.
    if let (None, Some(path)) = (&symbols, found.query.as_deref())
        && history.has_path(path)
    {
        found.path = found.query.take();
    }
    let mut timeline = match (&symbols, &found.path) {
        (Some(symbols), path) => symbols.timeline(&history, path.as_deref()),
        (None, Some(path)) => {
            let timeline = history.file_timeline(path);
            if timeline.is_empty() {
                history.folder_timeline(path)
            } else {
                found.together = co_changed(&history, &[path], MAX_TOGETHER, |_| true);
                timeline
            }
        }
        (None, None) => history
            .commits
            .iter()
            .map(|commit| (commit, None))
            .collect(),
    };
    let is_whole = history.unread == 0 && !history.is_behind;
    if timeline.is_empty() && is_whole {
        if let Some(unknown) = symbols.and_then(|symbols| symbols.unknown) {
            return Err(unknown);
        }
        if let Some(path) = &found.path {
            let dir = RootDir::open(folder, &found.root_name)?;
            if let Err(missing) = dir.check_exists(path) {
                return Err(LoadedRoot::open(context)?.with_nearest_paths(missing, path));
            }
        }
    }
    if let Some(since) = params.since(clock::now()) {
        timeline.retain(|(commit, _)| commit.seconds.saturating_mul(1000) >= since);
    }
    let ranked = match &found.query {
        Some(query) if is_commit_id(query) => {
            let places = (0..timeline.len()).filter(|place| has_id(timeline[*place].0, query));
            places.map(|place| (place, None)).collect()
        }
        Some(query) => {
            let commits: Vec<_> = timeline.iter().map(|(commit, _)| *commit).collect();
            let model = context.indexes.shared().models.get(ModelTier::BuiltIn);
            let embedder = model.as_ref().map(|model| &*model.embedder);
            let ranked = rank(query, &commits, &history.strings, embedder);
            let scored = |(place, score)| (place, Some(score));
            ranked.into_iter().map(scored).collect()
        }
        None => (0..timeline.len())
            .map(|place| (place, None))
            .collect::<Vec<_>>(),
    };
    let authors: HashSet<_> = ranked
        .iter()
        .map(|(place, _)| timeline[*place].0.author)
        .collect();
    found.authors = authors.len() as u64;
    found.total = ranked.len() as u64;
    let shown = ranked.iter().take(params.limit() as usize);
    found.commits = shown
        .map(|(place, score)| {
            let (commit, change): TimelineEntry<'_> = timeline[*place];
            describe_commit(&history, commit, change, *score)
        })
        .collect();
    found.remaining = found.total - found.commits.len() as u64;
    Ok(found)
}

/// Returns whether a query is an abbreviated or whole commit id, as git prints it: `1f0c2ab9`. Words and numbers are none.
fn is_commit_id(query: &str) -> bool {
    let has = |is: fn(&u8) -> bool| query.as_bytes().iter().any(is);
    (7..=40).contains(&query.len())
        && query.bytes().all(|sign| sign.is_ascii_hexdigit())
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
}

/// Returns whether the id of a commit begins with hexadecimal digits.
fn has_id(commit: &Commit, digits: &str) -> bool {
    let own = commit.id.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digits = digits.chars().map(|digit| digit.to_digit(16));
    digits
        .zip(own)
        .all(|(digit, own)| digit == Some(u32::from(own)))
}

/// Returns why a history may lack commits.
fn gaps(history: &History) -> Vec<HistoryGap> {
    let mut gaps = vec![];
    let has_none = history.commits.is_empty() && history.unread == 0 && !history.is_behind;
    if has_none && !history.is_shallow {
        gaps.push(HistoryGap::NoCommits);
    }
    if history.is_behind {
        gaps.push(HistoryGap::Behind);
    }
    if history.unread > 0 {
        gaps.push(HistoryGap::Unread(history.unread));
    } else if history.is_shallow {
        gaps.push(HistoryGap::Shallow);
    } else if history.is_limited {
        gaps.push(HistoryGap::Limited);
    }
    gaps
}

/// The symbols that a question is about.
struct TimelineSubject {
    /// The name as it is shown: `Lexer::next`.
    name: String,
    /// The path, name and container of each in the index; empty if the symbol does not exist, or no longer.
    indexed: Vec<(String, String, Option<String>)>,
    /// The error for a symbol that does not exist.
    unknown: Option<ToolError>,
}

impl TimelineSubject {
    fn find(context: &Context, name: &str, path: Option<&str>) -> Result<Self, ToolError> {
        let root = GraphRoot::open(context)?;
        let graph = root.graph();
        let query = SymbolQuery {
            symbol: Some(name),
            path: None,
            line: None,
            context_file: path,
        };
        let (found, unknown) = match root.find_all(&graph, query) {
            Ok(found) => (found, None),
            Err(error) if error.code == ErrorCode::SymbolNotFound => (vec![], Some(error)),
            Err(error) => return Err(error),
        };
        let symbols = found.iter().map(|at| {
            let (file, symbol) = (graph.file(at.file), graph.symbol(*at));
            let container = file.containers(symbol).next().map(str::to_owned);
            (file.path.clone(), symbol.name.to_string(), container)
        });
        let qualified = found
            .first()
            .map(|at| graph.file(at.file).qualified(graph.symbol(*at)));
        Ok(Self {
            indexed: symbols.collect(),
            name: qualified.unwrap_or_else(|| name.to_owned()),
            unknown,
        })
    }

    /// Returns the commits that changed any of the symbols.
    fn timeline<'h>(&self, history: &'h History, path: Option<&str>) -> Vec<TimelineEntry<'h>> {
        if self.indexed.is_empty() {
            let (name, container) = split_name(&self.name);
            let mut timeline = history.name_timeline(name, container);
            timeline.retain(|(_, change)| {
                let changed = change.map(|change| history.strings.get(change.path));
                path.is_none_or(|path| changed == Some(path))
            });
            return timeline;
        }
        let mut timeline: Vec<TimelineEntry<'h>> = vec![];
        for (path, name, container) in &self.indexed {
            for entry in history.symbol_timeline(path, name, container.as_deref()) {
                if !timeline
                    .iter()
                    .any(|(commit, _)| Arc::ptr_eq(commit, entry.0))
                {
                    timeline.push(entry);
                }
            }
        }
        timeline.sort_by_key(|(commit, _)| std::cmp::Reverse(commit.seconds));
        timeline
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_found_by_the_beginning_of_its_id() {
        let mut commit = Commit::default();
        commit.id[..4].copy_from_slice(&[0x1f, 0x0c, 0x2a, 0xb9]);
        for (query, is_id, is_found) in [
            ("1f0c2ab9", true, true),
            ("1F0C2AB", true, true),
            ("1f0c2ab8", true, false),
            ("1f0c2a", false, true),
            ("20240115", false, false),
            ("defaced", false, false),
            ("retry 1f0c2ab9", false, false),
        ] {
            assert_eq!(is_commit_id(query), is_id, "{query}");
            assert_eq!(has_id(&commit, query), is_found, "{query}");
        }
    }
}
