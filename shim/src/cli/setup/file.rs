//! Reading a client's configuration, and replacing it whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Longer links than this lead in a circle.
const LONGEST_CHAIN: usize = 32;
/// No configuration is larger; whatever is, is something else.
const LARGEST: u64 = 64 << 20;

/// The file that a path leads to: links are followed, so that a configuration that is kept elsewhere is changed there
/// and its link stays.
pub fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LONGEST_CHAIN {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("its links lead in a circle"))
}

/// What is in a file, or nothing where there is none.
pub fn read(file: &Path) -> io::Result<Option<String>> {
    let found = match fs::metadata(file) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    // A pipe would be waited for.
    if !found.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    if found.len() > LARGEST {
        return Err(io::Error::other("it is too large for a configuration"));
    }
    let bytes = fs::read(file)?;
    String::from_utf8(bytes).map(Some).map_err(|_| io::Error::other("it is not UTF-8"))
}

/// Replaces a file if it still is what was read, with the permissions and the owner that it had. Whoever reads it
/// meanwhile sees the old or the new, never a part.
pub fn replace(file: &Path, before: Option<&str>, after: &str) -> io::Result<()> {
    let folder = file.parent().ok_or_else(|| io::Error::other("it has no folder"))?;
    let had = before.map(|_| fs::metadata(file)).transpose()?;
    if had.as_ref().is_some_and(|had| had.permissions().readonly()) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let mut temporary = new_file(folder)?;
    temporary.write_all(after.as_bytes())?;
    if let Some(had) = &had {
        keep_owner(temporary.as_file(), had)?;
        temporary.as_file().set_permissions(had.permissions())?;
    }
    temporary.as_file().sync_all()?;
    unchanged(file, before)?;
    temporary.persist(file).map_err(|error| error.error)?;
    Ok(())
}

/// Removes a file if it still is what was read.
pub fn remove(file: &Path, before: &str) -> io::Result<()> {
    unchanged(file, Some(before))?;
    fs::remove_file(file)
}

/// Makes a folder; tells which ones had to be made, outermost first.
pub fn make_folder(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut made: Vec<_> = folder.ancestors().take_while(|above| !above.exists()).map(Path::to_owned).collect();
    made.retain(|above| !above.as_os_str().is_empty());
    made.reverse();
    fs::create_dir_all(folder)?;
    Ok(made)
}

/// The program may be writing it too.
fn unchanged(file: &Path, before: Option<&str>) -> io::Result<()> {
    if read(file)?.as_deref() == before {
        return Ok(());
    }
    Err(io::Error::other("it was changed meanwhile; try again"))
}

#[cfg(unix)]
fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    // What a program makes by default; the umask takes from it.
    let plain = fs::Permissions::from_mode(0o666);
    tempfile::Builder::new().prefix(".claudevil-").permissions(plain).tempfile_in(folder)
}

#[cfg(not(unix))]
fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new().prefix(".claudevil-").tempfile_in(folder)
}

/// A file of another user stays theirs, which only an administrator can see to.
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
        replace(&target, Some("old"), "new").expect("replaced");
        assert_eq!(fs::read_to_string(&link).expect("readable"), "new");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(scratch.path()).expect("readable").count(), 2, "nothing is left over");
    }

    #[test]
    fn a_link_to_a_file_that_is_not_there_yet_is_written_through() {
        let scratch = tempfile::tempdir().expect("a folder");
        let link = scratch.path().join("link.json");
        symlink(scratch.path().join("later.json"), &link).expect("linked");
        let target = behind_links(&link).expect("a file");
        replace(&target, None, "new").expect("made");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read_to_string(&link).expect("readable"), "new");
        symlink("b", scratch.path().join("a")).expect("linked");
        symlink("a", scratch.path().join("b")).expect("linked");
        assert!(behind_links(&scratch.path().join("a")).is_err());
    }

    #[test]
    fn what_changed_meanwhile_or_may_not_be_written_is_left() {
        let scratch = tempfile::tempdir().expect("a folder");
        let file = scratch.path().join("a.json");
        fs::write(&file, "theirs").expect("written");
        assert!(replace(&file, Some("seen"), "ours").is_err());
        assert!(replace(&file, None, "ours").is_err());
        assert!(remove(&file, "seen").is_err());
        fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).expect("set");
        let error = replace(&file, Some("theirs"), "ours").expect_err("read-only");
        assert_eq!(error.to_string(), "it is read-only");
        assert_eq!(fs::read_to_string(&file).expect("readable"), "theirs");
        assert_eq!(fs::read_dir(scratch.path()).expect("readable").count(), 1, "nothing is left over");
        assert!(read(scratch.path()).is_err(), "a folder is no configuration");
    }
}
