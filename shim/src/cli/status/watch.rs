//! `claudevil status --watch`: the daemon's work as it happens. Redrawn in place on a terminal; in a pipe one block for each
//! change, or one JSON object per line.
//!
//! Only the first request starts a daemon: one that was stopped meanwhile stays stopped, and the view says so.

use std::io;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use claudevil_protocol::ErrorCode;
use claudevil_protocol::answer::freshness::IndexProgress;
use claudevil_protocol::answer::freshness::{progress, rate};
use claudevil_protocol::call::Project;
use claudevil_protocol::client::{CallOptions, Client, Launch};
use claudevil_protocol::json;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::one_line;
use claudevil_protocol::text::quantity::{bytes, count, duration, grouped};
use claudevil_protocol::tools::index_status::{Health, IndexStatus, RootStatus, Savings, Status};

#[cfg(unix)]
use super::keys::Keys;
use super::{describe, health};
use crate::cli::Failure;
use crate::cli::terminal::{FAINT, Terminal, WARN, paint};

/// Interval between requests.
const PAUSE: Duration = Duration::from_secs(1);
const BAR: usize = 24;

pub async fn run(
    paths: Paths,
    project: Option<Project>,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let is_drawn = Terminal::is_interactive() && !terminal.json;
    let mut end = End::new()?;
    if is_drawn {
        end.take_keys();
    }
    let first = Client::new(paths.clone(), Launch::WhenMissing);
    let mut seen = tokio::select! {
        seen = look(&first, project.as_ref()) => Some(seen?),
        () = end.reached() => return Ok(ExitCode::SUCCESS),
    };
    drop(first);
    if is_drawn {
        terminal.cursor(false)?;
    }
    let client = Client::new(paths, Launch::Never);
    let mut view = View {
        is_drawn,
        ..View::default()
    };
    let done = loop {
        if let Err(error) = view.show(seen, terminal) {
            break Err(error.into());
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = end.reached() => break Ok(()),
        }
        seen = tokio::select! {
            seen = look(&client, project.as_ref()) => match seen {
                Ok(status) => Some(status),
                Err(Failure::Tool(error)) if error.code == ErrorCode::DaemonUnreachable => None,
                Err(error) => break Err(error),
            },
            () = end.reached() => break Ok(()),
        };
    };
    // Whatever happened, the terminal is left as it was found.
    if is_drawn {
        terminal.cursor(true)?;
    }
    done.map(|()| ExitCode::SUCCESS)
}

async fn look(client: &Client, project: Option<&Project>) -> Result<Status, Failure> {
    let root = project.map(|project| project.root.clone());
    let params = IndexStatus {
        root,
        detailed: Some(true),
        ..IndexStatus::default()
    };
    // Boxed because it is as large as the largest call.
    Ok(Box::pin(client.ask(
        CallOptions {
            project: project.cloned(),
            progress: None,
        },
        params,
    ))
    .await?)
}

#[derive(Default)]
struct View {
    is_drawn: bool,
    /// Lines on the screen.
    above: usize,
    /// The number of answers at the last request, and its time.
    answered: Option<(u64, Instant)>,
    /// The text last written to a pipe.
    written: Option<String>,
}

impl View {
    fn show(&mut self, seen: Option<Status>, terminal: &mut Terminal) -> io::Result<()> {
        let Some(status) = seen else {
            self.answered = None;
            let gone = "the daemon is not running; the next question starts it";
            if terminal.json {
                return self.write("gone", r#"{"running":false}"#, terminal);
            }
            return self.put("gone", &[paint(WARN, gone)], terminal);
        };
        let key = key(&status);
        if terminal.json {
            return self.write(&key, &json::write(&status), terminal);
        }
        let calls: u64 = status
            .roots
            .iter()
            .filter_map(|root| root.savings)
            .map(|savings| savings.calls)
            .sum();
        let answers = self
            .answered
            .replace((calls, Instant::now()))
            .and_then(|(before, at)| per_second(before, calls, at));
        self.put(&key, &lines(&status, answers), terminal)
    }

    fn put(&mut self, key: &str, lines: &[String], terminal: &mut Terminal) -> io::Result<()> {
        if self.is_drawn {
            self.above = terminal.redraw(self.above, lines)?;
            return Ok(());
        }
        let between = if self.written.is_some() { "\n" } else { "" };
        self.write(key, &format!("{between}{}", lines.join("\n")), terminal)
    }

    /// Writes to a pipe, if something has changed.
    fn write(&mut self, key: &str, text: &str, terminal: &mut Terminal) -> io::Result<()> {
        if self.written.as_deref() == Some(key) {
            return Ok(());
        }
        self.written = Some(key.to_owned());
        terminal.line(text)
    }
}

/// Returns the status without the values that change by themselves, such as the clock and the memory.
fn key(status: &Status) -> String {
    let roots = status.roots.iter().map(|root| {
        let index = root
            .index
            .as_ref()
            .map(|index| (index.files, index.symbols, index.vectors));
        let done = root
            .progress
            .as_ref()
            .map(|progress| (progress.phase.as_str(), progress.done, progress.total));
        let calls = root.savings.map(|savings| savings.calls);
        format!(
            "{:?}",
            (
                &root.path,
                root.state,
                &root.unavailable,
                done,
                index,
                root.watch,
                &root.trouble,
                calls
            )
        )
    });
    format!(
        "{:?} {} {:?}",
        status.health,
        status.daemon.pid,
        roots.collect::<Vec<_>>()
    )
}

fn lines(status: &Status, answers: Option<f64>) -> Vec<String> {
    let daemon = &status.daemon;
    let up = paint(
        FAINT,
        format_args!("up {}", duration(status.now - daemon.started)),
    );
    let mut lines = vec![format!(
        "claudevil {} pid {}  {}  {up}",
        daemon.build,
        daemon.pid,
        health(status.health)
    )];
    let mut busy = vec![];
    busy.extend(
        status
            .details
            .as_ref()
            .and_then(|details| details.memory_bytes)
            .map(|memory| format!("memory {}", bytes(memory))),
    );
    let waiting = status
        .roots
        .iter()
        .filter_map(|root| root.progress.as_ref())
        .map(left)
        .sum();
    busy.push(format!("queue {}", count(waiting, "file")));
    busy.push(format!(
        "{} in flight",
        count(u64::from(daemon.calls_in_flight), "call")
    ));
    // The view's own connection is not counted.
    busy.push(count(
        u64::from(daemon.connections.saturating_sub(1)),
        "other connection",
    ));
    lines.push(paint(FAINT, busy.join(", ")));
    for part in status
        .parts
        .iter()
        .filter(|part| part.health != Health::Healthy)
    {
        lines.push(format!(
            "{} {}  {}",
            part.name,
            health(part.health),
            one_line(&part.detail)
        ));
    }
    if status.roots.is_empty() {
        lines.push(paint(
            FAINT,
            "no projects yet: the first question about one adds it",
        ));
    }
    for root in &status.roots {
        lines.push(describe(root));
        lines.extend(
            describe_work(root)
                .into_iter()
                .map(|line| format!("    {line}")),
        );
    }
    lines.extend(describe_answers(&status.roots, answers).map(|line| paint(FAINT, line)));
    lines
}

/// Describes the current work on a root.
fn describe_work(root: &RootStatus) -> Vec<String> {
    let mut lines: Vec<_> = root
        .progress
        .iter()
        .map(|done| format!("{} {}", bar(done), progress(done)))
        .collect();
    lines.extend(
        root.trouble
            .iter()
            .map(|why| paint(WARN, format_args!("behind: {}", one_line(why)))),
    );
    lines
}

fn bar(progress: &IndexProgress) -> String {
    let total = progress.total.max(1);
    let filled = usize::try_from(progress.done.min(total) * BAR as u64 / total).unwrap_or(BAR);
    format!("[{}{}]", "#".repeat(filled), ".".repeat(BAR - filled))
}

fn left(progress: &IndexProgress) -> u64 {
    progress.total.saturating_sub(progress.done)
}

/// Describes the answers given for all roots, and their rate.
fn describe_answers(roots: &[RootStatus], answers: Option<f64>) -> Option<String> {
    let savings = roots
        .iter()
        .filter_map(|root| root.savings)
        .reduce(|one, other| Savings {
            calls: one.calls + other.calls,
            tokens: one.tokens + other.tokens,
            whole_tokens: one.whole_tokens + other.whole_tokens,
            since: one.since.min(other.since),
        })?;
    let mut line = format!("{} answered", count(savings.calls, "question"));
    if let Some(answers) = answers {
        line = format!("{line}, {} a second", rate(answers));
    }
    line = format!("{line}; about {} tokens", grouped(savings.tokens));
    Some(match savings.percent_less() {
        Some(less) => format!("{line}, {less}% less than the files shown"),
        None => line,
    })
}

fn per_second(before: u64, now: u64, since: Instant) -> Option<f64> {
    let answers = u32::try_from(now.checked_sub(before)?).ok()?;
    Some(f64::from(answers) / since.elapsed().as_secs_f64().max(0.001))
}

/// The key that ends the view, as it ends pagers.
#[cfg(unix)]
const QUIT: u8 = b'q';

/// The end of the view: by q or Ctrl-C, or by a signal of the system.
struct End {
    #[cfg(unix)]
    terminated: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupted: tokio::signal::unix::Signal,
    #[cfg(unix)]
    keys: Option<Keys>,
}

impl End {
    #[cfg(unix)]
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let [terminated, interrupted] = [
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
        ];
        Ok(Self {
            terminated,
            interrupted,
            keys: None,
        })
    }

    /// Lets a key end the view, too.
    #[cfg(unix)]
    fn take_keys(&mut self) {
        self.keys = Keys::watch(QUIT);
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "elsewhere it is used")]
    fn take_keys(&mut self) {}

    #[cfg(unix)]
    async fn reached(&mut self) {
        let Self {
            terminated,
            interrupted,
            keys,
        } = self;
        let pressed = async {
            match keys {
                Some(keys) => keys.pressed().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
            () = pressed => {}
        }
    }

    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "elsewhere it is used")]
    async fn reached(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::answer::freshness::IndexPhase;

    use super::*;

    #[test]
    fn bars_fill_and_queues_empty() {
        let at = |done, total| IndexProgress {
            phase: IndexPhase::Extracting,
            done,
            total,
            rate: 0.0,
            eta_seconds: None,
        };
        assert_eq!(bar(&at(0, 0)), format!("[{}]", ".".repeat(24)));
        assert_eq!(
            bar(&at(50, 100)),
            format!("[{}{}]", "#".repeat(12), ".".repeat(12))
        );
        assert_eq!(bar(&at(900, 100)), format!("[{}]", "#".repeat(24)));
        assert_eq!((left(&at(30, 100)), left(&at(100, 30))), (70, 0));
    }

    #[test]
    fn rates_are_of_the_time_between_two_looks() {
        let before = Instant::now()
            .checked_sub(Duration::from_secs(2))
            .expect("it has run for long enough");
        assert!(per_second(10, 20, before).is_some_and(|rate| rate > 4.5 && rate <= 5.0));
        assert!(per_second(20, 10, before).is_none(), "another daemon");
    }
}
