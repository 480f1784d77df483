//! Finds the library of ONNX Runtime, which is not part of this program.
//!
//! Its path comes from a setting, from `ORT_DYLIB_PATH`, or from `claudevil model install-runtime`. The file is checked before
//! it is used, because the crate that loads it panics on failure.

pub mod install;
mod wheel;

use std::io::Read;
use std::path::{Path, PathBuf};

use super::EmbedError;

/// The oldest version that can be used.
pub const OLDEST: (u32, u32) = (1, 24);
const INSTALL: &str = "claudevil model install-runtime";

/// The paths where the library may be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LibraryPaths {
    /// The setting `embedder_runtime`.
    pub set: Option<PathBuf>,
    /// The variable `ORT_DYLIB_PATH`.
    pub variable: Option<PathBuf>,
    /// The folder of an installed library.
    pub installed: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    pub path: PathBuf,
    /// The setting, variable or command that the path comes from.
    pub source: &'static str,
}

impl LibraryPaths {
    /// Returns the folder of an installed library.
    pub fn folder(data: &Path) -> PathBuf {
        data.join("runtime")
    }

    /// Returns the library. A named library must be valid: no other is used in its place.
    pub fn find(&self) -> Result<Library, EmbedError> {
        let named = [
            (&self.set, "embedder_runtime"),
            (&self.variable, "ORT_DYLIB_PATH"),
        ];
        for (path, source) in named {
            if let Some(path) = path {
                let library = Library {
                    path: path.clone(),
                    source,
                };
                check(path).map_err(|why| {
                    EmbedError::unavailable(format!(
                        "ONNX Runtime at {} ({source}) {why}: name its library, or let `{INSTALL}` get it",
                        path.display()
                    ))
                })?;
                return Ok(library);
            }
        }
        let path = installed(&self.installed).ok_or_else(|| {
            EmbedError::unavailable(format!(
                "ONNX Runtime is not installed: `{INSTALL}` gets it from PyPI, or set embedder_runtime to its library"
            ))
        })?;
        check(&path).map_err(|why| {
            EmbedError::unavailable(format!(
                "{} {why}: `{INSTALL}` reinstalls it",
                path.display()
            ))
        })?;
        Ok(Library {
            path,
            source: INSTALL,
        })
    }
}

/// Returns whether a file of this name is the library on this system.
fn is_library(name: &str) -> bool {
    match std::env::consts::OS {
        "windows" => name.eq_ignore_ascii_case("onnxruntime.dll"),
        "macos" => {
            name.starts_with("libonnxruntime.")
                && Path::new(name)
                    .extension()
                    .is_some_and(|end| end == "dylib")
        }
        _ => name == "libonnxruntime.so" || name.starts_with("libonnxruntime.so."),
    }
}

/// Returns the newest installed library.
#[expect(
    clippy::disallowed_methods,
    reason = "our own data, not a root's files"
)]
fn installed(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path());
    let libraries = entries.filter(|path| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(is_library)
    });
    libraries.max_by_key(|path| numbers(&path.file_name().unwrap_or_default().to_string_lossy()))
}

/// Returns the numbers of the version in a name: `libonnxruntime.so.1.24.0` → 1, 24, 0.
fn numbers(name: &str) -> Vec<u32> {
    name.split(|letter: char| !letter.is_ascii_digit())
        .filter_map(|part| part.parse().ok())
        .collect()
}

/// Checks that a file can be a library of this system.
fn check(path: &Path) -> Result<(), String> {
    if path.is_dir() {
        return Err("is a folder".to_owned());
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "a library that the user named, not a root's files"
    )]
    let mut file = std::fs::File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "is not there".to_owned(),
        _ => format!("cannot be read ({error})"),
    })?;
    let mut head = [0; 20];
    file.read_exact(&mut head)
        .map_err(|_| "is not a library".to_owned())?;
    // ELF headers also name the processor, which is easily mixed up.
    let machine = match std::env::consts::ARCH {
        "x86_64" => 62,
        "aarch64" => 183,
        _ => head[18],
    };
    let is_one = match std::env::consts::OS {
        "windows" => head.starts_with(b"MZ"),
        "macos" => {
            head.starts_with(&[0xCF, 0xFA, 0xED, 0xFE])
                || head.starts_with(&[0xCA, 0xFE, 0xBA, 0xBE])
        }
        _ => head.starts_with(b"\x7FELF") && head[18] == machine,
    };
    if is_one {
        Ok(())
    } else {
        Err("is not a library of this system".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_named_library_is_found_and_checked() {
        let scratch = tempfile::tempdir().expect("a directory");
        let mut paths = LibraryPaths {
            installed: scratch.path().join("runtime"),
            ..LibraryPaths::default()
        };
        let why = |paths: &LibraryPaths| paths.find().expect_err("none").message;
        assert!(
            why(&paths).contains("claudevil model install-runtime"),
            "{}",
            why(&paths)
        );
        fs::create_dir(&paths.installed).expect("made");
        for (name, text) in [
            ("libonnxruntime.so.1.9.0", "old"),
            ("libonnxruntime.so.1.31.1", "no library"),
            ("a", ""),
        ] {
            fs::write(paths.installed.join(name), text).expect("written");
        }
        assert!(
            why(&paths).contains("1.31.1 is not a library"),
            "{}",
            why(&paths)
        );
        // This test is a program of this system.
        let own = std::env::current_exe().expect("a program");
        std::os::unix::fs::symlink(&own, paths.installed.join("new")).expect("linked");
        fs::rename(
            paths.installed.join("new"),
            paths.installed.join("libonnxruntime.so.1.31.1"),
        )
        .expect("renamed");
        assert!(
            paths
                .find()
                .expect("found")
                .path
                .ends_with("libonnxruntime.so.1.31.1")
        );
        paths.variable = Some(own.clone());
        assert_eq!(
            paths.find().expect("found"),
            Library {
                path: own,
                source: "ORT_DYLIB_PATH"
            }
        );
        paths.set = Some(scratch.path().join("nothing.so"));
        assert!(
            why(&paths).contains("(embedder_runtime) is not there"),
            "{}",
            why(&paths)
        );
        paths.set = Some(scratch.path().to_owned());
        assert!(why(&paths).contains("is a folder"), "{}", why(&paths));
    }
}
