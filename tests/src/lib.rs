//! Shared parts of tests and benchmarks over the real binaries: a home of their own, and an MCP client that speaks
//! plain JSON-RPC.
//!
//! Nothing here waits by sleeping: processes are waited for by their end, the daemon by its lock, answers by their
//! arrival, each with a bound. Only vectors, whose end nobody announces, are looked for now and then,
//! with a bound too.

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
