//! A folder of a root in which we keep files of our own, beside those of people.
//!
//! No link is followed on the way to it or in it: what is kept must not land in git's folder, or outside of the root, by
//! a link that came with a checkout. A file is written beside its place, synced, and then put there in one step that
//! never replaces anything, so that there is a whole file or none, and two who choose one name both keep theirs.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::beneath::{FileStat, RootDir, reading_itself, stat_of};
use super::file_slot::{is_temporary, move_into_gap};
use crate::clock;

/// What a process that was killed left behind is swept away once nobody can still be writing it.
const ABANDONED: Duration = Duration::from_secs(3600);

pub struct OwnFolder {
    dir: Dir,
    /// Permissions as the root has them: whoever can read the project can read what is kept in it.
    #[cfg(unix)]
    mode: u32,
}

/// A file as it was found.
pub struct StoredFile {
    pub bytes: Vec<u8>,
    /// Milliseconds since 1970.
    pub modified: i64,
    pub stat: FileStat,
}

/// Whether a name was free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    Done,
    Taken,
}

impl OwnFolder {
    /// The folder at these names, one in the other, or none where it is not there.
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

    /// The same, made where it is not there.
    pub fn create(root: &RootDir, names: &[&str]) -> io::Result<Self> {
        let mut folder = Self::top(root)?;
        for name in names {
            match folder.dir.create_dir(name) {
                Ok(()) => {
                    let dir = enter(&folder.dir, name)?;
                    #[cfg(unix)]
                    share(&dir, folder.mode)?;
                    sync(&folder.dir)?;
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

    /// The names of what lies in it, but for what is being written, and at most so many.
    pub fn names(&self, most: usize) -> io::Result<Vec<String>> {
        let mut names = vec![];
        for entry in self.dir.entries()? {
            // A name that is not UTF-8 is none of ours.
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

    pub fn is_folder(&self, name: &str) -> bool {
        self.dir
            .symlink_metadata(name)
            .is_ok_and(|found| found.is_dir())
    }

    /// The state of a regular file. A link, a pipe or a folder in its place is `InvalidInput`.
    pub fn stat(&self, name: &str) -> io::Result<FileStat> {
        let found = self.dir.symlink_metadata(name)?;
        if found.is_file() {
            Ok(stat_of(&found))
        } else {
            Err(not_a_file())
        }
    }

    /// A regular file, whole. A link, a pipe or a folder in its place is `InvalidInput`, one that is too large
    /// `FileTooLarge`.
    pub fn read(&self, name: &str, most: u64) -> io::Result<StoredFile> {
        self.stat(name)?;
        let file = self.dir.open_with(name, &reading_itself())?;
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(not_a_file());
        }
        if found.len() > most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut bytes = vec![];
        file.take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(StoredFile {
            bytes,
            modified: modified(&found).map_or(0, clock::millis),
            stat: stat_of(&found),
        })
    }

    /// Puts a new file there, on the disk when this returns.
    pub fn put(&self, name: &str, bytes: &[u8]) -> io::Result<PutOutcome> {
        static WRITTEN: AtomicU64 = AtomicU64::new(0);
        self.sweep();
        let beside = format!(
            ".claudevil-{}-{}.tmp",
            std::process::id(),
            WRITTEN.fetch_add(1, Ordering::Relaxed)
        );
        // One of that name is left from a process that had our number once.
        let _ = self.dir.remove_file(&beside);
        let put = self
            .fill(&beside, bytes)
            .and_then(|()| move_into_gap(&self.dir, &beside, name));
        match put {
            Ok(()) => sync(&self.dir).map(|()| PutOutcome::Done),
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

    fn fill(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
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

    /// Removes what was left half-written. That it cannot be looked at or removed is no reason not to write.
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

/// A folder in another, and no link in its place.
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

/// The daemon makes everything for its user alone; what lies in a project is shared as the project is.
#[cfg(unix)]
fn share(dir: &Dir, mode: u32) -> io::Result<()> {
    Ok(rustix::fs::fchmod(
        dir,
        rustix::fs::Mode::from_raw_mode(mode & 0o777),
    )?)
}

fn sync(dir: &Dir) -> io::Result<()> {
    // Elsewhere a folder cannot be opened as a file.
    if cfg!(unix) {
        dir.open_with(".", &reading_itself())?.sync_all()
    } else {
        Ok(())
    }
}

#[cfg(all(test, unix))]
#[expect(
    clippy::disallowed_methods,
    reason = "what is on the disk is looked at as others see it"
)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

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
    fn files_are_put_whole_and_never_over_each_other() {
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
    fn what_a_killed_process_left_is_swept_later() {
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
