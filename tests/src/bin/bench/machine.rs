//! The machine that figures were measured on, in words.

use std::fs;

use claudevil_tests::binaries;
use serde_json::{Value, json};

pub struct Machine {
    pub cores: usize,
    pub processor: String,
    /// In bytes.
    pub memory: u64,
    /// How many processes wanted to run in the last minute, before anything was measured.
    pub load: String,
    /// Which build was measured: the name of the binaries' folder.
    pub build: String,
}

impl Machine {
    pub fn this() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let value = |text: &str, key: &str| {
            let line = text.lines().find(|line| line.starts_with(key)).unwrap_or_default();
            line.split_once(':').map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
        };
        let kilobytes = value(&read("/proc/meminfo"), "MemTotal");
        let kilobytes: u64 = kilobytes.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or_default();
        let folder = binaries::directory();
        Self {
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            processor: value(&read("/proc/cpuinfo"), "model name"),
            memory: kilobytes * 1024,
            load: read("/proc/loadavg").split(' ').next().unwrap_or_default().to_owned(),
            build: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    pub fn text(&self) -> String {
        let Self { cores, processor, memory, load, build } = self;
        format!("{cores} cores of {processor}, {} GB, load {load} before; {build} binaries", memory.div_ceil(1 << 30))
    }

    pub fn json(&self) -> Value {
        json!({
            "cores": self.cores,
            "processor": self.processor,
            "memory_bytes": self.memory,
            "load_before": self.load,
            "build": self.build,
        })
    }
}
