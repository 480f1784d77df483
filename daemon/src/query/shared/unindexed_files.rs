//! Searches the files that are not indexed for names, because their meaning there is unknown.

use crate::change::LARGEST_FILE;
use crate::query::shared::graph_root::GraphRoot;
use crate::store::ledger::record::Skip;

/// The most files that are searched.
const MAX_READ: usize = 5000;
const MAX_LISTED: usize = 5;

/// The unindexed files with some names.
pub struct UnindexedFiles {
    /// Those with each name, and why they are not indexed: `gen.go (generated)`.
    found: Vec<Vec<String>>,
    /// The number of files that were not searched: too many, too large or unreadable.
    pub unread: u64,
}

impl UnindexedFiles {
    /// Lists the files with a name, by its place among the names; none if there are no such files.
    pub fn list(&self, name: usize) -> Option<String> {
        let found = &self.found[name];
        let listed = found[..found.len().min(MAX_LISTED)].join(", ");
        match found.len().saturating_sub(MAX_LISTED) {
            _ if found.is_empty() => None,
            0 => Some(listed),
            more => Some(format!("{listed} and {more} more")),
        }
    }
}

pub fn search_unindexed_files(linked: &GraphRoot<'_>, names: &[&str]) -> UnindexedFiles {
    let files = linked.indexed.snapshot.files.iter();
    let skipped =
        files.filter_map(|file| Some((file.path.as_str(), reason_to_skip_code(file.skip()?)?)));
    let (mut found, mut unread) = (vec![vec![]; names.len()], 0);
    for (position, (path, reason)) in skipped.enumerate() {
        let is_read = position < MAX_READ;
        let text = is_read.then(|| linked.dir().read(path, LARGEST_FILE));
        let Some(bytes) = text.flatten() else {
            unread += 1;
            continue;
        };
        for (name, found) in names.iter().zip(&mut found) {
            if contains_word(&bytes, name) {
                found.push(format!("{path} ({reason})"));
            }
        }
    }
    UnindexedFiles { found, unread }
}

/// Returns the reason that a file is not indexed; none for kinds of files that are not searched.
fn reason_to_skip_code(skip: Skip) -> Option<&'static str> {
    match skip {
        Skip::Generated => Some("generated"),
        Skip::NotUtf8 => Some("not UTF-8"),
        Skip::TooLarge => Some("too large"),
        Skip::ParserCrashed | Skip::ParserTooSlow | Skip::ParserMemory => Some("its parser failed"),
        Skip::Binary | Skip::Minified | Skip::Secret | Skip::Unreadable => None,
    }
}

fn contains_word(bytes: &[u8], word: &str) -> bool {
    let is_part =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    memchr::memmem::find_iter(bytes, word).any(|at| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        !is_part(before) && !is_part(bytes.get(at + word.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_count_whatever_is_around_them() {
        assert!(
            contains_word(b"\xe9 size(", "size")
                && contains_word(b"size", "size")
                && contains_word(b"resize size", "size")
        );
        assert!(!contains_word(b"resize sizes size_of", "size"));
    }
}
