//! BM25 over whole files: the chunks of a file count as one document.
//!
//! The words of a long question are spread over many chunks of the right file, and no single chunk has most of them.

use tantivy::schema::IndexRecordOption;
use tantivy::{TantivyError, Term};

use super::{B_BODY, K1, LexicalSearcher, TextField, weighted};
use crate::index::number_map::NumberMap;
use crate::search::question::Question;

/// The files of an index, by the file numbers of its documents.
pub trait FileSizes {
    /// Returns the position of a searched file in the snapshot, and its size relative to the average.
    fn position_and_size(&self, number: u64) -> Option<(usize, f32)>;
    fn count(&self) -> usize;
}

impl LexicalSearcher<'_> {
    /// Scores the files that contain words of a question, relative to the best.
    pub fn score_files(
        &self,
        question: &Question,
        files: &impl FileSizes,
    ) -> Result<NumberMap<usize, f32>, TantivyError> {
        let mut scores: NumberMap<usize, f32> = NumberMap::default();
        let mut frequencies: NumberMap<u64, f32> = NumberMap::default();
        for concept in &question.concepts {
            frequencies.clear();
            for (form, factor) in weighted(&concept.forms) {
                self.count_in_files(form, factor, &mut frequencies)?;
            }
            #[expect(clippy::cast_precision_loss, reason = "counts")]
            let (having, all) = (frequencies.len() as f32, files.count() as f32);
            let idf = (1.0 + (all - having + 0.5).max(0.5) / (having + 0.5)).ln();
            for (number, frequency) in &frequencies {
                let Some((file, size)) = files.position_and_size(*number) else {
                    continue;
                };
                let norm = K1 * (1.0 - B_BODY + B_BODY * size);
                *scores.entry(file).or_default() +=
                    concept.weight * idf * frequency * (K1 + 1.0) / (frequency + norm);
            }
        }
        let best = scores.values().copied().fold(f32::MIN_POSITIVE, f32::max);
        for score in scores.values_mut() {
            *score /= best;
        }
        Ok(scores)
    }

    /// Adds the frequency of a word in each file.
    fn count_in_files(
        &self,
        word: &str,
        factor: f32,
        frequencies: &mut NumberMap<u64, f32>,
    ) -> Result<(), TantivyError> {
        let field = TextField::Body;
        let term = Term::from_field_text(field.schema_field(&self.fields), word);
        for segment in self.segments {
            let index = field.postings(segment);
            let Some(info) = index.get_term_info(&term)? else {
                continue;
            };
            let alive = segment.reader.alive_bitset();
            let mut postings =
                index.read_block_postings_from_terminfo(&info, IndexRecordOption::WithFreqs)?;
            while postings.block_len() > 0 {
                for (&doc, &frequency) in postings.docs().iter().zip(postings.freqs()) {
                    if alive.is_none_or(|alive| alive.is_alive(doc)) {
                        let file = segment.file.first(doc).unwrap_or_default();
                        #[expect(clippy::cast_precision_loss, reason = "a count of words")]
                        let times = factor * frequency as f32;
                        *frequencies.entry(file).or_default() += times;
                    }
                }
                postings.advance();
            }
        }
        Ok(())
    }
}
