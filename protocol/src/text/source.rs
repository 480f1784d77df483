//! Lines of a file as an answer shows them: numbered, in a fence that they cannot close.

use std::fmt;

use super::{fence, truncate};

/// Stands between lines that are not neighbours.
pub const GAP: &str = "⋮";

/// Length in characters above which a line is cut, so that it stays readable.
pub const LONGEST_LINE: usize = 1000;

/// Numbered lines of one file, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLines {
    pub lines: Vec<(u32, String)>,
    /// Written after the opening fence: ` ```rust `. Empty for none.
    pub language: String,
    /// Words, in lower case, that are highlighted on a terminal.
    pub highlight: Vec<String>,
    /// The only lines in which words are highlighted. Empty for all lines.
    pub highlight_lines: Vec<u32>,
}

impl SourceLines {
    pub fn new(lines: impl IntoIterator<Item = (u32, String)>) -> Self {
        Self {
            lines: lines.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Returns each line with whether lines are left out before it.
    pub fn with_gaps(&self) -> impl Iterator<Item = (bool, u32, &str)> {
        let mut before: Option<u32> = None;
        self.lines.iter().map(move |(number, line)| {
            let has_gap = before.is_some_and(|before| before.saturating_add(1) != *number);
            before = Some(*number);
            (has_gap, *number, line.as_str())
        })
    }
}

/// The lines in a fence, with a mark where some are left out.
impl fmt::Display for SourceLines {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fence = fence(self.lines.iter().map(|(_, line)| line.as_str()));
        writeln!(formatter, "{fence}{}", self.language)?;
        for (has_gap, number, line) in self.with_gaps() {
            if has_gap {
                writeln!(formatter, "{GAP}")?;
            }
            writeln!(formatter, "{number}\t{line}")?;
        }
        write!(formatter, "{fence}")
    }
}

/// Returns a line as it is shown: without a carriage return, and cut where it is very long.
pub fn cut_line(line: &str) -> String {
    truncate(line.trim_end_matches('\r'), LONGEST_LINE)
}
