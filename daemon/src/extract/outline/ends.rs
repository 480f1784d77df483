//! Finds the ends of symbols in outlines.
//!
//! One pass over the text prepares the lookups, so that every file takes linear time.

use super::super::captures::Span;
use super::super::text::{Text, offset};
use super::RuleMatch;
use super::lexer::{LexicalSpans, Mark, Sign, indent};
use crate::lang::{End, OutlineRule, conventions};

/// Returns the end of each match, and the start of its body if that is known.
pub fn ends(
    found: &[RuleMatch],
    rules: &[OutlineRule],
    lines: &Lines,
    lexed: &LexicalSpans,
    text: &Text<'_>,
) -> Vec<(u32, Option<u32>)> {
    let next = next_ends(found, rules, lines);
    let opening: Vec<u32> = found.iter().map(|one| one.line).collect();
    let beside = found.iter().skip(1).map(Some).chain([None]);
    found
        .iter()
        .zip(next)
        .zip(beside)
        .map(|((one, next), beside)| match rules[one.rule].end {
            End::Line => match beside.filter(|beside| beside.line == one.line) {
                Some(beside) => (beside.start, None),
                None => (line_end(one, lexed, text), None),
            },
            End::Next => (
                next.map_or_else(|| lines.region.end, |line| end_of(line, text)),
                None,
            ),
            End::Bracket => bracket_end(one, lexed, text),
            End::Value => value_end(one, lexed, text),
            End::Indent => (
                end_of(lines.indented_until(one.line, &opening, text), text),
                None,
            ),
            End::Semicolon => (semicolon_end(one, lines, lexed, text), None),
        })
        .map(|(end, body)| (end.min(lines.region.end), body))
        .collect()
}

/// Returns the last line with content before the next match of the same or a higher level, for rules with [`End::Next`].
fn next_ends(found: &[RuleMatch], rules: &[OutlineRule], lines: &Lines) -> Vec<Option<u32>> {
    let mut ends = vec![None; found.len()];
    let mut open: Vec<usize> = vec![];
    for (place, one) in found
        .iter()
        .enumerate()
        .filter(|(_, one)| rules[one.rule].end == End::Next)
    {
        while let Some(last) = open.pop_if(|last| found[*last].level >= one.level) {
            ends[last] = Some(lines.content_before(one.line).max(found[last].line));
        }
        open.push(place);
    }
    for place in open {
        ends[place] = lines
            .content
            .last()
            .map(|last| *last.max(&found[place].line));
    }
    ends
}

fn bracket_end(one: &RuleMatch, lexed: &LexicalSpans, text: &Text<'_>) -> (u32, Option<u32>) {
    let line_end = end_of(one.line, text);
    // The bracket may stand alone on the next line.
    let alone = text.line(one.line + 1).trim_start().starts_with('{');
    let until = if alone {
        text.line_start(one.line + 2)
    } else {
        line_end
    };
    // A pattern that ends with a brace matches the opening brace itself.
    let last = one.end.saturating_sub(1);
    let from = if is_brace(text, last) {
        last
    } else {
        one.start
    };
    let mut mark = lexed.mark_from(from);
    while let Some((place, at)) = mark.filter(|(_, mark)| mark.at < until) {
        match at.sign {
            Sign::Open => return closed(at, line_end, lexed, text),
            Sign::Comma => mark = lexed.next(place),
            Sign::Semicolon | Sign::Close => return (at.at.max(one.end), None),
        }
    }
    (line_end, None)
}

/// Returns the end of the bracketed value, or else of the value on its line.
fn value_end(one: &RuleMatch, lexed: &LexicalSpans, text: &Text<'_>) -> (u32, Option<u32>) {
    let line_end = line_end(one, lexed, text);
    match lexed
        .mark_from(one.end)
        .map(|(_, mark)| mark)
        .filter(|mark| mark.at < line_end)
    {
        Some(mark) if mark.sign == Sign::Open => closed(mark, line_end, lexed, text),
        Some(mark) => (mark.at, None),
        None => (line_end, None),
    }
}

/// Returns the position after the closing bracket, and the start of a body in braces.
fn closed(open: Mark, line_end: u32, lexed: &LexicalSpans, text: &Text<'_>) -> (u32, Option<u32>) {
    let body = is_brace(text, open.at).then_some(open.at);
    (
        lexed.partner(open).map_or(line_end, |close| close.at + 1),
        body,
    )
}

fn is_brace(text: &Text<'_>, at: u32) -> bool {
    text.source.as_bytes().get(at as usize) == Some(&b'{')
}

/// Returns the end of its line, or of the multi-line string that begins on it.
fn line_end(one: &RuleMatch, lexed: &LexicalSpans, text: &Text<'_>) -> u32 {
    let line = Span {
        start: one.start,
        end: text.line_start(one.line + 1),
    };
    let end = end_of(one.line, text);
    match lexed.text_from(line) {
        Some(until) if until > line.end => end_of(text.line_at(until.saturating_sub(1)), text),
        _ => end,
    }
}

fn semicolon_end(one: &RuleMatch, lines: &Lines, lexed: &LexicalSpans, text: &Text<'_>) -> u32 {
    let begun = lexed.mark_from(one.start).map(|(_, mark)| mark);
    match begun.and_then(|mark| lexed.statement_end(mark)) {
        Some(Mark {
            at,
            sign: Sign::Semicolon,
            ..
        }) => at + 1,
        // The enclosing block ends before any semicolon; the line of its closing bracket belongs to that block.
        Some(mark) => end_of(
            lines.content_before(text.line_at(mark.at)).max(one.line),
            text,
        ),
        None => end_of(one.line, text),
    }
}

/// The lines of a region, classified for finding ends.
pub struct Lines {
    region: Span,
    /// Lines that are neither blank nor comments.
    content: Vec<u32>,
    depths: Vec<usize>,
    /// For each line of `content`, the index of the next one that is not indented further.
    dedents: Vec<usize>,
}

impl Lines {
    pub fn new(text: &Text<'_>, region: Span, comments: &[Span]) -> Self {
        let mut lines = Self {
            region,
            content: vec![],
            depths: vec![],
            dedents: vec![],
        };
        let mut comments = comments.iter().peekable();
        let last = text.line_at(region.end.saturating_sub(1).max(region.start));
        for number in text.line_at(region.start)..=last.min(text.line_count()) {
            let line = text.line(number);
            let inner = line.trim_start();
            if inner.is_empty() {
                continue;
            }
            let begins = text.line_start(number) + offset(line.len() - inner.len());
            while comments.next_if(|comment| comment.end <= begins).is_some() {}
            if comments
                .peek()
                .is_some_and(|comment| comment.start <= begins)
            {
                continue;
            }
            lines.content.push(number);
            // A YAML list item belongs to the key above it, even if it is not indented further.
            lines.depths.push(
                indent(line) * 2 + usize::from(inner.starts_with("- ") || inner.trim_end() == "-"),
            );
        }
        lines.dedents = vec![lines.content.len(); lines.content.len()];
        let mut open: Vec<usize> = vec![];
        for place in 0..lines.content.len() {
            while let Some(deeper) =
                open.pop_if(|deeper| lines.depths[*deeper] >= lines.depths[place])
            {
                lines.dedents[deeper] = place;
            }
            open.push(place);
        }
        lines
    }

    fn place(&self, line: u32) -> usize {
        self.content.partition_point(|one| *one < line)
    }

    /// Returns the last line with content before a line; 0 if there is none.
    fn content_before(&self, line: u32) -> u32 {
        self.place(line)
            .checked_sub(1)
            .map_or(0, |before| self.content[before])
    }

    /// Returns the last line that belongs to a line by indentation. `opening` are the sorted lines that open symbols.
    fn indented_until(&self, line: u32, opening: &[u32], text: &Text<'_>) -> u32 {
        let place = self.place(line);
        if self.content.get(place) != Some(&line) {
            return line;
        }
        let dedent = self.dedents[place];
        let closes = |next: u32| {
            let inner = text.line(next).trim_start();
            let signs = ["}", "]", ")", "</", "{/", "''"];
            (signs.iter().any(|sign| inner.starts_with(sign)) || ends_word(inner, text.line(line)))
                && opening.binary_search(&next).is_err()
        };
        match self.content.get(dedent) {
            Some(next) if self.depths[dedent] == self.depths[place] && closes(*next) => *next,
            _ => self.content[dedent - 1],
        }
    }
}

/// Returns whether a line begins with `end` and the first word of another: `endif` for `if`.
fn ends_word(line: &str, opening: &str) -> bool {
    let word = |line: &str| {
        line.trim_start()
            .bytes()
            .take_while(u8::is_ascii_alphabetic)
            .count()
    };
    let (ending, opening) = (&line[..word(line)], opening.trim_start());
    let opening = &opening[..word(opening)];
    ending.len() == opening.len() + conventions::END.len()
        && ending[..3].eq_ignore_ascii_case(conventions::END)
        && ending[3..].eq_ignore_ascii_case(opening)
}

/// Returns the end of a line, without the white space at its end.
fn end_of(line: u32, text: &Text<'_>) -> u32 {
    text.line_start(line) + offset(text.line(line).trim_end().len())
}
