//! BM25 over the text index, one concept of the question at a time.
//!
//! The forms of a concept are alternatives: the best one counts, and the concept's document frequency is that of all forms
//! together. A tantivy query would add the scores of the forms instead, so this module reads the postings itself.

mod clauses;
pub mod files;
mod windows;

use std::ops::ControlFlow;

use tantivy::fieldnorm::FieldNormReader;
use tantivy::index::InvertedIndexReader;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, TantivyError, Term};

use self::windows::{DocumentScore, Window};
use super::question::{Concept, Origin, Question};
use super::weights;
use crate::index::snapshot::{Size, Snapshot};
use crate::store::text::{self, FIRST_SYMBOL, Fields, SegmentView, TextView};

const K1: f32 = 1.2;
const B_BODY: f32 = 0.75;
const B_DOC: f32 = 0.5;
/// The shortest part of a name that matches as a prefix of a query word: `auth` for `authentication`.
const SHORTEST_PREFIX: usize = 4;
const PREFIX: f32 = 0.7;

/// The number of a document's file, and its chunk or symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocLocation {
    pub file: u64,
    pub item: DocItem,
}

/// A chunk or symbol, by its position in the file's outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocItem {
    Chunk(usize),
    Symbol(usize),
}

pub type ScoredDoc = (DocAddress, f32);

/// The documents that contain words of a question.
#[derive(Default)]
pub struct LexicalMatches {
    /// Chunks by their text, the best first: the score relative to the best one, and the share of the question that the chunk
    /// contains.
    pub chunks: Vec<(DocAddress, f32, f32)>,
    /// Symbols by their names, the best first: the share of the question that the name contains, times the share of the name
    /// that the question contains.
    pub names: Vec<ScoredDoc>,
    /// Symbols by their documentation, the best first: the score relative to the best one.
    pub docs: Vec<ScoredDoc>,
    /// The rarity of each concept, in the order of the question's concepts.
    pub rarity: Vec<f32>,
}

const MAX_CHUNKS: usize = 400;
const MAX_NAMES: usize = 200;
const MAX_DOCS: usize = 100;

pub struct LexicalSearcher<'a> {
    segments: &'a [SegmentView],
    fields: Fields,
    /// The number of chunks in the index.
    chunks: f32,
    body_norms: LengthNorms,
    doc_norms: LengthNorms,
}

/// The length normalisation of BM25, by the length's code in the index (`fieldnorm_id`).
struct LengthNorms([f32; 256]);

impl LengthNorms {
    fn new(b: f32, words: u64, documents: usize) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "counts")]
        let average = words as f32 / documents.max(1) as f32;
        let mut norms = [0.0; 256];
        for (code, norm) in (0..=u8::MAX).zip(norms.iter_mut()) {
            #[expect(clippy::cast_precision_loss, reason = "a length")]
            let length = FieldNormReader::id_to_fieldnorm(code) as f32;
            *norm = K1 * (1.0 - b + b * length / average.max(1.0));
        }
        Self(norms)
    }

    fn score(&self, frequency: u32, length: u8) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "a count of words")]
        let frequency = frequency as f32;
        frequency * (K1 + 1.0) / (frequency + self.0[usize::from(length)])
    }
}

/// The fields of the text index that are searched.
#[derive(Clone, Copy)]
enum TextField {
    Body,
    Name,
    Doc,
}

impl TextField {
    fn postings(self, segment: &SegmentView) -> &InvertedIndexReader {
        match self {
            Self::Body => &segment.body,
            Self::Name => &segment.name,
            Self::Doc => &segment.doc,
        }
    }

    fn schema_field(self, fields: &Fields) -> Field {
        match self {
            Self::Body => fields.body,
            Self::Name => fields.name,
            Self::Doc => fields.doc,
        }
    }
}

impl<'a> LexicalSearcher<'a> {
    /// Opens a view of the text index; `size` is its number of chunks and symbols.
    pub fn new(view: &'a TextView, size: Size) -> Result<Self, TantivyError> {
        let segments = view.segments()?;
        let words = |field: TextField| {
            segments
                .iter()
                .map(|segment| field.postings(segment).total_num_tokens())
                .sum()
        };
        #[expect(clippy::cast_precision_loss, reason = "a count")]
        let chunks = size.chunks as f32;
        Ok(Self {
            segments,
            fields: text::fields(),
            chunks,
            body_norms: LengthNorms::new(B_BODY, words(TextField::Body), size.chunks),
            doc_norms: LengthNorms::new(B_DOC, words(TextField::Doc), size.symbols),
        })
    }

    /// Finds the best documents for a question, among the files whose numbers are wanted.
    pub fn find(
        &self,
        question: &Question,
        is_wanted: Option<&dyn Fn(u64) -> bool>,
    ) -> Result<LexicalMatches, TantivyError> {
        let is_wanted =
            |doc: DocAddress| is_wanted.is_none_or(|is_wanted| is_wanted(self.file_of(doc)));
        let (mut clauses, mut rarity) = (vec![], vec![]);
        for concept in &question.concepts {
            let mut clause = self.clause(TextField::Body, weighted(&concept.forms))?;
            let rare = self
                .idf(self.count_chunks(&clause)?)
                .max(weights::LEAST_RARITY)
                * concept.weight;
            (clause.score_weight, clause.coverage_weight) = (rare, rare);
            clauses.push(clause);
            rarity.push(rare);
        }
        for pair in &question.pairs {
            let mut clause = self.clause(TextField::Body, weighted(pair))?;
            clause.score_weight = weights::PAIR * self.idf(self.count_chunks(&clause)?);
            clauses.push(clause);
        }
        let total: f32 = rarity.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let by_sum = |_, sum: &DocumentScore| sum.score;
        let mut window = Window::new();
        let chunks = self.best_documents(
            TextField::Body,
            clauses,
            &mut window,
            MAX_CHUNKS,
            is_wanted,
            by_sum,
        )?;
        let (mut of_names, mut of_docs) = (vec![], vec![]);
        for (concept, rare) in question.concepts.iter().zip(&rarity) {
            let prefixes = prefixes(&concept.forms[0].0, concept.origin);
            let forms = weighted(&concept.forms).chain(prefixes);
            let mut clause = self.clause(TextField::Name, forms)?;
            clause.score_weight = rare / total;
            // A name is a concept, and each of its parts is one too; only the parts count towards coverage.
            let is_part = concept.origin != Origin::Whole;
            clause.coverage_weight = if is_part { 1.0 } else { 0.0 };
            of_names.push(clause);
            let mut clause = self.clause(TextField::Doc, weighted(&concept.forms))?;
            clause.score_weight = *rare;
            of_docs.push(clause);
        }
        let named = self.best_documents(
            TextField::Name,
            of_names,
            &mut window,
            MAX_NAMES,
            is_wanted,
            |doc, sum| {
                let segment = &self.segments[doc.segment_ord as usize];
                let length = segment.name_lengths.fieldnorm(doc.doc_id);
                // A name with parts is indexed as a whole, too.
                #[expect(clippy::cast_precision_loss, reason = "a few parts")]
                let parts = length.saturating_sub(1).max(1) as f32;
                sum.score * (sum.coverage / parts).min(1.0)
            },
        )?;
        let documented = self.best_documents(
            TextField::Doc,
            of_docs,
            &mut window,
            MAX_DOCS,
            is_wanted,
            by_sum,
        )?;
        let highest = |found: &[(DocAddress, DocumentScore)]| {
            let first = found.first().map_or(1.0, |(_, sum)| sum.score);
            first.max(f32::MIN_POSITIVE)
        };
        let (best_chunk, best_doc) = (highest(&chunks), highest(&documented));
        Ok(LexicalMatches {
            chunks: chunks
                .into_iter()
                .map(|(doc, sum)| (doc, sum.score / best_chunk, sum.coverage / total))
                .collect(),
            names: named
                .into_iter()
                .map(|(doc, sum)| (doc, sum.score))
                .collect(),
            docs: documented
                .into_iter()
                .map(|(doc, sum)| (doc, sum.score / best_doc))
                .collect(),
            rarity,
        })
    }

    /// Returns the inverse document frequency of a term that this many chunks contain.
    #[expect(clippy::cast_precision_loss, reason = "a count")]
    fn idf(&self, documents: usize) -> f32 {
        let documents = documents as f32;
        (1.0 + (self.chunks - documents + 0.5).max(0.5) / (documents + 0.5)).ln()
    }

    /// Returns the symbols whose name is this word or contains it as a part, in any case: `Parser` and `parse_url` for `parse`.
    pub fn symbols_named(&self, name: &str) -> Result<Vec<DocAddress>, TantivyError> {
        self.documents_with(TextField::Name, name)
    }

    /// Counts the symbols of [`Self::symbols_named`], deleted ones included.
    pub fn count_names_with(&self, name: &str) -> Result<u32, TantivyError> {
        self.count(TextField::Name, name)
    }

    /// Returns the chunks that have this word, whole or as a part of a name, in any case.
    pub fn chunks_with(&self, word: &str) -> Result<Vec<DocAddress>, TantivyError> {
        self.documents_with(TextField::Body, word)
    }

    /// Counts the chunks of [`Self::chunks_with`], deleted ones included.
    pub fn count_chunks_with(&self, word: &str) -> Result<u32, TantivyError> {
        self.count(TextField::Body, word)
    }

    /// Returns whether a text or a name has any form of a concept, among the files whose numbers are wanted.
    pub fn has_concept(
        &self,
        concept: &Concept,
        is_wanted: Option<&dyn Fn(u64) -> bool>,
    ) -> Result<bool, TantivyError> {
        let until_wanted = |doc: DocAddress| {
            if is_wanted.is_none_or(|is_wanted| is_wanted(self.file_of(doc))) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        for (form, _) in weighted(&concept.forms) {
            if self.visit(TextField::Body, form, until_wanted)?.is_break() {
                return Ok(true);
            }
        }
        let prefixes = prefixes(&concept.forms[0].0, concept.origin);
        for (form, _) in weighted(&concept.forms).chain(prefixes) {
            if self.visit(TextField::Name, form, until_wanted)?.is_break() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn documents_with(
        &self,
        field: TextField,
        word: &str,
    ) -> Result<Vec<DocAddress>, TantivyError> {
        let mut found = vec![];
        let _ = self.visit(field, &word.to_lowercase(), |doc| {
            found.push(doc);
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    /// Calls `look` with every document that has a word, until it breaks.
    fn visit(
        &self,
        field: TextField,
        word: &str,
        mut look: impl FnMut(DocAddress) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, TantivyError> {
        let term = Term::from_field_text(field.schema_field(&self.fields), word);
        for (number, segment) in (0..).zip(self.segments) {
            let index = field.postings(segment);
            let Some(info) = index.get_term_info(&term)? else {
                continue;
            };
            let mut postings =
                index.read_block_postings_from_terminfo(&info, IndexRecordOption::Basic)?;
            let alive = segment.reader.alive_bitset();
            while postings.block_len() > 0 {
                let mut docs = postings
                    .docs()
                    .iter()
                    .filter(|doc| alive.is_none_or(|alive| alive.is_alive(**doc)));
                if docs
                    .try_for_each(|doc| look(DocAddress::new(number, *doc)))
                    .is_break()
                {
                    return Ok(ControlFlow::Break(()));
                }
                postings.advance();
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn count(&self, field: TextField, word: &str) -> Result<u32, TantivyError> {
        let term = Term::from_field_text(field.schema_field(&self.fields), &word.to_lowercase());
        let mut count = 0;
        for segment in self.segments {
            let info = field.postings(segment).get_term_info(&term)?;
            count += info.map_or(0, |info| info.doc_freq);
        }
        Ok(count)
    }

    /// Returns the share of all chunks that this number is, on a logarithmic scale.
    #[expect(clippy::cast_precision_loss, reason = "a count")]
    pub fn log_share(&self, chunks: u32) -> f32 {
        (1.0 + chunks as f32).ln() / (1.0 + self.chunks).ln().max(f32::MIN_POSITIVE)
    }

    pub fn locate(&self, doc: DocAddress) -> DocLocation {
        let segment = &self.segments[doc.segment_ord as usize];
        let place = segment.place.first(doc.doc_id).unwrap_or_default();
        let item = match place.checked_sub(FIRST_SYMBOL) {
            Some(symbol) => DocItem::Symbol(usize::try_from(symbol).unwrap_or(usize::MAX)),
            None => DocItem::Chunk(usize::try_from(place).unwrap_or(usize::MAX)),
        };
        DocLocation {
            file: self.file_of(doc),
            item,
        }
    }

    /// Returns the file and chunk of a document in a snapshot.
    pub fn chunk_of(&self, doc: DocAddress, snapshot: &Snapshot) -> Option<(usize, usize)> {
        let location = self.locate(doc);
        match location.item {
            DocItem::Chunk(chunk) => Some((snapshot.by_number(location.file)?, chunk)),
            DocItem::Symbol(_) => None,
        }
    }

    fn file_of(&self, doc: DocAddress) -> u64 {
        let segment = &self.segments[doc.segment_ord as usize];
        segment.file.first(doc.doc_id).unwrap_or_default()
    }
}

fn weighted(forms: &[(String, f32)]) -> impl Iterator<Item = (&str, f32)> {
    forms.iter().map(|(form, factor)| (form.as_str(), *factor))
}

/// Returns the prefixes of a word that names may contain in its place: `auth` for `authentication`.
fn prefixes(word: &str, origin: Origin) -> impl Iterator<Item = (&str, f32)> {
    let is_plain = origin != Origin::Whole && word.is_ascii();
    let longest = if is_plain { word.len() } else { 0 };
    (SHORTEST_PREFIX..longest).map(|length| (&word[..length], PREFIX))
}
