//! Errors, in words that an agent or a person can act on.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::text::{Line, one_line};

/// Stable names of errors. Scripts and agents match on them, so none is ever renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    RootNotFound,
    RootRefused,
    NotIndexed,
    PathOutsideRoot,
    FileNotFound,
    BinaryFile,
    SymbolNotFound,
    AmbiguousSymbol,
    InvalidQuery,
    InvalidArgument,
    Indexing,
    DaemonUnreachable,
    VersionMismatch,
    DiskFull,
    Internal,
    /// The daemon is exiting and has not begun the call: ask its successor. Clients see to this themselves.
    Draining,
    /// The daemon already runs its maximum number of calls.
    Busy,
    /// The caller gave up, or the call ran out of time.
    Cancelled,
    /// The answer is larger than one message may be.
    TooLarge,
    /// Neither systemd nor launchd can be told about a service.
    ManagerUnreachable,
    /// The files have changed since the answer that the call refers to.
    Stale,
}

impl ErrorCode {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RootNotFound => "root_not_found",
            Self::RootRefused => "root_refused",
            Self::NotIndexed => "not_indexed",
            Self::PathOutsideRoot => "path_outside_root",
            Self::FileNotFound => "file_not_found",
            Self::BinaryFile => "binary_file",
            Self::SymbolNotFound => "symbol_not_found",
            Self::AmbiguousSymbol => "ambiguous_symbol",
            Self::InvalidQuery => "invalid_query",
            Self::InvalidArgument => "invalid_argument",
            Self::Indexing => "indexing",
            Self::DaemonUnreachable => "daemon_unreachable",
            Self::VersionMismatch => "version_mismatch",
            Self::DiskFull => "disk_full",
            Self::Internal => "internal",
            Self::Draining => "draining",
            Self::Busy => "busy",
            Self::Cancelled => "cancelled",
            Self::TooLarge => "too_large",
            Self::ManagerUnreachable => "manager_unreachable",
            Self::Stale => "stale",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A failed call: what is wrong, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ToolError {
    pub code: ErrorCode,
    pub message: Line,
    /// Names that may have been meant, or among which to choose.
    pub candidates: Vec<String>,
    /// The valid values, or the call to make next.
    pub hint: Option<Line>,
}

impl ToolError {
    pub fn new(code: ErrorCode, message: impl Into<Line>) -> Self {
        Self {
            code,
            message: message.into(),
            candidates: vec![],
            hint: None,
        }
    }

    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<Line>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn with_candidates(mut self, candidates: Vec<String>) -> Self {
        self.candidates = candidates;
        self
    }

    pub fn invalid_argument(message: impl Into<Line>) -> Self {
        Self::new(ErrorCode::InvalidArgument, message)
    }

    /// Writes the error, the candidates and the next step, a line each.
    pub fn text(&self) -> String {
        let mut text = one_line(&self.to_string());
        if !self.candidates.is_empty() {
            text = format!(
                "{text}\ncandidates: {}",
                one_line(&self.candidates.join(", "))
            );
        }
        if let Some(hint) = &self.hint {
            text = format!("{text}\nnext: {}", one_line(&hint.to_string()));
        }
        text
    }
}

/// Returns the same error with the path that it is about, which the system's message lacks.
pub fn at(path: &std::path::Path, error: &std::io::Error) -> std::io::Error {
    std::io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Turns an I/O error into the error of a call: a full disk has its own code, all others are internal.
pub fn from_io(doing: &str, error: &std::io::Error) -> ToolError {
    let message = format!("{doing}: {error}");
    match error.kind() {
        std::io::ErrorKind::StorageFull
        | std::io::ErrorKind::QuotaExceeded
        | std::io::ErrorKind::FileTooLarge => ToolError::new(ErrorCode::DiskFull, message)
            .with_hint("free some disk space, then ask again"),
        _ => ToolError::new(ErrorCode::Internal, message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_written_the_same_in_text_and_json() {
        for code in [
            ErrorCode::RootNotFound,
            ErrorCode::NotIndexed,
            ErrorCode::SymbolNotFound,
            ErrorCode::AmbiguousSymbol,
            ErrorCode::Indexing,
            ErrorCode::Busy,
            ErrorCode::DiskFull,
            ErrorCode::TooLarge,
            ErrorCode::ManagerUnreachable,
        ] {
            assert_eq!(serde_json::to_value(code).expect("json"), code.as_str());
        }
    }
}
