//! `claudevil roots`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use claudevil_protocol::ToolError;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::tools::manage_roots::{ManageRoots, RootAction, RootEntry};

use super::terminal::Terminal;
use super::{Failure, ask, exit};
use crate::project::absolute_unless_name;

#[derive(clap::Subcommand)]
pub enum Command {
    /// List the known projects
    List,
    /// Add a project, or change its settings
    ///
    /// Projects are added by themselves when they are first asked about; this gives one a name, or leaves out some of its files.
    Add(ManageRoots),
    /// Forget a project and delete its index; its files are not touched
    Remove {
        /// Name or folder of a known project
        root: PathBuf,
        /// Do not ask for confirmation
        #[arg(short, long)]
        yes: bool,
    },
}

pub async fn run(
    command: Command,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let params = match command {
        Command::List => ManageRoots::default(),
        Command::Add(params) => ManageRoots {
            action: RootAction::Add,
            path: params
                .path
                .map(|path| text_of(&std::path::absolute(path)?))
                .transpose()?,
            ..params
        },
        Command::Remove { root, yes } => {
            let root = text_of(&absolute_unless_name(&root))?;
            // An unknown root is refused by the daemon, and needs no confirmation before.
            if !yes && is_known(&root, paths.clone()).await? && !confirmed(&root, terminal)? {
                terminal.line("nothing was removed")?;
                return Ok(ExitCode::from(exit::FAILED));
            }
            ManageRoots {
                action: RootAction::Remove,
                path: Some(root),
                confirm: Some(true),
                ..ManageRoots::default()
            }
        }
    };
    let list = ask::ask(paths, None, params).await?;
    if terminal.json {
        terminal.json(&list)?;
    } else {
        terminal.answer::<ManageRoots>(&list)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns whether a root is known, by the rules of the daemon: by name, by path, or by what a path leads to.
async fn is_known(root: &str, paths: Paths) -> Result<bool, Failure> {
    let list = ask::ask(paths, None, ManageRoots::default()).await?;
    let behind_links = std::fs::canonicalize(root)
        .ok()
        .filter(|_| Path::new(root).is_absolute());
    let is_meant = |known: &RootEntry| {
        let path = Path::new(&known.path);
        known.name == root || path == Path::new(root) || behind_links.as_deref() == Some(path)
    };
    Ok(list.roots.iter().any(is_meant))
}

fn confirmed(root: &str, terminal: &Terminal) -> Result<bool, Failure> {
    if terminal.json || !Terminal::can_ask() {
        return Err(
            ToolError::invalid_argument("not a terminal, so there is no one to ask")
                .with_hint("add --yes")
                .into(),
        );
    }
    let answer = Terminal::prompt(&format!("Forget {root} and delete its index? [y/N]"))?;
    Ok(matches!(answer.as_deref(), Some("y" | "yes")))
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let text = path
        .to_str()
        .ok_or_else(|| ToolError::invalid_argument(format!("{} is not UTF-8", path.display())))?;
    Ok(text.to_owned())
}
