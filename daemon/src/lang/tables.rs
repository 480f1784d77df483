//! The tables that the build script makes from the definitions under `defs/`, and the searches in them.
//!
//! Nothing here is computed at run time, and nothing here may name a language: whatever is particular to one stands in
//! its `lang.toml`.

use claudevil_protocol::answer::symbol::{SymbolKind, Visibility};

use super::{
    CommentsBegin, Embed, End, Facts, Fence, FenceClose, Language, Lexis, MacroRules, Modules,
    NameRules, Naming, OutlineRule, Place, Shares, TypePlace, Unless, VisibilityRule, Within,
};

/// Keys in the order of their bytes, each with the language that claims it.
type Table = &'static [(&'static str, &'static Language)];

include!(concat!(env!("OUT_DIR"), "/languages.rs"));

/// The entry whose key is exactly `key`.
pub(super) fn find(table: Table, key: &str) -> Option<&'static Language> {
    let at = table
        .binary_search_by(|(entry, _)| (*entry).cmp(key))
        .ok()?;
    Some(table[at].1)
}

/// The entry whose key is `key` in lower case. For tables whose keys are lower-case ASCII, as the build script sees to.
pub(super) fn find_ignoring_case(table: Table, key: &str) -> Option<&'static Language> {
    // Lowered byte by byte while comparing: this runs for every file of a tree and need not allocate.
    let lowered = || key.bytes().map(|byte| byte.to_ascii_lowercase());
    let at = table
        .binary_search_by(|(entry, _)| entry.bytes().cmp(lowered()))
        .ok()?;
    Some(table[at].1)
}

/// The entry with the longest key that `text` begins with and goes beyond.
pub(super) fn find_prefix(table: Table, text: &str) -> Option<&'static Language> {
    let begins = |key: &str| key.len() < text.len() && text.starts_with(key);
    table
        .iter()
        .filter(|(key, _)| begins(key))
        .max_by_key(|(key, _)| key.len())
        .map(|(_, language)| *language)
}
