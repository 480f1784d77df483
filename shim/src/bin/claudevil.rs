//! The command line for people and scripts.

use std::process::ExitCode;

use clap::Parser;
use claudevil_shim::cli::{Arguments, run};

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let code = runtime.block_on(run(arguments));
    runtime.shutdown_background();
    Ok(code)
}
