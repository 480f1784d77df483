//! `claudevil similar`: the tool, with code that may come from standard input.

use std::io::Read;
use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::tools::find_similar::FindSimilar;

use super::terminal::Terminal;
use super::{Failure, tool};

pub async fn run(
    mut params: FindSimilar,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    if params.code.as_deref() == Some("-") {
        params.code = Some(read_input()?);
    }
    tool::run(params, paths, terminal).await
}

/// Reads little more than the limit: code that is too long is refused by the checks of parameters.
fn read_input() -> Result<String, Failure> {
    let mut code = String::new();
    let most = FindSimilar::LONGEST_CODE as u64 * 4 + 1;
    std::io::stdin().take(most).read_to_string(&mut code)?;
    Ok(code.trim_end().to_owned())
}
