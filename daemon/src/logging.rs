//! Logs: one file a day in the state directory, the last few days kept.
//!
//! Standard output and error belong to whoever started the daemon; nothing is logged there. Text of files and queries
//! is not logged at any level.

use std::io;
use std::path::Path;

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;

use crate::config::Config;

/// Log files are called `claudevild.YYYY-MM-DD.log`.
pub const PREFIX: &str = "claudevild";

/// Starts logging. The guard writes buffered lines when it is dropped.
pub fn start(directory: &Path, config: &Config) -> io::Result<WorkerGuard> {
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix(PREFIX)
        .filename_suffix("log")
        .max_log_files(config.log_days)
        .build(directory)
        .map_err(io::Error::other)?;
    let (writer, guard) = tracing_appender::non_blocking(appender);
    // Dependencies log warnings only.
    let filter = EnvFilter::new(format!(
        "warn,claudevil={0},claudevil_daemon={0},claudevild={0}",
        config.log_level
    ));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer)
        .with_ansi(false)
        .init();
    std::panic::set_hook(Box::new(|panic| {
        tracing::error!(
            thread = std::thread::current().name().unwrap_or("unnamed"),
            backtrace = %std::backtrace::Backtrace::capture(),
            "{panic}"
        );
    }));
    Ok(guard)
}
