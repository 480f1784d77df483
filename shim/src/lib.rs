//! The two clients of the daemon: [`mcp`] for editors and agents, [`cli`] for people.
//!
//! Only translation, project resolution and rendering live here. Neither client opens a project's files: the daemon
//! does, beneath its roots.

pub mod cli;
pub mod mcp;
mod pattern;
pub mod project;
