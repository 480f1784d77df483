//! Some of a snapshot's chunks.

use crate::index::snapshot::Snapshot;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkSet {
    /// Where the chunks of each file begin among all, and where the last end.
    starts: Vec<usize>,
    bits: Vec<u64>,
}

const WIDTH: usize = u64::BITS as usize;

impl ChunkSet {
    pub fn empty(snapshot: &Snapshot) -> Self {
        let mut starts = Vec::with_capacity(snapshot.files.len() + 1);
        let mut all = 0;
        for file in &snapshot.files {
            starts.push(all);
            all += file.outline.chunks.len();
        }
        starts.push(all);
        Self { starts, bits: vec![0; all.div_ceil(WIDTH)] }
    }

    pub fn all(snapshot: &Snapshot) -> Self {
        let mut all = Self::empty(snapshot);
        (0..snapshot.files.len()).for_each(|file| all.insert_file(file));
        all
    }

    /// Ignores what there is not.
    pub fn insert(&mut self, file: usize, chunk: usize) {
        if let Some(at) = self.at(file, chunk) {
            self.bits[at / WIDTH] |= 1 << (at % WIDTH);
        }
    }

    pub fn insert_file(&mut self, file: usize) {
        if let (Some(from), Some(to)) = (self.starts.get(file), self.starts.get(file + 1)) {
            for at in *from..*to {
                self.bits[at / WIDTH] |= 1 << (at % WIDTH);
            }
        }
    }

    pub fn contains(&self, file: usize, chunk: usize) -> bool {
        self.at(file, chunk).is_some_and(|at| self.bits[at / WIDTH] >> (at % WIDTH) & 1 == 1)
    }

    pub fn len(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|word| *word == 0)
    }

    /// In the order of the tree.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut file = 0;
        let set = (0..self.starts.last().copied().unwrap_or_default())
            .filter(|at| self.bits[at / WIDTH] >> (at % WIDTH) & 1 == 1);
        set.map(move |at| {
            while self.starts[file + 1] <= at {
                file += 1;
            }
            (file, at - self.starts[file])
        })
    }

    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.bits.iter_mut().zip(&other.bits).for_each(|(one, other)| *one &= other);
        self
    }

    #[must_use]
    pub fn or(mut self, other: &Self) -> Self {
        self.bits.iter_mut().zip(&other.bits).for_each(|(one, other)| *one |= other);
        self
    }

    #[must_use]
    pub fn without(mut self, other: &Self) -> Self {
        self.bits.iter_mut().zip(&other.bits).for_each(|(one, other)| *one &= !other);
        self
    }

    fn at(&self, file: usize, chunk: usize) -> Option<usize> {
        let (from, to) = (self.starts.get(file)?, self.starts.get(file + 1)?);
        Some(from + chunk).filter(|at| at < to)
    }
}
