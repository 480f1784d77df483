//! Waits until an index has come to rest: segments are merged and pages given back a little after indexing, which would disturb
//! a measurement.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use claudevil_tests::home::Home;

/// An index that has not changed for this long is at rest.
const AT_REST: Duration = Duration::from_secs(7);

/// Waits until the index is at rest. Returns the bytes that it occupies.
pub async fn at_rest(home: &Home) -> u64 {
    let data = home.paths().data().to_owned();
    let began = Instant::now();
    let (mut bytes, mut since) = (occupied(&data), Instant::now());
    while since.elapsed() < AT_REST && began.elapsed() < AT_REST * 10 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let now = occupied(&data);
        if now != bytes {
            (bytes, since) = (now, Instant::now());
        }
    }
    bytes
}

/// Returns the size of the files of a folder, without vectors: they are not made of the source's text alone.
pub fn occupied(folder: &Path) -> u64 {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(found) = entry.metadata() else {
            continue;
        };
        if !found.is_dir() {
            bytes += found.blocks() * 512;
        } else if entry.file_name() != "vectors" {
            bytes += occupied(&entry.path());
        }
    }
    bytes
}
