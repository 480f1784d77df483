//! The text index of one root: its chunks and symbols, by their words.
//!
//! It is derived from the files and their facts, so it may be deleted at any time. Its commits carry the generation of the
//! ledger: where the two disagree, a batch was cut off. Texts themselves are not stored; a hit names a file and a position in
//! its outline.

pub mod tokens;
mod unsynced;
mod view;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use tantivy::directory::error::{OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::indexer::LogMergePolicy;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{
    Index, IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Searcher, TantivyDocument,
    TantivyError, Term,
};

pub use self::tokens::{CodeTokenizer, is_indexed, parts, words};
use self::unsynced::UnsyncedDirectory;
pub use self::view::{SegmentView, TextView};
use super::error::StoreError;
use crate::extract::facts::Outline;

const META: &str = "meta.json";
const TOKENIZER: &str = "code";
/// The memory of a writer: with more, a large batch makes fewer segments.
const LARGE_WRITER: usize = 64 << 20;
const SMALL_WRITER: usize = 15 << 20;
/// Segments are merged only if there are more than this.
const FEW_SEGMENTS: usize = 2;

pub struct TextIndex {
    index: Index,
    reader: IndexReader,
    fields: Fields,
    /// The generation of the last commit; none before the first.
    pub generation: Option<u64>,
}

#[derive(Clone, Copy)]
pub struct Fields {
    /// A hash of the path.
    pub file: Field,
    /// The position of the chunk or symbol in the outline: symbols are counted from [`FIRST_SYMBOL`].
    pub place: Field,
    pub body: Field,
    pub name: Field,
    pub doc: Field,
}

/// The position of the first symbol. Lower positions are those of chunks.
pub const FIRST_SYMBOL: u64 = 1 << 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriterSize {
    /// The size for an edit.
    Small,
    /// The size for a whole tree.
    Large,
}

impl TextIndex {
    /// Opens the index in a folder. One that is missing, damaged or of another schema is replaced by an empty one.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        match Self::open_existing(folder) {
            Ok(Some(index)) => return Ok(index),
            Ok(None) => {}
            Err(error @ (StoreError::Full | StoreError::Refused(_))) => return Err(error),
            Err(error) => {
                tracing::warn!(%error, folder = %folder.display(), "the text index is damaged or in another format; rebuilding");
            }
        }
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error.into());
            }
            _ => {}
        }
        fs::create_dir_all(folder)?;
        let (schema, fields) = schema();
        let directory = UnsyncedDirectory::open(folder).map_err(TantivyError::from)?;
        let index = Index::create(directory, schema, IndexSettings::default())?;
        Self::with(index, fields)
    }

    /// Opens and checks an index. None if there is none yet.
    fn open_existing(folder: &Path) -> Result<Option<Self>, StoreError> {
        if !folder.join(META).exists() {
            return Ok(None);
        }
        let opened = std::panic::catch_unwind(|| {
            let directory = UnsyncedDirectory::open(folder).map_err(TantivyError::from)?;
            let index = Index::open(directory)?;
            let damaged = index.validate_checksum()?;
            if let Some(file) = damaged.into_iter().next() {
                return Err(StoreError::damaged(&format!(
                    "{} has changed",
                    file.display()
                )));
            }
            let (schema, fields) = schema();
            if index.schema() != schema {
                return Err(StoreError::damaged("its fields are others"));
            }
            Self::with(index, fields)
        });
        opened
            .unwrap_or_else(|_| Err(StoreError::damaged("its files contradict each other")))
            .map(Some)
    }

    fn with(index: Index, fields: Fields) -> Result<Self, StoreError> {
        index
            .tokenizers()
            .register(TOKENIZER, CodeTokenizer::default());
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into();
        let payload = index.load_metas()?.payload;
        let generation = payload.and_then(|payload| payload.parse().ok());
        Ok(Self {
            index,
            reader: reader?,
            fields,
            generation,
        })
    }

    pub fn fields(&self) -> Fields {
        self.fields
    }

    /// Returns a searcher of the last commit.
    pub fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }

    /// Returns a view of the last commit, which all readers share.
    pub fn view(&self) -> TextView {
        TextView::new(self.searcher())
    }

    pub fn writer(&self, size: WriterSize) -> Result<TextWriter, StoreError> {
        let bytes = match size {
            WriterSize::Small => SMALL_WRITER,
            WriterSize::Large => LARGE_WRITER,
        };
        let writer = self.index.writer_with_num_threads(1, bytes)?;
        let mut merging = LogMergePolicy::default();
        merging.set_del_docs_ratio_before_merge(0.3);
        writer.set_merge_policy(Box::new(merging));
        Ok(TextWriter {
            writer,
            fields: self.fields,
        })
    }

    /// Makes the latest commit visible to new searchers.
    pub fn reload(&mut self, generation: u64) -> Result<(), StoreError> {
        self.reader.reload()?;
        self.generation = Some(generation);
        Ok(())
    }
}

/// Writes to a text index. There is one at a time.
pub struct TextWriter {
    writer: IndexWriter,
    fields: Fields,
}

impl TextWriter {
    pub fn remove(&self, path: &str) {
        self.writer
            .delete_term(Term::from_field_u64(self.fields.file, file_number(path)));
    }

    /// Replaces a file's chunks and symbols. `text` has its secrets blanked.
    pub fn put(&self, path: &str, outline: &Outline, text: &str) -> Result<(), StoreError> {
        self.remove(path);
        let file = file_number(path);
        let add = |document: TantivyDocument| {
            self.writer.add_document(document).map_err(StoreError::from)
        };
        for (place, chunk) in (0..).zip(&outline.chunks) {
            let mut document = TantivyDocument::default();
            document.add_u64(self.fields.file, file);
            document.add_u64(self.fields.place, place);
            let body = text
                .get(chunk.start_byte as usize..chunk.end_byte as usize)
                .unwrap_or_default();
            document.add_text(self.fields.body, body);
            add(document)?;
        }
        for (place, symbol) in (FIRST_SYMBOL..).zip(&outline.symbols) {
            let mut document = TantivyDocument::default();
            document.add_u64(self.fields.file, file);
            document.add_u64(self.fields.place, place);
            document.add_text(self.fields.name, &symbol.name);
            document.add_text(self.fields.doc, &symbol.doc);
            add(document)?;
        }
        Ok(())
    }

    pub fn commit(&mut self, generation: u64) -> Result<(), StoreError> {
        let mut prepared = self.writer.prepare_commit()?;
        prepared.set_payload(&generation.to_string());
        prepared.commit()?;
        Ok(())
    }

    /// Starts to merge all segments into one, because each has the same cost in every query. None if there are few. The result
    /// is visible after a reload.
    pub fn merge(&mut self) -> Result<Option<JoinHandle<()>>, StoreError> {
        let segments = self.writer.index().searchable_segment_ids()?;
        if segments.len() <= FEW_SEGMENTS {
            return Ok(None);
        }
        let result = self.writer.merge(&segments);
        let wait = move || {
            if let Err(error) = result.wait() {
                tracing::debug!(%error, "segments were not merged");
            }
        };
        let merge = std::thread::Builder::new().name("claudevild-merge".to_owned());
        Ok(Some(merge.spawn(wait)?))
    }
}

/// Returns the fields of every index.
pub fn fields() -> Fields {
    schema().1
}

/// Returns the folder of a root's text index.
pub fn folder(data: &Path, root: u64) -> PathBuf {
    data.join("roots").join(root.to_string()).join("text")
}

/// Returns whether a root has a text index.
pub fn exists(data: &Path, root: u64) -> bool {
    folder(data, root).join(META).exists()
}

pub fn file_number(path: &str) -> u64 {
    let hash = blake3::hash(path.as_bytes());
    u64::from_le_bytes(*hash.as_bytes().first_chunk::<8>().unwrap_or(&[0; 8]))
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let text = |record| {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_index_option(record);
        TextOptions::default().set_indexing_options(indexing)
    };
    let fields = Fields {
        file: builder.add_u64_field("file", INDEXED | FAST),
        place: builder.add_u64_field("place", FAST),
        // Positions are not stored, because they would take a third of the index. Phrases are verified in the files
        // themselves.
        body: builder.add_text_field("body", text(IndexRecordOption::WithFreqs)),
        name: builder.add_text_field("name", text(IndexRecordOption::WithFreqs)),
        doc: builder.add_text_field("doc", text(IndexRecordOption::WithFreqs)),
    };
    (builder.build(), fields)
}

impl From<TantivyError> for StoreError {
    fn from(error: TantivyError) -> Self {
        match &error {
            TantivyError::IoError(error) => Self::from_io(error),
            TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. }) => {
                match Self::from_io(io_error) {
                    refused @ Self::Refused(_) => refused,
                    _ => Self::damaged(&error),
                }
            }
            TantivyError::OpenReadError(_)
            | TantivyError::DataCorruption(_)
            | TantivyError::IncompatibleIndex(_)
            | TantivyError::SchemaError(_)
            | TantivyError::OpenDirectoryError(OpenDirectoryError::DoesNotExist(_)) => {
                Self::damaged(&error)
            }
            TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, .. }) => {
                Self::from_io(io_error)
            }
            other if other.to_string().contains("No space left") => Self::Full,
            other => Self::Other(other.to_string()),
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the index's own files")]
mod tests {
    use tantivy::collector::Count;
    use tantivy::query::TermQuery;

    use super::*;
    use crate::extract::{ChunkSizes, extract};
    use crate::lang;

    const SOURCE: &str = "package p\n\n// Parses much.\nfunc ParseRequest() {}\n";

    fn hits(index: &TextIndex, field: Field, word: &str) -> usize {
        let query = TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::Basic);
        index.searcher().search(&query, &Count).expect("searched")
    }

    fn filled(folder: &Path) -> TextIndex {
        let mut index = TextIndex::open(folder).expect("opened");
        assert_eq!(index.generation, None);
        let outline = extract(lang::by_name("go"), SOURCE, ChunkSizes::default()).outline;
        let mut writer = index.writer(WriterSize::Small).expect("a writer");
        for generation in 1..=2 {
            writer.put("a.go", &outline, SOURCE).expect("put");
            writer.commit(generation).expect("committed");
        }
        index.reload(2).expect("reloaded");
        index
    }

    #[test]
    fn a_file_is_replaced_not_doubled_and_found_by_its_words() {
        let scratch = tempfile::tempdir().expect("a directory");
        let index = filled(scratch.path());
        let fields = index.fields();
        assert_eq!(hits(&index, fields.body, "request"), 1);
        assert_eq!(hits(&index, fields.name, "parserequest"), 1);
        assert_eq!(hits(&index, fields.doc, "much"), 1);
        drop(index);
        let index = TextIndex::open(scratch.path()).expect("opened again");
        assert_eq!(
            (index.generation, index.searcher().num_docs()),
            (Some(2), 2)
        );
    }

    #[test]
    fn damage_makes_it_empty_never_wrong() {
        let scratch = tempfile::tempdir().expect("a directory");
        let whole = scratch.path().join("whole");
        fs::create_dir(&whole).expect("made");
        drop(filled(&whole));
        let names: Vec<_> = fs::read_dir(&whole)
            .expect("there")
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        for name in names
            .iter()
            .filter(|name| !name.to_string_lossy().ends_with(".lock"))
        {
            for damage in 0..3 {
                let copy = scratch.path().join("copy");
                let _ = fs::remove_dir_all(&copy);
                fs::create_dir(&copy).expect("made");
                for file in &names {
                    fs::copy(whole.join(file), copy.join(file)).expect("copied");
                }
                let mut bytes = fs::read(copy.join(name)).expect("read");
                match damage {
                    0 => bytes.fill(0),
                    1 => bytes.truncate(bytes.len() / 2),
                    _ => {
                        let middle = bytes.len() / 2;
                        bytes
                            .iter_mut()
                            .skip(middle)
                            .take(1)
                            .for_each(|byte| *byte ^= 4);
                    }
                }
                fs::write(copy.join(name), bytes).expect("written");
                let index = TextIndex::open(&copy).expect("opens whatever happened");
                let docs = index.searcher().num_docs();
                assert!(docs == 0 || docs == 2, "{name:?} {damage}: {docs}");
                assert!(
                    docs == 0 || hits(&index, index.fields().body, "request") == 1,
                    "{name:?} {damage}"
                );
                assert!(index.writer(WriterSize::Small).is_ok(), "{name:?} {damage}");
            }
        }
    }
}
