//! Separates code from comments, strings and fenced text, and pairs brackets.
//!
//! One pass over the text, by the lexical rules of the language. An unclosed string or comment extends to the end of its line
//! or of the text, and never costs more time.

use regex::Regex;

use super::super::captures::Span;
use super::super::text::{Text, offset};
use crate::lang::{CommentsBegin, FenceClose, Lexis};

/// The most bytes of a line that patterns are matched against: openings are near the start of a line.
pub const LOOK: usize = 512;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Open,
    Close,
    Semicolon,
    Comma,
}

/// A punctuation character of the code.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub at: u32,
    pub sign: Sign,
    /// The index of the closing mark, for an opening bracket that is closed.
    partner: Option<u32>,
    /// The index of the mark that ends a statement which begins here: a `;` at the same depth, or the end of the enclosing
    /// block.
    end: Option<u32>,
}

#[derive(Debug, Default)]
pub struct LexicalSpans {
    pub comments: Vec<Span>,
    /// Strings over several lines and fenced lines, in order.
    pub texts: Vec<Span>,
    /// Strings of one line, in order.
    pub strings: Vec<Span>,
    marks: Vec<Mark>,
}

impl LexicalSpans {
    /// Returns the end of the multi-line string or the fenced lines that begin on a line or directly after it.
    pub fn text_from(&self, line: Span) -> Option<u32> {
        let place = self.texts.partition_point(|text| text.end < line.end);
        self.texts
            .get(place)
            .filter(|text| {
                line.contains(Span {
                    end: text.start,
                    ..**text
                })
            })
            .map(|text| text.end)
    }

    /// Returns the first mark at or after a position, with its index.
    pub fn mark_from(&self, at: u32) -> Option<(usize, Mark)> {
        let place = self.marks.partition_point(|mark| mark.at < at);
        self.marks.get(place).map(|mark| (place, *mark))
    }

    pub fn next(&self, place: usize) -> Option<(usize, Mark)> {
        self.marks.get(place + 1).map(|mark| (place + 1, *mark))
    }

    pub fn partner(&self, mark: Mark) -> Option<Mark> {
        mark.partner
            .and_then(|partner| self.marks.get(partner as usize))
            .copied()
    }

    /// Returns the end of the statement around a mark.
    pub fn statement_end(&self, mark: Mark) -> Option<Mark> {
        mark.end
            .and_then(|end| self.marks.get(end as usize))
            .copied()
    }
}

/// A fence of the language, compiled.
pub struct FencePatterns {
    pub open: Regex,
    pub close: FenceClose,
    /// For `FenceClose::Pattern`.
    pub pattern: Option<Regex>,
}

pub fn lex(lexis: &Lexis, fences: &[FencePatterns], text: &Text<'_>, region: Span) -> LexicalSpans {
    let mut bytes = [Byte::Plain; 256];
    for byte in lexis.brackets.bytes().chain(*b"\n\\;,") {
        bytes[byte as usize] = Byte::Sign;
    }
    let starts = (lexis
        .line_comments
        .into_iter()
        .chain(lexis.strings)
        .chain(lexis.raw_strings)
        .copied())
    .chain(
        (lexis.block_comments.iter())
            .map(|(open, _)| open.as_str())
            .chain(lexis.text_blocks().map(|(open, ..)| open)),
    )
    .filter_map(|token| token.bytes().next());
    for byte in starts {
        bytes[byte as usize] = Byte::Start;
    }
    let source = &text.source[..region.end as usize];
    let mut pass = Lexer {
        lexis,
        fences,
        source,
        bytes,
        at: region.start as usize,
        lexed: LexicalSpans::default(),
    };
    pass.run();
    let mut lexed = pass.lexed;
    pair(&mut lexed.marks);
    lexed
}

/// The class of a byte of code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    Plain,
    /// A token by itself, such as a bracket.
    Sign,
    /// The first byte of a delimiter of comments or strings, or else a token by itself.
    Start,
}

struct Lexer<'a> {
    lexis: &'a Lexis,
    fences: &'a [FencePatterns],
    /// The text up to the end of the region.
    source: &'a str,
    bytes: [Byte; 256],
    at: usize,
    lexed: LexicalSpans,
}

impl Lexer<'_> {
    fn run(&mut self) {
        let source = self.source;
        let bytes = source.as_bytes();
        let mut line = self.at;
        let mut fence = self.fence(line);
        while let Some(byte) = bytes.get(self.at).copied() {
            if self.bytes[byte as usize] == Byte::Plain {
                self.at += 1;
            } else if byte == b'\n' {
                self.at += 1;
                if let Some((opened, from)) = fence.take() {
                    self.hide_fenced(&opened, from);
                }
                line = self.at;
                fence = self.fence(line);
            } else if byte == b'\\' {
                self.at += if bytes.get(self.at + 1) == Some(&b'\n') {
                    1
                } else {
                    2
                };
            } else {
                let began = self.at;
                if self.bytes[byte as usize] != Byte::Start || !self.begun(line) {
                    self.sign(byte);
                }
                // A multi-line token ended on a later line, which cannot open a fence.
                line = bytes[began..self.at]
                    .iter()
                    .rposition(|byte| *byte == b'\n')
                    .map_or(line, |end| began + end + 1);
            }
        }
    }

    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// Consumes the comment or string that begins here; returns false if none does.
    fn begun(&mut self, line: usize) -> bool {
        let lexis = self.lexis;
        if self.comment_may_begin(line) {
            if let Some((open, close)) = lexis
                .block_comments
                .iter()
                .find(|(open, _)| self.rest().starts_with(open))
            {
                let start = self.at;
                let inner = start + open.len();
                let end = self.source[inner..]
                    .find(close)
                    .map_or(self.source.len(), |end| inner + end + close.len());
                self.comment(start, end);
                return true;
            }
            if lexis
                .line_comments
                .iter()
                .any(|open| self.rest().starts_with(open))
            {
                self.comment(self.at, self.line_end(self.at));
                return true;
            }
        }
        if let Some((open, close, escapes)) = lexis
            .text_blocks()
            .find(|(open, ..)| self.rest().starts_with(open))
        {
            let start = self.at + open.len();
            let end = self.text_block_end(start, close, escapes);
            self.at = (end + close.len()).min(self.source.len());
            self.lexed.texts.push(Span {
                start: offset(start),
                end: offset(self.at),
            });
        } else if let Some(quote) = lexis
            .strings
            .iter()
            .find(|quote| self.rest().starts_with(**quote))
        {
            self.string(quote, true);
        } else if let Some(quote) = lexis
            .raw_strings
            .iter()
            .find(|quote| self.rest().starts_with(**quote))
        {
            self.string(quote, false);
        } else {
            return false;
        }
        true
    }

    fn sign(&mut self, byte: u8) {
        let sign = match byte {
            b';' => Some(Sign::Semicolon),
            b',' => Some(Sign::Comma),
            _ => self
                .lexis
                .brackets
                .bytes()
                .position(|bracket| bracket == byte)
                .map(|place| match place % 2 {
                    0 => Sign::Open,
                    _ => Sign::Close,
                }),
        };
        if let Some(sign) = sign {
            self.lexed.marks.push(Mark {
                at: offset(self.at),
                sign,
                partner: None,
                end: None,
            });
        }
        self.at += 1;
    }

    fn comment_may_begin(&self, line: usize) -> bool {
        let before = &self.source.as_bytes()[line..self.at];
        match self.lexis.comments_begin {
            CommentsBegin::Anywhere => true,
            CommentsBegin::AfterSpace => before.last().is_none_or(u8::is_ascii_whitespace),
            // Limits the search in long lines of spaces.
            CommentsBegin::LineStart => {
                before.len() < LOOK && before.iter().all(u8::is_ascii_whitespace)
            }
        }
    }

    fn comment(&mut self, start: usize, end: usize) {
        self.lexed.comments.push(Span {
            start: offset(start),
            end: offset(end),
        });
        self.at = end;
    }

    fn line_end(&self, from: usize) -> usize {
        self.source[from..]
            .find('\n')
            .map_or(self.source.len(), |end| from + end)
    }

    fn string(&mut self, quote: &str, escapes: bool) {
        let start = self.at;
        self.at = self.string_end(start + quote.len(), quote, escapes);
        self.lexed.strings.push(Span {
            start: offset(start),
            end: offset(self.at),
        });
    }

    /// Returns the position after the closing quote, or the end of the line.
    fn string_end(&self, from: usize, quote: &str, escapes: bool) -> usize {
        let bytes = self.source.as_bytes();
        let first = quote.bytes().next();
        let mut at = from;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\n' => return at,
                b'\\' if escapes && bytes.get(at + 1) != Some(&b'\n') => at += 2,
                _ if first.is_none_or(|first| *byte == first)
                    && bytes[at..].starts_with(quote.as_bytes()) =>
                {
                    return at + quote.len();
                }
                _ => at += 1,
            }
        }
        bytes.len()
    }

    fn text_block_end(&self, from: usize, close: &str, escapes: bool) -> usize {
        let bytes = self.source.as_bytes();
        let first = close.bytes().next();
        let mut at = from;
        while at < bytes.len() {
            if first.is_none_or(|first| bytes[at] == first)
                && bytes[at..].starts_with(close.as_bytes())
            {
                return at;
            }
            at += if escapes && bytes[at] == b'\\' { 2 } else { 1 };
        }
        bytes.len()
    }

    /// Returns the fence that a line opens, and the start of that line.
    fn fence(&self, line: usize) -> Option<(Closing, usize)> {
        if self.fences.is_empty() || line >= self.source.len() {
            return None;
        }
        let end = self
            .source
            .floor_char_boundary(self.line_end(line).min(line + LOOK));
        let haystack = self.source[..end].trim_end_matches('\r');
        self.fences.iter().enumerate().find_map(|(place, fence)| {
            let opened = fence.open.captures_at(haystack, line.min(haystack.len()))?;
            let mark = opened
                .name("mark")
                .map(|mark| mark.as_str().to_owned())
                .unwrap_or_default();
            Some((Closing { place, mark }, line))
        })
    }

    /// Hides lines up to the end of the fence.
    fn hide_fenced(&mut self, closing: &Closing, opened: usize) {
        let fence = &self.fences[closing.place];
        let indent = indent(&self.source[opened..]);
        let start = self.at;
        while self.at < self.source.len() {
            let end = (self.line_end(self.at) + 1).min(self.source.len());
            let line = &self.source[self.at..end];
            let clipped = line[..line.floor_char_boundary(LOOK)].trim_end_matches(['\n', '\r']);
            let (closed, own) = match &fence.close {
                FenceClose::Mark => (closing.is_met(clipped), true),
                FenceClose::Pattern(_) => (
                    fence
                        .pattern
                        .as_ref()
                        .is_none_or(|pattern| pattern.is_match(clipped)),
                    true,
                ),
                FenceClose::Indent => (
                    !clipped.trim().is_empty() && self::indent(line) <= indent,
                    false,
                ),
            };
            if closed && !own {
                break;
            }
            self.at = end;
            if closed {
                break;
            }
        }
        self.lexed.texts.push(Span {
            start: offset(start),
            end: offset(self.at),
        });
    }
}

struct Closing {
    /// The index of the fence.
    place: usize,
    mark: String,
}

impl Closing {
    fn is_met(&self, line: &str) -> bool {
        let sign = self.mark.chars().next_back();
        line.trim()
            .strip_prefix(&self.mark)
            .is_some_and(|more| more.chars().all(|one| Some(one) == sign))
    }
}

/// Returns the indentation of a line, in bytes.
pub fn indent(line: &str) -> usize {
    line.bytes()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

/// Pairs brackets, and finds for each mark the end of its statement.
fn pair(marks: &mut [Mark]) {
    let mut open = vec![];
    for place in 0..marks.len() {
        match marks[place].sign {
            Sign::Open => open.push(place),
            Sign::Close => {
                if let Some(opened) = open.pop() {
                    marks[opened].partner = Some(offset(place));
                }
            }
            Sign::Semicolon | Sign::Comma => {}
        }
    }
    for place in (0..marks.len()).rev() {
        let beyond = match marks[place].sign {
            Sign::Semicolon | Sign::Close => {
                marks[place].end = Some(offset(place));
                continue;
            }
            Sign::Comma => Some(place + 1),
            Sign::Open => marks[place].partner.map(|partner| partner as usize + 1),
        };
        marks[place].end = beyond
            .and_then(|beyond| marks.get(beyond))
            .and_then(|mark| mark.end);
    }
}
