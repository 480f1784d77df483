//! The list of checks, in the order in which one depends on another, and the checks of our own folders and files.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use claudevil_protocol::client::launch::daemon_binary;
use claudevil_protocol::config_report::ConfigReport;
use claudevil_protocol::endpoint::Endpoint;
use claudevil_protocol::lock;
use claudevil_protocol::own_directory::OwnDirectory;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::start::LockHolder;
use claudevil_protocol::text::quantity::bytes;

use super::{Finding, installation, serving};
use crate::cli::daemon::is_running;

/// Room that an index of a few large projects takes.
const COMFORTABLE_BYTES: u64 = 1 << 30;
/// Less room than this may not hold a batch of an index.
const NEEDED_BYTES: u64 = 64 << 20;
/// Enough to watch some large projects.
const COMFORTABLE_WATCHES: u64 = 65_536;

pub async fn all(paths: &Paths) -> Vec<Finding> {
    let running = is_running(paths).unwrap_or(false);
    let config = read_config();
    let mut findings = vec![
        directories(paths),
        free_space(paths),
        installation::binaries(),
    ];
    let settings = config.as_ref().map(|config| config.settings.as_slice());
    findings.extend(installation::vectors(settings.unwrap_or_default()));
    findings.push(configuration(config));
    findings.push(lock_file(paths, running));
    findings.push(socket(paths, running));
    findings.extend(serving::all(paths, running).await);
    findings.extend(failed_starts(paths));
    findings.extend(watch_limit());
    findings.push(installation::search_path());
    findings.extend(installation::copies());
    findings.extend(installation::service(paths));
    findings.push(installation::clients(paths));
    findings.extend(serving::here(paths));
    findings
}

fn directories(paths: &Paths) -> Finding {
    const CHECK: &str = "directories";
    for directory in OwnDirectory::INNERMOST_FIRST {
        let dir = directory.path(paths);
        // A configuration directory of another program does no harm: nothing is written into it.
        if let Some(why) = directory
            .refusal(paths)
            .filter(|_| directory != OwnDirectory::Config)
        {
            return Finding::problem(
                CHECK,
                why,
                "set CLAUDEVIL_HOME to another folder, or move what is in this one",
            );
        }
        let existing = dir.ancestors().find(|above| above.exists()).unwrap_or(dir);
        if !existing.is_dir() {
            let detail = format!("{} is not a folder", existing.display());
            return Finding::problem(
                CHECK,
                detail,
                "move it away, or set CLAUDEVIL_HOME to another folder",
            );
        }
        if let Err(error) = writable(existing) {
            let detail = format!("{} cannot be written: {error}", existing.display());
            return Finding::problem(
                CHECK,
                detail,
                "make it writable, or set CLAUDEVIL_HOME to a folder that is",
            );
        }
        if let Some(why) = not_private(dir) {
            let remedy = format!("chmod 700 {}", dir.display());
            return Finding::problem(CHECK, format!("{} {why}", dir.display()), remedy);
        }
    }
    Finding::good(
        CHECK,
        format!(
            "data in {}, state in {}",
            paths.data().display(),
            paths.state().display()
        ),
    )
}

/// Tries to write into a folder. Permissions do not tell whether it can be written to: its file system may be read-only or
/// full.
fn writable(dir: &Path) -> io::Result<()> {
    let tried = dir.join(format!(".claudevil-{}", std::process::id()));
    fs::create_dir(&tried)?;
    fs::remove_dir(&tried)
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
    let existing = data
        .ancestors()
        .find(|above| above.exists())
        .unwrap_or(data);
    match fs2::available_space(existing) {
        Ok(free) if free < NEEDED_BYTES => {
            let detail = format!("{} free in {}", bytes(free), existing.display());
            Finding::problem(
                CHECK,
                detail,
                "free some space: no change can be stored until then",
            )
        }
        Ok(free) if free < COMFORTABLE_BYTES => Finding::warning(
            CHECK,
            format!("{} free", bytes(free)),
            "indexes stop growing when the disk is full",
        ),
        Ok(free) => Finding::good(CHECK, format!("{} free", bytes(free))),
        Err(error) => Finding::warning(
            CHECK,
            error.to_string(),
            format!("look at {}", existing.display()),
        ),
    }
}

/// Returns the configuration as the daemon itself reads it.
fn read_config() -> Result<ConfigReport, String> {
    let binary = daemon_binary().map_err(|error| error.to_string())?;
    let output = Command::new(binary)
        .args(["config", "--json"])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    serde_json::from_slice(&output.stdout).map_err(|error| match output.stderr.as_slice() {
        [] => error.to_string(),
        said => String::from_utf8_lossy(said).trim().to_owned(),
    })
}

fn configuration(config: Result<ConfigReport, String>) -> Finding {
    const CHECK: &str = "configuration";
    let config = match config {
        Ok(config) => config,
        Err(why) => return Finding::warning(CHECK, format!("not checked: {why}"), "reinstall"),
    };
    if let Some(error) = config.error {
        let remedy = "fix it: the daemon cannot start with this configuration";
        return Finding::problem(CHECK, error, remedy);
    }
    if !config.warnings.is_empty() {
        let remedy = "correct or remove the key, or unset the variable";
        return Finding::warning(CHECK, config.warnings.join("\n"), remedy);
    }
    let settings = config.settings.len();
    Finding::good(CHECK, format!("{settings} settings, all understood"))
}

fn lock_file(paths: &Paths, running: bool) -> Finding {
    const CHECK: &str = "lock";
    let path = paths.daemon_lock();
    match lock::holder::<LockHolder>(&path).filter(|_| running) {
        Some(holder) => Finding::good(
            CHECK,
            format!("held by pid {} (build {})", holder.pid, holder.build),
        ),
        None if running => Finding::warning(
            CHECK,
            "held by an unknown process",
            "claudevil daemon restart",
        ),
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
            let detail = format!("{} is missing while a daemon is running", address.display());
            Finding::problem(CHECK, detail, "claudevil daemon restart")
        }
        (Err(_), false) => Finding::good(
            CHECK,
            format!("{} (made when the daemon starts)", address.display()),
        ),
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

fn failed_starts(paths: &Paths) -> Option<Finding> {
    let failed: serde_json::Value =
        serde_json::from_slice(&fs::read(paths.failed_starts()).ok()?).ok()?;
    let last = failed
        .as_array()?
        .last()?
        .get("message")?
        .as_str()?
        .to_owned();
    Some(Finding::problem(
        "last start",
        last,
        "fix this, then: claudevil daemon start",
    ))
}

/// Checks the limit of Linux on the number of folders that a user may watch.
fn watch_limit() -> Option<Finding> {
    const CHECK: &str = "watch limit";
    // In a container a second limit may apply.
    let limits = [
        "/proc/sys/fs/inotify/max_user_watches",
        "/proc/sys/user/max_inotify_watches",
    ];
    let known = limits
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok());
    let limit = known.min()?;
    Some(if limit < COMFORTABLE_WATCHES {
        Finding::warning(
            CHECK,
            format!("{limit} watched folders for all programs"),
            "raise it: echo fs.inotify.max_user_watches=524288 | sudo tee /etc/sysctl.d/50-watches.conf && sudo sysctl --system",
        )
    } else {
        Finding::good(CHECK, format!("{limit} watched folders"))
    })
}
