//! Long answers in a pager. An answer is held back until it fills the screen; a shorter one, and one that the pager could not
//! show, is printed as it is.

use std::io::{self, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use claudevil_protocol::environment;

use super::size::{self, Size};

/// A variable that takes precedence over `PAGER`, which other programs read too.
pub const VARIABLE: &str = "CLAUDEVIL_PAGER";
/// The options with which git starts `less`: it ends if a screen is enough, shows colours, leaves the text on the
/// screen.
const LESS_OPTIONS: &str = "FRX";

/// Set while a pager has the screen: nothing else may draw on it then.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

pub fn is_shown() -> bool {
    IS_SHOWN.load(Ordering::Relaxed)
}

pub struct Pager {
    command: String,
    size: Size,
    /// All of the answer so far.
    held: String,
    rows: usize,
    running: Option<PagerProcess>,
}

struct PagerProcess {
    child: Child,
    input: ChildStdin,
    /// Ctrl-C is the pager's while it runs.
    #[cfg(unix)]
    _interrupts: Option<tokio::signal::unix::Signal>,
}

/// The result of writing a piece of an answer.
pub enum PagerWrite {
    /// Held back, or in the pager.
    Accepted,
    /// There is no pager after all: this is all that was held.
    Returned(String),
}

impl Pager {
    /// Returns a pager for the terminal, if there is one and it is wanted.
    pub fn new() -> Option<Self> {
        let size = size::output_size()?;
        let command =
            command(|name| environment::variable(name).and_then(|value| value.into_string().ok()))?;
        Some(Self {
            command,
            size,
            held: String::new(),
            rows: 0,
            running: None,
        })
    }

    /// Takes a piece of the answer, which ends with a line.
    pub fn take(&mut self, text: &str) -> io::Result<PagerWrite> {
        self.held.push_str(text);
        if let Some(running) = &mut self.running {
            let written = running.input.write_all(text.as_bytes());
            return self.finish_write(written);
        }
        self.rows += text
            .lines()
            .map(|line| size::rows(line, self.size))
            .sum::<usize>();
        // One row is for the prompt.
        if self.rows < self.size.rows {
            return Ok(PagerWrite::Accepted);
        }
        match start(&self.command) {
            Ok(mut running) => {
                IS_SHOWN.store(true, Ordering::Relaxed);
                let written = running.input.write_all(self.held.as_bytes());
                self.running = Some(running);
                self.finish_write(written)
            }
            Err(_) => Ok(PagerWrite::Returned(std::mem::take(&mut self.held))),
        }
    }

    /// Handles the result of a write to the pager. A pager that no longer reads was left by the person, or has never shown
    /// anything.
    fn finish_write(&mut self, written: io::Result<()>) -> io::Result<PagerWrite> {
        let Err(error) = written else {
            return Ok(PagerWrite::Accepted);
        };
        let ended = self.running.take().map(PagerProcess::end).transpose()?;
        let held = std::mem::take(&mut self.held);
        if ended.is_some_and(has_failed) {
            Ok(PagerWrite::Returned(held))
        } else {
            Err(error)
        }
    }

    /// Waits for the pager, if there is one. Returns the text that is still to be shown.
    pub fn finish(self) -> io::Result<String> {
        let ended = self.running.map(PagerProcess::end).transpose()?;
        Ok(if ended.is_none_or(has_failed) {
            self.held
        } else {
            String::new()
        })
    }
}

impl PagerProcess {
    /// Waits until the person leaves the pager.
    fn end(self) -> io::Result<ExitStatus> {
        let Self {
            mut child, input, ..
        } = self;
        drop(input);
        let ended = child.wait();
        IS_SHOWN.store(false, Ordering::Relaxed);
        ended
    }
}

/// Returns whether a pager could not do its work: it does not exist, or reports an error. A pager that was ended by a
/// signal has been seen; shells report that as codes above 128.
fn has_failed(ended: ExitStatus) -> bool {
    ended.code().is_some_and(|code| (1..=128).contains(&code))
}

fn start(command: &str) -> io::Result<PagerProcess> {
    // A pager is a shell command, which may have options.
    let mut shell = Command::new(if cfg!(windows) { "cmd" } else { "sh" });
    shell
        .args([if cfg!(windows) { "/C" } else { "-c" }, command])
        .stdin(Stdio::piped());
    if environment::variable("LESS").is_none() {
        shell.env("LESS", LESS_OPTIONS);
    }
    #[cfg(unix)]
    let interrupts = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt()).ok();
    let mut child = shell.spawn()?;
    let input = child
        .stdin
        .take()
        .ok_or_else(|| io::Error::other("no standard input"))?;
    Ok(PagerProcess {
        child,
        input,
        #[cfg(unix)]
        _interrupts: interrupts,
    })
}

/// Returns the command of the pager; `None` if there is none, or if it would only pass the text on.
fn command(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let chosen = variable(VARIABLE).or_else(|| variable("PAGER"));
    if let Some(chosen) = chosen {
        return (!["", "cat"].contains(&chosen.trim())).then_some(chosen);
    }
    if variable("TERM").is_none_or(|terminal| terminal == "dumb") {
        return None;
    }
    let path = variable("PATH")?;
    std::env::split_paths(&path)
        .any(|folder| folder.join("less").is_file())
        .then(|| "less".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pager_is_ours_then_everybody_s_then_less() {
        let set = |pairs: &'static [(&str, &str)]| {
            move |name: &str| {
                pairs
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, value)| (*value).to_owned())
            }
        };
        let both: &[_] = &[(VARIABLE, "most -s"), ("PAGER", "more")];
        assert_eq!(command(set(both)).as_deref(), Some("most -s"));
        assert_eq!(command(set(&[("PAGER", "more")])).as_deref(), Some("more"));
        assert_eq!(command(set(&[("PAGER", "more"), (VARIABLE, "cat")])), None);
        assert_eq!(
            command(set(&[("TERM", "dumb"), ("PATH", "/usr/bin:/bin")])),
            None
        );
        assert_eq!(
            command(set(&[("TERM", "xterm"), ("PATH", "/nowhere")])),
            None
        );
    }
}
