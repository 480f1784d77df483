//! Every line that matches, out of the files as they are now.
//!
//! The index only says which files there are and which of them cannot match; what is shown was read during the call. All
//! lines are counted and a page of them is kept, so that memory does not grow with what is found: the files of the page
//! are read a second time. Files that the index leaves out are not searched, but counted. Texts are searched with their
//! secrets blanked, so neither a line nor a count tells anything of them.

pub mod lines;
mod newlines;
mod pattern;
pub mod reader;
mod required;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use claudevil_protocol::{ErrorCode, ToolError};

use self::lines::{Count, Search, Start};
pub use self::pattern::{Pattern, PatternError};
use self::reader::{FileContent, Reader, RedactedText};
use crate::index::snapshot::IndexedFile;
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;
use crate::source::walk::WalkedFile;
use crate::store::ledger::record::Skip;
use crate::threads::{self, Queue, Share};

/// How much longer than the search the page of hits may take: its files are read a second time.
const PAGE_TIME: Duration = Duration::from_secs(1);

/// A file that can be searched.
pub trait SearchableFile: Clone + Send + Sync {
    fn path(&self) -> &str;

    /// What the index knows of it.
    fn indexed(&self) -> Option<&IndexedFile>;
}

impl SearchableFile for Arc<IndexedFile> {
    fn path(&self) -> &str {
        &self.path
    }

    fn indexed(&self) -> Option<&IndexedFile> {
        Some(self)
    }
}

impl SearchableFile for WalkedFile {
    fn path(&self) -> &str {
        &self.path
    }

    fn indexed(&self) -> Option<&IndexedFile> {
        None
    }
}

pub struct GrepRequest<'a> {
    pub pattern: &'a Pattern,
    /// Where the page begins.
    pub from: PageStart<'a>,
    /// Matching lines in the page.
    pub limit: usize,
    /// Files that have grown beyond this are left out.
    pub largest_file: u64,
    /// When the search ends with what it has.
    pub until: Instant,
    pub cancel: &'a CancelToken,
    /// The places that count in indexed files, as long as their content is what was indexed. None for all. In files
    /// without an index all places count.
    pub only: Option<&'a MatchFilter<'a>>,
    pub share: Share,
}

/// Whether a match counts that begins at a byte of the text.
pub type MatchFilter<'a> = dyn Fn(&IndexedFile, &RedactedText<'_>, usize) -> bool + Sync + 'a;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageStart<'a> {
    /// So many matching lines come before.
    Skipped(u64),
    /// Behind this line of this file, whether they are still there or not.
    Behind { path: &'a str, line: u32 },
}

#[derive(Clone, Debug)]
pub struct GrepResult<F> {
    /// The page, by path and line.
    pub hits: Vec<LineHit<F>>,
    /// Lines with a match before the page.
    pub before: u64,
    /// Every file with a match, by path.
    pub files: Vec<FileCount<F>>,
    /// Lines with a match, in all files.
    pub lines: u64,
    pub matches: u64,
    /// Files that were searched, by reading them or by what the index knows.
    pub searched: u64,
    /// Of those, the ones that had to be read.
    pub read: u64,
    /// Files that are not searched at all.
    pub skipped: BTreeMap<Skip, u64>,
    /// Files that there was no time for, or whose lines are too long for the expression.
    pub left: u64,
    /// Whether everything was searched and the page is whole.
    pub complete: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCount<F> {
    pub file: F,
    pub lines: u64,
    pub matches: u64,
}

/// A line with a match. A match over several lines stands at its first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineHit<F> {
    pub file: F,
    /// 1-based.
    pub line: u32,
    /// Of the first match, in bytes from the line's beginning.
    pub column: u32,
    /// The line without its end, or the part of it around the first match; secrets are blanked.
    pub text: String,
    pub is_cut_before: bool,
    pub is_cut_after: bool,
    /// Where in `text` the matches are, as far as it shows them.
    pub matches: Vec<(u32, u32)>,
    /// The symbol_at_byte symbol around the first match, by its place in the outline.
    pub symbol: Option<u32>,
}

impl From<PatternError> for ToolError {
    fn from(error: PatternError) -> Self {
        Self::new(ErrorCode::InvalidQuery, error.to_string()).with_hint(error.hint())
    }
}

/// Searches the files, which are in order of their paths, as far as they are wanted.
pub fn grep<F: SearchableFile>(
    dir: &RootDir,
    files: &[F],
    wanted: &(dyn Fn(&F) -> bool + Sync),
    request: &GrepRequest<'_>,
) -> Result<GrepResult<F>, ToolError> {
    let stop = request.cancel.until(request.until);
    let pass = Pass {
        dir,
        files,
        wanted,
        request,
        stop: &stop,
    };
    let mut tally = threads::on(request.share, files.len(), |queue| pass.work(queue))
        .into_iter()
        .fold(Tally::default(), Tally::and);
    request.cancel.check()?;
    tally.found.sort_unstable_by_key(|(place, _)| *place);

    let stop = request.cancel.until(request.until + PAGE_TIME);
    let page = page(dir, files, &tally.found, request, &stop);
    request.cancel.check()?;
    let count = |(place, count): &(usize, Count)| FileCount {
        file: files[*place].clone(),
        lines: count.lines,
        matches: count.matches,
    };
    Ok(GrepResult {
        files: tally.found.iter().map(count).collect(),
        lines: tally.found.iter().map(|(_, count)| count.lines).sum(),
        matches: tally.found.iter().map(|(_, count)| count.matches).sum(),
        searched: tally.searched,
        read: tally.read,
        skipped: tally.skipped,
        left: tally.left,
        complete: tally.left == 0 && page.is_whole,
        before: page.before,
        hits: page.hits,
    })
}

/// The lines around one with their numbers, long ones cut; none if the file cannot be shown any more.
pub fn around<F: SearchableFile>(
    dir: &RootDir,
    file: &F,
    line: u32,
    lines: u32,
    largest_file: u64,
) -> Option<Vec<(u32, String)>> {
    let mut reader = Reader::new(dir, largest_file);
    let FileContent::Text(text) = reader.open(file) else {
        return None;
    };
    let text = String::from_utf8_lossy(text.bytes);
    let first = line.saturating_sub(lines).max(1);
    let count = (line.saturating_add(lines) - first + 1) as usize;
    let shown = text
        .lines()
        .skip(first as usize - 1)
        .take(count)
        .map(|line| lines::first_line(line.as_bytes()));
    Some((first..).zip(shown).collect())
}

/// One way through all files.
struct Pass<'a, F> {
    dir: &'a RootDir,
    files: &'a [F],
    wanted: &'a (dyn Fn(&F) -> bool + Sync),
    request: &'a GrepRequest<'a>,
    stop: &'a CancelToken,
}

/// What one thread has seen.
#[derive(Default)]
struct Tally {
    /// Places in the list of files.
    found: Vec<(usize, Count)>,
    searched: u64,
    read: u64,
    skipped: BTreeMap<Skip, u64>,
    left: u64,
}

impl<F: SearchableFile> Pass<'_, F> {
    fn work(&self, queue: &Queue) -> Tally {
        let mut tally = Tally::default();
        let mut reader = Reader::new(self.dir, self.request.largest_file);
        let mut search = Search::new(self.request.pattern, self.stop);
        let mut is_stopped = false;
        for place in std::iter::from_fn(|| queue.take()).flatten() {
            let file = &self.files[place];
            if !(self.wanted)(file) {
                continue;
            }
            if let Some(skip) = file.indexed().and_then(IndexedFile::skip) {
                *tally.skipped.entry(skip).or_default() += 1;
            } else if !self.may_match(file) {
                tally.searched += 1;
            } else if is_stopped || self.stop.is_cancelled() {
                is_stopped = true;
                tally.left += 1;
            } else {
                tally.look(place, file, self.request, &mut reader, &mut search);
            }
        }
        tally
    }

    fn may_match(&self, file: &F) -> bool {
        file.indexed().is_none_or(|indexed| {
            self.request
                .pattern
                .required
                .may_be_in(&indexed.outline.trigrams)
        })
    }
}

impl Tally {
    fn look<F: SearchableFile>(
        &mut self,
        place: usize,
        file: &F,
        request: &GrepRequest<'_>,
        reader: &mut Reader,
        search: &mut Search,
    ) {
        match reader.open(file) {
            FileContent::Gone => {}
            FileContent::Skipped(skip) => *self.skipped.entry(skip).or_default() += 1,
            FileContent::Text(text) => {
                match search.count(&text, &|at| request.takes(file, &text, at)) {
                    Ok(count) => {
                        self.searched += 1;
                        self.read += 1;
                        if count.lines > 0 {
                            self.found.push((place, count));
                        }
                    }
                    Err(_) => self.left += 1,
                }
            }
        }
    }

    fn and(mut self, other: Self) -> Self {
        self.found.extend(other.found);
        for (skip, files) in other.skipped {
            *self.skipped.entry(skip).or_default() += files;
        }
        Self {
            searched: self.searched + other.searched,
            read: self.read + other.read,
            left: self.left + other.left,
            ..self
        }
    }
}

impl GrepRequest<'_> {
    fn takes<F: SearchableFile>(&self, file: &F, text: &RedactedText<'_>, at: usize) -> bool {
        match (self.only, file.indexed()) {
            (None, _) | (_, None) => true,
            (Some(only), Some(indexed)) => text.is_as_indexed && only(indexed, text, at),
        }
    }
}

struct Page<F> {
    hits: Vec<LineHit<F>>,
    before: u64,
    is_whole: bool,
}

/// The lines of the page, out of the files that the counts say they are in.
fn page<F: SearchableFile>(
    dir: &RootDir,
    files: &[F],
    found: &[(usize, Count)],
    request: &GrepRequest<'_>,
    stop: &CancelToken,
) -> Page<F> {
    let mut reader = Reader::new(dir, request.largest_file);
    let mut search = Search::new(request.pattern, stop);
    let mut page = Page {
        hits: vec![],
        before: 0,
        is_whole: true,
    };
    for (place, count) in found {
        let room = request.limit - page.hits.len();
        let file = &files[*place];
        let from = match request.from {
            PageStart::Skipped(lines) => Start::Skipped(lines.saturating_sub(page.before)),
            PageStart::Behind { path, .. } if file.path() < path => Start::Skipped(u64::MAX),
            PageStart::Behind { path, line } if file.path() == path => Start::Behind(line),
            PageStart::Behind { .. } => Start::Skipped(0),
        };
        if matches!(from, Start::Skipped(lines) if lines >= count.lines) {
            page.before += count.lines;
            continue;
        }
        if room == 0 && !matches!(from, Start::Behind(_)) {
            break;
        }
        if let FileContent::Text(text) = reader.open(file) {
            let outline = file
                .indexed()
                .filter(|_| text.is_as_indexed)
                .map(|indexed| &*indexed.outline);
            let symbols = outline.map_or(&[][..], |outline| &outline.symbols);
            match search.lines(&text, from, room, symbols, &|at| {
                request.takes(file, &text, at)
            }) {
                Ok((skipped, lines)) => {
                    page.before += skipped;
                    page.hits
                        .extend(lines.into_iter().map(|line| line.of(file.clone())));
                }
                Err(_) => page.is_whole = false,
            }
        }
    }
    page
}
