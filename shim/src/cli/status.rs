//! `claudevil status`.

use std::path::PathBuf;
use std::process::ExitCode;

use claudevil_protocol::model::index_status::{Health, IndexStatus, RootStatus, Status};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::one_line;
use claudevil_protocol::text::quantity::{bytes, count, duration};

use super::terminal::{BAD, FAINT, GOOD, STRONG, Terminal, WARN, paint};
use super::{Failure, ask, exit};

#[derive(clap::Args)]
pub struct Arguments {
    /// Only this project: a folder, or the name of a known root
    root: Option<PathBuf>,
    /// Add versions, tools, and the configuration with the source of each value
    #[arg(short, long)]
    detailed: bool,
}

pub async fn run(arguments: Arguments, paths: Paths, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
    let project = arguments.root.as_deref().and_then(|root| ask::project_of(Some(root), &paths));
    let params = IndexStatus {
        root: project.as_ref().map(|project| project.root.clone()),
        detailed: Some(arguments.detailed),
        ..IndexStatus::default()
    };
    let status = ask::ask_about(paths, project, params).await?;
    if terminal.json {
        terminal.json(&status)?;
    } else {
        show(&status, terminal)?;
    }
    Ok(if status.health == Health::Unhealthy { ExitCode::from(exit::FAILED) } else { ExitCode::SUCCESS })
}

fn show(status: &Status, terminal: &mut Terminal) -> Result<(), Failure> {
    terminal.line(format_args!("{}  {}", health(status.health), count(status.total_roots, "project")))?;
    for root in &status.roots {
        terminal.line(describe(root, status.now))?;
    }
    for part in &status.parts {
        let facts = format!("{} µs  {}", part.latency_micros, part.detail);
        terminal.line(format_args!("{:<9} {}  {}", part.name, health(part.health), paint(FAINT, facts)))?;
    }
    let daemon = &status.daemon;
    let connections = count(u64::from(daemon.connections), "connection");
    terminal.line(format_args!(
        "daemon    {} pid {}  {}",
        daemon.build,
        daemon.pid,
        paint(FAINT, format_args!("{connections}, logs in {}", daemon.log_directory))
    ))?;
    if let Some(details) = &status.details {
        let protocol = format!("{}-{}", daemon.oldest_protocol, daemon.newest_protocol);
        terminal
            .line(format_args!("protocol  {protocol}, index format {}, {}", details.index_format, details.compiler))?;
        let free = details.free_bytes.map(|free| format!(", {} free", bytes(free))).unwrap_or_default();
        let memory = details.memory_bytes.map(|memory| format!(", memory {}", bytes(memory))).unwrap_or_default();
        terminal.line(format_args!("disk      {} used{free}{memory}", bytes(details.bytes_on_disk)))?;
        terminal.line(format_args!("tools     {}", details.tools.join(" ")))?;
        for setting in &details.settings {
            let source = paint(FAINT, format_args!("({})", setting.source));
            terminal.line(format_args!("{} = {} {source}", setting.key, setting.value))?;
        }
        for warning in &details.warnings {
            terminal.line(paint(WARN, format_args!("warning: {warning}")))?;
        }
    }
    Ok(())
}

fn describe(root: &RootStatus, now: i64) -> String {
    let head = format!("{}  {}", paint(STRONG, &root.name), one_line(&root.path));
    if let Some(why) = &root.unavailable {
        return format!("{head}  {}", paint(WARN, format_args!("unavailable: {why}")));
    }
    let Some(walk) = &root.walk else {
        return format!("{head}  {}", paint(FAINT, "not walked yet"));
    };
    let languages: Vec<_> =
        walk.languages.iter().take(4).map(|one| format!("{} {}", one.language, one.files)).collect();
    let changed = walk.last_change.map(|at| format!(", changed {} ago", duration(now - at))).unwrap_or_default();
    let age = if now - walk.at > 1000 { format!(", as of {} ago", duration(now - walk.at)) } else { String::new() };
    let facts = format!("{}, {}{changed}{age}  {}", count(walk.files, "file"), bytes(walk.bytes), languages.join(", "));
    format!("{head}  {}", paint(FAINT, facts))
}

fn health(health: Health) -> String {
    let style = match health {
        Health::Healthy => GOOD,
        Health::Degraded => WARN,
        Health::Unhealthy => BAD,
    };
    paint(style, health.as_str())
}
