//! Output of all commands: answers on standard output, everything else on standard error.
//!
//! For a person at a terminal answers are more than text: places are links, rows are cut to the width of the window, and
//! what fills more than the window goes through a pager. In a pipe they are text, to the byte.

pub mod links;
pub mod pager;
pub mod size;

use std::fmt::Display;
use std::io::{self, BufRead, IsTerminal, Write};
use std::ops::Range;

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use claudevil_protocol::ToolError;
use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::json;
use claudevil_protocol::text;
use claudevil_protocol::text::escape::{escape, is_deceptive};
use serde::Serialize;

pub use links::LinkChoice;
use links::Links;
use pager::{Pager, PagerWrite};
pub use size::CodeLine;
use size::Mark;

use super::syntax::{Lexer, TokenKind};

pub const PLAIN: Style = Style::new();
pub const STRONG: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();
pub const GOOD: Style = AnsiColor::Green.on_default();
pub const WARN: Style = AnsiColor::Yellow.on_default();
pub const BAD: Style = AnsiColor::Red.on_default().bold();
pub const FOUND: Style = AnsiColor::Red.on_default().bold();

const COMMENT: Style = Style::new().dimmed();
const TEXT: Style = AnsiColor::Green.on_default();
const NUMBER: Style = AnsiColor::Cyan.on_default();
const KEYWORD: Style = AnsiColor::Magenta.on_default();

/// Minimum width at which a line of code shows anything useful.
const NARROWEST: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    Always,
    Never,
}

pub struct Terminal {
    out: AutoStream<io::Stdout>,
    err: AutoStream<io::Stderr>,
    pub json: bool,
    links: Links,
    /// The path of the location that was shown last.
    path_above: String,
    /// The width of the window, where there is one.
    columns: Option<usize>,
    may_page: bool,
    /// Present while an answer may go to a pager.
    pager: Option<Pager>,
}

/// The options of the command line for how answers are shown.
#[derive(Clone, Copy, Debug)]
pub struct OutputOptions {
    pub json: bool,
    pub color: ColorChoice,
    pub links: LinkChoice,
    pub no_pager: bool,
}

impl Terminal {
    pub fn new(options: OutputOptions) -> Self {
        let choice = match options.color {
            ColorChoice::Auto => None,
            ColorChoice::Always => Some(anstream::ColorChoice::Always),
            ColorChoice::Never => Some(anstream::ColorChoice::Never),
        };
        let out = choice.unwrap_or_else(|| AutoStream::choice(&io::stdout()));
        let err = choice.unwrap_or_else(|| AutoStream::choice(&io::stderr()));
        let is_seen = Self::is_interactive() && !options.json;
        Self {
            out: AutoStream::new(io::stdout(), out),
            err: AutoStream::new(io::stderr(), err),
            json: options.json,
            links: Links::new(
                if options.json {
                    LinkChoice::Never
                } else {
                    options.links
                },
                is_seen,
            ),
            path_above: String::new(),
            columns: size::output_size()
                .filter(|_| is_seen)
                .map(|size| size.columns),
            may_page: is_seen && !options.no_pager,
            pager: None,
        }
    }

    /// Sends long answers through a pager from here on.
    pub fn page(&mut self) {
        if self.may_page {
            self.pager = Pager::new();
        }
    }

    /// Ends the answer: prints the text that was held back, or waits until the person leaves the pager.
    pub fn finish(&mut self) -> io::Result<()> {
        let Some(pager) = self.pager.take() else {
            return Ok(());
        };
        let held = pager.finish()?;
        write!(self.out, "{held}")
    }

    pub fn line(&mut self, line: impl Display) -> io::Result<()> {
        self.emit(&format!("{line}\n"))
    }

    /// Prints a row of a list, in a window cut to one line.
    pub fn row(&mut self, row: impl Display) -> io::Result<()> {
        let mut row = row.to_string();
        if let Some(columns) = self.columns {
            row = size::cut(&row, columns);
        }
        self.emit(&format!("{row}\n"))
    }

    /// Prints an item of a list with its detail, which goes below the item in a window without room beside it. Nothing
    /// is cut.
    pub fn entry(&mut self, item: impl Display, beside: impl Display) -> io::Result<()> {
        for line in size::entry(&item.to_string(), &beside.to_string(), self.columns) {
            self.line(line)?;
        }
        Ok(())
    }

    /// Prints a line without cutting it: in a window it is broken between words, and its other lines are indented.
    pub fn paragraph(&mut self, indent: usize, text: impl Display) -> io::Result<()> {
        let text = text.to_string();
        let text = self.columns.map_or_else(
            || text.clone(),
            |columns| size::wrap(&text, columns, indent),
        );
        self.line(text)
    }

    /// Draws lines in place of those drawn before, cut to the window. Returns their number.
    pub fn redraw(&mut self, above: usize, lines: &[String]) -> io::Result<usize> {
        let size = size::output_size().unwrap_or(size::Size {
            rows: 24,
            columns: 80,
        });
        let most = size.rows.saturating_sub(1).max(1);
        let shown = if lines.len() > most {
            most - 1
        } else {
            lines.len()
        };
        if above > 0 {
            write!(self.out, "\x1b[{above}A")?;
        }
        write!(self.out, "\r\x1b[J")?;
        for line in &lines[..shown] {
            writeln!(self.out, "{}", size::cut(line, size.columns))?;
        }
        let left_out = lines.len() - shown;
        if left_out > 0 {
            writeln!(
                self.out,
                "{}",
                paint(
                    FAINT,
                    format_args!("{left_out} more lines than the window holds")
                )
            )?;
        }
        self.out.flush()?;
        Ok(shown + usize::from(left_out > 0))
    }

    /// Shows the cursor, or hides it while something is redrawn.
    pub fn cursor(&mut self, is_shown: bool) -> io::Result<()> {
        write!(self.out, "\x1b[?25{}", if is_shown { 'h' } else { 'l' })?;
        self.out.flush()
    }

    /// Prints a line of a file, or a file's name. In a pipe it is unchanged, to the byte; on a terminal, control
    /// characters are shown instead of obeyed.
    pub fn data(&mut self, prefix: &str, data: &str) -> io::Result<()> {
        if !Self::is_interactive() {
            return writeln!(io::stdout(), "{data}");
        }
        self.emit(&format!("{prefix}{}\n", escape_untrusted(data)))
    }

    /// Returns the lexer for the code of a file, if there are colours to show its tokens in.
    pub fn lexer(&self, path: &str) -> Option<Lexer> {
        self.has_colours().then(|| Lexer::for_path(path)).flatten()
    }

    /// Prints a line of a file between our own words, with its marks. In a pipe without colours it is unchanged, byte for byte;
    /// in a window it is cut to the width.
    pub fn code(&mut self, prefix: &str, line: CodeLine<'_>, suffix: &str) -> io::Result<()> {
        if !self.has_colours() && !Self::is_interactive() {
            write!(self.out, "{prefix}")?;
            write!(io::stdout(), "{}", line.text)?;
            return writeln!(self.out, "{suffix}");
        }
        let room = self
            .columns
            .map(|columns| room(columns, size::width(prefix), size::width(suffix)));
        let suffix = if room.is_some_and(|room| !room.has_suffix) {
            ""
        } else {
            suffix
        };
        let shown = painted(line, room.map(|room| room.columns));
        self.emit(&format!("{prefix}{shown}{suffix}\n"))
    }

    /// Prints one line from the middle of a file.
    pub fn single_line(
        &mut self,
        prefix: &str,
        path: &str,
        text: &str,
        found: &[Range<usize>],
    ) -> io::Result<()> {
        let tokens = self.lexer(path).map_or_else(Vec::new, |mut lexer| {
            lexer.begin([text]);
            lexer.line(text)
        });
        let tokens = tokens.as_slice();
        let line = CodeLine {
            text,
            found,
            tokens,
        };
        self.code(prefix, line, "")
    }

    /// Prints a line of a file as [`Self::data`] does, with its tokens in colours.
    pub fn whole_code(&mut self, prefix: &str, line: CodeLine<'_>) -> io::Result<()> {
        if !Self::is_interactive() || !self.has_colours() {
            return self.data(prefix, line.text);
        }
        let shown = painted(line, None);
        self.emit(&format!("{prefix}{shown}\n"))
    }

    /// Prints a whole line of a file, or of a diff of one, in a style. In a pipe without colours it is unchanged, to
    /// the byte.
    pub fn styled(&mut self, style: Style, line: &str) -> io::Result<()> {
        if !self.has_colours() && !Self::is_interactive() {
            return writeln!(io::stdout(), "{line}");
        }
        self.emit(&format!("{}\n", paint(style, escape_untrusted(line))))
    }

    fn has_colours(&self) -> bool {
        self.out.current_choice() != anstream::ColorChoice::Never
    }

    /// Sends whole lines of the answer to the screen or the pager.
    fn emit(&mut self, text: &str) -> io::Result<()> {
        let text = escape_invisible(text);
        let Some(pager) = &mut self.pager else {
            return write!(self.out, "{text}");
        };
        let text = if self.out.current_choice() == anstream::ColorChoice::Never {
            // Links and colours: a terminal that wants neither gets neither.
            anstream::adapter::strip_str(&text).to_string()
        } else {
            text
        };
        match pager.take(&text)? {
            PagerWrite::Accepted => Ok(()),
            PagerWrite::Returned(held) => {
                self.pager = None;
                write!(self.out, "{held}")
            }
        }
    }

    /// Prints the whole answer as JSON.
    pub fn json(&mut self, answer: &impl Serialize) -> io::Result<()> {
        writeln!(self.out, "{:#}", json::value(answer))
    }

    /// Prints a line on standard error, beside the answer.
    pub fn note(&mut self, note: impl Display) {
        // With a pager, a note would be seen too early or not at all.
        if self.pager.is_some() && io::stderr().is_terminal() {
            let _ = self.emit(&format!("{note}\n"));
            return;
        }
        // A closed standard error is ignored.
        let _ = writeln!(self.err, "{}", escape_invisible(&note.to_string()));
    }

    /// Makes links lead to files of this project from here on.
    pub fn links_to(&mut self, root: &str) {
        self.links.set_project(root);
    }

    /// Returns the path of a location; an empty one is that of the location before it.
    pub fn path_or_above(&mut self, path: &str) -> String {
        if !path.is_empty() {
            path.clone_into(&mut self.path_above);
        }
        self.path_above.clone()
    }

    pub fn link(&mut self, path: &str, line: u32, shown: &str) -> String {
        self.links.link(path, line, shown)
    }

    /// Makes links lead to files of this root, and prints the warnings of an answer.
    pub fn about(&mut self, root: &str, freshness: &Freshness) {
        self.links.set_project(root);
        self.freshness(freshness);
    }

    /// Prints the warnings of an answer.
    pub fn freshness(&mut self, freshness: &Freshness) {
        for line in freshness.warnings() {
            self.remark("", WARN, &line);
        }
    }

    pub fn error(&mut self, error: &ToolError) {
        if self.json {
            let _ = self.json(&serde_json::json!({ "error": error }));
            return;
        }
        // Its line breaks are ours; names in it are data, and escaped.
        let message = self
            .render_line("", &error.message)
            .lines()
            .map(escape_untrusted)
            .collect::<Vec<_>>()
            .join("\n");
        let code = paint(FAINT, format_args!("[{}]", error.code));
        self.note(format_args!("{} {message} {code}", paint(BAD, "error:")));
        if !error.candidates.is_empty() {
            let candidates = text::one_line(&error.candidates.join(", "));
            self.note(format_args!("{} {candidates}", paint(FAINT, "perhaps:")));
        }
        if let Some(hint) = &error.hint {
            let hint = self.render_line("", hint);
            self.note(format_args!("{} {hint}", paint(FAINT, "hint:")));
        }
    }

    /// Returns whether a person is there to be asked.
    pub fn can_ask() -> bool {
        io::stdin().is_terminal() && Self::is_interactive()
    }

    /// Asks a person. Returns the reply in lower case, or `None` where the input ends.
    pub fn prompt(question: &str) -> io::Result<Option<String>> {
        write!(io::stderr(), "{question} ")?;
        let mut answer = String::new();
        let length = io::stdin().lock().read_line(&mut answer)?;
        Ok((length > 0).then(|| answer.trim().to_lowercase()))
    }

    /// Returns whether standard output is a terminal.
    pub fn is_interactive() -> bool {
        io::stdout().is_terminal()
    }
}

/// Returns a line of a file in colours, cut to a width.
fn painted(line: CodeLine<'_>, columns: Option<usize>) -> String {
    let painted = size::pieces(line, columns)
        .into_iter()
        .map(|(mark, piece)| match mark {
            Mark::Plain => piece,
            Mark::Found => paint(FOUND, piece),
            Mark::Token(TokenKind::Comment) => paint(COMMENT, piece),
            Mark::Token(TokenKind::String) => paint(TEXT, piece),
            Mark::Token(TokenKind::Number) => paint(NUMBER, piece),
            Mark::Token(TokenKind::Keyword) => paint(KEYWORD, piece),
        });
    painted.collect()
}

/// The room for a line of a file in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Room {
    columns: usize,
    has_suffix: bool,
}

/// Divides a window's width between a line and the words around it. The words after it are dropped first; if not even the words
/// before it leave enough, the line gets another row.
fn room(columns: usize, prefix: usize, suffix: usize) -> Room {
    let room = columns.saturating_sub(prefix + suffix);
    if room >= NARROWEST {
        return Room {
            columns: room,
            has_suffix: true,
        };
    }
    let rows = (prefix + NARROWEST).div_ceil(columns.max(1));
    Room {
        columns: rows * columns - prefix,
        has_suffix: suffix == 0,
    }
}

/// Escapes characters that would control the terminal, or make a line look other than it is. Tabs stay.
pub fn escape_untrusted(data: &str) -> String {
    data.split('\t').map(escape).collect::<Vec<_>>().join("\t")
}

/// Escapes invisible characters in our own text, but keeps the control characters of its colours and links.
fn escape_invisible(text: &str) -> String {
    let is_hidden = |letter: char| is_deceptive(letter) && !letter.is_control();
    let parts = text
        .split_inclusive(is_hidden)
        .map(|part| match part.char_indices().next_back() {
            Some((at, letter)) if is_hidden(letter) => {
                format!("{}{}", &part[..at], letter.escape_default())
            }
            _ => part.to_owned(),
        });
    parts.collect()
}

/// Puts a text in a style.
pub fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_ours_keep_their_colours_and_hide_nothing() {
        let line = paint(GOOD, "a\u{202e}b\tc");
        assert_eq!(escape_invisible(&line), paint(GOOD, "a\\u{202e}b\tc"));
        assert_eq!(
            escape_untrusted("a\tb\u{1b}[2J\u{200b}"),
            "a\tb\\u{1b}[2J\\u{200b}"
        );
    }

    #[test]
    fn the_suffix_is_dropped_before_the_line_is_cut() {
        for (columns, prefix, suffix, room_of_line, has_suffix) in [
            (80, 10, 20, 50, true),
            (80, 10, 0, 70, true),
            (40, 20, 20, 20, false),
            (40, 24, 0, 16, true),
            (40, 30, 0, 50, true),
            (40, 30, 9, 50, false),
            (10, 30, 9, 20, false),
        ] {
            let room = room(columns, prefix, suffix);
            assert_eq!(
                room,
                Room {
                    columns: room_of_line,
                    has_suffix
                },
                "{prefix} and {suffix} in {columns}"
            );
        }
    }
}
