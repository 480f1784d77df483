//! Stores that last: the registry of roots, the ledger of files and facts, and the text index. `claudevil-vectors` has the vectors.
//!
//! The write path and the read path meet here and nowhere else.

pub mod failure;
pub mod ledger;
pub mod roots;
pub mod text;

/// Raised when a store's content would be misread by an older build. A store of another format is rebuilt.
pub const INDEX_FORMAT: u32 = 2;

/// The stores that only one process has open at a time.
pub fn exclusive_files(data: &std::path::Path) -> [std::path::PathBuf; 2] {
    ["roots.redb", "index.redb"].map(|name| data.join(name))
}

/// What the files in a folder of ours take.
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
