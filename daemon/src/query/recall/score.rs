//! How well notes fit a query: which of its words they have, how rare these are among the notes, and how near they are in
//! meaning. Pure.

use crate::memory::TermCounts;
use crate::search::question::{Concept, Question};

/// How much words count against meaning.
const WORDS: f32 = 0.65;
const MEANING: f32 = 0.35;
/// What is no nearer has nothing to do with it, unless it has the words.
const LEAST_NEAR: f32 = 0.35;
/// What is far behind the best is not worth showing.
const LEAST_OF_BEST: f32 = 0.25;
/// A second time says less than the first.
const SATURATION: f32 = 0.4;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scored {
    /// 0 to 1 with two decimals.
    Worth(f64),
    Unrelated,
}

/// A note that is to be ranked.
pub struct Candidate {
    pub name: String,
    /// Milliseconds since 1970.
    pub created: i64,
    /// See [`matches`].
    pub matches: Vec<f32>,
    /// The note has more text than was compared.
    pub is_partial: bool,
}

/// How well a note has each concept of a question, 0 to 1.
pub fn matches(terms: &TermCounts, question: &Question) -> Vec<f32> {
    let best_form = |concept: &Concept| {
        let forms = concept.forms.iter().map(|(form, weight)| {
            let count = f32::from(terms.count(form));
            weight * count / (count + SATURATION)
        });
        forms.fold(0.0, f32::max)
    };
    question.concepts.iter().map(best_form).collect()
}

/// One for each note. `cosines` has how near they are in meaning, as far as that is known.
pub fn score(notes: &[Candidate], question: &Question, cosines: &[Option<f32>]) -> Vec<Scored> {
    // Rare words say more.
    #[expect(clippy::cast_precision_loss, reason = "thousands at most")]
    let weights: Vec<f32> = question
        .concepts
        .iter()
        .enumerate()
        .map(|(at, concept)| {
            let having = notes.iter().filter(|note| note.matches[at] > 0.0).count();
            concept.weight * (1.0 + (notes.len() as f32 + 0.5) / (having as f32 + 0.5)).ln()
        })
        .collect();
    let whole = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    let scores: Vec<Option<f32>> = notes
        .iter()
        .zip(cosines)
        .map(|(note, cosine)| {
            let concepts = note.matches.iter().zip(&weights);
            let by_words = concepts
                .map(|(matches, weight)| weight * matches)
                .sum::<f32>()
                / whole;
            let by_meaning = cosine.unwrap_or(0.0).clamp(0.0, 1.0);
            (by_words > 0.0 || by_meaning >= LEAST_NEAR)
                .then_some(WORDS * by_words + MEANING * by_meaning)
        })
        .collect();
    let best = scores.iter().flatten().copied().fold(0.0, f32::max);
    let worth = |score: f32| Scored::Worth(f64::from((score * 100.0).round()) / 100.0);
    scores
        .into_iter()
        .map(|score| {
            score
                .filter(|score| *score >= LEAST_OF_BEST * best)
                .map_or(Scored::Unrelated, worth)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::answer::note::Note;

    use super::*;
    use crate::memory::NoteSummary;

    fn notes(texts: &[(&str, &str)]) -> Vec<Note> {
        let note = |(path, text): &(&str, &str)| Note {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
            ..Note::default()
        };
        texts.iter().map(note).collect()
    }

    fn order(notes: &[Note], query: &str, near: &[(&str, f32)]) -> Vec<String> {
        let question = Question::new(query);
        let candidate = |note: &Note| Candidate {
            name: note.path.clone(),
            created: note.created,
            matches: matches(&NoteSummary::new(note).terms, &question),
            is_partial: false,
        };
        let candidates: Vec<_> = notes.iter().map(candidate).collect();
        let cosine = |note: &Note| {
            near.iter()
                .find(|(path, _)| note.path == *path)
                .map(|(_, cosine)| *cosine)
        };
        let cosines: Vec<_> = notes.iter().map(cosine).collect();
        let scores = score(&candidates, &question, &cosines);
        let mut found: Vec<_> = candidates
            .iter()
            .zip(scores)
            .filter_map(|(note, scored)| match scored {
                Scored::Worth(score) => {
                    assert!(score <= 1.0);
                    Some((score, note.name.clone()))
                }
                Scored::Unrelated => None,
            })
            .collect();
        found.sort_by(|one, other| other.0.total_cmp(&one.0));
        found.into_iter().map(|(_, path)| path).collect()
    }

    #[test]
    fn words_in_any_form_find_notes_and_rare_ones_count_more() {
        let notes = notes(&[
            ("a", "The lexer is parsed lazily."),
            ("b", "Retries of the upload back off."),
            ("c", "The parser and the lexer share a buffer."),
            ("d", "Lunch."),
        ]);
        assert_eq!(order(&notes, "upload retry", &[]), ["b"]);
        assert_eq!(order(&notes, "parsing", &[]).len(), 2);
        assert_eq!(order(&notes, "lexer buffer", &[])[0], "c");
        assert!(order(&notes, "zebra", &[]).is_empty());
    }

    #[test]
    fn meaning_finds_what_words_do_not() {
        let notes = notes(&[
            ("a", "Authentication lives in the gateway."),
            ("b", "Colours of the button."),
        ]);
        assert_eq!(order(&notes, "login", &[("a", 0.6), ("b", 0.1)]), ["a"]);
        assert!(order(&notes, "login", &[("a", 0.2)]).is_empty());
    }

    #[test]
    fn marks_count_like_a_text_that_speaks_of_it() {
        let mut notes = notes(&[
            ("a", "It works now."),
            ("b", "The parser is mentioned once."),
        ]);
        notes[0].tags = vec!["parser".to_owned()];
        assert_eq!(order(&notes, "parser", &[]), ["a", "b"]);
    }
}
