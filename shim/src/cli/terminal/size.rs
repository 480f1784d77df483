//! The size of the terminal, and the columns that a text takes.

use std::ops::Range;

use claudevil_protocol::text::escape::is_deceptive;

use crate::cli::syntax::{Token, TokenKind};

/// The text shown for a tab.
const TAB: &str = "    ";
/// The sign for text that is cut.
const CUT: char = '…';
const RESET: &str = "\x1b[0m";
const ESCAPE: char = '\x1b';
/// The start of every link, and the end of one.
const LINK: &str = "\x1b]8;;";
const END_OF_LINK: &str = "\x1b]8;;\x1b\\";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub rows: usize,
    pub columns: usize,
}

/// Returns the size of the terminal, if standard output is one and reports it.
#[cfg(unix)]
pub fn output_size() -> Option<Size> {
    let found = rustix::termios::tcgetwinsize(rustix::stdio::stdout()).ok()?;
    let size = Size {
        rows: usize::from(found.ws_row),
        columns: usize::from(found.ws_col),
    };
    (size.rows > 0 && size.columns > 0).then_some(size)
}

#[cfg(not(unix))]
pub fn output_size() -> Option<Size> {
    None
}

/// Returns the columns of a text, which may have colours.
pub fn width(text: &str) -> usize {
    anstream::adapter::strip_str(text)
        .flat_map(str::chars)
        .map(columns)
        .sum()
}

/// Returns the rows that a line takes in a terminal that wraps.
pub fn rows(line: &str, size: Size) -> usize {
    width(line).div_ceil(size.columns).max(1)
}

/// Cuts our own text to a width, and keeps its colours and links.
pub fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    let mut taken = 0;
    let mut is_linked = false;
    let mut left = text;
    while let Some(letter) = left.chars().next() {
        let length = if letter == ESCAPE {
            escape_length(left)
        } else {
            letter.len_utf8()
        };
        let (piece, behind) = left.split_at(length);
        if letter == ESCAPE {
            is_linked = if piece.starts_with(LINK) {
                piece != END_OF_LINK
            } else {
                is_linked
            };
        } else {
            taken += columns(letter);
            if taken >= most {
                break;
            }
        }
        shown.push_str(piece);
        left = behind;
    }
    let end_of_link = if is_linked { END_OF_LINK } else { "" };
    let reset = if shown.contains("\x1b[") { RESET } else { "" };
    format!("{shown}{CUT}{end_of_link}{reset}")
}

/// Returns the length of the escape sequence at the beginning of a text. There are two kinds: links, and colours, which
/// end with their first letter.
fn escape_length(text: &str) -> usize {
    let end = if text.starts_with(LINK) {
        text.find("\x1b\\").map(|at| at + 2)
    } else {
        text.find(|letter: char| letter.is_ascii_alphabetic())
            .map(|at| at + 1)
    };
    end.unwrap_or(text.len())
}

/// Breaks our own text between words where it is wider than a window; all lines but the first are indented.
pub fn wrap(text: &str, most: usize, indent: usize) -> String {
    let mut lines = vec![];
    let mut line = String::new();
    let mut taken = 0;
    for word in text.split_inclusive(' ') {
        let is_blank = word.trim_end().is_empty();
        if taken + width(word.trim_end()) > most && !line.trim_start().is_empty() && !is_blank {
            lines.push(line.trim_end().to_owned());
            line = " ".repeat(indent);
            taken = indent;
        }
        line.push_str(word);
        taken += width(word);
    }
    lines.push(line);
    lines.join("\n")
}

/// The indentation of a detail below its item.
const BELOW: usize = 4;

/// Lays out an item and its detail, on one line if both fit.
pub fn entry(item: &str, beside: &str, columns: Option<usize>) -> Vec<String> {
    if beside.is_empty() {
        return vec![columns.map_or_else(|| item.to_owned(), |columns| wrap(item, columns, BELOW))];
    }
    let whole = format!("{item}  {beside}");
    match columns {
        Some(columns) if width(&whole) > columns => {
            let below = format!("{}{beside}", " ".repeat(BELOW));
            vec![wrap(item, columns, BELOW), wrap(&below, columns, BELOW)]
        }
        _ => vec![whole],
    }
}

/// The role of a piece of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Plain,
    Found,
    Token(TokenKind),
}

/// A line of a file, with what to mark in it. What was found stands out from tokens.
#[derive(Clone, Copy, Debug)]
pub struct CodeLine<'a> {
    pub text: &'a str,
    pub found: &'a [Range<usize>],
    /// In order, without overlaps.
    pub tokens: &'a [Token],
}

impl CodeLine<'_> {
    fn cells(self) -> Vec<Cell> {
        let mut tokens = self.tokens.iter().peekable();
        let marked = self.text.char_indices().map(|(at, letter)| {
            while tokens.next_if(|token| token.range.end <= at).is_some() {}
            let token = tokens.peek().filter(|token| token.range.contains(&at));
            let mark = if is_in(self.found, at) {
                Mark::Found
            } else {
                token.map_or(Mark::Plain, |token| Mark::Token(token.kind))
            };
            Cell::new(letter, mark)
        });
        marked.collect()
    }
}

/// Splits a line of a file into pieces that take at most `most` columns: from the beginning or, if that would hide the first place
/// that was found, around it.
pub fn pieces(line: CodeLine<'_>, most: Option<usize>) -> Vec<(Mark, String)> {
    let cells = line.cells();
    let total: usize = cells.iter().map(|cell| cell.columns).sum();
    let Some(most) = most.filter(|most| total > *most) else {
        return join_cells(&cells, None);
    };
    // The end of the first highlight, in columns.
    let end_of_found = cells.iter().position(Cell::is_found).map_or(0, |first| {
        let length = cells[first..]
            .iter()
            .take_while(|cell| cell.is_found())
            .count();
        cells[..first + length]
            .iter()
            .map(|cell| cell.columns)
            .sum()
    });
    let room = most.saturating_sub(2).max(1);
    let mut from = 0;
    if end_of_found > room {
        let skip = end_of_found.saturating_sub(room - room / 3);
        let mut passed = 0;
        let is_before = |cell: &&Cell| {
            passed += cell.columns;
            passed <= skip
        };
        from = cells.iter().take_while(is_before).count();
    }
    let mut taken = 0;
    let shown = cells[from..].iter().take_while(|cell| {
        taken += cell.columns;
        taken <= room
    });
    let to = from + shown.count();
    join_cells(&cells[from..to], Some((from > 0, to < cells.len())))
}

struct Cell {
    text: String,
    columns: usize,
    mark: Mark,
}

impl Cell {
    fn new(letter: char, mark: Mark) -> Self {
        let text = match letter {
            '\t' => TAB.to_owned(),
            letter if is_deceptive(letter) => letter.escape_default().collect(),
            letter => letter.to_string(),
        };
        let columns = text.chars().map(columns).sum();
        Self {
            text,
            columns,
            mark,
        }
    }

    fn is_found(&self) -> bool {
        self.mark == Mark::Found
    }
}

fn is_in(places: &[Range<usize>], at: usize) -> bool {
    places.iter().any(|place| place.contains(&at))
}

/// Joins neighbouring cells with one mark, with a sign where text is cut before or after them.
fn join_cells(cells: &[Cell], cut: Option<(bool, bool)>) -> Vec<(Mark, String)> {
    let mut pieces: Vec<(Mark, String)> = vec![];
    let mut push = |mark: Mark, text: &str| match pieces.last_mut() {
        Some((last, piece)) if *last == mark => piece.push_str(text),
        _ => pieces.push((mark, text.to_owned())),
    };
    let sign = CUT.to_string();
    if cut.is_some_and(|(before, _)| before) {
        push(Mark::Plain, &sign);
    }
    for cell in cells {
        push(cell.mark, &cell.text);
    }
    if cut.is_some_and(|(_, behind)| behind) {
        push(Mark::Plain, &sign);
    }
    pieces
}

/// Returns the columns of a character; terminals agree about nearly all of them.
fn columns(letter: char) -> usize {
    match u32::from(letter) {
        0..=0x1f | 0x7f..=0x9f | 0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe4f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f900..=0x1f9ff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str, place: Option<Range<usize>>, most: usize) -> String {
        let places: Vec<_> = place.into_iter().collect();
        let line = CodeLine {
            text: line,
            found: &places,
            tokens: &[],
        };
        let pieces = pieces(line, Some(most));
        let text: String = pieces
            .iter()
            .map(|(mark, text)| {
                if *mark == Mark::Found {
                    format!("<{text}>")
                } else {
                    text.clone()
                }
            })
            .collect();
        let plain: String = pieces.iter().map(|(_, text)| text.as_str()).collect();
        assert!(width(&plain) <= most, "{plain} takes more than {most}");
        text
    }

    #[test]
    fn details_without_room_go_below_their_item() {
        let (item, beside) = (
            "src/auth.py:241-283  method Digest.handle_401",
            "calls it on 276, ambiguous",
        );
        assert_eq!(entry(item, beside, Some(80)), [format!("{item}  {beside}")]);
        assert_eq!(entry(item, beside, None), [format!("{item}  {beside}")]);
        assert_eq!(
            entry(item, beside, Some(50)),
            [item.to_owned(), format!("    {beside}")]
        );
        assert_eq!(
            entry(item, beside, Some(30)),
            [
                "src/auth.py:241-283  method\n    Digest.handle_401",
                "    calls it on 276, ambiguous"
            ]
        );
        assert_eq!(entry(item, "", Some(80)), [item]);
    }

    #[test]
    fn a_line_is_cut_around_what_was_found() {
        let line = "let total = items.iter().map(|item| item.price).sum::<u64>();";
        assert_eq!(shown(line, None, 100), line);
        assert_eq!(shown(line, None, 12), "let total …");
        assert_eq!(shown(line, Some(4..9), 20), "let <total> = items.…");
        let at = line.find("price").expect("there");
        let cut = shown(line, Some(at..at + 5), 20);
        assert!(
            cut.starts_with('…') && cut.ends_with('…') && cut.contains("<price>"),
            "{cut}"
        );
        let end = line.len();
        assert!(shown(line, Some(end - 2..end), 20).ends_with("<);>"));
    }

    #[test]
    fn matches_stand_out_from_tokens() {
        let token = |range, kind| Token { range, kind };
        let tokens = [
            token(0..3, TokenKind::Keyword),
            token(8..13, TokenKind::String),
        ];
        for (found, most, expected) in [
            (
                10..12,
                None,
                vec![
                    (Mark::Token(TokenKind::Keyword), "let"),
                    (Mark::Plain, " x = "),
                    (Mark::Token(TokenKind::String), "\"a"),
                    (Mark::Found, "bc"),
                    (Mark::Token(TokenKind::String), "\""),
                    (Mark::Plain, ";"),
                ],
            ),
            (
                0..0,
                Some(6),
                vec![
                    (Mark::Token(TokenKind::Keyword), "let"),
                    (Mark::Plain, " …"),
                ],
            ),
        ] {
            let line = CodeLine {
                text: "let x = \"abc\";",
                found: &[found],
                tokens: &tokens,
            };
            let shown = pieces(line, most);
            let shown: Vec<_> = shown
                .iter()
                .map(|(mark, text)| (*mark, text.as_str()))
                .collect();
            assert_eq!(shown, expected);
        }
    }

    #[test]
    fn wide_letters_tabs_and_controls_count_as_they_are_seen() {
        assert_eq!(width("\x1b[1mab\x1b[0m"), 2);
        assert_eq!(width("日本"), 4);
        assert_eq!(shown("\tfn\x07", None, 80), "    fn\\u{7}");
        assert!(width(&shown(&"日".repeat(50), None, 21)) <= 21);
        assert_eq!(cut("engine  ready", 8), "engine …");
        assert_eq!(cut("\x1b[1mengine\x1b[0m  ready", 4), "\x1b[1meng…\x1b[0m");
        assert_eq!(cut("\x1b[1mengine\x1b[0m", 6), "\x1b[1mengine\x1b[0m");
        let linked = "\x1b]8;;file:///a.rs#7\x1b\\a.rs:7\x1b]8;;\x1b\\  fn run";
        assert_eq!(
            cut(linked, 4),
            "\x1b]8;;file:///a.rs#7\x1b\\a.r…\x1b]8;;\x1b\\"
        );
        assert_eq!(
            cut(linked, 9),
            "\x1b]8;;file:///a.rs#7\x1b\\a.rs:7\x1b]8;;\x1b\\  …"
        );
        assert_eq!(cut(linked, 14), linked);
        assert_eq!(
            rows(
                &"x".repeat(81),
                Size {
                    rows: 24,
                    columns: 80
                }
            ),
            2
        );
        assert_eq!(
            rows(
                "",
                Size {
                    rows: 24,
                    columns: 80
                }
            ),
            1
        );
    }

    #[test]
    fn words_stay_whole_where_a_text_is_broken() {
        let cases = [
            ("all is well", 20, "all is well"),
            ("all is well", 11, "all is well"),
            ("all is well", 8, "all is\n  well"),
            (
                "engine  /home/ada/engine  ready",
                16,
                "engine\n  /home/ada/engine\n  ready",
            ),
            (
                "\x1b[1mall\x1b[0m is well",
                8,
                "\x1b[1mall\x1b[0m is\n  well",
            ),
            ("    indented words", 10, "    indented\n  words"),
        ];
        for (text, most, expected) in cases {
            assert_eq!(wrap(text, most, 2), expected, "{text:?} in {most}");
        }
    }
}
