//! What the daemon itself takes: disk and memory. Looks only at its own directories.

use std::path::Path;

#[expect(clippy::disallowed_methods, reason = "the daemon's own data, not a root's files")]
pub fn bytes_below(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => bytes_below(&entry.path()),
            _ => entry.metadata().map_or(0, |found| found.len()),
        })
        .sum()
}

#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "the system's word about this process, not a root's file")]
pub fn resident_bytes() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let resident: u64 = pages.split_whitespace().nth(1)?.parse().ok()?;
    Some(resident * rustix::param::page_size() as u64)
}

#[cfg(not(target_os = "linux"))]
pub fn resident_bytes() -> Option<u64> {
    None
}
