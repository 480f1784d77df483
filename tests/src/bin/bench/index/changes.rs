//! Time until a change can be found: one file edited, and a branch switched.

use std::time::{Duration, Instant};

use claudevil_protocol::tools::find_symbol::SymbolMatch;
use claudevil_protocol::tools::index_status::RootState;

use super::daemon::Daemon;
use super::project::{Branch, Project, SWITCHED};

/// An edit that cannot be found after this is lost.
const LOST: Duration = Duration::from_secs(30);
/// An incomplete switch is given up after this long without progress.
const SETTLED: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(2);

#[derive(Default)]
pub struct Edits {
    /// From the write to the answer that has it.
    pub visible: Vec<Duration>,
    /// Number of edits whose first question was answered without them.
    pub late: usize,
    /// Files whose edits were never found.
    pub lost: Vec<String>,
    /// The same question with nothing changed.
    pub still: Vec<Duration>,
}

/// Appends a definition to one file after another, and asks for each until it is found.
pub async fn edit(daemon: &Daemon, project: &mut Project, edits: usize) -> Edits {
    let mut measured = Edits::default();
    for number in 0..edits {
        let name = format!("claudevil_edited_{number}");
        let path = project.edit(&name);
        let began = Instant::now();
        let mut asked = 0;
        let found = loop {
            asked += 1;
            if daemon.find(&name, SymbolMatch::Exact).await.is_some() {
                break true;
            }
            if began.elapsed() > LOST {
                break false;
            }
        };
        if found {
            measured.visible.push(began.elapsed());
            measured.late += usize::from(asked > 1);
        } else {
            measured.lost.push(path.display().to_string());
        }
        let began = Instant::now();
        daemon.find(&name, SymbolMatch::Exact).await;
        measured.still.push(began.elapsed());
    }
    measured
}

pub struct Switch {
    pub git: Duration,
    /// From git's end until the index is ready and shows the last file of the branch.
    pub visible: Duration,
    /// Files of the branch that the index shows.
    pub shown: u64,
    /// The longest that a question took meanwhile.
    pub slowest: Duration,
}

pub async fn switch(daemon: &Daemon, project: &Project, to: Branch) -> Switch {
    let wanted = if to == Branch::Other {
        project.switched as u64
    } else {
        0
    };
    let git = project.switch(to).await;
    let began = Instant::now();
    let (mut shown, mut visible, mut slowest) = (None, Duration::ZERO, Duration::ZERO);
    loop {
        let asked = Instant::now();
        let now = daemon
            .find(SWITCHED, SymbolMatch::Prefix)
            .await
            .map_or(0, |found| found.total);
        slowest = slowest.max(asked.elapsed());
        let status = daemon.status().await;
        let branch = status
            .index
            .and_then(|index| index.commit)
            .and_then(|commit| commit.branch);
        let is_there = status.state == RootState::Ready && branch.as_deref() == Some(to.name());
        let seen = Some((now, is_there));
        if seen != shown {
            (shown, visible) = (seen, began.elapsed());
        }
        let is_over = is_there && now == wanted;
        if is_over || visible + SETTLED < began.elapsed() {
            return Switch {
                git,
                visible,
                shown: now,
                slowest,
            };
        }
        tokio::time::sleep(PAUSE).await;
    }
}
