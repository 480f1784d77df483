//! How well a path fits a question: the words of the file's name and of its folders.

use std::collections::HashSet;

use super::question::{Concept, Origin, Question};
use super::weights::{FACTORS, PAIR_IN_STEM};
use crate::index::number_map::NumberMap;
use crate::index::path_lexicon::{Having, PathLexicon};
use crate::index::path_words::{Custom, Customs, PathWords};

/// What the score of a file's chunks is multiplied with.
pub fn factor(customs: Customs, question: &Question) -> f32 {
    let factor = |custom| match custom {
        Custom::Test if question.about_tests => 1.0,
        Custom::Test => FACTORS.test,
        Custom::Example => FACTORS.example,
        Custom::Legacy => FACTORS.legacy,
        Custom::Declaration => FACTORS.declaration,
        Custom::Data => FACTORS.data,
        Custom::Copy => 1.0,
    };
    customs.iter().map(factor).product()
}

/// How well a path fits a question, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PathFit {
    pub stem: f32,
    /// The same, times how much of the file's name is asked for.
    pub whole_stem: f32,
    pub path: f32,
}

/// A part of a path that is a beginning of the word asked for, or the other way round.
const BEGINNING: f32 = 0.75;
const SHORT_BEGINNING: f32 = 0.6;
const LONGER: f32 = 0.7;
const SHORTEST_BEGINNING: usize = 3;
const SHORTEST_ASKED: usize = 4;

/// What the paths of a snapshot have of a question.
pub struct PathFits<'a> {
    lexicon: &'a PathLexicon,
    /// By file and then by concept, only of files whose own name has any.
    stems: NumberMap<u32, Vec<f32>>,
    /// By folder and then by concept.
    folders: Vec<f32>,
    /// Files in whose name two words of the question stand as one.
    pairs: HashSet<u32>,
    rarity: &'a [f32],
    total: f32,
    /// Of names both the whole and its parts are asked for; only the parts say how much of a path was.
    is_counted: Vec<bool>,
}

impl<'a> PathFits<'a> {
    /// `rarity` is how rare each concept is.
    pub fn new(lexicon: &'a PathLexicon, question: &Question, rarity: &'a [f32]) -> Self {
        let concepts = question.concepts.len();
        let mut fits = Self {
            lexicon,
            stems: NumberMap::default(),
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
        for (at, concept) in question.concepts.iter().enumerate() {
            for (having, counts) in having(lexicon, concept) {
                fits.note(at, having, counts);
            }
        }
        for form in question.pairs.iter().flatten() {
            fits.pairs.extend(
                lexicon
                    .having(&form.0)
                    .into_iter()
                    .flat_map(|having| having.files),
            );
        }
        fits
    }

    fn note(&mut self, concept: usize, having: Having<'_>, counts: f32) {
        let concepts = self.rarity.len();
        for file in having.files {
            let has = &mut self
                .stems
                .entry(*file)
                .or_insert_with(|| vec![0.0; concepts])[concept];
            *has = has.max(counts);
        }
        for folder in having.folders {
            let has = &mut self.folders[*folder as usize * concepts + concept];
            *has = has.max(counts);
        }
    }

    /// Files whose own name has something of the question.
    pub fn files(&self) -> impl Iterator<Item = usize> {
        self.stems
            .keys()
            .chain(
                self.pairs
                    .iter()
                    .filter(|file| !self.stems.contains_key(file)),
            )
            .map(|file| *file as usize)
    }

    pub fn fit(&self, file: usize, words: &PathWords) -> PathFit {
        let number = u32::try_from(file).unwrap_or(u32::MAX);
        let concepts = self.rarity.len();
        let stem = self.stems.get(&number);
        let folder = &self.folders[self.lexicon.folder_of(file) * concepts..][..concepts];
        let (mut in_stem, mut in_path, mut matched) = (0.0, 0.0, 0.0);
        for at in 0..concepts {
            let own = stem.map_or(0.0, |stem| stem[at]);
            in_stem += self.rarity[at] * own;
            in_path += self.rarity[at] * own.max(folder[at]);
            if self.is_counted[at] {
                matched += own;
            }
        }
        let pair = if self.pairs.contains(&number) {
            PAIR_IN_STEM
        } else {
            0.0
        };
        let stem = (in_stem / self.total + pair).min(1.0);
        let share = (matched / f32::from(words.parts)).min(1.0);
        PathFit {
            stem,
            whole_stem: stem * share,
            path: in_path / self.total,
        }
    }
}

/// Whether the path of any file has a concept, of those that are wanted by their place.
pub fn has(lexicon: &PathLexicon, concept: &Concept, is_wanted: Option<&[bool]>) -> bool {
    let has = |having: &Having<'_>, file: usize| {
        let is_one = |numbers: &[u32], number| {
            u32::try_from(number).is_ok_and(|number| numbers.contains(&number))
        };
        is_one(having.files, file) || is_one(having.folders, lexicon.folder_of(file))
    };
    having(lexicon, concept).any(|(having, _)| match is_wanted {
        None => !having.files.is_empty() || !having.folders.is_empty(),
        Some(wanted) => (0..wanted.len())
            .filter(|file| wanted[*file])
            .any(|file| has(&having, file)),
    })
}

/// What has a concept in its path, whole, by its beginning or as one, and how much that counts.
fn having<'a>(
    lexicon: &'a PathLexicon,
    concept: &Concept,
) -> impl Iterator<Item = (Having<'a>, f32)> {
    let asked = concept.forms[0].0.as_str();
    let forms = concept
        .forms
        .iter()
        .filter_map(|(form, counts)| Some((lexicon.having(form)?, *counts)));
    let beginnings = asked
        .char_indices()
        .filter(|(end, _)| *end >= SHORTEST_BEGINNING)
        .filter_map(|(end, _)| {
            let counts = if end > SHORTEST_BEGINNING {
                BEGINNING
            } else {
                SHORT_BEGINNING
            };
            Some((lexicon.having(&asked[..end])?, counts))
        });
    let is_long = asked.len() >= SHORTEST_ASKED;
    let longer = is_long
        .then(|| lexicon.beginning(asked).map(|having| (having, LONGER)))
        .into_iter()
        .flatten();
    forms.chain(beginnings).chain(longer)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::index::snapshot::IndexedFile;
    use crate::store::ledger::record::{FileRecord, FileState, Skip};

    fn fit(query: &str, path: &str) -> PathFit {
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
        PathFits::new(&lexicon, &question, &rarity).fit(0, file.path_words())
    }

    #[test]
    fn a_name_that_is_all_about_the_question_fits_best() {
        let whole = fit(
            "how the handler stack wraps middleware",
            "src/HandlerStack.php",
        );
        let part = fit(
            "how the handler stack wraps middleware",
            "src/HandlerConfigurationFactory.php",
        );
        assert!(
            whole.whole_stem > 2.0 * part.whole_stem,
            "{whole:?} {part:?}"
        );
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
