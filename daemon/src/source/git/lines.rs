//! Compares two texts line by line.
//!
//! Short texts are compared as a whole, by the histogram algorithm, as git does. It takes quadratic time if many lines are
//! equal or many differ, so longer texts are cut first: at lines that both texts have exactly once, and if there are none,
//! into windows. Each piece is compared by itself, which keeps the time linear and lets the comparison be cancelled.

use std::borrow::Cow;

use imara_diff::{Algorithm, Diff, InternedInput, Token};

use crate::source::cancel::CancelToken;

/// The bytes of a file that are searched for a zero byte, as in git.
const BEGINNING: usize = 8000;

/// Old lines and the new lines that replace them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hunk {
    pub old: Span,
    pub new: Span,
}

/// A range of lines, counted from 1, the last one included. An empty range has its first line after its last: lines deleted
/// before line 5 have the new span from 5 to 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub first: u32,
    pub last: u32,
}

impl Span {
    pub fn is_empty(self) -> bool {
        self.last < self.first
    }

    /// `start` is counted from 0, `end` is exclusive.
    fn new(start: usize, end: usize) -> Self {
        let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        Self {
            first: number(start).saturating_add(1),
            last: number(end),
        }
    }
}

pub fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, &bytes[..bytes.len().min(BEGINNING)]).is_some()
}

/// The most lines of both texts together that are compared at once.
const MAX_AT_ONCE: usize = 4_000;
/// The lines of each text in a window.
const WINDOW: usize = MAX_AT_ONCE / 2;

/// Returns the differences, or `None` if the comparison was cancelled.
pub fn hunks(old: &[u8], new: &[u8], cancel: &CancelToken) -> Option<Vec<Hunk>> {
    let new = as_stored(old, new);
    let input = InternedInput::new(old, &*new);
    let mut comparison = LineComparison {
        input: &input,
        cancel,
        changes: vec![],
    };
    comparison.compare()?;
    let as_hunk = |change: &Change| Hunk {
        old: Span::new(change.start.0, change.end.0),
        new: Span::new(change.start.1, change.end.1),
    };
    Some(comparison.changes.iter().map(as_hunk).collect())
}

/// Lines of the old and the new text, counted from 0.
type Position = (usize, usize);

#[derive(Clone, Copy)]
struct Change {
    start: Position,
    end: Position,
}

struct LineComparison<'a> {
    input: &'a InternedInput<&'a [u8]>,
    cancel: &'a CancelToken,
    /// In order, and apart from each other.
    changes: Vec<Change>,
}

impl LineComparison<'_> {
    fn compare(&mut self) -> Option<()> {
        let (before, after) = (&self.input.before, &self.input.after);
        let end = (before.len(), after.len());
        let mut position = (0, 0);
        if end.0 + end.1 > MAX_AT_ONCE {
            for anchor in common_unique_lines(before, after, self.input.interner.num_tokens()) {
                self.compare_piece(position, anchor)?;
                position = (anchor.0 + 1, anchor.1 + 1);
            }
        }
        self.compare_piece(position, end)
    }

    fn compare_piece(&mut self, mut start: Position, end: Position) -> Option<()> {
        while start.0 < end.0
            && start.1 < end.1
            && (end.0 - start.0) + (end.1 - start.1) > MAX_AT_ONCE
        {
            start = self.compare_window(start, end)?;
        }
        let changes = self.compare_at_once(start, end)?;
        self.extend(changes);
        Some(())
    }

    /// Compares the next lines of a long piece and returns where the following window begins. A change that reaches the end
    /// of the window is compared again in the next, if that is at least half a window away: it may be an insertion whose
    /// end is not in sight yet.
    fn compare_window(&mut self, start: Position, end: Position) -> Option<Position> {
        let window_end = (end.0.min(start.0 + WINDOW), end.1.min(start.1 + WINDOW));
        let mut changes = self.compare_at_once(start, window_end)?;
        let mut next = window_end;
        if let Some(last) = changes.last().copied()
            && last.end == window_end
            && (last.start.0 - start.0 >= WINDOW / 2 || last.start.1 - start.1 >= WINDOW / 2)
        {
            changes.pop();
            next = last.start;
        }
        self.extend(changes);
        Some(next)
    }

    fn compare_at_once(&self, start: Position, end: Position) -> Option<Vec<Change>> {
        if self.cancel.is_cancelled() {
            return None;
        }
        if start.0 == end.0 || start.1 == end.1 {
            return Some(if start == end {
                vec![]
            } else {
                vec![Change { start, end }]
            });
        }
        // Interned again: the algorithm sets up a list for every distinct line of its input.
        let interner = &self.input.interner;
        let mut input = InternedInput::default();
        input.update_before(
            self.input.before[start.0..end.0]
                .iter()
                .map(|token| interner[*token]),
        );
        input.update_after(
            self.input.after[start.1..end.1]
                .iter()
                .map(|token| interner[*token]),
        );
        let mut diff = Diff::compute(Algorithm::Histogram, &input);
        diff.postprocess_lines(&input);
        let absolute = |hunk: imara_diff::Hunk| Change {
            start: (
                start.0 + hunk.before.start as usize,
                start.1 + hunk.after.start as usize,
            ),
            end: (
                start.0 + hunk.before.end as usize,
                start.1 + hunk.after.end as usize,
            ),
        };
        Some(diff.hunks().map(absolute).collect())
    }

    /// Adds changes, joined with the last one where they touch it.
    fn extend(&mut self, changes: Vec<Change>) {
        for change in changes {
            match self.changes.last_mut() {
                Some(last) if last.end == change.start => last.end = change.end,
                _ => self.changes.push(change),
            }
        }
    }
}

/// Returns the longest sequence of lines, in the order of both texts, that each text has exactly once.
fn common_unique_lines(before: &[Token], after: &[Token], distinct: u32) -> Vec<Position> {
    let (old, new) = (
        unique_lines(before, distinct),
        unique_lines(after, distinct),
    );
    let is_common = |(token, line): (&Token, usize)| {
        let (old, new) = (old[token.0 as usize]?, new[token.0 as usize]?);
        (old == line).then_some((old, new))
    };
    let common: Vec<Position> = before.iter().zip(0..).filter_map(is_common).collect();
    // The longest increasing subsequence: for each length the smallest end, and for each line its predecessor.
    let mut ends: Vec<usize> = vec![];
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(common.len());
    for (place, (_, new)) in common.iter().enumerate() {
        let length = ends.partition_point(|end| common[*end].1 < *new);
        previous.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = place,
            None => ends.push(place),
        }
    }
    let mut run: Vec<Position> =
        std::iter::successors(ends.last().copied(), |place| previous[*place])
            .map(|place| common[place])
            .collect();
    run.reverse();
    run
}

/// Returns the number of each distinct line that the text has exactly once.
fn unique_lines(text: &[Token], distinct: u32) -> Vec<Option<usize>> {
    let mut counts = vec![0_u32; distinct as usize];
    let mut lines = vec![None; distinct as usize];
    for (line, token) in text.iter().enumerate() {
        counts[token.0 as usize] += 1;
        lines[token.0 as usize] = (counts[token.0 as usize] == 1).then_some(line);
    }
    lines
}

/// Converts the line ends of a file to those that git stores, because they are no changes: only if the old text has no `\r\n`,
/// and the new one has no other line ends.
fn as_stored<'n>(old: &[u8], new: &'n [u8]) -> Cow<'n, [u8]> {
    let only_these = |text: &[u8]| {
        memchr::memchr(b'\n', text).is_some()
            && memchr::memchr_iter(b'\n', text).all(|at| at > 0 && text[at - 1] == b'\r')
    };
    if memchr::memmem::find(old, b"\r\n").is_some()
        || memchr::memchr(b'\n', old).is_none()
        || !only_these(new)
    {
        return Cow::Borrowed(new);
    }
    let mut stored = Vec::with_capacity(new.len());
    for line in new.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\r\n") {
            Some(line) => stored.extend([line, b"\n"].concat()),
            None => stored.extend_from_slice(line),
        }
    }
    Cow::Owned(stored)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn compared(old: &[u8], new: &[u8]) -> Vec<Hunk> {
        hunks(old, new, &CancelToken::default()).expect("not cancelled")
    }

    /// Replaces the lines of the old text by those of the new one, as the hunks say.
    fn applied(old: &str, new: &str, hunks: &[Hunk]) -> String {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let (mut text, mut line): (Vec<&str>, usize) = (vec![], 0);
        for hunk in hunks {
            let (first, last) = (hunk.old.first as usize - 1, hunk.old.last as usize);
            assert!(line <= first, "in order: {hunk:?}");
            text.extend(&old[line..first]);
            text.extend(&new[hunk.new.first as usize - 1..hunk.new.last as usize]);
            line = last;
        }
        text.extend(&old[line..]);
        text.join("\n") + "\n"
    }

    fn changed_lines(hunks: &[Hunk]) -> usize {
        hunks
            .iter()
            .map(|hunk| (hunk.new.last + 1 - hunk.new.first) as usize)
            .sum()
    }

    fn numbered(lines: usize, text: impl Fn(usize) -> String) -> String {
        (0..lines).map(|line| text(line) + "\n").collect()
    }

    #[test]
    fn long_texts_are_compared_in_pieces_that_make_one_diff() {
        let unique = numbered(30_000, |line| format!("line {line}"));
        let inserted = {
            let mut lines: Vec<String> = unique.lines().map(str::to_owned).collect();
            lines.splice(
                10_000..10_000,
                (0..9_000).map(|line| format!("new {}", line % 5)),
            );
            lines.join("\n") + "\n"
        };
        let alternating = numbered(30_000, |line| {
            format!("{} {line}", if line % 2 == 0 { "line" } else { "other" })
        });
        let repeated = numbered(30_000, |line| format!("value {}", line % 7));
        let shifted = numbered(30_300, |line| format!("value {}", (line + 3) % 7));
        let replaced = numbered(30_000, |line| format!("number {}", line % 3));
        for (old, new, most) in [
            (&unique, &inserted, 9_000),
            (&unique, &alternating, 15_000),
            (&repeated, &shifted, 700),
            (&repeated, &replaced, 30_000),
            (&replaced, &unique, 30_000),
        ] {
            let hunks = compared(old.as_bytes(), new.as_bytes());
            assert_eq!(applied(old, new, &hunks), *new);
            assert!(
                changed_lines(&hunks) <= most,
                "{} changed lines, and {most} are enough",
                changed_lines(&hunks)
            );
        }
    }

    #[test]
    fn a_long_comparison_stops_when_it_is_cancelled() {
        let repeated = |word: &str, from| {
            numbered(100_000, |line| {
                format!("{word} {}", (line * line + from) % 11)
            })
        };
        let (old, new) = (repeated("value", 0), repeated("value", 5));
        let began = Instant::now();
        let until = CancelToken::default().until(began + Duration::from_millis(50));
        assert_eq!(hunks(old.as_bytes(), new.as_bytes(), &until), None);
        let stopped = began.elapsed();
        let began = Instant::now();
        assert_eq!(
            applied(&old, &new, &compared(old.as_bytes(), new.as_bytes())),
            new
        );
        assert!(
            stopped < began.elapsed() / 2 + Duration::from_millis(100),
            "{stopped:?} of {:?}",
            began.elapsed()
        );
    }

    #[test]
    fn spans_are_the_changed_lines() {
        type Spans = Vec<((u32, u32), (u32, u32))>;
        let cases: [(&str, &str, Spans); 11] = [
            ("a\nb\nc\n", "a\nB\nc\n", vec![((2, 2), (2, 2))]),
            ("a\nb\nc\n", "a\nc\n", vec![((2, 2), (2, 1))]),
            ("a\nc\n", "a\nb\nb2\nc\n", vec![((2, 1), (2, 3))]),
            ("b\n", "a\nb\n", vec![((1, 0), (1, 1))]),
            ("a\nb\n", "b\n", vec![((1, 1), (1, 0))]),
            ("a\nb\n", "a\n", vec![((2, 2), (2, 1))]),
            ("", "a\nb", vec![((1, 0), (1, 2))]),
            ("a\nb", "", vec![((1, 2), (1, 0))]),
            ("a\nb", "a\nb\n", vec![((2, 2), (2, 2))]),
            ("a\nb\n", "a\r\nb\r\n", vec![]),
            ("a\nb\n", "a\r\nc\r\n", vec![((2, 2), (2, 2))]),
        ];
        for (old, new, expected) in cases {
            let found: Spans = compared(old.as_bytes(), new.as_bytes())
                .iter()
                .map(|hunk| {
                    (
                        (hunk.old.first, hunk.old.last),
                        (hunk.new.first, hunk.new.last),
                    )
                })
                .collect();
            assert_eq!(found, expected, "{old:?} {new:?}");
        }
        // Mixed line ends are the file's own.
        assert_eq!(compared(b"a\nb\n", b"a\r\nb\n").len(), 1);
        assert_eq!(compared(b"a\r\nb\r\n", b"a\nb\n").len(), 1);
        assert!(is_binary(b"a\0") && !is_binary(b"a"));
    }
}
