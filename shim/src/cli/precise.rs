//! `claudevil precise`.

use std::path::PathBuf;
use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::tools::manage_precise::{ManagePrecise, PreciseAction};

use super::terminal::Terminal;
use super::{Failure, tool};

#[derive(clap::Subcommand)]
pub enum Command {
    /// Import an index, or the new state of one
    Add(ManagePrecise),
    /// List the indexes of the project
    List(Project),
    /// Show how many of the project's files the indexes describe
    Status(Project),
    /// Forget an index; the file it was made from is not touched
    Remove {
        /// Name of the index
        name: String,
        #[command(flatten)]
        project: Project,
    },
}

#[derive(clap::Args)]
pub struct Project {
    /// Name or folder of the project [default: the repository around the working directory]
    #[arg(long)]
    root: Option<String>,
}

pub async fn run(
    command: Command,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let about = |action, project: Project| ManagePrecise {
        action,
        root: project.root,
        ..ManagePrecise::default()
    };
    let params = match command {
        Command::Add(params) => {
            // Relative to the working directory, wherever the project is.
            let file = params.file.map(PathBuf::from).map(std::path::absolute);
            let file = file.transpose()?;
            ManagePrecise {
                action: PreciseAction::Add,
                file: file.map(|file| file.display().to_string()),
                ..params
            }
        }
        Command::List(project) => about(PreciseAction::List, project),
        Command::Status(project) => about(PreciseAction::Status, project),
        Command::Remove { name, project } => ManagePrecise {
            name: Some(name),
            ..about(PreciseAction::Remove, project)
        },
    };
    tool::run(params, paths, terminal).await
}
