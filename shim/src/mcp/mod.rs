//! `claudevil-mcp`: an MCP server on standard input and output that has no knowledge of its own.
//!
//! Each call is translated into one call of the daemon. `initialize` and all lists are answered without it, so that an
//! editor never waits for a start; standard output carries protocol and nothing else.

mod arguments;
mod complete;
mod offer;
mod prompts;
mod reply;
mod resources;
mod server;
mod session;
mod transport;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use claudevil_protocol::client::{Client, Launch};
use claudevil_protocol::paths::Paths;
use rmcp::ServiceExt;

use crate::project;
use offer::{Offer, ToolsetName};
use reply::Extras;
use server::Shim;
use session::Session;
use transport::StdioTransport;

/// Time limit for answers that are under way when the client leaves.
const LAST_ANSWERS: Duration = Duration::from_millis(300);

pub const EXAMPLES: &str = "\
Examples:
  claudevil mcp                        the tools that most sessions need
  claudevil mcp --toolsets all         all of them
  claudevil mcp --root ~/code/project  for a client that names no project";

/// MCP server for claudevil: code intelligence shared by all editor sessions of a user.
///
/// Editors start this; it speaks MCP on standard input and output and starts claudevil's daemon when it is first
/// needed. To try it by hand, use `claudevil`.
#[derive(Parser)]
#[command(name = "claudevil-mcp", version)]
pub struct Arguments {
    /// Project to use when the client names none (a folder, or the name of a known root)
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Answer about the project of --root alone: calls about any other are refused, whatever the client's workspace is
    #[arg(long, requires = "root")]
    only_root: bool,
    /// Sets of tools to offer
    #[arg(
        long,
        value_name = "SET",
        value_delimiter = ',',
        default_value = "core"
    )]
    toolsets: Vec<ToolsetName>,
    /// Offer exactly these tools instead of sets
    #[arg(long, value_name = "TOOL", value_delimiter = ',', conflicts_with = "toolsets", value_parser = offer::tool_name)]
    tools: Vec<String>,
    /// Offer only tools that change nothing
    #[arg(long)]
    read_only: bool,
    #[command(flatten)]
    extras: Extras,
}

/// Serves until the client closes standard input.
pub async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let client = Client::new(Paths::discover()?, Launch::WhenMissing);
    let only_root = arguments
        .root
        .as_deref()
        .filter(|_| arguments.only_root)
        .map(named_root)
        .transpose()?;
    let client = client.confined_to(only_root.clone());
    let offer = Offer::new(&arguments.toolsets, &arguments.tools, arguments.read_only);
    let session = Session::new(
        arguments.root,
        only_root,
        client.paths().user_home().to_owned(),
    );
    let shim = Shim::new(client, offer, arguments.extras, session);
    let (input, output) = rmcp::transport::io::stdio_pipes();
    let (transport, ended) = StdioTransport::new(input, output);
    // A client that leaves before or after the handshake has its reasons; either way there is nothing left to do.
    if let Ok(running) = Box::pin(shim.serve(transport)).await {
        let cut_off = async {
            ended.notified().await;
            tokio::time::sleep(LAST_ANSWERS).await;
        };
        tokio::select! {
            finished = running.waiting() => drop(finished?),
            () = cut_off => {}
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the path or name of a root, as the daemon takes it.
fn named_root(root: &Path) -> anyhow::Result<String> {
    let root = project::absolute_unless_name(root);
    root.to_str()
        .map(str::to_owned)
        .with_context(|| format!("{} is not UTF-8", root.display()))
}
