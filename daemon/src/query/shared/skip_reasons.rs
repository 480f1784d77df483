//! The reasons why files are not indexed, as answers name them.

use std::collections::BTreeMap;

use claudevil_protocol::answer::index_summary::{SkipCount, SkipReason};

use crate::store::ledger::record::Skip;

pub fn skip_reason(skip: Skip) -> SkipReason {
    match skip {
        Skip::Binary => SkipReason::Binary,
        Skip::NotUtf8 => SkipReason::NotUtf8,
        Skip::TooLarge => SkipReason::TooLarge,
        Skip::Generated => SkipReason::Generated,
        Skip::Minified => SkipReason::Minified,
        Skip::Secret => SkipReason::Secret,
        Skip::Unreadable => SkipReason::Unreadable,
        Skip::ParserCrashed => SkipReason::ParserCrashed,
        Skip::ParserTooSlow => SkipReason::ParserTooSlow,
        Skip::ParserMemory => SkipReason::ParserMemory,
    }
}

pub fn skip_counts(skipped: BTreeMap<Skip, u64>) -> Vec<SkipCount> {
    let count = |(skip, files)| SkipCount {
        reason: skip_reason(skip),
        files,
    };
    skipped.into_iter().map(count).collect()
}
