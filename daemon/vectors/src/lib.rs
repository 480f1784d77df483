//! `claudevil-vectors`: the vector store, the vectors that a team shares, and the transformers, each in a process that the
//! daemon starts and calls over pipes.
//!
//! LanceDB and ONNX Runtime's bindings are most of what claudevil compiles and links, and not every installation needs them, so
//! they are a program of their own. It knows nothing of roots or files. **Invariant:** the built-in model needs none of it.

mod requests;
pub mod shared;
pub mod store;
pub mod transformer;
