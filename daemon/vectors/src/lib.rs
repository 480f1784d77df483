//! `claudevil-vectors`: the store of vectors, those that a team shares, and the transformers, in processes that the daemon
//! starts over pipes.
//!
//! LanceDB and ONNX Runtime's bindings are most of what claudevil compiles and links, and not every installation needs them,
//! so they are a program of their own. It knows nothing of roots or files. **Invariant:** the built-in model needs nothing of
//! it.

mod requests;
pub mod shared;
pub mod store;
pub mod transformer;
