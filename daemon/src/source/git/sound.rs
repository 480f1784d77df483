//! Whether a git folder can be handed to the library, which opens what it finds there without a further look.
//!
//! A pipe would hang it, and a link would lead it anywhere, so only plain files and folders may be there. Listing names
//! their kinds; no file is opened.

use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use crate::source::git_dir::GitDir;

const MOST_ENTRIES: usize = 500_000;
const LARGEST_INDEX: u64 = 256 << 20;
const LARGEST_CONFIG: u64 = 1 << 20;

pub fn check(git: &GitDir) -> Result<(), String> {
    let mut left = MOST_ENTRIES;
    for folder in [&git.own, &git.shared] {
        let files = ["HEAD", "index", "commondir", "gitdir", "config", "config.worktree", "packed-refs", "shallow"];
        for name in files {
            let most = if name.starts_with("config") { LARGEST_CONFIG } else { LARGEST_INDEX };
            if fs::symlink_metadata(folder.join(name)).is_ok_and(|found| !found.is_file() || found.len() > most) {
                return Err(format!("{name} is not a plain file of at most {most} bytes"));
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
    if git.shared.join("reftable").exists() {
        return Err("its references are kept in tables, which are not understood".to_owned());
    }
    let borrowed = fs::metadata(git.shared.join("objects/info/alternates")).is_ok_and(|found| found.len() > 0);
    if borrowed { Err("it borrows objects from another repository".to_owned()) } else { Ok(()) }
}

#[expect(clippy::disallowed_methods, reason = "git's folder is not a root")]
fn check_folder(folder: PathBuf, left: &mut usize) -> Result<(), String> {
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
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

/// A repository around a root may be anybody's: of a folder that others write to, say.
#[cfg(unix)]
pub fn is_of_the_same_person(git: &Path, root: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| fs::metadata(path).map(|found| found.uid()).ok();
    owner(git).is_some_and(|git| owner(root) == Some(git) || git == rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
pub fn is_of_the_same_person(_git: &Path, _root: &Path) -> bool {
    true
}
