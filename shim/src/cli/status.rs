//! `claudevil status`.

#[cfg(unix)]
mod keys;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use claudevil_protocol::client::{CallOptions, Client, Launch};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::one_line;
use claudevil_protocol::text::quantity::{bytes, count, grouped};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::index_status::{
    AnswerCost, Health, IndexStatus, RootState, RootStatus, Status,
};

use super::terminal::{BAD, FAINT, GOOD, STRONG, Terminal, WARN, paint};
use super::tool::read_command_line;
use super::{Failure, ask, exit};

/// The tools whose costs are shown without `--detailed`.
const FEW_TOOLS: usize = 5;
/// Time limit for the answer to `--brief`: whoever starts a session waits for it.
const BRIEF_TIMEOUT: Duration = Duration::from_millis(500);

#[derive(clap::Args)]
pub struct Arguments {
    /// Only this project: a folder, or the name of a known root
    #[arg(value_name = "ROOT", conflicts_with = "root")]
    project: Option<PathBuf>,
    #[command(flatten)]
    params: IndexStatus,
    /// Keep showing what changes, until q or Ctrl-C
    #[arg(short, long, conflicts_with = "detailed")]
    watch: bool,
    /// Print one line about the project here, for hooks and prompts; nothing if the daemon is not running
    #[arg(long, conflicts_with_all = ["watch", "detailed", "project", "root"])]
    brief: bool,
}

impl Arguments {
    pub fn is_watching(&self) -> bool {
        self.watch
    }
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    if arguments.brief {
        return brief(paths, terminal).await;
    }
    let mut params = arguments.params;
    let named = arguments.project.or(read_command_line(&mut params));
    let project = named
        .as_deref()
        .and_then(|root| ask::project_of(Some(root), &paths));
    if arguments.watch {
        return watch::run(paths, project, terminal).await;
    }
    params.root = project.as_ref().map(|project| project.root.clone());
    // Only used to find the known project around the working directory: a status adds no project.
    let here = ask::project_of(None, &paths)
        .filter(|_| named.is_none())
        .map(|here| here.root);
    let mut status = ask::ask_about(paths, project, params).await?;
    if terminal.json {
        terminal.json(&status)?;
    } else {
        let own = here
            .as_deref()
            .and_then(|here| innermost(status.roots.iter().map(|root| root.path.as_str()), here));
        if let Some(own) = own {
            status.roots[..=own].rotate_right(1);
        }
        show(&status, own.is_some() || status.roots.len() == 1, terminal)?;
    }
    Ok(exit::failed_if(status.health == Health::Unhealthy))
}

/// Prints one line about the project of the working directory. It starts no daemon, and a daemon that does not answer
/// is no error.
async fn brief(paths: Paths, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
    let here = ask::project_of(None, &paths).map(|here| here.root);
    let client = Client::new(paths, Launch::Never);
    let asked = Box::pin(client.ask(CallOptions::default(), IndexStatus::default()));
    let Ok(Ok(status)) = tokio::time::timeout(BRIEF_TIMEOUT, asked).await else {
        return Ok(ExitCode::SUCCESS);
    };
    let paths = status.roots.iter().map(|root| root.path.as_str());
    let own = here.and_then(|here| innermost(paths, &here));
    match own.map(|own| &status.roots[own]) {
        Some(root) => terminal.line(format_args!("claudevil: {}", describe(root)))?,
        None => terminal.line("claudevil: the first question adds this project to the index")?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the innermost root around a folder.
fn innermost<'a>(roots: impl Iterator<Item = &'a str>, folder: &str) -> Option<usize> {
    let is_around = |root: &str| {
        let rest = folder.strip_prefix(root);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
    };
    let around = roots.enumerate().filter(|(_, root)| is_around(root));
    around
        .max_by_key(|(_, root)| root.len())
        .map(|(place, _)| place)
}

fn show(status: &Status, first_in_full: bool, terminal: &mut Terminal) -> Result<(), Failure> {
    terminal.line(format_args!(
        "{}  {}",
        health(status.health),
        count(status.total_roots, "project")
    ))?;
    for (place, root) in status.roots.iter().enumerate() {
        if place > 0 || !first_in_full {
            terminal.row(describe(root))?;
            continue;
        }
        terminal.paragraph(4, describe(root))?;
        for line in root.facts(status.now) {
            let line = terminal.render_line(IndexStatus::NAME, &line);
            terminal.paragraph(6, format_args!("    {}", paint(FAINT, line)))?;
        }
        let most = if status.details.is_some() {
            usize::MAX
        } else {
            FEW_TOOLS
        };
        for row in cost_rows(&root.answer_costs, most) {
            terminal.row(paint(FAINT, row))?;
        }
    }
    if status.roots.len() > 1 {
        terminal.line(paint(
            FAINT,
            "`claudevil status NAME` shows everything about one",
        ))?;
    }
    for part in &status.parts {
        let facts = format!("{} µs  {}", part.latency_micros, part.detail);
        terminal.paragraph(
            10,
            format_args!(
                "{:<9} {}  {}",
                part.name,
                health(part.health),
                paint(FAINT, facts)
            ),
        )?;
    }
    let daemon = &status.daemon;
    let connections = count(u64::from(daemon.connections), "connection");
    let facts = paint(
        FAINT,
        format_args!("{connections}, logs in {}", daemon.log_directory),
    );
    terminal.paragraph(
        10,
        format_args!("daemon    {} pid {}  {facts}", daemon.build, daemon.pid),
    )?;
    if let Some(details) = &status.details {
        let protocol = format!("{}-{}", daemon.oldest_protocol, daemon.newest_protocol);
        let format = details.index_format;
        terminal.paragraph(
            10,
            format_args!(
                "protocol  {protocol}, index format {format}, {}",
                details.compiler
            ),
        )?;
        let free = details
            .free_bytes
            .map(|free| format!(", {} free", bytes(free)))
            .unwrap_or_default();
        let memory = details
            .memory_bytes
            .map(|memory| format!(", memory {}", bytes(memory)))
            .unwrap_or_default();
        terminal.line(format_args!(
            "disk      {} used{free}{memory}",
            bytes(details.bytes_on_disk)
        ))?;
        terminal.paragraph(10, format_args!("tools     {}", details.tools.join(" ")))?;
        for setting in &details.settings {
            let source = paint(FAINT, format_args!("({})", setting.source));
            terminal.paragraph(
                4,
                format_args!("{} = {} {source}", setting.key, setting.value),
            )?;
        }
        for warning in &details.warnings {
            terminal.paragraph(4, paint(WARN, format_args!("warning: {warning}")))?;
        }
    }
    Ok(())
}

/// Returns a table of the tokens that answers put into contexts, for the tools that are used most.
fn cost_rows(costs: &[AnswerCost], most: usize) -> Vec<String> {
    let shown = &costs[..most.min(costs.len())];
    if shown.is_empty() {
        return vec![];
    }
    let row = |tool: &str, answers: &str, p50: &str, p95: &str| {
        format!("    {tool:<22}{p50:>8}{p95:>8}{answers:>9}")
    };
    let mut rows = vec![row("tokens of an answer", "answers", "p50", "p95")];
    rows.extend(shown.iter().map(|cost| {
        row(
            &cost.tool,
            &grouped(cost.calls),
            &grouped(cost.p50),
            &grouped(cost.p95),
        )
    }));
    let left_out = costs.len() - shown.len();
    if left_out > 0 {
        let tools = count(left_out as u64, "more tool");
        rows.push(format!("    {tools} with --detailed"));
    }
    rows
}

fn describe(root: &RootStatus) -> String {
    let style = match root.state {
        RootState::Ready => GOOD,
        RootState::Indexing | RootState::Unavailable => WARN,
        RootState::NeverIndexed | RootState::Unloaded => FAINT,
    };
    let mut state = root.state.as_str().to_owned();
    if let Some(why) = &root.unavailable {
        state = format!("{state}: {}", one_line(why));
    }
    let mut line = format!(
        "{}  {}  {}",
        paint(STRONG, &root.name),
        one_line(&root.path),
        paint(style, state)
    );
    if let Some(index) = &root.index {
        line = format!(
            "{line}  {}, {}",
            count(index.files, "file"),
            count(index.symbols, "symbol")
        );
    }
    let why = root
        .watch_reason
        .as_ref()
        .map(|why| format!(" ({})", one_line(why)))
        .unwrap_or_default();
    format!(
        "{line}  {}",
        paint(FAINT, format_args!("watch: {}{why}", root.watch.as_str()))
    )
}

/// Paints a state of health in its colour.
fn health(health: Health) -> String {
    let style = match health {
        Health::Healthy => GOOD,
        Health::Degraded => WARN,
        Health::Unhealthy => BAD,
    };
    paint(style, health.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_around_the_working_directory_is_the_innermost() {
        let roots = [
            "/home/ada/engine",
            "/home/ada/engine/vendor/lexer",
            "/home/ada/eng",
        ];
        let own = |folder: &str| innermost(roots.into_iter(), folder);
        assert_eq!(own("/home/ada/engine"), Some(0));
        assert_eq!(own("/home/ada/engine/src"), Some(0));
        assert_eq!(own("/home/ada/engine/vendor/lexer"), Some(1));
        assert_eq!(own("/home/ada/engines"), None);
    }
}
