//! `claudevil`: the command line for people and scripts.

mod ask;
mod daemon;
mod doctor;
mod files;
mod first_index;
mod generate;
mod graph;
mod highlight;
mod input;
mod installer;
mod logs;
mod map;
mod model;
mod notes;
mod page;
mod pages;
mod plan;
mod precise;
mod progress;
mod read;
mod refs;
mod reindex;
mod rename;
mod roots;
mod search;
mod serve;
mod service;
mod setup;
mod shell;
mod show;
mod similar;
mod status;
mod syntax;
mod terminal;
mod tool;
mod uninstall;
mod vectors;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_references::FindReferences;
use claudevil_protocol::tools::find_similar::FindSimilar;
use claudevil_protocol::tools::get_call_graph::GetCallGraph;
use claudevil_protocol::tools::index_status::IndexStatus;
use claudevil_protocol::tools::list_files::ListFiles;
use claudevil_protocol::tools::manage_precise::ManagePrecise;
use claudevil_protocol::tools::manage_roots::ManageRoots;
use claudevil_protocol::tools::map_code::MapCode;
use claudevil_protocol::tools::plan::Plan;
use claudevil_protocol::tools::read_file::ReadFile;
use claudevil_protocol::tools::reindex::Reindex;
use claudevil_protocol::tools::rename_symbol::RenameSymbol;
use claudevil_protocol::tools::search::Search;
use claudevil_protocol::{ErrorCode, ToolError};

use crate::mcp;
pub use terminal::{ColorChoice, LinkChoice};
use terminal::{OutputOptions, Terminal};

/// Exit codes, documented in `--help`.
mod exit {
    use std::process::ExitCode;

    pub const FAILED: u8 = 1;
    pub const WRONG_USAGE: u8 = 2;
    pub const NOT_RUNNING: u8 = 3;
    pub const UNREACHABLE: u8 = 4;

    /// Returns the code of a command that found nothing, or failed at what it was asked for.
    pub fn failed_if(has_failed: bool) -> ExitCode {
        if has_failed {
            ExitCode::from(FAILED)
        } else {
            ExitCode::SUCCESS
        }
    }
}

const AFTER_HELP: &str = "\
Examples:
  claudevil explore how it is parsed  the code that matters, and what depends on it
  claudevil map                       what is in this project
  claudevil search how is it parsed   code by words and meaning
  claudevil search -F 'parse('        every line with a text, like grep
  claudevil symbol parse              where something is defined
  claudevil read --symbol parse       all of it
  claudevil read src/main.rs:10-40    some lines of a file
  claudevil refs parse                every use of it, and the files to update
  claudevil impact                    what the changes so far may break
  claudevil files --sort recent -n 5  the files edited last
  claudevil notes add it is lazy      keep what you found out
  claudevil status                    whether all is well, and which projects are known
  claudevil doctor                    what is wrong, and how to fix it

The daemon starts by itself when something is asked. The project is the repository around \
the working directory, unless --root names another.

Exit codes:
  0  done
  1  failed, declined, or nothing found (search, similar, explore, files, refs, callers, callees,
     path, impls, notes search)
  2  wrong usage, or a query that cannot be understood
  3  the daemon is not running (daemon status, service status)
  4  the daemon cannot be reached or started";

/// Heading of the global options, apart from a verb's own.
const EVERYWHERE: &str = "Global options";

/// One warm code index for all your editor sessions.
#[derive(Parser)]
#[command(name = "claudevil", version, after_help = AFTER_HELP)]
pub struct Arguments {
    /// Print JSON, for scripts
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    json: bool,
    /// When to use colours
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
    /// When to print locations as links; `CLAUDEVIL_LINKS` says which editor they open
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "WHEN", default_value = "auto")]
    links: LinkChoice,
    /// Do not show long answers in a pager
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    no_pager: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Tool(tool::ToolCommand),
    #[command(about = Search::INFO.command.about, after_help = Search::INFO.command.examples)]
    Search(search::Arguments),
    #[command(
        about = FindSimilar::INFO.command.about,
        visible_alias = "find-similar",
        after_help = FindSimilar::INFO.command.examples
    )]
    Similar(FindSimilar),
    #[command(about = ListFiles::INFO.command.about, after_help = ListFiles::INFO.command.examples)]
    Files(ListFiles),
    #[command(about = ReadFile::INFO.command.about, after_help = ReadFile::INFO.command.examples)]
    Read(ReadFile),
    #[command(
        about = FindReferences::INFO.command.about,
        visible_alias = "find-references",
        after_help = FindReferences::INFO.command.examples
    )]
    Refs(FindReferences),
    #[command(
        about = RenameSymbol::INFO.command.about,
        visible_alias = "rename-symbol",
        after_help = RenameSymbol::INFO.command.examples
    )]
    Rename(RenameSymbol),
    #[command(
        about = GetCallGraph::INFO.command.about,
        visible_alias = "get-call-graph",
        after_help = GetCallGraph::INFO.command.examples
    )]
    Graph(graph::Arguments),
    #[command(
        about = MapCode::INFO.command.about,
        visible_alias = "map-code",
        after_help = MapCode::INFO.command.examples
    )]
    Map(map::Arguments),
    /// Keep, list and find notes about the project
    #[command(after_help = notes::EXAMPLES)]
    Notes(notes::Arguments),
    #[command(about = Plan::INFO.command.about, after_help = Plan::INFO.command.examples)]
    Plan(plan::Arguments),
    #[command(about = IndexStatus::INFO.command.about, after_help = IndexStatus::INFO.command.examples)]
    Status(status::Arguments),
    #[command(about = Reindex::INFO.command.about, after_help = Reindex::INFO.command.examples)]
    Reindex(Reindex),
    /// Choose the model for semantic search, and install what it needs
    #[command(subcommand, after_help = model::EXAMPLES)]
    Model(model::Command),
    /// Share vectors of a transformer with a team
    #[command(subcommand, after_help = vectors::EXAMPLES)]
    Vectors(vectors::Command),
    #[command(subcommand, about = ManageRoots::INFO.command.about, after_help = ManageRoots::INFO.command.examples)]
    Roots(roots::Command),
    #[command(subcommand, about = ManagePrecise::INFO.command.about, after_help = ManagePrecise::INFO.command.examples)]
    Precise(precise::Command),
    /// Start, stop and inspect the daemon
    #[command(subcommand, after_help = daemon::EXAMPLES)]
    Daemon(daemon::Command),
    /// Have systemd or launchd run the daemon
    #[command(subcommand, after_help = service::EXAMPLES)]
    Service(service::Command),
    /// Tell editors and agents on this machine how to start claudevil
    #[command(after_help = setup::EXAMPLES)]
    Setup(setup::Arguments),
    /// Serve MCP on standard input and output, as claudevil-mcp does
    #[command(after_help = mcp::EXAMPLES)]
    Mcp(mcp::Arguments),
    /// Check the installation, and say how to fix what is wrong
    #[command(after_help = doctor::EXAMPLES)]
    Doctor,
    /// Remove claudevil from this machine: settings, indexes, logs, service, entries in editors, binaries
    #[command(after_help = uninstall::EXAMPLES)]
    Uninstall(uninstall::Arguments),
    /// Print a script that completes this command in a shell
    ///
    /// For example: claudevil completions bash > ~/.local/share/bash-completion/completions/claudevil
    Completions { shell: clap_complete::Shell },
    /// Write completions and manual pages below a `share` folder, for installers and packages
    #[command(hide = true)]
    Generate { share: PathBuf },
}

impl Command {
    /// Returns whether the answer may fill more than a window. Commands that ask, follow or draw need no pager.
    fn may_be_long(&self) -> bool {
        match self {
            Self::Model(_)
            | Self::Vectors(_)
            | Self::Reindex(_)
            | Self::Rename(_)
            | Self::Roots(_)
            | Self::Daemon(_)
            | Self::Service(_)
            | Self::Setup(_)
            | Self::Mcp(_)
            | Self::Uninstall(_)
            | Self::Completions { .. }
            | Self::Generate { .. } => false,
            Self::Status(arguments) => !arguments.is_watching(),
            _ => true,
        }
    }
}

/// The project to ask about.
#[derive(clap::Args)]
struct RootOption {
    /// Project: a folder, or the name of a known root [default: the repository around the working directory]
    #[arg(long, value_name = "DIR|NAME")]
    root: Option<PathBuf>,
}

/// Runs a command. Errors are printed here, so that each looks the same.
pub async fn run(arguments: Arguments) -> ExitCode {
    let Arguments {
        json,
        color,
        links,
        no_pager,
        command,
    } = arguments;
    let mut terminal = Terminal::new(OutputOptions {
        json,
        color,
        links,
        no_pager,
    });
    if command.may_be_long() {
        terminal.page();
    }
    // Boxed because it is as large as the largest verb.
    let done = Box::pin(dispatch(command, &mut terminal)).await;
    match terminal.finish().map_err(Failure::from).and(done) {
        Ok(code) => code,
        Err(Failure::Tool(error)) => {
            terminal.error(&error);
            match error.code {
                ErrorCode::DaemonUnreachable | ErrorCode::VersionMismatch => {
                    ExitCode::from(exit::UNREACHABLE)
                }
                ErrorCode::InvalidArgument | ErrorCode::InvalidQuery => {
                    ExitCode::from(exit::WRONG_USAGE)
                }
                _ => ExitCode::from(exit::FAILED),
            }
        }
        // The reader has seen enough.
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Io(error)) => {
            terminal.error(&ToolError::new(code_of(&error), error.to_string()));
            ExitCode::from(exit::FAILED)
        }
    }
}

/// Returns the code for an error of a file that the person named, for example to write to.
fn code_of(error: &io::Error) -> ErrorCode {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ErrorCode::FileNotFound,
        io::ErrorKind::IsADirectory
        | io::ErrorKind::PermissionDenied
        | io::ErrorKind::ReadOnlyFilesystem => ErrorCode::InvalidArgument,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorCode::DiskFull,
        _ => ErrorCode::Internal,
    }
}

async fn dispatch(command: Command, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
    if let Command::Completions { shell } = command {
        let mut script = vec![];
        clap_complete::generate(shell, &mut Arguments::command(), "claudevil", &mut script);
        io::Write::write_all(&mut io::stdout(), &script)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Command::Mcp(_) = command {
        return serve::run();
    }
    if let Command::Generate { share } = &command {
        for path in generate::run(share)? {
            terminal.line(path.display())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let paths = Paths::discover()
        .map_err(|error| ToolError::new(ErrorCode::Internal, error.to_string()))?;
    match command {
        Command::Tool(command) => command.run(paths, terminal).await,
        Command::Search(arguments) => search::run(arguments, paths, terminal).await,
        Command::Similar(params) => similar::run(params, paths, terminal).await,
        Command::Rename(params) => rename::run(params, paths, terminal).await,
        Command::Refs(params) => refs::run(params, paths, terminal).await,
        Command::Graph(arguments) => graph::run(arguments, paths, terminal).await,
        Command::Map(arguments) => map::run(arguments, paths, terminal).await,
        Command::Notes(arguments) => notes::run(arguments, paths, terminal).await,
        Command::Plan(arguments) => plan::run(arguments, paths, terminal).await,
        Command::Reindex(params) => reindex::run(params, paths, terminal).await,
        Command::Files(params) => files::run(params, paths, terminal).await,
        Command::Read(params) => read::run(params, paths, terminal).await,
        Command::Status(arguments) => status::run(arguments, paths, terminal).await,
        Command::Model(command) => model::run(command, paths, terminal).await,
        Command::Vectors(command) => vectors::run(command, paths, terminal).await,
        Command::Roots(command) => roots::run(command, paths, terminal).await,
        Command::Precise(command) => precise::run(command, paths, terminal).await,
        Command::Daemon(command) => daemon::run(command, paths, terminal).await,
        Command::Service(command) => service::run(command, &paths, terminal).await,
        Command::Setup(arguments) => setup::run(arguments, &paths, terminal).await,
        Command::Uninstall(arguments) => uninstall::run(&arguments, &paths, terminal).await,
        Command::Doctor => doctor::run(paths, terminal).await,
        Command::Mcp(_) | Command::Completions { .. } | Command::Generate { .. } => {
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Why a command failed.
enum Failure {
    Tool(ToolError),
    Io(io::Error),
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        Self::Tool(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

#[cfg(test)]
mod tests;
