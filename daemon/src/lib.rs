//! `claudevild`: keeps the indexes of a user's projects and answers every session.
//!
//! Data flows one way. [`source`] sees the files of a root, [`lang`] knows their languages, [`extract`] makes facts of
//! their texts, [`store`] keeps what must last, [`index`] keeps it in step with the files, [`search`] finds texts in them,
//! [`change`] changes files, all that belong together or none, [`memory`] keeps notes and plans among them, [`query`]
//! answers one tool per file from snapshots, and [`server`] admits callers and converts to the wire.
//! Nothing here uses the working directory, and nothing of a root is ever executed.

pub mod change;
pub mod clock;
pub mod config;
pub mod embed;
pub mod extract;
pub mod graph;
pub mod history;
pub mod index;
pub mod lang;
pub mod logging;
pub mod memory;
pub mod model_command;
pub mod precise;
pub mod query;
pub mod roots;
pub mod search;
pub mod secrets;
pub mod server;
pub mod source;
pub mod store;
mod threads;
