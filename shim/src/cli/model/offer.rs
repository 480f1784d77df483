//! Offers to install `claudevil-vectors` where a model needs it.
//!
//! Nothing is installed unless a person says so at a terminal: everybody else gets the command.

use std::io;
use std::process::{Command, ExitStatus};

use claudevil_protocol::{ErrorCode, ToolError};

use crate::cli::Failure;
use crate::cli::installer::{self, Installer};
use crate::cli::terminal::Terminal;

const MISSING: &str = "claudevil-vectors, which runs transformers and stores vectors, is not installed beside claudevil";

/// Says how to install the program that other models than the built-in one need.
pub fn missing_vectors() -> String {
    format!(
        "{MISSING}. To install it: {}",
        Installer::here().vectors_command()
    )
}

/// Installs the program if a person wants that; else says how to. An installation that fails is an error, because the model
/// cannot be used without it.
pub fn offer_vectors(terminal: &mut Terminal) -> Result<(), Failure> {
    let installer = Installer::here();
    let can_ask = !terminal.json && Terminal::can_ask();
    match ask_and_install(installer, can_ask, Terminal::prompt, run)? {
        Outcome::Installed if installer::has_vectors() => terminal.note("claudevil-vectors is installed"),
        // The copy that runs is not the one that was changed.
        Outcome::Installed => terminal.note(
            "claudevil-vectors is installed, but not beside the claudevil that runs now: start the installed one",
        ),
        Outcome::Refused => terminal.note(missing_vectors()),
        Outcome::Failed(why) => {
            let command = installer.vectors_command();
            let error = ToolError::new(ErrorCode::Internal, format!("`{command}` failed: {why}"));
            let error = error.with_hint("the configuration was not changed; install claudevil-vectors by hand and try again");
            return Err(error.into());
        }
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Installed,
    Refused,
    Failed(String),
}

/// Asks whether to run the installer's command, and runs it.
fn ask_and_install(
    installer: Installer,
    can_ask: bool,
    ask: impl FnOnce(&str) -> io::Result<Option<String>>,
    run: impl FnOnce(&str) -> io::Result<ExitStatus>,
) -> io::Result<Outcome> {
    if !can_ask || !installer.has_vectors_command() {
        return Ok(Outcome::Refused);
    }
    let command = installer.vectors_command();
    let reply = ask(&format!("{MISSING}.\nInstall it with `{command}`? [y/N]"))?;
    if !matches!(reply.as_deref(), Some("y" | "yes")) {
        return Ok(Outcome::Refused);
    }
    Ok(match run(command) {
        Ok(status) if status.success() => Outcome::Installed,
        Ok(status) => Outcome::Failed(status.to_string()),
        Err(error) => Outcome::Failed(error.to_string()),
    })
}

/// Runs a command line of ours, with the terminal: it may ask for a password.
fn run(command: &str) -> io::Result<ExitStatus> {
    let (shell, option) = if cfg!(windows) {
        ("cmd", "/C")
    } else {
        ("sh", "-c")
    };
    Command::new(shell).args([option, command]).status()
}

#[cfg(all(test, unix))]
mod tests {
    use std::cell::RefCell;
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn the_command_runs_only_if_a_person_wants_it() {
        for (installer, can_ask, reply, code, expected, is_run) in [
            (Installer::Npm, true, Some("y"), 0, Outcome::Installed, true),
            (
                Installer::Pipx,
                true,
                Some("yes"),
                0,
                Outcome::Installed,
                true,
            ),
            (
                Installer::Npm,
                true,
                Some("y"),
                3,
                Outcome::Failed("exit status: 3".to_owned()),
                true,
            ),
            (Installer::Npm, true, Some(""), 0, Outcome::Refused, false),
            (Installer::Npm, true, None, 0, Outcome::Refused, false),
            (Installer::Npm, false, Some("y"), 0, Outcome::Refused, false),
            // There is no command that does it from any folder.
            (
                Installer::Files,
                true,
                Some("y"),
                0,
                Outcome::Refused,
                false,
            ),
            (
                Installer::Build,
                true,
                Some("y"),
                0,
                Outcome::Refused,
                false,
            ),
        ] {
            let ran = RefCell::new(vec![]);
            let outcome = ask_and_install(
                installer,
                can_ask,
                |question| {
                    assert!(question.contains(installer.vectors_command()), "{question}");
                    Ok(reply.map(str::to_owned))
                },
                |command| {
                    ran.borrow_mut().push(command.to_owned());
                    Ok(ExitStatus::from_raw(code << 8))
                },
            );
            assert_eq!(outcome.expect("asked"), expected, "{installer:?}");
            let expected = if is_run {
                vec![installer.vectors_command().to_owned()]
            } else {
                vec![]
            };
            assert_eq!(ran.into_inner(), expected, "{installer:?}");
        }
    }
}
