//! Sketches of functions, and the groups of those that are nearly the same.
//!
//! A sketch (bottom-k `MinHash`) has the smallest hashes of all sequences of a few tokens. The share of hashes that two sketches
//! have in common estimates the share of common sequences; for functions with few sequences it is exact.

use std::collections::HashMap;

use crate::extract::code_tokens::TokenCode;

/// Tokens of one sequence.
const SEQUENCE: usize = 6;
/// Hashes in a sketch.
const MAX_HASHES: usize = 256;
/// The number of smallest hashes by which similar sketches are found. Of two sketches that share four fifths of their
/// sequences, one in a thousand pairs has none of these in common.
const KEYS: usize = 8;
/// The most groups that a function is compared with.
const MAX_COMPARED: usize = 64;
/// The least share of common sequences.
const LEAST_SIMILARITY: f64 = 0.8;

pub struct Sketch {
    /// Sorted.
    hashes: Box<[u32]>,
    pub tokens: usize,
}

impl Sketch {
    pub fn new(tokens: &[TokenCode]) -> Self {
        let mut hashes: Vec<u32> = tokens.windows(SEQUENCE).map(hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes.truncate(MAX_HASHES);
        Self {
            hashes: hashes.into(),
            tokens: tokens.len(),
        }
    }

    /// Estimates the share of sequences that two functions have in common.
    pub fn similarity(&self, other: &Self) -> f64 {
        let (mut one, mut two) = (
            self.hashes.iter().peekable(),
            other.hashes.iter().peekable(),
        );
        let (mut union, mut common) = (0_u32, 0_u32);
        let most = self.hashes.len().max(other.hashes.len());
        while (union as usize) < most.max(MAX_HASHES) {
            let (Some(left), Some(right)) = (one.peek(), two.peek()) else {
                // A complete sketch has no more hashes. A sketch that was cut says nothing about hashes beyond its last one.
                let rest = if self.hashes.len().min(other.hashes.len()) < MAX_HASHES {
                    one.len() + two.len()
                } else {
                    0
                };
                union += u32::try_from(rest).unwrap_or(u32::MAX);
                break;
            };
            union += 1;
            match left.cmp(right) {
                std::cmp::Ordering::Less => drop(one.next()),
                std::cmp::Ordering::Greater => drop(two.next()),
                std::cmp::Ordering::Equal => {
                    common += 1;
                    one.next();
                    two.next();
                }
            }
        }
        f64::from(common) / f64::from(union.max(1))
    }
}

/// Hashes a sequence of tokens (FNV-1a, with its bits mixed at the end).
fn hash(tokens: &[TokenCode]) -> u32 {
    let hash = tokens
        .iter()
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, token| {
            (hash ^ u64::from(*token)).wrapping_mul(0x0000_0100_0000_01B3)
        });
    let mixed = (hash ^ (hash >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    u32::try_from(mixed >> 32).unwrap_or_default()
}

/// Groups of sketches, each compared by its first member.
#[derive(Default)]
pub struct Grouping<'a> {
    firsts: Vec<&'a Sketch>,
    /// The places of functions with their similarity to the first, by group.
    members: Vec<Vec<(usize, f64)>>,
    /// Groups by language and hash.
    by_key: HashMap<(&'static str, u32), Vec<usize>>,
}

impl<'a> Grouping<'a> {
    /// Adds a function to its most similar group, or begins a new one. The largest functions are added first.
    pub fn add(&mut self, place: usize, language: &'static str, sketch: &'a Sketch) {
        let keys = || sketch.hashes.iter().take(KEYS).map(|key| (language, *key));
        let mut near: Vec<usize> = keys()
            .filter_map(|key| self.by_key.get(&key))
            .flatten()
            .copied()
            .collect();
        near.sort_unstable();
        near.dedup();
        // The last groups are nearest in size.
        let compared = near.iter().rev().take(MAX_COMPARED);
        let best = compared
            .map(|group| (*group, sketch.similarity(self.firsts[*group])))
            .filter(|(_, similarity)| *similarity >= LEAST_SIMILARITY)
            .max_by(|one, other| one.1.total_cmp(&other.1));
        if let Some((group, similarity)) = best {
            self.members[group].push((place, similarity));
            return;
        }
        for key in keys() {
            self.by_key.entry(key).or_default().push(self.firsts.len());
        }
        self.firsts.push(sketch);
        self.members.push(vec![(place, 1.0)]);
    }

    /// Returns the groups with more than one member.
    pub fn groups(&self) -> impl Iterator<Item = &[(usize, f64)]> {
        self.members
            .iter()
            .map(Vec::as_slice)
            .filter(|group| group.len() > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(count: u32, changed: &[u32]) -> Vec<TokenCode> {
        let token = |at: u32| at * at % 97 + u32::from(changed.contains(&at)) * 1000;
        (0..count).map(token).collect()
    }

    #[test]
    fn similarity_is_the_share_of_common_sequences() {
        let whole = Sketch::new(&tokens(200, &[]));
        assert!((whole.similarity(&whole) - 1.0).abs() < 1e-9);
        let near = whole.similarity(&Sketch::new(&tokens(200, &[100])));
        assert!((0.85..0.99).contains(&near), "{near}");
        let far = whole.similarity(&Sketch::new(
            &(0..200).map(|at| at * 7 + 1).collect::<Vec<_>>(),
        ));
        assert!(far < 0.1, "{far}");
        let part = whole.similarity(&Sketch::new(&tokens(60, &[])));
        assert!((0.2..0.7).contains(&part), "{part}");
    }

    #[test]
    fn near_functions_of_one_language_are_one_group() {
        let sketches: Vec<Sketch> = [
            tokens(300, &[]),
            tokens(300, &[150]),
            (0..300).map(|at| at * 7 + 1).collect(),
            tokens(300, &[20]),
        ]
        .iter()
        .map(|tokens| Sketch::new(tokens))
        .collect();
        let mut grouping = Grouping::default();
        for (place, sketch) in sketches.iter().enumerate() {
            let language = if place == 3 { "go" } else { "rust" };
            grouping.add(place, language, sketch);
        }
        let groups: Vec<Vec<usize>> = grouping
            .groups()
            .map(|group| group.iter().map(|(place, _)| *place).collect())
            .collect();
        assert_eq!(groups, [[0, 1]]);
    }
}
