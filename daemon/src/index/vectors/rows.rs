//! Rows of codes, packed into contiguous memory together with those of neighbouring files.
//!
//! A search reads all of them. If each file had its rows elsewhere, a search would mostly wait for memory; rows in the order
//! in which they are read are prefetched by the processor. Files are therefore packed into blocks once they have vectors. A
//! block is immutable: an edited file has its own block until the next packing.

use std::sync::Arc;

use super::{QueryVector, Row, dots};

/// The number of files in one block. More would keep more memory of replaced files alive.
const FILES: usize = 128;
/// The number of runs in one stretch: few enough that the threads of a scan end together.
const RUNS: usize = 4;

struct Block {
    dimensions: usize,
    codes: Box<[i8]>,
    scales: Box<[f32]>,
}

/// Some rows of a block.
#[derive(Clone)]
pub struct Rows {
    block: Arc<Block>,
    from: usize,
    length: usize,
}

/// The rows of one file after the other, as a search reads them.
#[derive(Clone, Default)]
pub struct Runs {
    runs: Vec<(usize, Rows)>,
    /// The position of the first row of each file among all, and the end of the last.
    starts: Vec<usize>,
}

impl Rows {
    pub fn new<'a>(dimensions: usize, rows: impl Iterator<Item = Row<'a>>) -> Self {
        let (mut codes, mut scales) = (vec![], vec![]);
        for row in rows {
            codes.extend(
                row.codes
                    .iter()
                    .chain(std::iter::repeat(&0))
                    .take(dimensions),
            );
            scales.push(row.scale);
        }
        let length = scales.len();
        Self {
            block: Arc::new(Block {
                dimensions,
                codes: codes.into(),
                scales: scales.into(),
            }),
            from: 0,
            length,
        }
    }

    pub fn len(&self) -> usize {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub fn dimensions(&self) -> usize {
        self.block.dimensions
    }

    pub fn row(&self, at: usize) -> Option<Row<'_>> {
        let at = self.from + Some(at).filter(|at| *at < self.length)?;
        let Block {
            dimensions,
            codes,
            scales,
        } = &*self.block;
        Some(Row {
            codes: &codes[at * dimensions..][..*dimensions],
            scale: scales[at],
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.length).filter_map(|at| self.row(at))
    }

    /// Returns the size in memory.
    pub fn weight(&self) -> usize {
        size_of::<Self>() + self.length * (self.block.dimensions + size_of::<f32>())
    }

    /// Returns the same rows in as few blocks as possible, in their order.
    pub fn packed(all: &[&Self]) -> Vec<Self> {
        let mut packed = Vec::with_capacity(all.len());
        let is_alike = |one: &&Self, other: &&Self| one.dimensions() == other.dimensions();
        for some in all.chunk_by(is_alike).flat_map(|alike| alike.chunks(FILES)) {
            let together = Self::new(
                some[0].dimensions(),
                some.iter().flat_map(|rows| rows.iter()),
            );
            let mut from = 0;
            for rows in some {
                packed.push(Self {
                    block: Arc::clone(&together.block),
                    from,
                    length: rows.length,
                });
                from += rows.length;
            }
        }
        packed
    }

    /// Returns whether these rows follow others in the same block.
    fn follows(&self, before: &Self) -> bool {
        Arc::ptr_eq(&self.block, &before.block) && before.from + before.length == self.from
    }

    /// Writes the cosine of each row. `sums` is a buffer that is reused.
    fn cosines(&self, query: &QueryVector, sums: &mut Vec<i32>, into: &mut [f32]) {
        let Block {
            dimensions,
            codes,
            scales,
        } = &*self.block;
        if query.codes.len() != *dimensions || *dimensions == 0 {
            return;
        }
        sums.clear();
        dots::dot_rows(
            &query.codes,
            &codes[self.from * dimensions..][..self.length * dimensions],
            sums,
        );
        for ((cosine, sum), scale) in into.iter_mut().zip(sums).zip(&scales[self.from..]) {
            *cosine = query.scaled(*sum, *scale);
        }
    }
}

impl Runs {
    pub fn new<'a>(files: impl Iterator<Item = Option<&'a Rows>>) -> Self {
        let mut all = Self {
            runs: vec![],
            starts: vec![0],
        };
        let mut end = 0;
        for rows in files {
            if let Some(rows) = rows.filter(|rows| !rows.is_empty()) {
                match all.runs.last_mut() {
                    Some((_, last)) if rows.follows(last) => last.length += rows.length,
                    _ => all.runs.push((end, rows.clone())),
                }
                end += rows.length;
            }
            all.starts.push(end);
        }
        all
    }

    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    /// Returns the number of stretches in which rows are compared.
    pub fn stretches(&self) -> usize {
        self.runs.len().div_ceil(RUNS)
    }

    /// Returns the first row of a stretch, and the cosines of its rows; NaN for rows of another length.
    pub fn cosines(&self, stretch: usize, query: &QueryVector) -> (usize, Vec<f32>) {
        let runs = &self.runs
            [(stretch * RUNS).min(self.runs.len())..self.runs.len().min((stretch + 1) * RUNS)];
        let start = runs.first().map_or(0, |(first, _)| *first);
        let mut cosines = vec![f32::NAN; runs.iter().map(|(_, rows)| rows.length).sum()];
        let mut sums = vec![];
        for (first, rows) in runs {
            rows.cosines(
                query,
                &mut sums,
                &mut cosines[*first - start..][..rows.length],
            );
        }
        (start, cosines)
    }
}

impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        self.dimensions() == other.dimensions() && self.iter().eq(other.iter())
    }
}

impl std::fmt::Debug for Rows {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(dimensions: usize, length: usize, seed: usize) -> Rows {
        let code = |at: usize| i8::try_from((at * 37 + seed * 11) % 255).unwrap_or(-127);
        let codes: Vec<Vec<i8>> = (0..length)
            .map(|row| (0..dimensions).map(|at| code(row * 100 + at)).collect())
            .collect();
        Rows::new(
            dimensions,
            codes.iter().map(|codes| Row { codes, scale: 0.5 }),
        )
    }

    /// Returns the cosines of all stretches.
    fn cosines(runs: &Runs, query: &QueryVector) -> Vec<f32> {
        let mut all = vec![];
        for (start, some) in (0..runs.stretches()).map(|stretch| runs.cosines(stretch, query)) {
            assert_eq!(start, all.len());
            all.extend(some);
        }
        assert_eq!(all.len(), runs.rows());
        all
    }

    #[test]
    fn packed_rows_are_the_same_and_lie_together() {
        let loose: Vec<Rows> = (0..300).map(|seed| rows(40, seed % 4, seed)).collect();
        let packed = Rows::packed(&loose.iter().collect::<Vec<_>>());
        assert_eq!(loose, packed);
        let files = |all: &[Rows]| Runs::new(all.iter().map(Some));
        assert_eq!(
            (files(&loose).runs.len(), files(&packed).runs.len()),
            (225, 300_usize.div_ceil(FILES))
        );
        assert_eq!(files(&loose).starts(), files(&packed).starts());
        let query = QueryVector::from_row(loose[1].row(0).expect("one"));
        let cosines = cosines(&files(&packed), &query);
        assert_eq!(self::cosines(&files(&loose), &query), cosines);
        let plain: Vec<f32> = loose
            .iter()
            .flat_map(Rows::iter)
            .map(|row| query.cosine_with(row))
            .collect();
        assert_eq!(cosines, plain);
    }

    #[test]
    fn rows_of_two_lengths_are_packed_apart_and_those_of_another_are_near_nothing() {
        let loose = [rows(40, 2, 1), rows(64, 3, 2), rows(40, 1, 3)];
        let packed = Rows::packed(&loose.iter().collect::<Vec<_>>());
        assert_eq!(loose[..], packed[..]);
        let runs =
            Runs::new([Some(&packed[0]), None, Some(&packed[1]), Some(&packed[2])].into_iter());
        assert_eq!(runs.starts(), [0, 2, 2, 5, 6]);
        let cosines = cosines(
            &runs,
            &QueryVector::from_row(packed[0].row(1).expect("one")),
        );
        assert_eq!(
            cosines
                .iter()
                .map(|cosine| cosine.is_nan())
                .collect::<Vec<_>>(),
            [false, false, true, true, true, false]
        );
    }
}
