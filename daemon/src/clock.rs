//! Wall-clock time as it is stored and sent: milliseconds since 1970, and nanoseconds where two states of a file are
//! told apart.

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

/// Until 2262.
pub fn nanos(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_nanos()).unwrap_or(i64::MAX),
    }
}

pub fn millis_of_nanos(nanos: i64) -> i64 {
    nanos / 1_000_000
}
