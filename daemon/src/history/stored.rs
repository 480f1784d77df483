//! The history of a root as a file: blocks of commits, appended as they are read.
//!
//! Everything in it can be read again from git, so it is not synced. Each block has a checksum. Whatever follows a damaged
//! block is cut off, and the commits that are then missing are read again.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::record::{Batch, Commit, StringTable};
use crate::store::ledger::record;

/// The format and its version. A file that begins otherwise is overwritten.
const MAGIC: &[u8; 20] = b"claudevil history 2\n";
/// The largest valid block. A full batch of the longest messages is smaller.
const LARGEST_BLOCK: u32 = 64 << 20;

/// Strings, and the commits that refer to them by index.
type Block = (Vec<String>, Vec<Commit>);

/// The history file of a root, open for appending.
pub struct HistoryFile {
    file: File,
    /// The end of the last sound block.
    end: u64,
}

impl HistoryFile {
    /// Opens the file of a root whose path in its repository is `prefix`, and passes each block of commits in it to `add`.
    pub fn open(path: &Path, prefix: &str, mut add: impl FnMut(Batch)) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let mut header = MAGIC.to_vec();
        header.extend(prefix.as_bytes());
        header.push(0);
        let mut found = vec![0; header.len()];
        let mut reader = BufReader::new(&mut file);
        let is_ours = reader.read_exact(&mut found).is_ok() && found == header;
        let mut end = header.len() as u64;
        if is_ours {
            while let Some((block, length)) = read_block(&mut reader, end) {
                let (strings, commits) = block;
                let mut table = StringTable::default();
                for string in &strings {
                    table.add(string);
                }
                add(Batch {
                    strings: table,
                    commits,
                });
                end += length;
            }
        } else {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&header)?;
        }
        file.set_len(end)?;
        Ok(Self { file, end })
    }

    /// Appends commits. A block that was written only in part is overwritten or cut off later.
    pub fn append(&mut self, batch: &Batch) -> io::Result<()> {
        let strings = batch.strings.iter().map(|(_, string)| string);
        let block = (strings.collect::<Vec<_>>(), &batch.commits);
        let sealed = record::add_checksum(&self.end.to_le_bytes(), &record::compress(&block));
        let length = u32::try_from(sealed.len()).unwrap_or(u32::MAX);
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.extend(sealed);
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&bytes)?;
        self.end += bytes.len() as u64;
        Ok(())
    }
}

/// Returns the block at a position, and its length in the file; none at the end, or where the file is damaged.
fn read_block(reader: &mut impl Read, position: u64) -> Option<(Block, u64)> {
    let mut length = [0; 4];
    reader.read_exact(&mut length).ok()?;
    let length = u32::from_le_bytes(length);
    if length > LARGEST_BLOCK {
        return None;
    }
    let mut sealed = vec![];
    reader
        .take(u64::from(length))
        .read_to_end(&mut sealed)
        .ok()?;
    let value = record::verify_checksum(&position.to_le_bytes(), &sealed)?;
    Some((record::decompress(value)?, 4 + u64::from(length)))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a file of our own")]
mod tests {
    use super::*;

    fn batch(numbers: &[u8]) -> Batch {
        let mut batch = Batch::default();
        for number in numbers {
            batch.commits.push(Commit {
                id: [*number; 20],
                author: batch.strings.add(&format!("author {number}")),
                message: format!("change {number}").into(),
                ..Commit::default()
            });
        }
        batch
    }

    /// Returns the messages and authors of a file.
    fn read(path: &Path, prefix: &str) -> Vec<String> {
        let mut shown = vec![];
        let add = |batch: Batch| {
            let author = |commit: &Commit| batch.strings.get(commit.author).to_owned();
            let commits = batch.commits.iter();
            shown.extend(commits.map(|commit| format!("{} by {}", commit.message, author(commit))));
        };
        HistoryFile::open(path, prefix, add).expect("opened");
        shown
    }

    #[test]
    fn commits_are_read_back_and_damage_costs_what_follows_it() {
        let scratch = tempfile::tempdir().expect("a directory");
        let path = scratch.path().join("1/history");
        let mut file = HistoryFile::open(&path, "", |_| ()).expect("opened");
        file.append(&batch(&[1, 2])).expect("written");
        let whole = file.end;
        file.append(&batch(&[3])).expect("written");
        let all = [
            "change 1 by author 1",
            "change 2 by author 2",
            "change 3 by author 3",
        ];
        assert_eq!(read(&path, ""), all);

        let mut bytes = fs::read(&path).expect("read");
        let place = usize::try_from(whole).expect("a size") + 20;
        bytes[place] ^= 1;
        fs::write(&path, &bytes).expect("written");
        assert_eq!(read(&path, ""), all[..2]);
        assert_eq!(fs::metadata(&path).expect("there").len(), whole);
        // If the root is another folder of its repository, it has other files.
        assert!(read(&path, "shop/").is_empty());
        assert!(read(&path, "").is_empty());
        fs::write(&path, "nonsense").expect("written");
        assert!(read(&path, "").is_empty());
    }
}
