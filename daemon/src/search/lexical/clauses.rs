//! Finds the documents with the best sums of scores over the clauses of a question.
//!
//! A clause is one concept or pair of words, of whose forms the best counts. In each window of documents the clauses that can
//! add most come first. Once the remaining clauses together cannot make a document one of the best, only documents that already
//! have a score are scored: the remaining clauses are the frequent words, so most of their postings are passed over.

use tantivy::postings::{BlockSegmentPostings, TermInfo};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, TantivyError, Term};

use super::windows::{BestDocuments, DocumentScore, DocumentSet, WINDOW, Window};
use super::{K1, LexicalSearcher, TextField};
use crate::store::text::SegmentView;

/// Makes up for rounding in the sums of scores.
const ROUNDING: f32 = 1.001;

/// Forms of which the best counts.
pub(super) struct Clause {
    /// By segment: where the postings of each form are, and the factor of the form.
    postings: Vec<Vec<(TermInfo, f32)>>,
    pub score_weight: f32,
    pub coverage_weight: f32,
}

/// The postings of a form in a segment, read in order.
struct Cursor {
    postings: BlockSegmentPostings,
    /// The position in the current block.
    at: usize,
    factor: f32,
}

impl LexicalSearcher<'_> {
    /// Looks up the forms of a clause, which has no weight yet.
    pub(super) fn clause<'f>(
        &self,
        field: TextField,
        forms: impl Iterator<Item = (&'f str, f32)>,
    ) -> Result<Clause, TantivyError> {
        let mut postings: Vec<Vec<(TermInfo, f32)>> = vec![vec![]; self.segments.len()];
        for (form, factor) in forms {
            let term = Term::from_field_text(field.schema_field(&self.fields), form);
            for (segment, own) in self.segments.iter().zip(&mut postings) {
                if let Some(info) = field.postings(segment).get_term_info(&term)? {
                    own.push((info, factor));
                }
            }
        }
        Ok(Clause {
            postings,
            score_weight: 0.0,
            coverage_weight: 0.0,
        })
    }

    /// Counts the chunks whose text contains any form of a clause.
    pub(super) fn count_chunks(&self, clause: &Clause) -> Result<usize, TantivyError> {
        let mut chunks = 0;
        for (segment, forms) in self.segments.iter().zip(&clause.postings) {
            match &forms[..] {
                [] => continue,
                [(info, _)] if !segment.reader.has_deletes() => {
                    chunks += info.doc_freq as usize;
                    continue;
                }
                _ => {}
            }
            let alive = segment.reader.alive_bitset();
            let mut seen = DocumentSet::new(segment.reader.max_doc() as usize);
            for (info, _) in forms {
                let mut postings = segment
                    .body
                    .read_block_postings_from_terminfo(info, IndexRecordOption::Basic)?;
                while postings.block_len() > 0 {
                    for doc in postings.docs() {
                        let counts = seen.insert(*doc as usize)
                            && alive.is_none_or(|alive| alive.is_alive(*doc));
                        chunks += usize::from(counts);
                    }
                    postings.advance();
                }
            }
        }
        Ok(chunks)
    }

    /// Finds the documents with the highest scores, the best first. `score` may lower a document's sum, and not raise it.
    pub(super) fn best_documents(
        &self,
        field: TextField,
        mut clauses: Vec<Clause>,
        window: &mut Window,
        most: usize,
        is_wanted: impl Fn(DocAddress) -> bool,
        score: impl Fn(DocAddress, &DocumentScore) -> f32,
    ) -> Result<Vec<(DocAddress, DocumentScore)>, TantivyError> {
        clauses.sort_by(|one, other| other.bound().total_cmp(&one.bound()));
        let bounds: Vec<f32> = clauses.iter().map(Clause::bound).collect();
        let mut best = BestDocuments::new(most);
        for (number, segment) in (0..).zip(self.segments) {
            let mut cursors = vec![];
            for clause in &clauses {
                cursors.push(clause.cursors(field, segment, number as usize)?);
            }
            let alive = segment.reader.alive_bitset();
            window.first = 0;
            while window.first < segment.reader.max_doc() {
                let first = window.first;
                let mut remaining: f32 = bounds.iter().sum();
                for ((clause, bound), cursors) in clauses.iter().zip(&bounds).zip(&mut cursors) {
                    let may_be_best = remaining * ROUNDING >= best.least;
                    if !may_be_best && window.is_empty() {
                        break;
                    }
                    for cursor in cursors {
                        let factor = cursor.factor;
                        cursor.read_window(first, |doc, frequency| {
                            if may_be_best || window.has_score(doc) {
                                let score = self.score(field, segment, doc, frequency);
                                window.record(doc, factor * score, factor);
                            }
                        });
                    }
                    window.finish_clause(clause.score_weight, clause.coverage_weight);
                    remaining -= bound;
                }
                window.finish(|doc, mut sum| {
                    let address = DocAddress::new(number, doc);
                    sum.score = score(address, &sum);
                    if sum.score >= best.least
                        && alive.is_none_or(|alive| alive.is_alive(doc))
                        && is_wanted(address)
                    {
                        best.add(address, sum);
                    }
                });
            }
        }
        Ok(best.finish())
    }

    fn score(&self, field: TextField, segment: &SegmentView, doc: u32, frequency: u32) -> f32 {
        match field {
            TextField::Body => {
                let length = segment.body_lengths.fieldnorm_id(doc);
                self.body_norms.score(frequency, length)
            }
            TextField::Doc => {
                let length = segment.doc_lengths.fieldnorm_id(doc);
                self.doc_norms.score(frequency, length)
            }
            TextField::Name => 1.0,
        }
    }
}

impl Clause {
    /// Returns the most that the clause can add to the score of a document.
    fn bound(&self) -> f32 {
        let forms = self.postings.iter().flatten();
        let factor = forms.map(|(_, factor)| *factor).fold(0.0, f32::max);
        factor * (K1 + 1.0) * self.score_weight
    }

    fn cursors(
        &self,
        field: TextField,
        segment: &SegmentView,
        number: usize,
    ) -> Result<Vec<Cursor>, TantivyError> {
        let forms = self.postings[number].iter();
        let cursor = |(info, factor): &(TermInfo, f32)| {
            let postings = field
                .postings(segment)
                .read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?;
            Ok(Cursor {
                postings,
                at: 0,
                factor: *factor,
            })
        };
        forms.map(cursor).collect()
    }
}

impl Cursor {
    /// Calls `visit` with each document of the window that begins with `first`, and its frequency of the form.
    fn read_window(&mut self, first: u32, mut visit: impl FnMut(u32, u32)) {
        let end = first + WINDOW;
        // Windows were passed over.
        if self.next().is_some_and(|doc| doc < first) {
            self.at = self.postings.seek(first).min(self.postings.block_len());
        }
        while self.postings.block_len() > 0 {
            let docs = &self.postings.docs()[self.at..];
            let own = docs.partition_point(|doc| *doc < end);
            for (doc, frequency) in docs[..own].iter().zip(&self.postings.freqs()[self.at..]) {
                visit(*doc, *frequency);
            }
            self.at += own;
            if self.next().is_some() {
                return;
            }
            self.postings.advance();
            self.at = 0;
        }
    }

    fn next(&self) -> Option<u32> {
        self.postings.docs().get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::lexical::weighted;
    use crate::search::question::Question;
    use crate::search::rank::tests::snapshot;
    use crate::search::testing::Random;

    #[test]
    fn the_best_documents_are_those_of_a_complete_scoring() {
        let mut random = Random(3);
        let texts: Vec<(String, String)> = (0..900)
            .map(|number| {
                let mut text = "common ".repeat(1 + random.below(3));
                for (word, share) in [("zebra", 2), ("zebras", 3), ("frequent", 2), ("rare", 9)] {
                    if random.below(share) == 0 {
                        text += &format!("{word} ").repeat(1 + random.below(4));
                    }
                }
                text += &"filler ".repeat(random.below(30));
                (format!("{number}.txt"), text)
            })
            .collect();
        let files: Vec<(&str, &str)> = texts
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        let scratch = tempfile::tempdir().expect("a directory");
        let snapshot = snapshot(scratch.path(), &files);
        let view = snapshot.text.as_ref().expect("a text index");
        let lexical = LexicalSearcher::new(view, snapshot.size()).expect("opened");
        for query in [
            "common zebra",
            "frequent common zebra rare",
            "common",
            "rare",
        ] {
            let question = Question::new(query);
            let best = |most, is_wanted: &dyn Fn(DocAddress) -> bool| {
                let mut clauses = vec![];
                for concept in &question.concepts {
                    let mut clause = lexical
                        .clause(TextField::Body, weighted(&concept.forms))
                        .expect("looked up");
                    let chunks = lexical.count_chunks(&clause).expect("counted");
                    clause.score_weight = lexical.idf(chunks);
                    clause.coverage_weight = 1.0;
                    clauses.push(clause);
                }
                lexical
                    .best_documents(
                        TextField::Body,
                        clauses,
                        &mut Window::new(),
                        most,
                        is_wanted,
                        |_, sum| sum.score,
                    )
                    .expect("found")
            };
            for is_wanted in [
                &|_| true,
                &(|doc: DocAddress| doc.doc_id.is_multiple_of(3)) as &dyn Fn(_) -> _,
            ] {
                let complete = best(10_000, is_wanted);
                assert!(complete.len() > 20);
                let (cut_short, complete) = (best(20, is_wanted), &complete[..20]);
                assert_eq!(cut_short, complete, "{query}");
            }
        }
    }

    #[test]
    fn chunks_with_several_forms_count_once() {
        let scratch = tempfile::tempdir().expect("a directory");
        let files = [("a", "zebra zebras"), ("b", "zebras"), ("c", "horse")];
        let snapshot = snapshot(scratch.path(), &files);
        let view = snapshot.text.as_ref().expect("a text index");
        let lexical = LexicalSearcher::new(view, snapshot.size()).expect("opened");
        for (forms, count) in [
            (&["zebra"][..], 1),
            (&["zebras"], 2),
            (&["zebra", "zebras", "horses"], 2),
            (&["horses"], 0),
        ] {
            let forms = forms.iter().map(|form| (*form, 1.0));
            let clause = lexical.clause(TextField::Body, forms).expect("looked up");
            assert_eq!(lexical.count_chunks(&clause).expect("counted"), count);
        }
    }
}
