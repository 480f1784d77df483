//! `claudevil mcp`: becomes `claudevil-mcp`, which takes less memory for as long as a session lasts.

use std::process::{Command, ExitCode};

use claudevil_protocol::{ErrorCode, ToolError};

use super::Failure;

/// Runs the program beside this one, with the arguments after `mcp`, which have been checked.
pub fn run() -> Result<ExitCode, Failure> {
    let name = format!("claudevil-mcp{}", std::env::consts::EXE_SUFFIX);
    let program = std::env::current_exe()?
        .canonicalize()?
        .with_file_name(name);
    if !program.is_file() {
        let message = format!("{} is missing", program.display());
        return Err(ToolError::new(ErrorCode::Internal, message)
            .with_hint("reinstall")
            .into());
    }
    let arguments = std::env::args_os().skip_while(|word| word != "mcp").skip(1);
    start(Command::new(&program).args(arguments))
}

/// Replaces this process by another program.
#[cfg(unix)]
pub(super) fn start(command: &mut Command) -> Result<ExitCode, Failure> {
    use std::os::unix::process::CommandExt;
    // Returns only on failure.
    Err(command.exec().into())
}

/// Runs another program, and returns its exit code.
#[cfg(not(unix))]
pub(super) fn start(command: &mut Command) -> Result<ExitCode, Failure> {
    let ended = command.status()?;
    Ok(ended
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .map_or(ExitCode::FAILURE, ExitCode::from))
}
