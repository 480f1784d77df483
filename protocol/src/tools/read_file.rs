//! `read_file`: the text of one file, of some of its lines, or of a symbol.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find_symbol::FindSymbol;
use crate::answer::freshness::Freshness;
use crate::answer::symbol::SymbolKind;
use crate::answer::{Answer, Format};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::Text;

const EXAMPLES: &str = "\
Examples:
  claudevil read src/main.rs                the whole file
  claudevil read src/main.rs:10-40 -C 3     some lines, and three around them
  claudevil read --symbol Parser::next      a symbol, wherever it is
  claudevil read src/lex.rs --symbol next   the one in this file";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ReadFile {
    #[cfg_attr(feature = "cli", arg(long))]
    pub path: Option<String>,
    /// Show all of it; needs no path.
    #[cfg_attr(feature = "cli", arg(long))]
    pub symbol: Option<String>,
    #[cfg_attr(feature = "cli", arg(long))]
    pub root: Option<String>,
    /// Default 1.
    #[schemars(range(min = 1))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub start_line: Option<u64>,
    /// Inclusive.
    #[schemars(range(min = 1))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub end_line: Option<u64>,
    /// Default 0.
    #[schemars(range(min = 0, max = 100))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub context_lines: Option<u32>,
    /// Default 6000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

impl ReadFile {
    pub const DEFAULT_TOKENS: u32 = 6_000;
    /// However large the budget, an answer shows no more characters than this.
    pub const MOST_CHARACTERS: usize = 20_000;
}

impl Tool for ReadFile {
    type Answer = FileText;

    const INFO: ToolInfo = ToolInfo {
        name: "read_file",
        title: "Read file",
        description: "Text of a file with line numbers: whole, a range with context, or a whole `symbol`.",
        toolset: Toolset::Explore,
        core: true,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "read",
            alias: None,
            about: "Show a file, some of its lines, or a symbol",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!(|_| Self::DEFAULT_TOKENS);

    fn check(&self) -> Result<(), ToolError> {
        check_length("path", self.path.as_deref(), 4096)?;
        check_length("symbol", self.symbol.as_deref(), FindSymbol::LONGEST_NAME)?;
        if self.path.is_none() && self.symbol.is_none() {
            return Err(
                ToolError::invalid_argument("read_file needs `path`, `symbol`, or both")
                    .with_hint("list_files shows which files there are, find_symbol which symbols"),
            );
        }
        if self.symbol.is_some() && (self.start_line.is_some() || self.end_line.is_some()) {
            return Err(ToolError::invalid_argument(
                "`symbol` has its own lines: leave out start_line and end_line",
            )
            .with_hint("context_lines adds lines around a symbol"));
        }
        check_range("start_line", self.start_line, 1..=u64::from(u32::MAX))?;
        check_range("end_line", self.end_line, 1..=u64::from(u32::MAX))?;
        check_range("context_lines", self.context_lines, 0..=100)?;
        match (self.start_line, self.end_line) {
            (Some(start), Some(end)) if start > end => Err(ToolError::invalid_argument(format!(
                "start_line {start} is after end_line {end}"
            ))
            .with_hint("give start_line ≤ end_line, or leave end_line out")),
            _ => Ok(()),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileText {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    /// Of the symbol's place; the text is read from the file for the answer.
    pub freshness: Freshness,
    pub path: String,
    /// The symbol that is shown, when one was asked for.
    pub symbol: Option<ShownSymbol>,
    pub language: Option<String>,
    pub size: u64,
    /// None when the file is too large to be counted.
    pub total_lines: Option<u64>,
    pub start_line: u64,
    /// One less than `start_line` when there is nothing to show.
    pub end_line: u64,
    pub lines: Vec<String>,
    /// The characters of the last line shown, when it alone was too long and was cut.
    pub last_line_cut_from: Option<u64>,
    /// Lines that look as if they held credentials. They are shown as they are on disk.
    pub secrets: Vec<SecretMark>,
    pub truncated: bool,
    /// Where to go on.
    pub next_line: Option<u64>,
    /// The last line that was asked for. None: to an end that is not known.
    pub wanted_end: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownSymbol {
    /// With its containers, as the language writes it.
    pub name: String,
    pub kind: SymbolKind,
    /// Without `context_lines`.
    pub start_line: u32,
    pub end_line: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretMark {
    pub line: u64,
    /// What it looks like, e.g. `private key`.
    pub kind: String,
}

impl Answer for FileText {
    fn items(&self) -> usize {
        self.lines.len()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.lines.len() {
            return;
        }
        self.lines.truncate(items);
        self.end_line = self.start_line + items as u64 - 1;
        self.next_line = Some(self.end_line + 1);
        self.truncated = true;
        self.last_line_cut_from = None;
        self.secrets.retain(|mark| mark.line <= self.end_line);
    }

    fn text(&self) -> Text {
        crate::tools::read_file::text::write(self).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_or_a_symbol_is_needed() {
        let of = |path: Option<&str>, symbol: Option<&str>, start_line| {
            let owned = |text: Option<&str>| text.map(str::to_owned);
            ReadFile {
                path: owned(path),
                symbol: owned(symbol),
                start_line,
                ..ReadFile::default()
            }
            .validate()
            .is_ok()
        };
        assert!(
            of(Some("a.rs"), None, Some(3))
                && of(None, Some("run"), None)
                && of(Some("a.rs"), Some("run"), None)
        );
        assert!(
            !of(None, None, None) && !of(None, Some("run"), Some(3)) && !of(Some(""), None, None)
        );
    }
}
