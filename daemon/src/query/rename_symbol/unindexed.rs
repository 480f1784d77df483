//! Notes the files that are not indexed but contain the name, because its meaning there is unknown.

use claudevil_protocol::text::quantity::count;

use crate::change::LARGEST_FILE;
use crate::query::shared::graph_root::GraphRoot;
use crate::store::ledger::record::Skip;

/// The most files that are searched.
const MAX_READ: usize = 5000;
const MAX_LISTED: usize = 5;

pub fn note_on_unindexed_files(linked: &GraphRoot<'_>, name: &str) -> Option<String> {
    let skipped = linked
        .indexed
        .snapshot
        .files
        .iter()
        .filter_map(|file| Some((file.path.as_str(), reason_to_skip_code(file.skip()?)?)));
    let contains_name = |path: &str| {
        linked
            .dir()
            .read(path, LARGEST_FILE)
            .is_some_and(|bytes| contains_word(&bytes, name))
    };
    let unread = skipped.clone().count().saturating_sub(MAX_READ);
    let found: Vec<_> = skipped
        .take(MAX_READ)
        .filter(|(path, _)| contains_name(path))
        .collect();
    let listed: Vec<String> = found
        .iter()
        .take(MAX_LISTED)
        .map(|(path, reason)| format!("{path} ({reason})"))
        .collect();
    let more = found.len().saturating_sub(MAX_LISTED);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let found = (!found.is_empty()).then(|| {
        let listed = listed.join(", ");
        format!("not indexed, has the name, and stays as it is: {listed}{more}")
    });
    let unread =
        (unread > 0).then(|| format!("{} not searched", count(unread as u64, "unindexed file")));
    let notes: Vec<String> = found.into_iter().chain(unread).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
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
