//! Errors of LanceDB, by what callers do about them.
//!
//! LanceDB wraps errors in several layers and panics on some damaged files. [`guarded`] turns both into one error.

use std::any::Any;
use std::error::Error;
use std::io;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct VectorError {
    pub kind: VectorErrorKind,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorErrorKind {
    /// The disk or the quota is full. Only the write failed.
    Full,
    /// Stored vectors cannot be read, and have to be recomputed.
    Damaged,
    /// Permissions, limits, a bug of ours. Nothing may be dropped because of it.
    Other,
}

impl VectorError {
    pub(crate) fn damaged(message: impl Into<String>) -> Self {
        Self {
            kind: VectorErrorKind::Damaged,
            message: message.into(),
        }
    }

    pub(crate) fn other(message: impl Into<String>) -> Self {
        Self {
            kind: VectorErrorKind::Other,
            message: message.into(),
        }
    }

    pub(crate) fn is_damage(&self) -> bool {
        self.kind == VectorErrorKind::Damaged
    }
}

impl From<lancedb::Error> for VectorError {
    fn from(error: lancedb::Error) -> Self {
        Self {
            kind: kind_of(&error),
            message: one_line(&error.to_string()),
        }
    }
}

impl From<io::Error> for VectorError {
    fn from(error: io::Error) -> Self {
        Self {
            kind: kind_of_io(error.kind()),
            message: one_line(&error.to_string()),
        }
    }
}

/// Awaits a call of LanceDB. A panic in it counts as damage.
pub(super) fn guarded<T>(
    work: impl Future<Output = lancedb::Result<T>>,
) -> impl Future<Output = Result<T, VectorError>> {
    let work = catch_panic(work);
    async { work.await?.map_err(VectorError::from) }
}

/// Awaits a call of LanceDB, and returns a panic in it as damage, which is its usual cause. The call is boxed, because LanceDB's
/// futures take many kilobytes, and every future around one would be as large.
pub(crate) fn catch_panic<T>(
    work: impl Future<Output = T>,
) -> impl Future<Output = Result<T, VectorError>> {
    let work = AssertUnwindSafe(Box::pin(work)).catch_unwind();
    async {
        work.await.map_err(|panic| {
            VectorError::damaged(format!("LanceDB panicked: {}", words_of(panic.as_ref())))
        })
    }
}

fn kind_of(error: &lancedb::Error) -> VectorErrorKind {
    use lancedb::Error::{InvalidTableName, NotSupported, Timeout};
    if let InvalidTableName { .. } | NotSupported { .. } | Timeout { .. } = error {
        return VectorErrorKind::Other;
    }
    // `source()` of this one skips the error that it holds.
    let mut next: Option<&(dyn Error + 'static)> = match error {
        lancedb::Error::External { source } => Some(source.as_ref()),
        other => Some(other),
    };
    while let Some(error) = next {
        // `Other` is only a wrapper.
        if let Some(io) = error
            .downcast_ref::<io::Error>()
            .filter(|io| io.kind() != io::ErrorKind::Other)
        {
            return kind_of_io(io.kind());
        }
        next = error.source();
    }
    // Some layers keep only the text of the error below, which ends in the system's error number.
    let text = error.to_string();
    let number = text
        .split("(os error ")
        .nth(1)
        .and_then(|rest| rest.split(')').next()?.parse().ok());
    number.map_or(VectorErrorKind::Damaged, |number| {
        kind_of_io(io::Error::from_raw_os_error(number).kind())
    })
}

fn kind_of_io(kind: io::ErrorKind) -> VectorErrorKind {
    use io::ErrorKind::{
        InvalidData, InvalidInput, NotFound, QuotaExceeded, StorageFull, UnexpectedEof,
    };
    match kind {
        StorageFull | QuotaExceeded => VectorErrorKind::Full,
        NotFound | UnexpectedEof | InvalidData | InvalidInput => VectorErrorKind::Damaged,
        _ => VectorErrorKind::Other,
    }
}

fn words_of(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().copied();
    one_line(
        words
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("without a word"),
    )
}

/// Shortens a message: LanceDB appends source locations, and sometimes a page of context.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 300;
    let line = text.lines().next().unwrap_or_default();
    let without_place = line
        .rsplit_once(", ")
        .filter(|(_, place)| place.contains(".rs:"))
        .map_or(line, |(words, _)| words);
    without_place.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_apart_through_every_layer() {
        let wrapped = |kind: io::ErrorKind| lancedb::Error::External {
            source: Box::new(io::Error::from(kind)),
        };
        let in_words = |number: i32| lancedb::Error::Runtime {
            message: format!(
                "Unable to copy data: {}, /src/writer.rs:190:9",
                io::Error::from_raw_os_error(number)
            ),
        };
        let cases = [
            (wrapped(io::ErrorKind::StorageFull), VectorErrorKind::Full),
            (wrapped(io::ErrorKind::QuotaExceeded), VectorErrorKind::Full),
            (wrapped(io::ErrorKind::NotFound), VectorErrorKind::Damaged),
            (
                wrapped(io::ErrorKind::PermissionDenied),
                VectorErrorKind::Other,
            ),
            (
                in_words(if cfg!(windows) { 112 } else { 28 }),
                VectorErrorKind::Full,
            ),
            (
                in_words(if cfg!(windows) { 5 } else { 13 }),
                VectorErrorKind::Other,
            ),
            (wrapped(io::ErrorKind::Other), VectorErrorKind::Damaged),
            (
                lancedb::Error::Runtime {
                    message: "no such page".to_owned(),
                },
                VectorErrorKind::Damaged,
            ),
        ];
        for (error, kind) in cases {
            let told = VectorError::from(error);
            assert_eq!(told.kind, kind, "{told}");
            assert!(!told.message.contains("writer.rs"), "{told}");
        }
    }

    #[tokio::test]
    async fn a_panic_is_damage() {
        let error = guarded(async {
            if true {
                panic!("index out of bounds")
            } else {
                Ok(())
            }
        })
        .await;
        let error = error.expect_err("it panicked");
        assert!(
            error.is_damage() && error.message.contains("index out of bounds"),
            "{error}"
        );
    }
}
