//! One line of text as typed spans.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::quantity::{grouped, noun_for};
use super::{CliCommand, NextCall, leading, one_line};

/// A typed piece of a line. Strings are as in the project; rendering escapes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Span {
    /// Our own words.
    Text(String),
    /// Our own words, less important than the text beside them.
    Detail(String),
    /// A place in a file: `src/engine.rs:12-40`. An empty path is that of the line above: `:50-60`.
    Location {
        path: String,
        start_line: u32,
        end_line: u32,
        column: Option<u32>,
    },
    /// A file or folder: `src/engine.rs`.
    Path(String),
    /// The name of a symbol, a root or a model.
    Name(String),
    /// A signature or another piece of code on one line.
    Code(String),
    /// `1,234`.
    Count(u64),
    /// A call to make next.
    Call(NextCall),
    /// A parameter of the tool that was called: `` `limit` `` for agents, `--limit` for people.
    Parameter(String),
    /// The parameters that name a line of a file: `` `path` and `line` `` for agents, `FILE:LINE` for people.
    PathAndLine,
    /// Advice that is worded differently for agents and for people.
    Either { agents: String, people: String },
    /// A name or a line number that leads to a line of a file which is named nearby: the `12` of `calls at 12`.
    Link {
        shown: String,
        path: String,
        line: u32,
    },
    /// A judgement: a risk of `high`, a complexity of `41`.
    Rated { text: String, rating: Rating },
}

/// A judgement, shown as a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rating {
    Good,
    Warning,
    Bad,
}

/// A line of text. Its `Display` is the plain form for agents, and so is its JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line(Vec<Span>);

impl Line {
    pub const fn new() -> Self {
        Self(vec![])
    }

    pub fn spans(&self) -> &[Span] {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[must_use]
    pub fn span(mut self, span: Span) -> Self {
        self.0.push(span);
        self
    }

    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() {
            return self;
        }
        self.span(Span::Text(text))
    }

    #[must_use]
    pub fn detail(self, text: impl Into<String>) -> Self {
        self.span(Span::Detail(text.into()))
    }

    #[must_use]
    pub fn location(self, path: &str, start_line: u32, end_line: u32) -> Self {
        self.span(Span::Location {
            path: path.to_owned(),
            start_line,
            end_line,
            column: None,
        })
    }

    #[must_use]
    pub fn position(self, path: &str, line: u32, column: u32) -> Self {
        self.span(Span::Location {
            path: path.to_owned(),
            start_line: line,
            end_line: line,
            column: Some(column),
        })
    }

    #[must_use]
    pub fn path(self, path: &str) -> Self {
        self.span(Span::Path(path.to_owned()))
    }

    #[must_use]
    pub fn name(self, name: &str) -> Self {
        self.span(Span::Name(name.to_owned()))
    }

    #[must_use]
    pub fn code(self, code: &str) -> Self {
        self.span(Span::Code(code.to_owned()))
    }

    #[must_use]
    pub fn number(self, number: u64) -> Self {
        self.span(Span::Count(number))
    }

    /// Adds a number and its noun: `1 file`, `2 files`.
    #[must_use]
    pub fn count(self, number: u64, noun: &str) -> Self {
        let noun = noun_for(number, noun);
        self.number(number).text(format!(" {noun}"))
    }

    /// Adds `3 files`, or `1 of 3 files` if only some are shown.
    #[must_use]
    pub fn count_shown(self, shown: u64, total: u64, noun: &str) -> Self {
        if shown == total {
            return self.count(total, noun);
        }
        self.number(shown).text(" of ").count(total, noun)
    }

    /// Adds the part of a list that is shown, for the end of a summary: `; 11-20 shown`. Adds nothing for the whole list.
    #[must_use]
    pub fn page(self, before: u64, shown: u64, remaining: u64) -> Self {
        if before > 0 && shown > 0 {
            let line = self.text("; ").number(before + 1).text("-");
            line.number(before + shown).text(" shown")
        } else if remaining > 0 {
            self.text("; ").number(shown).text(" shown")
        } else {
            self
        }
    }

    #[must_use]
    pub fn link(self, shown: impl Into<String>, path: &str, line: u32) -> Self {
        self.span(Span::Link {
            shown: shown.into(),
            path: path.to_owned(),
            line,
        })
    }

    #[must_use]
    pub fn rated(self, text: impl Into<String>, rating: Rating) -> Self {
        self.span(Span::Rated {
            text: text.into(),
            rating,
        })
    }

    #[must_use]
    pub fn call(self, call: NextCall) -> Self {
        self.span(Span::Call(call))
    }

    #[must_use]
    pub fn parameter(self, name: &str) -> Self {
        self.span(Span::Parameter(name.to_owned()))
    }

    #[must_use]
    pub fn either(self, agents: &str, people: &str) -> Self {
        self.span(Span::Either {
            agents: agents.to_owned(),
            people: people.to_owned(),
        })
    }

    #[must_use]
    pub fn command(self, command: CliCommand) -> Self {
        self.text(command.to_string())
    }

    /// Adds a mode of `search`: `mode literal` for agents, `--literal` for people.
    #[must_use]
    pub fn mode(self, mode: &str) -> Self {
        let people = match mode {
            "literal" | "regex" => format!("`--{mode}`"),
            _ => format!("`--mode {mode}`"),
        };
        self.either(&format!("mode {mode}"), &people)
    }

    /// Adds our own words, in which every word in backticks is a parameter: ``give a lower `limit` ``.
    #[must_use]
    pub fn words(self, text: &'static str) -> Self {
        let parts = text.split('`').enumerate();
        parts.fold(self, |line, (at, part)| {
            if at % 2 == 1 {
                line.parameter(part)
            } else {
                line.text(part)
            }
        })
    }

    /// Adds all spans of another line.
    #[must_use]
    pub fn line(mut self, other: Line) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Joins lines with a separator between them.
    pub fn join(lines: impl IntoIterator<Item = Line>, separator: &str) -> Self {
        lines.into_iter().fold(Self::new(), |joined, line| {
            let joined = if joined.is_empty() {
                joined
            } else {
                joined.text(separator)
            };
            joined.line(line)
        })
    }
}

impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, span) in self.0.iter().enumerate() {
            // A name from the project at the start of a line must not look like one of our own lines.
            let shown = |name: &str| {
                if at == 0 {
                    leading(name)
                } else {
                    one_line(name)
                }
            };
            match span {
                Span::Text(text) | Span::Detail(text) | Span::Rated { text, .. } => {
                    formatter.write_str(text)?;
                }
                Span::Either { agents, .. } => formatter.write_str(agents)?,
                Span::Location {
                    path,
                    start_line,
                    end_line,
                    column,
                } => {
                    write!(formatter, "{}:{start_line}", shown(path))?;
                    match column {
                        Some(column) => write!(formatter, ":{column}")?,
                        None if end_line != start_line => write!(formatter, "-{end_line}")?,
                        None => {}
                    }
                }
                Span::Path(name) | Span::Name(name) | Span::Link { shown: name, .. } => {
                    formatter.write_str(&shown(name))?;
                }
                Span::Code(code) => formatter.write_str(&one_line(code))?,
                Span::Count(number) => formatter.write_str(&grouped(*number))?,
                Span::Call(call) => write!(formatter, "{call}")?,
                Span::Parameter(name) => write!(formatter, "`{name}`")?,
                Span::PathAndLine => formatter.write_str("`path` and `line`")?,
            }
        }
        Ok(())
    }
}

impl PartialEq<&str> for Line {
    #[expect(clippy::cmp_owned, reason = "a line is compared by what it reads as")]
    fn eq(&self, other: &&str) -> bool {
        self.to_string() == *other
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Self {
        Self::new().text(text)
    }
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Self::new().text(text)
    }
}

impl From<NextCall> for Line {
    fn from(call: NextCall) -> Self {
        Self::new().call(call)
    }
}

/// JSON has the plain text; the socket carries the spans, so that a client can render them.
impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.0.serialize(serializer)
        }
    }
}

/// The schema is that of its JSON.
impl JsonSchema for Line {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            String::deserialize(deserializer).map(Self::from)
        } else {
            Vec::deserialize(deserializer).map(Self)
        }
    }
}
