//! Starts this program once more, for work that is better done in a process of its own.
//!
//! Nothing else is ever started by the daemon. **Invariant:** what is started is this build, and ends with its pipes.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// The program that runs, with a subcommand: without variables, with a pipe for each stream.
#[expect(clippy::disallowed_methods, reason = "the one program that the daemon starts: itself")]
pub fn command(verb: &str) -> io::Result<Command> {
    // By what is running, not by its name: an upgrade may have put another build in its place.
    let own = Path::new("/proc/self/exe");
    let program = if own.exists() { own.to_owned() } else { std::env::current_exe()? };
    let mut command = Command::new(program);
    command.arg(verb).env_clear().current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A Ctrl-C at the terminal is for the daemon, which ends its own.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Ok(command)
}
