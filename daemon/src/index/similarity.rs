//! Cosine similarity between a query and the chunks of a root, where only some chunks have vectors of the chosen model.
//!
//! The query is embedded by each model in use, and a chunk is compared in the chosen model where it has a vector of it.
//! Cosines of two models are not on one scale: one spreads them from 0 to 0.7, another from 0.7 to 0.9. Those of the chosen
//! model are therefore mapped to the scale of the built-in one, by mean and standard deviation over a sample of the chunks
//! that have vectors of both. All weights and thresholds for cosines then hold for both.

use std::sync::Arc;

use super::model_tier::ModelTier;
use super::snapshot::Snapshot;
use super::vectors::{FileVectors, NearChunk, QueryVector, Row, Runs};

/// The most chunks by which the two scales are compared.
const SAMPLE: usize = 2000;
/// With fewer chunks in common the scale would be a matter of chance, so all are compared in the built-in model.
const SMALLEST_SAMPLE: usize = 20;
/// The number of rows that are compared, unless one in [`ROWS_PER_COMPARED`] of all is more.
const ROWS_TO_COMPARE: usize = 4000;
const ROWS_PER_COMPARED: usize = 32;
/// A scan of fewer rows ends before a second thread has begun.
const ROWS_PER_THREAD: usize = 15_000;
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

/// The rows of one model, and the query that they are compared with.
#[derive(Clone, Copy)]
struct TierRows<'a> {
    runs: &'a Runs,
    query: &'a QueryVector,
    scale: Scale,
}

/// The nearest chunks so far.
struct BestChunks {
    most: usize,
    chunks: Vec<NearChunk>,
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

    /// Returns the cosines of several chunks.
    pub fn chunk_cosines(&self, chunks: impl Iterator<Item = (usize, usize)>) -> Vec<Option<f32>> {
        // As in `file_cosines`.
        let rows = chunks.map(|(file, chunk)| {
            let (vectors, query, scale) = self.best_tier(file)?;
            Some((vectors.row(chunk)?, query, scale))
        });
        let rows: Vec<_> = rows.collect();
        let cosine = |(row, query, scale): (Row<'_>, &QueryVector, Scale)| {
            scale.apply(query.cosine_with(row))
        };
        rows.into_iter().map(|row| row.map(cosine)).collect()
    }

    /// Returns the `most` nearest chunks of the wanted files, the nearest first. Chunks without a vector are left out.
    ///
    /// Among many chunks, those that are compared are selected by the signs of their rows: it may miss a few of the last.
    pub fn nearest(&self, most: usize, is_wanted: impl Fn(usize) -> bool) -> Vec<NearChunk> {
        let tier = |tier, query, scale| TierRows {
            runs: self.snapshot.runs(tier),
            query,
            scale,
        };
        let built_in = tier(ModelTier::BuiltIn, self.built_in, Scale::IDENTITY);
        let chosen = self
            .chosen
            .map(|(query, scale)| tier(ModelTier::Chosen, query, scale));
        let has_chosen = |file| chosen.is_some_and(|chosen| !chosen.runs.rows_of(file).is_empty());
        let mut near = BestChunks::new(most);
        built_in.compare(|file| is_wanted(file) && !has_chosen(file), &mut near);
        if let Some(chosen) = &chosen {
            chosen.compare(is_wanted, &mut near);
        }
        near.finish()
    }

    /// Returns whether a search through all chunks takes long enough for another thread to be of use.
    pub fn is_large(&self) -> bool {
        self.snapshot.runs(ModelTier::BuiltIn).rows() > ROWS_PER_THREAD
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

impl TierRows<'_> {
    /// Adds the wanted rows that are worth a comparison, without those of another model, which have other dimensions.
    fn compare(&self, is_wanted: impl Fn(usize) -> bool, near: &mut BestChunks) {
        let mut file = 0;
        for (at, row) in self.runs.rows_at(self.shortlist(&is_wanted)) {
            while self.runs.rows_of(file).end <= at {
                file += 1;
            }
            if row.codes.len() == self.query.dimensions() {
                near.add(NearChunk {
                    file,
                    chunk: at - self.runs.rows_of(file).start,
                    cosine: self.scale.apply(self.query.cosine_with(row)),
                });
            }
        }
    }

    /// Returns the positions of the wanted rows that are worth a comparison, in their order.
    fn shortlist<'a>(
        &'a self,
        is_wanted: &'a impl Fn(usize) -> bool,
    ) -> Box<dyn Iterator<Item = usize> + 'a> {
        let wanted = || (0..self.runs.files()).filter(|file| is_wanted(*file));
        let rows: usize = wanted().map(|file| self.runs.rows_of(file).len()).sum();
        let most = ROWS_TO_COMPARE.max(self.runs.rows() / ROWS_PER_COMPARED);
        if rows <= most {
            return Box::new(wanted().flat_map(|file| self.runs.rows_of(file)));
        }
        let excluded = (0..self.runs.files())
            .filter(|file| !is_wanted(*file))
            .map(|file| self.runs.rows_of(file))
            .filter(|rows| !rows.is_empty());
        Box::new(self.runs.best_rows(self.query, most, excluded))
    }
}

impl BestChunks {
    fn new(most: usize) -> Self {
        Self {
            most,
            chunks: Vec::with_capacity(2 * most),
        }
    }

    fn add(&mut self, chunk: NearChunk) {
        if self.chunks.len() >= 2 * self.most {
            self.drop_far();
        }
        self.chunks.push(chunk);
    }

    fn drop_far(&mut self) {
        if self.chunks.len() > self.most {
            let nearest_first = |one: &NearChunk, other: &NearChunk| other.cmp(one);
            self.chunks.select_nth_unstable_by(self.most, nearest_first);
            self.chunks.truncate(self.most);
        }
    }

    /// Returns the chunks, the nearest first.
    fn finish(mut self) -> Vec<NearChunk> {
        self.drop_far();
        self.chunks.sort_unstable_by(|one, other| other.cmp(one));
        self.chunks
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
