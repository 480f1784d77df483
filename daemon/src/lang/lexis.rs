//! The part of a definition that needs no grammar: comments, strings, and patterns of lines.

use claudevil_protocol::answer::symbol::SymbolKind;
use serde::Deserialize;

use super::words::{Words, leaked};

/// A line that opens a symbol, in a language without a grammar.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutlineRule {
    /// A regular expression for single lines. The group `name` is the symbol's name, the group `container` the symbol
    /// that it belongs to, and the length of the group `level` its depth: `^(?<level>#+)[ \t]+(?<name>.+)`.
    #[serde(deserialize_with = "leaked")]
    pub pattern: &'static str,
    /// The symbol's kind: `section` for `## Usage`. None for a line that is not a symbol, but counts as a level around others:
    /// `- name: build` in YAML.
    pub kind: Option<SymbolKind>,
    /// The end of the symbol: `bracket` for `message Order {`.
    pub end: End,
    /// The depth, where no group gives it: 1 for a heading that is underlined with `===`.
    pub level: Option<u32>,
    /// A regular expression for the next line: `^=+[ \t]*$` under a Markdown heading.
    pub under: Option<String>,
    /// The kind that the symbol around it must have: `enum` for the values of a GraphQL `enum`.
    pub within: Option<SymbolKind>,
}

/// The end of a symbol that a line opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The end of its line: `FROM rust:1 AS build`.
    Line,
    /// Before the next symbol of the same or a higher level: a Markdown heading.
    Next,
    /// The bracket that closes the first one opened on its line, or the end of the line: `message Order {`.
    Bracket,
    /// The end of the value: its brackets, or the text before a `,` or `;` on its line: `"name": "x",`.
    Value,
    /// Before the next line that is not further indented, unless that line only closes the symbol: a YAML key.
    Indent,
    /// The `;` or the block that ends its statement: `CREATE TABLE a (…);`.
    Semicolon,
}

/// Comments and strings, so that their contents are not taken for structure. In a language with a grammar, they are only used
/// to find the words that are in comments and strings.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Lexis {
    /// Beginnings of comments that end with their line: `//`.
    pub line_comments: Words,
    /// Beginnings and ends of other comments: `/*`, `*/`.
    pub block_comments: Vec<(String, String)>,
    /// The positions at which line comments begin: `after_space` for `a: 1 # one`.
    pub comments_begin: CommentsBegin,
    /// Quotes of strings that end on their line and in which a backslash escapes: `"`.
    pub strings: Words,
    /// Quotes of strings that end on their line and in which a backslash is a backslash: `'` in TOML.
    pub raw_strings: Words,
    /// Beginnings and ends of strings over several lines in which a backslash escapes: `"""`, `"""`.
    pub text_blocks: Vec<(String, String)>,
    /// The same for strings in which a backslash is a backslash: `` ` `` in Go.
    pub raw_text_blocks: Vec<(String, String)>,
    /// Blocks of lines in another language or format: a fenced block in Markdown, from `~~~` to `~~~`.
    pub fence: Vec<Fence>,
    /// Pairs of an opening and a closing bracket: `{}[]()`.
    #[serde(deserialize_with = "leaked")]
    pub brackets: &'static str,
    /// The number of levels of symbols that are kept: 2 for JSON.
    pub depth: Option<u32>,
}

impl Lexis {
    /// Returns the beginnings and ends of strings over several lines, and whether a backslash escapes in them.
    pub fn text_blocks(&self) -> impl Iterator<Item = (&str, &str, bool)> {
        let raw = self.raw_text_blocks.iter().map(|block| (block, false));
        let blocks = self.text_blocks.iter().map(|block| (block, true));
        raw.chain(blocks)
            .map(|((open, close), escapes)| (open.as_str(), close.as_str(), escapes))
    }
}

impl Default for Lexis {
    fn default() -> Self {
        Self {
            line_comments: Words::default(),
            block_comments: vec![],
            comments_begin: CommentsBegin::Anywhere,
            strings: Words::default(),
            raw_strings: Words::default(),
            text_blocks: vec![],
            raw_text_blocks: vec![],
            fence: vec![],
            brackets: "{}[]()",
            depth: None,
        }
    }
}

/// The positions in a line at which a comment can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommentsBegin {
    /// After anything: `//` in `open();// again`.
    Anywhere,
    /// After white space or at the start of a line: `a#b` in YAML has no comment.
    AfterSpace,
    /// With nothing but white space before it: `#` in a Dockerfile.
    LineStart,
}

/// A block of lines that are ignored, after the line that opens it.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fence {
    /// A regular expression for the opening line: `^(?<mark>~{3,})`.
    #[serde(deserialize_with = "leaked")]
    pub open: &'static str,
    /// The end of the block: `mark` for the same `~~~` as at the beginning.
    pub close: FenceClose,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FenceClose {
    /// A line that consists of the text of the opening's group `mark`, or of more of the same: `~~~`.
    Mark,
    /// Before the next line that is not further indented than the opening: text under a YAML key.
    Indent,
    /// A line that matches a regular expression: `^endef\b`.
    Pattern(String),
}

/// Embedded text of another language: `<script>` in HTML.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Embed {
    /// A regular expression whose group `language` names the language: `<script lang="(?<language>\w+)">`.
    #[serde(deserialize_with = "leaked")]
    pub open: &'static str,
    /// A regular expression for the end: `</script>`.
    #[serde(deserialize_with = "leaked")]
    pub close: &'static str,
    /// The language where the opening names none: `javascript`.
    #[serde(deserialize_with = "leaked")]
    pub language: &'static str,
}

/// Lines that show that a file is in another language with the same file names: `namespace ` in a `.h` shows C++.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineDetection {
    /// The id of the other language: `cpp`.
    #[serde(deserialize_with = "leaked")]
    pub language: &'static str,
    /// Beginnings of lines that only the other language has: `namespace `, `template <`.
    pub lines: Words,
}
