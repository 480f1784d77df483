//! Nothing: with a build script cargo counts the build dependencies of `Cargo.toml`.

fn main() {}
