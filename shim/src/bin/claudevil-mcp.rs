//! The MCP server that editors start.

use std::process::ExitCode;

use clap::Parser;
use claudevil_shim::mcp::{Arguments, run};
use claudevil_shim::on_one_thread;

fn main() -> anyhow::Result<ExitCode> {
    on_one_thread(run(Arguments::parse()))?
}
