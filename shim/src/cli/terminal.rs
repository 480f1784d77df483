//! What reaches the terminal: answers on standard output, everything else on standard error.

use std::fmt::Display;
use std::io::{self, BufRead, IsTerminal, Write};
use std::ops::Range;

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use claudevil_protocol::ToolError;
use claudevil_protocol::json;
use claudevil_protocol::model::freshness::Freshness;
use claudevil_protocol::text;
use serde::Serialize;

pub const PLAIN: Style = Style::new();
pub const STRONG: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();
pub const GOOD: Style = AnsiColor::Green.on_default();
pub const WARN: Style = AnsiColor::Yellow.on_default();
pub const BAD: Style = AnsiColor::Red.on_default().bold();
pub const FOUND: Style = AnsiColor::Red.on_default().bold();

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
}

impl Terminal {
    pub fn new(json: bool, color: ColorChoice) -> Self {
        let choice = match color {
            ColorChoice::Auto => None,
            ColorChoice::Always => Some(anstream::ColorChoice::Always),
            ColorChoice::Never => Some(anstream::ColorChoice::Never),
        };
        let out = choice.unwrap_or_else(|| AutoStream::choice(&io::stdout()));
        let err = choice.unwrap_or_else(|| AutoStream::choice(&io::stderr()));
        Self { out: AutoStream::new(io::stdout(), out), err: AutoStream::new(io::stderr(), err), json }
    }

    pub fn line(&mut self, line: impl Display) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }

    /// A line of a file, or a file's name. In a pipe it stays what it is, to the byte; on a terminal what would steer
    /// the terminal is shown instead of obeyed.
    pub fn data(&mut self, prefix: &str, data: &str) -> io::Result<()> {
        if !Self::is_interactive() {
            return writeln!(io::stdout(), "{data}");
        }
        self.line(format_args!("{prefix}{}", harmless(data)))
    }

    /// A line of a file between words of ours, with places in it that stand out. Where nobody looks and no colours are
    /// wanted it stays what it is, to the byte.
    pub fn code(&mut self, prefix: &str, line: &str, places: &[Range<usize>], suffix: &str) -> io::Result<()> {
        let has_colours = self.out.current_choice() != anstream::ColorChoice::Never;
        if !has_colours && !Self::is_interactive() {
            write!(self.out, "{prefix}")?;
            write!(io::stdout(), "{line}")?;
            return writeln!(self.out, "{suffix}");
        }
        let mut shown = String::with_capacity(line.len());
        let mut end = 0;
        for place in places {
            shown.push_str(&harmless(&line[end..place.start]));
            shown.push_str(&paint(FOUND, harmless(&line[place.clone()])));
            end = place.end;
        }
        shown.push_str(&harmless(&line[end..]));
        self.line(format_args!("{prefix}{shown}{suffix}"))
    }

    /// A whole line of a file, or of a diff of one, in a style. Where no colours are wanted and nobody looks it stays what it
    /// is, to the byte.
    pub fn styled(&mut self, style: Style, line: &str) -> io::Result<()> {
        let has_colours = self.out.current_choice() != anstream::ColorChoice::Never;
        if !has_colours && !Self::is_interactive() {
            return writeln!(io::stdout(), "{line}");
        }
        self.line(paint(style, harmless(line)))
    }

    /// The whole answer as JSON, if that was asked for.
    pub fn json(&mut self, answer: &impl Serialize) -> io::Result<()> {
        writeln!(self.out, "{:#}", json::value(answer))
    }

    /// A word to the person beside the answer.
    pub fn note(&mut self, note: impl Display) {
        // Where standard error is closed there is nobody to tell.
        let _ = writeln!(self.err, "{note}");
    }

    /// What an answer may lack.
    pub fn freshness(&mut self, freshness: &Freshness) {
        for line in text::freshness::lines(freshness) {
            self.note(paint(WARN, line));
        }
    }

    pub fn error(&mut self, error: &ToolError) {
        if self.json {
            let _ = self.json(&serde_json::json!({ "error": error }));
            return;
        }
        self.note(format_args!("{} {}", paint(BAD, "error:"), error.message));
        if !error.candidates.is_empty() {
            let candidates = text::one_line(&error.candidates.join(", "));
            self.note(format_args!("{} {candidates}", paint(FAINT, "perhaps:")));
        }
        // A hint that is a call for an agent says nothing to a person.
        if let Some(hint) = error.hint.as_ref().filter(|hint| !hint.contains("{\"")) {
            self.note(format_args!("{} {hint}", paint(FAINT, "hint:")));
        }
    }

    /// Whether somebody is there who can be asked.
    pub fn can_ask() -> bool {
        io::stdin().is_terminal() && Self::is_interactive()
    }

    /// What a person answers to a question, in lower case; nothing where the input ends.
    pub fn asked(question: &str) -> io::Result<Option<String>> {
        write!(io::stderr(), "{question} ")?;
        let mut answer = String::new();
        let length = io::stdin().lock().read_line(&mut answer)?;
        Ok((length > 0).then(|| answer.trim().to_lowercase()))
    }

    /// Whether answers are read by a person.
    pub fn is_interactive() -> bool {
        io::stdout().is_terminal()
    }
}

/// Shows what would steer the terminal.
pub fn harmless(data: &str) -> String {
    data.chars()
        .flat_map(|letter| match letter {
            '\t' => vec!['\t'],
            letter if letter.is_control() => letter.escape_default().collect(),
            letter => vec![letter],
        })
        .collect()
}

/// Text in a style.
pub fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}
