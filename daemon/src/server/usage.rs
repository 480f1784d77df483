//! The resident memory of the daemon.

#[cfg(target_os = "linux")]
#[expect(
    clippy::disallowed_methods,
    reason = "the system's word about this process, not a root's file"
)]
pub fn resident_bytes() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let resident: u64 = pages.split_whitespace().nth(1)?.parse().ok()?;
    Some(resident * rustix::param::page_size() as u64)
}

#[cfg(not(target_os = "linux"))]
pub fn resident_bytes() -> Option<u64> {
    None
}
