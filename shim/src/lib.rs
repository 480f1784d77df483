//! The clients of the daemon: [`mcp`] for agents, [`lsp`] for editors, [`cli`] for people.
//!
//! Only translation, project resolution and rendering live here. No client opens a project's files: the daemon does,
//! beneath its roots.

pub mod cli;
pub mod lsp;
pub mod mcp;
mod pattern;
pub mod project;

/// Runs one of the programs on one thread: a shim mostly waits, and there may be many of them.
pub fn on_one_thread<T>(work: impl Future<Output = T>) -> std::io::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let done = runtime.block_on(work);
    // A blocked read of standard input cannot be cancelled, and must not keep the process alive.
    runtime.shutdown_background();
    Ok(done)
}
