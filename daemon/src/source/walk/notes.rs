//! Adds notes to a walk, even if git's rules ignore their folder, so that a search finds them.
//!
//! `.claudevilignore`, `.ignore` and the root's own globs do apply. Earlier texts of plans are stored beside them, and are
//! not part of the root.

use std::collections::HashSet;

use super::admission::PathJudge;
use super::{Rules, WalkResult, add_ignored};
use crate::source::own_folder::OwnFolder;

/// The path of the folder of notes.
pub const FOLDERS: [&str; 2] = [".claudevil", "memories"];
/// The folder of plans, in that of notes.
pub const PLANS: &str = "plans";
/// The folder of earlier texts of plans, in that of plans.
pub const EARLIER: &str = "earlier";

/// The most notes that are listed.
const MAX_NOTES: usize = 50_000;

/// Returns whether a path is that of a note or a plan.
pub fn is_note(relative: &str) -> bool {
    let mut parts = relative.split('/');
    FOLDERS.iter().all(|part| parts.next() == Some(part)) && parts.next().is_some()
}

/// Returns whether a folder is that of earlier texts of plans.
pub fn is_earlier_plans(relative: &str) -> bool {
    let mut parts = relative.split('/');
    FOLDERS
        .iter()
        .chain(&[PLANS, EARLIER])
        .all(|part| parts.next() == Some(part))
        && parts.next().is_none()
}

/// Adds the notes that git's rules ignore, with the folders above them.
pub fn add(
    rules: &Rules,
    judge: &mut PathJudge,
    is_wanted: impl Fn(&str) -> bool,
    walked: &mut WalkResult,
) {
    let top = FOLDERS[0].to_owned();
    let dir = judge.dir();
    if !dir.metadata(&top).is_ok_and(|found| found.is_dir()) {
        return;
    }
    let known: HashSet<String> = walked.files.iter().map(|file| file.path.clone()).collect();
    let mut folders: HashSet<String> = walked.folders.drain(..).collect();
    // The folder is watched before there is anything in it.
    if is_wanted(&top) {
        folders.insert(top);
    }
    for names in [&FOLDERS[..], &[FOLDERS[0], FOLDERS[1], PLANS]] {
        let path = names.join("/");
        let Ok(Some(folder)) = OwnFolder::open(dir, names) else {
            continue;
        };
        if is_wanted(&path) {
            folders.insert(path.clone());
        }
        for name in folder.names(MAX_NOTES).unwrap_or_default() {
            let path = format!("{path}/{name}");
            let is_note = name.to_lowercase().ends_with(".md");
            if is_note && !known.contains(&path) && is_wanted(&path) {
                add_ignored(rules, judge, path, &mut folders, &mut walked.files);
            }
        }
    }
    walked.folders.extend(folders);
}
