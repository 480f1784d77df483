//! The errors of the stores, by what callers do about them.

use std::io;

use claudevil_protocol::{ErrorCode, ToolError};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("there is no room left on the disk")]
    Full,
    /// The system denies access for now: permissions, memory, descriptors. The store itself may be sound.
    #[error("the store cannot be reached: {0}")]
    Refused(String),
    /// The store is inconsistent, and has to be rebuilt.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    #[error("{0}")]
    Other(String),
}

impl StoreError {
    pub fn from_io(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => Self::Full,
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
                Self::Damaged(error.to_string())
            }
            io::ErrorKind::PermissionDenied
            | io::ErrorKind::OutOfMemory
            | io::ErrorKind::ReadOnlyFilesystem => Self::Refused(error.to_string()),
            _ if is_out_of_descriptors(error) => Self::Refused(error.to_string()),
            _ => Self::Other(error.to_string()),
        }
    }

    pub fn damaged(what: &(impl std::fmt::Display + ?Sized)) -> Self {
        Self::Damaged(what.to_string())
    }
}

#[cfg(unix)]
fn is_out_of_descriptors(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let code = error.raw_os_error();
    [Errno::MFILE, Errno::NFILE]
        .iter()
        .any(|errno| code == Some(errno.raw_os_error()))
}

#[cfg(not(unix))]
fn is_out_of_descriptors(_error: &io::Error) -> bool {
    false
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        Self::from_io(&error)
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
            StoreError::Full => Self::new(ErrorCode::DiskFull, error.to_string()).with_hint(
                "free some space: indexing goes on by itself, and what is indexed still answers",
            ),
            other => Self::new(ErrorCode::Internal, other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_store_without_access_is_not_damaged() {
        use rustix::io::Errno;
        for errno in [
            Errno::MFILE,
            Errno::NFILE,
            Errno::ACCESS,
            Errno::NOMEM,
            Errno::ROFS,
        ] {
            let error = StoreError::from_io(&errno.into());
            assert!(matches!(error, StoreError::Refused(_)), "{error:?}");
        }
        assert!(matches!(
            StoreError::from_io(&Errno::NOSPC.into()),
            StoreError::Full
        ));
        assert!(matches!(
            StoreError::from_io(&io::ErrorKind::UnexpectedEof.into()),
            StoreError::Damaged(_)
        ));
    }
}
