//! The history of a branch as queries see it: its commits in order, and those of each file.

use crate::lang::line_definitions::last_part;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::record::{Commit, FileChange, FileChangeKind, StringId, StringTable};
use super::walk::{Branch, Records};

/// A commit that changes more files than this is no evidence that they belong together.
const MAX_TOGETHER: usize = 30;
/// The fewest commits in which two files must change together, and their smallest share of the first file's commits.
const FEWEST_TOGETHER: u32 = 3;
const SMALLEST_SHARE: f64 = 0.25;

pub struct History {
    /// The newest first.
    pub commits: Vec<Arc<Commit>>,
    pub strings: Arc<StringTable>,
    /// True if the branch has older commits, which were not kept.
    pub is_limited: bool,
    /// True if the clone is shallow: the project has older commits than these.
    pub is_shallow: bool,
    /// The number of commits that have not been read yet.
    pub unread: u64,
    /// True if `HEAD` has moved since, so that the newest commits may be missing.
    pub is_behind: bool,
    /// The indices of the commits that changed each path, in order.
    by_path: HashMap<StringId, Vec<u32>>,
}

/// A file that often changes in the same commits as another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoChange {
    pub path: String,
    /// The file that it changes with.
    pub with: String,
    /// Commits that changed both.
    pub together: u32,
    /// Commits that changed `with`, except those with more than `MAX_TOGETHER` files.
    pub commits: u32,
}

/// A commit, and its change to the file that was asked about.
pub type TimelineEntry<'a> = (&'a Arc<Commit>, Option<&'a FileChange>);

impl History {
    pub(super) fn new(records: &Records, branch: &Branch, has_prefix: bool) -> Self {
        let commits = branch.order.iter().filter_map(|id| records.by_id.get(id));
        // Commits that only changed other parts of the repository are not part of the root's history.
        let commits = commits.filter(|commit| !has_prefix || !commit.files.is_empty());
        let commits: Vec<Arc<Commit>> = commits.cloned().collect();
        let mut by_path: HashMap<StringId, Vec<u32>> = HashMap::new();
        for (place, commit) in (0..).zip(&commits) {
            for file in &commit.files {
                for path in [Some(file.path), file.old_path].into_iter().flatten() {
                    by_path.entry(path).or_default().push(place);
                }
            }
        }
        Self {
            commits,
            strings: Arc::clone(&records.strings),
            is_limited: branch.is_limited,
            is_shallow: branch.is_shallow,
            unread: branch.unread.len() as u64,
            is_behind: false,
            by_path,
        }
    }

    /// Returns the commits that changed a file, the newest first. Moves are followed back to the old path.
    pub fn file_timeline(&self, path: &str) -> Vec<TimelineEntry<'_>> {
        let mut timeline = vec![];
        let mut path = self.strings.find(path);
        let mut before = 0;
        while let Some(current) = path.take() {
            for place in self
                .places(current)
                .iter()
                .filter(|place| **place >= before)
            {
                let commit = &self.commits[*place as usize];
                let Some(change) = commit.files.iter().find(|file| file.path == current) else {
                    continue;
                };
                timeline.push((commit, Some(change)));
                if let (FileChangeKind::Moved, Some(old)) = (change.kind, change.old_path) {
                    path = Some(old);
                    before = place + 1;
                    break;
                }
            }
        }
        timeline
    }

    /// Returns whether a commit changed a file at a path, or in a folder.
    pub fn has_path(&self, path: &str) -> bool {
        let is_file = self
            .strings
            .find(path)
            .is_some_and(|id| !self.places(id).is_empty());
        is_file
            || path.contains('/') && !self.folder_timeline(path.trim_end_matches('/')).is_empty()
    }

    /// Returns the commits that changed files of a folder.
    pub fn folder_timeline(&self, folder: &str) -> Vec<TimelineEntry<'_>> {
        let prefix = format!("{folder}/");
        let strings = self.strings.iter();
        let paths: HashSet<StringId> = strings
            .filter(|(_, string)| string.starts_with(&prefix))
            .map(|(id, _)| id)
            .collect();
        let change = |commit: &'_ Arc<Commit>| {
            commit
                .files
                .iter()
                .position(|file| paths.contains(&file.path))
        };
        let commits = self.commits.iter();
        let changed =
            commits.filter_map(|commit| Some((commit, commit.files.get(change(commit)?))));
        changed.collect()
    }

    /// Returns the commits that changed a symbol of a file: `run` of the container `Job`.
    pub fn symbol_timeline(
        &self,
        path: &str,
        name: &str,
        container: Option<&str>,
    ) -> Vec<TimelineEntry<'_>> {
        let mut timeline = self.file_timeline(path);
        let first = timeline.last().copied();
        timeline.retain(|(_, change)| {
            change.is_some_and(|change| self.changes_symbol(change, name, container))
        });
        if timeline.is_empty() {
            // The symbols of a commit with very many files are not known, but it added what was in the file.
            let is_unread = |change: &FileChange| {
                change.kind == FileChangeKind::Added && change.symbols.is_empty()
            };
            timeline.extend(first.filter(|(_, change)| change.is_some_and(is_unread)));
        }
        timeline
    }

    /// Returns the commits that changed a symbol with this name in any file.
    pub fn name_timeline(&self, name: &str, container: Option<&str>) -> Vec<TimelineEntry<'_>> {
        let commits = self.commits.iter().filter_map(|commit| {
            let mut files = commit.files.iter();
            let change = files.find(|file| self.changes_symbol(file, name, container));
            change.map(|change| (commit, Some(change)))
        });
        commits.collect()
    }

    /// Returns whether a change touched lines of a symbol, or of a symbol inside it.
    fn changes_symbol(&self, change: &FileChange, name: &str, container: Option<&str>) -> bool {
        change.symbols.iter().any(|symbol| {
            let symbol = self.strings.get(*symbol);
            let (around, own) = match symbol.rsplit_once('.') {
                Some((around, own)) => (Some(around), own),
                None => (None, symbol),
            };
            let is_in = match (around, container) {
                (Some(around), Some(container)) => around == container,
                _ => true,
            };
            own == name && is_in || around == Some(name)
        })
    }

    /// Returns the files that usually change together with these, most often first.
    pub fn co_changes(&self, paths: &[&str]) -> Vec<CoChange> {
        let own: HashSet<StringId> = paths
            .iter()
            .filter_map(|path| self.strings.find(path))
            .collect();
        let mut best: HashMap<StringId, CoChange> = HashMap::new();
        for path in &own {
            let mut counts: HashMap<StringId, u32> = HashMap::new();
            let mut commits = 0;
            for place in self.places(*path) {
                let commit = &self.commits[*place as usize];
                if commit.files.len() > MAX_TOGETHER || commit.has_more_files {
                    continue;
                }
                commits += 1;
                for file in commit.files.iter().filter(|file| !own.contains(&file.path)) {
                    *counts.entry(file.path).or_default() += 1;
                }
            }
            for (other, together) in counts {
                let share = f64::from(together) / f64::from(commits);
                if together < FEWEST_TOGETHER || share < SMALLEST_SHARE {
                    continue;
                }
                let one = CoChange {
                    path: self.strings.get(other).to_owned(),
                    with: self.strings.get(*path).to_owned(),
                    together,
                    commits,
                };
                let known = best.entry(other).or_insert_with(|| one.clone());
                let is_better = one.together.cmp(&known.together);
                if is_better.then_with(|| known.with.cmp(&one.with)).is_gt() {
                    *known = one;
                }
            }
        }
        let mut all: Vec<CoChange> = best.into_values().collect();
        all.sort_by(|one, other| {
            let by_count = other.together.cmp(&one.together);
            by_count.then_with(|| one.path.cmp(&other.path))
        });
        all
    }

    fn places(&self, path: StringId) -> &[u32] {
        self.by_path.get(&path).map_or(&[], Vec::as_slice)
    }
}

/// Returns the name and the container of a qualified name as languages write it: `Job::run`, `Job.run`, `Job#run`.
pub fn split_name(qualified: &str) -> (&str, Option<&str>) {
    let separators = [':', '.', '#', '\\', '/'];
    match qualified.rsplit_once(separators) {
        Some((around, name)) => {
            let around = around.trim_end_matches(separators);
            let container = around.rsplit(separators).next().unwrap_or(around);
            (
                name,
                Some(container).filter(|container| !container.is_empty()),
            )
        }
        None => (last_part(qualified), None),
    }
}
