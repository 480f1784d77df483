//! `claudevil uninstall`: removes everything of claudevil from this machine, and lists it.
//!
//! Projects are left as they are, except for the entries that `claudevil setup --project` wrote. Files of a package manager are
//! left to it. In a directory only entries with names that claudevil uses are removed, and the directory itself only once
//! nothing else is in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use claudevil_protocol::ToolError;
use claudevil_protocol::endpoint::Endpoint;
use claudevil_protocol::own_directory::{Contents, OwnDirectory};
use claudevil_protocol::paths::Paths;
use serde::Serialize;
use serde_json::json;

use super::daemon::{self, Force, is_running};
use super::installer::Installer;
use super::setup::{self, file};
use super::terminal::{FAINT, GOOD, Terminal, WARN, paint};
use super::{Failure, exit, generate, service};

pub const EXAMPLES: &str = "\
Examples:
  claudevil uninstall --dry-run  show what would be removed
  claudevil uninstall            show it, ask, and remove it
  claudevil uninstall --yes      without asking

Projects stay as they are, but for the entries that `claudevil setup --project` wrote.";

#[derive(clap::Args)]
pub struct Arguments {
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
    /// Only show what would be removed
    #[arg(short = 'n', long, conflicts_with = "yes")]
    dry_run: bool,
}

/// Everything that can be removed.
struct Installation {
    service: Vec<PathBuf>,
    entries: Vec<setup::Change>,
    /// Settings, indexes, logs, socket.
    folders: Vec<PathBuf>,
    /// Binaries, completions and manuals.
    files: Vec<PathBuf>,
    /// Files that stay, with the reasons.
    kept: Vec<Leftover>,
}

#[derive(Serialize)]
struct Leftover {
    path: PathBuf,
    why: String,
}

/// The outcome of an uninstallation.
#[derive(Default)]
struct Tally {
    removed: Vec<PathBuf>,
    left: Vec<Leftover>,
    /// True if something that should have been removed is still there.
    failed: bool,
}

pub async fn run(
    arguments: &Arguments,
    paths: &Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let found = Installation::find(paths);
    if !terminal.json {
        found.show(terminal)?;
    }
    if arguments.dry_run {
        if terminal.json {
            terminal.json(&json!({ "would_remove": found.paths(), "left": found.kept }))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if !arguments.yes {
        if terminal.json || !Terminal::can_ask() {
            return Err(
                ToolError::invalid_argument("not a terminal, so there is no one to ask")
                    .with_hint("add --yes")
                    .into(),
            );
        }
        let answer = Terminal::prompt("Remove all of this? [y/N]")?;
        if !matches!(answer.as_deref(), Some("y" | "yes")) {
            terminal.line("nothing was removed")?;
            return Ok(ExitCode::from(exit::FAILED));
        }
    }
    let tally = found.remove(paths).await?;
    tally.report(terminal)?;
    Ok(exit::failed_if(tally.failed))
}

impl Installation {
    fn find(paths: &Paths) -> Self {
        let (files, stays) = installed_files();
        let (service, entries) = (service::files(paths), setup::all_removals(paths));
        let (folders, mut kept) = folders(paths);
        kept.extend(stays);
        Self {
            service,
            entries,
            folders,
            files,
            kept,
        }
    }

    fn paths(&self) -> Vec<&Path> {
        let entries = self.entries.iter().map(|change| change.path.as_path());
        let others = [&self.service, &self.folders, &self.files]
            .into_iter()
            .flatten()
            .map(PathBuf::as_path);
        entries.chain(others).collect()
    }

    fn show(&self, terminal: &mut Terminal) -> io::Result<()> {
        for file in &self.service {
            terminal.line(format_args!("service  {}", file.display()))?;
        }
        for change in &self.entries {
            let what = match change.target {
                setup::Target::Servers => "the entry of",
                setup::Target::Instructions | setup::Target::LanguageServer => "the lines for",
            };
            let what = paint(FAINT, format_args!("{what} {}", change.owner.name()));
            terminal.line(format_args!("entry    {}  {what}", change.path.display()))?;
        }
        for folder in &self.folders {
            terminal.line(format_args!("folder   {}", folder.display()))?;
        }
        for file in &self.files {
            terminal.line(format_args!("file     {}", file.display()))?;
        }
        for kept in &self.kept {
            terminal.line(paint(
                WARN,
                format_args!("stays    {}: {}", kept.path.display(), kept.why),
            ))?;
        }
        Ok(())
    }

    /// Removes everything. The service comes first: while its socket exists, any question would start the daemon again.
    /// The daemon's binary comes before the folders, for the same reason.
    async fn remove(self, paths: &Paths) -> Result<Tally, Failure> {
        let mut tally = Tally::default();
        tally.removed.extend(service::remove(paths)?);
        daemon::stop_running(paths, Force::Ask).await?;
        for (path, result) in setup::remove_all(self.entries, paths).await? {
            match result {
                Ok(()) => tally.removed.push(path),
                Err(why) => tally.fail(path, why),
            }
        }
        for file in &self.files {
            tally.note(fs::remove_file(file), file);
        }
        // An editor may have started a daemon meanwhile.
        if is_running(paths).unwrap_or(false) {
            daemon::stop_running(paths, Force::Ask).await?;
        }
        // Looked for again: removing the entries may have made a directory for their record.
        for directory in OwnDirectory::INNERMOST_FIRST {
            tally.clear(directory, paths);
        }
        if let Some((socket, around)) = short_socket(paths) {
            tally.note(fs::remove_file(&socket), &socket);
            // A folder with sockets of other homes stays.
            tally
                .removed
                .extend(fs::remove_dir(&around).is_ok().then_some(around));
        }
        // Only now are folders empty that several of these files shared.
        let folders =
            OwnDirectory::INNERMOST_FIRST.map(|directory| directory.path(paths).to_owned());
        for path in self.service.iter().chain(&self.files).chain(&folders) {
            file::remove_empty(path.parent().unwrap_or(path), paths.user_home());
        }
        if let Some(around) = paths
            .gathered_in()
            .filter(|around| *around != paths.user_home())
        {
            // A folder with anything else in it stays.
            let _ = fs::remove_dir(around);
        }
        for kept in self.kept {
            if tally.left.iter().all(|left| left.path != kept.path) {
                tally.left.push(kept);
            }
        }
        Ok(tally)
    }
}

impl Tally {
    fn note(&mut self, result: io::Result<()>, path: &Path) {
        match result {
            Ok(()) => self.removed.push(path.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.fail(path.to_owned(), error.to_string()),
        }
    }

    /// Removes what claudevil made from one of its directories, and the directory if nothing else is in it.
    fn clear(&mut self, directory: OwnDirectory, paths: &Paths) {
        let Ok(contents) = directory.contents(paths) else {
            return;
        };
        if !directory.is_ours(paths, &contents) {
            return;
        }
        let path = directory.path(paths);
        let before = self.removed.len();
        for entry in &contents.own {
            let is_folder = fs::symlink_metadata(entry).is_ok_and(|found| found.is_dir());
            self.note(
                if is_folder {
                    fs::remove_dir_all(entry)
                } else {
                    fs::remove_file(entry)
                },
                entry,
            );
        }
        match fs::remove_dir(path) {
            // One line for the directory replaces those for its entries.
            Ok(()) => {
                self.removed.truncate(before);
                self.removed.push(path.to_owned());
            }
            Err(_) if contents.foreign.is_empty() => {}
            Err(_) => self.left.push(Leftover {
                path: path.to_owned(),
                why: not_ours(&contents),
            }),
        }
    }

    fn fail(&mut self, path: PathBuf, why: String) {
        self.left.push(Leftover { path, why });
        self.failed = true;
    }

    fn report(&self, terminal: &mut Terminal) -> Result<(), Failure> {
        if terminal.json {
            terminal.json(&json!({ "removed": self.removed, "left": self.left }))?;
            return Ok(());
        }
        for path in &self.removed {
            terminal.line(format_args!(
                "{} {}",
                paint(GOOD, "removed"),
                path.display()
            ))?;
        }
        for left in &self.left {
            terminal.line(format_args!(
                "{} {}: {}",
                paint(WARN, "left"),
                left.path.display(),
                left.why
            ))?;
        }
        terminal.line(
            "Your projects are unchanged. Open shells may remember the command until they are restarted.",
        )?;
        Ok(())
    }
}

/// Returns the directories from which something is removed, and those that stay or keep something.
fn folders(paths: &Paths) -> (Vec<PathBuf>, Vec<Leftover>) {
    let (mut folders, mut kept) = (Vec::<PathBuf>::new(), vec![]);
    for directory in OwnDirectory::INNERMOST_FIRST {
        let path = directory.path(paths);
        let contents = match directory.contents(paths) {
            Ok(contents) => contents,
            Err(_) if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) => {
                let why = "it is a link, and claudevil did not make what it leads to".to_owned();
                kept.push(Leftover {
                    path: path.to_owned(),
                    why,
                });
                continue;
            }
            Err(_) => continue,
        };
        let is_ours = directory.is_ours(paths, &contents);
        if !is_ours && contents == Contents::default() {
            continue;
        }
        // A directory that lies in another is removed before it.
        let foreign = contents
            .foreign
            .iter()
            .filter(|entry| !folders.contains(*entry))
            .cloned()
            .collect();
        let contents = Contents {
            foreign,
            ..contents
        };
        if !is_ours || !contents.foreign.is_empty() {
            kept.push(Leftover {
                path: path.to_owned(),
                why: not_ours(&contents),
            });
        }
        folders.extend(is_ours.then(|| path.to_owned()));
    }
    folders.extend(short_socket(paths).map(|(_, around)| around));
    folders.sort();
    (folders, kept)
}

fn not_ours(contents: &Contents) -> String {
    format!(
        "it holds files that claudevil did not make: {}",
        contents.foreign_names()
    )
}

/// Returns the socket of a home with a long path, and its folder, which other homes may share.
fn short_socket(paths: &Paths) -> Option<(PathBuf, PathBuf)> {
    let endpoint = Endpoint::new(paths);
    let socket = endpoint.address();
    let around = socket
        .parent()
        .filter(|around| cfg!(unix) && *around != paths.run() && around.is_dir())?;
    Some((socket.to_owned(), around.to_owned()))
}

/// Returns the files of a manual installation, or why they stay.
fn installed_files() -> (Vec<PathBuf>, Option<Leftover>) {
    let own = std::env::current_exe().and_then(fs::canonicalize);
    let Ok(own) = own else { return (vec![], None) };
    let Some(folder) = own.parent() else {
        return (vec![], None);
    };
    if let Some(why) = Installer::detect(folder).reason_to_leave() {
        return (
            vec![],
            Some(Leftover {
                path: folder.to_owned(),
                why: why.to_owned(),
            }),
        );
    }
    let suffix = std::env::consts::EXE_SUFFIX;
    let binaries = [
        "claudevild",
        "claudevil-vectors",
        "claudevil-lsp",
        "claudevil-mcp",
        "claudevil",
    ]
    .map(|name| folder.join(format!("{name}{suffix}")));
    let shared = folder
        .parent()
        .map(|prefix| prefix.join("share"))
        .map(|share| generate::installed_files(&share));
    let files = binaries.into_iter().chain(shared.unwrap_or_default());
    (
        files
            .filter(|file| fs::symlink_metadata(file).is_ok())
            .collect(),
        None,
    )
}
