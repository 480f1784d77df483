//! `claudevil graph`: calls as a list, as the source of a picture, or as a picture.

mod layout;
mod svg;

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use claudevil_protocol::answer::Answer;
use claudevil_protocol::error::at;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::get_call_graph::text::head;
use claudevil_protocol::tools::get_call_graph::{
    CallDirection, CallGraph, GetCallGraph, GraphFormat,
};

use super::target::{Named, Target};
use super::terminal::{FAINT, Terminal, paint};
use super::{Failure, ask};

pub const EXAMPLES: &str = "\
Examples:
  claudevil graph Engine::run                     who calls it and what it calls, two levels each way
  claudevil graph src/engine.rs --open            all of a file, as a picture
  claudevil graph main -d callees --depth 4 --svg main.svg
  claudevil graph main --format mermaid           to be pasted into a page";

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    target: Target,
    /// Which calls to follow
    #[arg(short, long, default_value = "both")]
    direction: Direction,
    /// How many levels of calls to follow
    #[arg(long, value_name = "1-5", default_value_t = GetCallGraph::DEFAULT_DEPTH)]
    depth: u32,
    /// How to print it
    #[arg(long, default_value = "text", conflicts_with_all = ["svg", "open"])]
    format: Printed,
    /// Write a picture to a file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draw a picture and show it
    #[arg(long)]
    open: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Direction {
    Both,
    /// Who calls it
    Callers,
    /// What it calls
    Callees,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Printed {
    Text,
    Mermaid,
    Dot,
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let Named {
        symbol,
        path,
        line,
        context_file,
    } = named(&arguments.target);
    let params = GetCallGraph {
        symbol,
        path,
        line,
        context_file,
        direction: Some(match arguments.direction {
            Direction::Both => CallDirection::Both,
            Direction::Callers => CallDirection::Callers,
            Direction::Callees => CallDirection::Callees,
        }),
        depth: Some(arguments.depth),
        max_tokens: Some(MOST_TOKENS),
        format: Some(match arguments.format {
            Printed::Text => GraphFormat::Text,
            Printed::Mermaid => GraphFormat::Mermaid,
            Printed::Dot => GraphFormat::Dot,
        }),
        ..GetCallGraph::default()
    };
    let graph = ask::ask(paths, arguments.target.root.root.as_deref(), params).await?;
    let picture = match &arguments.svg {
        Some(file) => {
            std::fs::write(file, svg::draw(&graph)).map_err(|error| at(file, &error))?;
            Some(file.clone())
        }
        None if arguments.open => Some(write_aside(&svg::draw(&graph))?),
        None => None,
    };
    if let (Some(file), true) = (&picture, arguments.open) {
        show_picture(file)?;
    }
    if terminal.json {
        terminal.json(&graph)?;
    } else {
        print(&graph, picture.as_deref(), terminal)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A name that is a file here means all of it.
fn named(target: &Target) -> Named {
    let named = target.named();
    let is_file = |name: &String| match &target.root.root {
        Some(root) => root.join(name).is_file(),
        None => Path::new(name).is_file(),
    };
    match named.symbol {
        Some(name) if is_file(&name) => Named {
            symbol: None,
            path: Some(target.root.path(&name)),
            ..named
        },
        symbol => Named { symbol, ..named },
    }
}

fn print(
    graph: &CallGraph,
    picture: Option<&Path>,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    terminal.about(&graph.root, &graph.freshness);
    if let Some(file) = picture {
        terminal.line(file.display())?;
        terminal.note(paint(FAINT, head(graph)));
        return Ok(());
    }
    for line in graph.text().to_string().lines() {
        match graph.format {
            GraphFormat::Mermaid | GraphFormat::Dot => terminal.line(line)?,
            _ => terminal.row(line)?,
        }
    }
    Ok(())
}

/// Into a file of its own that nobody else can have put there.
fn write_aside(svg: &str) -> Result<PathBuf, Failure> {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos();
    let file = std::env::temp_dir().join(format!(
        "claudevil-graph-{}-{since}.svg",
        std::process::id()
    ));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(&file)
        .and_then(|mut made| made.write_all(svg.as_bytes()))
        .map_err(|error| at(&file, &error))?;
    Ok(file)
}

/// With whatever shows pictures here. It goes on by itself.
fn show_picture(file: &Path) -> io::Result<()> {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("explorer", &[])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    match command.spawn() {
        Ok(_) => Ok(()),
        Err(error) => Err(io::Error::new(
            error.kind(),
            format!("{program} cannot show {}: {error}", file.display()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::RootOption;

    #[test]
    fn a_file_is_told_from_a_symbol() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.rs"), "").expect("a file");
        let target = |symbol: &str| Target {
            symbol: symbol.to_owned(),
            context_file: None,
            root: RootOption {
                root: Some(folder.path().to_owned()),
            },
        };
        assert_eq!(named(&target("a.rs")).path.as_deref(), Some("a.rs"));
        assert_eq!(named(&target("a.rs:7")).line, Some(7));
        assert_eq!(named(&target("b.rs")).symbol.as_deref(), Some("b.rs"));
    }

    #[test]
    fn a_picture_goes_into_a_file_of_its_own() {
        let graph = svg::tests::sample(&["main", "run"], &[]);
        let (one, other) = (write_aside(&svg::draw(&graph)), write_aside(""));
        let (one, other) = (one.ok().expect("a file"), other.ok().expect("a file"));
        assert_ne!(one, other);
        assert!(
            std::fs::read_to_string(&one)
                .expect("a picture")
                .starts_with("<svg ")
        );
        for file in [one, other] {
            std::fs::remove_file(file).expect("ours");
        }
    }
}
