//! BM25 over the text index, one concept of the question at a time.
//!
//! The forms of a concept are alternatives: the best one counts, and the concept's document frequency is that of all forms
//! together. A tantivy query would add the scores of the forms instead, so this module reads the postings itself.

mod clauses;
pub mod files;
mod scores;

use std::ops::ControlFlow;

use tantivy::fieldnorm::FieldNormReader;
use tantivy::index::InvertedIndexReader;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, TantivyError, Term};

use self::clauses::ClauseWeight;
pub use self::scores::release_buffers;
use self::scores::{BorrowedBuffers, ScoreBuffers, best};
use super::question::{Concept, Origin, Question};
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
        let mut buffers = BorrowedBuffers::take(self.segments);
        let ScoreBuffers {
            bodies,
            names,
            docs,
            concept: columns,
        } = &mut *buffers;
        // Only without a filter are the best of all documents also the best of the wanted ones.
        let most = |most: usize| is_wanted.is_none().then_some(most);
        let concepts = || question.concepts.iter().zip(0..);
        let mut clauses = vec![];
        for (concept, number) in concepts() {
            let weight = ClauseWeight::Concept {
                number,
                weight: concept.weight,
            };
            clauses.push(self.clause(TextField::Body, weighted(&concept.forms), weight)?);
        }
        for pair in &question.pairs {
            clauses.push(self.clause(TextField::Body, weighted(pair), ClauseWeight::Pair)?);
        }
        let mut rarity = vec![0.0; question.concepts.len()];
        self.add_clauses(
            TextField::Body,
            clauses,
            most(MAX_CHUNKS),
            columns,
            bodies,
            |number, rare| {
                rarity[number] = rare;
            },
        )?;
        let (mut of_names, mut of_docs) = (vec![], vec![]);
        for (concept, number) in concepts() {
            let score = rarity[number];
            let forms =
                weighted(&concept.forms).chain(prefixes(&concept.forms[0].0, concept.origin));
            // A name is a concept, and each of its parts is one too; only the parts count towards coverage.
            let is_part = concept.origin != Origin::Whole;
            let coverage = if is_part { 1.0 } else { 0.0 };
            let weight = ClauseWeight::Fixed { score, coverage };
            of_names.push(self.clause(TextField::Name, forms, weight)?);
            let weight = ClauseWeight::Fixed {
                score,
                coverage: 0.0,
            };
            of_docs.push(self.clause(TextField::Doc, weighted(&concept.forms), weight)?);
        }
        self.add_clauses(TextField::Name, of_names, None, columns, names, |_, _| ())?;
        self.add_clauses(
            TextField::Doc,
            of_docs,
            most(MAX_DOCS),
            columns,
            docs,
            |_, _| (),
        )?;
        let total: f32 = rarity.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let is_wanted =
            |doc: DocAddress| is_wanted.is_none_or(|is_wanted| is_wanted(self.file_of(doc)));
        let chunks = best(bodies, MAX_CHUNKS, is_wanted, |_, sum| {
            (sum.score, sum.coverage / total)
        });
        let named = best(names, MAX_NAMES, is_wanted, |doc, sum| {
            let segment = &self.segments[doc.segment_ord as usize];
            let length = segment.name_lengths.fieldnorm(doc.doc_id);
            // A name with parts is indexed as a whole, too.
            #[expect(clippy::cast_precision_loss, reason = "a few parts")]
            let parts = length.saturating_sub(1).max(1) as f32;
            (sum.score / total * (sum.coverage / parts).min(1.0), 0.0)
        });
        let documented = best(docs, MAX_DOCS, is_wanted, |_, sum| (sum.score, 0.0));
        drop(buffers);
        let highest = |found: &[(DocAddress, (f32, f32))]| {
            let first = found.first().map_or(1.0, |(_, (score, _))| *score);
            first.max(f32::MIN_POSITIVE)
        };
        let (best_chunk, best_doc) = (highest(&chunks), highest(&documented));
        Ok(LexicalMatches {
            chunks: chunks
                .into_iter()
                .map(|(doc, (score, coverage))| (doc, score / best_chunk, coverage))
                .collect(),
            names: named
                .into_iter()
                .map(|(doc, (score, _))| (doc, score))
                .collect(),
            docs: documented
                .into_iter()
                .map(|(doc, (score, _))| (doc, score / best_doc))
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
