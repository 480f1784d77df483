//! Computes the score of a chunk from the evidence for it and its file, and orders chunks by their scores.

use std::cmp::Ordering;

use super::{Candidate, Evidence, FileEvidence, ReportEvidence};
use crate::extract::facts::Chunk;
use crate::index::number_map::NumberMap;
use crate::search::weights::{self, REPORT_EVIDENCE, ReportWeights, Weights};

pub struct ChunkScore {
    pub is_definition: bool,
    pub score: f32,
    pub file: usize,
    pub chunk: usize,
}

impl ChunkScore {
    /// Orders by score, the best first; equal scores by the order of the tree.
    pub fn compare(&self, other: &Self) -> Ordering {
        other
            .score
            .total_cmp(&self.score)
            .then_with(|| (self.file, self.chunk).cmp(&(other.file, other.chunk)))
    }
}

/// Moves the first `most` elements to the front, in no particular order, and returns how many there are.
pub fn select_first<T>(all: &mut [T], most: usize, order: impl Fn(&T, &T) -> Ordering) -> usize {
    if most < all.len() {
        all.select_nth_unstable_by(most, order);
    }
    most.min(all.len())
}

/// The part of a chunk's score that its file decides.
pub struct FileScore<'a> {
    pub weights: &'a Weights,
    pub factor: f32,
    /// The weighted evidence for the file.
    pub evidence: f32,
    /// The byte ranges of tests inside the file, if tests are ranked lower.
    pub tests: &'a [(u32, u32)],
}

impl FileScore<'_> {
    /// Scores a candidate. `chunk` is called only for files with tests.
    pub(super) fn score<'c>(&self, candidate: &Candidate, chunk: impl Fn() -> &'c Chunk) -> f32 {
        let shared = |chunk: &Chunk, (from, to): &(u32, u32)| {
            chunk
                .end_byte
                .min(*to)
                .saturating_sub(chunk.start_byte.max(*from))
        };
        let is_mostly_in = |tests: &(u32, u32)| {
            shared(chunk(), tests) > (chunk().end_byte - chunk().start_byte) / 2
        };
        let factor = if self.tests.iter().any(is_mostly_in) {
            self.factor.min(weights::FACTORS.test)
        } else {
            self.factor
        };
        factor * (self.weights.chunk(&candidate.evidence) + self.evidence)
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
            + REPORT_EVIDENCE.report * evidence.report
            + REPORT_EVIDENCE.place * evidence.mentioned_location
    }

    pub(super) fn file(&self, evidence: &FileEvidence) -> f32 {
        self.several_chunks * evidence.several_chunks
            + self.stem * evidence.path.stem
            + self.whole_stem * evidence.path.whole_stem
            + self.path * evidence.path.path
            + self.file_name * evidence.name
            + self.file_exact * evidence.exact
            + self.file_meaning * evidence.meaning
            + self.file_overall * evidence.overall
            + self.file_about * evidence.names_meaning
            + self.centrality * evidence.centrality
            + REPORT_EVIDENCE.file(&evidence.report)
    }
}

impl ReportWeights {
    fn file(&self, evidence: &ReportEvidence) -> f32 {
        self.file_whole * evidence.whole
            + self.file_title * evidence.title
            + self.file_prose * evidence.prose
            + self.file_code * evidence.code
            + self.title_stem * evidence.title_stem
            + self.prose_stem * evidence.prose_stem
            + self.file_chunk * evidence.chunk
            + self.mentioned * evidence.mentioned
            + self.traced * evidence.traced
            + self.title_names * evidence.title_names
            + self.prose_names * evidence.prose_names
            + self.code_names * evidence.code_names
            + self.message * evidence.message
    }
}

/// Lowers the scores of all but the best chunk of a file, so that other files precede them.
pub fn lower_further_chunks(ranked: &mut [ChunkScore]) {
    let mut counts: NumberMap<usize, i32> = NumberMap::default();
    for one in ranked.iter_mut() {
        let count = counts.entry(one.file).or_default();
        one.score *= weights::FURTHER_CHUNK.powi(*count);
        *count += 1;
    }
    ranked.sort_unstable_by(ChunkScore::compare);
}
