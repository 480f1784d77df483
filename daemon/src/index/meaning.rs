//! How near the chunks of a root are to a meaning, where some have been seen by a better model and some have not.
//!
//! What is looked for is embedded by each model that is in use, and a chunk is compared in the better one where it has a
//! vector of it. Cosines of two models are not on one scale: one spreads them from 0 to 0.7, another from 0.7 to 0.9. So
//! those of the better model are brought to the scale of the first, by mean and spread over chunks that have vectors of
//! both: the same chunks, the same question. All that is weighed and cut off by cosines then holds for both.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::models::Stage;
use super::snapshot::Snapshot;
use super::vectors::{FileVectors, Near, Probe, Runs};

/// Chunks by which the scales are compared: more would not say more.
const SAMPLE: usize = 2000;
/// With fewer, chance says too much: all are compared in the first model.
const LEAST: usize = 20;
/// Rows that one thread compares before another has begun.
const ALONE: usize = 5000;
/// A model for which all chunks are equally near says nothing.
const LEAST_SPREAD: f32 = 1e-4;

/// What is looked for, as each model sees it.
pub struct Meaning {
    first: Probe,
    better: Option<Probe>,
}

/// A meaning beside the chunks of one snapshot.
pub struct Measure<'a> {
    snapshot: &'a Snapshot,
    first: &'a Probe,
    better: Option<(&'a Probe, Scale)>,
}

/// The comparing of every chunk of a snapshot, for all who have time for it: each takes the next stretch of rows until
/// there is none.
pub struct Comparing<'a> {
    first: Compared<'a>,
    better: Option<Compared<'a>>,
    next: AtomicUsize,
}

/// With what the rows of one model are compared.
#[derive(Clone, Copy)]
struct Compared<'a> {
    runs: &'a Runs,
    probe: &'a Probe,
    scale: Scale,
}

/// What one who shared in the comparing has found: for each of its stretches the model, the first row, and the cosines.
pub struct Share(Vec<(Stage, usize, Vec<f32>)>);

/// How near every chunk of a snapshot is.
pub struct Nearness<'a> {
    first: Cosines<'a>,
    better: Option<Cosines<'a>>,
}

/// By one model; not a number where that has seen none of the chunk.
struct Cosines<'a> {
    /// Where those of each file begin, and where the last end.
    starts: &'a [usize],
    cosines: Vec<f32>,
}

/// From cosines of the better model to those of the first.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    times: f32,
    plus: f32,
}

impl Meaning {
    pub fn new(first: Probe, better: Option<Probe>) -> Self {
        Self { first, better }
    }

    /// Of a chunk, to find what is like it. None if it has no vector yet.
    pub fn of_chunk(snapshot: &Snapshot, file: usize, chunk: usize) -> Option<Self> {
        let of = |stage| {
            snapshot
                .files
                .get(file)?
                .vectors(stage)?
                .row(chunk)
                .map(Probe::of)
        };
        Some(Self {
            first: of(Stage::First)?,
            better: of(Stage::Better),
        })
    }

    pub fn beside<'a>(&'a self, snapshot: &'a Snapshot) -> Measure<'a> {
        let scale = |better| Some((better, Scale::between(snapshot, &self.first, better)?));
        Measure {
            snapshot,
            first: &self.first,
            better: self.better.as_ref().and_then(scale),
        }
    }
}

impl Measure<'_> {
    /// How near a chunk is; none if it has no vector yet.
    pub fn of_chunk(&self, file: usize, chunk: usize) -> Option<f32> {
        let (vectors, probe, scale) = self.seen(file)?;
        Some(scale.of(probe.cosine_with(vectors.row(chunk)?)))
    }

    /// How near files are on the whole, and how near their paths and names are. Only the first model sees those, and its
    /// scale is the one in use.
    pub fn of_files(&self, files: &[usize]) -> Vec<(Option<f32>, Option<f32>)> {
        // First where the rows are, then what is in them: so the processor waits for many of them at once.
        let rows = files.iter().map(|&file| {
            let overall = self
                .seen(file)
                .and_then(|(vectors, probe, scale)| Some((vectors.overall()?, probe, scale)));
            let first = self
                .snapshot
                .files
                .get(file)
                .and_then(|file| file.vectors(Stage::First));
            (overall, first.and_then(|vectors| vectors.about()))
        });
        let rows: Vec<_> = rows.collect();
        let near = rows.into_iter().map(|(overall, about)| {
            let overall = overall.map(|(row, probe, scale)| scale.of(probe.cosine_with(row)));
            (overall, about.map(|row| self.first.cosine_with(row)))
        });
        near.collect()
    }

    /// How near every chunk is.
    pub fn of_all(&self) -> Nearness<'_> {
        let comparing = self.comparing();
        let all = comparing.share();
        comparing.all_of([all])
    }

    pub fn comparing(&self) -> Comparing<'_> {
        let of = |stage, probe, scale| Compared {
            runs: self.snapshot.runs(stage),
            probe,
            scale,
        };
        Comparing {
            first: of(Stage::First, self.first, Scale::SAME),
            better: self
                .better
                .map(|(probe, scale)| of(Stage::Better, probe, scale)),
            next: AtomicUsize::new(0),
        }
    }

    /// By what a file is seen best.
    fn seen(&self, file: usize) -> Option<(&Arc<FileVectors>, &Probe, Scale)> {
        let file = self.snapshot.files.get(file)?;
        let better = self
            .better
            .and_then(|(probe, scale)| Some((file.vectors(Stage::Better)?, probe, scale)));
        better.or_else(|| Some((file.vectors(Stage::First)?, self.first, Scale::SAME)))
    }
}

impl<'a> Comparing<'a> {
    /// Takes part until nothing is left to be taken.
    pub fn share(&self) -> Share {
        let mut share = vec![];
        while let Some((stage, stretch)) = self.next() {
            let Some(Compared { runs, probe, scale }) = self.of(stage) else {
                break;
            };
            let (start, mut cosines) = runs.cosines(stretch, probe);
            if scale != Scale::SAME {
                for cosine in &mut cosines {
                    *cosine = scale.of(*cosine);
                }
            }
            share.push((stage, start, cosines));
        }
        Share(share)
    }

    /// What all who took part have found.
    pub fn all_of(&self, shares: impl IntoIterator<Item = Share>) -> Nearness<'a> {
        let room = |compared: Compared<'a>| Cosines {
            starts: compared.runs.starts(),
            cosines: vec![f32::NAN; compared.runs.rows()],
        };
        let mut all = Nearness {
            first: room(self.first),
            better: self.better.map(room),
        };
        for (stage, start, cosines) in shares.into_iter().flat_map(|share| share.0) {
            let of = match stage {
                Stage::First => Some(&mut all.first),
                Stage::Better => all.better.as_mut(),
            };
            if let Some(of) = of {
                of.cosines[start..][..cosines.len()].copy_from_slice(&cosines);
            }
        }
        all
    }

    /// Returns whether it takes long enough that another thread is of use.
    pub fn is_much(&self) -> bool {
        let better = self.better.map_or(0, |better| better.runs.rows());
        self.first.runs.rows() + better > ALONE
    }

    /// What is taken next.
    fn next(&self) -> Option<(Stage, usize)> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(next) = next.checked_sub(self.first.runs.stretches()) else {
            return Some((Stage::First, next));
        };
        (next < self.better?.runs.stretches()).then_some((Stage::Better, next))
    }

    fn of(&self, stage: Stage) -> Option<Compared<'a>> {
        match stage {
            Stage::First => Some(self.first),
            Stage::Better => self.better,
        }
    }
}

impl Nearness<'_> {
    /// None if the chunk has no vector yet.
    pub fn of(&self, file: usize, chunk: usize) -> Option<f32> {
        self.of_file(file)
            .get(chunk)
            .copied()
            .filter(|cosine| !cosine.is_nan())
    }

    /// The `most` chunks that lie nearest, the nearest first, among the files that are wanted by their place. Chunks
    /// that have no vector yet are not among them.
    pub fn best(&self, most: usize, is_wanted: impl Fn(usize) -> bool) -> Vec<Near> {
        let mut best = Best {
            most,
            nearest: BinaryHeap::with_capacity(most + 1),
            least: f32::NEG_INFINITY,
        };
        let has_better = |file| {
            self.better
                .as_ref()
                .is_some_and(|better| !better.of_file(file).is_empty())
        };
        best.take(&self.first, |file| is_wanted(file) && !has_better(file));
        if let Some(better) = &self.better {
            best.take(better, is_wanted);
        }
        best.nearest
            .into_sorted_vec()
            .into_iter()
            .map(|near| near.0)
            .collect()
    }

    /// By what the file is seen best.
    fn of_file(&self, file: usize) -> &[f32] {
        let better = self
            .better
            .as_ref()
            .map(|better| better.of_file(file))
            .filter(|cosines| !cosines.is_empty());
        better.unwrap_or_else(|| self.first.of_file(file))
    }
}

/// The nearest chunks so far.
struct Best {
    most: usize,
    /// The least of them on top.
    nearest: BinaryHeap<Reverse<Near>>,
    /// What is no nearer is not among them.
    least: f32,
}

/// Cosines that are looked at in one go: few of a search are among the nearest.
const BLOCK: usize = 64;

impl Best {
    fn take(&mut self, cosines: &Cosines<'_>, is_wanted: impl Fn(usize) -> bool) {
        let mut file = 0;
        for (block, some) in cosines.cosines.chunks(BLOCK).enumerate() {
            // What is not a number is less than any.
            if some.iter().copied().fold(f32::NEG_INFINITY, f32::max) <= self.least {
                continue;
            }
            for (row, &cosine) in (block * BLOCK..).zip(some) {
                if cosine > self.least {
                    while cosines.starts[file + 1] <= row {
                        file += 1;
                    }
                    if is_wanted(file) {
                        self.add(Near {
                            file,
                            chunk: row - cosines.starts[file],
                            cosine,
                        });
                    }
                }
            }
        }
    }

    fn add(&mut self, near: Near) {
        self.nearest.push(Reverse(near));
        if self.nearest.len() > self.most {
            self.nearest.pop();
        }
        if self.nearest.len() == self.most {
            self.least = self
                .nearest
                .peek()
                .map_or(f32::INFINITY, |least| least.0.cosine);
        }
    }
}

impl Cosines<'_> {
    fn of_file(&self, file: usize) -> &[f32] {
        match self.starts.get(file..file + 2) {
            Some([from, to]) => &self.cosines[*from..*to],
            _ => &[],
        }
    }
}

impl Scale {
    const SAME: Self = Self {
        times: 1.0,
        plus: 0.0,
    };

    fn of(self, cosine: f32) -> f32 {
        cosine * self.times + self.plus
    }

    /// None where too few chunks have vectors of both.
    fn between(snapshot: &Snapshot, first: &Probe, better: &Probe) -> Option<Self> {
        let both = || {
            let files = snapshot.files.iter();
            let both = files.filter_map(|file| {
                Some((file.vectors(Stage::First)?, file.vectors(Stage::Better)?))
            });
            both.flat_map(|(one, two)| {
                (0..one.len().min(two.len())).map(move |chunk| (one, two, chunk))
            })
        };
        let all = both().count();
        if all < LEAST {
            return None;
        }
        let mut moments = [Moments::default(), Moments::default()];
        for (one, two, chunk) in both().step_by(all.div_ceil(SAMPLE)) {
            moments[0].add(first.cosine_with(one.row(chunk)?));
            moments[1].add(better.cosine_with(two.row(chunk)?));
        }
        let [first, better] = moments.map(|moments| (moments.mean(), moments.spread()));
        if better.1 < LEAST_SPREAD {
            return None;
        }
        let times = first.1 / better.1;
        Some(Self {
            times,
            plus: first.0 - better.0 * times,
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

    fn spread(&self) -> f32 {
        (self.squares / self.count.max(1.0) - self.mean() * self.mean())
            .max(0.0)
            .sqrt()
    }
}

#[cfg(test)]
mod tests;
