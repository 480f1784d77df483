//! The machine that figures were measured on, in words.

use std::fs;

use claudevil_tests::binaries;
use serde_json::{Value, json};

pub struct Machine {
    pub cores: usize,
    pub processor: String,
    /// In bytes.
    pub memory: u64,
    /// Number of processes that wanted to run in the last minute, before anything was measured.
    pub load: String,
    /// The measured build: the name of the binaries' folder.
    pub build: String,
    /// Before anything was measured.
    times: Times,
}

/// Time that all processors were at work, and time that others on the same hardware took from them.
#[derive(Clone, Copy, Default)]
struct Times {
    busy: u64,
    stolen: u64,
}

impl Times {
    fn now() -> Self {
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        let line = stat.lines().next().unwrap_or_default();
        let all: Vec<u64> = line
            .split_ascii_whitespace()
            .skip(1)
            .map(|time| time.parse().unwrap_or_default())
            .collect();
        let [user, nice, system, _, _, interrupts, soft, stolen, ..] = all[..] else {
            return Self::default();
        };
        Self {
            busy: user + nice + system + interrupts + soft,
            stolen,
        }
    }

    /// Returns the time that was stolen since, in percent of the time that was wanted.
    fn stolen_since(self) -> u64 {
        let now = Self::now();
        let (busy, stolen) = (
            now.busy.saturating_sub(self.busy),
            now.stolen.saturating_sub(self.stolen),
        );
        stolen * 100 / (busy + stolen).max(1)
    }
}

impl Machine {
    pub fn this() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let value = |text: &str, key: &str| {
            let line = text
                .lines()
                .find(|line| line.starts_with(key))
                .unwrap_or_default();
            line.split_once(':')
                .map(|(_, value)| value.trim().to_owned())
                .unwrap_or_default()
        };
        let kilobytes = value(&read("/proc/meminfo"), "MemTotal");
        let kilobytes: u64 = kilobytes
            .split(' ')
            .next()
            .and_then(|number| number.parse().ok())
            .unwrap_or_default();
        let folder = binaries::directory();
        Self {
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            processor: value(&read("/proc/cpuinfo"), "model name"),
            memory: kilobytes * 1024,
            load: read("/proc/loadavg")
                .split(' ')
                .next()
                .unwrap_or_default()
                .to_owned(),
            build: folder
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            times: Times::now(),
        }
    }

    /// Describes the machine. To be called once everything is measured.
    pub fn text(&self) -> String {
        let Self {
            cores,
            processor,
            memory,
            load,
            build,
            times,
        } = self;
        let (memory, stolen) = (memory.div_ceil(1 << 30), times.stolen_since());
        format!(
            "{cores} cores of {processor}, {memory} GB, load {load} before, {stolen} % of its time taken by others; \
             {build} binaries"
        )
    }

    pub fn json(&self) -> Value {
        json!({
            "cores": self.cores,
            "processor": self.processor,
            "memory_bytes": self.memory,
            "load_before": self.load,
            "percent_stolen": self.times.stolen_since(),
            "build": self.build,
        })
    }
}
