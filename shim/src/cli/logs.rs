//! `claudevil daemon logs`: the end of the newest log, and what is added to it.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use claudevil_protocol::error::at;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::{ErrorCode, ToolError};

use super::Failure;
use super::terminal::Terminal;

/// Interval between reads of a followed log.
const LOOK: Duration = Duration::from_millis(250);

#[derive(clap::Args)]
pub struct Arguments {
    /// Follow the log as it grows
    #[arg(short, long)]
    follow: bool,
    /// Number of lines to show first
    #[arg(short = 'n', long, default_value_t = 50)]
    lines: usize,
}

pub async fn run(
    arguments: Arguments,
    paths: &Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let directory = paths.logs();
    let Some(mut log) = newest(&directory)? else {
        return Err(ToolError::new(
            ErrorCode::FileNotFound,
            format!("no logs in {}", directory.display()),
        )
        .with_hint("the daemon writes one when it runs: claudevil daemon start")
        .into());
    };
    let mut reader = BufReader::new(opened(&log)?);
    let mut last = VecDeque::new();
    while let Some(line) = next_line(&mut reader, arguments.follow)? {
        last.push_back(line);
        if last.len() > arguments.lines {
            last.pop_front();
        }
    }
    for line in last {
        show(terminal, &line)?;
    }
    if !arguments.follow {
        return Ok(ExitCode::SUCCESS);
    }
    loop {
        while let Some(line) = next_line(&mut reader, true)? {
            show(terminal, &line)?;
        }
        tokio::time::sleep(LOOK).await;
        if let Some(newer) = newest(&directory)?.filter(|newer| *newer != log) {
            reader = BufReader::new(opened(&newer)?);
            log = newer;
        }
    }
}

fn opened(log: &Path) -> io::Result<File> {
    File::open(log).map_err(|error| at(log, &error))
}

/// Returns the next line, if there is one. The last line of a log that is followed is read only once it has its end.
fn next_line(reader: &mut (impl BufRead + Seek), follow: bool) -> io::Result<Option<String>> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    if follow && !line.ends_with('\n') {
        reader.seek(SeekFrom::Current(-i64::try_from(line.len()).unwrap_or(0)))?;
        return Ok(None);
    }
    Ok((!line.is_empty()).then(|| line.trim_end().to_owned()))
}

/// Prints a line of the log, as text or as JSON.
fn show(terminal: &mut Terminal, line: &str) -> io::Result<()> {
    if terminal.json {
        terminal.line(serde_json::json!({ "line": line }))
    } else {
        terminal.line(line)
    }
}

/// Returns the newest log file. Log files have their date in their name.
fn newest(directory: &Path) -> io::Result<Option<PathBuf>> {
    match fs::read_dir(directory) {
        Ok(entries) => Ok(entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
            .max()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(directory, &error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_followed_log_is_shown_once_it_is_whole() {
        let mut log = io::Cursor::new(b"started\nlisten".to_vec());
        let mut next = |follow| next_line(&mut log, follow).expect("a line");
        assert_eq!(next(true).as_deref(), Some("started"));
        assert_eq!(next(true), None);
        log.get_mut().extend(b"ing\nstop");
        let mut next = |follow| next_line(&mut log, follow).expect("a line");
        assert_eq!(next(true).as_deref(), Some("listening"));
        assert_eq!(next(true), None);
        assert_eq!(next(false).as_deref(), Some("stop"));
        assert_eq!(next(false), None);
    }
}
