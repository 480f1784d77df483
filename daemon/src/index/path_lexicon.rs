//! An inverted index of the words in the paths of a snapshot.
//!
//! It depends on the paths alone, so snapshots share it until a file is added or removed.

use std::collections::HashMap;
use std::sync::Arc;

use super::snapshot::IndexedFile;
use crate::store::text::{parts, words};

#[derive(Debug, Default)]
pub struct PathLexicon {
    /// Sorted.
    words: Vec<Word>,
    /// The folder of each file.
    folder_of: Vec<u32>,
    folders: usize,
    /// The paths in lower case, each followed by [`END`], so that one search finds a part of a path in all of them.
    lower: String,
    /// The end of each path in `lower`.
    ends: Vec<usize>,
}

/// Separates paths, which cannot contain it.
const END: char = '\0';

#[derive(Debug)]
struct Word {
    text: Box<str>,
    /// Files whose own names contain the word.
    files: Vec<u32>,
    /// Folders with the word in their paths.
    folders: Vec<u32>,
}

/// The files and folders of a word.
#[derive(Clone, Copy)]
pub struct PathPostings<'a> {
    pub files: &'a [u32],
    pub folders: &'a [u32],
}

impl PathLexicon {
    pub fn new(files: &[Arc<IndexedFile>]) -> Self {
        let mut words_of: HashMap<Box<str>, (Vec<u32>, Vec<u32>)> = HashMap::new();
        let mut folder_of = Vec::with_capacity(files.len());
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        for (place, file) in (0_u32..).zip(files) {
            for word in &file.path_words().stem {
                match words_of.get_mut(word) {
                    Some(known) => known.0.push(place),
                    None => {
                        words_of.insert(word.clone(), (vec![place], vec![]));
                    }
                }
            }
            let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            let number = *numbers.entry(folder).or_insert(next);
            folder_of.push(number);
            if number == next {
                for word in folder_words(folder) {
                    let known = &mut words_of.entry(word).or_default().1;
                    if known.last() != Some(&number) {
                        known.push(number);
                    }
                }
            }
        }
        let folders = numbers.len();
        let mut words: Vec<Word> = words_of
            .into_iter()
            .map(|(text, (files, folders))| Word {
                text,
                files,
                folders,
            })
            .collect();
        words.sort_unstable_by(|one, other| one.text.cmp(&other.text));
        let (mut lower, mut ends) = (String::new(), Vec::with_capacity(files.len()));
        for file in files {
            if file.path.is_ascii() {
                lower.extend(file.path.chars().map(|letter| letter.to_ascii_lowercase()));
            } else {
                lower.push_str(&file.path.to_lowercase());
            }
            lower.push(END);
            ends.push(lower.len());
        }
        Self {
            words,
            folder_of,
            folders,
            lower,
            ends,
        }
    }

    /// Returns the files whose paths contain `part`, in their order. `part` is in lower case.
    pub fn files_containing<'a>(&'a self, part: &'a str) -> impl Iterator<Item = usize> + 'a {
        let finder = memchr::memmem::Finder::new(part.as_bytes());
        let (mut from, mut file) = (0, 0);
        std::iter::from_fn(move || {
            let at = from + finder.find(self.lower.as_bytes().get(from..)?)?;
            file += self.ends[file..].partition_point(|end| *end <= at);
            from = *self.ends.get(file)?;
            Some(file)
        })
    }

    pub fn folders(&self) -> usize {
        self.folders
    }

    pub fn folder_of(&self, file: usize) -> usize {
        self.folder_of
            .get(file)
            .map_or(0, |folder| *folder as usize)
    }

    pub fn postings(&self, word: &str) -> Option<PathPostings<'_>> {
        let at = self
            .words
            .binary_search_by(|known| (*known.text).cmp(word))
            .ok()?;
        Some(self.words[at].postings())
    }

    /// Returns the postings of longer words with this prefix.
    pub fn postings_by_prefix(&self, word: &str) -> impl Iterator<Item = PathPostings<'_>> {
        let from = self.words.partition_point(|known| *known.text <= *word);
        self.words[from..]
            .iter()
            .take_while(move |known| known.text.starts_with(word))
            .map(Word::postings)
    }
}

impl Word {
    fn postings(&self) -> PathPostings<'_> {
        PathPostings {
            files: &self.files,
            folders: &self.folders,
        }
    }
}

/// Returns the words of a path and their parts, in lower case.
fn folder_words(folder: &str) -> Vec<Box<str>> {
    let mut found: Vec<Box<str>> = vec![];
    for (_, word) in words(folder) {
        found.push(word.to_lowercase().into());
        found.extend(parts(word).map(|part| word[part].to_lowercase().into_boxed_str()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ledger::record::{FileRecord, FileState, Skip};

    #[test]
    fn files_are_found_by_a_part_of_their_paths_in_any_case() {
        let file = |path: &str| {
            let record = FileRecord::with_state(FileState::Skipped(Skip::Binary));
            let path = path.to_owned();
            Arc::new(IndexedFile::new(path, record, None, Arc::default()))
        };
        let files = ["a/Store.rs", "a/text.rs", "b/store/STORE.md", "b/Größe.rs"].map(file);
        let lexicon = PathLexicon::new(&files);
        let found = |part: &str| lexicon.files_containing(part).collect::<Vec<_>>();
        assert_eq!(found("store"), [0, 2]);
        assert_eq!(found("größe"), [3]);
        assert_eq!(found("a/"), [0, 1]);
        assert_eq!(found(".rs"), [0, 1, 3]);
        assert_eq!(found(""), [0, 1, 2, 3]);
        // The end of one path and the start of the next.
        assert!(found("rsa").is_empty() && found("missing").is_empty());
    }
}
