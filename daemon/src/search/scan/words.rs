//! The places that a question is about, by its words alone.
//!
//! A first pass notes which words each file has; that tells rare words, which weigh more, from common ones. Only the files
//! that may come out on top are then read again for the lines where most of the question stands together.

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
use crate::threads::{self, Queue, Share};

const MOST_WORDS: usize = 32;
const SHORTEST_WORD: usize = 2;
const LONGEST_WORD: usize = 64;
/// Words that make a sentence of a question.
#[rustfmt::skip]
const EVERYWHERE: &[&str] = &[
    "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "has", "have", "how", "if", "in",
    "into", "is", "it", "its", "of", "on", "or", "that", "the", "their", "there", "this", "to", "was", "we", "what",
    "when", "where", "which", "who", "why", "with",
];
/// Lines that are looked at together.
const WINDOW: u32 = 30;
/// What a word in the path counts, against one in the text.
const IN_PATH: f32 = 2.0;
/// Files that are read again for each that is asked for.
const CANDIDATES: usize = 6;

/// The words of a question, ready to be looked for.
pub struct WordQuery {
    words: Vec<String>,
    finder: AhoCorasick,
}

pub struct ScanRequest<'a> {
    pub question: &'a WordQuery,
    /// Most windows that are wanted, of as many files.
    pub limit: usize,
    pub largest_file: u64,
    /// When the scan ends with what it has.
    pub until: Instant,
    pub share: Share,
    pub cancel: &'a CancelToken,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScanResult {
    /// The best first.
    pub windows: Vec<Window>,
    /// Files that were read.
    pub searched: u64,
    pub skipped: BTreeMap<Skip, u64>,
    /// Files that there was no time for.
    pub left: u64,
    pub complete: bool,
}

/// The best place of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    pub path: String,
    /// 1-based.
    pub start_line: u32,
    /// Inclusive.
    pub end_line: u32,
    pub score: f32,
    /// The lines in it that have a word of the question, cut and with secrets blanked.
    pub lines: Vec<(u32, String)>,
}

/// Which words of the question, one bit each.
type Words = u32;

impl WordQuery {
    /// None if there is no word in it.
    pub fn new(text: &str) -> Option<Self> {
        let mut words: Vec<String> = vec![];
        for word in text.split(|sign: char| !sign.is_alphanumeric() && sign != '_') {
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
        // They stand everywhere, so they tell nothing and cost most.
        if words
            .iter()
            .any(|word| !EVERYWHERE.contains(&word.as_str()))
        {
            words.retain(|word| !EVERYWHERE.contains(&word.as_str()));
        }
        words.truncate(MOST_WORDS);
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

    fn all(&self) -> Words {
        Words::MAX >> (MOST_WORDS - self.words.len())
    }

    /// Where words stand as words, or as parts of names.
    fn find<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = (usize, Words)> + 'a {
        let found = self.finder.find_overlapping_iter(text);
        let found = found.filter(|found| is_part(text, found.range()));
        found.map(|found| (found.start(), 1 << found.pattern().as_usize()))
    }

    fn any_of(&self, text: &[u8]) -> Words {
        let mut seen = 0;
        for (_, word) in self.find(text) {
            seen |= word;
            if seen == self.all() {
                break;
            }
        }
        seen
    }
}

/// Searches the files for the places where most of a question's words stand together.
pub fn scan_words(
    dir: &RootDir,
    files: &[WalkedFile],
    wanted: &(dyn Fn(&WalkedFile) -> bool + Sync),
    asked: &ScanRequest<'_>,
) -> Result<ScanResult, ToolError> {
    let stop = asked.cancel.until(asked.until);
    let parts = threads::on(asked.share, files.len(), |queue| {
        note(dir, files, wanted, asked, &stop, queue)
    });
    asked.cancel.check()?;
    let mut noted = Noted::default();
    for part in parts {
        noted.files.extend(part.files);
        noted.left += part.left;
        noted.searched += part.searched;
        for (skip, count) in part.skipped {
            *noted.skipped.entry(skip).or_default() += count;
        }
    }
    let weights = noted.weights(asked.question);
    let mut best: Vec<(f32, FileWords)> = noted
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
    best.truncate(asked.limit * CANDIDATES);

    let mut reader = Reader::new(dir, asked.largest_file);
    let mut windows = vec![];
    for (_, file) in best {
        asked.cancel.check()?;
        let path = &files[file.place].path;
        if let FileContent::Text(text) = reader.open(&files[file.place])
            && let Some(mut window) = window(asked.question, &weights, path, text.bytes)
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
    windows.truncate(asked.limit);
    let Noted {
        searched,
        skipped,
        left,
        ..
    } = noted;
    Ok(ScanResult {
        windows,
        searched,
        skipped,
        left,
        complete: left == 0,
    })
}

/// What a first pass knows of files.
#[derive(Default)]
struct Noted {
    /// Those that have a word.
    files: Vec<FileWords>,
    searched: u64,
    skipped: BTreeMap<Skip, u64>,
    left: u64,
}

#[derive(Clone, Copy)]
struct FileWords {
    place: usize,
    text: Words,
    path: Words,
}

/// How much each word tells.
struct Weights(Vec<f32>);

fn note(
    dir: &RootDir,
    files: &[WalkedFile],
    wanted: &(dyn Fn(&WalkedFile) -> bool + Sync),
    asked: &ScanRequest<'_>,
    stop: &CancelToken,
    queue: &Queue,
) -> Noted {
    let mut noted = Noted::default();
    let mut reader = Reader::new(dir, asked.largest_file);
    for place in std::iter::from_fn(|| queue.take()).flatten() {
        let file = &files[place];
        if !wanted(file) {
            continue;
        }
        if stop.is_cancelled() {
            noted.left += 1;
            continue;
        }
        match reader.open(file) {
            FileContent::Gone => {}
            FileContent::Skipped(skip) => *noted.skipped.entry(skip).or_default() += 1,
            FileContent::Text(text) => {
                noted.searched += 1;
                let (text, path) = (
                    asked.question.any_of(text.bytes),
                    asked.question.any_of(file.path.as_bytes()),
                );
                if text != 0 {
                    noted.files.push(FileWords { place, text, path });
                }
            }
        }
    }
    noted
}

impl Noted {
    #[expect(clippy::cast_precision_loss, reason = "weights need no precision")]
    fn weights(&self, question: &WordQuery) -> Weights {
        let all = self.searched as f32;
        let weight = |word: usize| {
            let having = self
                .files
                .iter()
                .filter(|file| file.text >> word & 1 == 1)
                .count() as f32;
            ((all + 1.0) / (having + 0.5)).ln().max(0.05)
        };
        Weights((0..question.words.len()).map(weight).collect())
    }
}

impl Weights {
    fn sum(&self, words: Words) -> f32 {
        self.0
            .iter()
            .enumerate()
            .filter(|(word, _)| words >> word & 1 == 1)
            .map(|(_, weight)| weight)
            .sum()
    }
}

/// The lines of a text in which most of the question stands together.
fn window(question: &WordQuery, weights: &Weights, path: &str, text: &[u8]) -> Option<Window> {
    // Of each line that has a word: its number, its start, its words.
    let mut lines: Vec<(u32, usize, Words)> = vec![];
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

/// Whether a word stands between the borders of a name's parts. A plural will do.
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

/// Whether a part of a name ends between the first two of three bytes.
fn is_border(before: u8, after: u8, second: u8) -> bool {
    match (Sign::of(before), Sign::of(after)) {
        (Sign::Digit, Sign::Digit) | (Sign::Small | Sign::Capital, Sign::Small) => false,
        // Of `HTTPServer`, the last capital begins the next part.
        (Sign::Capital, Sign::Capital) => Sign::of(second) == Sign::Small,
        _ => true,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Digit,
    Capital,
    /// Bytes of other scripts among them.
    Small,
    Other,
}

impl Sign {
    fn of(byte: u8) -> Self {
        match byte {
            b'0'..=b'9' => Self::Digit,
            b'A'..=b'Z' => Self::Capital,
            b'a'..=b'z' | 0x80.. => Self::Small,
            _ => Self::Other,
        }
    }
}
