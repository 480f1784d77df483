//! The reasons why files are not indexed, as answers name them.

use claudevil_protocol::answer::index_summary::SkipReason;

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
