//! Finds the commits of a branch, the newest first. Known commits are not read again.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use super::record::{Batch, Commit, StringId, StringTable};
use crate::clock;
use crate::source::cancel::CancelToken;
use crate::source::git::{CommitId, GitError, Repository};

/// The most commits that are kept.
pub const MAX_COMMITS: usize = 20_000;
/// Commits older than this are not kept: five years before the newest one, or before now if its date is in the future.
const OLDEST_SECONDS: i64 = 5 * 365 * 24 * 60 * 60;

/// All commits that have been read, on the branch or not.
#[derive(Default)]
pub struct Records {
    pub by_id: HashMap<CommitId, Arc<Commit>>,
    pub strings: Arc<StringTable>,
}

impl Records {
    pub fn add(&mut self, batch: Batch) {
        let strings = Arc::make_mut(&mut self.strings);
        let numbers = batch.strings.iter().map(|(_, string)| strings.add(string));
        let numbers: Vec<StringId> = numbers.collect();
        let number = |id: StringId| numbers.get(id as usize).copied().unwrap_or_default();
        for mut commit in batch.commits {
            commit.renumber(number);
            self.by_id.insert(commit.id, Arc::new(commit));
        }
    }
}

/// The commits of a branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    pub head: Option<CommitId>,
    /// The newest first.
    pub order: Vec<CommitId>,
    /// The commits that have not been read, the newest first.
    pub unread: Vec<CommitId>,
    /// True if the branch has older commits, which are not kept.
    pub is_limited: bool,
    /// True if the clone is shallow: the project has older commits than these.
    pub is_shallow: bool,
}

/// Returns the commits of the branch that is checked out; none if more than `most_unread` of them have not been read.
pub fn walk(
    repository: &Repository,
    known: impl Fn(CommitId) -> Option<Arc<Commit>>,
    most_unread: usize,
    cancel: &CancelToken,
) -> Result<Option<Branch>, GitError> {
    let shallow: HashSet<CommitId> = repository.shallow_commits().into_iter().collect();
    let mut branch = Branch {
        head: repository.head_commit()?,
        ..Branch::default()
    };
    let mut parents: HashMap<CommitId, Vec<CommitId>> = HashMap::new();
    let mut seen: HashSet<CommitId> = HashSet::new();
    let mut unread: HashSet<CommitId> = HashSet::new();
    let mut queue: BinaryHeap<(i64, CommitId)> = BinaryHeap::new();
    let mut oldest = i64::MIN;
    let mut found: Vec<CommitId> = branch.head.into_iter().collect();
    loop {
        for id in found.drain(..) {
            if !seen.insert(id) {
                continue;
            }
            // A parent that was missing may have been fetched since.
            let record = known(id).filter(|one| !one.lacks_parent || shallow.contains(&id));
            let (seconds, own_parents) = if let Some(record) = record {
                (record.seconds, record.parents.clone())
            } else {
                if cancel.is_cancelled() {
                    return Err(GitError::Cancelled);
                }
                // In a clone that lacks objects, the history ends before commits that are missing.
                let Some(info) = repository.commit_info(id)? else {
                    branch.is_shallow = true;
                    continue;
                };
                unread.insert(id);
                (info.seconds, info.parents)
            };
            if oldest == i64::MIN {
                oldest = seconds
                    .min(clock::now() / 1000)
                    .saturating_sub(OLDEST_SECONDS);
            }
            parents.insert(id, own_parents);
            queue.push((seconds, id));
        }
        if unread.len() > most_unread {
            return Ok(None);
        }
        let Some((seconds, id)) = queue.pop() else {
            break;
        };
        if branch.order.len() == MAX_COMMITS || seconds < oldest {
            branch.is_limited = true;
            break;
        }
        branch.order.push(id);
        if shallow.contains(&id) {
            branch.is_shallow = true;
        } else {
            found = parents.remove(&id).unwrap_or_default();
        }
    }
    let order = branch.order.iter().copied();
    branch.unread = order.filter(|id| unread.contains(id)).collect();
    Ok(Some(branch))
}
