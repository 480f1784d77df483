//! Rules of the code that a compiler does not check: sizes, edges between modules, names, comments, linked crates.

#[path = "tidy/edges.rs"]
mod edges;
#[path = "tidy/files.rs"]
mod files;
#[path = "tidy/languages.rs"]
mod languages;
#[path = "tidy/linked_crates.rs"]
mod linked_crates;
#[path = "tidy/wording.rs"]
mod wording;

use std::fs;
use std::path::{Path, PathBuf};

use claudevil_tests::binaries::workspace;

fn sources() -> impl Iterator<Item = PathBuf> {
    let mut files = vec![];
    let mut folders: Vec<_> = ["protocol", "shim", "daemon", "tests"]
        .map(|name| workspace().join(name))
        .to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("readable").flatten() {
            let path = entry.path();
            // Definitions of languages hold samples of them, and so does the corpus of credentials.
            let is_sample = path.ends_with("lang/defs") || path.ends_with("tests/secrets");
            if path.is_dir() && !is_sample {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 40, "only {} sources were found", files.len());
    files.into_iter()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("readable")
}

/// Returns the code of a file above its tests.
fn read_without_tests(path: &Path) -> String {
    let mut code = read(path);
    code.truncate(code.find("#[cfg(test)]").unwrap_or(code.len()));
    code
}
