//! The stores on disk: the registry of roots, the ledger of files and facts, and the text index. `claudevil-vectors` has the
//! vectors.
//!
//! The write path and the read path meet here and nowhere else.

pub mod cost_histogram;
pub mod error;
pub mod ledger;
pub mod roots;
pub mod text;

/// The format of the stores, raised when an older build would misread them. A store of another format is rebuilt.
pub const INDEX_FORMAT: u32 = 2;

/// Returns the files of stores that only one process opens at a time.
pub fn exclusive_files(data: &std::path::Path) -> [std::path::PathBuf; 2] {
    ["roots.redb", "index.redb"].map(|name| data.join(name))
}

/// Returns the size of the files below a folder of our own.
#[expect(
    clippy::disallowed_methods,
    reason = "the daemon's own data, not a root's files"
)]
pub fn bytes_below(folder: &std::path::Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => bytes_below(&entry.path()),
            _ => entry.metadata().map_or(0, |found| found.len()),
        })
        .sum()
}
