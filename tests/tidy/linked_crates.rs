//! Linked crates: the clients link no engine, and each crate is compiled once.

use std::collections::BTreeSet;
use std::process::Command;

use claudevil_tests::binaries::workspace;

/// Crates that the clients must never link.
const ENGINES: &[&str] = &[
    "lancedb",
    "lance",
    "tantivy",
    "tree-sitter",
    "redb",
    "arrow",
    "datafusion",
    "fastembed",
];

/// Engines that the daemon does not link: it starts `claudevil-vectors` for them.
const VECTOR_ENGINES: &[&str] = &[
    "lancedb",
    "lance",
    "arrow",
    "datafusion",
    "fastembed",
    "ort",
];

#[test]
fn the_clients_link_no_engine() {
    for package in ["claudevil-shim", "claudevil-protocol"] {
        refuse_linked(package, "tarpc", ENGINES);
    }
}

#[test]
fn the_daemon_links_no_vector_store_and_no_transformer() {
    refuse_linked("claudevil-daemon", "tantivy", VECTOR_ENGINES);
}

/// Crates that have other features beside LanceDB. Amazon's client brings a second library of cryptography, in C, which takes
/// longer to compile than rustls does twice, and it parses dates, which the daemon only formats.
const COMPILED_TWICE: &[&str] = &["deranged v", "rustls v", "rustls-webpki v", "time v"];

/// `-p claudevil-daemon -p claudevil-shim`, and then the rest, compile each crate once: a crate has the same features
/// whichever packages are selected. What differs is added to `daemon/features/Cargo.toml`.
#[test]
fn a_build_of_the_daemon_is_part_of_a_build_of_everything() {
    let whole = crates(&["--workspace"], "{p} [{f}]", "no-dev");
    let daemon = [
        "--package",
        "claudevil-daemon",
        "--package",
        "claudevil-shim",
    ];
    let vectors = ["--package", "claudevil-vectors"];
    for selection in [&daemon[..], &vectors[..]] {
        let part = crates(selection, "{p} [{f}]", "no-dev");
        assert!(part.len() > 200, "the tree was not read: {part:?}");
        let is_exempt = |name: &str| COMPILED_TWICE.iter().any(|start| name.starts_with(start));
        let others = part.difference(&whole);
        let others: Vec<_> = others.filter(|name| !is_exempt(name)).collect();
        assert!(
            others.is_empty(),
            "{selection:?} compiles these with other features than the workspace: {others:#?}"
        );
    }
}

/// Fails where a package links one of these; `known` is a crate that it does link.
fn refuse_linked(package: &str, known: &str, engines: &[&str]) {
    let tree = crates(&["--package", package], "{p}", "normal");
    let linked: BTreeSet<_> = tree
        .iter()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(linked.contains(known), "the tree was not read: {tree:?}");
    let found: Vec<_> = linked
        .iter()
        .filter(|name| {
            engines
                .iter()
                .any(|engine| *name == engine || name.starts_with(&format!("{engine}-")))
        })
        .collect();
    assert!(found.is_empty(), "{package} links {found:?}");
}

/// The crates that a selection of packages is built of, each in a format of `cargo tree`.
fn crates(selection: &[&str], format: &str, edges: &str) -> BTreeSet<String> {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--prefix", "none"])
        .args(["--format", format, "--edges", edges])
        .args(selection)
        .current_dir(workspace())
        .output()
        .expect("cargo runs");
    assert!(
        tree.status.success(),
        "{}",
        String::from_utf8_lossy(&tree.stderr)
    );
    String::from_utf8_lossy(&tree.stdout)
        .lines()
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .collect()
}
