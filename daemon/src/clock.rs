//! Wall-clock time as it is stored and sent: milliseconds since 1970, or nanoseconds for the times of files.

use std::time::{SystemTime, UNIX_EPOCH};

pub fn now() -> i64 {
    millis(SystemTime::now())
}

pub fn millis(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
    }
}

/// Valid until 2262.
pub fn nanos(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_nanos()).unwrap_or(i64::MAX),
    }
}

pub fn nanos_to_millis(nanos: i64) -> i64 {
    nanos / 1_000_000
}
