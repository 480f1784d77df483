//! Reading a client's configuration, and replacing it whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use claudevil_protocol::error::at;

/// Maximum number of links to follow; more lead in a circle.
const LONGEST_CHAIN: usize = 32;
/// Maximum size of a configuration; a larger file is something else.
const LARGEST: u64 = 64 << 20;

/// Returns the file that a path leads to: links are followed, so that a configuration that is kept elsewhere is changed there
/// and its link stays.
pub fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LONGEST_CHAIN {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("its links form a loop"))
}

/// Returns the content of a file, or `None` if it does not exist.
pub fn read(file: &Path) -> io::Result<Option<String>> {
    let found = match fs::metadata(file) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    // Reading a pipe would block.
    if !found.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    if found.len() > LARGEST {
        return Err(io::Error::other("it is too large for a configuration"));
    }
    let bytes = fs::read(file)?;
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| io::Error::other("it is not UTF-8"))
}

/// The users who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// The system's default.
    Usual,
    /// This user alone.
    Owner,
}

/// Replaces a file if its content is still `before`, and keeps its permissions and owner. Readers see the old text or the new
/// one, never a part.
pub fn replace(file: &Path, before: Option<&str>, after: &str, readers: Readers) -> io::Result<()> {
    let folder = file
        .parent()
        .ok_or_else(|| io::Error::other("it has no folder"))?;
    let had = before.map(|_| fs::metadata(file)).transpose()?;
    if had.as_ref().is_some_and(|had| had.permissions().readonly()) {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it is read-only",
        ));
    }
    let mut temporary = new_file(folder, readers)?;
    temporary.write_all(after.as_bytes())?;
    if let Some(had) = &had {
        keep_owner(temporary.as_file(), had)?;
        temporary.as_file().set_permissions(had.permissions())?;
    }
    temporary.as_file().sync_all()?;
    check_unchanged(file, before)?;
    temporary.persist(file).map_err(|error| error.error)?;
    Ok(())
}

/// Removes a file if its content is still `before`.
pub fn remove(file: &Path, before: &str) -> io::Result<()> {
    check_unchanged(file, Some(before))?;
    fs::remove_file(file)
}

/// Makes a folder. Returns the folders that had to be made, outermost first.
pub fn make_folder(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut made: Vec<_> = folder
        .ancestors()
        .take_while(|above| !above.exists())
        .map(Path::to_owned)
        .collect();
    made.retain(|above| !above.as_os_str().is_empty());
    made.reverse();
    fs::create_dir_all(folder).map_err(|error| at(folder, &error))?;
    Ok(made)
}

/// Sorts folders, each before those that are in it, and removes duplicates.
pub fn outermost_first(mut folders: Vec<PathBuf>) -> Vec<PathBuf> {
    folders.sort();
    folders.dedup();
    folders
}

/// Removes a folder and those around it while nothing is in them, never the home nor anything outside it.
pub fn remove_empty(folder: &Path, home: &Path) {
    let inside = folder
        .ancestors()
        .take_while(|above| *above != home && above.starts_with(home));
    for folder in inside {
        match fs::remove_dir(folder) {
            Ok(()) => {}
            // Already gone; the folders around it may still be there.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => return,
        }
    }
}

/// Refuses a file that its program has changed meanwhile.
fn check_unchanged(file: &Path, before: Option<&str>) -> io::Result<()> {
    if read(file)?.as_deref() == before {
        return Ok(());
    }
    Err(io::Error::other("it was changed meanwhile; try again"))
}

fn new_file(folder: &Path, readers: Readers) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".claudevil-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The usual mode for new files, reduced by the umask.
        let mode = if readers == Readers::Usual {
            0o666
        } else {
            0o600
        };
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = readers;
    builder.tempfile_in(folder)
}

/// Keeps the owner of a file of another user, which only an administrator can do.
#[cfg(unix)]
fn keep_owner(file: &fs::File, had: &fs::Metadata) -> io::Result<()> {
    use rustix::fs::{Gid, Uid};
    use std::os::unix::fs::MetadataExt;
    let is = file.metadata()?;
    let owner = (is.uid() != had.uid()).then(|| Uid::from_raw(had.uid()));
    let group = (is.gid() != had.gid()).then(|| Gid::from_raw(had.gid()));
    if owner.is_none() && group.is_none() {
        return Ok(());
    }
    match rustix::fs::fchown(file, owner, group) {
        Err(error) if owner.is_some() => Err(error.into()),
        // A group that this user is not in: the file stays this user's.
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn keep_owner(_file: &fs::File, _had: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn permissions_stay_and_links_are_written_through() {
        let scratch = tempfile::tempdir().expect("a folder");
        let real = scratch.path().join("dotfiles.json");
        fs::write(&real, "old").expect("written");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("set");
        let link = scratch.path().join("link.json");
        symlink("dotfiles.json", &link).expect("linked");
        let target = behind_links(&link).expect("a file");
        replace(&target, Some("old"), "new", Readers::Usual).expect("replaced");
        assert_eq!(fs::read_to_string(&link).expect("readable"), "new");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(
            fs::metadata(&real).expect("there").permissions().mode() & 0o777,
            0o640
        );
        assert_eq!(
            fs::read_dir(scratch.path()).expect("readable").count(),
            2,
            "nothing is left over"
        );
    }

    #[test]
    fn a_link_to_a_file_that_is_not_there_yet_is_written_through() {
        let scratch = tempfile::tempdir().expect("a folder");
        let link = scratch.path().join("link.json");
        symlink(scratch.path().join("later.json"), &link).expect("linked");
        let target = behind_links(&link).expect("a file");
        replace(&target, None, "new", Readers::Usual).expect("made");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read_to_string(&link).expect("readable"), "new");
        symlink("b", scratch.path().join("a")).expect("linked");
        symlink("a", scratch.path().join("b")).expect("linked");
        assert!(behind_links(&scratch.path().join("a")).is_err());
    }

    #[test]
    fn empty_folders_go_as_far_as_the_home() {
        let scratch = tempfile::tempdir().expect("a folder");
        let home = scratch.path().join("home");
        fs::create_dir_all(home.join(".local/share/zsh/site-functions")).expect("made");
        fs::write(home.join(".local/share/other"), "").expect("written");
        remove_empty(&home.join(".local/share/zsh/site-functions"), &home);
        assert!(home.join(".local/share").exists() && !home.join(".local/share/zsh").exists());
        fs::remove_file(home.join(".local/share/other")).expect("removed");
        remove_empty(&home.join(".local/share/zsh/site-functions"), &home);
        assert!(
            home.exists() && !home.join(".local").exists(),
            "also where the innermost are gone already"
        );
        remove_empty(&scratch.path().join("elsewhere"), &home);
        assert!(scratch.path().exists());
    }

    #[test]
    fn own_files_are_readable_by_their_owner_alone() {
        let scratch = tempfile::tempdir().expect("a folder");
        let mode = |name: &str, readers| {
            let file = scratch.path().join(name);
            replace(&file, None, "new", readers).expect("made");
            fs::metadata(file).expect("there").permissions().mode() & 0o777
        };
        assert_eq!(mode("ours", Readers::Owner), 0o600);
        assert_eq!(mode("theirs", Readers::Usual) & 0o600, 0o600);
    }

    #[test]
    fn changed_and_read_only_files_are_left_alone() {
        let scratch = tempfile::tempdir().expect("a folder");
        let file = scratch.path().join("a.json");
        fs::write(&file, "theirs").expect("written");
        assert!(replace(&file, Some("seen"), "ours", Readers::Usual).is_err());
        assert!(replace(&file, None, "ours", Readers::Usual).is_err());
        assert!(remove(&file, "seen").is_err());
        fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).expect("set");
        let error = replace(&file, Some("theirs"), "ours", Readers::Usual).expect_err("read-only");
        assert_eq!(error.to_string(), "it is read-only");
        assert_eq!(fs::read_to_string(&file).expect("readable"), "theirs");
        assert_eq!(
            fs::read_dir(scratch.path()).expect("readable").count(),
            1,
            "nothing is left over"
        );
        assert!(
            read(scratch.path()).is_err(),
            "a folder is no configuration"
        );
    }
}
