//! `claudevil roots`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use claudevil_protocol::ToolError;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::one_line;
use claudevil_protocol::text::quantity::bytes;
use claudevil_protocol::tools::manage_roots::{
    ManageRoots, RootAction, RootEntry, RootList, RootOutcome,
};

use super::terminal::{FAINT, STRONG, Terminal, WARN, paint};
use super::{Failure, ask, exit};
use crate::project::absolute_unless_name;

pub const EXAMPLES: &str = "\
Examples:
  claudevil roots list                           the projects that are known
  claudevil roots add ~/src/engine --name core   under a name of your own
  claudevil roots add . --exclude 'vendor/**'    without some of its files
  claudevil roots remove core                    forget it, and delete its index

Projects are added by themselves when they are first asked about.";

#[derive(clap::Subcommand)]
pub enum Command {
    /// List the known projects
    List,
    /// Make a project known, or change how it is known
    ///
    /// Projects are added by themselves when they are first asked about; this names them or narrows them.
    Add {
        /// Folder [default: the repository around the working directory]
        path: Option<PathBuf>,
        /// Short name: letters, digits, - and _
        #[arg(long)]
        name: Option<String>,
        /// Take only what matches; may be given several times
        #[arg(long, value_name = "GLOB")]
        include: Vec<String>,
        /// Leave out what matches, besides what git ignores; may be given several times
        #[arg(long, value_name = "GLOB")]
        exclude: Vec<String>,
        /// Size of chunks of text that has no symbols
        #[arg(long, value_name = "100-2000")]
        chunk_size: Option<u32>,
        /// Overlap of such chunks
        #[arg(long, value_name = "0-500")]
        overlap: Option<u32>,
    },
    /// Forget a project and delete its index; its files are not touched
    Remove {
        /// Name or folder of a known project
        root: PathBuf,
        /// Do not ask
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
        Command::Add {
            path,
            name,
            include,
            exclude,
            chunk_size,
            overlap,
        } => ManageRoots {
            action: RootAction::Add,
            path: path
                .map(|path| text_of(&std::path::absolute(path)?))
                .transpose()?,
            name,
            include: (!include.is_empty()).then_some(include),
            exclude: (!exclude.is_empty()).then_some(exclude),
            chunk_size,
            overlap,
            ..ManageRoots::default()
        },
        Command::Remove { root, yes } => {
            let root = text_of(&absolute_unless_name(&root))?;
            // What is not known is refused by the daemon, and needs no answer before.
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
        show(&list, terminal)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(list: &RootList, terminal: &mut Terminal) -> Result<(), Failure> {
    let subject = list.subject.as_ref().map(describe).unwrap_or_default();
    match list.outcome {
        RootOutcome::Listed if list.roots.is_empty() => {
            terminal
                .note("no projects yet: ask something inside one, or `claudevil roots add DIR`");
        }
        RootOutcome::Listed => {
            for root in &list.roots {
                terminal.paragraph(4, describe(root))?;
            }
        }
        RootOutcome::Added => terminal.line(format_args!("added {subject}"))?,
        RootOutcome::Updated => terminal.line(format_args!("updated {subject}"))?,
        RootOutcome::Unchanged => terminal.line(format_args!("already known: {subject}"))?,
        RootOutcome::Removed => {
            let freed = bytes(list.freed_bytes.unwrap_or(0));
            terminal.line(format_args!(
                "removed {subject}; freed {freed}; its files are untouched"
            ))?;
        }
    }
    Ok(())
}

fn describe(root: &RootEntry) -> String {
    let mut line = format!("{}  {}", paint(STRONG, &root.name), one_line(&root.path));
    for (label, globs) in [("include", &root.include), ("exclude", &root.exclude)] {
        if !globs.is_empty() {
            line = format!(
                "{line}  {}",
                paint(FAINT, format_args!("{label} {}", globs.join(" ")))
            );
        }
    }
    if let Some(why) = &root.unavailable {
        line = format!(
            "{line}  {}",
            paint(WARN, format_args!("unavailable: {why}"))
        );
    }
    line
}

/// By the rules of the daemon: a name, a path, or what a path leads to.
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
        return Err(ToolError::invalid_argument("nobody is there to be asked")
            .with_hint("add --yes")
            .into());
    }
    let answer = Terminal::asked(&format!("Forget {root} and delete its index? [y/N]"))?;
    Ok(matches!(answer.as_deref(), Some("y" | "yes")))
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let text = path
        .to_str()
        .ok_or_else(|| ToolError::invalid_argument(format!("{} is not UTF-8", path.display())))?;
    Ok(text.to_owned())
}
