//! The answer of `claudevild config --json`, by which `claudevil doctor` checks the configuration without a daemon.

use serde::{Deserialize, Serialize};

use crate::tools::index_status::Setting;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigReport {
    pub settings: Vec<Setting>,
    /// Unknown keys, and ignored variables.
    pub warnings: Vec<String>,
    /// The reason why the daemon does not start with this configuration.
    pub error: Option<String>,
}
