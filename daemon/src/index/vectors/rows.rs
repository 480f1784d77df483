//! Rows of codes, packed into contiguous memory together with those of neighbouring files.
//!
//! A search reads the signs of all of them. If each file had its rows elsewhere, a search would mostly wait for memory; rows in
//! the order in which they are read are prefetched by the processor. Files are therefore packed into blocks once they have
//! vectors. A block is immutable: an edited file has its own block until the next packing.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::signs::{self, BestRows, BitPlanes};
use super::{QueryVector, Row};

/// The number of files in one block. More would keep more memory of replaced files alive.
const FILES: usize = 128;

struct Block {
    dimensions: usize,
    codes: Box<[i8]>,
    scales: Box<[f32]>,
    /// Made when rows are packed, or by the first search that reads them.
    signs: OnceLock<Box<[u64]>>,
}

/// Some rows of a block.
#[derive(Clone)]
pub struct Rows {
    block: Arc<Block>,
    from: usize,
    length: usize,
}

/// The rows of one file after the other, as a search reads them.
pub struct Runs {
    runs: Vec<(usize, Rows)>,
    /// The position of the first row of each file among all, and the end of the last.
    starts: Vec<usize>,
}

impl Rows {
    pub fn new<'a>(dimensions: usize, rows: impl Iterator<Item = Row<'a>>) -> Self {
        let (mut codes, mut scales) = (vec![], vec![]);
        for row in rows {
            let from = codes.len();
            codes.extend_from_slice(&row.codes[..row.codes.len().min(dimensions)]);
            codes.resize(from + dimensions, 0);
            scales.push(row.scale);
        }
        let length = scales.len();
        Self {
            block: Arc::new(Block {
                dimensions,
                codes: codes.into(),
                scales: scales.into(),
                signs: OnceLock::new(),
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
        let dimensions = self.block.dimensions;
        Some(Row {
            codes: &self.block.codes[at * dimensions..][..dimensions],
            scale: self.block.scales[at],
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.length).filter_map(|at| self.row(at))
    }

    /// Returns the size in memory.
    pub fn weight(&self) -> usize {
        let signs = signs::words(self.block.dimensions) * size_of::<u64>();
        size_of::<Self>() + self.length * (self.block.dimensions + size_of::<f32>() + signs)
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
            // Here, so that no question waits for them.
            together.signs();
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

    fn signs(&self) -> &[u64] {
        let block = &self.block;
        let words = signs::words(block.dimensions);
        let rows = block.codes.chunks(block.dimensions.max(1));
        let make = || rows.flat_map(signs::signs).collect();
        let signs = block.signs.get_or_init(make);
        &signs[self.from * words..][..self.length * words]
    }

    /// Returns whether these rows follow others in the same block.
    fn follows(&self, before: &Self) -> bool {
        Arc::ptr_eq(&self.block, &before.block) && before.from + before.length == self.from
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

    /// Returns the number of files, those without rows included.
    pub fn files(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns the positions of a file's rows among all.
    pub fn rows_of(&self, file: usize) -> Range<usize> {
        match self.starts.get(file..file + 2) {
            Some([from, to]) => *from..*to,
            _ => 0..0,
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    /// Returns rows with their positions among all, which ascend.
    pub fn rows_at(
        &self,
        positions: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = (usize, Row<'_>)> {
        let mut runs = self.runs.iter().peekable();
        positions.map_while(move |at| {
            while runs
                .next_if(|(first, rows)| first + rows.length <= at)
                .is_some()
            {}
            let (first, rows) = runs.peek()?;
            Some((at, rows.row(at - first)?))
        })
    }

    /// Returns at least `most` rows that are nearest to a query by an estimate from their signs, in their order. Left out are the
    /// excluded ranges, which ascend and are each within one file, and rows of other dimensions.
    pub fn best_rows(
        &self,
        query: &QueryVector,
        most: usize,
        excluded: impl Iterator<Item = Range<usize>>,
    ) -> impl Iterator<Item = usize> {
        let planes = BitPlanes::new(&query.codes);
        let mut best = BestRows::new(most);
        let mut excluded = excluded.peekable();
        let mut estimates = vec![];
        for (first, rows) in &self.runs {
            let end = first + rows.length;
            estimates.clear();
            if rows.dimensions() == query.codes.len() {
                planes.estimate_rows(rows.signs(), &mut estimates);
            }
            while let Some(range) = excluded.next_if(|range| range.start < end) {
                if let Some(own) = estimates.get_mut(range.start - first..range.end - first) {
                    own.fill(0);
                }
            }
            best.add(*first, &estimates);
        }
        best.finish()
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

    fn codes(runs: &Runs) -> Vec<Vec<i8>> {
        let rows = runs.rows_at(0..runs.rows());
        rows.map(|(_, row)| row.codes.to_vec()).collect()
    }

    #[test]
    fn packed_rows_are_the_same_and_lie_together() {
        let loose: Vec<Rows> = (0..300).map(|seed| rows(40, seed % 4, seed)).collect();
        let packed = Rows::packed(&loose.iter().collect::<Vec<_>>());
        assert_eq!(loose, packed);
        let files = |all: &[Rows]| Runs::new(all.iter().map(Some));
        let (loose, packed) = (files(&loose), files(&packed));
        assert_eq!(
            (loose.runs.len(), packed.runs.len()),
            (225, 300_usize.div_ceil(FILES))
        );
        assert_eq!(loose.starts, packed.starts);
        assert_eq!(codes(&loose), codes(&packed));
        assert_eq!(codes(&packed).len(), packed.rows());
        let last = packed.rows() - 1;
        let some = packed.rows_at([0, 7, last].into_iter());
        let some: Vec<_> = some.map(|(_, row)| row.codes.to_vec()).collect();
        assert_eq!(some, [0, 7, last].map(|at| codes(&loose)[at].clone()));
        let (_, first) = loose.rows_at(0..1).next().expect("one");
        let query = QueryVector::from_row(first);
        let best = |runs: &Runs, excluded: &[Range<usize>]| {
            let best = runs.best_rows(&query, 20, excluded.iter().cloned());
            best.collect::<Vec<_>>()
        };
        let nearest = best(&loose, &[]);
        assert!(nearest.len() >= 20 && nearest.contains(&0));
        assert_eq!(best(&packed, &[]), nearest);
        let excluded = [loose.rows_of(1), loose.rows_of(2), loose.rows_of(150)];
        let others = best(&packed, &excluded);
        assert!(others.len() >= 20);
        assert_eq!(best(&loose, &excluded), others);
        let is_excluded = |row: &usize| excluded.iter().any(|range| range.contains(row));
        assert!(nearest.iter().any(is_excluded) && !others.iter().any(is_excluded));
    }

    #[test]
    fn rows_of_two_lengths_are_packed_apart_and_those_of_another_are_left_out() {
        let loose = [rows(40, 2, 1), rows(64, 3, 2), rows(40, 1, 3)];
        let packed = Rows::packed(&loose.iter().collect::<Vec<_>>());
        assert_eq!(loose[..], packed[..]);
        let runs =
            Runs::new([Some(&packed[0]), None, Some(&packed[1]), Some(&packed[2])].into_iter());
        assert_eq!(runs.starts, [0, 2, 2, 5, 6]);
        let query = QueryVector::from_row(packed[0].row(1).expect("one"));
        let best = runs.best_rows(&query, 6, std::iter::empty());
        assert_eq!(best.collect::<Vec<_>>(), [0, 1, 5]);
    }
}
