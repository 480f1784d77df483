//! Ranks commits for a query: by the words of the query that they have, by how rare these are, and by meaning.

use std::collections::HashMap;
use std::sync::Arc;

use crate::embed::Embedder;
use crate::history::{Commit, StringTable, word_hash};
use crate::search::question::Question;

/// The parameters k1 and b of BM25. Messages are short, so their length says little and b is small.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.3;
/// The weight of meaning; words have the remaining weight.
const MEANING: f32 = 0.3;
/// Commits with words of the query that are compared by meaning as well.
const MAX_COMPARED: usize = 200;
/// The newest commits, which are compared by meaning if words find nothing.
const MAX_NEWEST: usize = 2_000;
/// The least cosine of a related commit that has none of the words.
const LEAST_COSINE: f32 = 0.5;
/// The least score that is worth showing, and the least share of the best.
const LEAST_SCORE: f32 = 0.1;
const LEAST_OF_BEST: f32 = 0.3;

/// Returns the indices of matching commits and their scores from 0 to 1, the best first and among equals the newest.
pub fn rank(
    query: &str,
    commits: &[&Arc<Commit>],
    strings: &StringTable,
    embedder: Option<&dyn Embedder>,
) -> Vec<(usize, f64)> {
    let mut found = score_words(query, commits, strings);
    sort(&mut found);
    found.truncate(MAX_COMPARED);
    if found.is_empty() {
        found.extend((0..commits.len().min(MAX_NEWEST)).map(|place| (place, 0.0)));
    }
    let subjects: Vec<&str> = found
        .iter()
        .map(|(place, _)| commits[*place].subject())
        .collect();
    let cosines = embedder.and_then(|embedder| cosines(embedder, query, &subjects));
    for (place, (_, score)) in found.iter_mut().enumerate() {
        let cosine = cosines.as_ref().map_or(0.0, |cosines| cosines[place]);
        let is_related = *score > 0.0 || cosine >= LEAST_COSINE;
        let meaning = cosine.clamp(0.0, 1.0);
        *score = if is_related {
            (1.0 - MEANING) * *score + MEANING * meaning
        } else {
            0.0
        };
    }
    sort(&mut found);
    let best = found.first().map_or(0.0, |(_, score)| *score);
    let least = (LEAST_OF_BEST * best).max(LEAST_SCORE);
    found.retain(|(_, score)| *score >= least);
    let rounded = |score: f32| f64::from((score * 100.0).round()) / 100.0;
    found
        .into_iter()
        .map(|(place, score)| (place, rounded(score)))
        .collect()
}

fn sort(found: &mut [(usize, f32)]) {
    found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
}

/// Returns the commits that have words of the query, with their scores by BM25 as shares of the highest possible.
#[expect(
    clippy::cast_precision_loss,
    reason = "some ten thousand commits of some hundred words"
)]
fn score_words(query: &str, commits: &[&Arc<Commit>], strings: &StringTable) -> Vec<(usize, f32)> {
    let question = Question::new(query);
    let concepts = question.concepts;
    let mut forms: HashMap<u32, Vec<(usize, f32)>> = HashMap::new();
    for (number, concept) in concepts.iter().enumerate() {
        for (form, weight) in &concept.forms {
            let own = forms.entry(word_hash(form)).or_default();
            own.push((number, *weight));
        }
    }
    let mut lengths = Vec::with_capacity(commits.len());
    let mut matches: Vec<(usize, Vec<f32>)> = vec![];
    let mut having = vec![0_u32; concepts.len()];
    for (place, commit) in commits.iter().enumerate() {
        let mut counts: Option<Vec<f32>> = None;
        let mut length = 0_u32;
        for (hash, count) in commit.word_counts(strings) {
            length += u32::from(*count);
            for (number, weight) in forms.get(hash).into_iter().flatten() {
                let counts = counts.get_or_insert_with(|| vec![0.0; concepts.len()]);
                counts[*number] += weight * f32::from(*count);
            }
        }
        lengths.push(length as f32);
        if let Some(counts) = counts {
            for (number, count) in counts.iter().enumerate() {
                having[number] += u32::from(*count > 0.0);
            }
            matches.push((place, counts));
        }
    }
    let all = commits.len() as f32;
    let mean = (lengths.iter().sum::<f32>() / all.max(1.0)).max(1.0);
    let weight = |number: usize| {
        let having = having[number] as f32;
        concepts[number].weight * (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
    };
    let weights: Vec<f32> = (0..concepts.len()).map(weight).collect();
    let highest = weights.iter().sum::<f32>() * (SATURATION + 1.0);
    let score = |(place, counts): (usize, Vec<f32>)| {
        let norm = SATURATION * (1.0 - LENGTH + LENGTH * lengths[place] / mean);
        let own = counts.iter().zip(&weights);
        let score = own.map(|(count, weight)| weight * count * (SATURATION + 1.0) / (count + norm));
        (place, score.sum::<f32>() / highest.max(f32::MIN_POSITIVE))
    };
    matches.into_iter().map(score).collect()
}

/// Returns the cosines of texts and a query; none if there is no model.
fn cosines(embedder: &dyn Embedder, query: &str, texts: &[&str]) -> Option<Vec<f32>> {
    let query = embedder.query(query).ok()?;
    let length = |vector: &[f32]| vector.iter().map(|one| one * one).sum::<f32>().sqrt();
    let own = length(&query);
    let cosine = |vector: Vec<f32>| {
        let dot: f32 = vector
            .iter()
            .zip(&query)
            .map(|(one, other)| one * other)
            .sum();
        dot / (own * length(&vector)).max(f32::MIN_POSITIVE)
    };
    let vectors = texts
        .chunks(embedder.batch_size().max(1))
        .map(|texts| embedder.documents(texts).ok())
        .collect::<Option<Vec<_>>>()?;
    Some(vectors.into_iter().flatten().map(cosine).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(query: &str) -> Vec<&'static str> {
        let subjects = [
            "Merge pull request #12 from ann/fix",
            "Retry uploads with backoff",
            "Fix the parser",
            "Fix a typo in the parser of dates",
            "Upload retries back off\n\nThe gateway drops connections.",
        ];
        let commits: Vec<Arc<Commit>> = subjects
            .iter()
            .map(|subject| {
                Arc::new(Commit {
                    message: (*subject).into(),
                    ..Commit::default()
                })
            })
            .collect();
        let strings = StringTable::default();
        let found = rank(query, &commits.iter().collect::<Vec<_>>(), &strings, None);
        assert!(found.iter().all(|(_, score)| (0.0..=1.0).contains(score)));
        found.iter().map(|(place, _)| subjects[*place]).collect()
    }

    #[test]
    fn words_in_any_form_find_commits_and_rare_ones_count_more() {
        assert_eq!(order("upload retry").len(), 2);
        assert_eq!(
            order("why does the gateway drop")[0],
            order("connection")[0]
        );
        assert_eq!(order("fix typo")[0], "Fix a typo in the parser of dates");
        assert!(order("zebra").is_empty());
    }
}
