//! A set of a snapshot's chunks, as a bit set.

use std::ops::Range;
use std::sync::Arc;

use crate::index::snapshot::Snapshot;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkSet {
    /// For each file, the number of chunks before it; then the number of all chunks.
    starts: Arc<[usize]>,
    bits: Vec<u64>,
}

const WIDTH: usize = u64::BITS as usize;

impl ChunkSet {
    pub fn empty(snapshot: &Snapshot) -> Self {
        let starts = Arc::clone(snapshot.chunk_starts());
        let all = starts.last().copied().unwrap_or_default();
        Self {
            starts,
            bits: vec![0; all.div_ceil(WIDTH)],
        }
    }

    pub fn all(snapshot: &Snapshot) -> Self {
        let mut all = Self::empty(snapshot);
        all.insert_range(0..all.starts.last().copied().unwrap_or_default());
        all
    }

    /// Ignores a chunk that does not exist.
    pub fn insert(&mut self, file: usize, chunk: usize) {
        if let Some(at) = self.at(file, chunk) {
            self.bits[at / WIDTH] |= 1 << (at % WIDTH);
        }
    }

    pub fn insert_file(&mut self, file: usize) {
        if let (Some(from), Some(to)) = (self.starts.get(file), self.starts.get(file + 1)) {
            self.insert_range(*from..*to);
        }
    }

    pub fn contains(&self, file: usize, chunk: usize) -> bool {
        self.at(file, chunk)
            .is_some_and(|at| self.bits[at / WIDTH] >> (at % WIDTH) & 1 == 1)
    }

    pub fn len(&self) -> usize {
        self.bits
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|word| *word == 0)
    }

    /// Returns the pairs of file and chunk, in the order of the tree.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut file = 0;
        let mut words = self.bits.iter().copied().enumerate();
        let (mut number, mut left) = (0, 0);
        let set = std::iter::from_fn(move || {
            while left == 0 {
                (number, left) = words.next()?;
            }
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            Some(number * WIDTH + bit)
        });
        set.map(move |at| {
            while self.starts[file + 1] <= at {
                file += 1;
            }
            (file, at - self.starts[file])
        })
    }

    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.bits
            .iter_mut()
            .zip(&other.bits)
            .for_each(|(one, other)| *one &= other);
        self
    }

    #[must_use]
    pub fn or(mut self, other: &Self) -> Self {
        self.bits
            .iter_mut()
            .zip(&other.bits)
            .for_each(|(one, other)| *one |= other);
        self
    }

    #[must_use]
    pub fn without(mut self, other: &Self) -> Self {
        self.bits
            .iter_mut()
            .zip(&other.bits)
            .for_each(|(one, other)| *one &= !other);
        self
    }

    fn insert_range(&mut self, range: Range<usize>) {
        let mut from = range.start;
        while from < range.end {
            let (word, bit) = (from / WIDTH, from % WIDTH);
            let count = (WIDTH - bit).min(range.end - from);
            self.bits[word] |= (u64::MAX >> (WIDTH - count)) << bit;
            from += count;
        }
    }

    fn at(&self, file: usize, chunk: usize) -> Option<usize> {
        let (from, to) = (self.starts.get(file)?, self.starts.get(file + 1)?);
        Some(from + chunk).filter(|at| at < to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::facts::{Chunk, Outline};
    use crate::index::snapshot::IndexedFile;
    use crate::store::ledger::record::{FileRecord, FileState, Skip};

    fn snapshot(chunks: &[usize]) -> Snapshot {
        let file = |(number, chunks): (usize, &usize)| {
            let chunk = Chunk {
                start_byte: 0,
                end_byte: 1,
                start_line: 1,
                end_line: 1,
                hash: [0; 16],
            };
            let outline = Outline {
                chunks: vec![chunk; *chunks],
                ..Outline::default()
            };
            let state = FileState::Skipped(Skip::Binary);
            let record = FileRecord {
                size: 0,
                modified_nanos: 0,
                stamp: 0,
                hash: [0; 16],
                language: None,
                state,
            };
            Arc::new(IndexedFile::new(
                format!("{number}"),
                record,
                None,
                Arc::new(outline),
            ))
        };
        Snapshot::new(chunks.iter().enumerate().map(file).collect(), 0, None)
    }

    #[test]
    fn sets_have_union_intersection_and_difference() {
        let snapshot = snapshot(&[2, 0, 70, 1]);
        let mut some = ChunkSet::empty(&snapshot);
        for (file, chunk) in [(0, 1), (2, 69), (3, 0), (0, 2), (9, 0), (1, 0)] {
            some.insert(file, chunk);
        }
        assert_eq!(some.iter().collect::<Vec<_>>(), [(0, 1), (2, 69), (3, 0)]);
        let rest = ChunkSet::all(&snapshot).without(&some);
        assert_eq!((some.len(), rest.len()), (3, 70));
        assert!(some.clone().and(&rest).is_empty());
        assert_eq!(some.clone().or(&rest), ChunkSet::all(&snapshot));
        let mut whole = ChunkSet::empty(&snapshot);
        whole.insert_file(2);
        assert_eq!(
            whole.iter().collect::<Vec<_>>(),
            (0..70).map(|chunk| (2, chunk)).collect::<Vec<_>>()
        );
        assert_eq!(
            whole.clone().and(&some).iter().collect::<Vec<_>>(),
            [(2, 69)]
        );
        assert!(whole.contains(2, 0) && !whole.contains(3, 0));
    }
}
