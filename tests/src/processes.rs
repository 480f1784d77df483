//! Processes as the system knows them: who started whom, what memory they take, and when they end.

use std::fs;
use std::time::Duration;

/// Memory of one process, in kilobytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    pub resident: u64,
    /// The part of `resident` that no file backs: heap and stacks.
    pub anonymous: u64,
}

/// Returns the memory of a process; zeroes if it has ended.
#[cfg(target_os = "linux")]
pub fn memory(pid: u32) -> Memory {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let field = |name: &str| {
        let line = rollup
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap_or_default();
        line.split_whitespace()
            .nth(1)
            .and_then(|number| number.parse().ok())
            .unwrap_or_default()
    };
    Memory {
        resident: field("Rss:"),
        anonymous: field("Anonymous:"),
    }
}

/// Returns the children of a process, whichever of its threads started them.
#[cfg(target_os = "linux")]
pub fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let lists =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace()
                .filter_map(|pid| pid.parse().ok())
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Returns whether a process runs this subcommand, such as `worker` or `vectors`.
#[cfg(target_os = "linux")]
pub fn runs(pid: u32, subcommand: &str) -> bool {
    let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    command
        .split(|byte| *byte == 0)
        .nth(1)
        .is_some_and(|word| word == subcommand.as_bytes())
}

/// Returns the bytes that a process has read from files and pipes.
#[cfg(target_os = "linux")]
pub fn bytes_read(pid: u32) -> u64 {
    let io = fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
    io.lines()
        .find_map(|line| line.strip_prefix("rchar: ")?.parse().ok())
        .unwrap_or_default()
}

/// Returns the processor time that a process and its threads have taken, without its children.
#[cfg(target_os = "linux")]
pub fn processor_time(pid: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name in parentheses may have spaces. After it, user and system time are the 12th and 13th fields.
    let fields = stat
        .rsplit_once(')')
        .map_or("", |(_, fields)| fields)
        .split_whitespace();
    let ticks: u64 = fields
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second())
}

/// Waits until a process has ended. Returns false if it still runs after `bound`.
#[cfg(target_os = "linux")]
pub async fn ends(pid: u32, bound: Duration) -> bool {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use tokio::io::unix::AsyncFd;

    let pid = i32::try_from(pid)
        .ok()
        .and_then(Pid::from_raw)
        .expect("a process id");
    // A process that has not been waited for still has an id; its descriptor is readable at once.
    let Ok(descriptor) = pidfd_open(pid, PidfdFlags::empty()) else {
        return true;
    };
    #[expect(
        deprecated,
        reason = "what it is replaced by is unsafe; this descriptor is owned, so it stays open"
    )]
    let descriptor = AsyncFd::with_interest(descriptor, tokio::io::Interest::READABLE)
        .expect("it can be polled");
    tokio::time::timeout(bound, descriptor.readable())
        .await
        .is_ok()
}
