//! The sums of scores of a few thousand neighbouring documents, and the best documents so far.
//!
//! Documents are scored window by window, so that their sums stay in the processor's first cache: an array over all documents
//! of a large index would be read from memory for each of its words.

use tantivy::DocAddress;

/// The number of documents in a window. Tests have few documents.
pub const WINDOW: u32 = if cfg!(test) { 64 } else { 2048 };

/// The sum over all clauses for a document.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DocumentScore {
    pub score: f32,
    pub coverage: f32,
}

/// The best form of the current clause in a document.
#[derive(Clone, Copy, Default)]
struct FormScore {
    score: f32,
    /// The factor of the form, however often it occurs; zero for a document without any.
    presence: f32,
}

pub struct Window {
    /// The first document.
    pub first: u32,
    sums: Vec<DocumentScore>,
    forms: Vec<FormScore>,
    /// The documents with a form of the current clause, counted from the first.
    matched: Vec<usize>,
    scored: DocumentSet,
}

/// A set of documents, counted from 0.
pub struct DocumentSet(Vec<u64>);

/// The documents with the highest scores; of equal scores the earlier document.
pub struct BestDocuments {
    most: usize,
    found: Vec<(DocAddress, DocumentScore)>,
    /// Documents with a lower score are not among the best.
    pub least: f32,
}

impl Window {
    pub fn new() -> Self {
        let documents = WINDOW as usize;
        Self {
            first: 0,
            sums: vec![DocumentScore::default(); documents],
            forms: vec![FormScore::default(); documents],
            matched: Vec::with_capacity(documents),
            scored: DocumentSet::new(documents),
        }
    }

    /// Returns the position of a document in the window.
    fn position(&self, doc: u32) -> usize {
        (doc - self.first) as usize
    }

    pub fn is_empty(&self) -> bool {
        self.scored.0.iter().all(|word| *word == 0)
    }

    pub fn has_score(&self, doc: u32) -> bool {
        self.scored.contains(self.position(doc))
    }

    /// Keeps the best of the forms of the current clause that a document has.
    pub fn record(&mut self, doc: u32, score: f32, presence: f32) {
        let at = self.position(doc);
        let entry = &mut self.forms[at];
        if entry.presence == 0.0 {
            self.matched.push(at);
        }
        entry.score = entry.score.max(score);
        entry.presence = entry.presence.max(presence);
    }

    /// Adds the scores of the current clause to the sums.
    pub fn finish_clause(&mut self, score_weight: f32, coverage_weight: f32) {
        for at in self.matched.drain(..) {
            let own = std::mem::take(&mut self.forms[at]);
            let sum = &mut self.sums[at];
            sum.score += score_weight * own.score;
            sum.coverage += coverage_weight * own.presence;
            self.scored.insert(at);
        }
    }

    /// Calls `visit` with each document that has a score, and moves to the next window.
    pub fn finish(&mut self, mut visit: impl FnMut(u32, DocumentScore)) {
        for (at, word) in self.scored.0.iter_mut().enumerate() {
            let mut rest = std::mem::take(word);
            while rest != 0 {
                let at = at * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let sum = std::mem::take(&mut self.sums[at]);
                #[expect(clippy::cast_possible_truncation, reason = "inside the window")]
                visit(self.first + at as u32, sum);
            }
        }
        self.first += WINDOW;
    }
}

impl DocumentSet {
    pub fn new(documents: usize) -> Self {
        Self(vec![0; documents.div_ceil(64)])
    }

    /// Returns whether the document was not in the set yet.
    pub fn insert(&mut self, doc: usize) -> bool {
        let (word, bit) = (&mut self.0[doc / 64], 1 << (doc % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    fn contains(&self, doc: usize) -> bool {
        self.0[doc / 64] >> (doc % 64) & 1 == 1
    }
}

impl BestDocuments {
    pub fn new(most: usize) -> Self {
        Self {
            most,
            found: vec![],
            least: f32::NEG_INFINITY,
        }
    }

    pub fn add(&mut self, doc: DocAddress, sum: DocumentScore) {
        if self.found.len() >= 2 * self.most {
            let (_, nth, _) = self.found.select_nth_unstable_by(self.most - 1, order);
            self.least = nth.1.score;
            self.found.truncate(self.most);
        }
        self.found.push((doc, sum));
    }

    /// Returns the documents, the best first.
    pub fn finish(mut self) -> Vec<(DocAddress, DocumentScore)> {
        self.found.sort_unstable_by(order);
        self.found.truncate(self.most);
        self.found
    }
}

fn order(
    one: &(DocAddress, DocumentScore),
    other: &(DocAddress, DocumentScore),
) -> std::cmp::Ordering {
    let by_score = other.1.score.total_cmp(&one.1.score);
    by_score.then_with(|| one.0.cmp(&other.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_those_of_a_plain_sort() {
        for documents in [0, 7, 50, 99, 100, 101, 5000] {
            let score = |doc: u32| (doc.wrapping_mul(2_654_435_761) >> 20) % 40;
            let mut best = BestDocuments::new(50);
            for doc in 0..documents {
                #[expect(clippy::cast_precision_loss, reason = "small numbers")]
                let score = score(doc) as f32;
                if score >= best.least {
                    let coverage = 0.0;
                    best.add(DocAddress::new(0, doc), DocumentScore { score, coverage });
                }
            }
            let mut expected: Vec<u32> = (0..documents).collect();
            expected.sort_by_key(|doc| (std::cmp::Reverse(score(*doc)), *doc));
            expected.truncate(50);
            let found: Vec<u32> = best.finish().iter().map(|(doc, _)| doc.doc_id).collect();
            assert_eq!(found, expected, "{documents}");
        }
    }

    #[test]
    fn a_window_adds_the_best_form_of_each_clause_and_begins_again() {
        let mut window = Window::new();
        for first in [0, WINDOW] {
            assert!(window.is_empty());
            window.record(first + 3, 1.0, 1.0);
            window.record(first + 3, 2.0, 0.5);
            window.finish_clause(10.0, 1.0);
            window.record(first + 3, 1.0, 1.0);
            window.record(first + WINDOW - 1, 4.0, 1.0);
            assert!(window.has_score(first + 3) && !window.has_score(first + WINDOW - 1));
            window.finish_clause(1.0, 0.0);
            let mut found = vec![];
            window.finish(|doc, sum| found.push((doc, sum.score, sum.coverage)));
            assert_eq!(
                found,
                [(first + 3, 21.0, 1.0), (first + WINDOW - 1, 4.0, 0.0)]
            );
        }
    }
}
