//! Paths of the binaries under test.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use claudevil_protocol::environment;

/// Returns the folder of the binaries: that of the test itself, `target/<profile>/`, unless `CLAUDEVIL_TEST_BINARIES` names
/// another.
pub fn directory() -> PathBuf {
    if let Some(named) = environment::path("CLAUDEVIL_TEST_BINARIES") {
        return named;
    }
    let own = std::env::current_exe().expect("a test has a path");
    let folder = own.parent().expect("a file lies in a folder");
    if folder.ends_with("deps") {
        folder.parent().expect("deps lies in a folder").to_owned()
    } else {
        folder.to_owned()
    }
}

pub fn path(name: &str) -> PathBuf {
    let path = directory().join(name);
    assert!(
        path.is_file(),
        "{} is missing: build it first with `cargo build --workspace`",
        path.display()
    );
    path
}

/// Puts a binary at another path, away from its neighbours: a symbolic link would lead back to them.
pub fn install(name: &str, to: &Path) {
    std::fs::create_dir_all(to.parent().expect("a folder")).expect("made");
    let built = path(name);
    if std::fs::hard_link(&built, to).is_err() {
        std::fs::copy(&built, to).expect("copied");
    }
}

/// Returns whether faults and other versions can be requested, which only debug builds allow.
pub fn are_debug_builds() -> bool {
    directory().ends_with("debug")
}

/// Returns the root of this repository. Cargo says at run time which one that is: clones that share a target directory also
/// share a test program, with the paths of the clone that compiled it.
pub fn workspace() -> &'static Path {
    static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
        let package = environment::path("CARGO_MANIFEST_DIR");
        let package = package.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let mut folders = package.ancestors();
        let root = folders.find(|folder| folder.join("Cargo.lock").is_file());
        root.expect("the package lies in the workspace").to_owned()
    });
    &ROOT
}
