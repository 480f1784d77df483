//! How much all that speaks for a chunk comes to, and the order that follows from it.

use std::cmp::Ordering;

use super::{Candidate, Evidence, FileEvidence, RankedChunk};
use crate::extract::facts::Chunk;
use crate::index::number_map::NumberMap;
use crate::search::weights::{self, Weights};

/// How much speaks for a chunk.
pub struct Score {
    pub is_definition: bool,
    pub score: f32,
    pub file: usize,
    pub chunk: usize,
}

impl Score {
    /// The best first; of equals, in the order of the tree.
    pub fn before(&self, other: &Self) -> Ordering {
        other
            .score
            .total_cmp(&self.score)
            .then_with(|| (self.file, self.chunk).cmp(&(other.file, other.chunk)))
    }
}

/// Brings the first `most` to the front, in no order. Returns how many there are.
pub fn keep_in_front<T>(all: &mut [T], most: usize, order: impl Fn(&T, &T) -> Ordering) -> usize {
    if most < all.len() {
        all.select_nth_unstable_by(most, order);
    }
    most.min(all.len())
}

/// What a file gives to each of its candidates.
pub struct OfFile<'a> {
    pub weights: &'a Weights,
    pub by: f32,
    pub evidence: f32,
    /// Where its tests stand, if they are held back: from byte to byte.
    pub tests: &'a [(u32, u32)],
}

impl OfFile<'_> {
    /// The chunk is looked at only where it may be one of tests.
    pub(super) fn score<'c>(&self, candidate: &Candidate, chunk: impl Fn() -> &'c Chunk) -> f32 {
        let shared = |chunk: &Chunk, (from, to): &(u32, u32)| {
            chunk
                .end_byte
                .min(*to)
                .saturating_sub(chunk.start_byte.max(*from))
        };
        let is_of = |tests: &(u32, u32)| {
            shared(chunk(), tests) > (chunk().end_byte - chunk().start_byte) / 2
        };
        let is_test = self.tests.iter().any(is_of);
        let by = if is_test {
            self.by.min(weights::FACTORS.test)
        } else {
            self.by
        };
        by * (self.weights.chunk(&candidate.evidence) + self.evidence)
    }
}

impl Weights {
    fn chunk(&self, evidence: &Evidence) -> f32 {
        self.body * evidence.body
            + self.coverage * evidence.coverage
            + self.doc * evidence.doc
            + self.name * evidence.name
            + self.exact * evidence.exact
            + self.meaning * evidence.meaning
    }

    pub(super) fn file(&self, evidence: &FileEvidence) -> f32 {
        self.together * evidence.together
            + self.stem * evidence.path.stem
            + self.whole_stem * evidence.path.whole_stem
            + self.path * evidence.path.path
            + self.file_name * evidence.name
            + self.file_exact * evidence.exact
            + self.file_meaning * evidence.meaning
            + self.file_overall * evidence.overall
            + self.file_about * evidence.about
            + self.central * evidence.central
    }
}

/// The best first; of equals, in the order of the tree.
fn sort(ranked: &mut [RankedChunk]) {
    ranked.sort_unstable_by(|one, other| {
        other
            .score
            .total_cmp(&one.score)
            .then_with(|| (one.file, one.chunk).cmp(&(other.file, other.chunk)))
    });
}

/// Lets other files come before the further chunks of one.
pub fn saturate(ranked: &mut [RankedChunk]) {
    let mut before: NumberMap<usize, i32> = NumberMap::default();
    for one in ranked.iter_mut() {
        let times = before.entry(one.file).or_default();
        one.score *= weights::FURTHER_CHUNK.powi(*times);
        *times += 1;
    }
    sort(ranked);
}
