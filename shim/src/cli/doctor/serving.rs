//! Checks of the daemon and of each project. Only a daemon that runs is asked.

use std::path::Path;

use claudevil_protocol::client::{CallOptions, Client, Launch};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::CliCommand;
use claudevil_protocol::text::quantity::count;
use claudevil_protocol::tools::index_status::{
    Health, IndexStatus, Part, RootState, RootStatus, Status, WatchMode,
};
use claudevil_protocol::version::BUILD;

use super::Finding;
use crate::project;

/// Projects that are named one by one.
const MAX_NAMED: usize = 5;

pub async fn all(paths: &Paths, running: bool) -> Vec<Finding> {
    const CHECK: &str = "daemon";
    if !running {
        return vec![Finding::good(
            CHECK,
            "not running; the next question starts it",
        )];
    }
    let client = Client::new(paths.clone(), Launch::Never);
    let status = match client
        .ask(CallOptions::default(), IndexStatus::default())
        .await
    {
        Ok(status) => status,
        Err(error) => {
            return vec![Finding::problem(
                CHECK,
                error.message.to_string(),
                "claudevil daemon restart --force",
            )];
        }
    };
    let mut findings = vec![if status.daemon.build == BUILD {
        Finding::good(CHECK, format!("build {} answers", status.daemon.build))
    } else {
        let detail = format!("build {} serves, this is {BUILD}", status.daemon.build);
        Finding::warning(CHECK, detail, "claudevil daemon restart")
    }];
    findings.extend(parts(&status));
    findings.push(roots(&status));
    findings
}

fn parts(status: &Status) -> Vec<Finding> {
    let lame: Vec<_> = status
        .parts
        .iter()
        .filter(|part| part.health != Health::Healthy)
        .collect();
    if lame.is_empty() {
        return vec![Finding::good(
            "stores",
            format!(
                "{} work",
                status.parts.iter().map(name).collect::<Vec<_>>().join(", ")
            ),
        )];
    }
    lame.into_iter().map(lame_part).collect()
}

fn name(part: &Part) -> &str {
    &part.name
}

fn lame_part(part: &Part) -> Finding {
    let (logs, restart) = (CliCommand::DaemonLogs, CliCommand::DaemonRestart);
    let remedy = match part.name.as_str() {
        "registry" => {
            "nothing to do: projects come back when they are asked about; the damaged file may be deleted".to_owned()
        }
        "vectors" => format!("searches use words alone meanwhile; {logs} has the reason"),
        "model" => format!(
            "{} shows the models, docs/models.md what a model needs; or use the built-in one: {}",
            CliCommand::ModelList,
            CliCommand::ModelUseStatic
        ),
        "settings" => {
            format!("unset the variable, or set the key in config.toml instead; then: {restart}")
        }
        "watcher" => {
            format!("projects are polled for changes meanwhile; to watch them again: {restart}")
        }
        _ => format!("look at {logs}"),
    };
    Finding::warning("stores", format!("{}: {}", part.name, part.detail), remedy)
}

/// Reports the worst problem of the projects.
fn roots(status: &Status) -> Finding {
    const CHECK: &str = "projects";
    let named = |roots: &[&RootStatus]| {
        let names: Vec<_> = roots
            .iter()
            .take(MAX_NAMED)
            .map(|root| root.name.as_str())
            .collect();
        let more = roots.len().saturating_sub(names.len());
        if more > 0 {
            format!("{} and {more} more", names.join(", "))
        } else {
            names.join(", ")
        }
    };
    let those = |is: fn(&RootStatus) -> bool| {
        status
            .roots
            .iter()
            .filter(|root| is(root))
            .collect::<Vec<_>>()
    };
    let behind = those(|root| root.trouble.is_some());
    if let Some(why) = behind.first().and_then(|root| root.trouble.as_ref()) {
        let detail = format!("{} cannot be stored: {why}", named(&behind));
        return Finding::problem(
            CHECK,
            detail,
            format!(
                "free some space on the disk, or look at {}",
                CliCommand::DaemonLogs
            ),
        );
    }
    let empty = those(|root| {
        root.state == RootState::Ready && root.index.as_ref().is_some_and(|index| index.files == 0)
    });
    if !empty.is_empty() {
        let detail = format!(
            "{}: no file is indexed; all are ignored, left out or skipped",
            named(&empty)
        );
        let remedy = format!(
            "look at .gitignore, .claudevilignore and {}; {} counts what is skipped",
            CliCommand::RootsList,
            CliCommand::Status
        );
        return Finding::warning(CHECK, detail, remedy);
    }
    let away = those(|root| root.unavailable.is_some());
    if let Some(first) = away.first() {
        let why = first.unavailable.as_deref().unwrap_or_default();
        let detail = format!("{} cannot be used: {why}", named(&away));
        let remedy = format!(
            "bring the folder back, or: claudevil roots remove {}",
            first.name
        );
        return Finding::warning(CHECK, detail, remedy);
    }
    let polled = those(|root| root.watch == WatchMode::Polling);
    if let Some(why) = polled.first().and_then(|root| root.watch_reason.as_ref()) {
        let detail = format!(
            "{} is not watched, only polled for changes: {why}",
            named(&polled)
        );
        return Finding::warning(
            CHECK,
            detail,
            "see docs/troubleshooting.md; or: claudevil reindex --wait",
        );
    }
    Finding::good(
        CHECK,
        format!("{}, all in order", count(status.total_roots, "project")),
    )
}

/// Checks that the working directory can be a project.
pub fn here(paths: &Paths) -> Option<Finding> {
    const CHECK: &str = "here";
    let project = project::process_project(None, paths.user_home())?;
    let folder = Path::new(&project.root);
    let home = paths.user_home();
    let why = if folder.parent().is_none() {
        "the root of the file system"
    } else if folder == home {
        "your home directory"
    } else if home.starts_with(folder) {
        "above your home directory"
    } else {
        return Some(Finding::good(
            CHECK,
            format!("questions are about {}", folder.display()),
        ));
    };
    let detail = format!("{} is {why}, which is never a project", folder.display());
    Some(Finding::warning(
        CHECK,
        detail,
        "go into a project, or name one: --root DIR",
    ))
}
