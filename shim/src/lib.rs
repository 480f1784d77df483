//! The clients of the daemon: [`mcp`] for agents, [`lsp`] for editors, [`cli`] for people.
//!
//! Only translation, project resolution and rendering live here. No client opens a project's files: the daemon does,
//! beneath its roots.

pub mod cli;
pub mod lsp;
pub mod mcp;
mod pattern;
pub mod project;
