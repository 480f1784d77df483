//! Compiles `flat.c` with the headers of the tree-sitter that is linked, because it reads the internal layout of trees.

#![expect(
    clippy::disallowed_methods,
    reason = "cargo speaks to a build script by variables"
)]

use std::env;
use std::path::PathBuf;

const FLATTENING: &str = "src/flat.c";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={FLATTENING}");
    let include = PathBuf::from(
        env::var_os("DEP_TREE_SITTER_INCLUDE").expect("tree-sitter says where its headers are"),
    );
    cc::Build::new()
        .std("c11")
        .include(&include)
        .include(include.with_file_name("src"))
        .file(FLATTENING)
        .compile("claudevil-flatten");
}
