//! A walk of a few paths, as after a change: nothing is listed that was not asked for, and no thread is started.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use super::admission::PathJudge;
use super::folder_rules::Verdict;
use super::tree::{PendingFolder, TreeWalk};
use super::{WalkResult, WalkedFile, folders_above, is_included};
use crate::source::beneath::stat_of;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    Whole,
    /// Something is there that git's rules leave out, and git may track it.
    PerhapsMoreTracked,
}

pub fn walk(
    tree: &TreeWalk,
    judge: &mut PathJudge,
    paths: &BTreeSet<String>,
    walked: &mut WalkResult,
) -> Coverage {
    let mut coverage = Coverage::Whole;
    let mut folders = BTreeSet::new();
    for path in paths.iter().filter(|path| is_plain(path)) {
        if tree.cancel.is_cancelled() {
            return coverage;
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
            coverage = Coverage::PerhapsMoreTracked;
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
                coverage = Coverage::PerhapsMoreTracked;
            } else if is_included(tree.rules, path) {
                walked
                    .files
                    .push(WalkedFile::new(path.clone(), stat_of(&found)));
            }
        }
    }
    coverage
}

/// Whether it names something below the root and nothing else.
fn is_plain(path: &str) -> bool {
    !path.is_empty()
        && Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}
