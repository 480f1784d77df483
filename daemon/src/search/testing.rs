//! Shared by the tests of searches: a tree of files with its indexed state, and seeded random numbers.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::scan::FileListing;
use crate::extract::facts::Outline;
use crate::extract::trigrams::Trigrams;
use crate::index::prepare::{content_hash, stored_skip};
use crate::index::snapshot::IndexedFile;
use crate::secrets;
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;
use crate::source::globs::Globs;
use crate::source::judge;
use crate::source::walk::{Rules, WalkedFile};
use crate::store::ledger::record::{FactsKey, FileRecord, FileState, Skip};

pub const LARGEST: u64 = 1 << 20;

/// Returns a deadline that no search of a test tree reaches, even on a busy machine.
pub fn in_time() -> Instant {
    Instant::now() + Duration::from_secs(30)
}

pub struct Tree {
    _scratch: tempfile::TempDir,
    pub path: PathBuf,
    pub dir: RootDir,
}

impl Tree {
    pub fn new<T: AsRef<[u8]>>(files: &[(&str, T)]) -> Self {
        let scratch = tempfile::tempdir().expect("a directory");
        let path = fs::canonicalize(scratch.path()).expect("real");
        for (name, content) in files {
            write(&path, name, content.as_ref());
        }
        let dir = RootDir::open(&path, "tree").expect("opened");
        Self {
            _scratch: scratch,
            path,
            dir,
        }
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        write(&self.path, name, content.as_ref());
    }

    pub fn remove(&self, name: &str) {
        fs::remove_file(self.path.join(name)).expect("removed");
    }

    pub fn listing(&self) -> FileListing {
        let none = || Globs::new::<String>(&[]).expect("no globs");
        let rules = Rules {
            include: none(),
            exclude: none(),
        };
        FileListing::new(&self.path, &rules, in_time(), &CancelToken::default()).expect("walked")
    }

    /// Returns the indexed state of the files as they are now, without symbols.
    pub fn indexed(&self) -> Vec<Arc<IndexedFile>> {
        self.listing()
            .files
            .iter()
            .map(|file| Arc::new(self.index(file)))
            .collect()
    }

    fn index(&self, file: &WalkedFile) -> IndexedFile {
        let mut buffer = vec![];
        let judged = match self.dir.read_now(&file.path, LARGEST, &mut buffer) {
            Err(_) => Err(Skip::TooLarge),
            Ok((_, length)) => judge::judge(&file.path, &buffer[..length])
                .map(|text| (text, content_hash(text.as_bytes())))
                .map_err(stored_skip),
        };
        let (state, hash, outline) = match judged {
            Err(skip) => (FileState::Skipped(skip), [0; 16], Outline::default()),
            Ok((text, hash)) => {
                let redactions = secrets::find(text);
                let trigrams = Trigrams::new(&blanked(text, &redactions));
                let outline = Outline {
                    redactions,
                    trigrams,
                    ..Outline::default()
                };
                (FileState::Indexed(FactsKey(hash)), hash, outline)
            }
        };
        let WalkedFile {
            path,
            size,
            modified_nanos,
            stamp,
        } = file.clone();
        let record = FileRecord {
            size,
            modified_nanos,
            stamp,
            hash,
            language: None,
            state,
        };
        IndexedFile::new(path, record, None, Arc::new(outline))
    }
}

fn write(folder: &Path, name: &str, content: &[u8]) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, content).expect("written");
}

fn blanked(text: &str, ranges: &[(u32, u32)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for (start, end) in ranges {
        bytes[*start as usize..*end as usize].fill(b'*');
    }
    String::from_utf8(bytes).expect("blanks are whole characters")
}

/// `SplitMix64`: the same seed gives the same choices.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).expect("below a bound that fits")
    }

    pub fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    /// Returns a text in which patterns of [`Random::pattern`] often match, with both kinds of line ends.
    pub fn text(&mut self, words: usize) -> String {
        let pieces = [
            "foo",
            "Foo",
            "FOO",
            "bar",
            "barfoo",
            "ab",
            "a",
            "b",
            "x",
            "xx",
            "_",
            " ",
            "  ",
            "\t",
            ".",
            "(",
            "ü",
            "Üb",
            "€",
            "\u{212a}iosk",
            "kiosk",
            "\n",
            "\n",
            "\n",
            "\r\n",
            "\n\n",
            "123",
            "foo_bar",
            "fooBar",
        ];
        (0..words).map(|_| self.one_of(&pieces)).collect()
    }

    /// Returns a valid expression that names no line end.
    pub fn pattern(&mut self, depth: usize) -> String {
        let leaves = [
            "foo", "bar", "a", "b", "ab", "x", "oba", "fo", "ü", "k", "kiosk", ".", r"\w", r"\s",
            r"\d", r"\b", "^", "$", "[ab]", "[^x]", "[a-f]", "[Ff]", r"\.", "€", "oo", "o", "_",
            "",
        ];
        if depth == 0 {
            return self.one_of(&leaves).to_owned();
        }
        let mut inner = || self.pattern(depth - 1);
        let (one, other) = (inner(), inner());
        match self.below(9) {
            0 | 1 => format!("{one}{other}"),
            2 => format!("(?:{one}|{other})"),
            3 => format!("(?:{one})*{other}"),
            4 => format!("(?:{one})+{other}"),
            5 => format!("(?:{one})?{other}"),
            6 => format!("(?i:{one}){other}"),
            7 => format!("(?:{one}){{2}}{other}"),
            _ => format!("(?:{one}){{1,3}}?{other}"),
        }
    }
}
