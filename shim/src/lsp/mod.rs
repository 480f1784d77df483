//! `claudevil-lsp`: a language server on standard input and output that has no knowledge of its own.
//!
//! Each request is translated into questions to the daemon, and their answers into ranges. `initialize` is answered
//! without it. The texts of open documents are kept here, because the daemon may be restarted, and sent to it before
//! the next question.

mod buffer;
mod capabilities;
mod client_process;
mod convert;
mod documents;
mod folders;
mod message;
mod progress;
mod requests;
mod server;
mod session;
mod transport;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use claudevil_protocol::client::{Client, Launch};
use claudevil_protocol::paths::Paths;

/// Language server for claudevil: navigation from the index that all editor sessions of a user share.
///
/// Editors start this; it speaks the Language Server Protocol on standard input and output and starts claudevil's
/// daemon when it is first needed.
#[derive(Parser)]
#[command(name = "claudevil-lsp", version)]
pub struct Arguments {
    /// Project to use when the client names no workspace folder (a folder, or the name of a known root)
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Accepted because editors pass it: standard input and output are the only transport
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Serves until the client says `exit`, closes standard input, or is gone.
pub async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let client = Client::new(Paths::discover()?, Launch::WhenMissing);
    Ok(server::serve(client, arguments.root).await)
}
