//! Finds the lines that contain most words of a question, without an index.
//!
//! A first pass records which words each file contains, and so which words are rare. Only the files that may be among the best
//! are read again, for the window of lines that contains most of the question.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use claudevil_protocol::ToolError;
use memchr::{memchr_iter, memrchr};

use crate::search::grep::lines::first_line;
use crate::search::grep::reader::{FileContent, Reader};
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;
use crate::source::walk::WalkedFile;
use crate::store::ledger::record::Skip;
use crate::store::text::tokens;
use crate::threads::{self, Parallelism, Queue};

const MAX_WORDS: usize = 32;
const SHORTEST_WORD: usize = 2;
const LONGEST_WORD: usize = 64;
#[rustfmt::skip]
const STOP_WORDS: &[&str] = &[
    "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "has", "have", "how", "if", "in",
    "into", "is", "it", "its", "of", "on", "or", "that", "the", "their", "there", "this", "to", "was", "we", "what",
    "when", "where", "which", "who", "why", "with",
];
/// The number of lines of a window.
const WINDOW: u32 = 30;
/// The factor of a word in the path; that of a word in the text is 1.
const IN_PATH: f32 = 2.0;
/// The number of files that are read again for each result.
const CANDIDATES: usize = 6;

/// The words of a question, compiled for searching.
pub struct WordQuery {
    words: Vec<String>,
    finder: AhoCorasick,
}

pub struct ScanRequest<'a> {
    pub question: &'a WordQuery,
    /// The most windows; each is of a different file.
    pub limit: usize,
    pub largest_file: u64,
    /// The time at which the scan ends with what it has found.
    pub until: Instant,
    pub share: Parallelism,
    pub cancel: &'a CancelToken,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScanResult {
    /// The best first.
    pub windows: Vec<Window>,
    /// The number of files that were read.
    pub searched: u64,
    pub skipped: BTreeMap<Skip, u64>,
    /// The number of files that were not read for lack of time.
    pub left: u64,
    pub complete: bool,
}

/// The best lines of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    pub path: String,
    /// 1-based.
    pub start_line: u32,
    /// Inclusive.
    pub end_line: u32,
    pub score: f32,
    /// The lines of the window that contain a word of the question, shortened and with secrets blanked.
    pub lines: Vec<(u32, String)>,
}

/// A set of words of the question, one bit each.
type WordSet = u32;

impl WordQuery {
    /// Returns `None` for a text without words.
    pub fn new(text: &str) -> Option<Self> {
        let mut words: Vec<String> = vec![];
        for word in text.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
            for part in tokens::parts(word).map(|part| word[part].to_lowercase()) {
                if part.chars().count() >= SHORTEST_WORD
                    && part.len() <= LONGEST_WORD
                    && !words.contains(&part)
                {
                    words.push(part);
                }
            }
        }
        if words.is_empty() {
            return None;
        }
        // Stop words occur in every file, so they do not distinguish files and cost the most.
        if words
            .iter()
            .any(|word| !STOP_WORDS.contains(&word.as_str()))
        {
            words.retain(|word| !STOP_WORDS.contains(&word.as_str()));
        }
        words.truncate(MAX_WORDS);
        let mut builder = AhoCorasick::builder();
        builder
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA));
        builder
            .build(&words)
            .ok()
            .map(|finder| Self { words, finder })
    }

    pub fn words(&self) -> &[String] {
        &self.words
    }

    fn all(&self) -> WordSet {
        WordSet::MAX >> (MAX_WORDS - self.words.len())
    }

    /// Returns the positions of words, whole or as parts of names.
    fn find<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = (usize, WordSet)> + 'a {
        let found = self.finder.find_overlapping_iter(text);
        let found = found.filter(|found| is_part(text, found.range()));
        found.map(|found| (found.start(), 1 << found.pattern().as_usize()))
    }

    fn words_in(&self, text: &[u8]) -> WordSet {
        let mut found = 0;
        for (_, word) in self.find(text) {
            found |= word;
            if found == self.all() {
                break;
            }
        }
        found
    }
}

/// Returns the windows of lines with most words of a question.
pub fn scan_words(
    dir: &RootDir,
    files: &[WalkedFile],
    wanted: &(dyn Fn(&WalkedFile) -> bool + Sync),
    request: &ScanRequest<'_>,
) -> Result<ScanResult, ToolError> {
    let stop = request.cancel.until(request.until);
    let parts = threads::run_on(request.share, files.len(), |queue| {
        scan_files(dir, files, wanted, request, &stop, queue)
    });
    request.cancel.check()?;
    let mut pass = FirstPass::default();
    for part in parts {
        pass.files.extend(part.files);
        pass.left += part.left;
        pass.searched += part.searched;
        for (skip, count) in part.skipped {
            *pass.skipped.entry(skip).or_default() += count;
        }
    }
    let weights = pass.weights(request.question);
    let mut best: Vec<(f32, FileWords)> = pass
        .files
        .iter()
        .map(|file| {
            (
                weights.sum(file.text) + IN_PATH * weights.sum(file.path),
                *file,
            )
        })
        .collect();
    best.sort_by(|(one, first), (other, second)| {
        other.total_cmp(one).then(first.place.cmp(&second.place))
    });
    best.truncate(request.limit * CANDIDATES);

    let mut reader = Reader::new(dir, request.largest_file);
    let mut windows = vec![];
    for (_, file) in best {
        request.cancel.check()?;
        let path = &files[file.place].path;
        if let FileContent::Text(text) = reader.open(&files[file.place])
            && let Some(mut window) = best_window(request.question, &weights, path, text.bytes)
        {
            window.score += IN_PATH * weights.sum(file.path);
            windows.push(window);
        }
    }
    windows.sort_by(|one: &Window, other| {
        other
            .score
            .total_cmp(&one.score)
            .then(one.path.cmp(&other.path))
    });
    windows.truncate(request.limit);
    Ok(ScanResult {
        windows,
        searched: pass.searched,
        skipped: pass.skipped,
        left: pass.left,
        complete: pass.left == 0,
    })
}

/// The words of each file, and the counts of the scan.
#[derive(Default)]
struct FirstPass {
    /// The files that have a word.
    files: Vec<FileWords>,
    searched: u64,
    skipped: BTreeMap<Skip, u64>,
    left: u64,
}

#[derive(Clone, Copy)]
struct FileWords {
    place: usize,
    text: WordSet,
    path: WordSet,
}

/// The weight of each word: the rarer, the heavier.
struct WordWeights(Vec<f32>);

fn scan_files(
    dir: &RootDir,
    files: &[WalkedFile],
    wanted: &(dyn Fn(&WalkedFile) -> bool + Sync),
    request: &ScanRequest<'_>,
    stop: &CancelToken,
    queue: &Queue,
) -> FirstPass {
    let mut pass = FirstPass::default();
    let mut reader = Reader::new(dir, request.largest_file);
    for place in std::iter::from_fn(|| queue.take()).flatten() {
        let file = &files[place];
        if !wanted(file) {
            continue;
        }
        if stop.is_cancelled() {
            pass.left += 1;
            continue;
        }
        match reader.open(file) {
            FileContent::Gone => {}
            FileContent::Skipped(skip) => *pass.skipped.entry(skip).or_default() += 1,
            FileContent::Text(text) => {
                pass.searched += 1;
                let (text, path) = (
                    request.question.words_in(text.bytes),
                    request.question.words_in(file.path.as_bytes()),
                );
                if text != 0 {
                    pass.files.push(FileWords { place, text, path });
                }
            }
        }
    }
    pass
}

impl FirstPass {
    #[expect(clippy::cast_precision_loss, reason = "weights need no precision")]
    fn weights(&self, question: &WordQuery) -> WordWeights {
        let all = self.searched as f32;
        let weight = |word: usize| {
            let files = self
                .files
                .iter()
                .filter(|file| file.text >> word & 1 == 1)
                .count() as f32;
            ((all + 1.0) / (files + 0.5)).ln().max(0.05)
        };
        WordWeights((0..question.words.len()).map(weight).collect())
    }
}

impl WordWeights {
    fn sum(&self, words: WordSet) -> f32 {
        self.0
            .iter()
            .enumerate()
            .filter(|(word, _)| words >> word & 1 == 1)
            .map(|(_, weight)| weight)
            .sum()
    }
}

/// Returns the window of a text with most words of the question.
fn best_window(
    question: &WordQuery,
    weights: &WordWeights,
    path: &str,
    text: &[u8],
) -> Option<Window> {
    // The number, start and words of each line that has a word.
    let mut lines: Vec<(u32, usize, WordSet)> = vec![];
    let (mut number, mut counted) = (1, 0);
    for (at, word) in question.find(text) {
        // Matches come in order of their ends, so one may begin before the last.
        if at >= counted {
            let ends = memchr_iter(b'\n', &text[counted..at]).count();
            number += u32::try_from(ends).unwrap_or(u32::MAX - number);
            counted = at;
        }
        match lines.last_mut() {
            Some((last, _, words)) if *last == number => *words |= word,
            _ => lines.push((
                number,
                memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1),
                word,
            )),
        }
    }
    let mut best: Option<(f32, Range<usize>)> = None;
    let mut end = 0;
    for start in 0..lines.len() {
        while end < lines.len() && lines[end].0 < lines[start].0 + WINDOW {
            end += 1;
        }
        let score = weights.sum(
            lines[start..end]
                .iter()
                .fold(0, |all, (_, _, words)| all | words),
        );
        if best.as_ref().is_none_or(|(most, _)| score > *most) {
            best = Some((score, start..end));
        }
    }
    let (score, range) = best?;
    let start_line = lines[range.start].0;
    let total = u32::try_from(memchr_iter(b'\n', text).count()).unwrap_or(u32::MAX);
    let total = if text.ends_with(b"\n") {
        total
    } else {
        total + 1
    };
    Some(Window {
        path: path.to_owned(),
        start_line,
        end_line: (start_line + WINDOW - 1).min(total),
        score,
        lines: lines[range]
            .iter()
            .map(|(number, start, _)| (*number, first_line(&text[*start..])))
            .collect(),
    })
}

/// Returns whether a match is a whole part of a name, or its plural: `token` in `tokenCount` and `tokens`.
fn is_part(text: &[u8], range: Range<usize>) -> bool {
    let at = |place: usize| text.get(place).copied().unwrap_or(b' ');
    let before = range.start.checked_sub(1).map_or(b' ', at);
    let (last, next, third, fourth) = (
        at(range.end - 1),
        at(range.end),
        at(range.end + 1),
        at(range.end + 2),
    );
    let is_plural = || next.eq_ignore_ascii_case(&b's') && is_border(next, third, fourth);
    is_border(before, at(range.start), at(range.start + 1))
        && (is_border(last, next, third) || is_plural())
}

/// Returns whether a part of a name ends between the first two of three bytes.
fn is_border(before: u8, after: u8, second: u8) -> bool {
    match (ByteClass::from_byte(before), ByteClass::from_byte(after)) {
        (ByteClass::Digit, ByteClass::Digit)
        | (ByteClass::Lower | ByteClass::Upper, ByteClass::Lower) => false,
        // In `HTTPServer` the last capital begins the next part.
        (ByteClass::Upper, ByteClass::Upper) => ByteClass::from_byte(second) == ByteClass::Lower,
        _ => true,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    Digit,
    Upper,
    /// Also the bytes of letters that are not ASCII.
    Lower,
    Other,
}

impl ByteClass {
    fn from_byte(byte: u8) -> Self {
        match byte {
            b'0'..=b'9' => Self::Digit,
            b'A'..=b'Z' => Self::Upper,
            b'a'..=b'z' | 0x80.. => Self::Lower,
            _ => Self::Other,
        }
    }
}
