//! `claudevil-vectors`: the store of vectors and the transformers, in processes that the daemon starts over pipes.
//!
//! LanceDB and what runs transformers are most of what claudevil compiles and links, and not every installation needs
//! them, so they are a program of their own. It knows nothing of roots or files. **Invariant:** nothing here is needed by
//! the built-in model.

pub mod store;
pub mod transformer;

/// A process that makes or stores vectors works beside everything else.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(10);
}
