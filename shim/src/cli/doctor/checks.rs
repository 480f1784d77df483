//! The checks, each a question with one answer.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use claudevil_protocol::client::launch::daemon_binary;
use claudevil_protocol::client::{Asking, Client, Launch};
use claudevil_protocol::endpoint::Endpoint;
use claudevil_protocol::environment;
use claudevil_protocol::lock;
use claudevil_protocol::model::index_status::{Health, IndexStatus};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::start::LockHolder;
use claudevil_protocol::text::quantity::bytes;
use claudevil_protocol::version::BUILD;

use super::Finding;
use crate::cli::daemon::is_running;
use crate::cli::setup;

/// Room that an index of a few large projects takes.
const COMFORTABLE_BYTES: u64 = 1 << 30;
/// Enough to watch some large projects.
const COMFORTABLE_WATCHES: u64 = 65_536;

pub async fn all(paths: &Paths) -> Vec<Finding> {
    let running = is_running(paths).unwrap_or(false);
    let mut findings =
        vec![directories(paths), free_space(paths), binaries(), configuration(), lock_file(paths, running)];
    findings.push(socket(paths, running));
    findings.push(daemon(paths, running).await);
    findings.extend(failed_starts(paths));
    findings.extend(watch_limit());
    findings.push(search_path());
    findings.push(clients(paths));
    findings
}

/// Whether some client knows of us, and whether what it would start is there.
fn clients(paths: &Paths) -> Finding {
    const CHECK: &str = "clients";
    let known = setup::known_entries(paths);
    if let Some(lost) = known.iter().find(|entry| entry.is_lost()) {
        let detail = format!("{} would start {}, which is not there", lost.client, lost.command);
        return Finding::problem(CHECK, detail, "claudevil setup");
    }
    let names: Vec<_> = known.iter().map(|entry| entry.client).collect();
    if names.is_empty() {
        return Finding::warning(CHECK, "no editor or agent of this user knows of claudevil", "claudevil setup");
    }
    Finding::good(CHECK, format!("set up in {}", names.join(", ")))
}

fn directories(paths: &Paths) -> Finding {
    const CHECK: &str = "directories";
    for dir in paths.own_directories() {
        let existing = dir.ancestors().find(|above| above.exists()).unwrap_or(dir);
        if !existing.is_dir() {
            let detail = format!("{} is not a folder", existing.display());
            return Finding::problem(CHECK, detail, "move it away, or set CLAUDEVIL_HOME to another folder");
        }
        if let Err(error) = writable(existing) {
            let detail = format!("{} cannot be written: {error}", existing.display());
            return Finding::problem(CHECK, detail, "make it writable, or set CLAUDEVIL_HOME to a folder that is");
        }
        if let Some(why) = not_private(dir) {
            let remedy = format!("chmod 700 {}", dir.display());
            return Finding::problem(CHECK, format!("{} {why}", dir.display()), remedy);
        }
    }
    Finding::good(CHECK, format!("data in {}, state in {}", paths.data().display(), paths.state().display()))
}

#[cfg(unix)]
fn writable(dir: &Path) -> std::io::Result<()> {
    rustix::fs::access(dir, rustix::fs::Access::WRITE_OK).map_err(Into::into)
}

#[cfg(not(unix))]
fn writable(dir: &Path) -> std::io::Result<()> {
    fs::metadata(dir).map(drop)
}

#[cfg(unix)]
fn not_private(dir: &Path) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::symlink_metadata(dir).ok()?;
    if !found.is_dir() {
        Some("is not a folder")
    } else if found.uid() != rustix::process::geteuid().as_raw() {
        Some("belongs to another user")
    } else if dir.ends_with("run") && found.mode() & 0o077 != 0 {
        Some("is open to other users")
    } else {
        None
    }
}

#[cfg(not(unix))]
fn not_private(_dir: &Path) -> Option<&'static str> {
    None
}

fn free_space(paths: &Paths) -> Finding {
    const CHECK: &str = "free space";
    let data = paths.data();
    let existing = data.ancestors().find(|above| above.exists()).unwrap_or(data);
    match fs2::available_space(existing) {
        Ok(free) if free < COMFORTABLE_BYTES => {
            Finding::warning(CHECK, format!("{} free", bytes(free)), "indexes stop growing when the disk is full")
        }
        Ok(free) => Finding::good(CHECK, format!("{} free", bytes(free))),
        Err(error) => Finding::warning(CHECK, error.to_string(), format!("look at {}", existing.display())),
    }
}

fn binaries() -> Finding {
    const CHECK: &str = "binaries";
    let binary = match daemon_binary() {
        Ok(binary) => binary,
        Err(error) => return Finding::problem(CHECK, error.to_string(), "install all three binaries together"),
    };
    match Command::new(&binary).arg("--version").stdin(Stdio::null()).output() {
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
        Ok(said) => Finding::problem(CHECK, format!("{} ends with {}", binary.display(), said.status), "reinstall"),
        Err(error) => {
            let remedy = "reinstall, or correct CLAUDEVIL_DAEMON if it is set";
            Finding::problem(CHECK, format!("{}: {error}", binary.display()), remedy)
        }
    }
}

/// The daemon itself reads its configuration and says what it makes of it.
fn configuration() -> Finding {
    const CHECK: &str = "configuration";
    let Ok(binary) = daemon_binary() else {
        return Finding::warning(CHECK, "not checked: the daemon is not installed", "install it");
    };
    match Command::new(binary).arg("config").stdin(Stdio::null()).output() {
        Ok(said) if said.status.success() => {
            let warnings = String::from_utf8_lossy(&said.stderr).trim().to_owned();
            if warnings.is_empty() {
                let settings = String::from_utf8_lossy(&said.stdout).lines().count();
                Finding::good(CHECK, format!("{settings} settings, all understood"))
            } else {
                Finding::warning(CHECK, warnings, "correct or remove the key")
            }
        }
        Ok(said) => {
            let error = String::from_utf8_lossy(&said.stderr).trim().to_owned();
            Finding::problem(CHECK, error, "correct it: the daemon does not start with it")
        }
        Err(error) => Finding::warning(CHECK, error.to_string(), "reinstall"),
    }
}

fn lock_file(paths: &Paths, running: bool) -> Finding {
    const CHECK: &str = "lock";
    let path = paths.daemon_lock();
    match lock::holder::<LockHolder>(&path).filter(|_| running) {
        Some(holder) => Finding::good(CHECK, format!("held by pid {} (build {})", holder.pid, holder.build)),
        None if running => Finding::warning(CHECK, "held by an unknown process", "claudevil daemon restart"),
        None => Finding::good(CHECK, "free: no daemon is running"),
    }
}

fn socket(paths: &Paths, running: bool) -> Finding {
    const CHECK: &str = "socket";
    let endpoint = Endpoint::new(paths);
    let address = endpoint.address();
    if cfg!(windows) {
        return Finding::good(CHECK, address.display().to_string());
    }
    match (fs::symlink_metadata(address), running) {
        (Err(_), true) => {
            let detail = format!("{} is gone while a daemon runs", address.display());
            Finding::problem(CHECK, detail, "claudevil daemon restart")
        }
        (Err(_), false) => Finding::good(CHECK, format!("{} (made when the daemon starts)", address.display())),
        (Ok(found), _) if !is_socket(&found) => {
            let detail = format!("{} is in the way and is not a socket", address.display());
            Finding::problem(CHECK, detail, format!("rm {}", address.display()))
        }
        (Ok(found), _) => match open_to_others(&found) {
            Some(mode) => Finding::problem(
                CHECK,
                format!("{} has mode {mode:o}", address.display()),
                format!("chmod 600 {}", address.display()),
            ),
            None => Finding::good(CHECK, address.display().to_string()),
        },
    }
}

#[cfg(unix)]
fn is_socket(found: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&found.file_type())
}

#[cfg(not(unix))]
fn is_socket(_found: &fs::Metadata) -> bool {
    true
}

#[cfg(unix)]
fn open_to_others(found: &fs::Metadata) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let mode = found.mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(not(unix))]
fn open_to_others(_found: &fs::Metadata) -> Option<u32> {
    None
}

async fn daemon(paths: &Paths, running: bool) -> Finding {
    const CHECK: &str = "daemon";
    if !running {
        return Finding::good(CHECK, "not running; the next question starts it");
    }
    let client = Client::new(paths.clone(), Launch::Never);
    match client.ask(Asking::default(), IndexStatus::default()).await {
        Ok(status) if status.daemon.build != BUILD => Finding::warning(
            CHECK,
            format!("build {} serves, this is {BUILD}", status.daemon.build),
            "claudevil daemon restart",
        ),
        Ok(status) => match status.parts.iter().find(|part| part.health != Health::Healthy) {
            Some(part) => {
                Finding::warning(CHECK, format!("{}: {}", part.name, part.detail), "look at `claudevil daemon logs`")
            }
            None => Finding::good(CHECK, format!("build {} answers, its stores work", status.daemon.build)),
        },
        Err(error) => Finding::problem(CHECK, error.message, "claudevil daemon restart --force"),
    }
}

fn failed_starts(paths: &Paths) -> Option<Finding> {
    let failed: serde_json::Value = serde_json::from_slice(&fs::read(paths.failed_starts()).ok()?).ok()?;
    let last = failed.as_array()?.last()?.get("message")?.as_str()?.to_owned();
    Some(Finding::problem("last start", last, "fix this, then: claudevil daemon start"))
}

/// Linux limits how many folders a user may watch.
fn watch_limit() -> Option<Finding> {
    const CHECK: &str = "watch limit";
    let text = fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok()?;
    let limit: u64 = text.trim().parse().ok()?;
    Some(if limit < COMFORTABLE_WATCHES {
        Finding::warning(
            CHECK,
            format!("{limit} watched folders for all programs"),
            "raise it: echo fs.inotify.max_user_watches=524288 | sudo tee /etc/sysctl.d/50-watches.conf",
        )
    } else {
        Finding::good(CHECK, format!("{limit} watched folders"))
    })
}

fn search_path() -> Finding {
    const CHECK: &str = "PATH";
    let name = format!("claudevil-mcp{}", std::env::consts::EXE_SUFFIX);
    let path = environment::variable("PATH").unwrap_or_default();
    match std::env::split_paths(&path).map(|dir| dir.join(&name)).find(|candidate| candidate.is_file()) {
        Some(found) => Finding::good(CHECK, format!("editors find {}", found.display())),
        None => Finding::warning(
            CHECK,
            format!("{name} is not on PATH"),
            "add its folder to PATH, or give editors its full path",
        ),
    }
}
