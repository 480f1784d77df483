//! The directories that claudevil creates for itself: how they are created, recognised and emptied.
//!
//! `CLAUDEVIL_HOME` may name a folder in which `data` or `config` belongs to another program. A directory is therefore used
//! only if it carries the marker file, is empty, or holds files that only claudevil creates, which is how one made
//! by an earlier version is recognised. In any other nothing is written, its mode stays, and nothing is removed from it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::endpoint::{create_private_file, ensure_private_directory};
use crate::error::at;
use crate::paths::Paths;

/// The file that marks a directory as claudevil's.
pub const MARKER: &str = ".claudevil-directory";

const MARKER_TEXT: &str = "\
claudevil made this directory and keeps its own files in it.
`claudevil uninstall` removes those files, and the directory once nothing else is in it.
";

/// Names of temporary files, and of the marker.
const TEMPORARY: &str = ".claudevil-";

/// Maximum number of foreign entries that a message names.
const MAX_NAMED: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnDirectory {
    Config,
    Data,
    State,
    Run,
}

/// The entries of a directory.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Entries with names that claudevil uses, the marker among them.
    pub own: Vec<PathBuf>,
    pub foreign: Vec<PathBuf>,
}

impl OwnDirectory {
    /// Each before the directory that may contain it: on Linux `run` lies in the state directory.
    pub const INNERMOST_FIRST: [Self; 4] = [Self::Config, Self::Data, Self::Run, Self::State];

    pub fn path(self, paths: &Paths) -> &Path {
        match self {
            Self::Config => paths.config(),
            Self::Data => paths.data(),
            Self::State => paths.state(),
            Self::Run => paths.run(),
        }
    }

    /// Names of the entries that claudevil creates here. `*` at the end stands for anything.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Config => &["config.toml"],
            Self::Data => &[
                "roots.redb",
                "roots.redb.damaged-*",
                "index.redb",
                "vectors",
                "vectors.lock",
                "roots",
                "cookies",
                "changes",
                "undo",
                "models",
                "runtime",
            ],
            Self::State => &["logs", "setup", "start-errors.txt"],
            Self::Run => &[
                "daemon.lock",
                "start.lock",
                "failed-starts.json",
                "daemon.sock",
            ],
        }
    }

    /// Paths by which a directory of an earlier version, which has no marker, is recognised. Common names such as `models` or
    /// `logs` are not among them.
    fn legacy_markers(self) -> &'static [&'static str] {
        match self {
            // A file of this name may belong to any program: see `is_ours`.
            Self::Config => &[],
            Self::Data => &[
                "roots.redb",
                "index.redb",
                "models/models--*",
                "runtime/libonnxruntime*",
                "runtime/onnxruntime.dll",
            ],
            Self::State => &[
                "start-errors.txt",
                "setup/record.json",
                "setup/lock",
                "logs/claudevild.*",
                "logs/launchd.txt",
                "run/daemon.lock",
                "run/start.lock",
                "run/daemon.sock",
            ],
            Self::Run => self.names(),
        }
    }

    /// Creates the directory for this user alone, or checks that it is one of ours.
    pub fn claim(self, paths: &Paths) -> io::Result<()> {
        let path = self.path(paths);
        if self == Self::Run && path.starts_with(paths.state()) {
            Self::State.claim(paths)?;
        }
        let is_new = match self.contents(paths) {
            Ok(contents) if self.is_ours(paths, &contents) => false,
            Ok(contents) if contents == Contents::default() => true,
            Ok(contents) => return Err(refused(path, &contents)),
            // Missing, or not a directory, which the next step reports.
            Err(_) => true,
        };
        ensure_private_directory(path)?;
        let marker = path.join(MARKER);
        if fs::symlink_metadata(&marker).is_ok() {
            return Ok(());
        }
        let written = create_private_file(&marker)
            .and_then(|mut file| file.write_all(MARKER_TEXT.as_bytes()));
        match written {
            // A directory that is recognised by its files works without the marker, for example on a full disk.
            Err(error) if is_new => Err(at(&marker, &error)),
            _ => Ok(()),
        }
    }

    /// Returns whether claudevil created the directory.
    pub fn is_ours(self, paths: &Paths, contents: &Contents) -> bool {
        let path = self.path(paths);
        let has_marker = fs::symlink_metadata(path.join(MARKER)).is_ok();
        // People write the configuration by hand, in a directory that they create.
        let is_configuration =
            self == Self::Config && contents.foreign.is_empty() && !contents.own.is_empty();
        has_marker
            || is_configuration
            || self
                .legacy_markers()
                .iter()
                .any(|marker| exists(path, marker))
    }

    /// Returns the entries of the directory; an error where there is none, or a link in its place.
    pub fn contents(self, paths: &Paths) -> io::Result<Contents> {
        let path = self.path(paths);
        if !fs::symlink_metadata(path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let mut contents = Contents::default();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let name = entry.file_name();
            let is_own = name.to_str().is_some_and(|name| {
                name.starts_with(TEMPORARY)
                    || self.names().iter().any(|pattern| matches(pattern, name))
            });
            if is_own {
                contents.own.push(entry.path());
            } else {
                contents.foreign.push(entry.path());
            }
        }
        contents.own.sort();
        contents.foreign.sort();
        Ok(contents)
    }

    /// Returns why the directory cannot be used, if it holds files that are not ours.
    pub fn refusal(self, paths: &Paths) -> Option<String> {
        let contents = self.contents(paths).ok()?;
        let is_refused = contents != Contents::default() && !self.is_ours(paths, &contents);
        is_refused.then(|| refused(self.path(paths), &contents).to_string())
    }
}

impl Contents {
    /// Returns the names of the first foreign entries, or of our own if there are none, for a message.
    pub fn foreign_names(&self) -> String {
        let entries = if self.foreign.is_empty() {
            &self.own
        } else {
            &self.foreign
        };
        let names = entries.iter().filter_map(|path| path.file_name());
        let names: Vec<_> = names
            .take(MAX_NAMED)
            .map(|name| name.to_string_lossy())
            .collect();
        let more = entries.len().saturating_sub(names.len());
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!("{}{more}", names.join(", "))
    }
}

fn refused(path: &Path, contents: &Contents) -> io::Error {
    let message = format!(
        "{} was not made by claudevil and holds {}: move that elsewhere, or set CLAUDEVIL_HOME to another folder",
        path.display(),
        contents.foreign_names()
    );
    io::Error::new(io::ErrorKind::AlreadyExists, message)
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    }
}

/// Looks for an entry below a directory, without following links.
fn exists(directory: &Path, pattern: &str) -> bool {
    let path = directory.join(pattern);
    let (Some(folder), Some(name)) = (
        path.parent(),
        path.file_name().and_then(|name| name.to_str()),
    ) else {
        return false;
    };
    if !pattern.ends_with('*') {
        return fs::symlink_metadata(&path).is_ok();
    }
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().any(|entry| {
        entry
            .file_name()
            .to_str()
            .is_some_and(|found| matches(name, found))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(scratch: &Path) -> Paths {
        Paths::gathered(scratch, &scratch.join("home"))
    }

    fn put(path: &Path) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, "theirs").expect("written");
    }

    #[test]
    fn a_new_directory_is_marked_and_stays_ours() {
        let scratch = tempfile::tempdir().expect("a directory");
        let paths = paths(scratch.path());
        fs::create_dir_all(paths.state()).expect("made");
        for directory in OwnDirectory::INNERMOST_FIRST {
            directory.claim(&paths).expect("made");
            put(&directory.path(&paths).join("theirs"));
            directory.claim(&paths).expect("still ours");
            let contents = directory.contents(&paths).expect("there");
            assert_eq!(contents.own, [directory.path(&paths).join(MARKER)]);
            assert_eq!(contents.foreign_names(), "theirs");
        }
    }

    #[test]
    fn all_that_changes_leave_behind_is_ours() {
        let scratch = tempfile::tempdir().expect("a directory");
        let paths = paths(scratch.path());
        OwnDirectory::Data.claim(&paths).expect("made");
        put(&paths.data().join("undo/00000000000000000001.undo"));
        put(&paths.data().join("changes/1.journal"));
        let contents = OwnDirectory::Data.contents(&paths).expect("there");
        assert!(contents.foreign.is_empty());
    }

    #[test]
    #[cfg(unix)]
    fn a_directory_of_somebody_else_is_refused_and_keeps_its_mode() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = tempfile::tempdir().expect("a directory");
        let paths = paths(scratch.path());
        for (directory, name) in [
            (OwnDirectory::Data, "thesis/chapter-1.tex"),
            (OwnDirectory::Data, "models/mine.onnx"),
            (OwnDirectory::Config, "nginx.conf"),
            (OwnDirectory::State, "logs/app.log"),
            (OwnDirectory::Run, "app.pid"),
        ] {
            let path = directory.path(&paths);
            put(&path.join(name));
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("set");
            let error = directory.claim(&paths).expect_err("refused").to_string();
            assert!(
                error.contains("not made by claudevil") && error.contains("CLAUDEVIL_HOME"),
                "{error}"
            );
            assert_eq!(directory.refusal(&paths), Some(error));
            assert_eq!(
                fs::metadata(path).expect("there").permissions().mode() & 0o777,
                0o755
            );
            assert!(!path.join(MARKER).exists());
            fs::remove_dir_all(path).expect("removed");
        }
    }

    #[test]
    fn a_directory_of_an_earlier_version_is_known_by_its_files() {
        let scratch = tempfile::tempdir().expect("a directory");
        let paths = paths(scratch.path());
        for (directory, name) in [
            (OwnDirectory::Data, "roots.redb"),
            (OwnDirectory::Data, "index.redb"),
            (OwnDirectory::Config, "config.toml"),
            (OwnDirectory::State, "start-errors.txt"),
            (OwnDirectory::State, "logs/claudevild.2026-01-01.log"),
            (OwnDirectory::State, "run/daemon.sock"),
            (OwnDirectory::Run, "start.lock"),
        ] {
            let path = directory.path(&paths);
            put(&path.join(name));
            directory.claim(&paths).expect("adopted");
            assert!(path.join(MARKER).exists(), "{name}");
            fs::remove_dir_all(path).expect("removed");
        }
    }

    #[test]
    fn the_installer_removes_the_same_names() {
        let installer = include_str!("../../packaging/install.sh");
        for directory in OwnDirectory::INNERMOST_FIRST {
            for name in directory
                .names()
                .iter()
                .chain(directory.legacy_markers())
                .chain([&MARKER])
            {
                assert!(
                    installer.contains(name),
                    "packaging/install.sh does not know {name}"
                );
            }
        }
    }
}
