//! Reads files as they are now, with their secrets blanked.

use std::borrow::Cow;
use std::io;

use super::SearchableFile;
use crate::index::prepare::{content_hash, stored_skip};
use crate::index::snapshot::IndexedFile;
use crate::secrets;
use crate::source::beneath::RootDir;
use crate::source::file_stat::FileStat;
use crate::source::judge;
use crate::store::ledger::record::Skip;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads file after file into one buffer.
pub struct Reader<'a> {
    dir: &'a RootDir,
    largest: u64,
    buffer: Vec<u8>,
}

pub enum FileContent<'a> {
    /// It does not exist, or is no longer a file.
    Gone,
    Skipped(Skip),
    Text(RedactedText<'a>),
}

/// The text of a file with its secrets blanked.
pub struct RedactedText<'a> {
    /// Without a byte order mark.
    pub bytes: &'a [u8],
    /// The byte offset of the text in the file.
    pub start: usize,
    /// The byte ranges of secrets in the file, sorted.
    pub secrets: Cow<'a, [(u32, u32)]>,
    /// Says whether the content is the indexed one.
    pub is_as_indexed: bool,
}

impl<'a> RedactedText<'a> {
    /// Returns a text that is treated as the indexed content.
    pub fn from_text(text: &'a str) -> Self {
        Self {
            bytes: text.as_bytes(),
            start: 0,
            secrets: Cow::Borrowed(&[]),
            is_as_indexed: true,
        }
    }

    /// Returns the text as UTF-8. Nearly every text is valid, and validation is much faster than a lossy conversion.
    pub fn to_str(&self) -> Cow<'_, str> {
        str::from_utf8(self.bytes)
            .map_or_else(|_| String::from_utf8_lossy(self.bytes), Cow::Borrowed)
    }
}

impl<'a> Reader<'a> {
    pub fn new(dir: &'a RootDir, largest: u64) -> Self {
        Self {
            dir,
            largest,
            buffer: vec![],
        }
    }

    pub fn open<'r, F: SearchableFile>(&'r mut self, file: &'r F) -> FileContent<'r> {
        let path = file.path();
        // Some files are secret by their name alone: `.env`.
        if file.indexed().is_none() && secrets::is_secret_file(path) {
            return FileContent::Skipped(Skip::Secret);
        }
        let (stat, length) = match self.dir.read_now(path, self.largest, &mut self.buffer) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                return FileContent::Skipped(Skip::TooLarge);
            }
            Err(_) if self.dir.stat(path).is_none() => return FileContent::Gone,
            Err(_) => return FileContent::Skipped(Skip::Unreadable),
        };
        let bytes = &mut self.buffer[..length];
        let indexed = file
            .indexed()
            .filter(|indexed| is_as_indexed(indexed, stat, bytes));
        let secrets = match indexed {
            Some(indexed) => Cow::Borrowed(indexed.outline.redactions.as_slice()),
            None => match judge::judge(path, bytes) {
                Ok(text) => Cow::Owned(secrets::find(text)),
                Err(skip) => return FileContent::Skipped(stored_skip(skip)),
            },
        };
        for (start, end) in &*secrets {
            if let Some(secret) = bytes.get_mut(*start as usize..*end as usize) {
                secret.fill(b'*');
            }
        }
        let mark = if bytes.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len()
        } else {
            0
        };
        FileContent::Text(RedactedText {
            bytes: &bytes[mark..],
            start: mark,
            secrets,
            is_as_indexed: indexed.is_some(),
        })
    }
}

fn is_as_indexed(indexed: &IndexedFile, now: FileStat, bytes: &[u8]) -> bool {
    let record = &indexed.record;
    // A recorded stamp of zero never matches: it was taken too soon after a change to be trusted.
    now.stamp == record.stamp || now.size == record.size && content_hash(bytes) == record.hash
}
