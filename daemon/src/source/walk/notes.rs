//! Notes are files of a root like any other, also where an ignore rule leaves their folder out of git: who asks is to find
//! what was noted. Our own ignore file and the root's own globs are obeyed. Texts of plans that were replaced are kept
//! beside them and are no part of the root.

use std::collections::HashSet;
use std::path::Path;

use ignore::gitignore::Gitignore;

use super::{FileStat, OWN_IGNORE_FILE, Rules, Walked, WalkedFile, is_included};
use crate::source::beneath::RootDir;
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
    FOLDERS.iter().chain(&[PLANS, EARLIER]).all(|part| parts.next() == Some(part)) && parts.next().is_none()
}

/// Adds what an ignore rule has left out, with the folders that it lies in.
pub fn add(root: &Path, rules: &Rules, is_asked: impl Fn(&str) -> bool, walked: &mut Walked) {
    let top = FOLDERS[0].to_owned();
    if !std::fs::symlink_metadata(root.join(&top)).is_ok_and(|found| found.is_dir()) {
        return;
    }
    let Ok(dir) = RootDir::open(root, "") else { return };
    let own_rules = Gitignore::new(root.join(OWN_IGNORE_FILE)).0;
    let is_ours = |path: &str| {
        !rules.exclude.covers(path)
            && is_included(rules, path)
            && !own_rules.matched_path_or_any_parents(path, false).is_ignore()
    };
    let known: HashSet<String> = walked.files.iter().map(|file| file.path.clone()).collect();
    let mut folders: HashSet<String> = walked.folders.drain(..).collect();
    // Watched before there is anything in it.
    if is_asked(&top) {
        folders.insert(top);
    }
    for names in [&FOLDERS[..], &[FOLDERS[0], FOLDERS[1], PLANS]] {
        let path = names.join("/");
        let Ok(Some(folder)) = OwnFolder::open(&dir, names) else { continue };
        if is_asked(&path) {
            folders.insert(path.clone());
        }
        for name in folder.names(MOST).unwrap_or_default() {
            let path = format!("{path}/{name}");
            if !name.to_lowercase().ends_with(".md") || known.contains(&path) || !is_asked(&path) || !is_ours(&path) {
                continue;
            }
            if let Some(FileStat { size, modified_nanos, stamp }) = dir.stat(&path) {
                folders.extend(super::folders_above(&path).map(str::to_owned));
                walked.files.push(WalkedFile { path, size, modified_nanos, stamp });
            }
        }
    }
    walked.folders.extend(folders);
}
