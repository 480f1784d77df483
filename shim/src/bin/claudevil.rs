//! The command line for people and scripts.

use std::process::ExitCode;

use clap::Parser;
use claudevil_shim::cli::{Arguments, run};
use claudevil_shim::on_one_thread;

fn main() -> anyhow::Result<ExitCode> {
    Ok(on_one_thread(run(Arguments::parse()))?)
}
