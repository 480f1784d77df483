//! `claudevil service`: the daemon as a user service of systemd or launchd.
//!
//! The unit files are those under `packaging/`; only the daemon's path is put into them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use claudevil_protocol::client::launch::daemon_binary;
use claudevil_protocol::endpoint::{Endpoint, ensure_private_directory};
use claudevil_protocol::environment;
use claudevil_protocol::error::at;
use claudevil_protocol::own_directory::OwnDirectory;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::{ErrorCode, ToolError};
use serde_json::json;

use super::daemon::{self, Force};
use super::installer::Installer;
use super::setup::file::remove_empty;
use super::terminal::{FAINT, Terminal, paint};
use super::{Failure, exit};

pub const EXAMPLES: &str = "\
Examples:
  claudevil service install             from now on, and at every login
  claudevil service install --no-start  only write its files
  claudevil service status              whether it is installed, and whether its manager runs it
  claudevil service uninstall           back to a daemon that starts when something is asked";

#[derive(clap::Subcommand)]
pub enum Command {
    /// Write the service's files and start it
    Install {
        /// Only write the files
        #[arg(long)]
        no_start: bool,
    },
    /// Stop the service and remove its files
    Uninstall,
    /// Say whether the service is installed (exit code 3 when it is not)
    Status,
}

/// A service manager: the files of the service, and the commands that control it.
struct Manager {
    /// Path and content of each file.
    files: Vec<(PathBuf, String)>,
    start: Vec<Vec<String>>,
    stop: Vec<Vec<String>>,
    /// Prints the state of the service; fails if the manager cannot be reached.
    ask: Vec<String>,
    /// Succeeds if the manager can be reached, whether the service is installed or not.
    probe: Vec<String>,
    name: &'static str,
    /// Advice for when the manager cannot be reached.
    remedy: &'static str,
}

pub async fn run(
    command: Command,
    paths: &Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let manager = manager(paths)?;
    match command {
        Command::Install { no_start } => install(&manager, paths, no_start, terminal).await,
        Command::Uninstall => uninstall(&manager, paths, terminal),
        Command::Status => status(&manager, terminal),
    }
}

async fn install(
    manager: &Manager,
    paths: &Paths,
    only_files: bool,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    if let Installer::Runner(runner) = Installer::here() {
        let message =
            "claudevil runs from a package runner's cache, where a service would not find it again";
        return Err(ToolError::new(ErrorCode::FileNotFound, message)
            .with_hint(format!(
                "install it first: {}",
                runner.lasting_installation()
            ))
            .into());
    }
    if !only_files {
        // Before anything is written or stopped: without a manager the service would never start.
        check_reachable(manager)?;
    }
    for (file, content) in &manager.files {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(|error| at(folder, &error))?;
        }
        fs::write(file, content).map_err(|error| at(file, &error))?;
        say(terminal, &format!("wrote {}", file.display()))?;
    }
    OwnDirectory::State.claim(paths)?;
    ensure_private_directory(&paths.logs())?;
    if only_files {
        return Ok(ExitCode::SUCCESS);
    }
    // The manager would take the socket away from under a daemon that a client had started.
    daemon::stop(paths, Force::Ask, terminal).await?;
    for command in &manager.start {
        if let Err(error) = call(command) {
            let shown = command.join(" ");
            return Err(ToolError::new(ErrorCode::Internal, format!("`{shown}` failed: {error}"))
                .with_hint("the files are in place; start the service by hand in a session that has a service manager")
                .into());
        }
    }
    say(terminal, "started; it will start again at every login")?;
    Ok(ExitCode::SUCCESS)
}

fn check_reachable(manager: &Manager) -> Result<(), Failure> {
    call(&manager.probe).map(drop).map_err(|error| {
        let Manager { name, remedy, .. } = manager;
        let message = format!(
            "{name} is not reachable: {error}; nothing was changed, and the daemon runs as before"
        );
        ToolError::new(ErrorCode::ManagerUnreachable, message)
            .with_hint(*remedy)
            .into()
    })
}

fn uninstall(
    manager: &Manager,
    paths: &Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let (removed, complaints) = take_down(manager, paths)?;
    for complaint in complaints {
        terminal.note(paint(FAINT, complaint));
    }
    if removed.is_empty() {
        say(terminal, "not installed")?;
    }
    for file in removed {
        say(terminal, &format!("removed {}", file.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Stops the service and removes its files, and the folders that are empty without them. Returns the files that were removed,
/// and the manager's complaints.
fn take_down(manager: &Manager, paths: &Paths) -> io::Result<(Vec<PathBuf>, Vec<String>)> {
    let present = present(manager);
    let mut complaints = vec![];
    for command in manager.stop.iter().filter(|_| !present.is_empty()) {
        // A service that was never started cannot be stopped, and is removed all the same.
        if let Err(error) = call(command) {
            complaints.push(format!("`{}`: {error}", command.join(" ")));
        }
    }
    for file in &present {
        fs::remove_file(file).map_err(|error| at(file, &error))?;
    }
    for folder in present.iter().filter_map(|file| file.parent()) {
        remove_empty(folder, paths.user_home());
    }
    Ok((present, complaints))
}

fn present(manager: &Manager) -> Vec<PathBuf> {
    manager
        .files
        .iter()
        .map(|(file, _)| file)
        .filter(|file| file.exists())
        .cloned()
        .collect()
}

/// Returns the service's files on this machine; none where there can be no service.
pub fn files(paths: &Paths) -> Vec<PathBuf> {
    manager(paths)
        .map(|manager| present(&manager))
        .unwrap_or_default()
}

/// The state of the service's files.
pub enum ServiceFiles {
    Current,
    /// As this version writes them, but no service manager would start the service, for this reason.
    Unmanaged(String),
    /// A file that differs from what this version would write.
    Stale(PathBuf),
    /// A file that is missing.
    InPart(PathBuf),
}

pub fn installed(paths: &Paths) -> Option<ServiceFiles> {
    let manager = manager(paths).ok()?;
    if present(&manager).is_empty() {
        return None;
    }
    if let Some((missing, _)) = manager.files.iter().find(|(file, _)| !file.exists()) {
        return Some(ServiceFiles::InPart(missing.clone()));
    }
    let stale = manager
        .files
        .iter()
        .find(|(file, content)| fs::read_to_string(file).is_ok_and(|had| had != *content));
    Some(match (stale, state(&manager)) {
        (Some((file, _)), _) => ServiceFiles::Stale(file.clone()),
        (None, Ok(_)) => ServiceFiles::Current,
        (None, Err(why)) => ServiceFiles::Unmanaged(why),
    })
}

/// Stops the service, if there is one, and removes its files.
pub fn remove(paths: &Paths) -> io::Result<Vec<PathBuf>> {
    manager(paths).map_or_else(|_| Ok(vec![]), |manager| Ok(take_down(&manager, paths)?.0))
}

/// Prints one step, as a line or as an object of its own.
fn say(terminal: &mut Terminal, step: &str) -> io::Result<()> {
    if terminal.json {
        terminal.json(&json!({ "step": step }))
    } else {
        terminal.line(step)
    }
}

fn status(manager: &Manager, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
    let installed = manager.files.iter().all(|(file, _)| file.exists());
    let current = manager
        .files
        .iter()
        .all(|(file, content)| fs::read_to_string(file).is_ok_and(|had| had == *content));
    let state = installed.then(|| state(manager));
    let code = if installed {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(exit::NOT_RUNNING)
    };
    if terminal.json {
        let (state, unreachable) = state.map_or((None, None), |state| {
            (state.as_ref().ok().cloned(), state.err())
        });
        let answer = json!({ "installed": installed, "current": current, "state": state, "unreachable": unreachable });
        terminal.json(&answer)?;
        return Ok(code);
    }
    match state {
        None => terminal.line("not installed")?,
        Some(_) if !current => {
            terminal.line("installed by another version: run `claudevil service install` again")?;
        }
        Some(Ok(state)) => terminal.line(format_args!("installed, {state}"))?,
        Some(Err(why)) => terminal.line(format_args!(
            "installed, but the service manager is not reachable: {why}"
        ))?,
    }
    Ok(code)
}

/// Returns the manager's word for the state of the service, or why there is none.
fn state(manager: &Manager) -> Result<String, String> {
    let said = call(&manager.ask).map_err(|error| error.to_string())?;
    // launchd prints it among many other lines.
    let state = said
        .lines()
        .find_map(|line| line.trim().strip_prefix("state = "))
        .or_else(|| said.lines().next());
    Ok(state
        .filter(|state| !state.is_empty())
        .unwrap_or("known to its manager")
        .to_owned())
}

fn manager(paths: &Paths) -> Result<Manager, Failure> {
    if environment::path(environment::HOME_OVERRIDE).is_some() {
        return Err(
            ToolError::invalid_argument("a service always uses the default directories")
                .with_hint("unset CLAUDEVIL_HOME")
                .into(),
        );
    }
    let binary = daemon_binary()?;
    if cfg!(target_os = "linux") {
        systemd(paths, &binary)
    } else if cfg!(target_os = "macos") {
        Ok(launchd(paths, &binary))
    } else {
        Err(ToolError::invalid_argument(
            "services are supported on Linux (systemd) and macOS (launchd)",
        )
        .into())
    }
}

fn systemd(paths: &Paths, binary: &Path) -> Result<Manager, Failure> {
    const SOCKET: &str = ".local/state/claudevil/run/daemon.sock";
    if Endpoint::new(paths).address() != paths.user_home().join(SOCKET) {
        return Err(ToolError::invalid_argument(
            "the home directory's path is too long for a systemd socket",
        )
        .into());
    }
    let units = paths.user_home().join(".config/systemd/user");
    let quoted = binary
        .display()
        .to_string()
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('%', "%%");
    let service = include_str!("../../../packaging/systemd/claudevil.service")
        .replace("@CLAUDEVILD@", &quoted);
    let socket = include_str!("../../../packaging/systemd/claudevil.socket").to_owned();
    let systemctl = |words: &[&str]| {
        ["systemctl", "--user"]
            .iter()
            .chain(words)
            .map(|&word| word.to_owned())
            .collect::<Vec<_>>()
    };
    Ok(Manager {
        files: vec![
            (units.join("claudevil.service"), service),
            (units.join("claudevil.socket"), socket),
        ],
        start: vec![
            systemctl(&["daemon-reload"]),
            systemctl(&["enable", "--now", "claudevil.service"]),
        ],
        stop: vec![systemctl(&[
            "disable",
            "--now",
            "claudevil.service",
            "claudevil.socket",
        ])],
        ask: systemctl(&[
            "show",
            "--property=ActiveState",
            "--value",
            "claudevil.service",
        ]),
        probe: systemctl(&["show", "--property=Version", "--value"]),
        name: "systemd's user manager",
        remedy: "run this in a login session of your own, not through su, sudo or in a container without systemd; or do \
                 without a service: the daemon starts when something is asked. `claudevil service install --no-start` \
                 only writes the files",
    })
}

fn launchd(paths: &Paths, binary: &Path) -> Manager {
    const LABEL: &str = "dev.claudevil.daemon";
    let escape = |path: &Path| {
        path.display()
            .to_string()
            .replace('&', "&amp;")
            .replace('<', "&lt;")
    };
    let agent = paths
        .user_home()
        .join(format!("Library/LaunchAgents/{LABEL}.plist"));
    let content = include_str!("../../../packaging/launchd/dev.claudevil.daemon.plist")
        .replace("@CLAUDEVILD@", &escape(binary))
        .replace("@LOGS@", &escape(&paths.logs().join("launchd.txt")));
    let domain = format!("gui/{}", own_uid());
    let launchctl = |words: &[&str]| {
        std::iter::once("launchctl")
            .chain(words.iter().copied())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    Manager {
        start: vec![launchctl(&[
            "bootstrap",
            &domain,
            &agent.display().to_string(),
        ])],
        stop: vec![launchctl(&["bootout", &format!("{domain}/{LABEL}")])],
        ask: launchctl(&["print", &format!("{domain}/{LABEL}")]),
        probe: launchctl(&["print", &domain]),
        name: "launchd's domain of this login",
        remedy: "run this in a terminal of your own desktop session, not over ssh or through sudo; or do without a \
                 service: the daemon starts when something is asked. `claudevil service install --no-start` only \
                 writes the files",
        files: vec![(agent, content)],
    }
}

#[cfg(unix)]
fn own_uid() -> u32 {
    rustix::process::getuid().as_raw()
}

#[cfg(not(unix))]
fn own_uid() -> u32 {
    0
}

/// Runs a command of the service manager. Returns its output.
fn call(command: &[String]) -> io::Result<String> {
    let Some((program, arguments)) = command.split_first() else {
        return Ok(String::new());
    };
    let ended = std::process::Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    let ended = ended.map_err(|error| at(Path::new(program), &error))?;
    if ended.status.success() {
        return Ok(String::from_utf8_lossy(&ended.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    let said = said.trim();
    Err(io::Error::other(if said.is_empty() {
        ended.status.to_string()
    } else {
        said.to_owned()
    }))
}
