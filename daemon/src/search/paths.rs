//! How well a path fits a question: the words of the file's name and of its folders.

use std::collections::HashMap;

use super::question::{Origin, Question};
use super::weights::{FACTORS, PAIR_IN_STEM};
use crate::index::path_words::{Custom, PathWords};
use crate::store::text::{parts, words};

/// What the score of a file's chunks is multiplied with.
pub fn factor(custom: Custom, question: &Question) -> f32 {
    let mut factor = 1.0;
    let mut apply = |applies: bool, by: f32| factor *= if applies { by } else { 1.0 };
    apply(custom.is_test && !question.about_tests, FACTORS.test);
    apply(custom.is_example, FACTORS.example);
    apply(custom.is_legacy, FACTORS.legacy);
    apply(custom.is_declaration, FACTORS.declaration);
    apply(custom.is_data, FACTORS.data);
    factor
}

/// How well a path fits a question, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PathFit {
    pub stem: f32,
    /// The same, times how much of the file's name is asked for.
    pub whole_stem: f32,
    pub path: f32,
}

/// Compares the paths of many files with one question.
pub struct PathMatcher<'a> {
    question: &'a Question,
    /// How rare each concept is.
    rarity: &'a [f32],
    total: f32,
    exact: HashMap<&'a str, Vec<(usize, f32)>>,
    known: HashMap<Box<str>, Vec<(usize, f32)>>,
    /// The folder of the file before, whose files come one after the other, and what it has of each concept.
    folder: (String, Vec<f32>),
}

/// A part of a path that is a beginning of the word asked for, or the other way round.
const BEGINNING: f32 = 0.75;
const SHORT_BEGINNING: f32 = 0.6;
const LONGER: f32 = 0.7;

impl<'a> PathMatcher<'a> {
    pub fn new(question: &'a Question, rarity: &'a [f32]) -> Self {
        let mut exact: HashMap<&str, Vec<(usize, f32)>> = HashMap::new();
        for (concept, at) in question.concepts.iter().zip(0..) {
            for (form, counts) in &concept.forms {
                exact.entry(form).or_default().push((at, *counts));
            }
        }
        let total = rarity.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let nothing = vec![0.0; question.concepts.len()];
        Self { question, rarity, total, exact, known: HashMap::new(), folder: (String::new(), nothing) }
    }

    pub fn fit(&mut self, path: &str, words: &PathWords) -> PathFit {
        let concepts = self.question.concepts.len();
        let mut stem = [0.0_f32; MOST_CONCEPTS];
        for word in &words.stem {
            for (concept, counts) in self.matches(word) {
                stem[*concept] = stem[*concept].max(*counts);
            }
        }
        self.enter(path.rsplit_once('/').map_or("", |(folder, _)| folder));
        let (mut in_stem, mut in_path, mut matched) = (0.0, 0.0, 0.0);
        for at in 0..concepts.min(MOST_CONCEPTS) {
            in_stem += self.rarity[at] * stem[at];
            in_path += self.rarity[at] * stem[at].max(self.folder.1[at]);
            if self.question.concepts[at].origin != Origin::Whole {
                matched += stem[at];
            }
        }
        let is_pair =
            |forms: &Vec<(String, f32)>| forms.iter().any(|(form, _)| words.stem.iter().any(|word| **word == **form));
        let pair = if self.question.pairs.iter().any(is_pair) { PAIR_IN_STEM } else { 0.0 };
        let stem = (in_stem / self.total + pair).min(1.0);
        let share = (matched / f32::from(words.parts)).min(1.0);
        PathFit { stem, whole_stem: stem * share, path: in_path / self.total }
    }

    /// Makes a folder the current one.
    fn enter(&mut self, folder: &str) {
        if self.folder.0 == folder {
            return;
        }
        let mut has = vec![0.0_f32; self.question.concepts.len()];
        for (_, word) in words(folder) {
            let whole = word.to_lowercase();
            let inner = parts(word).map(|part| word[part].to_lowercase());
            for word in inner.chain([whole]) {
                for (concept, counts) in self.matches(&word) {
                    has[*concept] = has[*concept].max(*counts);
                }
            }
        }
        self.folder = (folder.to_owned(), has);
    }

    /// The concepts that a word of a path stands for.
    fn matches(&mut self, word: &str) -> &[(usize, f32)] {
        if !self.known.contains_key(word) {
            let mut found = self.exact.get(word).cloned().unwrap_or_default();
            for (concept, at) in self.question.concepts.iter().zip(0..MOST_CONCEPTS) {
                let asked = concept.forms[0].0.as_str();
                if word.len() >= 3 && asked.len() > word.len() && asked.starts_with(word) {
                    found.push((at, if word.len() > 3 { BEGINNING } else { SHORT_BEGINNING }));
                } else if asked.len() >= 4 && word.len() > asked.len() && word.starts_with(asked) {
                    found.push((at, LONGER));
                }
            }
            found.retain(|(at, _)| *at < MOST_CONCEPTS);
            self.known.insert(word.into(), found);
        }
        &self.known[word]
    }
}

/// Of a longer question only the first words are compared with paths.
const MOST_CONCEPTS: usize = 48;

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(query: &str, path: &str) -> PathFit {
        let question = Question::new(query);
        let rarity = vec![1.0; question.concepts.len()];
        PathMatcher::new(&question, &rarity).fit(path, &PathWords::new(path, None))
    }

    #[test]
    fn a_name_that_is_all_about_the_question_fits_best() {
        let whole = fit("how the handler stack wraps middleware", "src/HandlerStack.php");
        let part = fit("how the handler stack wraps middleware", "src/HandlerConfigurationFactory.php");
        assert!(whole.whole_stem > 2.0 * part.whole_stem, "{whole:?} {part:?}");
        assert!(fit("authentication", "src/auth.rs").stem > 0.5);
        assert!(fit("config", "src/configuration.rs").stem > 0.5);
        assert_eq!(fit("render", "src/parse.rs"), PathFit::default());
    }

    #[test]
    fn folders_count_and_stand_in_for_files_without_a_name() {
        let folder = fit("routing table", "src/routing/method.rs");
        assert!(folder.stem == 0.0 && folder.path > 0.0, "{folder:?}");
        assert!(fit("routing table", "src/routing/mod.rs").stem > 0.0);
        assert!(fit("hash map", "src/hashmap.rs").stem > 0.0);
    }
}
