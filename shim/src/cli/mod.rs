//! `claudevil`: the command line for people and scripts.

mod ask;
mod daemon;
mod doctor;
mod files;
mod logs;
mod read;
mod roots;
mod service;
mod status;
mod terminal;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::{ErrorCode, ToolError};

pub use terminal::ColorChoice;
use terminal::Terminal;

/// Exit codes, documented in `--help`.
mod exit {
    pub const FAILED: u8 = 1;
    pub const WRONG_USAGE: u8 = 2;
    pub const NOT_RUNNING: u8 = 3;
    pub const UNREACHABLE: u8 = 4;
}

const AFTER_HELP: &str = "\
Examples:
  claudevil files '*.rs'              files of this project, by glob
  claudevil files --sort recent -n 5  the files edited last
  claudevil read src/main.rs:10-40    some lines of a file
  claudevil status                    is all well, and which projects are known
  claudevil doctor                    what is wrong, and what to do about it

The daemon is started by itself when something is asked. The project is the repository around
the working directory, unless --root names another.

Exit codes:
  0  done            2  wrong usage              4  the daemon cannot be reached or started
  1  failed          3  the daemon is not running (daemon status, service status)";

/// One warm code index for all your editor sessions.
#[derive(Parser)]
#[command(name = "claudevil", version, after_help = AFTER_HELP)]
pub struct Arguments {
    /// Print JSON, for scripts
    #[arg(long, global = true)]
    json: bool,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the files of a project
    Files(files::Arguments),
    /// Show a file, or some of its lines
    Read(read::Arguments),
    /// Show the health of the daemon and what it knows of each project
    Status(status::Arguments),
    /// List, add and remove projects
    #[command(subcommand)]
    Roots(roots::Command),
    /// Start, stop and watch the daemon
    #[command(subcommand)]
    Daemon(daemon::Command),
    /// Have systemd or launchd run the daemon
    #[command(subcommand)]
    Service(service::Command),
    /// Check the installation, and say what to do about what is wrong
    Doctor,
    /// Print a script that completes this command in a shell
    ///
    /// For example: claudevil completions bash > ~/.local/share/bash-completion/completions/claudevil
    Completions { shell: clap_complete::Shell },
}

/// Which project to ask about.
#[derive(clap::Args)]
struct RootOption {
    /// Project: a folder, or the name of a known root [default: the repository around the working directory]
    #[arg(long, value_name = "DIR|NAME")]
    root: Option<PathBuf>,
}

/// Runs a command. Errors are printed here, so that each looks the same.
pub async fn run(arguments: Arguments) -> ExitCode {
    let mut terminal = Terminal::new(arguments.json, arguments.color);
    match dispatch(arguments.command, &mut terminal).await {
        Ok(code) => code,
        Err(Failure::Tool(error)) => {
            terminal.error(&error);
            match error.code {
                ErrorCode::DaemonUnreachable | ErrorCode::VersionMismatch => ExitCode::from(exit::UNREACHABLE),
                ErrorCode::InvalidArgument => ExitCode::from(exit::WRONG_USAGE),
                _ => ExitCode::from(exit::FAILED),
            }
        }
        // The reader has seen enough.
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Io(error)) => {
            terminal.error(&ToolError::new(ErrorCode::Internal, error.to_string()));
            ExitCode::from(exit::FAILED)
        }
    }
}

async fn dispatch(command: Command, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
    if let Command::Completions { shell } = command {
        let mut script = vec![];
        clap_complete::generate(shell, &mut Arguments::command(), "claudevil", &mut script);
        io::Write::write_all(&mut io::stdout(), &script)?;
        return Ok(ExitCode::SUCCESS);
    }
    let paths = Paths::discover().map_err(|error| ToolError::new(ErrorCode::Internal, error.to_string()))?;
    match command {
        Command::Files(arguments) => files::run(arguments, paths, terminal).await,
        Command::Read(arguments) => read::run(arguments, paths, terminal).await,
        Command::Status(arguments) => status::run(arguments, paths, terminal).await,
        Command::Roots(command) => roots::run(command, paths, terminal).await,
        Command::Daemon(command) => daemon::run(command, paths, terminal).await,
        Command::Service(command) => service::run(command, &paths, terminal).await,
        Command::Doctor => doctor::run(paths, terminal).await,
        Command::Completions { .. } => Ok(ExitCode::SUCCESS),
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
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
