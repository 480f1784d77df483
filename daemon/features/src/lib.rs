//! Nothing: this crate is the list of features in its `Cargo.toml`.
