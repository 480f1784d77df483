//! Finds the matches in one text and the lines that they are on.

use std::ops::ControlFlow;

use claudevil_protocol::answer::hits::MAX_COLUMNS;
use memchr::{memchr, memchr_iter, memrchr};
use regex_automata::Span;

use super::pattern::{Finder, MatchExtent, Pattern};
use super::reader::RedactedText;
use super::{LineHit, SearchableFile};
use crate::extract::facts::Symbol;
use crate::source::cancel::CancelToken;

/// Steps of the regex engine between two checks for cancellation: a millisecond at worst, since dozens of searches on few
/// processors may be cancelled at once.
const STEPS: usize = 1 << 18;
/// The most steps of a search that cannot be interrupted: of a single line, or of an expression that matches several lines.
const MAX_STEPS: usize = 64 << 20;
/// The most bytes of a line that are shown.
const SHOWN: usize = 300;
/// The shown bytes before the first match.
const SHOWN_BEFORE: usize = 80;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchCount {
    pub lines: u64,
    pub matches: u64,
}

/// A search that was cancelled, or that is too expensive because of its expression and long lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnfinishedSearch;

/// The first matching line of a page in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstLine {
    /// The line after this many matching lines.
    AfterMatches(u64),
    /// The first matching line after this line, counted from 1.
    AfterLine(u32),
}

/// One thread's search for one pattern.
pub struct LineSearcher<'a> {
    pattern: &'a Pattern,
    finder: Finder<'a>,
    stop: &'a CancelToken,
}

impl<'a> LineSearcher<'a> {
    pub fn new(pattern: &'a Pattern, stop: &'a CancelToken) -> Self {
        Self {
            pattern,
            finder: Finder::new(pattern),
            stop,
        }
    }

    /// Counts the matches whose start `wanted` accepts, and their lines.
    pub fn count(
        &mut self,
        text: &RedactedText<'_>,
        wanted: &dyn Fn(usize) -> bool,
    ) -> Result<MatchCount, UnfinishedSearch> {
        let mut count = MatchCount::default();
        let mut next_line = 0;
        self.each(text, |found| {
            if !wanted(found.start) {
                return ControlFlow::Continue(());
            }
            count.matches += 1;
            if found.start >= next_line {
                count.lines += 1;
                next_line = memchr(b'\n', &text.bytes[found.start..])
                    .map_or(usize::MAX, |to| found.start + to + 1);
            }
            ControlFlow::Continue(())
        })?;
        Ok(count)
    }

    /// Returns at most `limit` matching lines, and the number of those before them.
    pub fn lines<F: SearchableFile>(
        &mut self,
        file: &F,
        text: &RedactedText<'_>,
        first: FirstLine,
        limit: usize,
        wanted: &dyn Fn(usize) -> bool,
    ) -> Result<(u64, Vec<LineHit<F>>), UnfinishedSearch> {
        let (skip, from) = match first {
            FirstLine::AfterMatches(lines) => (lines, 0),
            FirstLine::AfterLine(line) => {
                let mut ends = memchr_iter(b'\n', text.bytes);
                (
                    0,
                    line.checked_sub(1).map_or(0, |before| {
                        ends.nth(before as usize).map_or(usize::MAX, |end| end + 1)
                    }),
                )
            }
        };
        let mut skipped = 0;
        let mut next_line = 0;
        let mut places: Vec<(Span, Vec<Span>)> = vec![];
        self.each(text, |found| {
            if !wanted(found.start) {
                return ControlFlow::Continue(());
            }
            if found.start >= next_line {
                let line = line_around(text.bytes, found.start);
                next_line = if line.end < text.bytes.len() {
                    line.end + 1
                } else {
                    usize::MAX
                };
                if found.start < from || skipped < skip {
                    skipped += 1;
                } else if places.len() == limit {
                    return ControlFlow::Break(());
                } else {
                    places.push((line, vec![]));
                }
            }
            // Further matches of a skipped line are dropped.
            if let Some((_, matches)) = places.last_mut()
                && matches.len() < MAX_COLUMNS
            {
                matches.push(found);
            }
            ControlFlow::Continue(())
        })?;
        let outline = file.indexed().filter(|_| text.is_as_indexed);
        let symbols = outline.map_or(&[][..], |indexed| &indexed.outline.symbols);
        let (mut number, mut counted) = (1, 0);
        let lines = places.into_iter().map(|(line, matches)| {
            number += memchr_iter(b'\n', &text.bytes[counted..line.start]).count();
            counted = line.start;
            line_hit(file, text, line, number, &matches, symbols)
        });
        Ok((skipped, lines.collect()))
    }

    /// Calls `visit` with every match, in order and without overlaps, until it breaks.
    fn each(
        &mut self,
        text: &RedactedText<'_>,
        mut visit: impl FnMut(Span) -> ControlFlow<()>,
    ) -> Result<(), UnfinishedSearch> {
        let bytes = text.bytes;
        let mut start = 0;
        let mut last_end = None;
        loop {
            let end = self.part_end(bytes, start)?;
            while let Some(found) = self.finder.find(bytes, Span { start, end }) {
                if found.start == end && end < bytes.len() {
                    // The match belongs to the next part, which contains all of it.
                    break;
                }
                if found.start == found.end && last_end == Some(found.end) {
                    // An empty match directly after another match does not count.
                    if found.end >= end {
                        break;
                    }
                    start = found.end + 1;
                    continue;
                }
                (start, last_end) = (found.end, Some(found.end));
                if self.counts(text, found) && visit(found).is_break() {
                    return Ok(());
                }
            }
            if end >= bytes.len() {
                return Ok(());
            }
            start = end;
            if self.stop.is_cancelled() {
                return Err(UnfinishedSearch);
            }
        }
    }

    /// Returns the end of the part to search next: of the text, or of some lines if no match spans several.
    fn part_end(&self, bytes: &[u8], start: usize) -> Result<usize, UnfinishedSearch> {
        if !self.pattern.is_regex() {
            return Ok(bytes.len());
        }
        let width = self.pattern.width.max(1);
        let end = match self.pattern.reach {
            MatchExtent::SeveralLines => bytes.len(),
            MatchExtent::OneLine => {
                let least = (start + (STEPS / width).max(1)).min(bytes.len());
                memchr(b'\n', &bytes[least..]).map_or(bytes.len(), |to| least + to + 1)
            }
        };
        if (end - start).saturating_mul(width) > MAX_STEPS {
            Err(UnfinishedSearch)
        } else {
            Ok(end)
        }
    }

    /// Returns whether a match counts: it must be on a line, and not inside a secret.
    fn counts(&self, text: &RedactedText<'_>, found: Span) -> bool {
        let bytes = text.bytes;
        if found.start == bytes.len() && bytes.last().is_none_or(|last| *last == b'\n') {
            // There is no line after the last line end.
            return false;
        }
        let is_empty = found.start == found.end;
        let splits_line_end = is_empty
            && found.start > 0
            && bytes[found.start - 1] == b'\r'
            && bytes.get(found.start) == Some(&b'\n');
        if splits_line_end && self.pattern.reach == MatchExtent::OneLine {
            return false;
        }
        let (start, end) = (text.start + found.start, text.start + found.end);
        let before = text
            .secrets
            .partition_point(|(from, _)| *from as usize <= start);
        let around = before.checked_sub(1).map(|place| text.secrets[place]);
        !around.is_some_and(|(from, to)| {
            let (from, to) = (from as usize, to as usize);
            if is_empty {
                from < start && end < to
            } else {
                end <= to
            }
        })
    }
}

/// Returns the line around a byte, without its end.
fn line_around(bytes: &[u8], at: usize) -> Span {
    let start = memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1);
    Span {
        start,
        end: memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |to| at + to),
    }
}

fn line_hit<F: SearchableFile>(
    file: &F,
    text: &RedactedText<'_>,
    line: Span,
    number: usize,
    matches: &[Span],
    symbols: &[Symbol],
) -> LineHit<F> {
    let whole = &text.bytes[line.range()];
    let whole = whole.strip_suffix(b"\r").unwrap_or(whole);
    let first = matches.first().map_or(line.start, |found| found.start);
    let part = around(whole, (first - line.start).min(whole.len()));
    let place = |at: usize| short((at - line.start).clamp(part.start, part.end) - part.start);
    let is_shown = |found: &&Span| {
        found.start - line.start <= part.end && found.end - line.start >= part.start
    };
    LineHit {
        file: file.clone(),
        line: short(number),
        columns: matches
            .iter()
            .map(|found| short(found.start - line.start))
            .collect(),
        text: String::from_utf8_lossy(&whole[part.range()]).into_owned(),
        is_cut_before: part.start > 0,
        is_cut_after: part.end < whole.len(),
        matches: matches
            .iter()
            .filter(is_shown)
            .map(|found| (place(found.start), place(found.end)))
            .collect(),
        symbol: symbol_at_byte(symbols, short(text.start + first)),
    }
}

/// Returns the first line of a text, cut if it is long.
pub fn first_line(text: &[u8]) -> String {
    let line = &text[..memchr(b'\n', text).unwrap_or(text.len())];
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let part = around(line, 0);
    let cut = if part.end < line.len() { "…" } else { "" };
    format!("{}{cut}", String::from_utf8_lossy(&line[part.range()]))
}

/// Cuts a long line around a byte.
pub fn cut_around(line: &str, at: usize) -> String {
    let part = around(line.as_bytes(), at.min(line.len()));
    let before = if part.start > 0 { "…" } else { "" };
    let after = if part.end < line.len() { "…" } else { "" };
    format!("{before}{}{after}", &line[part.range()])
}

/// Returns the part of a line that is shown for a match at a byte, cut between characters.
fn around(line: &[u8], at: usize) -> Span {
    if line.len() <= SHOWN {
        return Span {
            start: 0,
            end: line.len(),
        };
    }
    let is_inside = |place: usize| line.get(place).is_some_and(|byte| byte & 0xc0 == 0x80);
    let mut start = at.saturating_sub(SHOWN_BEFORE).min(line.len() - SHOWN);
    while is_inside(start) {
        start += 1;
    }
    let mut end = (start + SHOWN).min(line.len());
    while is_inside(end) {
        end -= 1;
    }
    Span { start, end }
}

/// Returns the innermost symbol around a byte. Symbols are sorted by their start, a parent before its children.
pub fn symbol_at_byte(symbols: &[Symbol], at: u32) -> Option<u32> {
    let mut place = symbols
        .partition_point(|symbol| symbol.start_byte <= at)
        .checked_sub(1)?;
    loop {
        let symbol = &symbols[place];
        if at < symbol.end_byte {
            return u32::try_from(place).ok();
        }
        place = symbol
            .parent
            .map(|parent| parent as usize)
            .filter(|parent| *parent < place)?;
    }
}

fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
