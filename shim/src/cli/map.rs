//! `claudevil map`: the map of a project as text, or as a page for a browser.

use std::path::PathBuf;
use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::map_code::MapCode;

use super::page;
use super::terminal::{FAINT, Terminal};
use super::tool::{self, read_command_line};
use super::{Failure, ask};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    params: MapCode,
    /// Write a page for a browser to a file: the map to search and expand, with its source
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Open the page
    #[arg(long)]
    open: bool,
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let Arguments {
        mut params,
        html,
        open,
    } = arguments;
    let budget = params.max_tokens;
    let root = read_command_line(&mut params);
    let map = ask::ask(paths.clone(), root.as_deref(), params).await?;
    if html.is_none() && !open {
        tool::print::<MapCode>(&map, budget, terminal)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut page = page::map_page(&map);
    page::add_sources(&mut page, &map.root, paths).await;
    let file = page::write_page(&page.html(), html)?;
    if open {
        page::open_in_viewer(&file)?;
    }
    if terminal.json {
        terminal.json(&map)?;
    } else {
        terminal.about(&map.root, &map.freshness);
        terminal.line(file.display())?;
        terminal.remark(MapCode::NAME, FAINT, &map.summary());
    }
    Ok(ExitCode::SUCCESS)
}
