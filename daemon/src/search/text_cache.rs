//! Caches the current texts of a snapshot's files, so that an answer reads each once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::grep::reader::{FileContent, Reader, RedactedText};
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::source::beneath::RootDir;

pub struct TextCache<'a> {
    snapshot: &'a Snapshot,
    reader: RefCell<Reader<'a>>,
    /// By the position of the file in the snapshot.
    cached: RefCell<HashMap<usize, Option<Rc<FileText>>>>,
    /// Unsaved texts that replace the files on disk, by the same position.
    unsaved: HashMap<usize, Arc<str>>,
}

/// The text of a file with its secrets blanked.
pub struct FileText {
    text: String,
    /// The length of the byte order mark before the text.
    pub start: usize,
    /// Says whether the content is the indexed one, so that positions from the index are valid.
    pub is_as_indexed: bool,
}

impl<'a> TextCache<'a> {
    pub fn new(dir: &'a RootDir, snapshot: &'a Snapshot, largest: u64) -> Self {
        Self {
            snapshot,
            reader: RefCell::new(Reader::new(dir, largest)),
            cached: RefCell::default(),
            unsaved: HashMap::new(),
        }
    }

    /// Returns the cache with texts that replace the files on disk and are treated as indexed.
    #[must_use]
    pub fn with_unsaved(self, texts: impl Iterator<Item = (usize, Arc<str>)>) -> Self {
        Self {
            unsaved: texts.collect(),
            ..self
        }
    }

    /// Returns the text of a file; `None` if it is gone or skipped.
    pub fn file(&self, place: usize) -> Option<Rc<FileText>> {
        if let Some(known) = self.cached.borrow().get(&place) {
            return known.clone();
        }
        let text = self.read(place).map(Rc::new);
        self.cached.borrow_mut().insert(place, text.clone());
        text
    }

    /// Adds a text that was read elsewhere.
    pub fn insert(&self, place: usize, text: FileText) -> Rc<FileText> {
        let text = Rc::new(text);
        self.cached
            .borrow_mut()
            .insert(place, Some(Rc::clone(&text)));
        text
    }

    /// Reads a file without caching its text.
    pub fn read(&self, place: usize) -> Option<FileText> {
        self.view(place, |text| FileText {
            text: text.to_str().into_owned(),
            start: text.start,
            is_as_indexed: text.is_as_indexed,
        })
    }

    /// Calls `look` with the text of a file, without copying it.
    pub fn view<T>(&self, place: usize, look: impl FnOnce(&RedactedText<'_>) -> T) -> Option<T> {
        if let Some(text) = self.unsaved.get(&place) {
            return Some(look(&RedactedText::from_text(text)));
        }
        let file: &Arc<IndexedFile> = self.snapshot.files.get(place)?;
        match self.reader.borrow_mut().open(file) {
            FileContent::Text(text) => Some(look(&text)),
            FileContent::Gone | FileContent::Skipped(_) => None,
        }
    }

    pub fn chunk(&self, file: usize, chunk: usize) -> Option<String> {
        let chunk = self.snapshot.files.get(file)?.outline.chunks.get(chunk)?;
        let text = self.file(file)?;
        let offset = |byte: u32| {
            (byte as usize)
                .saturating_sub(text.start)
                .min(text.text.len())
        };
        text.text
            .get(offset(chunk.start_byte)..offset(chunk.end_byte))
            .map(str::to_owned)
    }
}

impl FileText {
    /// Returns a text that is treated as the indexed content.
    pub fn from_text(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            start: 0,
            is_as_indexed: true,
        }
    }

    pub fn whole(&self) -> &str {
        &self.text
    }

    /// Returns lines with their numbers, counted from 1, `to` included.
    pub fn lines(&self, from: u32, to: u32) -> impl Iterator<Item = (u32, &str)> {
        let from = from.max(1);
        let count = to.saturating_add(1).saturating_sub(from) as usize;
        (from..).zip(self.text[self.line_start(from)..].lines().take(count))
    }

    /// Returns the byte at which a 1-based line begins; the end of the text for a line after the last.
    pub fn line_start(&self, line: u32) -> usize {
        let mut ends = memchr::memchr_iter(b'\n', self.text.as_bytes());
        let start = (line as usize)
            .checked_sub(2)
            .map_or(Some(0), |before| ends.nth(before).map(|end| end + 1));
        start.unwrap_or(self.text.len())
    }
}
