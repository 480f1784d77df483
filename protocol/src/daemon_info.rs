//! The state of the daemon itself: its process, connections and supervision.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DaemonInfo {
    pub pid: u32,
    pub build: String,
    pub oldest_protocol: u16,
    pub newest_protocol: u16,
    /// Milliseconds since 1970.
    pub started: i64,
    pub address: String,
    pub log_directory: String,
    pub connections: u32,
    /// Running calls of tools, without the one that asks.
    pub calls_in_flight: u32,
    pub supervision: Supervision,
}

/// The starter of the daemon, which decides whether it exits when idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Supervision {
    /// Started by a client; exits when idle.
    Detached,
    /// Started by a person in a terminal.
    Foreground,
    /// Started by systemd or launchd; stays.
    Service,
}
