//! `claudevil graph`: calls as a list, as the source of a picture, or as a picture.

mod layout;
mod svg;

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use claudevil_protocol::error::at;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::get_call_graph::{CallGraph, GetCallGraph, GraphFormat};

use super::terminal::{FAINT, Terminal};
use super::tool::read_command_line;
use super::{Failure, ask};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    params: GetCallGraph,
    /// Write a picture to a file
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    svg: Option<PathBuf>,
    /// Draw a picture and show it
    #[arg(long, conflicts_with = "format")]
    open: bool,
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let Arguments {
        mut params,
        svg,
        open,
    } = arguments;
    let root = read_target(&mut params);
    let graph = ask::ask(paths, root.as_deref(), params).await?;
    let picture = match svg {
        Some(file) => {
            std::fs::write(&file, svg::draw(&graph)).map_err(|error| at(&file, &error))?;
            Some(file)
        }
        None if open => Some(write_aside(&svg::draw(&graph))?),
        None => None,
    };
    if let (Some(file), true) = (&picture, open) {
        show_picture(file)?;
    }
    if terminal.json {
        terminal.json(&graph)?;
    } else {
        print(&graph, picture.as_deref(), terminal)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Completes the parameters, as other commands do; the name of a file is all of it, and everything else a symbol.
fn read_target(params: &mut GetCallGraph) -> Option<PathBuf> {
    let is_file = |name: &mut String| match &params.root {
        Some(root) => Path::new(root).join(name).is_file(),
        None => Path::new(name).is_file(),
    };
    params.path = params.symbol.take_if(is_file);
    read_command_line(params)
}

fn print(
    graph: &CallGraph,
    picture: Option<&Path>,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    if let Some(file) = picture {
        terminal.about(&graph.root, &graph.freshness);
        terminal.line(file.display())?;
        terminal.remark(GetCallGraph::NAME, FAINT, &graph.summary());
        return Ok(());
    }
    if graph.format != GraphFormat::Text {
        terminal.freshness(&graph.freshness);
    }
    terminal.answer::<GetCallGraph>(graph)?;
    Ok(())
}

/// Writes a picture to a new file that nobody else can have put there.
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

/// Opens a picture in the system's viewer, which goes on by itself.
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

    #[test]
    fn a_file_is_told_from_a_symbol() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.rs"), "").expect("a file");
        let read = |symbol: &str| {
            let mut params = GetCallGraph {
                symbol: Some(symbol.to_owned()),
                root: folder.path().to_str().map(str::to_owned),
                ..GetCallGraph::default()
            };
            read_target(&mut params);
            params
        };
        assert_eq!(read("a.rs").path.as_deref(), Some("a.rs"));
        assert_eq!(read("a.rs:7").line, Some(7));
        assert_eq!(read("b.rs").symbol.as_deref(), Some("b.rs"));
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
