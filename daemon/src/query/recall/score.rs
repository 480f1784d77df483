//! Scores notes for a query: by the words of the query that they have, by how rare these are among the notes, and by meaning.
//! Nothing here reads notes or indexes.

use crate::memory::TermCounts;
use crate::search::question::{Concept, Question};

/// The weights of words and of meaning.
const WORDS: f32 = 0.65;
const MEANING: f32 = 0.35;
/// The least cosine of a related note that has none of the words.
const LEAST_COSINE: f32 = 0.35;
/// The least share of the best score that is worth showing.
const LEAST_OF_BEST: f32 = 0.25;
/// The count of a term that gives it half of its full weight.
const SATURATION: f32 = 0.4;

/// A note that is to be ranked.
pub struct Candidate {
    pub name: String,
    /// Milliseconds since 1970.
    pub created: i64,
    /// See [`concept_matches`].
    pub matches: Vec<f32>,
    /// True if the note has more text than was compared.
    pub is_partial: bool,
}

/// Returns how well a note matches each concept of a question, from 0 to 1.
pub fn concept_matches(terms: &TermCounts, question: &Question) -> Vec<f32> {
    let best_form = |concept: &Concept| {
        let forms = concept.forms.iter().map(|(form, weight)| {
            let count = f32::from(terms.count(form));
            weight * count / (count + SATURATION)
        });
        forms.fold(0.0, f32::max)
    };
    question.concepts.iter().map(best_form).collect()
}

/// Returns a score for each note, from 0 to 1 with two decimals; none for an unrelated one. `cosines` are those of the notes
/// and the question, if known.
pub fn score(
    notes: &[Candidate],
    question: &Question,
    cosines: &[Option<f32>],
) -> Vec<Option<f64>> {
    // Rare words weigh more.
    #[expect(clippy::cast_precision_loss, reason = "thousands at most")]
    let weights: Vec<f32> = question
        .concepts
        .iter()
        .enumerate()
        .map(|(at, concept)| {
            let matching = notes.iter().filter(|note| note.matches[at] > 0.0).count();
            concept.weight * (1.0 + (notes.len() as f32 + 0.5) / (matching as f32 + 0.5)).ln()
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
            (by_words > 0.0 || by_meaning >= LEAST_COSINE)
                .then_some(WORDS * by_words + MEANING * by_meaning)
        })
        .collect();
    let best = scores.iter().flatten().copied().fold(0.0, f32::max);
    let rounded = |score: f32| f64::from((score * 100.0).round()) / 100.0;
    scores
        .into_iter()
        .map(|score| {
            score
                .filter(|score| *score >= LEAST_OF_BEST * best)
                .map(rounded)
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
            matches: concept_matches(&NoteSummary::new(note).terms, &question),
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
            .filter_map(|(note, score)| {
                let score = score?;
                assert!(score <= 1.0);
                Some((score, note.name.clone()))
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
