//! Commits as answers show them.

use std::collections::HashSet;

use claudevil_protocol::answer::commit::{CoChangedFile, CommitFileChange, CommitSummary};
use claudevil_protocol::tools::history::{CommitDetails, CommitFile};

use crate::graph::{Graph, SymbolId};
use crate::history::{Commit, FileChange, FileChangeKind, History};
use crate::query::Context;

/// The most files of a commit that are listed.
const MAX_FILES: usize = 20;
/// The most commits that the answers of other tools show.
const MAX_RECENT: usize = 3;

/// Describes a commit, with the file that was asked about first.
pub fn describe_commit(
    history: &History,
    commit: &Commit,
    change: Option<&FileChange>,
    score: Option<f64>,
) -> CommitDetails {
    let others = commit.files.iter().filter(|file| Some(*file) != change);
    let files = change.into_iter().chain(others).take(MAX_FILES);
    let summary = summarize_commit(history, commit);
    CommitDetails {
        id: summary.id,
        time: summary.time,
        author: summary.author,
        subject: summary.subject,
        body: commit.body().to_owned(),
        files: files.map(|file| describe_change(history, file)).collect(),
        total_files: commit.files.len() as u64,
        score,
    }
}

pub fn summarize_commit(history: &History, commit: &Commit) -> CommitSummary {
    CommitSummary {
        id: commit.id.iter().map(|byte| format!("{byte:02x}")).collect(),
        time: commit.seconds.saturating_mul(1000),
        author: history.strings.get(commit.author).to_owned(),
        subject: commit.subject().to_owned(),
    }
}

/// Returns the last commits that changed any of these symbols, or else their files, as far as the history has been read.
pub fn recent_commits(
    context: &Context,
    root: u64,
    graph: &Graph<'_>,
    symbols: &[SymbolId],
) -> Vec<CommitSummary> {
    let histories = &context.indexes.shared().histories;
    let Some(history) = histories.read_so_far(root, context.cancel) else {
        return vec![];
    };
    let mut commits = vec![];
    for at in symbols {
        let (file, symbol) = (graph.file(at.file), graph.symbol(*at));
        let container = file.containers(symbol).next();
        commits.extend(history.symbol_timeline(&file.path, &symbol.name, container));
    }
    if commits.is_empty() {
        let files = symbols.iter().map(|at| &graph.file(at.file).path);
        commits.extend(files.flat_map(|path| history.file_timeline(path)));
    }
    let mut known = HashSet::new();
    commits.retain(|(commit, _)| known.insert(commit.id));
    // Stable: commits of one second stay in the order of their branch.
    commits.sort_by_key(|(commit, _)| std::cmp::Reverse(commit.seconds));
    let newest = commits.iter().take(MAX_RECENT);
    newest
        .map(|(commit, _)| summarize_commit(&history, commit))
        .collect()
}

fn describe_change(history: &History, change: &FileChange) -> CommitFile {
    let string = |id| history.strings.get(id).to_owned();
    CommitFile {
        path: string(change.path),
        change: match change.kind {
            FileChangeKind::Added => CommitFileChange::Added,
            FileChangeKind::Modified => CommitFileChange::Modified,
            FileChangeKind::Deleted => CommitFileChange::Deleted,
            FileChangeKind::Moved => CommitFileChange::Moved,
        },
        old_path: change.old_path.map(string),
        symbols: change.symbols.iter().copied().map(string).collect(),
    }
}

/// Returns at most `most` files that usually change together with these.
pub fn co_changed(
    history: &History,
    paths: &[&str],
    most: usize,
    is_shown: impl Fn(&str) -> bool,
) -> Vec<CoChangedFile> {
    let found = history.co_changes(paths).into_iter();
    let found = found.filter(|file| is_shown(&file.path)).take(most);
    found
        .map(|file| CoChangedFile {
            path: file.path,
            with: file.with,
            together: u64::from(file.together),
            commits: u64::from(file.commits),
        })
        .collect()
}
