//! A view of a text index at one commit, with the readers of its segments opened once.

use std::cmp::Reverse;
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
        Self {
            searcher,
            segments: Arc::default(),
        }
    }

    /// Returns the segments, largest first.
    ///
    /// tantivy lists them in the order of a hash map, which changes with each commit. Queries keep scratch memory for each
    /// position in this list: with the large segments always in front, only the memory of the first positions grows large.
    pub fn segments(&self) -> Result<&[SegmentView], TantivyError> {
        if let Some(known) = self.segments.get() {
            return Ok(known);
        }
        let opened = self
            .searcher
            .segment_readers()
            .iter()
            .map(SegmentView::open);
        let mut opened = opened.collect::<Result<Vec<_>, _>>()?;
        opened.sort_by_key(|segment| {
            (
                Reverse(segment.reader.max_doc()),
                segment.reader.segment_id(),
            )
        });
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

#[cfg(test)]
mod tests {
    use crate::extract::{ChunkSizes, extract};
    use crate::lang;
    use crate::store::text::{TextIndex, WriterSize};

    #[test]
    fn segments_are_listed_largest_first() {
        let scratch = tempfile::tempdir().expect("a directory");
        let mut index = TextIndex::open(scratch.path()).expect("opened");
        let mut writer = index.writer(WriterSize::Small).expect("a writer");
        // There are too few commits to cause a merge, and their sizes are not in order.
        for (generation, functions) in (1..).zip([3, 9, 1, 7, 5]) {
            let source: String = (0..functions)
                .map(|number| format!("fn f{generation}_{number}() {{}}\n"))
                .collect();
            let outline = extract(lang::by_name("rust"), &source, ChunkSizes::default()).outline;
            writer
                .put(&format!("{generation}.rs"), &outline, &source)
                .expect("put");
            writer.commit(generation).expect("committed");
            index.reload(generation).expect("reloaded");
        }
        let view = index.view();
        let sizes: Vec<u32> = view
            .segments()
            .expect("opened")
            .iter()
            .map(|segment| segment.reader.max_doc())
            .collect();
        assert_eq!(sizes, [10, 8, 6, 4, 2]);
    }
}
