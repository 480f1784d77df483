//! Files that are not indexed and have the name all the same: nobody has looked at what it means there.

use crate::change::LARGEST_FILE;
use crate::query::shared::graph_root::GraphRoot;
use crate::store::ledger::record::Skip;

/// Files that are read for it at most.
const MOST_READ: usize = 500;
const MOST_NAMED: usize = 5;

pub fn note(linked: &GraphRoot<'_>, name: &str) -> Option<String> {
    let skipped = linked
        .indexed
        .snapshot
        .files
        .iter()
        .filter_map(|file| Some((file.path.as_str(), why(file.skip()?)?)));
    let has_it = |path: &str| {
        linked
            .dir()
            .read(path, LARGEST_FILE)
            .is_some_and(|bytes| has_word(&bytes, name))
    };
    let found: Vec<_> = skipped
        .take(MOST_READ)
        .filter(|(path, _)| has_it(path))
        .collect();
    let named: Vec<String> = found
        .iter()
        .take(MOST_NAMED)
        .map(|(path, why)| format!("{path} ({why})"))
        .collect();
    let more = found.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    (!found.is_empty()).then(|| {
        format!(
            "not indexed, has the name, and stays as it is: {}{more}",
            named.join(", ")
        )
    })
}

/// Only of what may be code.
fn why(skip: Skip) -> Option<&'static str> {
    match skip {
        Skip::Generated => Some("generated"),
        Skip::NotUtf8 => Some("not UTF-8"),
        Skip::TooLarge => Some("too large"),
        Skip::ParserCrashed | Skip::ParserTooSlow | Skip::ParserMemory => Some("its parser failed"),
        Skip::Binary | Skip::Minified | Skip::Secret | Skip::Unreadable => None,
    }
}

fn has_word(bytes: &[u8], word: &str) -> bool {
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
            has_word(b"\xe9 size(", "size")
                && has_word(b"size", "size")
                && has_word(b"resize size", "size")
        );
        assert!(!has_word(b"resize sizes size_of", "size"));
    }
}
