//! The scores of all documents of a segment, in buffers that are reused by the next query.
//!
//! An array with an entry for every document is faster than a map. The entries that a query writes are listed, so that only
//! those are read and cleared. There are as many buffers as processors: more concurrent queries would slow each other down, and
//! 500,000 documents take 16 MB of buffers per query.

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tantivy::DocAddress;

use crate::store::text::SegmentView;
use crate::threads;

/// An entry for every document of a segment, and which of them have been written.
#[derive(Default)]
pub struct ScoreColumn<T> {
    pub entries: Vec<T>,
    pub written: Vec<u32>,
}

/// The best form of one concept in a document.
#[derive(Clone, Copy, Default)]
pub struct ConceptScore {
    pub score: f32,
    /// The factor of the form, however often it occurs.
    pub presence: f32,
}

/// The sum over all concepts for a document.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct DocumentScore {
    pub score: f32,
    pub coverage: f32,
}

/// The columns of every segment, cleared.
#[derive(Default)]
pub struct ScoreBuffers {
    pub bodies: Vec<ScoreColumn<DocumentScore>>,
    pub names: Vec<ScoreColumn<DocumentScore>>,
    pub docs: Vec<ScoreColumn<DocumentScore>>,
    pub concept: Vec<ScoreColumn<ConceptScore>>,
}

/// The buffers that no query uses, and the number of those that are in use.
#[derive(Default)]
struct BufferPool {
    spare: Vec<ScoreBuffers>,
    borrowed: usize,
}

static POOL: Mutex<BufferPool> = Mutex::new(BufferPool {
    spare: vec![],
    borrowed: 0,
});
static RETURNED: Condvar = Condvar::new();

/// Buffers in use by one query, cleared and returned when dropped.
pub struct BorrowedBuffers(ScoreBuffers);

impl BorrowedBuffers {
    /// Waits for buffers, and makes them large enough for these segments.
    pub fn take(segments: &[SegmentView]) -> Self {
        let is_exhausted =
            |pool: &mut BufferPool| pool.spare.is_empty() && pool.borrowed >= threads::processors();
        let mut pool = RETURNED
            .wait_while(pool(), is_exhausted)
            .unwrap_or_else(PoisonError::into_inner);
        pool.borrowed += 1;
        let mut buffers = pool.spare.pop().unwrap_or_default();
        drop(pool);
        resize(&mut buffers.bodies, segments);
        resize(&mut buffers.names, segments);
        resize(&mut buffers.docs, segments);
        resize(&mut buffers.concept, segments);
        Self(buffers)
    }
}

impl Deref for BorrowedBuffers {
    type Target = ScoreBuffers;

    fn deref(&self) -> &ScoreBuffers {
        &self.0
    }
}

impl DerefMut for BorrowedBuffers {
    fn deref_mut(&mut self) -> &mut ScoreBuffers {
        &mut self.0
    }
}

impl Drop for BorrowedBuffers {
    fn drop(&mut self) {
        let mut buffers = std::mem::take(&mut self.0);
        for column in [&mut buffers.bodies, &mut buffers.names, &mut buffers.docs]
            .into_iter()
            .flatten()
        {
            column.clear();
        }
        // These are only left uncleared after an error.
        for column in &mut buffers.concept {
            column.clear();
        }
        let mut pool = pool();
        pool.borrowed -= 1;
        pool.spare.push(buffers);
        drop(pool);
        RETURNED.notify_one();
    }
}

/// Frees the buffers that no query uses.
pub fn release_buffers() {
    let spare = std::mem::take(&mut pool().spare);
    drop(spare);
}

fn pool() -> MutexGuard<'static, BufferPool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

fn resize<T: Copy + Default>(columns: &mut Vec<ScoreColumn<T>>, segments: &[SegmentView]) {
    columns.resize_with(segments.len(), ScoreColumn::default);
    for (column, segment) in columns.iter_mut().zip(segments) {
        column
            .entries
            .resize(segment.reader.max_doc() as usize, T::default());
    }
}

impl<T: Copy + Default> ScoreColumn<T> {
    fn clear(&mut self) {
        for doc in self.written.drain(..) {
            self.entries[doc as usize] = T::default();
        }
    }
}

impl ScoreColumn<ConceptScore> {
    /// Keeps the best of the forms that a document has.
    pub fn record(&mut self, doc: u32, score: f32, presence: f32) {
        let entry = &mut self.entries[doc as usize];
        if entry.presence == 0.0 {
            self.written.push(doc);
        }
        entry.score = entry.score.max(score);
        entry.presence = entry.presence.max(presence);
    }
}

/// Adds the scores of a concept to the sums, and clears them for the next concept.
pub fn add_concept(
    concept: &mut [ScoreColumn<ConceptScore>],
    sums: &mut [ScoreColumn<DocumentScore>],
    score_weight: f32,
    coverage_weight: f32,
) {
    for (column, sums) in concept.iter_mut().zip(sums) {
        for &doc in &column.written {
            let (sum, own) = (
                &mut sums.entries[doc as usize],
                column.entries[doc as usize],
            );
            if *sum == DocumentScore::default() {
                sums.written.push(doc);
            }
            sum.score += score_weight * own.score;
            sum.coverage += coverage_weight * own.presence;
        }
        column.clear();
    }
}

/// Returns the lowest of the `most` highest scores; none if fewer documents have one.
pub fn nth_score(sums: &[ScoreColumn<DocumentScore>], most: usize) -> Option<f32> {
    let mut scores: Vec<f32> = sums
        .iter()
        .flat_map(|column| {
            let scores = column.written.iter();
            scores.map(|doc| column.entries[*doc as usize].score)
        })
        .collect();
    let last = most.checked_sub(1).filter(|last| *last < scores.len())?;
    let (_, nth, _) = scores.select_nth_unstable_by(last, |one, other| other.total_cmp(one));
    Some(*nth)
}

/// Returns the `most` documents with the highest scores, the best first; of equal scores the earlier document.
///
/// `score` gives the score of a document and a second value that is passed on. Documents that cannot be among the best
/// are dropped as soon as that is known.
pub fn best(
    sums: &[ScoreColumn<DocumentScore>],
    most: usize,
    is_wanted: impl Fn(DocAddress) -> bool,
    score: impl Fn(DocAddress, &DocumentScore) -> (f32, f32),
) -> Vec<(DocAddress, (f32, f32))> {
    let order = |one: &(DocAddress, (f32, f32)), other: &(DocAddress, (f32, f32))| {
        other
            .1
            .0
            .total_cmp(&one.1.0)
            .then_with(|| one.0.cmp(&other.0))
    };
    let mut best = Vec::with_capacity(2 * most);
    let mut least = f32::NEG_INFINITY;
    for (segment, sums) in (0..).zip(sums) {
        for &doc in &sums.written {
            let address = DocAddress::new(segment, doc);
            let score = score(address, &sums.entries[doc as usize]);
            if score.0 < least || !is_wanted(address) {
                continue;
            }
            if best.len() == 2 * most {
                let (_, nth, _) = best.select_nth_unstable_by(most - 1, order);
                least = nth.1.0;
                best.truncate(most);
            }
            best.push((address, score));
        }
    }
    best.sort_unstable_by(order);
    best.truncate(most);
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_those_of_a_plain_sort() {
        for documents in [0, 7, 50, 99, 100, 101, 5000] {
            let score = |doc: u32| (doc.wrapping_mul(2_654_435_761) >> 20) % 40;
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let column = |written: Vec<u32>| ScoreColumn {
                entries: (0..documents)
                    .map(|doc| DocumentScore {
                        score: score(doc) as f32,
                        coverage: 0.0,
                    })
                    .collect(),
                written,
            };
            let all = [
                column((0..documents).rev().collect()),
                column((0..documents).step_by(3).collect()),
            ];
            let found = best(
                &all,
                50,
                |address| address.doc_id % 5 != 0,
                |_, sum| (sum.score, sum.coverage),
            );
            let docs = (0..).zip(&all).flat_map(|(segment, column)| {
                let written = column.written.iter();
                written.map(move |doc| DocAddress::new(segment, *doc))
            });
            let mut expected: Vec<DocAddress> = docs.collect();
            expected.retain(|address| address.doc_id % 5 != 0);
            expected.sort_by_key(|address| (std::cmp::Reverse(score(address.doc_id)), *address));
            expected.truncate(50);
            assert_eq!(
                found
                    .iter()
                    .map(|(address, _)| *address)
                    .collect::<Vec<_>>(),
                expected,
                "{documents}"
            );
        }
    }
}
