//! Walks a few paths, as after a change: lists nothing else, and starts no thread.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use super::admission::PathJudge;
use super::folder_rules::Verdict;
use super::tree::{PendingFolder, TreeWalk};
use super::{WalkResult, WalkedFile, folders_above, is_included};
use crate::source::file_stat::FileStat;

/// Files that git tracks although its rules ignore them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackedFiles {
    NoneMissing,
    MayBeMissing,
}

pub fn walk(
    tree: &TreeWalk,
    judge: &mut PathJudge,
    paths: &BTreeSet<String>,
    walked: &mut WalkResult,
) -> TrackedFiles {
    let mut tracked = TrackedFiles::NoneMissing;
    let mut folders = BTreeSet::new();
    for path in paths.iter().filter(|path| is_plain(path)) {
        if tree.cancel.is_cancelled() {
            return tracked;
        }
        // The set is sorted: a folder comes before what is in it.
        if folders_above(path).any(|above| folders.contains(above)) {
            continue;
        }
        let Ok(found) = tree.admission.dir.metadata(path) else {
            continue;
        };
        if found.is_dir() {
            folders.insert(path.as_str());
            tracked = TrackedFiles::MayBeMissing;
            if judge.folder(path).0 == Verdict::Taken {
                let above = judge
                    .folder(path.rsplit_once('/').map_or("", |(above, _)| above))
                    .1;
                tree.below(
                    PendingFolder {
                        path: path.clone(),
                        above,
                    },
                    walked,
                );
            }
        } else if found.is_file() {
            if judge.file(path) != Verdict::Taken {
                tracked = TrackedFiles::MayBeMissing;
            } else if is_included(tree.rules, path) {
                walked.files.push(WalkedFile::new(
                    path.clone(),
                    FileStat::from_metadata(&found),
                ));
            }
        }
    }
    tracked
}

/// Returns whether a path leads to something beneath the root.
fn is_plain(path: &str) -> bool {
    !path.is_empty()
        && Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}
