//! The one place that reads environment variables for the clients and for the paths both sides share.
//!
//! Editors start us with almost nothing set, so each variable read here is optional, and none of the XDG ones is
//! read at all: a path that depends on them would differ between a terminal and an editor.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Moves configuration, data, state and socket below one directory.
pub const HOME_OVERRIDE: &str = "CLAUDEVIL_HOME";
/// The daemon's binary, when it is not beside the client's.
pub const DAEMON_BINARY: &str = "CLAUDEVIL_DAEMON";
/// Set by Claude Code for the project of the session.
pub const SESSION_PROJECT: &str = "CLAUDE_PROJECT_DIR";

/// The variables that the daemon inherits from the client that starts it. Everything else of an editor's environment
/// (preloaded libraries, tokens, debug switches) stays behind.
const INHERITED: &[&str] = &[
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "USERPROFILE",
    "LOCALAPPDATA",
    "APPDATA",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "RUST_BACKTRACE",
    // The location of ONNX Runtime, and the proxies through which a chosen model is downloaded.
    "ORT_DYLIB_PATH",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "https_proxy",
    "http_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HF_ENDPOINT",
];

#[expect(
    clippy::disallowed_methods,
    reason = "this module is where the environment is read"
)]
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

pub fn path(name: &str) -> Option<PathBuf> {
    variable(name).map(PathBuf::from)
}

/// Returns the duration that a variable gives in milliseconds.
pub fn millis(name: &str) -> Option<Duration> {
    let millis = variable(name)?.to_str()?.parse().ok()?;
    Some(Duration::from_millis(millis))
}

/// Returns the variables that a daemon started by this process is given.
#[expect(
    clippy::disallowed_methods,
    reason = "this module is where the environment is read"
)]
pub fn for_daemon() -> Vec<(OsString, OsString)> {
    std::env::vars_os()
        .filter(|(name, _)| {
            name.to_str()
                .is_some_and(|name| INHERITED.contains(&name) || name.starts_with("CLAUDEVIL_"))
        })
        .collect()
}
