//! The texts of a snapshot's files as they are now, each read once for an answer.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::grep::reader::{FileContent, Reader};
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::source::beneath::RootDir;

pub struct TextCache<'a> {
    snapshot: &'a Snapshot,
    reader: RefCell<Reader<'a>>,
    /// By place of the file.
    read: RefCell<HashMap<usize, Option<Rc<FileText>>>>,
}

/// With its secrets blanked.
pub struct FileText {
    text: String,
    /// Bytes before the text in the file.
    start: usize,
    /// Whether it is what the index knows: then places in it can be trusted.
    pub is_as_indexed: bool,
}

impl<'a> TextCache<'a> {
    pub fn new(dir: &'a RootDir, snapshot: &'a Snapshot, largest: u64) -> Self {
        Self {
            snapshot,
            reader: RefCell::new(Reader::new(dir, largest)),
            read: RefCell::default(),
        }
    }

    /// None for a file that is gone or cannot be shown.
    pub fn file(&self, place: usize) -> Option<Rc<FileText>> {
        if let Some(known) = self.read.borrow().get(&place) {
            return known.clone();
        }
        let text = self.once(place).map(Rc::new);
        self.read.borrow_mut().insert(place, text.clone());
        text
    }

    /// Keeps what was read elsewhere.
    pub fn keep(&self, place: usize, text: FileText) -> Rc<FileText> {
        let text = Rc::new(text);
        self.read.borrow_mut().insert(place, Some(Rc::clone(&text)));
        text
    }

    /// The same without keeping it, for who goes through many.
    pub fn once(&self, place: usize) -> Option<FileText> {
        let file: &Arc<IndexedFile> = self.snapshot.files.get(place)?;
        match self.reader.borrow_mut().open(file) {
            FileContent::Text(text) => Some(FileText {
                text: owned(text.bytes),
                start: text.start,
                is_as_indexed: text.is_as_indexed,
            }),
            FileContent::Gone | FileContent::Skipped(_) => None,
        }
    }

    pub fn chunk(&self, file: usize, chunk: usize) -> Option<String> {
        let chunk = self.snapshot.files.get(file)?.outline.chunks.get(chunk)?;
        let text = self.file(file)?;
        let place = |byte: u32| {
            (byte as usize)
                .saturating_sub(text.start)
                .min(text.text.len())
        };
        text.text
            .get(place(chunk.start_byte)..place(chunk.end_byte))
            .map(str::to_owned)
    }
}

/// Nearly every text is sound, which is seen much faster than it is mended.
fn owned(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(
        |_| String::from_utf8_lossy(bytes).into_owned(),
        str::to_owned,
    )
}

impl FileText {
    #[cfg(test)]
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

    /// How many bytes of the file come before it: a mark of the encoding.
    pub fn mark(&self) -> usize {
        self.start
    }

    /// Lines by their numbers, from 1, both ends included.
    pub fn lines(&self, from: u32, to: u32) -> impl Iterator<Item = (u32, &str)> {
        let from = from.max(1);
        let count = (to + 1).saturating_sub(from) as usize;
        (from..).zip(self.text[self.line_start(from)..].lines().take(count))
    }

    /// Where a line begins, by its number from 1; the end of the text for a line behind the last.
    pub fn line_start(&self, line: u32) -> usize {
        let mut ends = memchr::memchr_iter(b'\n', self.text.as_bytes());
        let start = (line as usize)
            .checked_sub(2)
            .map_or(Some(0), |before| ends.nth(before).map(|end| end + 1));
        start.unwrap_or(self.text.len())
    }
}
