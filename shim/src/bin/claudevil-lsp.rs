//! The language server that editors start.

use std::process::ExitCode;

use clap::Parser;
use claudevil_shim::lsp::{Arguments, run};

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    // One thread: a shim mostly waits, and there may be many of them.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let code = runtime.block_on(run(arguments));
    // A blocked read of standard input cannot be cancelled, and must not keep the process alive.
    runtime.shutdown_background();
    code
}
