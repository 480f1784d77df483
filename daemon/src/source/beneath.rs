//! Opening files beneath a root, and only there.
//!
//! The path is resolved by the system relative to an open directory (`openat2` with `RESOLVE_BENEATH` where there is
//! one), so a symlink that leads out, or a folder swapped for one in the middle of the call, cannot escape: there is
//! no moment between a check and the use.

use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions, ReadDir};
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::{ErrorCode, ToolError};

use super::file_stat::FileStat;

pub struct RootDir {
    dir: Dir,
    path: PathBuf,
    /// The name that callers use for the root.
    name: String,
}

/// An open regular file.
#[derive(Debug)]
pub struct OpenFile {
    pub file: File,
    pub size: u64,
    /// Relative to the root, with `/` between its parts.
    pub path: String,
}

/// The state of a path that should be a regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    File(FileStat),
    /// Nothing, or something other than a regular file.
    Gone,
    /// The path cannot be read, and the file may still exist.
    Hidden,
}

impl OpenFile {
    /// Reads the whole file. A file larger than `most` is an error.
    pub fn bytes(self, most: u64) -> io::Result<Vec<u8>> {
        read_at_most(self.file, self.size, most)
    }
}

impl RootDir {
    pub fn open(path: &Path, name: &str) -> Result<Self, ToolError> {
        let dir = open_directory(path).map_err(|error| {
            ToolError::new(
                ErrorCode::RootNotFound,
                format!("{} cannot be opened: {error}", path.display()),
            )
            .with_hint("the folder may have been moved or unmounted; its record is kept")
        })?;
        Ok(Self {
            dir,
            path: path.to_owned(),
            name: name.to_owned(),
        })
    }

    /// Returns another handle of the same folder, for another thread.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self {
            dir: self.dir.try_clone()?,
            path: self.path.clone(),
            name: self.name.clone(),
        })
    }

    /// Opens a regular file by a path relative to the root, or absolute inside it.
    pub fn open_file(&self, path: &str) -> Result<OpenFile, ToolError> {
        let relative = self.relative(path)?;
        let shown = shown(&relative);
        let file = self
            .dir
            .open_with(&relative, &read_options())
            .map_err(|error| self.refused(&shown, &error))?;
        let found = file
            .metadata()
            .map_err(|error| self.refused(&shown, &error))?;
        if found.is_dir() {
            return Err(
                ToolError::new(ErrorCode::FileNotFound, format!("{shown} is a folder")).with_hint(
                    Line::from(
                        NextCall::new("map_code")
                            .with("root", &self.name)
                            .with("path", &shown),
                    )
                    .text(" shows what is in it"),
                ),
            );
        }
        if !found.is_file() {
            return Err(ToolError::new(
                ErrorCode::BinaryFile,
                format!("{shown} is a device, pipe or socket, not a regular file"),
            ));
        }
        Ok(OpenFile {
            file,
            size: found.len(),
            path: shown,
        })
    }

    /// Returns whether a path beneath the root is a regular file, without following a symlink at its end.
    pub fn presence(&self, relative: &str) -> Presence {
        match self.dir.symlink_metadata(relative) {
            Ok(found) if found.is_file() => Presence::File(FileStat::from_metadata(&found)),
            Ok(_) => Presence::Gone,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Presence::Gone
            }
            Err(_) => Presence::Hidden,
        }
    }

    /// Returns the state of a regular file beneath the root, without following a symlink at its end.
    pub fn stat(&self, relative: &str) -> Option<FileStat> {
        let found = self
            .dir
            .symlink_metadata(relative)
            .ok()
            .filter(Metadata::is_file)?;
        Some(FileStat::from_metadata(&found))
    }

    /// Returns the metadata of a path beneath the root, without following a symlink at its end.
    pub(super) fn metadata(&self, relative: &str) -> io::Result<Metadata> {
        self.dir.symlink_metadata(relative)
    }

    /// Lists a folder beneath the root; `""` is the root itself.
    pub(super) fn entries(&self, relative: &str) -> io::Result<ReadDir> {
        self.dir
            .read_dir(if relative.is_empty() { "." } else { relative })
    }

    /// Fails unless something exists at a path beneath the root, without following a symlink at its end.
    pub fn check_exists(&self, relative: &str) -> Result<(), ToolError> {
        self.dir
            .symlink_metadata(relative)
            .map(drop)
            .map_err(|error| self.refused(relative, &error))
    }

    /// Reads a file beneath the root, unless it is larger than `most`.
    pub fn read(&self, relative: &str, most: u64) -> Option<Vec<u8>> {
        let open = self.open_file(relative).ok();
        open.filter(|open| open.size <= most)?.bytes(most).ok()
    }

    /// Reads a regular file into a buffer that is reused, and returns its state and length. A symlink at the end of the path
    /// is not followed, because the walk lists none.
    pub fn read_now(
        &self,
        relative: &str,
        most: u64,
        into: &mut Vec<u8>,
    ) -> io::Result<(FileStat, usize)> {
        let mut file = self.dir.open_with(relative, &read_options_no_follow())?;
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let size = usize::try_from(found.len().min(most)).unwrap_or(usize::MAX);
        let mut length = 0;
        loop {
            // One byte more than expected, so that the end is seen without growing the buffer.
            if into.len() < (size + 1).max(length + 1) {
                into.resize((size + 1).max(length * 2), 0);
            }
            match file.read(&mut into[length..]) {
                Ok(0) => break,
                Ok(more) => length += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if length as u64 > most {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
        }
        Ok((FileStat::from_metadata(&found), length))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a folder beneath the root, which stays open even if its path changes.
    pub(super) fn open_folder(&self, relative: &Path) -> io::Result<Dir> {
        let here = relative.as_os_str().is_empty();
        self.dir
            .open_dir(if here { Path::new(".") } else { relative })
    }

    /// Makes a path relative to the root. `.` and `..` are resolved without the file system, and may not lead out.
    fn relative(&self, path: &str) -> Result<PathBuf, ToolError> {
        let given = Path::new(path);
        if path.contains('\0') {
            return Err(ToolError::invalid_argument("path contains a NUL byte"));
        }
        let inside = if given.is_absolute() {
            self.strip_root(given)
        } else {
            Some(given.to_owned())
        };
        let inside = inside.ok_or_else(|| self.outside(path))?;
        let mut relative = PathBuf::new();
        for part in inside.components() {
            match part {
                Component::Normal(name) => relative.push(name),
                Component::CurDir => {}
                Component::ParentDir if relative.pop() => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    return Err(self.outside(path));
                }
            }
        }
        if relative.as_os_str().is_empty() {
            relative.push(".");
        }
        Ok(relative)
    }

    fn strip_root(&self, path: &Path) -> Option<PathBuf> {
        if let Ok(inside) = path.strip_prefix(&self.path) {
            return Some(inside.to_owned());
        }
        // The caller may name the root through a symlink. Only the text of the path is resolved here: opening it decides.
        let folder = fs::canonicalize(path.parent()?).ok()?;
        Some(
            folder
                .strip_prefix(&self.path)
                .ok()?
                .join(path.file_name()?),
        )
    }

    fn outside(&self, path: &str) -> ToolError {
        ToolError::new(
            ErrorCode::PathOutsideRoot,
            format!("{path} is outside the root {}", self.path.display()),
        )
        .with_hint(Line::new().words("give a path inside the root, or `root` for another project"))
    }

    fn refused(&self, shown: &str, error: &io::Error) -> ToolError {
        match error.kind() {
            // An escape has no error number of the system; a missing permission has one.
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
                self.outside(shown)
            }
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ToolError::new(
                ErrorCode::FileNotFound,
                format!("{shown} does not exist in {}", self.path.display()),
            )
            .with_hint(
                Line::from(
                    NextCall::new("search")
                        .with("query", base_name(shown))
                        .with("root", &self.name),
                )
                .text(" looks for the name"),
            ),
            _ if is_loop(error) => ToolError::new(
                ErrorCode::FileNotFound,
                format!("{shown} is a loop of symlinks"),
            ),
            io::ErrorKind::InvalidFilename => {
                ToolError::invalid_argument(format!("{shown} is not a possible file name"))
            }
            io::ErrorKind::PermissionDenied => ToolError::new(
                ErrorCode::FileNotFound,
                format!("{shown} cannot be read: {error}"),
            )
            .with_hint("check the file's permissions"),
            _ => claudevil_protocol::error::from_io(shown, error),
        }
    }
}

/// Opens a folder by a path without symlinks, as the paths of roots are: a symlink that was put there since is not
/// followed.
#[cfg(target_os = "linux")]
fn open_directory(path: &Path) -> io::Result<Dir> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(opened) => Ok(Dir::from_std_file(fs::File::from(opened))),
        // Kernels before 5.6.
        Err(rustix::io::Errno::NOSYS) => Dir::open_ambient_dir(path, ambient_authority()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_directory(path: &Path) -> io::Result<Dir> {
    Dir::open_ambient_dir(path, ambient_authority())
}

/// Reads a whole file of about `size` bytes. A file larger than `most` is `FileTooLarge`.
pub(super) fn read_at_most(file: File, size: u64, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(most) + 1).unwrap_or_default());
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        Err(io::ErrorKind::FileTooLarge.into())
    } else {
        Ok(bytes)
    }
}

fn read_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    // Opening a pipe without a writer must not block; regular files ignore the flag.
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    options
}

/// Like [`read_options`], but a symlink in place of the file is an error.
pub(super) fn read_options_no_follow() -> OpenOptions {
    let mut options = read_options();
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::custom_flags(
        &mut options,
        (rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW)
            .bits()
            .cast_signed(),
    );
    options
}

#[cfg(unix)]
fn is_loop(error: &io::Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::LOOP)
}

#[cfg(not(unix))]
fn is_loop(_error: &io::Error) -> bool {
    false
}

fn shown(relative: &Path) -> String {
    relative
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}

fn base_name(shown: &str) -> &str {
    shown.rsplit('/').next().unwrap_or(shown)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn tree() -> (tempfile::TempDir, RootDir) {
        let scratch = tempfile::tempdir().expect("a directory");
        let root = fs::canonicalize(scratch.path()).expect("real").join("tree");
        fs::create_dir_all(root.join("src")).expect("made");
        fs::write(root.join("src/main.rs"), "fn main() {}\n").expect("written");
        fs::write(scratch.path().join("secret"), "outside\n").expect("written");
        symlink("main.rs", root.join("src/inside")).expect("linked");
        symlink("../../secret", root.join("src/out")).expect("linked");
        symlink("/etc/hostname", root.join("absolute")).expect("linked");
        symlink("..", root.join("up")).expect("linked");
        symlink("loop", root.join("loop")).expect("linked");
        let dir = RootDir::open(&root, "tree").expect("opened");
        (scratch, dir)
    }

    #[test]
    fn paths_inside_open_by_every_spelling() {
        let (_scratch, root) = tree();
        let absolute = root.path.join("src/main.rs").display().to_string();
        for path in [
            "src/main.rs",
            "./src/../src/main.rs",
            "src/inside",
            absolute.as_str(),
        ] {
            let file = root.open_file(path).expect(path);
            assert_eq!(file.size, 13, "{path}");
        }
        assert_eq!(
            root.open_file("./src/../src/main.rs").expect("open").path,
            "src/main.rs"
        );
    }

    #[test]
    fn a_file_is_read_as_it_is_now_and_no_link_in_its_place() {
        let (_scratch, root) = tree();
        let mut buffer = vec![b'x'; 100];
        for most in [13, 14, 1 << 20] {
            let (stat, length) = root
                .read_now("src/main.rs", most, &mut buffer)
                .expect("read");
            assert_eq!(&buffer[..length], b"fn main() {}\n");
            assert_eq!(Some(stat), root.stat("src/main.rs"));
        }
        assert_eq!(
            root.read_now("src/main.rs", 12, &mut vec![])
                .expect_err("long")
                .kind(),
            io::ErrorKind::FileTooLarge
        );
        for path in [
            "src/inside",
            "src/out",
            "absolute",
            "src",
            "missing",
            "loop",
            "up/secret",
        ] {
            assert!(root.read_now(path, 1 << 20, &mut buffer).is_err(), "{path}");
        }
    }

    #[test]
    fn no_spelling_leads_out() {
        let (_scratch, root) = tree();
        for path in [
            "../secret",
            "src/../../secret",
            "/etc/passwd",
            "src/out",
            "absolute",
            "up/secret",
            "src/../../tree/../secret",
        ] {
            assert_eq!(
                root.open_file(path).expect_err(path).code,
                ErrorCode::PathOutsideRoot,
                "{path}"
            );
        }
    }

    #[test]
    fn a_path_that_is_not_a_file_has_a_plain_error() {
        let (_scratch, root) = tree();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            root.path.join("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .expect("a pipe");
        let long = "x".repeat(300);
        for (path, code) in [
            ("src", ErrorCode::FileNotFound),
            (".", ErrorCode::FileNotFound),
            ("missing.rs", ErrorCode::FileNotFound),
            ("src/main.rs/deeper", ErrorCode::FileNotFound),
            ("loop", ErrorCode::FileNotFound),
            ("pipe", ErrorCode::BinaryFile),
            ("a\0b", ErrorCode::InvalidArgument),
            (long.as_str(), ErrorCode::InvalidArgument),
        ] {
            assert_eq!(root.open_file(path).expect_err(path).code, code, "{path}");
        }
    }
}
