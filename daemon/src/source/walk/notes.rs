//! Notes are files of a root like any other, also where git's rules leave their folder out: who asks is to find what was
//! noted. `.claudevilignore`, `.ignore` and the root's own globs are obeyed. Texts of plans that were replaced are kept
//! beside them and are no part of the root.

use std::collections::HashSet;

use super::admission::PathJudge;
use super::folder_rules::Verdict;
use super::{Rules, WalkResult, WalkedFile, is_included};
use crate::source::own_folder::OwnFolder;

/// Where notes are kept, one folder in the other.
pub const FOLDERS: [&str; 2] = [".claudevil", "memories"];
/// Of plans, in the folder of notes.
pub const PLANS: &str = "plans";
/// Of the texts that plans had before, in theirs.
pub const EARLIER: &str = "earlier";

/// More are not listed.
const MOST: usize = 50_000;

/// Whether a path is that of a note or a plan.
pub fn is_note(relative: &str) -> bool {
    let mut parts = relative.split('/');
    FOLDERS.iter().all(|part| parts.next() == Some(part)) && parts.next().is_some()
}

/// Whether a folder has what plans were before.
pub fn is_earlier(relative: &str) -> bool {
    let mut parts = relative.split('/');
    FOLDERS
        .iter()
        .chain(&[PLANS, EARLIER])
        .all(|part| parts.next() == Some(part))
        && parts.next().is_none()
}

/// Adds what git's rules leave out, with the folders that it lies in.
pub fn add(
    rules: &Rules,
    judge: &mut PathJudge,
    is_asked: impl Fn(&str) -> bool,
    walked: &mut WalkResult,
) {
    let top = FOLDERS[0].to_owned();
    let dir = judge.dir();
    if !dir.metadata(&top).is_ok_and(|found| found.is_dir()) {
        return;
    }
    let known: HashSet<String> = walked.files.iter().map(|file| file.path.clone()).collect();
    let mut folders: HashSet<String> = walked.folders.drain(..).collect();
    // Watched before there is anything in it.
    if is_asked(&top) {
        folders.insert(top);
    }
    for names in [&FOLDERS[..], &[FOLDERS[0], FOLDERS[1], PLANS]] {
        let path = names.join("/");
        let Ok(Some(folder)) = OwnFolder::open(dir, names) else {
            continue;
        };
        if is_asked(&path) {
            folders.insert(path.clone());
        }
        for name in folder.names(MOST).unwrap_or_default() {
            let path = format!("{path}/{name}");
            if !name.to_lowercase().ends_with(".md") || known.contains(&path) || !is_asked(&path) {
                continue;
            }
            let is_ours = is_included(rules, &path) && judge.file(&path) != Verdict::LeftOut;
            if let Some(found) = dir.stat(&path).filter(|_| is_ours) {
                folders.extend(super::folders_above(&path).map(str::to_owned));
                walked.files.push(WalkedFile::new(path, found));
            }
        }
    }
    walked.folders.extend(folders);
}
