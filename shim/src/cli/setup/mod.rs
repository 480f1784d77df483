//! `claudevil setup`: tells the clients on this machine how to start the MCP server, and takes it back.
//!
//! It changes nothing but the entry `claudevil` in each client's configuration, and a few marked lines in the
//! instructions for its model; it shows what it changes, and keeps a copy of what was there. No program is started.

mod block;
mod change;
mod clients;
mod config_text;
mod consent;
mod editors;
mod entry;
pub mod file;
mod json;
mod markdown;
mod owner;
mod record;
mod text;
mod toml;
mod zed;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use claudevil_protocol::endpoint::ensure_private_directory;
use claudevil_protocol::error::from_io;
use claudevil_protocol::own_directory::OwnDirectory;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::{ErrorCode, ToolError, lock};
use serde_json::{Value, json};

use super::installer::{Installer, Runner};
use super::terminal::{BAD, FAINT, GOOD, STRONG, Terminal, WARN, paint};
use super::{Failure, exit};
use crate::project;
pub use change::Change;
use change::Kind;
use clients::{CLIENTS, Client, User};
pub use config_text::Target;
use editors::EDITORS;
use entry::Server;
use owner::Owner;
use record::Record;

pub const EXAMPLES: &str = "\
Examples:
  claudevil setup                          every client that is installed here
  claudevil setup --dry-run                only show what would change
  claudevil setup cursor zed               these two
  claudevil setup claude-code --project    for everybody who works in this repository
  claudevil setup codex -- --toolsets all  with options for claudevil-mcp
  claudevil setup --no-instructions        without the lines for CLAUDE.md, AGENTS.md and others
  claudevil setup --lsp                    every editor that is installed here, for claudevil-lsp
  claudevil setup --lsp neovim --remove    take it out of Neovim again
  claudevil setup --remove                 take it out again everywhere";

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line"
)]
#[derive(clap::Args)]
pub struct Arguments {
    /// Clients to set up [default: those that are installed]
    #[arg(value_name = "CLIENT", value_parser = PossibleValuesParser::new(CLIENTS.iter().map(|client| client.id)))]
    clients: Vec<String>,
    /// Take claudevil out of their configuration again
    #[arg(long)]
    remove: bool,
    /// Set up clients for one project, in files that its repository may share: the repository around DIR [default: the
    /// working directory]
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = ".")]
    project: Option<PathBuf>,
    /// Leave the instructions for models (CLAUDE.md, AGENTS.md, GEMINI.md and others) alone
    #[arg(long)]
    no_instructions: bool,
    /// Set up editors to start the language server, claudevil-lsp, instead [default: those that are installed]
    #[arg(long, value_name = "EDITOR", num_args = 0..,
        conflicts_with_all = ["clients", "project", "no_instructions", "options"],
        value_parser = PossibleValuesParser::new(editors::names()))]
    lsp: Option<Vec<String>>,
    /// Only show what would change
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
    /// Options for claudevil-mcp
    #[arg(last = true, value_name = "OPTION", conflicts_with = "remove")]
    options: Vec<String>,
}

/// The owner of a configuration: a user, or a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    User,
    Project(PathBuf),
}

impl Scope {
    fn project(&self) -> Option<&Path> {
        match self {
            Self::User => None,
            Self::Project(project) => Some(project),
        }
    }

    fn file(&self, client: &Client, user: &User) -> Option<PathBuf> {
        match self {
            Self::User => Some(client.user_file(user)),
            Self::Project(project) => client.project_file(project),
        }
    }
}

/// The outcome of a change.
struct Outcome {
    change: Change,
    backup: Option<PathBuf>,
}

const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

pub async fn run(
    arguments: Arguments,
    paths: &Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let user = User::here(paths.user_home());
    let scope = scope(arguments.project.as_deref(), paths)?;
    let record = Record::open(paths);
    let changes: Vec<_> = if let Some(names) = &arguments.lsp {
        for advice in editors::advice(names) {
            terminal.note(advice);
        }
        editors::plan(names, arguments.remove, &user, &record)?
    } else if arguments.remove {
        let is_named = !arguments.clients.is_empty();
        // A client that was uninstalled may have left its configuration.
        let chosen = chosen(&arguments.clients, &scope, &user, |_| true)?;
        let remove = |(client, path): (&'static Client, PathBuf)| {
            let instructions = client.instruction_file(&scope, &user);
            let owner = Owner::Client(client);
            let entry = Change::to_remove(owner, &scope, Target::Servers, path, &record);
            let instructions = instructions
                .map(|path| Change::to_remove(owner, &scope, Target::Instructions, path, &record));
            std::iter::once(entry).chain(instructions)
        };
        let is_shown = |change: &Change| {
            let is_asked_for = is_named && change.target == Target::Servers;
            is_asked_for || change.kind != Kind::Nothing
        };
        once_per_file(chosen.into_iter().flat_map(remove).filter(is_shown))
    } else {
        let chosen = chosen(&arguments.clients, &scope, &user, |client| {
            client.is_installed(&user)
        })?;
        let options = (!arguments.options.is_empty()).then(|| arguments.options.clone());
        let server = Server::new(&scope, Installer::here(), options)?;
        let add = |(client, path): (&'static Client, PathBuf)| {
            let instructions = client
                .instruction_file(&scope, &user)
                .filter(|_| !arguments.no_instructions);
            let entry = Change::to_add(client, &scope, path, &server);
            let instructions = instructions.map(|path| Change::to_instruct(client, &scope, path));
            std::iter::once(entry).chain(instructions)
        };
        once_per_file(chosen.into_iter().flat_map(add))
    };
    if changes.is_empty() {
        return nothing(&arguments, terminal);
    }
    show(&changes, terminal)?;
    let work = changes
        .iter()
        .filter(|change| change.kind.is_work())
        .count();
    let is_asked_for = work > 0 && !arguments.dry_run;
    let is_wanted = is_asked_for && (arguments.yes || consent::ask(work, terminal).await?);
    let outcomes = if is_wanted {
        apply(changes, paths).await?
    } else {
        untouched(changes)
    };
    report(&outcomes, is_wanted, arguments.dry_run, terminal)?;
    let adds = !arguments.remove && arguments.lsp.is_none();
    if let (true, Installer::Runner(runner)) = (adds, Installer::here()) {
        advise_installation(runner, terminal);
    }
    let refused = outcomes
        .iter()
        .any(|outcome| matches!(outcome.change.kind, Kind::Refused(_)));
    let declined = is_asked_for && !is_wanted;
    Ok(exit::failed_if(refused || declined))
}

/// Drops changes of files that an earlier change is about: several clients read one `AGENTS.md`.
fn once_per_file(changes: impl Iterator<Item = Change>) -> Vec<Change> {
    let mut kept: Vec<Change> = vec![];
    for change in changes {
        if kept.iter().all(|other| other.path != change.path) {
            kept.push(change);
        }
    }
    kept
}

/// Takes our entry out of every configuration that has it: those that setup wrote, and those of this user's clients.
pub fn all_removals(paths: &Paths) -> Vec<Change> {
    let user = User::here(paths.user_home());
    let record = Record::open(paths);
    let remove = |client: &'static Client| {
        let files = [
            (Target::Servers, Some(client.user_file(&user))),
            (
                Target::Instructions,
                client.instruction_file(&Scope::User, &user),
            ),
        ];
        let record = &record;
        files.into_iter().filter_map(move |(target, file)| {
            Some(Change::to_remove(
                Owner::Client(client),
                &Scope::User,
                target,
                file?,
                record,
            ))
        })
    };
    let editors = EDITORS
        .iter()
        .map(|editor| editor.to_remove(&user, &record));
    let mut changes: Vec<_> = CLIENTS.iter().flat_map(remove).chain(editors).collect();
    for written in &record.written {
        let client = clients::find(&written.client).map(Owner::Client);
        let editor = || editors::find(&written.client).map(Owner::Editor);
        let is_editor = written.target == Target::LanguageServer;
        let Some(owner) = client.filter(|_| !is_editor).or_else(editor) else {
            continue;
        };
        if changes
            .iter()
            .all(|change| !change.changes(&written.file, written.target))
        {
            let scope = written.project.clone().map_or(Scope::User, Scope::Project);
            changes.push(Change::to_remove(
                owner,
                &scope,
                written.target,
                written.file.clone(),
                &record,
            ));
        }
    }
    changes.retain(|change| change.kind != Kind::Nothing);
    // Entries are removed in the reverse order of writing, so that a file with several returns to its first text.
    changes.sort_by_key(|change| {
        let is_changed =
            |written: &record::WrittenFile| change.changes(&written.file, written.target);
        std::cmp::Reverse(record.written.iter().position(is_changed))
    });
    changes
}

/// Applies planned changes, one setup at a time on this machine.
pub async fn remove_all(
    changes: Vec<Change>,
    paths: &Paths,
) -> Result<Vec<(PathBuf, Result<(), String>)>, Failure> {
    if changes.is_empty() {
        return Ok(vec![]);
    }
    let outcomes = apply(changes, paths).await?;
    let told = outcomes.into_iter().map(|outcome| {
        let result = match outcome.change.kind {
            Kind::Refused(why) => Err(why),
            _ => Ok(()),
        };
        (outcome.change.path, result)
    });
    Ok(told.collect())
}

/// The program that a client of this user would start.
pub struct KnownEntry {
    pub client: &'static str,
    pub command: String,
}

impl KnownEntry {
    /// Returns whether the program is gone. A bare name is looked up by the client, on a `PATH` of its own.
    pub fn is_lost(&self) -> bool {
        let path = Path::new(&self.command);
        path.is_absolute() && !path.is_file()
    }
}

/// Returns the entries in this user's clients; a file that cannot be read has none.
pub fn known_entries(paths: &Paths) -> Vec<KnownEntry> {
    let user = User::here(paths.user_home());
    let known = CLIENTS.iter().filter_map(|client| {
        let file = file::behind_links(&client.user_file(&user)).ok()?;
        let entry = text::get(client, &file::read(&file).ok()??).ok()??;
        let command = entry.get("command")?;
        let command = command
            .as_str()
            .or_else(|| command.get(0)?.as_str())?
            .to_owned();
        Some(KnownEntry {
            client: client.name,
            command,
        })
    });
    known.collect()
}

fn scope(project: Option<&Path>, paths: &Paths) -> Result<Scope, Failure> {
    let Some(project) = project else {
        return Ok(Scope::User);
    };
    let folder = project::enclosing_repository(&std::path::absolute(project)?, paths.user_home());
    if !folder.is_dir() {
        return Err(ToolError::new(
            ErrorCode::RootNotFound,
            format!("{} is not a folder", folder.display()),
        )
        .into());
    }
    if folder == paths.user_home() || folder.parent().is_none() {
        return Err(ToolError::new(
            ErrorCode::RootRefused,
            format!("{} is not a project", folder.display()),
        )
        .with_hint("go into a project, or leave --project out")
        .into());
    }
    Ok(Scope::Project(folder))
}

/// Returns the selected clients with their files: those that are named, or else those that `unnamed` accepts.
fn chosen(
    names: &[String],
    scope: &Scope,
    user: &User,
    unnamed: impl Fn(&Client) -> bool,
) -> Result<Vec<(&'static Client, PathBuf)>, Failure> {
    let with_file = |client: &'static Client| Some((client, scope.file(client, user)?));
    if names.is_empty() {
        return Ok(CLIENTS
            .iter()
            .filter(|client| unnamed(client))
            .filter_map(with_file)
            .collect());
    }
    let meant = CLIENTS
        .iter()
        .filter(|client| names.iter().any(|name| name == client.id));
    meant
        .map(|client| {
            with_file(client).ok_or_else(|| {
                let message = format!("{} reads no configuration in a project", client.name);
                ToolError::invalid_argument(message)
                    .with_hint(format!("claudevil setup {}", client.id))
                    .into()
            })
        })
        .collect()
}

fn nothing(arguments: &Arguments, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
    if terminal.json {
        let nothing = json!({ "applied": false, "clients": [], "instructions": [], "editors": [] });
        terminal.json(&nothing)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (what, command, known): (_, _, Vec<_>) = match &arguments.lsp {
        Some(_) => (
            "editor",
            "claudevil setup --lsp ",
            editors::names().collect(),
        ),
        None => (
            "client",
            "claudevil setup ",
            CLIENTS.iter().map(|client| client.id).collect(),
        ),
    };
    if arguments.remove {
        terminal.line(format_args!("no {what} has claudevil in its configuration"))?;
        return Ok(ExitCode::SUCCESS);
    }
    // For the other named editors, advice has been printed.
    if arguments
        .lsp
        .as_ref()
        .is_some_and(|names| !names.is_empty())
    {
        return Ok(ExitCode::SUCCESS);
    }
    let message = format!("no {what} was found on this machine");
    if arguments.dry_run {
        terminal.line(format_args!(
            "{message}; name one: {command}{}",
            known.join("|")
        ))?;
        return Ok(ExitCode::SUCCESS);
    }
    Err(ToolError::new(ErrorCode::FileNotFound, message)
        .with_hint(format!("name one: {command}{}", known.join("|")))
        .into())
}

fn show(changes: &[Change], terminal: &mut Terminal) -> io::Result<()> {
    if terminal.json {
        return Ok(());
    }
    for change in changes {
        let (style, word) = match &change.kind {
            Kind::Add => (GOOD, "add"),
            Kind::Update => (WARN, "update"),
            Kind::Remove => (WARN, "remove"),
            Kind::Nothing => (FAINT, "nothing to do"),
            Kind::Refused(why) => (BAD, why.as_str()),
        };
        let (name, path) = (paint(STRONG, change.owner.name()), change.path.display());
        terminal.line(format_args!("{name}  {path}  {}", paint(style, word)))?;
        if !change.kind.is_work() {
            continue;
        }
        // The first two lines repeat the path.
        for line in change.diff().lines().skip(2) {
            let style = match line.as_bytes().first() {
                Some(b'+') => GOOD,
                Some(b'-') => BAD,
                _ => FAINT,
            };
            terminal.line(format_args!(
                "  {}",
                paint(style, super::terminal::escape_untrusted(line))
            ))?;
        }
    }
    Ok(())
}

fn untouched(changes: Vec<Change>) -> Vec<Outcome> {
    changes
        .into_iter()
        .map(|change| Outcome {
            change,
            backup: None,
        })
        .collect()
}

async fn apply(changes: Vec<Change>, paths: &Paths) -> Result<Vec<Outcome>, Failure> {
    let folder = Record::folder(paths);
    let claimed = OwnDirectory::State
        .claim(paths)
        .and_then(|()| ensure_private_directory(&folder));
    claimed.map_err(|error| no_record(&error))?;
    let Some(_held) = lock::lock(&folder.join("lock"), LOCK_TIMEOUT)
        .await
        .map_err(|error| no_record(&error))?
    else {
        return Err(
            ToolError::new(ErrorCode::Internal, "another claudevil setup is running").into(),
        );
    };
    // Opened only now: another setup may have written while this one waited for a person's answer or for the lock.
    let mut record = Record::open(paths);
    let mut outcomes: Vec<Outcome> = vec![];
    for mut change in changes {
        let is_outdated = outcomes
            .iter()
            .any(|earlier| earlier.change.shares_file(&change));
        if is_outdated && change.kind == Kind::Remove {
            change = change.plan_again(&record);
        }
        let backup = match change.apply(&mut record) {
            Ok(backup) => backup,
            Err(error) => {
                change.kind = Kind::Refused(error.to_string());
                None
            }
        };
        outcomes.push(Outcome { change, backup });
    }
    Ok(outcomes)
}

/// Returns the error for a record that cannot be written: nothing could be undone exactly, so nothing is changed.
fn no_record(error: &io::Error) -> ToolError {
    let refused = from_io(
        "nothing was changed: the record for undoing changes cannot be written",
        error,
    );
    if refused.hint.is_some() {
        return refused;
    }
    refused.with_hint(
        "make it writable, or set CLAUDEVIL_HOME to a folder that is; `claudevil doctor` checks it",
    )
}

fn report(
    outcomes: &[Outcome],
    is_done: bool,
    dry_run: bool,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    if terminal.json {
        let described = |target| {
            let changed = outcomes
                .iter()
                .filter(|outcome| outcome.change.target == target);
            changed.map(described).collect::<Vec<_>>()
        };
        terminal.json(&json!({
            "applied": is_done,
            "dry_run": dry_run,
            "clients": described(Target::Servers),
            "instructions": described(Target::Instructions),
            "editors": described(Target::LanguageServer),
        }))?;
        return Ok(());
    }
    if !is_done {
        if outcomes.iter().any(|outcome| outcome.change.kind.is_work()) {
            terminal.line("nothing changed")?;
        }
        return Ok(());
    }
    for Outcome { change, backup } in outcomes {
        let name = change.owner.name();
        match &change.kind {
            Kind::Add | Kind::Update if change.target == Target::Instructions => {
                terminal.line(format_args!(
                    "{} {name}: its instructions now say when to use claudevil",
                    paint(GOOD, "done")
                ))?;
            }
            Kind::Add | Kind::Update => {
                terminal.line(format_args!(
                    "{} {name}: {}",
                    paint(GOOD, "done"),
                    change.owner.next_step()
                ))?;
            }
            Kind::Remove => {
                terminal.line(format_args!("{} {name}", paint(GOOD, "removed from")))?;
            }
            Kind::Nothing => {}
            Kind::Refused(why) => {
                terminal.line(format_args!("{} {name}: {why}", paint(BAD, "left alone")))?;
            }
        }
        if let Some(backup) = backup {
            terminal.line(paint(
                FAINT,
                format_args!("  the former text is saved in {}", backup.display()),
            ))?;
        }
    }
    Ok(())
}

/// Says how to install claudevil for good to a person who runs it out of a package runner's cache.
fn advise_installation(runner: Runner, terminal: &mut Terminal) {
    terminal.note(format_args!(
        "clients start claudevil with `{} mcp`; for faster starts, install it: {} && claudevil setup",
        runner.words().join(" "),
        runner.lasting_installation()
    ));
}

fn described(outcome: &Outcome) -> Value {
    let change = &outcome.change;
    let refused = if let Kind::Refused(why) = &change.kind {
        Some(why)
    } else {
        None
    };
    json!({
        "client": change.owner.id(),
        "name": change.owner.name(),
        "scope": if change.scope == Scope::User { "user" } else { "project" },
        "path": change.path,
        "change": change.kind.as_str(),
        "error": refused,
        "backup": outcome.backup,
        "diff": change.kind.is_work().then(|| change.diff()),
        "then": change.owner.next_step(),
    })
}
