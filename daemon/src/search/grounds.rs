//! Whether a root has anything of what is asked: which words nothing has, and how near the nearest chunk is in meaning.
//!
//! A ranking always has a first. Whoever shows it has to know whether that is an answer. Nothing here changes an order.

use tantivy::TantivyError;

use super::lexical::Lexical;
use super::paths;
use super::question::{Concept, Origin, Question};
use super::rank::{Evidence, Ranked, Request};
use crate::index::snapshot::{Size, Snapshot};
use crate::store::text::words;

/// Chunks that are less near than this are near by chance. Measured with the built-in model, to whose scale all others
/// are brought: of 742 questions about anything else, asked of 18 public projects that have none of their words, the
/// nearest chunk is below it for 95 in a hundred; of 353 about the projects themselves it is above for 99.
const NEAR: f32 = 0.32;
/// Who has less of a question than this is told what is missing.
const ENOUGH: f32 = 0.5;

/// What there is of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Grounds {
    /// Half of it or more.
    #[default]
    Enough,
    /// Some of it; these words nothing has.
    Little(Vec<String>),
    /// None of its words, but something is near in meaning.
    Meaning(Vec<String>),
    /// Neither.
    Nothing(Vec<String>),
}

impl Grounds {
    /// What a ranking of these stands on.
    pub fn of(
        snapshot: &Snapshot,
        request: &Request<'_>,
        query: &str,
        found: &[Ranked],
    ) -> Result<Self, TantivyError> {
        let question = request.question;
        let Some(view) = snapshot
            .text
            .as_ref()
            .filter(|_| !question.concepts.is_empty())
        else {
            return Ok(Self::Enough);
        };
        if found.iter().any(|one| is_enough(one, question)) {
            return Ok(Self::Enough);
        }
        let Size { chunks, symbols } = snapshot.size();
        let lexical = Lexical::new(view, chunks, symbols)?;
        let wanted = |number| {
            let is_wanted = |file: usize| {
                request
                    .is_wanted
                    .is_none_or(|wanted| wanted.get(file) == Some(&true))
            };
            snapshot.by_number(number).is_some_and(is_wanted)
        };
        let wanted: Option<&dyn Fn(u64) -> bool> = request.is_wanted.map(|_| &wanted as _);
        let mut lacking: Vec<&Concept> = vec![];
        for concept in &question.concepts {
            let in_paths = || paths::has(snapshot.path_lexicon(), concept, request.is_wanted);
            if !lexical.has(concept, wanted)? && !in_paths() {
                lacking.push(concept);
            }
        }
        let missing: f32 = lacking.iter().map(|concept| concept.weight).sum();
        let all: f32 = question.concepts.iter().map(|concept| concept.weight).sum();
        if missing <= (1.0 - ENOUGH) * all {
            return Ok(Self::Enough);
        }
        let is_all = lacking.len() == question.concepts.len();
        let words = lacking
            .iter()
            .filter(|concept| concept.origin != Origin::Part);
        let words: Vec<String> = words
            .map(|concept| as_written(query, &concept.forms[0].0))
            .collect();
        Ok(if !is_all {
            Self::Little(words)
        } else if found.iter().any(|one| one.evidence.has_words()) {
            // Two words of the question may stand as one.
            Self::Enough
        } else if nearest(snapshot, request, found).is_some_and(|nearest| nearest >= NEAR) {
            Self::Meaning(words)
        } else {
            Self::Nothing(words)
        })
    }

    /// What all of them lack together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let both = |one: Vec<String>, other: &[String]| {
            one.into_iter()
                .filter(|word| other.contains(word))
                .collect()
        };
        match (self, other) {
            (Self::Enough, _) | (_, Self::Enough) => Self::Enough,
            (Self::Nothing(one), Self::Nothing(_)) => Self::Nothing(one),
            (Self::Nothing(one) | Self::Meaning(one), Self::Meaning(_))
            | (Self::Meaning(one), Self::Nothing(_)) => Self::Meaning(one),
            (Self::Little(one) | Self::Meaning(one) | Self::Nothing(one), Self::Little(other))
            | (Self::Little(one), Self::Meaning(other) | Self::Nothing(other)) => {
                Self::Little(both(one, &other))
            }
        }
    }
}

/// A chunk that has half of the question by itself, or is what it names.
fn is_enough(one: &Ranked, question: &Question) -> bool {
    one.is_definition
        || one.evidence.coverage >= ENOUGH
        || question.path.is_some() && one.evidence.exact > 0.0
}

impl Evidence {
    /// Whether a word of the question speaks for it, and not its meaning alone.
    pub fn has_words(&self) -> bool {
        let Self {
            body,
            coverage,
            doc,
            name,
            exact,
            path,
            meaning: _,
        } = *self;
        [body, coverage, doc, name, exact, path]
            .into_iter()
            .any(|much| much > 0.0)
    }
}

/// The cosine of the nearest chunk.
fn nearest(snapshot: &Snapshot, request: &Request<'_>, found: &[Ranked]) -> Option<f32> {
    let near = found
        .iter()
        .max_by(|one, other| one.evidence.meaning.total_cmp(&other.evidence.meaning))?;
    request
        .meaning?
        .compare_with(snapshot)
        .chunk_cosine(near.file, near.chunk)
}

/// A word as the query has it, large and small.
fn as_written(query: &str, lower: &str) -> String {
    let found = words(query)
        .map(|(_, word)| word)
        .find(|word| word.to_lowercase() == lower);
    found.unwrap_or(lower).to_owned()
}

#[cfg(test)]
mod tests;
