//! Checks that everything installed fits together: the binaries, `PATH`, the service, the entries in clients.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use claudevil_protocol::client::launch::daemon_binary;
use claudevil_protocol::environment;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::tools::index_status::Setting;
use claudevil_protocol::vectors_program;
use claudevil_protocol::version::BUILD;

use super::Finding;
use crate::cli::installer::Installer;
use crate::cli::service::{self, ServiceFiles};
use crate::cli::setup;

const TOGETHER: &str = "install all binaries together";

pub fn binaries() -> Finding {
    const CHECK: &str = "binaries";
    let binary = match daemon_binary() {
        Ok(binary) => binary,
        Err(error) => return Finding::problem(CHECK, error.to_string(), TOGETHER),
    };
    compare_build(CHECK, &binary).unwrap_or_else(|why| {
        let remedy = "reinstall, or correct CLAUDEVIL_DAEMON if it is set";
        Finding::problem(CHECK, why, remedy)
    })
}

/// Checks the program that stores vectors and runs transformers.
pub fn vectors(settings: &[Setting]) -> Option<Finding> {
    const CHECK: &str = "vectors";
    let mut settings = settings.iter();
    let setting = settings.find(|one| one.key == "vectors_program");
    let program = match setting {
        Some(setting) if !setting.value.is_empty() => PathBuf::from(&setting.value),
        _ => {
            let daemon = daemon_binary().ok()?;
            let daemon = fs::canonicalize(&daemon).unwrap_or(daemon);
            let candidates = vectors_program::candidates(daemon.parent()?);
            let found = candidates.iter().find(|program| program.is_file());
            found.or(candidates.first())?.clone()
        }
    };
    if !program.is_file() {
        let detail = format!(
            "{} is missing: search by meaning works with the built-in model, whose vectors are recomputed \
             when a project is loaded; no other model can be used",
            program.display()
        );
        let command = Installer::here().vectors_command();
        let remedy = format!("install claudevil-vectors: {command}");
        return Some(Finding::warning(CHECK, detail, remedy));
    }
    Some(compare_build(CHECK, &program).unwrap_or_else(|why| {
        let detail = format!("{why}: no vectors are stored, and only the built-in model works");
        Finding::warning(CHECK, detail, "reinstall")
    }))
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

/// Checks for other versions on `PATH`: which one runs depends on who starts it.
pub fn copies() -> Option<Finding> {
    const CHECK: &str = "copies";
    let path = environment::variable("PATH").unwrap_or_default();
    let mut found: Vec<(PathBuf, PathBuf)> = vec![];
    for folder in std::env::split_paths(&path) {
        for name in [
            "claudevil",
            "claudevil-lsp",
            "claudevil-mcp",
            "claudevil-vectors",
            "claudevild",
        ] {
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
            let version = version(file).ok().filter(|version| version != BUILD)?;
            Some(format!("{} is {version}", file.display()))
        })
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

/// Checks that a binary is of this build. The error says why it has no version.
fn compare_build(check: &'static str, binary: &Path) -> Result<Finding, String> {
    let version = version(binary)?;
    Ok(if version == BUILD {
        Finding::good(check, format!("{} {version}", binary.display()))
    } else {
        let detail = format!("claudevil is {BUILD}, {} is {version}", binary.display());
        Finding::warning(check, detail, TOGETHER)
    })
}

/// Runs a binary for its version. The error says why there is none.
fn version(binary: &Path) -> Result<String, String> {
    let output = Command::new(binary)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{}: {error}", binary.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.trim().rsplit(' ').next() {
        Some(version) if output.status.success() && !version.is_empty() => Ok(version.to_owned()),
        _ => Err(format!("{} ends with {}", binary.display(), output.status)),
    }
}

/// Checks that the service starts what is installed.
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
    // Only our own programs are run.
    let ours = known.iter().filter(|entry| {
        Path::new(&entry.command)
            .file_stem()
            .is_some_and(|stem| stem == "claudevil-mcp")
    });
    let others = ours.filter_map(|entry| {
        let version = version(Path::new(&entry.command)).ok();
        let version = version.filter(|version| version != BUILD)?;
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
            "no editor or agent of this user is set up",
            "claudevil setup",
        );
    }
    Finding::good(CHECK, format!("set up in {}", names.join(", ")))
}
