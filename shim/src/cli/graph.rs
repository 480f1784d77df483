//! `claudevil graph`: calls as a list, as the source of a diagram, as an SVG image, or as a page for a browser.

mod layout;
pub mod svg;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use claudevil_protocol::error::at;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::get_call_graph::{CallGraph, GetCallGraph, GraphFormat};

use super::page;
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
    /// Write a page for a browser to a file: the graph to pan, search and expand, with its source
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    html: Option<PathBuf>,
    /// Open the page, or the picture of --svg
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
        html,
        open,
    } = arguments;
    let root = read_target(&mut params);
    let graph = ask::ask(paths.clone(), root.as_deref(), params.clone()).await?;
    let mut files = vec![];
    if let Some(file) = svg {
        std::fs::write(&file, svg::draw(&graph)).map_err(|error| at(&file, &error))?;
        files.push(file);
    }
    if html.is_some() || open && files.is_empty() {
        let page = make_page(&graph, params, root.as_deref(), paths).await?;
        files.push(page::write_page(&page.html(), html)?);
    }
    if let (Some(file), true) = (files.last(), open) {
        page::open_in_viewer(file)?;
    }
    if terminal.json {
        terminal.json(&graph)?;
    } else {
        print(&graph, &files, terminal)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes a page that shows a graph, with more levels of it to expand.
async fn make_page(
    graph: &CallGraph,
    mut params: GetCallGraph,
    root: Option<&Path>,
    paths: Paths,
) -> Result<page::Page, Failure> {
    let depth = page::page_depth(graph.depth);
    let mut page = if depth > graph.depth {
        params.depth = Some(depth);
        let wider = ask::ask(paths.clone(), root, params).await?;
        page::call_graph_page(&wider, graph.depth)
    } else {
        page::call_graph_page(graph, graph.depth)
    };
    page::add_sources(&mut page, &graph.root, paths).await;
    Ok(page)
}

/// Completes the parameters as other commands do. The name of a file means all of that file; anything else is a symbol.
fn read_target(params: &mut GetCallGraph) -> Option<PathBuf> {
    let is_file = |name: &mut String| match &params.root {
        Some(root) => Path::new(root).join(name).is_file(),
        None => Path::new(name).is_file(),
    };
    params.path = params.symbol.take_if(is_file);
    read_command_line(params)
}

fn print(graph: &CallGraph, files: &[PathBuf], terminal: &mut Terminal) -> Result<(), Failure> {
    if !files.is_empty() {
        terminal.about(&graph.root, &graph.freshness);
        for file in files {
            terminal.line(file.display())?;
        }
        terminal.remark(GetCallGraph::NAME, FAINT, &graph.summary());
        return Ok(());
    }
    if graph.format != GraphFormat::Text {
        terminal.freshness(&graph.freshness);
    }
    terminal.answer::<GetCallGraph>(graph)?;
    Ok(())
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
        let (one, other) = (
            page::write_aside(&svg::draw(&graph), "svg"),
            page::write_aside("", "svg"),
        );
        let (one, other) = (one.expect("a file"), other.expect("a file"));
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
