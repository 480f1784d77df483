//! How well each chunk and symbol has the words that are asked for: BM25, a concept at a time.
//!
//! The forms of a concept are alternatives: the best one counts, and the concept is as rare as all of them together.
//! That is why the postings are read here rather than by the engine's own queries, which would add the forms up.

use std::cell::RefCell;
use std::ops::ControlFlow;

use tantivy::fieldnorm::FieldNormReader;
use tantivy::index::InvertedIndexReader;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{TantivyError, Term};

use super::question::{Concept, Origin, Question};
use super::weights;
use crate::store::text::{self, FIRST_SYMBOL, Fields, SegmentView, TextView};

const K1: f32 = 1.2;
const B_BODY: f32 = 0.75;
const B_DOC: f32 = 0.5;
/// Parts of a name that are a beginning of the word asked for: `auth` for `authentication`.
const SHORTEST_BEGINNING: usize = 4;
const BEGINNING: f32 = 0.7;

/// A document of the text index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Doc {
    segment: u32,
    doc: u32,
}

/// Where a document is: the number of its file, and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocLocation {
    pub file: u64,
    pub place: DocItem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocItem {
    Chunk(usize),
    Symbol(usize),
}

/// A document and how well it does.
pub type Scored = (Doc, f32);

/// What the words of a question find.
#[derive(Default)]
pub struct Found {
    /// By body, the best first: score and coverage, each against all that could be had.
    pub chunks: Vec<(Doc, f32, f32)>,
    /// Symbols by their names, the best first: how much of the question the name has, times how much of the name is asked for.
    pub names: Vec<Scored>,
    /// Symbols by their documentation, the best first; the best is 1.
    pub docs: Vec<Scored>,
    /// How rare each concept is, in the order of the question's.
    pub rarity: Vec<f32>,
}

/// How many of each are kept.
const MOST_CHUNKS: usize = 400;
const MOST_NAMES: usize = 200;
const MOST_DOCS: usize = 100;

pub struct LexicalSearcher<'a> {
    segments: &'a [SegmentView],
    fields: Fields,
    /// Chunks in the index.
    chunks: f32,
    body_norms: Norms,
    doc_norms: Norms,
}

/// What a document's length does to the weight of its words, by the code of the length.
struct Norms([f32; 256]);

impl Norms {
    fn new(b: f32, average: f32) -> Self {
        let mut norms = [0.0; 256];
        for (code, norm) in (0..=u8::MAX).zip(norms.iter_mut()) {
            #[expect(clippy::cast_precision_loss, reason = "a length")]
            let length = FieldNormReader::id_to_fieldnorm(code) as f32;
            *norm = K1 * (1.0 - b + b * length / average.max(1.0));
        }
        Self(norms)
    }

    fn weigh(&self, frequency: u32, length: u8) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "a count of words")]
        let frequency = frequency as f32;
        frequency * (K1 + 1.0) / (frequency + self.0[usize::from(length)])
    }
}

/// What one concept is worth in each document of a segment. Kept between concepts, and always clean.
#[derive(Default)]
struct Presence {
    documents: Vec<Present>,
    touched: Vec<u32>,
}

#[derive(Clone, Copy, Default)]
struct Present {
    weight: f32,
    has: f32,
}

thread_local! {
    /// A query needs room for every document. What a thread has made is used again, and ends with the thread.
    static ROOM: RefCell<Room> = RefCell::default();
}

/// Room for a segment each, always clean.
#[derive(Default)]
struct Room {
    bodies: Vec<Sums>,
    names: Vec<Sums>,
    docs: Vec<Sums>,
    columns: Vec<Presence>,
}

impl Room {
    /// Makes it large enough.
    fn fit(&mut self, segments: &[SegmentView]) {
        for sums in [&mut self.bodies, &mut self.names, &mut self.docs] {
            sums.resize_with(segments.len(), Sums::default);
            for (sums, segment) in sums.iter_mut().zip(segments) {
                sums.fit(segment.reader.max_doc() as usize);
            }
        }
        self.columns.resize_with(segments.len(), Presence::default);
        for (column, segment) in self.columns.iter_mut().zip(segments) {
            column.fit(segment.reader.max_doc() as usize);
        }
    }

    fn clean(&mut self) {
        for sums in [&mut self.bodies, &mut self.names, &mut self.docs] {
            sums.iter_mut().for_each(Sums::clean);
        }
    }
}

/// Sums over concepts, for each document of a segment.
#[derive(Default)]
struct Sums {
    documents: Vec<Sum>,
    touched: Vec<u32>,
}

#[derive(Clone, Copy, Default, PartialEq)]
struct Sum {
    score: f32,
    cover: f32,
}

impl Sums {
    fn fit(&mut self, documents: usize) {
        self.documents.resize(documents, Sum::default());
    }

    fn clean(&mut self) {
        for &doc in &self.touched {
            self.documents[doc as usize] = Sum::default();
        }
        self.touched.clear();
    }

    fn add(&mut self, column: &Presence, score: f32, cover: f32) {
        for &doc in &column.touched {
            let (sum, present) = (
                &mut self.documents[doc as usize],
                column.documents[doc as usize],
            );
            if *sum == Sum::default() {
                self.touched.push(doc);
            }
            sum.score += score * present.weight;
            sum.cover += cover * present.has;
        }
    }
}

impl Presence {
    fn fit(&mut self, documents: usize) {
        self.documents.resize(documents, Present::default());
    }

    /// Where only presence counts.
    fn weight_by_presence(&mut self) {
        for &doc in &self.touched {
            let present = &mut self.documents[doc as usize];
            present.weight = present.has;
        }
    }

    fn clean(&mut self) {
        for &doc in &self.touched {
            self.documents[doc as usize] = Present::default();
        }
        self.touched.clear();
    }

    /// The best of some forms, in every document that has one.
    fn gather(
        &mut self,
        segment: &SegmentView,
        index: &InvertedIndexReader,
        field: Field,
        forms: impl IntoIterator<Item = (impl AsRef<str>, f32)>,
        weigh: impl Fn(u32, u32) -> f32,
    ) -> Result<(), TantivyError> {
        let alive = segment.reader.alive_bitset();
        for (form, counts) in forms {
            let term = Term::from_field_text(field, form.as_ref());
            let Some(info) = index.get_term_info(&term)? else {
                continue;
            };
            let mut postings =
                index.read_block_postings_from_terminfo(&info, IndexRecordOption::WithFreqs)?;
            while postings.block_len() > 0 {
                for (&doc, &frequency) in postings.docs().iter().zip(postings.freqs()) {
                    if alive.is_some_and(|alive| alive.is_deleted(doc)) {
                        continue;
                    }
                    let present = &mut self.documents[doc as usize];
                    if present.has == 0.0 {
                        self.touched.push(doc);
                    }
                    present.weight = present.weight.max(counts * weigh(doc, frequency));
                    present.has = present.has.max(counts);
                }
                postings.advance();
            }
        }
        Ok(())
    }
}

impl<'a> LexicalSearcher<'a> {
    /// Over an index of so many chunks and symbols.
    pub fn new(view: &'a TextView, chunks: usize, symbols: usize) -> Result<Self, TantivyError> {
        let segments = view.segments()?;
        let body_words = segments
            .iter()
            .map(|segment| segment.body.total_num_tokens())
            .sum();
        let doc_words = segments
            .iter()
            .map(|segment| segment.doc.total_num_tokens())
            .sum();
        let body_norms = Norms::new(B_BODY, average(body_words, chunks));
        let doc_norms = Norms::new(B_DOC, average(doc_words, symbols));
        #[expect(clippy::cast_precision_loss, reason = "a count")]
        let chunks = chunks as f32;
        Ok(Self {
            segments,
            fields: text::fields(),
            chunks,
            body_norms,
            doc_norms,
        })
    }

    /// What the question's words find among the documents that are wanted.
    pub fn find(
        &self,
        question: &Question,
        is_wanted: Option<&dyn Fn(u64) -> bool>,
    ) -> Result<Found, TantivyError> {
        let mut rarity = vec![];
        let mut room = ROOM.take();
        room.fit(self.segments);
        let Room {
            bodies,
            names,
            docs,
            columns,
        } = &mut room;
        for concept in &question.concepts {
            let forms = || {
                concept
                    .forms
                    .iter()
                    .map(|(form, counts)| (form.as_str(), *counts))
            };
            let rare = self
                .bodies(columns, &concept.forms)?
                .max(weights::LEAST_RARITY)
                * concept.weight;
            rarity.push(rare);
            settle(columns, bodies, rare, rare);
            for (segment, column) in self.segments.iter().zip(columns.iter_mut()) {
                let forms = forms().chain(beginnings(&concept.forms[0].0, concept.origin));
                column.gather(segment, &segment.name, self.fields.name, forms, |_, _| 0.0)?;
            }
            // Of a name both the whole and its parts are asked for; only the parts say how much of it was.
            let counts = if concept.origin == Origin::Whole {
                0.0
            } else {
                1.0
            };
            for (column, sums) in columns.iter_mut().zip(names.iter_mut()) {
                column.weight_by_presence();
                sums.add(column, rare, counts);
                column.clean();
            }
            for (segment, column) in self.segments.iter().zip(columns.iter_mut()) {
                column.gather(
                    segment,
                    &segment.doc,
                    self.fields.doc,
                    forms(),
                    |doc, frequency| {
                        self.doc_norms
                            .weigh(frequency, segment.doc_lengths.fieldnorm_id(doc))
                    },
                )?;
            }
            settle(columns, docs, rare, 0.0);
        }
        for pair in &question.pairs {
            let rare = self.bodies(columns, pair)?;
            settle(columns, bodies, weights::PAIR * rare, 0.0);
        }
        let total: f32 = rarity.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let wanted = |doc: Doc| is_wanted.is_none_or(|is_wanted| is_wanted(self.file_of(doc)));
        let chunks = best(bodies, MOST_CHUNKS, wanted, |_, sum| {
            (sum.score, sum.cover / total)
        });
        let most = chunks
            .first()
            .map_or(1.0, |(_, (score, _))| *score)
            .max(f32::MIN_POSITIVE);
        let chunks = chunks
            .into_iter()
            .map(|(doc, (score, cover))| (doc, score / most, cover))
            .collect();
        let named = best(names, MOST_NAMES, wanted, |doc, sum| {
            let length = self.segments[doc.segment as usize]
                .name_lengths
                .fieldnorm(doc.doc);
            // The whole name is a word of its own where it has parts.
            #[expect(clippy::cast_precision_loss, reason = "a few parts")]
            let parts = length.saturating_sub(1).max(1) as f32;
            (sum.score / total * (sum.cover / parts).min(1.0), 0.0)
        });
        let documented = best(docs, MOST_DOCS, wanted, |_, sum| (sum.score, 0.0));
        let most = documented
            .first()
            .map_or(1.0, |(_, (score, _))| *score)
            .max(f32::MIN_POSITIVE);
        room.clean();
        ROOM.set(room);
        Ok(Found {
            chunks,
            names: named
                .into_iter()
                .map(|(doc, (score, _))| (doc, score))
                .collect(),
            docs: documented
                .into_iter()
                .map(|(doc, (score, _))| (doc, score / most))
                .collect(),
            rarity,
        })
    }

    /// Fills the columns with what chunks have of some forms. Returns how rare they are together.
    fn bodies(
        &self,
        columns: &mut [Presence],
        forms: &[(String, f32)],
    ) -> Result<f32, TantivyError> {
        let mut having = 0;
        for (segment, column) in self.segments.iter().zip(columns) {
            let forms = forms.iter().map(|(form, counts)| (form, *counts));
            column.gather(
                segment,
                &segment.body,
                self.fields.body,
                forms,
                |doc, frequency| {
                    self.body_norms
                        .weigh(frequency, segment.body_lengths.fieldnorm_id(doc))
                },
            )?;
            having += column.touched.len();
        }
        #[expect(clippy::cast_precision_loss, reason = "a count")]
        let having = having as f32;
        Ok((1.0 + (self.chunks - having + 0.5).max(0.5) / (having + 0.5)).ln())
    }

    /// Symbols whose name is this word or has it as a part, large and small letters alike.
    pub fn symbols_named(&self, name: &str) -> Result<Vec<Doc>, TantivyError> {
        self.with(self.fields.name, |segment| &segment.name, name)
    }

    /// How many of those there are, or a few more.
    pub fn count_names_with(&self, name: &str) -> Result<u32, TantivyError> {
        self.count(self.fields.name, |segment| &segment.name, name)
    }

    /// Chunks that have this word, whole or as a part of a name, large and small letters alike.
    pub fn chunks_with(&self, word: &str) -> Result<Vec<Doc>, TantivyError> {
        self.with(self.fields.body, |segment| &segment.body, word)
    }

    /// Whether a text or a name has any form of a concept, among the documents that are wanted.
    pub fn has(
        &self,
        concept: &Concept,
        is_wanted: Option<&dyn Fn(u64) -> bool>,
    ) -> Result<bool, TantivyError> {
        let until_wanted = |doc: Doc| {
            let is_one = is_wanted.is_none_or(|is_wanted| is_wanted(self.file_of(doc)));
            if is_one {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let forms = || concept.forms.iter().map(|(form, _)| form.as_str());
        for form in forms() {
            if self.visit(
                self.fields.body,
                |segment| &segment.body,
                form,
                until_wanted,
            )? {
                return Ok(true);
            }
        }
        let beginnings =
            beginnings(&concept.forms[0].0, concept.origin).map(|(beginning, _)| beginning);
        for form in forms().chain(beginnings) {
            if self.visit(
                self.fields.name,
                |segment| &segment.name,
                form,
                until_wanted,
            )? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn with(
        &self,
        field: Field,
        index: impl for<'s> Fn(&'s SegmentView) -> &'s InvertedIndexReader,
        word: &str,
    ) -> Result<Vec<Doc>, TantivyError> {
        let mut found = vec![];
        self.visit(field, index, &word.to_lowercase(), |doc| {
            found.push(doc);
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    /// Looks at the documents that have a word, until one is enough. Returns whether one was.
    fn visit(
        &self,
        field: Field,
        index: impl for<'s> Fn(&'s SegmentView) -> &'s InvertedIndexReader,
        word: &str,
        mut look: impl FnMut(Doc) -> ControlFlow<()>,
    ) -> Result<bool, TantivyError> {
        let term = Term::from_field_text(field, word);
        for (number, segment) in (0..).zip(self.segments) {
            let Some(info) = index(segment).get_term_info(&term)? else {
                continue;
            };
            let mut postings = index(segment)
                .read_block_postings_from_terminfo(&info, IndexRecordOption::Basic)?;
            let alive = segment.reader.alive_bitset();
            while postings.block_len() > 0 {
                let mut docs = postings
                    .docs()
                    .iter()
                    .filter(|doc| alive.is_none_or(|alive| alive.is_alive(**doc)));
                if docs
                    .try_for_each(|doc| {
                        look(Doc {
                            segment: number,
                            doc: *doc,
                        })
                    })
                    .is_break()
                {
                    return Ok(true);
                }
                postings.advance();
            }
        }
        Ok(false)
    }

    /// In how many chunks a word is met.
    pub fn count_chunks_with(&self, word: &str) -> Result<u32, TantivyError> {
        self.count(self.fields.body, |segment| &segment.body, word)
    }

    /// How many documents have a word, with those that have been deleted since.
    fn count(
        &self,
        field: Field,
        index: impl for<'s> Fn(&'s SegmentView) -> &'s InvertedIndexReader,
        word: &str,
    ) -> Result<u32, TantivyError> {
        let term = Term::from_field_text(field, &word.to_lowercase());
        let mut count = 0;
        for segment in self.segments {
            count += index(segment)
                .get_term_info(&term)?
                .map_or(0, |info| info.doc_freq);
        }
        Ok(count)
    }

    /// A number of chunks as a share of all, on a scale of logarithms.
    #[expect(clippy::cast_precision_loss, reason = "a count")]
    pub fn share(&self, chunks: u32) -> f32 {
        (1.0 + chunks as f32).ln() / (1.0 + self.chunks).ln().max(f32::MIN_POSITIVE)
    }

    pub fn locate(&self, doc: Doc) -> DocLocation {
        let place = self.segments[doc.segment as usize]
            .place
            .first(doc.doc)
            .unwrap_or_default();
        let place = match place.checked_sub(FIRST_SYMBOL) {
            Some(symbol) => DocItem::Symbol(usize::try_from(symbol).unwrap_or(usize::MAX)),
            None => DocItem::Chunk(usize::try_from(place).unwrap_or(usize::MAX)),
        };
        DocLocation {
            file: self.file_of(doc),
            place,
        }
    }

    fn file_of(&self, doc: Doc) -> u64 {
        self.segments[doc.segment as usize]
            .file
            .first(doc.doc)
            .unwrap_or_default()
    }
}

/// Beginnings of a word that names may have in its place.
fn beginnings(word: &str, origin: Origin) -> impl Iterator<Item = (&str, f32)> {
    let is_plain = origin != Origin::Whole && word.is_ascii();
    let longest = if is_plain { word.len() } else { 0 };
    (SHORTEST_BEGINNING..longest).map(|length| (&word[..length], BEGINNING))
}

/// Adds the columns to the sums, and cleans them for the next concept.
fn settle(columns: &mut [Presence], sums: &mut [Sums], score: f32, cover: f32) {
    for (column, sums) in columns.iter_mut().zip(sums) {
        sums.add(column, score, cover);
        column.clean();
    }
}

/// The documents that do best, the best first; of equals the earlier document. What cannot be among them is let go at once.
fn best(
    sums: &[Sums],
    most: usize,
    is_wanted: impl Fn(Doc) -> bool,
    value: impl Fn(Doc, &Sum) -> (f32, f32),
) -> Vec<(Doc, (f32, f32))> {
    let order = |one: &(Doc, (f32, f32)), other: &(Doc, (f32, f32))| {
        other
            .1
            .0
            .total_cmp(&one.1.0)
            .then_with(|| one.0.cmp(&other.0))
    };
    let mut best = Vec::with_capacity(2 * most);
    let mut least = f32::NEG_INFINITY;
    for (segment, sums) in (0..).zip(sums) {
        for doc in &sums.touched {
            let (sum, doc) = (&sums.documents[*doc as usize], Doc { segment, doc: *doc });
            let value = value(doc, sum);
            if value.0 < least || !is_wanted(doc) {
                continue;
            }
            if best.len() == 2 * most {
                let (_, nth, _) = best.select_nth_unstable_by(most - 1, order);
                least = nth.1.0;
                best.truncate(most);
            }
            best.push((doc, value));
        }
    }
    best.sort_unstable_by(order);
    best.truncate(most);
    best
}

fn average(words: u64, documents: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "counts")]
    let average = words as f32 / documents.max(1) as f32;
    average
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_those_of_a_plain_sort() {
        for documents in [0, 7, 50, 99, 100, 101, 5000] {
            let score = |doc: u32| (doc.wrapping_mul(2_654_435_761) >> 20) % 40;
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let sums = |touched: Vec<u32>| Sums {
                documents: (0..documents)
                    .map(|doc| Sum {
                        score: score(doc) as f32,
                        cover: 0.0,
                    })
                    .collect(),
                touched,
            };
            let all = [
                sums((0..documents).rev().collect()),
                sums((0..documents).step_by(3).collect()),
            ];
            let found = best(
                &all,
                50,
                |doc| doc.doc % 5 != 0,
                |_, sum| (sum.score, sum.cover),
            );
            let docs = (0..)
                .zip(&all)
                .flat_map(|(segment, sums)| sums.touched.iter().map(move |doc| (segment, *doc)));
            let mut expected: Vec<Doc> = docs.map(|(segment, doc)| Doc { segment, doc }).collect();
            expected.retain(|doc| doc.doc % 5 != 0);
            expected.sort_by_key(|doc| (std::cmp::Reverse(score(doc.doc)), *doc));
            expected.truncate(50);
            assert_eq!(
                found.iter().map(|(doc, _)| *doc).collect::<Vec<_>>(),
                expected,
                "{documents}"
            );
        }
    }
}
