//! How a store fails, as far as those who use it act on it.

use std::io;

use claudevil_protocol::{ErrorCode, ToolError};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("there is no room left on the disk")]
    Full,
    /// What is stored contradicts itself: it is made anew.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    #[error("{0}")]
    Other(String),
}

impl StoreError {
    pub fn from_io(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => Self::Full,
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => Self::Damaged(error.to_string()),
            _ => Self::Other(error.to_string()),
        }
    }

    pub fn damaged(what: &(impl std::fmt::Display + ?Sized)) -> Self {
        Self::Damaged(what.to_string())
    }
}

impl From<redb::Error> for StoreError {
    fn from(error: redb::Error) -> Self {
        match &error {
            redb::Error::Io(io) => Self::from_io(io),
            redb::Error::Corrupted(_)
            | redb::Error::RepairAborted
            | redb::Error::UpgradeRequired(_)
            | redb::Error::TableTypeMismatch { .. }
            | redb::Error::TableIsMultimap(_) => Self::Damaged(error.to_string()),
            _ => Self::Other(error.to_string()),
        }
    }
}

impl From<StoreError> for ToolError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Full => Self::new(ErrorCode::DiskFull, error.to_string())
                .with_hint("free some space: indexing goes on by itself, and what is indexed still answers"),
            other => Self::new(ErrorCode::Internal, other.to_string()),
        }
    }
}
