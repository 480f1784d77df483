//! How well notes fit a query: which of its words they have, how rare these are among the notes, and how near they are in
//! meaning. Pure.

use std::collections::HashMap;

use claudevil_protocol::model::note::Note;

use crate::search::question::Question;
use crate::store::text::{parts, words};

/// How much words count against meaning.
const WORDS: f32 = 0.65;
const MEANING: f32 = 0.35;
/// What is no nearer has nothing to do with it, unless it has the words.
const LEAST_NEAR: f32 = 0.35;
/// What is far behind the best is not worth showing.
const LEAST_OF_BEST: f32 = 0.25;
/// A word that a note is marked with counts for so many in its text.
const MARK: f32 = 3.0;
/// A second time says less than the first.
const SATURATION: f32 = 0.4;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scored {
    /// 0 to 1 with two decimals.
    Worth(f64),
    Unrelated,
}

/// One for each note. `near` has how near they are, by path, as far as that is known.
pub fn score(notes: &[Note], query: &str, near: &HashMap<String, f32>) -> Vec<Scored> {
    let question = Question::new(query);
    let counts: Vec<HashMap<String, f32>> = notes.iter().map(count).collect();
    let found = |counts: &HashMap<String, f32>, forms: &[(String, f32)]| {
        let of_form =
            |(form, weight): &(String, f32)| counts.get(form).map(|count| weight * count / (count + SATURATION));
        forms.iter().filter_map(of_form).fold(0.0, f32::max)
    };
    // Rare words say more.
    #[expect(clippy::cast_precision_loss, reason = "thousands at most")]
    let weights: Vec<f32> = question
        .concepts
        .iter()
        .map(|concept| {
            let having = counts.iter().filter(|counts| found(counts, &concept.forms) > 0.0).count();
            concept.weight * (1.0 + (notes.len() as f32 + 0.5) / (having as f32 + 0.5)).ln()
        })
        .collect();
    let whole = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    let scores: Vec<Option<f32>> = notes
        .iter()
        .zip(&counts)
        .map(|(note, counts)| {
            let concepts = question.concepts.iter().zip(&weights);
            let by_words =
                concepts.map(|(concept, weight)| weight * found(counts, &concept.forms)).sum::<f32>() / whole;
            let by_meaning = near.get(&note.path).copied().unwrap_or(0.0).clamp(0.0, 1.0);
            (by_words > 0.0 || by_meaning >= LEAST_NEAR).then_some(WORDS * by_words + MEANING * by_meaning)
        })
        .collect();
    let best = scores.iter().flatten().copied().fold(0.0, f32::max);
    let worth = |score: f32| Scored::Worth(f64::from((score * 100.0).round()) / 100.0);
    scores
        .into_iter()
        .map(|score| score.filter(|score| *score >= LEAST_OF_BEST * best).map_or(Scored::Unrelated, worth))
        .collect()
}

/// How often a note has each of its words, whole and in parts, in lower case.
fn count(note: &Note) -> HashMap<String, f32> {
    let mut counts = HashMap::new();
    let mut add = |text: &str, weight: f32| {
        for (_, word) in words(text) {
            let whole = word.to_lowercase();
            for part in parts(word).map(|part| word[part].to_lowercase()).filter(|part| *part != whole) {
                *counts.entry(part).or_default() += weight;
            }
            *counts.entry(whole).or_default() += weight;
        }
    };
    add(&note.text, 1.0);
    for mark in note.tags.iter().chain(&note.symbols).chain(&note.files) {
        add(mark, MARK);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(texts: &[(&str, &str)]) -> Vec<Note> {
        let note = |(path, text): &(&str, &str)| Note {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
            ..Note::default()
        };
        texts.iter().map(note).collect()
    }

    fn order(notes: &[Note], query: &str, near: &[(&str, f32)]) -> Vec<String> {
        let near = near.iter().map(|(path, cosine)| ((*path).to_owned(), *cosine)).collect();
        let scores = score(notes, query, &near);
        let mut found: Vec<_> = notes
            .iter()
            .zip(scores)
            .filter_map(|(note, scored)| match scored {
                Scored::Worth(score) => Some((score, note.path.clone())),
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
        let notes = notes(&[("a", "Authentication lives in the gateway."), ("b", "Colours of the button.")]);
        assert_eq!(order(&notes, "login", &[("a", 0.6), ("b", 0.1)]), ["a"]);
        assert!(order(&notes, "login", &[("a", 0.2)]).is_empty());
    }

    #[test]
    fn marks_count_like_a_text_that_speaks_of_it() {
        let mut notes = notes(&[("a", "It works now."), ("b", "The parser is mentioned once.")]);
        notes[0].tags = vec!["parser".to_owned()];
        assert_eq!(order(&notes, "parser", &[])[0], "a");
        assert!(
            score(&notes, "parser", &HashMap::new())
                .iter()
                .all(|scored| matches!(scored, Scored::Worth(score) if *score <= 1.0))
        );
    }
}
