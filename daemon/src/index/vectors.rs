//! The vectors of a warm root in memory, and their cosines with a query.
//!
//! Each file has a row of codes for each of its chunks. Rows are immutable and shared by the snapshots with the file, so an
//! edit costs the rows of the edited files. Nothing here makes, reads or stores a vector.

mod dots;
mod rows;
mod signs;

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::sync::Arc;

pub use self::rows::{Rows, Runs};
use super::model_tier::ModelTier;
use super::snapshot::{IndexedFile, Snapshot};
use claudevil_child::vectors::{ChunkHash, ChunkVector};

/// The vectors of one file.
#[derive(Debug, PartialEq)]
pub struct FileVectors {
    /// A row for each chunk, in the order of its outline.
    chunks: Rows,
    /// The normalised sum of all its chunks, zero where they cancel out; then the vector of its path and names, if the model
    /// is instant.
    whole: Rows,
}

/// One row: a unit vector is its codes times its scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    pub codes: &'a [i8],
    pub scale: f32,
}

/// A chunk that lies near a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearChunk {
    /// The position among the snapshot's files.
    pub file: usize,
    /// The position among the file's chunks.
    pub chunk: usize,
    /// −1 to 1.
    pub cosine: f32,
}

/// The numbers of chunks and of their vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    pub chunks: u64,
    pub vectors: u64,
}

/// The vector that rows are compared with, widened once so that only the rows have to be.
#[derive(Clone)]
pub struct QueryVector {
    codes: Vec<i16>,
    scale: f32,
}

impl FileVectors {
    /// Makes the vectors of a file from one row for each chunk, all of one length.
    pub fn new(dimensions: usize, rows: &[&ChunkVector], about: Option<&ChunkVector>) -> Self {
        let mut sum = vec![0.0; dimensions];
        for row in rows {
            for (sum, code) in sum.iter_mut().zip(&*row.codes) {
                *sum += f32::from(*code) * row.scale;
            }
        }
        let length = sum.iter().map(|one| one * one).sum::<f32>().sqrt();
        for one in &mut sum {
            *one /= length.max(f32::MIN_POSITIVE);
        }
        let overall = ChunkVector::quantise(ChunkHash::default(), &sum)
            .ok()
            .filter(|_| length > 0.0);
        let overall = overall.as_ref().map_or(
            Row {
                codes: &[],
                scale: 0.0,
            },
            Row::from,
        );
        Self {
            chunks: Rows::new(dimensions, rows.iter().map(|row| Row::from(*row))),
            whole: Rows::new(
                dimensions,
                [overall].into_iter().chain(about.map(Row::from)),
            ),
        }
    }

    /// Returns the same vectors, packed one after the other in memory.
    pub fn packed(files: &[&Arc<Self>]) -> Vec<Self> {
        let all = |rows: fn(&Self) -> &Rows| {
            Rows::packed(&files.iter().map(|file| rows(file)).collect::<Vec<_>>())
        };
        let (chunks, whole) = (all(|file| &file.chunks), all(|file| &file.whole));
        chunks
            .into_iter()
            .zip(whole)
            .map(|(chunks, whole)| Self { chunks, whole })
            .collect()
    }

    pub fn len(&self) -> usize {
        self.chunks.len()
    }

    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    pub fn row(&self, chunk: usize) -> Option<Row<'_>> {
        self.chunks.row(chunk)
    }

    pub fn overall(&self) -> Option<Row<'_>> {
        self.whole.row(0)
    }

    pub fn about(&self) -> Option<Row<'_>> {
        self.whole.row(1)
    }

    /// Returns the size in memory.
    pub fn weight(&self) -> usize {
        self.chunks.weight() + self.whole.weight()
    }
}

impl<'a> From<&'a ChunkVector> for Row<'a> {
    fn from(vector: &'a ChunkVector) -> Self {
        Self {
            codes: &vector.codes,
            scale: vector.scale,
        }
    }
}

impl QueryVector {
    /// None for a vector without direction: zero, or not finite.
    pub fn new(query: &[f32]) -> Option<Self> {
        let coded = ChunkVector::quantise(ChunkHash::default(), query).ok()?;
        (coded.scale > 0.0).then(|| Self::from_row(Row::from(&coded)))
    }

    pub fn from_row(row: Row<'_>) -> Self {
        Self {
            codes: row.codes.iter().map(|code| i16::from(*code)).collect(),
            scale: row.scale,
        }
    }

    pub fn dimensions(&self) -> usize {
        self.codes.len()
    }

    /// Returns the cosine of a row, and 0 for one of another length.
    #[expect(
        clippy::cast_precision_loss,
        reason = "exact up to a thousand dimensions, and near enough beyond"
    )]
    pub fn cosine_with(&self, row: Row<'_>) -> f32 {
        if row.codes.len() != self.codes.len() {
            return 0.0;
        }
        dots::dot(&self.codes, row.codes) as f32 * self.scale * row.scale
    }
}

impl Snapshot {
    /// Returns the rows of all files, as a search reads them.
    pub(super) fn runs(&self, tier: ModelTier) -> &Runs {
        let rows = || {
            self.files
                .iter()
                .map(|file| file.vectors(tier).map(|vectors| &vectors.chunks))
        };
        self.runs[tier.index()].get_or_init(|| Runs::new(rows()))
    }

    pub fn has_vectors(&self) -> bool {
        self.files
            .iter()
            .any(|file| file.vectors(ModelTier::BuiltIn).is_some())
    }

    pub fn coverage(&self, tier: ModelTier) -> Coverage {
        let mut coverage = Coverage::default();
        for file in &self.files {
            coverage.chunks += file.outline.chunks.len() as u64;
            coverage.vectors += file.vectors(tier).map_or(0, |vectors| vectors.len() as u64);
        }
        coverage
    }
}

impl IndexedFile {
    /// Returns its vectors by the hashes of its chunks.
    pub fn vectors_by_hash(&self, tier: ModelTier) -> HashMap<ChunkHash, ChunkVector> {
        let Some(vectors) = self.vectors(tier) else {
            return HashMap::new();
        };
        let rows = self
            .outline
            .chunks
            .iter()
            .enumerate()
            .filter_map(|(place, chunk)| {
                let row = vectors.row(place)?;
                Some((
                    chunk.hash,
                    ChunkVector {
                        hash: chunk.hash,
                        codes: row.codes.into(),
                        scale: row.scale,
                    },
                ))
            });
        rows.collect()
    }
}

impl Eq for NearChunk {}

/// Orders by cosine; of equal ones the first in the tree is the greater.
impl Ord for NearChunk {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |near: &Self| Reverse((near.file, near.chunk));
        self.cosine
            .total_cmp(&other.cosine)
            .then_with(|| place(self).cmp(&place(other)))
    }
}

impl PartialOrd for NearChunk {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::similarity::QueryVectors;
    use crate::store::ledger::record::{FileRecord, FileState, Skip};
    use claudevil_child::vectors::samples::spread_like_a_model;

    const WIDTH: usize = 40;

    fn vector(seed: u64) -> Vec<f32> {
        spread_like_a_model(seed, WIDTH)
    }

    fn coded(seed: u64) -> ChunkVector {
        ChunkVector::quantise([0; 16], &vector(seed)).expect("finite")
    }

    fn bare() -> IndexedFile {
        let state = FileState::Skipped(Skip::Binary);
        let record = FileRecord::with_state(state);
        IndexedFile::new(String::new(), record, None, Arc::default())
    }

    /// Files of one to five chunks, every seventh without vectors.
    fn snapshot() -> (Snapshot, Vec<(usize, usize, u64)>) {
        let (mut files, mut all, mut seed) = (vec![], vec![], 0);
        for file in 0..60_usize {
            let mut rows = vec![];
            for chunk in 0..=file % 5 {
                seed += 1;
                rows.push(coded(seed));
                if file % 7 != 0 {
                    all.push((file, chunk, seed));
                }
            }
            let rows: Vec<_> = rows.iter().collect();
            let vectors = (file % 7 != 0).then(|| Arc::new(FileVectors::new(WIDTH, &rows, None)));
            files.push(Arc::new(bare().with_vectors(ModelTier::BuiltIn, vectors)));
        }
        (Snapshot::new(files, 0, None), all)
    }

    fn cosine(one: &[f32], two: &[f32]) -> f32 {
        let dot =
            |one: &[f32], two: &[f32]| one.iter().zip(two).map(|(one, two)| one * two).sum::<f32>();
        dot(one, two) / (dot(one, one) * dot(two, two)).sqrt()
    }

    #[test]
    fn the_nearest_are_those_of_a_plain_computation() {
        let (snapshot, all) = snapshot();
        for asked in 1000..1020 {
            let query = vector(asked);
            let query_vectors =
                QueryVectors::new(QueryVector::new(&query).expect("a direction"), None);
            for (most, step) in [(1, 1), (5, 1), (10, 3), (1000, 2)] {
                let mut expected: Vec<f32> = all
                    .iter()
                    .filter(|(file, ..)| file % step == 0)
                    .map(|(.., seed)| cosine(&query, &vector(*seed)))
                    .collect();
                expected.sort_by(|one, two| two.total_cmp(one));
                expected.truncate(most);
                let found = query_vectors
                    .compare_with(&snapshot)
                    .nearest(most, |file| file % step == 0);
                assert_eq!(found.len(), expected.len());
                for (near, expected) in found.iter().zip(&expected) {
                    assert!((near.cosine - expected).abs() < 0.01, "{near:?} {expected}");
                    let (.., seed) = all
                        .iter()
                        .find(|row| (row.0, row.1) == (near.file, near.chunk))
                        .expect("wanted");
                    assert!((cosine(&query, &vector(*seed)) - near.cosine).abs() < 0.01);
                }
            }
        }
    }

    #[test]
    fn a_chunk_is_nearest_to_itself() {
        let (snapshot, all) = snapshot();
        for (file, chunk, seed) in all {
            let row = snapshot.files[file]
                .vectors(ModelTier::BuiltIn)
                .and_then(|vectors| vectors.row(chunk));
            assert_eq!(row.expect("a vector").codes, &*coded(seed).codes);
            let query_vectors = QueryVectors::from_chunk(&snapshot, file, chunk).expect("a vector");
            let found = query_vectors.compare_with(&snapshot).nearest(1, |_| true);
            assert_eq!((found[0].file, found[0].chunk), (file, chunk));
            assert!((found[0].cosine - 1.0).abs() < 1e-3);
        }
        // Without a vector, beyond the last chunk, beyond the last file.
        for (file, chunk) in [(0, 0), (1, 2), (60, 0)] {
            assert!(QueryVectors::from_chunk(&snapshot, file, chunk).is_none());
        }
    }

    #[test]
    fn vectors_of_another_length_are_near_nothing() {
        let (snapshot, _) = snapshot();
        assert!(
            QueryVector::new(&[0.0; WIDTH]).is_none()
                && QueryVector::new(&[f32::NAN; WIDTH]).is_none()
        );
        let other = QueryVectors::new(
            QueryVector::new(&[1.0; WIDTH * 2]).expect("a direction"),
            None,
        );
        assert!(
            other
                .compare_with(&snapshot)
                .nearest(5, |_| true)
                .is_empty(),
            "of another model"
        );
        let query_vectors =
            QueryVectors::new(QueryVector::new(&[1.0; WIDTH]).expect("a direction"), None);
        assert!(
            query_vectors
                .compare_with(&snapshot)
                .nearest(0, |_| true)
                .is_empty()
        );
        assert!(
            query_vectors
                .compare_with(&Snapshot::default())
                .nearest(5, |_| true)
                .is_empty()
        );
    }
}
