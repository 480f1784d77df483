//! The words of all paths of a snapshot, each with the files and folders that have it.
//!
//! It depends on which files there are, not on what is in them, so snapshots share it until a file comes or goes.

use std::collections::HashMap;
use std::sync::Arc;

use super::snapshot::IndexedFile;
use crate::store::text::{parts, words};

#[derive(Debug, Default)]
pub struct PathLexicon {
    /// In the order of their bytes.
    words: Vec<Word>,
    /// The folder of each file, by the file's place.
    folder_of: Vec<u32>,
    folders: usize,
}

#[derive(Debug)]
struct Word {
    text: Box<str>,
    /// Files in whose own name it is.
    files: Vec<u32>,
    /// Folders whose path has it.
    folders: Vec<u32>,
}

/// The files with a word.
#[derive(Clone, Copy)]
pub struct Having<'a> {
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
        Self {
            words,
            folder_of,
            folders,
        }
    }

    pub fn folders(&self) -> usize {
        self.folders
    }

    pub fn folder_of(&self, file: usize) -> usize {
        self.folder_of
            .get(file)
            .map_or(0, |folder| *folder as usize)
    }

    pub fn having(&self, word: &str) -> Option<Having<'_>> {
        let at = self
            .words
            .binary_search_by(|known| (*known.text).cmp(word))
            .ok()?;
        Some(self.words[at].having())
    }

    /// Longer words that begin so.
    pub fn beginning(&self, word: &str) -> impl Iterator<Item = Having<'_>> {
        let from = self.words.partition_point(|known| *known.text <= *word);
        self.words[from..]
            .iter()
            .take_while(move |known| known.text.starts_with(word))
            .map(Word::having)
    }
}

impl Word {
    fn having(&self) -> Having<'_> {
        Having {
            files: &self.files,
            folders: &self.folders,
        }
    }
}

/// Whole and in parts, in lower case.
fn folder_words(folder: &str) -> Vec<Box<str>> {
    let mut found: Vec<Box<str>> = vec![];
    for (_, word) in words(folder) {
        found.push(word.to_lowercase().into());
        found.extend(parts(word).map(|part| word[part].to_lowercase().into_boxed_str()));
    }
    found
}
