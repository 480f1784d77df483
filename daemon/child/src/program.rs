//! The programs that child processes run: `claudevild` itself, or `claudevil-vectors`.
//!
//! The daemon starts no other program.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use claudevil_protocol::vectors_program::{self, NAME};

/// Returns a command that starts the running program once more, with a subcommand.
pub fn own(verb: &str) -> io::Result<Command> {
    // Not by name: an upgrade may have replaced the file by another build.
    let own = Path::new("/proc/self/exe");
    if own.exists() {
        Ok(piped(own, verb))
    } else {
        Ok(piped(&std::env::current_exe()?, verb))
    }
}

/// The path of `claudevil-vectors`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorsProgram {
    /// The paths that are tried, in this order.
    candidates: Vec<PathBuf>,
}

/// Without the setting `vectors_program`, the program is where a package manager puts it.
impl Default for VectorsProgram {
    fn default() -> Self {
        let own = std::env::current_exe().unwrap_or_default();
        // Links are resolved now: an update may point them at the programs of another build.
        let own = own.canonicalize().unwrap_or(own);
        let folder = own.parent().unwrap_or(Path::new(""));
        Self {
            candidates: vectors_program::candidates(folder),
        }
    }
}

/// `claudevil-vectors` is in none of the places where it may be installed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{NAME} is not installed ({} is missing)", path.display())]
pub struct Missing {
    pub path: PathBuf,
}

impl VectorsProgram {
    /// Uses the path in the setting `vectors_program`.
    pub fn at(path: PathBuf) -> Self {
        Self {
            candidates: vec![path],
        }
    }

    /// Checks the disk each time: a program that is installed later is found without a restart.
    pub fn find(&self) -> Result<PathBuf, Missing> {
        let found = self.candidates.iter().find(|path| path.is_file());
        found.cloned().ok_or_else(|| Missing {
            path: self.candidates.first().cloned().unwrap_or_default(),
        })
    }

    pub fn command(&self, verb: &str) -> Result<Command, Missing> {
        Ok(piped(&self.find()?, verb))
    }
}

/// Returns a command with an empty environment and a pipe for each stream.
#[expect(
    clippy::disallowed_methods,
    reason = "the two programs that the daemon starts"
)]
fn piped(program: &Path, verb: &str) -> Command {
    let mut command = Command::new(program);
    command
        .arg(verb)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // A Ctrl-C at the terminal is for the daemon, which ends its children.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_looked_for_each_time() {
        let scratch = tempfile::tempdir().expect("a directory");
        let path = scratch.path().join(NAME);
        let program = VectorsProgram::at(path.clone());
        let missing = program.find().expect_err("not there yet");
        assert!(missing.to_string().contains("is not installed"));
        std::fs::write(&path, "").expect("written");
        assert_eq!(program.find(), Ok(path));
        let beside = VectorsProgram::default().find().expect_err("not beside");
        let own = std::env::current_exe().expect("a test is a program");
        assert_eq!(beside.path.parent(), own.parent());
    }
}
