//! Scores how well paths match a question: by the words of the file's name and of its folders.

use std::collections::HashSet;

use super::question::{Concept, Origin, Question};
use super::weights::{FACTORS, PAIR_IN_STEM};
use crate::index::number_map::NumberMap;
use crate::index::path_lexicon::{PathLexicon, PathPostings};
use crate::index::path_words::{PathConvention, PathConventions, PathWords};

/// Returns the factor for the scores of all chunks of a file.
pub fn factor(conventions: PathConventions, question: &Question) -> f32 {
    let factor = |custom| match custom {
        PathConvention::Test if question.about_tests => 1.0,
        PathConvention::Test => FACTORS.test,
        PathConvention::Example => FACTORS.example,
        PathConvention::Legacy => FACTORS.legacy,
        PathConvention::Declaration => FACTORS.declaration,
        PathConvention::Data => FACTORS.data,
        PathConvention::Copy => FACTORS.copy,
    };
    conventions.iter().map(factor).product()
}

/// The shares of a question that a path contains, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PathScore {
    pub stem: f32,
    /// `stem` times the share of the file's name that the question contains.
    pub whole_stem: f32,
    pub path: f32,
}

/// The factor of a part of a path that is a prefix of a query word, `conf` for `config`.
const PREFIX: f32 = 0.75;
const SHORT_PREFIX: f32 = 0.6;
/// The factor of a query word that is a prefix of a part of a path, `config` for `configuration`.
const LONGER: f32 = 0.7;
const SHORTEST_PREFIX: usize = 3;
const SHORTEST_QUERY_WORD: usize = 4;

/// Scores the paths of a snapshot for one question.
pub struct PathScorer<'a> {
    lexicon: &'a PathLexicon,
    /// The position of the first factor of each file whose own name matches any concept.
    stem_starts: NumberMap<u32, usize>,
    /// The factor of each concept, file after file.
    stems: Vec<f32>,
    /// By folder and then by concept.
    folders: Vec<f32>,
    /// Files in whose name two words of the question are written as one.
    pairs: HashSet<u32>,
    rarity: &'a [f32],
    total: f32,
    /// By concept. A name is a concept, and each of its parts is one too; only the parts count for the matched share of a
    /// file's name.
    is_counted: Vec<bool>,
}

impl<'a> PathScorer<'a> {
    /// Prepares the scores for a question; `rarity` is the rarity of each concept. The name of the root is no evidence beside
    /// other words.
    pub fn new(
        lexicon: &'a PathLexicon,
        question: &Question,
        rarity: &'a [f32],
        root_name: &str,
    ) -> Self {
        let concepts = question.concepts.len();
        let mut scorer = Self {
            lexicon,
            stem_starts: NumberMap::default(),
            stems: vec![],
            folders: vec![0.0; lexicon.folders() * concepts],
            pairs: HashSet::new(),
            rarity,
            total: rarity.iter().sum::<f32>().max(f32::MIN_POSITIVE),
            is_counted: question
                .concepts
                .iter()
                .map(|concept| concept.origin != Origin::Whole)
                .collect(),
        };
        let is_root = |concept: &&Concept| concept.forms[0].0.eq_ignore_ascii_case(root_name);
        let has_others = question
            .concepts
            .iter()
            .any(|one| one.origin != Origin::Whole && !is_root(&one));
        let ignored = if has_others {
            root_name.to_lowercase()
        } else {
            String::new()
        };
        for (at, concept) in question.concepts.iter().enumerate() {
            if has_others && is_root(&concept) {
                continue;
            }
            for (paths, factor) in paths_with(lexicon, concept, &ignored) {
                scorer.add(at, paths, factor);
            }
        }
        for (form, _) in question.pairs.iter().flatten() {
            let paths = lexicon.postings(form).into_iter();
            scorer.pairs.extend(paths.flat_map(|paths| paths.files));
        }
        scorer
    }

    fn add(&mut self, concept: usize, paths: PathPostings<'_>, factor: f32) {
        let concepts = self.rarity.len();
        for file in paths.files {
            let start = *self.stem_starts.entry(*file).or_insert_with(|| {
                let start = self.stems.len();
                self.stems.resize(start + concepts, 0.0);
                start
            });
            let own = &mut self.stems[start + concept];
            *own = own.max(factor);
        }
        for folder in paths.folders {
            let own = &mut self.folders[*folder as usize * concepts + concept];
            *own = own.max(factor);
        }
    }

    /// Returns the files whose own name matches any part of the question.
    pub fn files(&self) -> impl Iterator<Item = usize> {
        let by_pairs = self
            .pairs
            .iter()
            .filter(|file| !self.stem_starts.contains_key(file));
        self.stem_starts
            .keys()
            .chain(by_pairs)
            .map(|file| *file as usize)
    }

    pub fn score(&self, file: usize, words: &PathWords) -> PathScore {
        let concepts = self.rarity.len();
        let stem = self.stem_factors(file);
        let folder = &self.folders[self.lexicon.folder_of(file) * concepts..][..concepts];
        let in_path: f32 = (0..concepts)
            .map(|at| self.rarity[at] * stem.map_or(0.0, |stem| stem[at]).max(folder[at]))
            .sum();
        PathScore {
            path: in_path / self.total,
            ..self.stem_score(file, words)
        }
    }

    /// Returns the score of a file's own name, without its folders.
    pub fn stem_score(&self, file: usize, words: &PathWords) -> PathScore {
        let (mut in_stem, mut matched) = (0.0, 0.0);
        for (at, own) in self.stem_factors(file).into_iter().flatten().enumerate() {
            in_stem += self.rarity[at] * own;
            if self.is_counted[at] {
                matched += own;
            }
        }
        let has_pair = u32::try_from(file).is_ok_and(|file| self.pairs.contains(&file));
        let pair = if has_pair { PAIR_IN_STEM } else { 0.0 };
        let stem = (in_stem / self.total + pair).min(1.0);
        let share = (matched / f32::from(words.parts)).min(1.0);
        PathScore {
            stem,
            whole_stem: stem * share,
            path: 0.0,
        }
    }

    /// Returns the factor of each concept in a file's own name, if it matches any.
    fn stem_factors(&self, file: usize) -> Option<&[f32]> {
        let start = *self.stem_starts.get(&u32::try_from(file).ok()?)?;
        Some(&self.stems[start..][..self.rarity.len()])
    }
}

/// Returns whether the path of any allowed file contains a concept.
pub fn has_concept(lexicon: &PathLexicon, concept: &Concept, files: Option<&[bool]>) -> bool {
    let has = |numbers: &[u32], number: usize| {
        u32::try_from(number).is_ok_and(|number| numbers.contains(&number))
    };
    paths_with(lexicon, concept, "").any(|(paths, _)| match files {
        None => !paths.files.is_empty() || !paths.folders.is_empty(),
        Some(allowed) => (0..allowed.len())
            .filter(|file| allowed[*file])
            .any(|file| has(paths.files, file) || has(paths.folders, lexicon.folder_of(file))),
    })
}

/// Returns the files and folders whose names contain a concept, in any form or by a prefix, with the factor of each match. A
/// prefix that is `ignored` does not count: `shop` of `shop_config`.
fn paths_with<'a>(
    lexicon: &'a PathLexicon,
    concept: &Concept,
    ignored: &str,
) -> impl Iterator<Item = (PathPostings<'a>, f32)> {
    let word = concept.forms[0].0.as_str();
    let forms = concept
        .forms
        .iter()
        .filter_map(|(form, factor)| Some((lexicon.postings(form)?, *factor)));
    let prefixes = word
        .char_indices()
        .filter(|(end, _)| *end >= SHORTEST_PREFIX && word[..*end] != *ignored)
        .filter_map(|(end, _)| {
            let factor = if end > SHORTEST_PREFIX {
                PREFIX
            } else {
                SHORT_PREFIX
            };
            Some((lexicon.postings(&word[..end])?, factor))
        });
    let longer = (word.len() >= SHORTEST_QUERY_WORD)
        .then(|| {
            lexicon
                .postings_by_prefix(word)
                .map(|paths| (paths, LONGER))
        })
        .into_iter()
        .flatten();
    forms.chain(prefixes).chain(longer)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::index::snapshot::IndexedFile;
    use crate::store::ledger::record::{FileRecord, FileState, Skip};

    fn score(query: &str, path: &str) -> PathScore {
        let question = Question::new(query);
        let rarity = vec![1.0; question.concepts.len()];
        let state = FileState::Skipped(Skip::Binary);
        let record = FileRecord {
            size: 0,
            modified_nanos: 0,
            stamp: 0,
            hash: [0; 16],
            language: None,
            state,
        };
        let file = Arc::new(IndexedFile::new(
            path.to_owned(),
            record,
            None,
            Arc::default(),
        ));
        let lexicon = PathLexicon::new(&[Arc::clone(&file)]);
        PathScorer::new(&lexicon, &question, &rarity, "shop").score(0, file.path_words())
    }

    #[test]
    fn a_file_name_that_matches_whole_scores_best() {
        let whole = score(
            "how the handler stack wraps middleware",
            "src/HandlerStack.php",
        );
        let part = score(
            "how the handler stack wraps middleware",
            "src/HandlerConfigurationFactory.php",
        );
        assert!(
            whole.whole_stem > 2.0 * part.whole_stem,
            "{whole:?} {part:?}"
        );
        assert!(score("authentication", "src/auth.rs").stem > 0.5);
        assert!(score("config", "src/configuration.rs").stem > 0.5);
        assert_eq!(score("render", "src/parse.rs"), PathScore::default());
    }

    #[test]
    fn the_name_of_the_root_is_no_evidence_beside_other_words() {
        let beside = score("shop config", "src/shop.rs");
        assert_eq!(beside, PathScore::default());
        assert_eq!(score("SHOP_CONFIG", "src/shop.rs"), PathScore::default());
        assert!(score("shop", "src/shop.rs").stem > 0.5);
        assert!(score("shop config", "src/config.rs").stem > 0.4);
    }

    #[test]
    fn a_folder_names_files_such_as_mod_rs() {
        let folder = score("routing table", "src/routing/method.rs");
        assert!(folder.stem == 0.0 && folder.path > 0.0, "{folder:?}");
        assert!(score("routing table", "src/routing/mod.rs").stem > 0.0);
        assert!(score("hash map", "src/hashmap.rs").stem > 0.0);
    }
}
