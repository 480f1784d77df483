//! The whole text of an answer, as blocks of lines.

use std::fmt;

use super::{Line, SourceLines, cut_line, fence};

/// The indentation of each level of nested items.
pub const INDENT: &str = "  ";

/// A part of a text, by its purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// The first line: what was asked, and how much was found.
    Summary(Line),
    /// The first line of a call that changed something: its effect.
    Outcome(Line),
    /// A reason to be careful with the answer, such as files that are not indexed yet.
    Warning(Line),
    /// The title of the items below it.
    Heading(Line),
    /// One item of a list, with details beside it.
    Item { item: Line, detail: Line },
    /// An item below a heading or another item; level 1 is indented once.
    Nested {
        level: usize,
        item: Line,
        detail: Line,
    },
    /// A line that belongs to the item above it, such as its signature.
    Below(Line),
    /// Lines of a file.
    Source(SourceLines),
    /// Text that a person wrote, such as a note. A fence separates it from our own text.
    Quote(Vec<String>),
    /// Lines of a unified diff.
    Diff(Vec<String>),
    /// Text of the project, or a diagram, that is written unchanged, with its own fence if it needs one.
    Verbatim(String),
    /// A remark about the answer as a whole.
    Note(Line),
    /// Advice on what to do next, with the call that does it. The last line.
    Next(Line),
}

/// The text of an answer. Its `Display` is the plain form for agents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(pub Vec<Block>);

impl Text {
    pub fn new(summary: impl Into<Line>) -> Self {
        Self(vec![Block::Summary(summary.into())])
    }

    /// Begins the text of a call that changed something.
    pub fn with_outcome(outcome: impl Into<Line>) -> Self {
        Self(vec![Block::Outcome(outcome.into())])
    }

    pub fn warning(&mut self, line: impl Into<Line>) {
        self.0.push(Block::Warning(line.into()));
    }

    /// Adds what the answer may lack.
    pub fn warnings(&mut self, warnings: impl IntoIterator<Item = Line>) {
        self.0.extend(warnings.into_iter().map(Block::Warning));
    }

    pub fn heading(&mut self, line: impl Into<Line>) {
        self.0.push(Block::Heading(line.into()));
    }

    pub fn item(&mut self, item: impl Into<Line>) {
        self.described_item(item, Line::new());
    }

    pub fn described_item(&mut self, item: impl Into<Line>, detail: impl Into<Line>) {
        self.0.push(Block::Item {
            item: item.into(),
            detail: detail.into(),
        });
    }

    pub fn nested(&mut self, level: usize, item: impl Into<Line>, detail: impl Into<Line>) {
        self.0.push(Block::Nested {
            level,
            item: item.into(),
            detail: detail.into(),
        });
    }

    pub fn below(&mut self, line: impl Into<Line>) {
        self.0.push(Block::Below(line.into()));
    }

    /// Adds lines of a file, if there are any.
    pub fn source(&mut self, lines: SourceLines) {
        if !lines.lines.is_empty() {
            self.0.push(Block::Source(lines));
        }
    }

    /// Adds the lines of a text from the project or a note; long ones are cut.
    pub fn quote(&mut self, text: &str) {
        self.0
            .push(Block::Quote(text.lines().map(cut_line).collect()));
    }

    /// Adds a unified diff, if it has any lines.
    pub fn diff(&mut self, lines: Vec<String>) {
        if !lines.is_empty() {
            self.0.push(Block::Diff(lines));
        }
    }

    pub fn verbatim(&mut self, text: impl Into<String>) {
        self.0.push(Block::Verbatim(text.into()));
    }

    pub fn note(&mut self, line: impl Into<Line>) {
        self.0.push(Block::Note(line.into()));
    }

    /// Adds advice on what to do next, if there is any.
    pub fn next(&mut self, line: impl Into<Option<Line>>) {
        self.0.extend(line.into().map(Block::Next));
    }
}

impl fmt::Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, block) in self.0.iter().enumerate() {
            if at > 0 {
                formatter.write_str("\n")?;
            }
            match block {
                Block::Summary(line)
                | Block::Outcome(line)
                | Block::Warning(line)
                | Block::Heading(line)
                | Block::Note(line)
                | Block::Next(line) => write!(formatter, "{line}")?,
                Block::Below(line) => write!(formatter, "  {line}")?,
                Block::Item { item, detail } => write_item(formatter, item, detail)?,
                Block::Nested {
                    level,
                    item,
                    detail,
                } => {
                    write!(formatter, "{}", INDENT.repeat(*level))?;
                    write_item(formatter, item, detail)?;
                }
                Block::Source(lines) => write!(formatter, "{lines}")?,
                Block::Quote(lines) => write_fenced(formatter, "", lines)?,
                Block::Diff(lines) => write_fenced(formatter, "diff", lines)?,
                Block::Verbatim(text) => formatter.write_str(text)?,
            }
        }
        Ok(())
    }
}

fn write_item(formatter: &mut fmt::Formatter<'_>, item: &Line, detail: &Line) -> fmt::Result {
    if detail.is_empty() {
        write!(formatter, "{item}")
    } else {
        write!(formatter, "{item}  {detail}")
    }
}

/// Writes lines in a fence that they cannot close.
fn write_fenced(
    formatter: &mut fmt::Formatter<'_>,
    language: &str,
    lines: &[String],
) -> fmt::Result {
    let fence = fence(lines.iter().map(String::as_str));
    writeln!(formatter, "{fence}{language}")?;
    for line in lines {
        writeln!(formatter, "{}", cut_line(line))?;
    }
    formatter.write_str(&fence)
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(vec![Block::Verbatim(text)])
    }
}
