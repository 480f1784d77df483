//! A folder of a root for files of our own, which people may edit too.
//!
//! No symlink is followed on the way to it or in it: a link that came with a checkout must not lead a file into git's
//! folder or out of the root. A file is written under a temporary name, synced, and then renamed in one step that never
//! replaces anything, or moved by a hard link where the system has no such step: there is a whole file or none, and of two
//! writers with the same name neither overwrites the other.

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::beneath::{RootDir, read_at_most, read_options_no_follow};
use super::file_slot::{is_temporary, publish, sync_folder};
use super::file_stat::FileStat;
use crate::clock;

/// The age at which the temporary file of a killed process is removed, since no process can still be writing it.
const ABANDONED: Duration = Duration::from_secs(3600);

pub struct OwnFolder {
    dir: Dir,
    /// The permissions of the root: whoever can read the project can read these files.
    #[cfg(unix)]
    mode: u32,
}

pub struct StoredFile {
    pub bytes: Vec<u8>,
    /// Milliseconds since 1970.
    pub modified: i64,
    pub stat: FileStat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    Done,
    /// The name is taken.
    Taken,
}

impl OwnFolder {
    /// Opens the folder at a path of names; `None` if it does not exist.
    pub fn open(root: &RootDir, names: &[&str]) -> io::Result<Option<Self>> {
        let mut folder = Self::top(root)?;
        for name in names {
            match enter(&folder.dir, name) {
                Ok(dir) => folder.dir = dir,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(folder))
    }

    /// Opens the folder at a path of names, and creates it if it does not exist.
    pub fn create(root: &RootDir, names: &[&str]) -> io::Result<Self> {
        let mut folder = Self::top(root)?;
        for name in names {
            match folder.dir.create_dir(name) {
                Ok(()) => {
                    let dir = enter(&folder.dir, name)?;
                    #[cfg(unix)]
                    share(&dir, folder.mode)?;
                    sync_folder(&folder.dir)?;
                    folder.dir = dir;
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    folder.dir = enter(&folder.dir, name)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(folder)
    }

    fn top(root: &RootDir) -> io::Result<Self> {
        let dir = root.open_folder(Path::new(""))?;
        #[cfg(unix)]
        let mode = cap_std::fs::MetadataExt::mode(&dir.dir_metadata()?);
        Ok(Self {
            dir,
            #[cfg(unix)]
            mode,
        })
    }

    /// Returns at most `most` names in the folder, without temporary files.
    pub fn names(&self, most: usize) -> io::Result<Vec<String>> {
        let mut names = vec![];
        for entry in self.dir.entries()? {
            // All names of our own files are UTF-8.
            if let Ok(name) = entry?.file_name().into_string()
                && !is_temporary(&name)
            {
                names.push(name);
            }
            if names.len() >= most {
                break;
            }
        }
        Ok(names)
    }

    /// Returns the state of a regular file. Anything else in its place is `InvalidInput`.
    pub fn stat(&self, name: &str) -> io::Result<FileStat> {
        let found = self.dir.symlink_metadata(name)?;
        if found.is_file() {
            Ok(FileStat::from_metadata(&found))
        } else {
            Err(not_a_file())
        }
    }

    /// Reads a regular file. Anything else in its place is `InvalidInput`, a file larger than `most` is `FileTooLarge`.
    pub fn read(&self, name: &str, most: u64) -> io::Result<StoredFile> {
        self.stat(name)?;
        let file = self.dir.open_with(name, &read_options_no_follow())?;
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(not_a_file());
        }
        Ok(StoredFile {
            bytes: read_at_most(file, found.len(), most)?,
            modified: modified(&found).map_or(0, clock::millis),
            stat: FileStat::from_metadata(&found),
        })
    }

    /// Creates a new file, synced to disk.
    pub fn put(&self, name: &str, bytes: &[u8]) -> io::Result<PutOutcome> {
        static WRITTEN: AtomicU64 = AtomicU64::new(0);
        self.sweep();
        let beside = format!(
            ".claudevil-{}-{}.tmp",
            std::process::id(),
            WRITTEN.fetch_add(1, Ordering::Relaxed)
        );
        // A file of that name is left from an earlier process with our id.
        let _ = self.dir.remove_file(&beside);
        let put = self
            .write(&beside, bytes)
            .and_then(|()| publish(&self.dir, &beside, name));
        match put {
            Ok(()) => sync_folder(&self.dir).map(|()| PutOutcome::Done),
            Err(error) => {
                let _ = self.dir.remove_file(&beside);
                if error.kind() == io::ErrorKind::AlreadyExists {
                    Ok(PutOutcome::Taken)
                } else {
                    Err(error)
                }
            }
        }
    }

    pub fn remove(&self, name: &str) -> io::Result<()> {
        self.dir.remove_file(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let mut file = self.dir.open_with(name, &options)?;
        file.write_all(bytes)?;
        #[cfg(unix)]
        {
            let mode = cap_std::fs::PermissionsExt::from_mode(self.mode & 0o666);
            file.set_permissions(mode)?;
        }
        file.sync_all()
    }

    /// Removes abandoned temporary files. Errors do not keep us from writing.
    fn sweep(&self) {
        let Ok(entries) = self.dir.entries() else {
            return;
        };
        for entry in entries.flatten() {
            let is_ours = entry.file_name().to_str().is_some_and(is_temporary);
            let is_old = |found: &Metadata| {
                modified(found)
                    .and_then(|time| SystemTime::now().duration_since(time).ok())
                    .is_some_and(|age| age > ABANDONED)
            };
            if is_ours && entry.metadata().is_ok_and(|found| is_old(&found)) {
                let _ = entry.remove_file();
            }
        }
    }
}

fn not_a_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

fn modified(found: &Metadata) -> Option<SystemTime> {
    found
        .modified()
        .ok()
        .map(cap_std::time::SystemTime::into_std)
}

/// Opens a folder in another, without following a symlink.
#[cfg(unix)]
fn enter(dir: &Dir, name: &str) -> io::Result<Dir> {
    use rustix::fs::{Mode, OFlags, openat};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(Dir::from_std_file(std::fs::File::from(openat(
        dir,
        name,
        flags,
        Mode::empty(),
    )?)))
}

#[cfg(not(unix))]
fn enter(dir: &Dir, name: &str) -> io::Result<Dir> {
    if dir.symlink_metadata(name)?.is_dir() {
        dir.open_dir(name)
    } else {
        Err(io::ErrorKind::NotADirectory.into())
    }
}

/// Gives a folder the permissions of the root. The daemon creates files for its user alone, but those in a project are
/// shared as the project is.
#[cfg(unix)]
fn share(dir: &Dir, mode: u32) -> io::Result<()> {
    Ok(rustix::fs::fchmod(
        dir,
        rustix::fs::Mode::from_raw_mode(mode & 0o777),
    )?)
}

#[cfg(all(test, unix))]
#[expect(
    clippy::disallowed_methods,
    reason = "the files are read as other programs see them"
)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::super::file_slot::link_to_free;
    use super::*;

    fn root() -> (tempfile::TempDir, RootDir) {
        let scratch = tempfile::tempdir().expect("a directory");
        let path = fs::canonicalize(scratch.path()).expect("real").join("tree");
        fs::create_dir_all(path.join("real")).expect("made");
        fs::create_dir_all(scratch.path().join("outside")).expect("made");
        let root = RootDir::open(&path, "tree").expect("opened");
        (scratch, root)
    }

    #[test]
    fn a_file_is_created_whole_and_never_overwrites() {
        let (_scratch, root) = root();
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o750)).expect("set");
        assert!(
            OwnFolder::open(&root, &[".own", "notes"])
                .expect("looked")
                .is_none()
        );
        let folder = OwnFolder::create(&root, &[".own", "notes"]).expect("made");
        assert_eq!(folder.put("a.md", b"one").expect("put"), PutOutcome::Done);
        assert_eq!(folder.put("a.md", b"two").expect("put"), PutOutcome::Taken);
        assert_eq!(folder.read("a.md", 10).expect("read").bytes, b"one");
        assert_eq!(folder.names(10).expect("names"), ["a.md"]);
        let mode = |path: &str| {
            fs::metadata(root.path().join(path))
                .expect("there")
                .permissions()
                .mode()
                & 0o777
        };
        assert_eq!(
            [mode(".own"), mode(".own/notes"), mode(".own/notes/a.md")],
            [0o750, 0o750, 0o640]
        );
        let again = OwnFolder::open(&root, &[".own", "notes"])
            .expect("looked")
            .expect("there");
        assert_eq!(
            again.read("a.md", 2).err().expect("too large").kind(),
            io::ErrorKind::FileTooLarge
        );
    }

    #[test]
    fn a_move_by_a_hard_link_never_overwrites() {
        let (_scratch, root) = root();
        let folder = OwnFolder::create(&root, &[".own"]).expect("made");
        let path = |name: &str| root.path().join(".own").join(name);
        for (name, text) in [("one", "1"), ("two", "2")] {
            fs::write(path(name), text).expect("written");
        }
        let taken = link_to_free(&folder.dir, "one", "two").expect_err("taken");
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        link_to_free(&folder.dir, "one", "three").expect("free");
        let texts = ["two", "three"].map(|name| fs::read_to_string(path(name)).expect("read"));
        assert_eq!(
            (texts, path("one").exists()),
            (["2", "1"].map(str::to_owned), false)
        );
    }

    #[test]
    fn no_link_is_followed() {
        let (scratch, root) = root();
        let outside = scratch.path().join("outside");
        for (link, target) in [
            (".out", outside.to_str().expect("UTF-8")),
            (".in", "real"),
            (".up", ".."),
        ] {
            symlink(target, root.path().join(link)).expect("linked");
            assert!(
                OwnFolder::create(&root, &[link, "notes"]).is_err(),
                "{link}"
            );
            assert!(OwnFolder::open(&root, &[link]).is_err(), "{link}");
        }
        let folder = OwnFolder::create(&root, &[".own"]).expect("made");
        fs::write(outside.join("secret"), "x").expect("written");
        symlink(outside.join("secret"), root.path().join(".own/link.md")).expect("linked");
        assert_eq!(
            folder.read("link.md", 10).err().expect("a link").kind(),
            io::ErrorKind::InvalidInput
        );
        assert_eq!(folder.put("link.md", b"y").expect("put"), PutOutcome::Taken);
        assert_eq!(fs::read(outside.join("secret")).expect("read"), b"x");
        assert!(
            fs::read_dir(&outside).expect("listed").count() == 1
                && fs::read_dir(root.path().join("real"))
                    .expect("listed")
                    .count()
                    == 0
        );
    }

    #[test]
    fn temporary_files_of_a_killed_process_are_removed_later() {
        let (_scratch, root) = root();
        let folder = OwnFolder::create(&root, &[".own"]).expect("made");
        let (old, new) = (
            root.path().join(".own/.claudevil-1-0.tmp"),
            root.path().join(".own/.claudevil-2-0.tmp"),
        );
        for path in [&old, &new] {
            fs::write(path, "half").expect("written");
        }
        let long_ago = SystemTime::now() - 2 * ABANDONED;
        fs::File::options()
            .write(true)
            .open(&old)
            .expect("opened")
            .set_modified(long_ago)
            .expect("set");
        folder.put("a.md", b"one").expect("put");
        assert!(!old.exists() && new.exists());
        assert_eq!(
            folder.names(10).expect("names"),
            ["a.md"],
            "what is being written is not listed"
        );
    }
}
