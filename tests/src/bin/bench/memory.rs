//! Memory of processes, as the system counts it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use claudevil_tests::processes::{children, runs};

const SAMPLE: Duration = Duration::from_millis(20);

/// Returns the bytes in memory. Zero for a process that has ended.
pub fn resident(pid: u32) -> u64 {
    field(pid, "VmRSS:")
}

/// Returns the most bytes that a process has had in memory.
pub fn most_resident(pid: u32) -> u64 {
    field(pid, "VmHWM:")
}

/// Returns the bytes in memory, with shared memory divided among the processes that share it.
pub fn proportional(pid: u32) -> u64 {
    field_of(&format!("/proc/{pid}/smaps_rollup"), "Pss:")
}

/// Returns the bytes in memory that no file backs, so that no other process can use them.
pub fn anonymous(pid: u32) -> u64 {
    field_of(&format!("/proc/{pid}/smaps_rollup"), "Anonymous:")
}

fn field(pid: u32, name: &str) -> u64 {
    field_of(&format!("/proc/{pid}/status"), name)
}

fn field_of(file: &str, name: &str) -> u64 {
    let status = std::fs::read_to_string(file).unwrap_or_default();
    let line = status
        .lines()
        .find(|line| line.starts_with(name))
        .unwrap_or_default();
    line.split_whitespace()
        .nth(1)
        .and_then(|number| number.parse::<u64>().ok())
        .unwrap_or_default()
        * 1024
}

/// Samples a daemon and its workers until it is stopped.
pub struct Sampler {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Peaks>,
}

/// Peaks of memory, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Peaks {
    pub daemon: u64,
    /// The largest single worker.
    pub worker: u64,
    /// The daemon and all its processes at one moment.
    pub together: u64,
}

impl Sampler {
    pub fn start(daemon: u32) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut peaks = Peaks::default();
            while !stopped.load(Ordering::Relaxed) {
                let own = resident(daemon);
                let (vectors, workers): (Vec<u32>, Vec<u32>) = children(daemon)
                    .into_iter()
                    .partition(|pid| runs(*pid, "store"));
                let [vectors, workers] = [vectors, workers]
                    .map(|pids| pids.into_iter().map(resident).collect::<Vec<u64>>());
                peaks.daemon = peaks.daemon.max(own);
                peaks.worker = peaks
                    .worker
                    .max(workers.iter().copied().max().unwrap_or_default());
                peaks.together = peaks
                    .together
                    .max(own + workers.iter().chain(&vectors).sum::<u64>());
                std::thread::park_timeout(SAMPLE);
            }
            // For the daemon, the system knows the peak between two samples too.
            peaks.daemon = peaks.daemon.max(most_resident(daemon));
            peaks
        });
        Self { stop, thread }
    }

    pub fn stop(self) -> Peaks {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        self.thread.join().expect("it samples")
    }
}
