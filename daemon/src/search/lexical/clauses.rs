//! Adds up the scores of the clauses of a question, the rarest first.
//!
//! A clause is one concept or pair of words, of whose forms the best counts. Once enough documents have a higher score than all
//! remaining clauses together can add, a document without any of the clauses so far cannot be among the best, and only
//! documents that already have a score are scored. The remaining clauses are the frequent words, so most of their postings are
//! skipped.

use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;
use tantivy::{TantivyError, Term};

use super::scores::{ConceptScore, DocumentScore, ScoreColumn, add_concept, nth_score};
use super::{K1, LexicalSearcher, TextField};
use crate::search::weights;
use crate::store::text::SegmentView;

/// Clauses with fewer documents are never cut short, since finding the lowest score that counts would take longer. Tests have
/// few documents.
const MANY_DOCUMENTS: usize = if cfg!(test) { 32 } else { 8192 };
/// Makes up for rounding in the sums of scores.
const ROUNDING: f32 = 1.001;

/// A concept or pair: forms of which the best counts.
pub(super) struct Clause {
    /// By segment: where the postings of each form are, and the factor of the form.
    postings: Vec<Vec<(TermInfo, f32)>>,
    weight: ClauseWeight,
    /// The least and the most documents that may contain one of the forms.
    documents: (usize, usize),
}

#[derive(Clone, Copy)]
pub(super) enum ClauseWeight {
    /// Weighted by the rarity of a concept of the question.
    Concept { number: usize, weight: f32 },
    /// Weighted by the rarity of two words written as one.
    Pair,
    /// Independent of the number of documents.
    Fixed { score: f32, coverage: f32 },
}

/// A set of a segment's documents.
struct DocumentSet(Vec<u64>);

impl DocumentSet {
    fn new(documents: usize) -> Self {
        Self(vec![0; documents.div_ceil(64)])
    }

    fn insert(&mut self, doc: u32) {
        self.0[doc as usize / 64] |= 1 << (doc % 64);
    }

    fn contains(&self, doc: u32) -> bool {
        self.0[doc as usize / 64] >> (doc % 64) & 1 == 1
    }

    fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

impl LexicalSearcher<'_> {
    /// Looks up the forms of a clause.
    pub(super) fn clause<'f>(
        &self,
        field: TextField,
        forms: impl Iterator<Item = (&'f str, f32)>,
        weight: ClauseWeight,
    ) -> Result<Clause, TantivyError> {
        let mut postings: Vec<Vec<(TermInfo, f32)>> = vec![vec![]; self.segments.len()];
        let (mut least, mut most) = (0, 0);
        for (form, factor) in forms {
            let term = Term::from_field_text(field.schema_field(&self.fields), form);
            let mut alive = 0;
            for (segment, own) in self.segments.iter().zip(&mut postings) {
                if let Some(info) = field.postings(segment).get_term_info(&term)? {
                    let deleted = segment.reader.num_deleted_docs();
                    alive += info.doc_freq.saturating_sub(deleted) as usize;
                    most += info.doc_freq as usize;
                    own.push((info, factor));
                }
            }
            least = least.max(alive);
        }
        Ok(Clause {
            postings,
            weight,
            documents: (least, most),
        })
    }

    /// Adds the scores of clauses to the sums. With `most`, only the sums of that many best documents are complete.
    ///
    /// `report` is called with the number and the rarity of each concept.
    pub(super) fn add_clauses(
        &self,
        field: TextField,
        mut clauses: Vec<Clause>,
        most: Option<usize>,
        columns: &mut [ScoreColumn<ConceptScore>],
        sums: &mut [ScoreColumn<DocumentScore>],
        mut report: impl FnMut(usize, f32),
    ) -> Result<(), TantivyError> {
        let is_long = |clause: &Clause| clause.documents.1 > MANY_DOCUMENTS;
        let most = most.filter(|_| clauses.iter().any(is_long));
        if most.is_some() {
            clauses.sort_by(|one, other| self.bound(other).total_cmp(&self.bound(one)));
        }
        let mut remaining: f32 = clauses.iter().map(|clause| self.bound(clause)).sum();
        let mut scored: Option<Vec<DocumentSet>> = None;
        for clause in &clauses {
            if let Some(most) = most.filter(|_| scored.is_none() && is_long(clause))
                && nth_score(sums, most).is_some_and(|least| remaining * ROUNDING < least)
            {
                scored = Some(sums.iter().map(written).collect());
            }
            let documents = self.score_forms(field, clause, scored.as_deref(), columns)?;
            let (score, coverage) = self.weigh(clause.weight, documents);
            if let ClauseWeight::Concept { number, .. } = clause.weight {
                report(number, score);
            }
            add_concept(columns, sums, score, coverage);
            remaining -= self.bound(clause);
        }
        Ok(())
    }

    /// Returns the most that a clause can add to the score of a document.
    fn bound(&self, clause: &Clause) -> f32 {
        let forms = clause.postings.iter().flatten();
        let factor = forms.map(|(_, factor)| *factor).fold(0.0, f32::max);
        factor * (K1 + 1.0) * self.weigh(clause.weight, clause.documents.0).0
    }

    /// Returns the weights of the score and of the coverage of a clause that this many documents contain.
    fn weigh(&self, weight: ClauseWeight, documents: usize) -> (f32, f32) {
        match weight {
            ClauseWeight::Concept { weight, .. } => {
                let rare = self.idf(documents).max(weights::LEAST_RARITY) * weight;
                (rare, rare)
            }
            ClauseWeight::Pair => (weights::PAIR * self.idf(documents), 0.0),
            ClauseWeight::Fixed { score, coverage } => (score, coverage),
        }
    }

    /// Scores documents by the best form of a clause: all documents, or those in `only`. Returns the number of documents that
    /// contain a form, scored or not.
    fn score_forms(
        &self,
        field: TextField,
        clause: &Clause,
        only: Option<&[DocumentSet]>,
        columns: &mut [ScoreColumn<ConceptScore>],
    ) -> Result<usize, TantivyError> {
        let mut documents = 0;
        for (number, (segment, column)) in self.segments.iter().zip(columns).enumerate() {
            let forms = &clause.postings[number];
            let mut count = 0;
            let mut several = (only.is_some() && forms.len() > 1)
                .then(|| DocumentSet::new(segment.reader.max_doc() as usize));
            for (info, factor) in forms {
                let alive = segment.reader.alive_bitset();
                let mut postings = field
                    .postings(segment)
                    .read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?;
                while postings.block_len() > 0 {
                    for (&doc, &frequency) in postings.docs().iter().zip(postings.freqs()) {
                        if alive.is_some_and(|alive| !alive.is_alive(doc)) {
                            continue;
                        }
                        count += 1;
                        if let Some(several) = &mut several {
                            several.insert(doc);
                        }
                        if only.is_none_or(|only| only[number].contains(doc)) {
                            let score = self.score(field, segment, doc, frequency);
                            column.record(doc, factor * score, *factor);
                        }
                    }
                    postings.advance();
                }
            }
            documents += match (only, several) {
                (None, _) => column.written.len(),
                (Some(_), Some(several)) => several.len(),
                (Some(_), None) => count,
            };
        }
        Ok(documents)
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

fn written(column: &ScoreColumn<DocumentScore>) -> DocumentSet {
    let mut documents = DocumentSet::new(column.entries.len());
    for doc in &column.written {
        documents.insert(*doc);
    }
    documents
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use tantivy::DocAddress;

    use super::*;
    use crate::search::lexical::LexicalMatches;
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
            let cut_short = lexical.find(&question, None).expect("found");
            let complete = lexical.find(&question, Some(&|_| true)).expect("found");
            assert_eq!(cut_short.rarity, complete.rarity, "{query}");
            assert_eq!(cut_short.chunks.len(), complete.chunks.len(), "{query}");
            let least = complete.chunks.last().expect("chunks").1;
            let [cut_short, complete] = [cut_short, complete].map(scores);
            for (doc, (score, coverage)) in &complete {
                match cut_short.get(doc) {
                    Some((own, covered)) => {
                        assert!((own - score).abs() < 1e-4, "{query}: {own} {score}");
                        assert!((covered - coverage).abs() < 1e-4, "{query}");
                    }
                    None => assert!(score - least < 1e-4, "{query}: {doc:?} is missing"),
                }
            }
        }
    }

    fn scores(matches: LexicalMatches) -> HashMap<DocAddress, (f32, f32)> {
        let chunks = matches.chunks.into_iter();
        chunks
            .map(|(doc, score, coverage)| (doc, (score, coverage)))
            .collect()
    }
}
