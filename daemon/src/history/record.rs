//! A commit as it is stored: its message without secrets and addresses, and the files and symbols that it changed.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::secrets;
use crate::source::git::CommitId;
use crate::store::text::{parts, words};

/// The most bytes of a message that are kept, and that are read.
const LONGEST_MESSAGE: usize = 2_000;
const LONGEST_READ: usize = 64 << 10;
const LONGEST_NAME: usize = 80;
/// The text in place of a secret.
const BLANKED: &str = "[secret]";

/// The number of a string in the [`StringTable`].
pub type StringId = u32;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    pub id: CommitId,
    pub parents: Vec<CommitId>,
    /// Seconds since 1970.
    pub seconds: i64,
    pub author: StringId,
    pub message: Box<str>,
    /// Sorted by path. A merge has none.
    pub files: Box<[FileChange]>,
    /// The commit changed more files than those in `files`.
    pub has_more_files: bool,
    /// The clone is shallow and has no parent to compare with.
    pub lacks_parent: bool,
    /// Computed by [`Commit::word_counts`].
    #[serde(skip)]
    pub words: WordCounts,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    pub path: StringId,
    pub kind: FileChangeKind,
    /// The path of a moved file before the commit.
    pub old_path: Option<StringId>,
    /// Definitions with changed lines: `Job.run`.
    pub symbols: Box<[StringId]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileChangeKind {
    Added,
    Modified,
    Deleted,
    Moved,
}

/// The word counts of a commit, computed when first needed. Comparisons of commits ignore them.
#[derive(Clone, Debug, Default)]
pub struct WordCounts(OnceLock<Box<[(u32, u8)]>>);

impl PartialEq for WordCounts {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for WordCounts {}

impl Commit {
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }

    /// Returns the message after its first line.
    pub fn body(&self) -> &str {
        let body = self.message.split_once('\n').map_or("", |(_, body)| body);
        body.trim()
    }

    /// Returns the hashes of the words of the message and of the changed symbols, sorted, each with its count. Words of
    /// the subject count twice.
    pub fn word_counts(&self, strings: &StringTable) -> &[(u32, u8)] {
        self.words.0.get_or_init(|| {
            let symbols = self.files.iter().flat_map(|file| file.symbols.iter());
            let symbols: BTreeSet<StringId> = symbols.copied().collect();
            let symbols = symbols.iter().map(|symbol| strings.get(*symbol));
            let texts = [&*self.message, self.subject()].into_iter().chain(symbols);
            let mut hashes: Vec<u32> = texts.flat_map(text_words).collect();
            hashes.sort_unstable();
            let mut counts: Vec<(u32, u8)> = vec![];
            for hash in hashes {
                match counts.last_mut() {
                    Some((last, count)) if *last == hash => *count = count.saturating_add(1),
                    _ => counts.push((hash, 1)),
                }
            }
            counts.into()
        })
    }

    /// Replaces string ids by those of another table.
    pub fn renumber(&mut self, number: impl Fn(StringId) -> StringId) {
        self.author = number(self.author);
        for file in &mut self.files {
            file.path = number(file.path);
            file.old_path = file.old_path.map(&number);
            for symbol in &mut file.symbols {
                *symbol = number(*symbol);
            }
        }
    }
}

/// Returns the hashes of the words of a text: whole identifiers, and their parts.
fn text_words(text: &str) -> Vec<u32> {
    let mut hashes = vec![];
    for (_, word) in words(text) {
        hashes.push(word_hash(&word.to_lowercase()));
        let inner = parts(word).filter(|part| part.len() < word.len());
        hashes.extend(inner.map(|part| word_hash(&word[part].to_lowercase())));
    }
    hashes
}

/// Returns the hash of a word in lower case.
pub fn word_hash(word: &str) -> u32 {
    // FNV-1a is fast for short words, and provoked collisions do no harm.
    word.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Interned strings that commits share: authors, paths, symbols.
#[derive(Clone, Debug, Default)]
pub struct StringTable {
    all: Vec<Arc<str>>,
    ids: HashMap<Arc<str>, StringId>,
}

impl StringTable {
    pub fn get(&self, id: StringId) -> &str {
        self.all.get(id as usize).map_or("", |string| string)
    }

    pub fn find(&self, string: &str) -> Option<StringId> {
        self.ids.get(string).copied()
    }

    /// Returns all strings with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (StringId, &str)> {
        (0..).zip(self.all.iter().map(|string| &**string))
    }

    pub fn add(&mut self, string: &str) -> StringId {
        if let Some(id) = self.ids.get(string) {
            return *id;
        }
        let id = StringId::try_from(self.all.len()).unwrap_or(StringId::MAX);
        let string: Arc<str> = string.into();
        self.all.push(Arc::clone(&string));
        self.ids.insert(string, id);
        id
    }
}

/// Commits, with the strings that their ids refer to.
#[derive(Default)]
pub struct Batch {
    pub strings: StringTable,
    pub commits: Vec<Commit>,
}

/// Returns a message as it is stored: without secrets, and without trailers that name people by their addresses.
pub fn clean_message(message: &str) -> Box<str> {
    let message = &message[..message.floor_char_boundary(LONGEST_READ)];
    let lines = message
        .trim()
        .lines()
        .filter(|line| !is_address_trailer(line));
    let mut text = lines.map(str::trim_end).collect::<Vec<_>>().join("\n");
    // Secrets first: a cut could leave a part of one that is not recognised.
    for (start, end) in secrets::find(&text).into_iter().rev() {
        text.replace_range(start as usize..end as usize, BLANKED);
    }
    text.truncate(text.floor_char_boundary(LONGEST_MESSAGE));
    text.truncate(text.trim_end().len());
    text.into()
}

/// Returns whether a line is a trailer with an address: `Signed-off-by: Ann <ann@example.com>`.
fn is_address_trailer(line: &str) -> bool {
    let trailer = line.split_once(": ").filter(|(key, value)| {
        let is_key = key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        is_key && value.trim_end().ends_with('>') && value.contains('@')
    });
    trailer.is_some()
}

/// Returns the name of an author without an address: `ann` for `ann@example.com`.
pub fn clean_author(name: &str) -> String {
    let name = name.split('<').next().unwrap_or(name).trim();
    let name = name.split('@').next().unwrap_or(name).trim();
    name.chars().take(LONGEST_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_lose_secrets_and_addresses() {
        let token = ["ghp_", "R2dQx7Lw9ZkT4mVn8YcB1sHj6FpA3uEe5GoK"].concat();
        let message = format!(
            "Rotate the token\n\nIt was {token} until now.  \n\nSigned-off-by: Ann <ann@example.com>\nFixes: #12\n"
        );
        assert_eq!(
            &*clean_message(&message),
            "Rotate the token\n\nIt was [secret] until now.\n\nFixes: #12"
        );
        assert!(clean_message(&"ü".repeat(3000)).len() <= LONGEST_MESSAGE);
        for (name, shown) in [
            ("Ann Lee", "Ann Lee"),
            ("ann@example.com", "ann"),
            ("Ann <ann@example.com>", "Ann"),
            ("", ""),
        ] {
            assert_eq!(clean_author(name), shown);
        }
    }

    #[test]
    fn words_are_counted_with_their_parts() {
        let mut strings = StringTable::default();
        let symbol = strings.add("Job.retryLater");
        let commit = Commit {
            message: "Retry the upload; parse_request\n\nThe body.".into(),
            files: [FileChange {
                path: strings.add("a.rs"),
                kind: FileChangeKind::Modified,
                old_path: None,
                symbols: [symbol].into(),
            }]
            .into(),
            ..Commit::default()
        };
        let counts = commit.word_counts(&strings);
        let count = |word: &str| {
            let found = counts.iter().find(|(hash, _)| *hash == word_hash(word));
            found.map_or(0, |(_, count)| *count)
        };
        assert_eq!(
            [
                "retry",
                "parse",
                "parse_request",
                "retrylater",
                "body",
                "zebra"
            ]
            .map(count),
            [3, 2, 2, 1, 1, 0]
        );
    }
}
