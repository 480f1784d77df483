//! Shared parts of tests and benchmarks over the real binaries: a home of their own, and an MCP client that speaks
//! plain JSON-RPC.
//!
//! Nothing here waits by sleeping for as long as something should take: processes are waited for by their end, the daemon
//! by its lock, answers by their arrival, and states by asking again and again, each with a bound.

pub mod accuracy;
pub mod asking;
pub mod binaries;
pub mod chance;
pub mod embedding_server;
pub mod git;
pub mod home;
pub mod lsp;
pub mod mcp;
pub mod planted;
pub mod processes;
pub mod questions;
pub mod relevance;
pub mod scan;
pub mod tree;
pub mod window;

/// The pause between two questions about a state. Questions without one would take the processors from what they wait for.
pub async fn pause() {
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
}
