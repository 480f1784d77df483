//! Questions about a project, taken from its own files: names, words of its comments, pieces of its lines. The same
//! files give the same questions.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use claudevil_protocol::tools::search::SearchMode;
use claudevil_tests::chance::Chance;

const SEED: u64 = 1;
/// Files that are read: enough for thousands of questions.
const MAX_FILES: usize = 2000;
const LARGEST: u64 = 256 << 10;
/// Number of draws of each kind from a file; more where there are few files.
const FEW_DRAWS: usize = 5;
/// The beginnings of comments, which are followed by words of prose.
const COMMENTS: [&str; 7] = ["///", "//", "#", "* ", "\"\"\"", "--", ";"];

#[derive(Default)]
pub struct Questions {
    names: Vec<String>,
    auto: Vec<String>,
    semantic: Vec<String>,
    keyword: Vec<String>,
    literal: Vec<String>,
    regex: Vec<String>,
}

/// The words that questions are made of.
#[derive(Default)]
struct Material {
    names: BTreeSet<String>,
    /// A few words of a comment each.
    phrases: BTreeSet<String>,
    /// A piece of a line each.
    pieces: BTreeSet<String>,
    /// Two names of one file each.
    pairs: BTreeSet<(String, String)>,
}

impl Questions {
    /// Draws this many questions of each mode; some come twice if the project has too few.
    pub fn from_files(folder: &Path, files: &BTreeSet<PathBuf>, each: usize) -> Self {
        let mut chance = Chance::new(SEED);
        let mut material = Material::default();
        let files: Vec<&PathBuf> = files.iter().collect();
        let files = some(&files, MAX_FILES, &mut chance);
        let draws = FEW_DRAWS.max(3 * each / files.len().max(1));
        for path in files {
            let path = folder.join(path);
            let is_fitting = |found: &fs::Metadata| found.is_file() && found.len() <= LARGEST;
            if fs::symlink_metadata(&path).is_ok_and(|found| is_fitting(&found))
                && let Ok(text) = fs::read_to_string(&path)
            {
                material.read(&text, draws, &mut chance);
            }
        }
        material.questions(each, &mut chance)
    }

    /// Returns the names in the code, each once.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub fn for_mode(&self, mode: SearchMode) -> &[String] {
        match mode {
            SearchMode::Auto => &self.auto,
            SearchMode::Semantic => &self.semantic,
            SearchMode::Keyword => &self.keyword,
            SearchMode::Literal => &self.literal,
            SearchMode::Regex => &self.regex,
        }
    }
}

impl Material {
    fn read(&mut self, text: &str, draws: usize, chance: &mut Chance) {
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| (12..200).contains(&line.len()))
            .collect();
        let code: Vec<&str> = lines
            .iter()
            .copied()
            .filter(|line| comment(line).is_none())
            .collect();
        let names: Vec<&str> = code.iter().flat_map(|line| names(line)).collect();
        if names.len() < 2 {
            return;
        }
        for _ in 0..draws {
            let (one, other) = (*chance.one_of(&names), *chance.one_of(&names));
            self.names.insert(one.to_owned());
            if one != other {
                self.pairs.insert((one.to_owned(), other.to_owned()));
            }
            let line = *chance.one_of(&code);
            self.pieces.insert(
                line.chars()
                    .take(30)
                    .collect::<String>()
                    .trim_end()
                    .to_owned(),
            );
        }
        let comments: Vec<Vec<&str>> = lines
            .iter()
            .filter_map(|line| comment(line))
            .filter(|words| words.len() >= 4)
            .collect();
        for _ in 0..draws.min(comments.len()) {
            let words = chance.one_of(&comments);
            let from = chance.below(words.len() - 3);
            self.phrases.insert(
                words[from..]
                    .iter()
                    .take(6)
                    .copied()
                    .collect::<Vec<_>>()
                    .join(" "),
            );
        }
    }

    fn questions(self, each: usize, chance: &mut Chance) -> Questions {
        let mut take =
            |from: BTreeSet<String>| some(&from.into_iter().collect::<Vec<_>>(), each, chance);
        let (names, phrases, pieces) = (take(self.names), take(self.phrases), take(self.pieces));
        let pairs = some(&self.pairs.into_iter().collect::<Vec<_>>(), each, chance);
        // A project without comments is asked by its names.
        let phrases = if phrases.is_empty() {
            names.clone()
        } else {
            phrases
        };
        let phrase = |at: usize| phrases[at % phrases.len()].clone();
        let mixed = |(at, name): (usize, &String)| {
            if at.is_multiple_of(2) {
                name.clone()
            } else {
                phrase(at / 2)
            }
        };
        // Numbered after they are repeated, so that a name that comes twice is not asked for in the same way.
        Questions {
            names: names.clone(),
            auto: names
                .iter()
                .cycle()
                .take(each)
                .enumerate()
                .map(mixed)
                .collect(),
            semantic: phrases.iter().cycle().take(each).cloned().collect(),
            keyword: pairs
                .iter()
                .cycle()
                .take(each)
                .enumerate()
                .map(|(at, pair)| keyword(at, pair, &phrase(at)))
                .collect(),
            literal: pieces.iter().cycle().take(each).cloned().collect(),
            regex: names
                .iter()
                .cycle()
                .take(each)
                .enumerate()
                .map(|(at, name)| pattern(at, name))
                .collect(),
        }
    }
}

fn keyword(at: usize, (one, other): &(String, String), phrase: &str) -> String {
    match at % 4 {
        0 => format!("{one} AND {other}"),
        1 => format!("{one} OR {other}"),
        2 => format!("symbol:{one}"),
        _ => format!(
            "\"{}\"",
            phrase.split(' ').take(2).collect::<Vec<_>>().join(" ")
        ),
    }
}

/// Returns a pattern that finds a name. Names are of letters, digits and `_`, so nothing in them has to be escaped.
fn pattern(at: usize, name: &str) -> String {
    match at % 3 {
        0 => format!(r"\b{}\w*\b", &name[..name.len().min(6)]),
        1 => format!(r"{name}\s*[(:={{]"),
        _ => format!("(?i){name}"),
    }
}

/// Returns the words of a line that is a comment, if they are nothing but words.
fn comment(line: &str) -> Option<Vec<&str>> {
    let text = COMMENTS.iter().find_map(|mark| line.strip_prefix(mark))?;
    let words = text
        .trim_start_matches(['/', '!', '#', '*', ' '])
        .split(' ');
    let is_word = |word: &&str| !word.is_empty() && word.chars().all(char::is_alphanumeric);
    Some(
        words
            .map(|word| word.trim_end_matches([',', '.', ':', ';']))
            .take_while(is_word)
            .collect(),
    )
}

fn names(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.filter(|word| {
        (6..40).contains(&word.len())
            && word.starts_with(|letter: char| letter.is_ascii_alphabetic())
    })
}

/// Returns some items of a list in random order, none twice.
fn some<T: Clone>(all: &[T], most: usize, chance: &mut Chance) -> Vec<T> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    let most = most.min(order.len());
    for at in 0..most {
        let other = at + chance.below(order.len() - at);
        order.swap(at, other);
    }
    order[..most].iter().map(|at| all[*at].clone()).collect()
}
