//! What a text index holds at one moment, with all that reading it needs opened once.

use std::sync::{Arc, OnceLock};

use tantivy::columnar::Column;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::index::{InvertedIndexReader, SegmentReader};
use tantivy::{Searcher, TantivyError};

use super::fields;

#[derive(Clone)]
pub struct TextView {
    pub searcher: Searcher,
    segments: Arc<OnceLock<Vec<SegmentView>>>,
}

pub struct SegmentView {
    pub reader: SegmentReader,
    pub body: Arc<InvertedIndexReader>,
    pub name: Arc<InvertedIndexReader>,
    pub doc: Arc<InvertedIndexReader>,
    pub body_lengths: FieldNormReader,
    pub name_lengths: FieldNormReader,
    pub doc_lengths: FieldNormReader,
    pub file: Column<u64>,
    pub place: Column<u64>,
}

impl TextView {
    pub fn new(searcher: Searcher) -> Self {
        Self { searcher, segments: Arc::default() }
    }

    pub fn segments(&self) -> Result<&[SegmentView], TantivyError> {
        if let Some(known) = self.segments.get() {
            return Ok(known);
        }
        let opened = self.searcher.segment_readers().iter().map(SegmentView::open).collect::<Result<Vec<_>, _>>()?;
        Ok(self.segments.get_or_init(|| opened))
    }
}

impl SegmentView {
    fn open(reader: &SegmentReader) -> Result<Self, TantivyError> {
        let fields = fields();
        Ok(Self {
            reader: reader.clone(),
            body: reader.inverted_index(fields.body)?,
            name: reader.inverted_index(fields.name)?,
            doc: reader.inverted_index(fields.doc)?,
            body_lengths: reader.get_fieldnorms_reader(fields.body)?,
            name_lengths: reader.get_fieldnorms_reader(fields.name)?,
            doc_lengths: reader.get_fieldnorms_reader(fields.doc)?,
            file: reader.fast_fields().u64("file")?,
            place: reader.fast_fields().u64("place")?,
        })
    }
}
