//! Checks that a git folder is safe for the library, which opens everything in it without further checks.
//!
//! A pipe would block it, and a symlink would lead it anywhere, so only regular files and folders are allowed. Their kinds
//! come from listing the folders; no file is opened.

use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use crate::source::git_dir::{self, GitDir, LARGEST_INDEX};

const MAX_ENTRIES: usize = 500_000;
const LARGEST_CONFIG: u64 = 1 << 20;
const LARGEST_ALTERNATES: u64 = 64 << 10;
/// The number of alternates in a chain that git follows.
const DEEPEST_ALTERNATE: usize = 5;

pub fn check(git: &GitDir) -> Result<(), String> {
    let mut left = MAX_ENTRIES;
    for folder in [&git.own, &git.shared] {
        let files = [
            "HEAD",
            "index",
            "commondir",
            "gitdir",
            "config",
            "config.worktree",
            "packed-refs",
            "shallow",
        ];
        for name in files {
            let most = if name.starts_with("config") {
                LARGEST_CONFIG
            } else {
                LARGEST_INDEX
            };
            if fs::symlink_metadata(folder.join(name))
                .is_ok_and(|found| !found.is_file() || found.len() > most)
            {
                return Err(format!(
                    "{name} is not a plain file of at most {most} bytes"
                ));
            }
        }
        for name in ["objects", "refs", "logs"] {
            match fs::symlink_metadata(folder.join(name)) {
                Ok(found) if found.is_dir() => check_folder(folder.join(name), &mut left)?,
                Ok(_) => return Err(format!("{name} is not a plain folder")),
                Err(_) => {}
            }
        }
        if git.own == git.shared {
            break;
        }
    }
    check_references(git)?;
    check_alternates(&git.shared, &mut left)
}

/// Fails if references are kept in tables (`reftable`) instead of files.
pub fn check_references(git: &GitDir) -> Result<(), String> {
    if git.shared.join("reftable").exists() {
        return Err("its references are kept in tables, which are not understood".to_owned());
    }
    Ok(())
}

/// Checks the repositories from which a clone made with `--shared` or `--reference` borrows objects. Each must be one that
/// git would use, and belong to the same user.
fn check_alternates(shared: &Path, left: &mut usize) -> Result<(), String> {
    let mut stores = vec![(shared.join("objects"), 0)];
    while let Some((objects, depth)) = stores.pop() {
        for store in alternates(&objects)? {
            let refused = |why: &str| {
                Err(format!(
                    "it borrows objects from {}, which {why}; `git repack -a -d && rm .git/objects/info/alternates` \
                     makes it independent",
                    store.display()
                ))
            };
            let Ok(real) = fs::canonicalize(&store) else {
                return refused("cannot be opened");
            };
            if !real.is_dir() || real.file_name().is_none_or(|name| name != "objects") {
                return refused("is not a repository's folder of objects");
            }
            if !has_same_owner(&real, shared) {
                return refused("belongs to another user");
            }
            if depth == DEEPEST_ALTERNATE {
                return refused("borrows from others in turn, too many times");
            }
            check_folder(real.clone(), left)?;
            stores.push((real, depth + 1));
        }
    }
    Ok(())
}

/// Returns the stores that a folder of objects borrows from. The folder has been checked, so reading cannot block.
fn alternates(objects: &Path) -> Result<Vec<PathBuf>, String> {
    let file = "info/alternates";
    if !objects.join(file).exists() {
        return Ok(vec![]);
    }
    let text = git_dir::read(objects, file, LARGEST_ALTERNATES)
        .and_then(|text| String::from_utf8(text).ok())
        .ok_or("objects/info/alternates cannot be read")?;
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            if line.starts_with('"') {
                return Err(
                    "objects/info/alternates has a quoted path, which is not understood".to_owned(),
                );
            }
            Ok(objects.join(line))
        })
        .collect()
}

#[expect(clippy::disallowed_methods, reason = "git's folder is not a root")]
fn check_folder(folder: PathBuf, left: &mut usize) -> Result<(), String> {
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in
            fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?
        {
            let entry = entry.map_err(|error| format!("{}: {error}", folder.display()))?;
            *left = left.checked_sub(1).ok_or("it has too many files")?;
            let kind = entry.file_type().ok();
            if kind.as_ref().is_some_and(FileType::is_dir) {
                folders.push(entry.path());
            } else if !kind.as_ref().is_some_and(FileType::is_file) {
                return Err(format!("{} is not a plain file", entry.path().display()));
            }
        }
    }
    Ok(())
}

/// Returns whether a git folder belongs to the owner of the root or to this user. A repository around a root may be
/// anybody's.
#[cfg(unix)]
pub fn has_same_owner(git: &Path, root: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| fs::metadata(path).map(|found| found.uid()).ok();
    owner(git)
        .is_some_and(|git| owner(root) == Some(git) || git == rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
pub fn has_same_owner(_git: &Path, _root: &Path) -> bool {
    true
}
