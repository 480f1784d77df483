//! Finds every line that matches a pattern, in the files as they are now.
//!
//! The index only says which files exist and which of them cannot match; all lines are read during the call. Every matching
//! line is counted and one page of them is kept, so that memory does not grow with the number of matches: the files of the page
//! are read a second time. Files that the index skips are counted, not searched. Secrets are blanked before a text is searched,
//! so neither a line nor a count reveals anything about them.

pub mod lines;
mod newlines;
mod pattern;
pub mod reader;
mod required_trigrams;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use claudevil_protocol::{ErrorCode, ToolError};

use self::lines::{FirstLine, LineSearcher, MatchCount};
pub use self::pattern::{Pattern, PatternError};
use self::reader::{FileContent, Reader, RedactedText};
use crate::index::snapshot::IndexedFile;
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;
use crate::source::walk::WalkedFile;
use crate::store::ledger::record::Skip;
use crate::threads::{self, Parallelism, Queue};

/// The extra time for reading the files of the page a second time.
const PAGE_TIME: Duration = Duration::from_secs(1);

/// A file that can be searched.
pub trait SearchableFile: Clone + Send + Sync {
    fn path(&self) -> &str;

    /// Returns the indexed state of the file, if there is one.
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
    pub from: PageStart<'a>,
    /// The most lines of the page.
    pub limit: usize,
    /// Larger files are skipped.
    pub largest_file: u64,
    /// The time at which the search ends with what it has found.
    pub until: Instant,
    pub cancel: &'a CancelToken,
    /// Restricts the matches in indexed files, whose content must then be as it was indexed. All matches in files without
    /// an index count.
    pub only: Option<&'a MatchFilter<'a>>,
    pub share: Parallelism,
}

/// Decides whether a match counts, by the byte offset of its start.
pub type MatchFilter<'a> = dyn Fn(&IndexedFile, &RedactedText<'_>, usize) -> bool + Sync + 'a;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageStart<'a> {
    /// After this many matching lines.
    AfterMatches(u64),
    /// After this line of this file, even if the line or the file no longer exists.
    AfterLine { path: &'a str, line: u32 },
}

#[derive(Clone, Debug)]
pub struct GrepResult<F> {
    /// The page, sorted by path and line.
    pub hits: Vec<LineHit<F>>,
    /// The number of lines with a match before the page.
    pub before: u64,
    /// Every file with a match, sorted by path.
    pub files: Vec<FileCount<F>>,
    /// The number of lines with a match, in all files.
    pub lines: u64,
    pub matches: u64,
    /// The number of files that were searched, by reading them or by their trigrams in the index.
    pub searched: u64,
    /// The number of files that had to be read.
    pub read: u64,
    /// The files that are not searched, by reason.
    pub skipped: BTreeMap<Skip, u64>,
    /// The number of files that were not searched for lack of time, or because their lines are too long for the expression.
    pub left: u64,
    /// True if everything was searched and the page is complete.
    pub complete: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCount<F> {
    pub file: F,
    pub lines: u64,
    pub matches: u64,
}

/// A line with a match. A match that spans several lines belongs to the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineHit<F> {
    pub file: F,
    /// 1-based.
    pub line: u32,
    /// The byte offsets of the matches in the line, the shown part or not.
    pub columns: Vec<u32>,
    /// The line without its end, or the part of it around the first match; secrets are blanked.
    pub text: String,
    pub is_cut_before: bool,
    pub is_cut_after: bool,
    /// The byte ranges of the matches in `text`.
    pub matches: Vec<(u32, u32)>,
    /// The innermost symbol around the first match, by its position in the outline.
    pub symbol: Option<u32>,
}

impl From<PatternError> for ToolError {
    fn from(error: PatternError) -> Self {
        Self::new(ErrorCode::InvalidQuery, error.to_string()).with_hint(error.hint())
    }
}

/// Searches those files of a list sorted by path that `wanted` accepts.
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
    let mut tally = threads::run_on(request.share, files.len(), |queue| pass.work(queue))
        .into_iter()
        .fold(Tally::default(), Tally::add);
    request.cancel.check()?;
    tally.found.sort_unstable_by_key(|(place, _)| *place);

    let stop = request.cancel.until(request.until + PAGE_TIME);
    let page = page(dir, files, &tally.found, request, &stop);
    request.cancel.check()?;
    let count = |(place, count): &(usize, MatchCount)| FileCount {
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

/// Returns the lines around a line with their numbers, long ones cut; `None` if the file can no longer be read.
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
    let text = text.to_str();
    let first = line.saturating_sub(lines).max(1);
    let count = (line.saturating_add(lines) - first + 1) as usize;
    let shown = text
        .lines()
        .skip(first as usize - 1)
        .take(count)
        .map(|line| lines::first_line(line.as_bytes()));
    Some((first..).zip(shown).collect())
}

/// The search that counts the matches of all files, on several threads.
struct Pass<'a, F> {
    dir: &'a RootDir,
    files: &'a [F],
    wanted: &'a (dyn Fn(&F) -> bool + Sync),
    request: &'a GrepRequest<'a>,
    stop: &'a CancelToken,
}

/// The counts of one thread.
#[derive(Default)]
struct Tally {
    /// The files with a match, by their position in the list.
    found: Vec<(usize, MatchCount)>,
    searched: u64,
    read: u64,
    skipped: BTreeMap<Skip, u64>,
    left: u64,
}

impl<F: SearchableFile> Pass<'_, F> {
    fn work(&self, queue: &Queue) -> Tally {
        let mut tally = Tally::default();
        let mut reader = Reader::new(self.dir, self.request.largest_file);
        let mut search = LineSearcher::new(self.request.pattern, self.stop);
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
                tally.count_file(place, file, self.request, &mut reader, &mut search);
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
    fn count_file<F: SearchableFile>(
        &mut self,
        place: usize,
        file: &F,
        request: &GrepRequest<'_>,
        reader: &mut Reader,
        search: &mut LineSearcher,
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

    fn add(mut self, other: Self) -> Self {
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

/// Reads the lines of the page from the files that the counts place it in.
fn page<F: SearchableFile>(
    dir: &RootDir,
    files: &[F],
    found: &[(usize, MatchCount)],
    request: &GrepRequest<'_>,
    stop: &CancelToken,
) -> Page<F> {
    let mut reader = Reader::new(dir, request.largest_file);
    let mut search = LineSearcher::new(request.pattern, stop);
    let mut page = Page {
        hits: vec![],
        before: 0,
        is_whole: true,
    };
    for (place, count) in found {
        let room = request.limit - page.hits.len();
        let file = &files[*place];
        let first = match request.from {
            PageStart::AfterMatches(lines) => {
                FirstLine::AfterMatches(lines.saturating_sub(page.before))
            }
            PageStart::AfterLine { path, .. } if file.path() < path => {
                FirstLine::AfterMatches(u64::MAX)
            }
            PageStart::AfterLine { path, line } if file.path() == path => {
                FirstLine::AfterLine(line)
            }
            PageStart::AfterLine { .. } => FirstLine::AfterMatches(0),
        };
        if matches!(first, FirstLine::AfterMatches(lines) if lines >= count.lines) {
            page.before += count.lines;
            continue;
        }
        if room == 0 && !matches!(first, FirstLine::AfterLine(_)) {
            break;
        }
        if let FileContent::Text(text) = reader.open(file) {
            let wanted = |at| request.takes(file, &text, at);
            match search.lines(file, &text, first, room, &wanted) {
                Ok((skipped, lines)) => {
                    page.before += skipped;
                    page.hits.extend(lines);
                }
                Err(_) => page.is_whole = false,
            }
        }
    }
    page
}
