//! The program that put claudevil on this machine, recognized by the path of the running binary.
//!
//! It decides how clients start the server, which command adds `claudevil-vectors`, and whose files `uninstall` leaves
//! alone. Nothing is started to find out.

use std::fs;
use std::path::{Path, PathBuf};

use claudevil_protocol::vectors_program;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Installer {
    /// An installer without a package manager, or a copy by hand.
    Files,
    /// A cargo target directory.
    Build,
    Cargo,
    System,
    Homebrew,
    Nix,
    Npm,
    Pip,
    Pipx,
    UvTool,
    Runner(Runner),
}

/// A program that runs a package out of a cache, from which it may disappear at any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    Npx,
    PnpmDlx,
    Bunx,
    Uvx,
    PipxRun,
}

impl Runner {
    /// Returns the words that run a command of claudevil: `npx -y claudevil`.
    pub fn words(self) -> &'static [&'static str] {
        match self {
            // On Windows npx is a script, and clients start only programs.
            Self::Npx if cfg!(windows) => &["cmd", "/c", "npx", "-y", "claudevil"],
            Self::Npx => &["npx", "-y", "claudevil"],
            Self::PnpmDlx => &["pnpm", "dlx", "claudevil"],
            Self::Bunx => &["bunx", "claudevil"],
            Self::Uvx => &["uvx", "claudevil"],
            Self::PipxRun => &["pipx", "run", "claudevil"],
        }
    }

    /// Returns the command that installs claudevil for good.
    pub fn lasting_installation(self) -> &'static str {
        match self {
            Self::Npx => "npm install -g claudevil",
            Self::PnpmDlx => "pnpm add -g claudevil",
            Self::Bunx => "bun add -g claudevil",
            Self::Uvx => "uv tool install claudevil",
            Self::PipxRun => "pipx install claudevil",
        }
    }
}

impl Installer {
    /// Recognizes the installer of the running binary.
    pub fn here() -> Self {
        own_folder().map_or(Self::Files, |folder| Self::detect(&folder))
    }

    /// Recognizes the installer of the binaries in a folder, which is absolute and without links.
    pub fn detect(folder: &Path) -> Self {
        let parts: Vec<_> = folder
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        let has = |name: &str| parts.iter().any(|part| part == name);
        let has_prefix = |prefix: &str| parts.iter().any(|part| part.starts_with(prefix));
        if folder.join("deps").is_dir() || folder.join(".fingerprint").is_dir() {
            Self::Build
        } else if has("_npx") {
            Self::Runner(Runner::Npx)
        } else if has("node_modules") && has("dlx") {
            Self::Runner(Runner::PnpmDlx)
        } else if has_prefix("bunx-") {
            Self::Runner(Runner::Bunx)
        } else if has("node_modules") {
            Self::Npm
        } else if has_prefix("archive-v") || has_prefix("environments-v") {
            Self::Runner(Runner::Uvx)
        } else if has("uv") && has("tools") {
            Self::UvTool
        } else if has("pipx") && has("venvs") {
            Self::Pipx
        } else if has("pipx") {
            Self::Runner(Runner::PipxRun)
        } else if is_in_python_environment(folder) {
            Self::Pip
        } else if has("Cellar") || has("homebrew") || has("linuxbrew") {
            Self::Homebrew
        } else if folder.starts_with("/nix") {
            Self::Nix
        } else if ["/usr/bin", "/bin", "/usr/lib"]
            .iter()
            .any(|system| folder.starts_with(system))
        {
            Self::System
        } else if is_in_cargo_home(folder) {
            Self::Cargo
        } else {
            Self::Files
        }
    }

    /// Returns why `claudevil uninstall` leaves the binaries alone, if it does.
    pub fn reason_to_leave(self) -> Option<&'static str> {
        Some(match self {
            Self::Files => return None,
            Self::Build => "it is where they are built",
            Self::Cargo => "remove it with: cargo uninstall claudevil-shim claudevil-daemon",
            Self::System => {
                "remove it with the package manager, for example: sudo apt remove claudevil"
            }
            Self::Homebrew => "remove it with: brew uninstall claudevil",
            Self::Nix => "remove it with: nix profile remove claudevil",
            Self::Npm => "remove it with: npm uninstall -g claudevil",
            Self::Pip => "remove it with: pip uninstall claudevil",
            Self::Pipx => "remove it with: pipx uninstall claudevil",
            Self::UvTool => "remove it with: uv tool uninstall claudevil",
            Self::Runner(Runner::Npx | Runner::PnpmDlx | Runner::Bunx) => {
                "it is the cache of a package runner, which empties it by itself"
            }
            Self::Runner(Runner::Uvx) => "remove it with: uv cache clean claudevil",
            Self::Runner(Runner::PipxRun) => "it is the cache of pipx, which empties it by itself",
        })
    }

    /// Returns whether [`Self::vectors_command`] is a command that works in any folder.
    pub fn has_vectors_command(self) -> bool {
        !matches!(self, Self::Files | Self::Build | Self::Cargo)
    }

    /// Returns what to do to install `claudevil-vectors` beside the daemon.
    pub fn vectors_command(self) -> &'static str {
        match self {
            Self::Files => "run the installer again with --with-vectors",
            Self::Build => "cargo build --release -p claudevil-vectors",
            Self::Cargo => "cargo install --path daemon/vectors",
            Self::System => "sudo apt install claudevil-vectors",
            Self::Homebrew => "brew reinstall claudevil",
            Self::Nix => "nix profile install claudevil-vectors",
            Self::Npm => "npm install -g claudevil-vectors",
            Self::Pip => "pip install claudevil-vectors",
            Self::Pipx => "pipx inject claudevil claudevil-vectors --include-apps",
            Self::UvTool | Self::Runner(Runner::Uvx) => {
                "uv tool install claudevil --with claudevil-vectors"
            }
            Self::Runner(Runner::Npx | Runner::PnpmDlx | Runner::Bunx) => {
                "npm install -g claudevil claudevil-vectors"
            }
            Self::Runner(Runner::PipxRun) => {
                "pipx install claudevil && pipx inject claudevil claudevil-vectors --include-apps"
            }
        }
    }
}

/// Returns whether the daemon finds `claudevil-vectors` by itself.
pub fn has_vectors() -> bool {
    own_folder().is_some_and(|folder| {
        vectors_program::candidates(&folder)
            .iter()
            .any(|program| program.is_file())
    })
}

/// Returns whether a Python package of ours is in the environment whose scripts are in a folder.
fn is_in_python_environment(folder: &Path) -> bool {
    let Some(environment) = folder.parent() else {
        return false;
    };
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let libraries = entries(&environment.join("lib"))
        .map(|python| python.path().join("site-packages"))
        .chain([environment.join("Lib/site-packages")]);
    libraries
        .flat_map(|packages| entries(&packages).collect::<Vec<_>>())
        .any(|package| {
            let name = package.file_name();
            let name = name.to_string_lossy();
            name.starts_with("claudevil-") && name.ends_with(".dist-info")
        })
}

/// Returns whether cargo lists our programs among those that it installed into a folder.
fn is_in_cargo_home(folder: &Path) -> bool {
    let list = folder.parent().map(|root| root.join(".crates.toml"));
    list.and_then(|list| fs::read_to_string(list).ok())
        .is_some_and(|list| list.contains("\"claudevil-shim "))
}

fn own_folder() -> Option<PathBuf> {
    let own = std::env::current_exe().and_then(fs::canonicalize).ok()?;
    Some(own.parent()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn installers_are_recognized_by_the_folder_of_the_binaries() {
        for (folder, installer) in [
            ("/usr/bin", Installer::System),
            (
                "/opt/homebrew/Cellar/claudevil/0.1.0/bin",
                Installer::Homebrew,
            ),
            (
                "/home/linuxbrew/.linuxbrew/Cellar/claudevil/0.1.0/bin",
                Installer::Homebrew,
            ),
            ("/nix/store/abc/bin", Installer::Nix),
            (
                "/usr/lib/node_modules/claudevil/node_modules/@claudevil/linux-x64/bin",
                Installer::Npm,
            ),
            (
                "/home/ada/.npm/_npx/5e6f/node_modules/@claudevil/linux-x64/bin",
                Installer::Runner(Runner::Npx),
            ),
            (
                "/home/ada/.cache/pnpm/dlx/5e/node_modules/@claudevil/linux-x64/bin",
                Installer::Runner(Runner::PnpmDlx),
            ),
            (
                "/tmp/bunx-1000-claudevil@latest/node_modules/@claudevil/linux-x64/bin",
                Installer::Runner(Runner::Bunx),
            ),
            (
                "/home/ada/.cache/uv/archive-v0/Xy/bin",
                Installer::Runner(Runner::Uvx),
            ),
            (
                "/home/ada/.local/share/uv/tools/claudevil/bin",
                Installer::UvTool,
            ),
            (
                "/home/ada/.local/share/pipx/venvs/claudevil/bin",
                Installer::Pipx,
            ),
            (
                "/home/ada/.cache/pipx/4d/bin",
                Installer::Runner(Runner::PipxRun),
            ),
            ("/home/ada/.local/bin", Installer::Files),
            ("/usr/local/bin", Installer::Files),
            ("/opt/claudevil/bin", Installer::Files),
        ] {
            let found = Installer::detect(Path::new(folder));
            assert_eq!(found, installer, "{folder}");
            let command = installer.reason_to_leave();
            assert_eq!(command.is_none(), installer == Installer::Files, "{folder}");
        }
    }

    #[test]
    fn a_package_manager_is_named_where_its_programs_are_left() {
        for (installer, word) in [
            (Installer::System, "apt"),
            (Installer::Homebrew, "brew"),
            (Installer::Nix, "nix"),
        ] {
            let reason = installer.reason_to_leave().unwrap_or_default();
            assert!(reason.contains(word), "{reason}");
        }
    }

    #[test]
    fn packages_of_pip_and_cargo_are_recognized_by_their_records() {
        let scratch = tempfile::tempdir().expect("a folder");
        let folder = scratch.path().join("bin");
        fs::create_dir(&folder).expect("made");
        assert_eq!(Installer::detect(&folder), Installer::Files);
        let list = "[v1]\n\"claudevil-shim 0.1.0 (path+file:///x)\" = [\"claudevil\"]\n";
        fs::write(scratch.path().join(".crates.toml"), list).expect("written");
        assert_eq!(Installer::detect(&folder), Installer::Cargo);
        let packages = scratch.path().join("lib/python3.11/site-packages");
        fs::create_dir_all(packages.join("claudevil-0.1.0.dist-info")).expect("made");
        assert_eq!(Installer::detect(&folder), Installer::Pip);
    }
}
