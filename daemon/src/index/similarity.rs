//! Cosine similarity between a query and the chunks of a root, where only some chunks have vectors of the chosen model.
//!
//! The query is embedded by each model in use, and a chunk is compared in the chosen model where it has a vector of it.
//! Cosines of two models are not on one scale: one spreads them from 0 to 0.7, another from 0.7 to 0.9. Those of the chosen
//! model are therefore mapped to the scale of the built-in one, by mean and standard deviation over a sample of the chunks
//! that have vectors of both. All weights and thresholds for cosines then hold for both.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::models::ModelTier;
use super::snapshot::Snapshot;
use super::vectors::{FileVectors, NearChunk, QueryVector, Runs};

/// The most chunks by which the two scales are compared.
const SAMPLE: usize = 2000;
/// With fewer chunks in common the scale would be a matter of chance, so all are compared in the built-in model.
const SMALLEST_SAMPLE: usize = 20;
/// A scan of fewer rows ends before a second thread has begun.
const ROWS_PER_THREAD: usize = 5000;
/// A model for which all chunks are equally near ranks nothing.
const LEAST_DEVIATION: f32 = 1e-4;

/// The vector of a query in each model.
#[derive(Clone)]
pub struct QueryVectors {
    built_in: QueryVector,
    chosen: Option<QueryVector>,
}

/// A query with the snapshot that it is compared with.
pub struct Comparison<'a> {
    snapshot: &'a Snapshot,
    built_in: &'a QueryVector,
    chosen: Option<(&'a QueryVector, Scale)>,
}

/// A comparison of every chunk of a snapshot, shared by several threads: each takes the next stretch of rows until none is
/// left.
pub struct CosineScan<'a> {
    built_in: TierScan<'a>,
    chosen: Option<TierScan<'a>>,
    next: AtomicUsize,
}

/// The rows of one model, and the query that they are compared with.
#[derive(Clone, Copy)]
struct TierScan<'a> {
    runs: &'a Runs,
    query: &'a QueryVector,
    scale: Scale,
}

/// The result of one thread: for each of its stretches the model, the first row, and the cosines.
pub struct PartialCosines(Vec<(ModelTier, usize, Vec<f32>)>);

/// The cosine of every chunk of a snapshot.
pub struct ChunkCosines<'a> {
    built_in: TierCosines<'a>,
    chosen: Option<TierCosines<'a>>,
}

/// The cosines of one model; NaN for a chunk that has no vector of it.
struct TierCosines<'a> {
    /// The first row of each file, and the end of the last.
    starts: &'a [usize],
    cosines: Vec<f32>,
}

/// A linear map from cosines of the chosen model to those of the built-in one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    times: f32,
    plus: f32,
}

impl QueryVectors {
    pub fn new(built_in: QueryVector, chosen: Option<QueryVector>) -> Self {
        Self { built_in, chosen }
    }

    pub fn has_chosen(&self) -> bool {
        self.chosen.is_some()
    }

    /// Uses the vectors of a chunk as the query, to find similar ones. None if it has no vector yet.
    pub fn from_chunk(snapshot: &Snapshot, file: usize, chunk: usize) -> Option<Self> {
        let vector = |tier| {
            let row = snapshot.files.get(file)?.vectors(tier)?.row(chunk);
            row.map(QueryVector::from_row)
        };
        Some(Self {
            built_in: vector(ModelTier::BuiltIn)?,
            chosen: vector(ModelTier::Chosen),
        })
    }

    pub fn compare_with<'a>(&'a self, snapshot: &'a Snapshot) -> Comparison<'a> {
        let scale = |chosen| Some((chosen, Scale::between(snapshot, &self.built_in, chosen)?));
        Comparison {
            snapshot,
            built_in: &self.built_in,
            chosen: self.chosen.as_ref().and_then(scale),
        }
    }
}

impl Comparison<'_> {
    /// Returns the cosine of a chunk, if it has a vector.
    pub fn chunk_cosine(&self, file: usize, chunk: usize) -> Option<f32> {
        let (vectors, query, scale) = self.best_tier(file)?;
        Some(scale.apply(query.cosine_with(vectors.row(chunk)?)))
    }

    /// Returns two cosines of each file: of its content as a whole, and of its path and names. Only the built-in model embeds
    /// the latter, and all cosines are on its scale.
    pub fn file_cosines(&self, files: &[usize]) -> Vec<(Option<f32>, Option<f32>)> {
        // All rows are located before the first is read, so that the processor waits for many of them at once.
        let rows = files.iter().map(|&file| {
            let overall = self
                .best_tier(file)
                .and_then(|(vectors, query, scale)| Some((vectors.overall()?, query, scale)));
            let built_in = self
                .snapshot
                .files
                .get(file)
                .and_then(|file| file.vectors(ModelTier::BuiltIn));
            (overall, built_in.and_then(|vectors| vectors.about()))
        });
        let rows: Vec<_> = rows.collect();
        let cosines = rows.into_iter().map(|(overall, about)| {
            let overall = overall.map(|(row, query, scale)| scale.apply(query.cosine_with(row)));
            (overall, about.map(|row| self.built_in.cosine_with(row)))
        });
        cosines.collect()
    }

    /// Returns the cosine of every chunk, on this thread alone.
    pub fn all_cosines(&self) -> ChunkCosines<'_> {
        let scan = self.scan();
        scan.merge([scan.run()])
    }

    pub fn scan(&self) -> CosineScan<'_> {
        let tier_scan = |tier, query, scale| TierScan {
            runs: self.snapshot.runs(tier),
            query,
            scale,
        };
        CosineScan {
            built_in: tier_scan(ModelTier::BuiltIn, self.built_in, Scale::IDENTITY),
            chosen: self
                .chosen
                .map(|(query, scale)| tier_scan(ModelTier::Chosen, query, scale)),
            next: AtomicUsize::new(0),
        }
    }

    /// Returns the vectors of a file in the chosen model if it has any, or else in the built-in one.
    fn best_tier(&self, file: usize) -> Option<(&Arc<FileVectors>, &QueryVector, Scale)> {
        let file = self.snapshot.files.get(file)?;
        let chosen = self
            .chosen
            .and_then(|(query, scale)| Some((file.vectors(ModelTier::Chosen)?, query, scale)));
        chosen.or_else(|| {
            let vectors = file.vectors(ModelTier::BuiltIn)?;
            Some((vectors, self.built_in, Scale::IDENTITY))
        })
    }
}

impl<'a> CosineScan<'a> {
    /// Compares stretches of rows until no thread has to take another.
    pub fn run(&self) -> PartialCosines {
        let mut partial = vec![];
        while let Some((tier, stretch)) = self.next() {
            let Some(TierScan { runs, query, scale }) = self.tier(tier) else {
                break;
            };
            let (start, mut cosines) = runs.cosines(stretch, query);
            if scale != Scale::IDENTITY {
                for cosine in &mut cosines {
                    *cosine = scale.apply(*cosine);
                }
            }
            partial.push((tier, start, cosines));
        }
        PartialCosines(partial)
    }

    /// Merges the results of all threads.
    pub fn merge(&self, partials: impl IntoIterator<Item = PartialCosines>) -> ChunkCosines<'a> {
        let unset = |scan: TierScan<'a>| TierCosines {
            starts: scan.runs.starts(),
            cosines: vec![f32::NAN; scan.runs.rows()],
        };
        let mut all = ChunkCosines {
            built_in: unset(self.built_in),
            chosen: self.chosen.map(unset),
        };
        for (tier, start, cosines) in partials.into_iter().flat_map(|partial| partial.0) {
            let target = match tier {
                ModelTier::BuiltIn => Some(&mut all.built_in),
                ModelTier::Chosen => all.chosen.as_mut(),
            };
            if let Some(target) = target {
                target.cosines[start..][..cosines.len()].copy_from_slice(&cosines);
            }
        }
        all
    }

    /// Returns whether the scan takes long enough for another thread to be of use.
    pub fn is_large(&self) -> bool {
        let chosen = self.chosen.map_or(0, |chosen| chosen.runs.rows());
        self.built_in.runs.rows() + chosen > ROWS_PER_THREAD
    }

    fn next(&self) -> Option<(ModelTier, usize)> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(next) = next.checked_sub(self.built_in.runs.stretches()) else {
            return Some((ModelTier::BuiltIn, next));
        };
        (next < self.chosen?.runs.stretches()).then_some((ModelTier::Chosen, next))
    }

    fn tier(&self, tier: ModelTier) -> Option<TierScan<'a>> {
        match tier {
            ModelTier::BuiltIn => Some(self.built_in),
            ModelTier::Chosen => self.chosen,
        }
    }
}

impl ChunkCosines<'_> {
    /// Returns the cosine of a chunk, if it has a vector.
    pub fn get(&self, file: usize, chunk: usize) -> Option<f32> {
        let chosen = self
            .chosen
            .as_ref()
            .map(|chosen| chosen.file(file))
            .filter(|cosines| !cosines.is_empty());
        chosen
            .unwrap_or_else(|| self.built_in.file(file))
            .get(chunk)
            .copied()
            .filter(|cosine| !cosine.is_nan())
    }

    /// Returns the `most` nearest chunks of the wanted files, the nearest first. Chunks without a vector are left out.
    pub fn nearest(&self, most: usize, is_wanted: impl Fn(usize) -> bool) -> Vec<NearChunk> {
        let mut nearest = NearestChunks::new(most);
        let has_chosen = |file| {
            self.chosen
                .as_ref()
                .is_some_and(|chosen| !chosen.file(file).is_empty())
        };
        nearest.add_all(&self.built_in, |file| is_wanted(file) && !has_chosen(file));
        if let Some(chosen) = &self.chosen {
            nearest.add_all(chosen, is_wanted);
        }
        nearest.into_sorted()
    }
}

/// The nearest chunks so far.
struct NearestChunks {
    most: usize,
    /// The least near on top.
    heap: BinaryHeap<Reverse<NearChunk>>,
    /// The cosine that a chunk has to exceed.
    least: f32,
}

/// Cosines that are checked at once: few of a scan are among the nearest.
const BLOCK: usize = 64;

impl NearestChunks {
    fn new(most: usize) -> Self {
        Self {
            most,
            heap: BinaryHeap::with_capacity(most + 1),
            least: f32::NEG_INFINITY,
        }
    }

    /// Returns the nearest first.
    fn into_sorted(self) -> Vec<NearChunk> {
        let sorted = self.heap.into_sorted_vec();
        sorted.into_iter().map(|near| near.0).collect()
    }

    fn add_all(&mut self, all: &TierCosines<'_>, is_wanted: impl Fn(usize) -> bool) {
        let mut file = 0;
        for (block, cosines) in all.cosines.chunks(BLOCK).enumerate() {
            // `f32::max` ignores NaN.
            if cosines.iter().copied().fold(f32::NEG_INFINITY, f32::max) <= self.least {
                continue;
            }
            for (row, &cosine) in (block * BLOCK..).zip(cosines) {
                if cosine > self.least {
                    while all.starts[file + 1] <= row {
                        file += 1;
                    }
                    if is_wanted(file) {
                        self.add(NearChunk {
                            file,
                            chunk: row - all.starts[file],
                            cosine,
                        });
                    }
                }
            }
        }
    }

    fn add(&mut self, near: NearChunk) {
        self.heap.push(Reverse(near));
        if self.heap.len() > self.most {
            self.heap.pop();
        }
        if self.heap.len() == self.most {
            self.least = self
                .heap
                .peek()
                .map_or(f32::INFINITY, |least| least.0.cosine);
        }
    }
}

impl TierCosines<'_> {
    fn file(&self, file: usize) -> &[f32] {
        match self.starts.get(file..file + 2) {
            Some([from, to]) => &self.cosines[*from..*to],
            _ => &[],
        }
    }
}

impl Scale {
    const IDENTITY: Self = Self {
        times: 1.0,
        plus: 0.0,
    };

    fn apply(self, cosine: f32) -> f32 {
        cosine * self.times + self.plus
    }

    /// Returns the map between the cosines of two models for a query. None where too few chunks have vectors of both.
    fn between(snapshot: &Snapshot, built_in: &QueryVector, chosen: &QueryVector) -> Option<Self> {
        let both = || {
            let files = snapshot.files.iter();
            let both = files.filter_map(|file| {
                Some((
                    file.vectors(ModelTier::BuiltIn)?,
                    file.vectors(ModelTier::Chosen)?,
                ))
            });
            both.flat_map(|(one, two)| {
                (0..one.len().min(two.len())).map(move |chunk| (one, two, chunk))
            })
        };
        let all = both().count();
        if all < SMALLEST_SAMPLE {
            return None;
        }
        let mut moments = [Moments::default(), Moments::default()];
        for (one, two, chunk) in both().step_by(all.div_ceil(SAMPLE)) {
            moments[0].add(built_in.cosine_with(one.row(chunk)?));
            moments[1].add(chosen.cosine_with(two.row(chunk)?));
        }
        let [built_in, chosen] = moments.map(|moments| (moments.mean(), moments.deviation()));
        if chosen.1 < LEAST_DEVIATION {
            return None;
        }
        let times = built_in.1 / chosen.1;
        Some(Self {
            times,
            plus: built_in.0 - chosen.0 * times,
        })
    }
}

#[derive(Default)]
struct Moments {
    count: f32,
    sum: f32,
    squares: f32,
}

impl Moments {
    fn add(&mut self, value: f32) {
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    fn mean(&self) -> f32 {
        self.sum / self.count.max(1.0)
    }

    fn deviation(&self) -> f32 {
        (self.squares / self.count.max(1.0) - self.mean() * self.mean())
            .max(0.0)
            .sqrt()
    }
}

#[cfg(test)]
mod tests;
