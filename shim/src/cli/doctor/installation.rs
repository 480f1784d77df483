//! Checks that everything installed fits together: the binaries, `PATH`, the service, the entries in clients.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use claudevil_protocol::client::launch::daemon_binary;
use claudevil_protocol::environment;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::version::BUILD;

use super::Finding;
use crate::cli::service::{self, ServiceFiles};
use crate::cli::setup;

pub fn binaries() -> Finding {
    const CHECK: &str = "binaries";
    let binary = match daemon_binary() {
        Ok(binary) => binary,
        Err(error) => {
            return Finding::problem(
                CHECK,
                error.to_string(),
                "install all three binaries together",
            );
        }
    };
    match Command::new(&binary)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
    {
        Ok(said) if said.status.success() => {
            let said = String::from_utf8_lossy(&said.stdout);
            let version = said.trim().rsplit(' ').next().unwrap_or_default();
            if version == BUILD {
                Finding::good(CHECK, format!("{} {version}", binary.display()))
            } else {
                let detail = format!("claudevil is {BUILD}, {} is {version}", binary.display());
                Finding::warning(CHECK, detail, "install all three binaries together")
            }
        }
        Ok(said) => Finding::problem(
            CHECK,
            format!("{} ends with {}", binary.display(), said.status),
            "reinstall",
        ),
        Err(error) => {
            let remedy = "reinstall, or correct CLAUDEVIL_DAEMON if it is set";
            Finding::problem(CHECK, format!("{}: {error}", binary.display()), remedy)
        }
    }
}

/// Checks which binary a shell and editors would start.
pub fn search_path() -> Finding {
    const CHECK: &str = "PATH";
    let name = format!("claudevil-mcp{}", std::env::consts::EXE_SUFFIX);
    let path = environment::variable("PATH").unwrap_or_default();
    match std::env::split_paths(&path)
        .map(|dir| dir.join(&name))
        .find(|candidate| candidate.is_file())
    {
        Some(found) => Finding::good(CHECK, format!("editors find {}", found.display())),
        None => Finding::warning(
            CHECK,
            format!("{name} is not on PATH"),
            "add its folder to PATH, or give editors its full path",
        ),
    }
}

/// Several copies on `PATH`: which one runs depends on who starts it.
pub fn copies() -> Option<Finding> {
    const CHECK: &str = "copies";
    let path = environment::variable("PATH").unwrap_or_default();
    let mut found: Vec<(PathBuf, PathBuf)> = vec![];
    for folder in std::env::split_paths(&path) {
        for name in ["claudevil", "claudevil-mcp", "claudevild"] {
            let file = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
            let Ok(real) = fs::canonicalize(&file) else {
                continue;
            };
            if !found.iter().any(|(_, known)| *known == real) {
                found.push((file, real));
            }
        }
    }
    let others: Vec<_> = found
        .iter()
        .filter_map(|(file, _)| {
            version(file)
                .filter(|version| version != BUILD)
                .map(|version| (file, version))
        })
        .map(|(file, version)| format!("{} is {version}", file.display()))
        .collect();
    if others.is_empty() {
        return None;
    }
    let detail = format!("this is {BUILD}, and on PATH {}", others.join(", "));
    Some(Finding::warning(
        CHECK,
        detail,
        "remove the one that is not wanted, or put the other's folder first on PATH",
    ))
}

/// The version that a binary says it is.
fn version(binary: &Path) -> Option<String> {
    let said = Command::new(binary)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&said.stdout)
        .trim()
        .rsplit(' ')
        .next()?
        .to_owned();
    (!said.is_empty()).then_some(said)
}

/// A service that would start something that is no longer what is installed.
pub fn service(paths: &Paths) -> Option<Finding> {
    const CHECK: &str = "service";
    const REMEDY: &str = "claudevil service install";
    match service::installed(paths)? {
        ServiceFiles::Current => Some(Finding::good(CHECK, "installed, and starts this daemon")),
        ServiceFiles::Unmanaged(why) => {
            let detail = format!("installed, but the service manager is not reachable: {why}");
            let remedy = "log in with a session that has a service manager; questions start the daemon meanwhile";
            Some(Finding::warning(CHECK, detail, remedy))
        }
        ServiceFiles::Stale(file) => {
            let detail = format!(
                "{} is not what this version writes, or names another binary",
                file.display()
            );
            Some(Finding::warning(CHECK, detail, REMEDY))
        }
        ServiceFiles::InPart(file) => Some(Finding::problem(
            CHECK,
            format!("{} is missing, its other files are there", file.display()),
            REMEDY,
        )),
    }
}

/// Checks that some client has an entry for claudevil, and that each entry starts a program that exists.
pub fn clients(paths: &Paths) -> Finding {
    const CHECK: &str = "clients";
    let known = setup::known_entries(paths);
    if let Some(lost) = known.iter().find(|entry| entry.is_lost()) {
        let detail = format!(
            "{} would start {}, which is not there",
            lost.client, lost.command
        );
        return Finding::problem(CHECK, detail, "claudevil setup");
    }
    // A command of somebody else's making is not run.
    let ours = known.iter().filter(|entry| {
        Path::new(&entry.command)
            .file_stem()
            .is_some_and(|stem| stem == "claudevil-mcp")
    });
    let others = ours.filter_map(|entry| {
        let version = version(Path::new(&entry.command)).filter(|version| version != BUILD)?;
        Some(format!(
            "{} starts {}, which is {version}",
            entry.client, entry.command
        ))
    });
    let others: Vec<_> = others.collect();
    if !others.is_empty() {
        let detail = format!("{}; this is {BUILD}", others.join(", "));
        return Finding::warning(CHECK, detail, "claudevil setup");
    }
    let names: Vec<_> = known.iter().map(|entry| entry.client).collect();
    if names.is_empty() {
        return Finding::warning(
            CHECK,
            "no editor or agent of this user knows of claudevil",
            "claudevil setup",
        );
    }
    Finding::good(CHECK, format!("set up in {}", names.join(", ")))
}
