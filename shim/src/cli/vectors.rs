//! `claudevil vectors`: the vectors that a team shares. The daemon does all of the work: a person who stops waiting does not
//! stop it.

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use claudevil_protocol::call::Progress;
use claudevil_protocol::client::{CallOptions, Client, Launch};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::sharing::{SharingAction, SharingReport, SharingRequest};
use claudevil_protocol::text::quantity::{bytes, count, grouped};

use super::progress::Bar;
use super::terminal::{BAD, FAINT, STRONG, Terminal, WARN, paint};
use super::{Failure, RootOption, ask, exit};

pub const EXAMPLES: &str = "\
A team embeds once: vectors of a transformer are read from a bucket or a folder that config.toml names, and \
only what nobody has is made. The daemon reads and adds them by itself; docs/shared-vectors.md says how to set it up.

Examples:
  claudevil vectors status                  where they are, and how many were reused instead of made
  claudevil vectors push --root . --wait    index, embed and add a whole project, as a CI job does
  claudevil vectors pull                    read now what the team has and this machine lacks
  claudevil vectors gc --older-than 90      remove what is old and in no project here, and compact the table";

#[derive(clap::Subcommand)]
pub enum Command {
    /// Add the vectors of a project that the team does not have
    Push(Transfer),
    /// Read the vectors of a project that are missing here
    Pull(Transfer),
    /// Show where shared vectors are, and what was read and added
    Status,
    /// Remove old vectors and duplicates, and merge small files
    Gc {
        #[command(flatten)]
        root: RootOption,
        /// Minimum age in days of vectors to remove, if no project on this machine has them
        #[arg(long, value_name = "DAYS", default_value_t = 90)]
        older_than: u32,
    },
}

#[derive(clap::Args)]
pub struct Transfer {
    #[command(flatten)]
    root: RootOption,
    /// Wait until the project is indexed and every part of it has a vector
    #[arg(long)]
    wait: bool,
}

pub async fn run(
    command: Command,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let (action, root, wait) = match command {
        Command::Push(transfer) => (SharingAction::Push, transfer.root.root, transfer.wait),
        Command::Pull(transfer) => (SharingAction::Pull, transfer.root.root, transfer.wait),
        Command::Status => (SharingAction::Status, None, false),
        Command::Gc { root, older_than } => {
            let days = older_than;
            (SharingAction::Collect { days }, root.root, false)
        }
    };
    let report = follow(SharingRequest { action, wait }, root.as_deref(), paths).await?;
    if terminal.json {
        terminal.json(&report)?;
    } else {
        show(action, &report, terminal)?;
    }
    let is_unset = report.location.is_none() || report.unused.is_some();
    Ok(exit::failed_if(is_unset && action != SharingAction::Status))
}

/// Repeats the call until the work is done: embedding a large project may take longer than a call.
async fn follow(
    request: SharingRequest,
    root: Option<&Path>,
    paths: Paths,
) -> Result<SharingReport, Failure> {
    let project = ask::project_of(root, &paths);
    let client = Client::new(paths, Launch::WhenMissing);
    let bar = Mutex::new(Bar::new());
    let drawn = || bar.lock().unwrap_or_else(PoisonError::into_inner);
    let mut moved = 0;
    loop {
        let report = |progress: Progress| drawn().report(&progress);
        let options = CallOptions {
            project: project.clone(),
            progress: Some(Box::new(report)),
        };
        let asked = Box::pin(client.share_vectors(options, request)).await;
        drawn().clear();
        let report = asked?;
        moved += report.moved;
        if report.is_complete || !request.wait {
            return Ok(SharingReport { moved, ..report });
        }
    }
}

fn show(
    action: SharingAction,
    report: &SharingReport,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let Some(location) = &report.location else {
        terminal.line("no vectors are shared: config.toml has no `[vectors]` with `shared`")?;
        return Ok(());
    };
    let access = if report.read_only { "  read only" } else { "" };
    terminal.line(format_args!(
        "{}{}",
        paint(STRONG, location),
        paint(FAINT, access)
    ))?;
    if let Some(reason) = &report.unused {
        terminal.paragraph(4, paint(WARN, format_args!("not used: {reason}")))?;
        return Ok(());
    }
    if let Some(model) = &report.model {
        terminal.line(format_args!("    model {model}"))?;
    }
    if let Some(table) = &report.table {
        terminal.line(format_args!(
            "    {} in {}",
            count(table.vectors, "vector"),
            count(table.files, "file")
        ))?;
        if table.unreadable_files > 0 {
            terminal.line(paint(
                WARN,
                format_args!(
                    "    {} cannot be read",
                    count(table.unreadable_files, "file")
                ),
            ))?;
        }
    }
    match action {
        SharingAction::Push => {
            terminal.line(format_args!("    {} added", count(report.moved, "vector")))?;
        }
        SharingAction::Pull => {
            terminal.line(format_args!("    {} read", count(report.moved, "vector")))?;
        }
        SharingAction::Status | SharingAction::Collect { .. } => {}
    }
    if let Some(done) = &report.collected {
        terminal.line(format_args!(
            "    {} removed, {} of {} left, {} freed",
            count(done.removed, "vector"),
            done.files_after,
            count(done.files_before, "file"),
            bytes(done.freed_bytes)
        ))?;
    }
    let of = report.root.as_deref().unwrap_or("the loaded projects");
    terminal.line(format_args!(
        "    {} of {} of {of} have a vector",
        grouped(report.vectors),
        count(report.chunks, "chunk")
    ))?;
    terminal.line(format_args!(
        "    since the daemon started: {} read, {} computed here, {} added, {} to be added",
        grouped(report.read),
        grouped(report.made),
        grouped(report.added),
        grouped(report.pending)
    ))?;
    if report.refused > 0 {
        let refused = count(report.refused, "vector");
        terminal.line(paint(
            WARN,
            format_args!("    {refused} damaged or forged, and computed here instead"),
        ))?;
    }
    if report.left_out > 0 {
        let left_out = count(report.left_out, "vector");
        let words =
            format!("    {left_out} could not be added: `claudevil vectors push` tries again");
        terminal.line(paint(WARN, words))?;
    }
    if let Some(why) = &report.trouble {
        terminal.paragraph(4, paint(BAD, format_args!("error: {why}")))?;
    }
    Ok(())
}
