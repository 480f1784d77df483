//! The boundary between claudevil's daemon and its clients.
//!
//! Everything that crosses the local socket is defined here: what can be asked and answered ([`tools`], [`answer`], [`editor`]),
//! how an answer reads ([`text`], [`json`]), the service ([`service`]), where the daemon listens ([`endpoint`], [`paths`]),
//! how two builds agree on a version ([`preamble`]), how frames are bounded ([`wire`]), and the client that finds,
//! starts and survives the daemon ([`client`]).
//!
//! This crate may not depend on an engine (parser, index or vector store): the clients link it, and they must stay
//! small and start at once.

pub mod answer;
pub mod call;
mod check;
pub mod client;
pub mod config_report;
pub mod daemon_info;
pub mod editor;
pub mod embedding_models;
pub mod endpoint;
pub mod environment;
pub mod error;
pub mod json;
pub mod lock;
pub mod own_directory;
pub mod paths;
pub mod preamble;
pub mod process;
pub mod service;
pub mod sharing;
pub mod start;
pub mod text;
pub mod tools;
pub mod vectors_program;
pub mod version;
pub mod wire;

pub use error::{ErrorCode, ToolError};
