//! Shared parts of tests and benchmarks over the real binaries: a home of their own, and an MCP client that speaks
//! plain JSON-RPC.
//!
//! Nothing here sleeps for as long as something should take: tests wait for the end of a process, for the daemon's lock or for
//! an answer, and poll states, each with a bound.

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

/// Pauses between two polls of a state. Polls without a pause would take the processors from what they wait for.
pub async fn pause() {
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
}
